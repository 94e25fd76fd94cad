// Springs and limits of joints: one energy, of how far the joint is stretched (model/joint.h).
//     spring     Q = −∇ ½ k φ²   φ the joint coordinate (ball: log Q, or swing and twist, each with its k)
//     limit      Q = −∇ ½ k x²   x how far beyond
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// Per freedom. `active`: not switched off; limits hold in any case.
void jointSpringForce(const Joint& joint, const double* q, bool active, double* Q);
// The stiffness, to what is there; or without limits.
void addSpringTangent(const Joint& joint, const double* q, bool active, JointTangent& tangent,
                      bool limits = true);
double jointElasticEnergy(const Joint& joint, const double* q, bool active = true);
// What they give up on the way, V(from) − V(to), as a product so that no digits cancel.
double jointElasticWork(const Joint& joint, const double* from, const double* to, bool active = true);

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

}  // namespace sinew
