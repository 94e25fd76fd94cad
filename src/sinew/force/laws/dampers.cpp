// Dampers of joints:  Q = −(d + μ) u, with μ Hakenberg's friction e = −μ (R₁ω₁ − R₂ω₂) on hinges and ball
// joints.
#include "sinew/force/laws/types.h"

namespace sinew {
namespace dampers {
namespace {

bool isInJoint(const Model&, const Joint& joint)
{
    return joint.damping + joint.friction != 0;
}

void addForce(const JointAt& at, double* Q)
{
    const double d = at.joint.damping + at.joint.friction;
    for (int i = 0; i < at.freedoms(); ++i) Q[i] -= d * at.u[i];
}

void addTangent(const JointAt& at, JointTangent& tangent)
{
    tangent.damping += (at.joint.damping + at.joint.friction) * Mat3::Identity();
}

}  // namespace
}  // namespace dampers

const ForceLawInfo damperLaw = {
    .name = "damper",
    .noun = "the damper",
    .kind = ForceKind::plain,
    .isIn = isInAnyJoint<dampers::isInJoint>,
    .isPassive = laws::always,
    .isInJoint = dampers::isInJoint,
    .addJointForce = dampers::addForce,
    .addJointTangent = dampers::addTangent,
};

}  // namespace sinew
