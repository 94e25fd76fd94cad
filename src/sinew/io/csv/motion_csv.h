// The tables of a run: time, then the columns of measure/series.h.
#pragma once

#include <string>

#include "sinew/measure/series.h"

namespace sinew {

// With their line ends.
std::string trajectoryHeader(const Model& model);
std::string velocitiesHeader(const Model& model);
std::string seriesHeader(const Model& model);

// The time is that of the run, which goes on where a reset takes the state back to its start.
void appendTrajectoryRow(double time, const Model& model, const State& state, std::string& text);
void appendVelocitiesRow(double time, const Model& model, const State& state, std::string& text);
// Forces and accelerations are those of the same state.
void appendSeriesRow(double time, const Model& model, const State& state, const Forces& forces,
                     const Accelerations& accelerations, std::string& text);

}  // namespace sinew
