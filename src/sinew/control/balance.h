// Figures that stand, step and walk by the torques of their own joints. Before each step the state at its
// start is looked at, and what each joint shall do goes into State::memory, from where the force law of the
// joints takes it (force/laws/servos.cpp). No force acts on the figure but these torques, gravity and the
// ground.
//
// The parts:  ground_force   what the ground shall do: centre of mass over the feet, pressure inside the
// soles
//             joint_torques  the torques that make it so: virtual forces by the transposed Jacobian
//             support        the soles on the ground, and their convex hull
//             leg            the angles of a leg between two poses
//             aims           what each mode aims at: standing, stepping, walking
#pragma once

#include "sinew/base/large_vector.h"
#include "sinew/state/state.h"

namespace sinew {

// Memory that stays from step to step, so that none is taken in one.
struct BalanceWork {
    LargeVector<Force> forces;  // per body
    VecX torques;               // per freedom
    VecX q, u;                  // wanted, as in State
    VecX stiffness, damping;    // per body: the parts of the servo of its joint that act
};

// As a step of length h begins.
void updateBalances(const Model& model, double h, State& state, BalanceWork& work);

}  // namespace sinew
