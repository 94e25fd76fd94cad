// Rotations that are given at every frame, as curves of rotation vectors.
#pragma once

#include <vector>

#include "sinew/math/types.h"
#include "sinew/model/signal.h"

namespace sinew {

// On the branch nearest to the one before (turns about one axis differ by 2π), so that there are no jumps.
std::vector<Vec3> turnsWithoutJumps(const std::vector<Quat>& rotations);

// Three smooth curves through them, a key per frame; constants for what does not change.
std::vector<Signal> turnSignals(const std::vector<Vec3>& turns, double fps);

}  // namespace sinew
