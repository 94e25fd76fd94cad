// The forces of a scene, added up into Forces: gravity, constant loads, obstacles, targets, and in the
// joints springs, limits, dampers, friction and motors.
//
//     spring     Q = −∇ ½ k φ²   φ the joint coordinate (ball: log Q, or swing and twist, each with its k)
//     limit      Q = −∇ ½ k x²   x how far beyond
//     damper     Q = −d u
//     friction   Q = −μ u        Hakenberg's e = −μ (R₁ω₁ − R₂ω₂), on hinges and ball joints
//     motor      Q = β           given on the second body
//     obstacle   F = (k d + c ḋ) n   for each ball or corner of a body at depth d > 0, and never a pull
//     target     F = −k (x − x_T) − c (v − v_T)    T = −k log(R R_Tᵀ) − c (ω − ω_T)
#pragma once

#include <vector>

#include "sinew/state/state.h"

namespace sinew {

// Sets `forces` to all forces of the scene at this state.
void sceneForces(const Model& model, const State& state, Forces& forces);

// What a target does to its body, at the centre of mass.
struct TargetStretch;
Force targetForce(const Target& target, const TargetStretch& stretch);

// The part of a joint's force that comes from its springs and limits, per freedom. `active`: not switched
// off.
void jointSpringForce(const Joint& joint, const double* q, bool active, double* Q);

// Minus the derivatives of a joint's force by its coordinates (along the tangent) and its velocities,
// leading k × k. A ball joint's stiffness is not symmetric.
struct JointTangent {
    Mat3 stiffness = Mat3::Zero();
    Mat3 damping = Mat3::Zero();
};
void jointForceTangent(const Joint& joint, const double* q, bool active, JointTangent& tangent);

// Minus the derivatives of the force on a body by its place and by its velocity: linear, then angular,
// world axes. Constant loads, obstacles and targets have them.
struct BodyTangent {
    int body = 0;
    Mat6 stiffness = Mat6::Zero();
    Mat6 damping = Mat6::Zero();
};
void bodyForceTangents(const Model& model, const State& state, std::vector<BodyTangent>& tangents);

// Whether nothing in the scene does work on the figure from outside or changes with time.
bool isPassive(const Model& model);
// Whether a joint is switched on or off in (from, to].
bool switchesBetween(const Model& model, double from, double to);

}  // namespace sinew
