// Dampers of joints:  Q = −d u. Hakenberg's e = −μ (R₁ω₁ − R₂ω₂) on hinges and ball joints is one, with d =
// μ.
#include "sinew/force/laws/types.h"

namespace sinew {
namespace dampers {
namespace {

bool isInJoint(const Model&, const Joint& joint)
{
    return joint.damping != 0;
}

void addForce(const JointAt& at, double* Q)
{
    const double d = at.joint.damping;
    for (int i = 0; i < at.freedoms(); ++i) Q[i] -= d * at.u[i];
}

void addTangent(const JointAt& at, JointTangent& tangent)
{
    tangent.damping += at.joint.damping * Mat3::Identity();
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
    .isOfJoints = true,
    .addJointForce = dampers::addForce,
    .addJointTangent = dampers::addTangent,
};

}  // namespace sinew
