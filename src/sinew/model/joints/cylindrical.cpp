// Cylindrical joint: an offset along an axis, and an angle about it: Q = exp(q₁ z), anchor at q₀ z.
#include "sinew/model/joints/types.h"

namespace sinew {
namespace cylindrical {
namespace {

// The axis slides: what turns about it turns the other way.
void mirror(JointDescription& joint, int axis)
{
    if (joint.axis) joint.axis = mirrored(*joint.axis, axis);
    for (std::vector<double>* list : {&joint.rest, &joint.motor, &joint.coordinate, &joint.velocity})
        if (list->size() == 2) (*list)[1] = 0 - (*list)[1];  // no negative zeros in files
    if (joint.lower.size() == 2 || joint.upper.size() == 2) {
        constexpr double none = compiling::Checker::largest;
        joint.lower.resize(2, -none);
        joint.upper.resize(2, none);
        const double lower = joint.lower[1];
        joint.lower[1] = 0 - joint.upper[1];
        joint.upper[1] = 0 - lower;
    }
}

Transform transform(const Joint& joint, const double* q)
{
    Transform X =
        joints::aboutAnchor(joint, joint.R_PC_rest * expRotation(q[1] * joint.axis).toRotationMatrix());
    X.r += q[0] * (joint.R_PC_rest * joint.axis);
    return X;
}

void subspace(const Joint& joint, const double*, const Transform&, Subspace& S)
{
    S.col(0) << joint.axis, Vec3::Zero();
    S.col(1) = joints::turnAbout(joint, joint.axis);
}

Force force(const Joint& joint, const double*, const double* Q, const Transform&)
{
    const Vec3 f = Q[0] * joint.axis;
    return {f, joint.anchorChild.cross(f) + Q[1] * joint.axis};
}

void velocityOf(const Joint& joint, const double*, const Transform&, const Motion& relative, double* u)
{
    u[0] = joint.axis.dot(relative.linear - joint.anchorChild.cross(relative.angular));
    u[1] = joint.axis.dot(relative.angular);
}

void coordinatesOf(const Joint& joint, const BodyState& parent, const BodyState& child, double* q,
                   double* u)
{
    const joints::Turned turned(joint, parent, child);
    const joints::Offset at(joint, parent, child);
    const Vec3 axis = at.R_P * (joint.R_PC_rest * joint.axis);
    q[0] = axis.dot(at.offset);
    u[0] = axis.dot(at.rate);
    q[1] = unwrapAngle(twistAngle(turned.Q, joint.axis), q[1]);
    u[1] = joint.axis.dot(turned.spin);
}

void rows(const Joint& joint, Row* rows)
{
    joints::addAxisRows(joint.axis, joints::addSlidingRows(joint.axis, rows));
}

}  // namespace
}  // namespace cylindrical

const JointTypeInfo cylindricalJoint = {
    .name = "cylindrical",
    .freedoms = 2,
    .slides = 1,
    .axes = 1,
    .compileAxes = joints::compileOneAxis,
    .mirror = cylindrical::mirror,
    .transform = cylindrical::transform,
    .subspace = cylindrical::subspace,
    .force = cylindrical::force,
    .velocityOf = cylindrical::velocityOf,
    .coordinatesOf = cylindrical::coordinatesOf,
    .rows = cylindrical::rows,
};

}  // namespace sinew
