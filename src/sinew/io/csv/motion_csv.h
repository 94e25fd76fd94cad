// The two tables of a run. Bodies and joints stand in the order of the description.
//
// Trajectory: time, then for each body its pose
//     <body>.px .py .pz .qx .qy .qz .qw
// in the frame that the description gave it.
//
// Series: time, kinetic, potential, elastic, total, the momenta px … lz about the origin, gap,
// misalignment, then for each joint its coordinates, the generalised force of springs, dampers, friction
// and motors along them, and its load on the first body:
//     hinge      <joint>.angle, <joint>.torque
//     slide      <joint>.offset, <joint>.force
//     universal  <joint>.angle0 … 1, <joint>.torque0 … 1
//     spherical  <joint>.angle0 … 2, <joint>.torque0 … 2
//     free       <joint>.offset0 … 2, .angle0 … 2, <joint>.force0 … 2, .torque0 … 2
//     all        <joint>.fx .fy .fz .tx .ty .tz
#pragma once

#include <string>
#include <vector>

#include "sinew/state/state.h"

namespace sinew {

// The columns' names as people know them.
std::vector<std::string> trajectoryColumns(const Model& model);
std::vector<std::string> seriesColumns(const Model& model);
inline constexpr std::size_t commonColumns = 13;  // of the series: those before the joints', with the time

// The same as a table's first line, quoted where need be, with the line end.
std::string trajectoryHeader(const Model& model);
std::string seriesHeader(const Model& model);

void appendTrajectoryRow(const Model& model, const State& state, std::string& text);
// Forces and accelerations are those of the same state.
void appendSeriesRow(const Model& model, const State& state, const Forces& forces,
                     const Accelerations& accelerations, std::string& text);

}  // namespace sinew
