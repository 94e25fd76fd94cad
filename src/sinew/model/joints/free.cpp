// Free joint: Q = q[3..6], offset q[0..2] of the child's centre of mass; u = (rate of the offset, parent
// axes; relative angular velocity, child axes).
#include "sinew/model/joints/types.h"

namespace sinew {
namespace free_joint {
namespace {

Transform transform(const Joint& joint, const double* q)
{
    return {joint.R_PC_rest * rotationIn(q + 3).toRotationMatrix(), joints::readVector(q)};
}

void subspace(const Joint&, const double*, const Transform& transform, Subspace& S)
{
    S << transform.R.transpose(), Mat3::Zero(), Mat3::Zero(), Mat3::Identity();
}

Motion bias(const Joint&, const double*, const double* u, const Transform& transform)
{
    // The offset's rate is in parent axes, which turn backwards as seen from the child.
    return {-joints::readVector(u + 3).cross(transform.R.transpose() * joints::readVector(u)),
            Vec3::Zero()};
}

Motion biasChange(const Joint&, const double*, const double* u, const Transform& transform,
                  const double* delta)
{
    const Vec3 rate = transform.R.transpose() * joints::readVector(u);
    return {joints::readVector(u + 3).cross(joints::readVector(delta + 3).cross(rate)), Vec3::Zero()};
}

Force force(const Joint&, const double*, const double* Q, const Transform& transform)
{
    return {transform.R.transpose() * joints::readVector(Q), joints::readVector(Q + 3)};
}

void velocityOf(const Joint&, const double*, const Transform& transform, const Motion& relative, double* u)
{
    view<3>(u) = transform.R * relative.linear;
    view<3>(u + 3) = relative.angular;
}

void coordinatesOf(const Joint& joint, const BodyState& parent, const BodyState& child, double* q,
                   double* u)
{
    const joints::Turned turned(joint, parent, child);
    const Vec3 offset = child.position - parent.position;
    const Vec3 t = turned.R_P.transpose() * offset;
    const Vec3 rate =
        turned.R_P.transpose() * (child.velocity - parent.velocity) - parent.angularVelocity.cross(t);
    for (int i = 0; i < 3; ++i) {
        q[i] = t[i];
        u[i] = rate[i];
        u[3 + i] = turned.spin[i];
    }
    joints::writeQuaternion(turned.Q, q + 3);
}

void rest(const Joint& joint, double* q)
{
    for (int i = 0; i < 3; ++i) q[i] = joint.anchorParent[i];
}

void rows(const Joint&, Row*) {}

}  // namespace
}  // namespace free_joint

const JointTypeInfo freeJoint = {
    .name = "free",
    .freedoms = 6,
    .slides = 3,
    .hasRotation = true,
    .transform = free_joint::transform,
    .subspace = free_joint::subspace,
    .bias = free_joint::bias,
    .biasChange = free_joint::biasChange,
    .force = free_joint::force,
    .velocityOf = free_joint::velocityOf,
    .coordinatesOf = free_joint::coordinatesOf,
    .rest = free_joint::rest,
    .rows = free_joint::rows,
};

}  // namespace sinew
