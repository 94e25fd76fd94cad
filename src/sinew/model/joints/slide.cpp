// Slide: Q = 1, offset q z, with z the same in parent and child.
#include "sinew/model/joints/types.h"

namespace sinew {
namespace slide {
namespace {

void mirror(JointDescription& joint, int axis)
{
    if (joint.axis) joint.axis = mirrored(*joint.axis, axis);
}

Transform transform(const Joint& joint, const double* q)
{
    Transform X = joints::aboutAnchor(joint, joint.R_PC_rest);
    X.r += q[0] * (joint.R_PC_rest * joint.axis);
    return X;
}

void subspace(const Joint& joint, const double*, const Transform&, Subspace& S)
{
    S << joint.axis, Vec3::Zero();
}

Force force(const Joint& joint, const double*, const double* Q, const Transform&)
{
    return {Q[0] * joint.axis, Vec3::Zero()};
}

void velocityOf(const Joint& joint, const double*, const Transform&, const Motion& relative, double* u)
{
    u[0] = joint.axis.dot(relative.linear);
}

void coordinatesOf(const Joint& joint, const BodyState& parent, const BodyState& child, double* q,
                   double* u)
{
    const joints::Offset offset(joint, parent, child);
    const Vec3 axis = offset.R_P * (joint.R_PC_rest * joint.axis);
    q[0] = axis.dot(offset.offset);
    u[0] = axis.dot(offset.rate);
}

void rows(const Joint& joint, Row* rows)
{
    joints::addLockRows(joints::addSlidingRows(joint.axis, rows));
}

}  // namespace
}  // namespace slide

const JointTypeInfo slideJoint = {
    .name = "slide",
    .freedoms = 1,
    .slides = 1,
    .axes = 1,
    .compileAxes = joints::compileOneAxis,
    .mirror = slide::mirror,
    .transform = slide::transform,
    .subspace = slide::subspace,
    .force = slide::force,
    .velocityOf = slide::velocityOf,
    .coordinatesOf = slide::coordinatesOf,
    .rows = slide::rows,
};

}  // namespace sinew
