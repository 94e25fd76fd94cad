// Backward Euler and BDF2 in joint coordinates: stable at frame-sized steps however stiff the joints, in
// linear time, with no joint gap by construction.
//
// Source: Hernandez et al. 2011 (implicit joint forces), with what that step lacks: geometric stiffness
// (Tournier et al. 2015), Newton to the end of the step, BDF2. In joint coordinates, so that one
// articulated-body pass is one Newton iteration.
//
// Unknown: the coordinates q' at the end. With poses p', R' there, and a starred state to start from,
//     v' = (p' − p*)/h        ω' = log(R*ᵀR')/h                                discrete velocities, body
//     axes f  = (m (v' − v*)/h − F,  I (ω' − ω*)/h + ω' × I ω' − T)                 what each body still
//     needs r  = Σ Jᵀ(q') f − Q(q', u')  = 0                                        virtual work at the end
//     backward Euler:  * is the start of the step
//     BDF2, step h:    solved with 2h/3 from  v* = (4vₙ − vₙ₋₁)/3,  ω* and p* likewise,
//                      R* = Rₙ exp(log(Rₙ₋₁ᵀ Rₙ)/3)
// Newton's matrix, times h², is that of an articulated body:
//     body   M + h² G,   G = Σ ± (sym(ρ Fᵀ) − (F·ρ) 1) over the forces F of its joints at lever arms ρ
//     joint  SᵀI^A S + h D + h² K
//     and between a joint and its parent, because rotations do not commute, h² ½ s × N for each turning
//     freedom s under the joint torque N (h² s × F for a sliding one): one more column vector in U.
// Its skew part vanishes at the solution, where the torques balance, and is left out.
//
// Kept: the joints, exactly. Lost: energy, of first order (Euler) or third (BDF2) in the step; none of the
// cases in docs/stiffness.md ever gains any. Cost: O(n) per iteration, 3 to 5 iterations a step.
#pragma once

#include "sinew/integrate/integrators.h"

namespace sinew {

void implicitEulerStep(const Model& model, const Method& method, ForceFunction forces, double h,
                       State& state, StepWork& work);
// The first step, and the first one after a step that had to be halved, is backward Euler.
void implicitBdf2Step(const Model& model, const Method& method, ForceFunction forces, double h,
                      State& state, StepWork& work);

}  // namespace sinew
