// Inverse dynamics and the equations of motion in joint coordinates, M(q) u̇ + b(q, u) = Q.
#pragma once

#include "sinew/dynamics/work.h"
#include "sinew/state/state.h"

namespace sinew {

// The joint forces Q that make the joints accelerate by u̇ under the given body forces (Luh, Walker & Paul
// 1980, for all joint types). O(n). `bodyForces` includes gravity, as everywhere.
void inverseDynamics(const Model& model, const State& state, const LargeVector<Force>& bodyForces,
                     const VecX& acceleration, Work& work, VecX& Q);

// b: what Q must be for u̇ = 0. O(n).
void biasForces(const Model& model, const State& state, const LargeVector<Force>& bodyForces, Work& work,
                VecX& bias);

// M, dense (composite rigid bodies). O(n · depth).
void massMatrix(const Model& model, const State& state, Work& work, MatX& M);

}  // namespace sinew
