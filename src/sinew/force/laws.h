// The forces of a scene, added up into Forces: gravity, constant loads, obstacles, targets, and in the
// joints springs, limits, dampers, friction and motors.
//
//     spring     Q = −∇ ½ k φ²   φ the joint coordinate (ball: log Q, or swing and twist, each with its k)
//     limit      Q = −∇ ½ k x²   x how far beyond
//     damper     Q = −d u        Hakenberg's e = −μ (R₁ω₁ − R₂ω₂) is one, with d = μ
//     motor      Q = β           given on the second body
//     drives     torque functions, controllers, dry friction (force/drives.h)
//     obstacle   F = (k d + c ḋ) n   for each ball or corner of a body at depth d > 0, and never a pull
//     target     F = −k (x − x_T) − c (v − v_T)    T = −k log(R R_Tᵀ) − c (ω − ω_T)
//     support    a load that is the figure's weight; gravity compensation in the joints: the weight beyond
#pragma once

#include <vector>

#include "sinew/state/body_springs.h"
#include "sinew/state/state.h"

namespace sinew {

// Sets `forces` to all forces of the scene at this state.
void sceneForces(const Model& model, const State& state, Forces& forces);

// The part of a joint's force that comes from its springs and limits, per freedom; drives are not in it.
// `active`: not switched off.
void jointSpringForce(const Joint& joint, const double* q, bool active, double* Q);

// The tangent of all of a joint's laws, at the state's coordinates, velocities and time; or without limits.
void jointForceTangent(const Model& model, const State& state, int link, JointTangent& tangent,
                       bool limits = true);
// Without drives.
void jointSpringTangent(const Joint& joint, const double* q, bool active, JointTangent& tangent,
                        bool limits = true);

// One limit of a joint: how far beyond it the joint is, less than zero within, and how that grows with its
// freedoms.
struct LimitReach {
    double beyond = 0;
    Vec3 grows = Vec3::Zero();
    double stiffness = 0;
};
constexpr int mostLimits = 6;
// Of swing, upper and lower twist of a ball joint, else upper and lower for each freedom: those that it
// has.
int findLimits(const Joint& joint, const double* q, LimitReach (&limits)[mostLimits]);
// Of a ball joint whose limits bear these loads: how the torques change with a turn, as far as it is their
// directions that change.
Mat3 limitCurvature(const Joint& joint, const double* q, const double (&loads)[mostLimits]);

// Of loads, obstacles, targets and what pushes from outside. `forces` are those at the same state.
void bodyForceTangents(const Model& model, const State& state, const Forces& forces,
                       std::vector<BodyTangent>& tangents);

// Adds the derivatives of a force f at an arm of a body with angular velocity `spin`, world axes, that
// changes with the place of its point by −K and with its velocity by −D.
void addPointTangent(const Vec3& arm, const Vec3& spin, const Vec3& f, const Mat3& K, const Mat3& D,
                     BodyTangent& tangent);

// What a target exerts on its body, at the body's centre of mass.
Force targetForce(const Target& target, const TargetStretch& stretch);

// Whether nothing in the scene does work on the figure from outside or changes with time.
bool isPassive(const Model& model);
// Whether a joint is switched on or off in (from, to].
bool switchesBetween(const Model& model, double from, double to);

}  // namespace sinew
