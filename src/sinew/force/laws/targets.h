// Targets draw bodies to places that may move:
//     F = −k (x − x_T) − c (v − v_T)    T = −k log(R R_Tᵀ) − c (ω − ω_T)
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// Where a target is, and how it moves, with the guides at that time.
PathPoint targetAt(const Target& target, const Guides& guides, double time);

// How far a body is from its target, and how fast that changes; world axes.
struct TargetStretch {
    Vec3 arm;  // centre of mass → the point that is drawn
    Vec3 offset, offsetRate;
    Vec3 turn, turnRate;  // rotation vector from the target's orientation
    double weight = 1;
};
// With the guides at the state's time.
TargetStretch targetStretch(const Target& target, const State& state, const Guides& guides);

// What a target exerts on its body, at the body's centre of mass.
Force targetForce(const Target& target, const TargetStretch& stretch);

}  // namespace sinew
