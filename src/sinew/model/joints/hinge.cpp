// Hinge: Q = exp(q z), z the axis in child axes.
#include "sinew/model/joints/types.h"

namespace sinew {
namespace hinge {
namespace {

Transform transform(const Joint& joint, const double* q)
{
    return joints::aboutAnchor(joint, joint.R_PC_rest * expRotation(q[0] * joint.axis).toRotationMatrix());
}

void subspace(const Joint& joint, const double*, const Transform&, Subspace& S)
{
    S << joint.anchorChild.cross(joint.axis), joint.axis;
}

Force force(const Joint& joint, const double*, const double* Q, const Transform&)
{
    return {Vec3::Zero(), Q[0] * joint.axis};
}

void velocityOf(const Joint& joint, const double*, const Transform&, const Motion& relative, double* u)
{
    u[0] = joint.axis.dot(relative.angular);
}

void coordinatesOf(const Joint& joint, const BodyState& parent, const BodyState& child, double* q,
                   double* u)
{
    const joints::Turned turned(joint, parent, child);
    q[0] = unwrapAngle(twistAngle(turned.Q, joint.axis), q[0]);
    u[0] = joint.axis.dot(turned.spin);
}

void rows(const Joint& joint, Row* rows)
{
    joints::addAxisRows(joint.axis, joints::addPointRows(rows));
}

}  // namespace
}  // namespace hinge

const JointTypeInfo hingeJoint = {
    .name = "hinge",
    .freedoms = 1,
    .keepsPoint = true,
    .axes = 1,
    .compileAxes = joints::compileOneAxis,
    .mirror = joints::mirrorTurningAxes,
    .transform = hinge::transform,
    .subspace = hinge::subspace,
    .force = hinge::force,
    .velocityOf = hinge::velocityOf,
    .coordinatesOf = hinge::coordinatesOf,
    .rows = hinge::rows,
};

}  // namespace sinew
