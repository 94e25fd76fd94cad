// What is recorded of a motion over time, as columns of numbers. Bodies and joints stand in the order of
// the description.
//
// Poses: for each body
//     <body>.px .py .pz .qx .qy .qz .qw
// in the frame that the description gave it.
//
// Velocities: for each body
//     <body>.vx .vy .vz .wx .wy .wz
// of the origin of that frame, and the angular velocity, both in world axes.
//
// Series: kinetic, potential, elastic, total, the momenta px … lz about the origin, gap, misalignment, then
// for each joint its coordinates, the generalised force of springs, dampers, friction and motors along
// them, and its load on the first body:
//     hinge      <joint>.angle, <joint>.torque
//     slide      <joint>.offset, <joint>.force
//     universal  <joint>.angle0 … 1, <joint>.torque0 … 1
//     spherical  <joint>.angle0 … 2, <joint>.torque0 … 2
//     free       <joint>.offset0 … 2, .angle0 … 2, <joint>.force0 … 2, .torque0 … 2
//     all        <joint>.fx .fy .fz .tx .ty .tz
// A joint that the scene prescribes also has the force that this takes, along its coordinates and beside
// all others: <joint>.drive, or .drive0 … with several freedoms. Last, for each body that follows a path,
// all that moves it there, at its centre of mass in world axes:
//                <body>.drive_fx .drive_fy .drive_fz .drive_tx .drive_ty .drive_tz
#pragma once

#include <string>
#include <vector>

#include "sinew/state/state.h"

namespace sinew {

std::vector<std::string> poseNames(const Model& model);
std::vector<std::string> velocityNames(const Model& model);
std::vector<std::string> seriesNames(const Model& model);
inline constexpr std::size_t measureCount = 12;  // of the series: those before the joints'

// Each appends its numbers in the order of the names.
void appendPoses(const Model& model, const State& state, std::vector<double>& row);
void appendVelocities(const Model& model, const State& state, std::vector<double>& row);
// The first `measureCount` columns, which need no forces.
void appendMeasures(const Model& model, const State& state, std::vector<double>& row);
// All columns. Forces and accelerations are those of the same state.
void appendSeries(const Model& model, const State& state, const Forces& forces,
                  const Accelerations& accelerations, std::vector<double>& row);

}  // namespace sinew
