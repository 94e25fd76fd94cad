// The forces of a scene, added up into Forces: gravity, constant loads, and in the joints springs,
// dampers, friction and motors.
//
//     spring     Q = −k φ        from the energy ½ k φ², φ the joint coordinate (ball: log Q)
//     damper     Q = −d u
//     friction   Q = −μ u        Hakenberg's e = −μ (R₁ω₁ − R₂ω₂), on hinges and ball joints
//     motor      Q = β           given on the second body
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// Sets `forces` to all forces of the scene at this state.
void sceneForces(const Model& model, const State& state, Forces& forces);

// The spring's part of a joint's force, per freedom.
void jointSpringForce(const Joint& joint, const double* q, double* Q);

// Minus the derivatives of a joint's force by its coordinates (along the tangent) and its velocities,
// symmetric parts, leading k × k: what implicit steps put into their matrices.
struct JointTangent {
    Mat3 stiffness = Mat3::Zero();
    Mat3 damping = Mat3::Zero();
};
void jointForceTangent(const Joint& joint, const double* q, const double* u, JointTangent& tangent);

}  // namespace sinew
