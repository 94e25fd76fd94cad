// The stepper of Hernandez et al. 2011, "Linear-Time Dynamics of Characters with Stiff Joints", as
// published: backward Euler, linearised once, with joint constraints on the positions at the end of the
// step.
//
//     A_a  = M_a + h D_a + h² K_a        A_ab = h D_ab + h² K_ab        K = −∂F/∂q, D = −∂F/∂v
//     A v' + Jᵀ λ = M v + h F + h D v                                   F at the start of the step
//     J v'        = −C(q)/h                                             λ an impulse against the joint
//     q'          = q ⊕ h v'
// Springs, limits, obstacles and targets are in F with their exact derivatives (the paper's appendix A
// loses a component: integrate/pair_force.h). Velocities: linear in world axes, angular in body axes.
//
// Joints: all. Cost O(n): one factorisation of a block tree a step. Drifts: joints by second order in the
// step, but they are drawn back; energy. Tension and velocity products stay explicit: a slack fast chain,
// or a heavy load at its end, blows up at frame-sized steps. integrate/implicit.h has the cure.
#pragma once

#include "sinew/integrate/integrators.h"

namespace sinew {

void hernandezStep(const Model& model, const Method& method, ForceFunction forces, double h, State& state,
                   StepWork& work);

}  // namespace sinew
