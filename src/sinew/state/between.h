// Where a motion is between two steps: what frames show that fall into one.
//
// With s from 0 to 1 over the step of length h, m = (q₁ − q₀)/h and φ = log(R₀ᵀ R₁):
//     smooth    q(s) = the cubic through q₀ and q₁ with the velocities u₀ and u₁ there (Hermite);
//               R(s) = R₀ exp(φ(s)), φ(s) the cubic from 0 to φ with φ' = h ω₀ and h J_r⁻¹(φ) ω₁
//     straight  q(s) = q₀ + s h m,   R(s) = R₀ exp(s φ),   velocities straight between u₀ and u₁
// A motion is smooth over a step if its velocities agree with the way that was made, |v₀ + v₁ − 2 m| ≤
// ½ |v₁ − v₀|, in the norm of the kinetic energy over all bodies of a skeleton. That holds for steps of
// second order and more, whose frames are then off by O(h⁴). It does not hold where velocities jump (a
// cubic would swing through the floor), nor in steps of first order, which move straight by their own
// equations.
//
// In joint coordinates joints hold between the steps too; loops and couplings to O(h⁴). Bodies that steps
// in maximal coordinates move are taken one by one, and their joints open by O(h⁴). Prescribed joints are
// where their curves have them. Vertices of spring meshes go straight.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// The state at `time`, from.time ≤ time ≤ to.time, of one step from `from` to `to`. Contacts and impulses
// are those of the step.
void stateBetween(const Model& model, const State& from, const State& to, double time, bool byJoints,
                  State& between);

}  // namespace sinew
