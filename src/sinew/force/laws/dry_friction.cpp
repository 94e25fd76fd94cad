#include "sinew/force/laws/dry_friction.h"

#include <cmath>

#include "sinew/force/laws/types.h"
#include "sinew/force/spring_force.h"

namespace sinew {
namespace dry_friction {
namespace {

constexpr double slipSpeed = 1e-3;  // rad/s, or lengths of the figure a second: ε

bool isInJoint(const Model&, const Joint& joint)
{
    return joint.coulomb > 0;
}

SpringForce forceOf(const JointAt& at)
{
    const Vec3 u = at.velocity();
    const double speed = drySpeed(at.model, at.joint, u);
    const double c = at.joint.coulomb / speed;
    return {-c * u, Mat3::Zero(), c * (Mat3::Identity() - u * u.transpose() / (speed * speed))};
}

void addForce(const JointAt& at, double* Q)
{
    if (at.joint.coulomb > 0) forceOf(at).addTo(at.freedoms(), Q);
}

void addTangent(const JointAt& at, JointTangent& tangent)
{
    if (at.joint.coulomb > 0) forceOf(at).addTo(tangent);
}

}  // namespace
}  // namespace dry_friction

const ForceLawInfo dryFrictionLaw = {
    .name = "dry_friction",
    .noun = "the dry friction",
    .kind = ForceKind::drive,
    .isIn = isInAnyJoint<dry_friction::isInJoint>,
    .isPassive = laws::always,
    .isInJoint = dry_friction::isInJoint,
    .isOfJoints = true,
    .addJointForce = dry_friction::addForce,
    .addJointTangent = dry_friction::addTangent,
};

double drySpeed(const Model& model, const Joint& joint, const Vec3& u)
{
    const double slow = dry_friction::slipSpeed * model.freedomUnits[joint.u];
    return std::sqrt(u.squaredNorm() + slow * slow);
}

}  // namespace sinew
