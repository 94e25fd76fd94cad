// Planar joint: the child moves in a plane of the parent. Offsets along two ways, x and y = axis × x, fixed
// in the description's first body, then an angle about the plane's normal, the axis:
//     Q = exp(q₂ z),  anchor at q₀ x + q₁ y
// Where the child is the first body it is the other way round, the turn first: the ways are then fixed in
// the child.
#include "sinew/model/joints/types.h"

namespace sinew {
namespace planar {
namespace {

void compileAxes(const JointDescription& source, const std::string& pointer, const Mat3& R_CW, Joint& joint,
                 compiling::Checker& check)
{
    const Vec3 z = check.direction(source.axis, pointer + "/axis", "planar");
    Vec3 x = check.direction(source.axis2, pointer + "/axis2", "planar");
    joints::requireRightAngle(z, x, pointer, check);
    x = (x - x.dot(z) * z).normalized();
    const double sign = joint.childIsFirst ? -1 : 1;
    joint.axis = sign * (R_CW * z);
    joint.axis2 = sign * (R_CW * x);
}

// A normal turns, a way slides: so y stays on its side of them.
void mirror(JointDescription& joint, int axis)
{
    if (joint.axis) joint.axis = mirroredTurn(*joint.axis, axis);
    if (joint.axis2) joint.axis2 = mirrored(*joint.axis2, axis);
}

// The ways at rest, child axes.
Vec3 restWay(const Joint& joint, int k)
{
    if (k == 0) return joint.axis2;
    return joint.childIsFirst ? joint.axis2.cross(joint.axis) : joint.axis.cross(joint.axis2);
}

// The ways as they are now, and where the axis of the turn is from the child's centre of mass; child axes.
struct Ways {
    Vec3 x, y, arm, offset;

    Ways(const Joint& joint, const double* q) : x(restWay(joint, 0)), y(restWay(joint, 1))
    {
        if (!joint.childIsFirst) {
            const Quat back = expRotation(-q[2] * joint.axis);
            x = back * x;
            y = back * y;
        }
        offset = q[0] * x + q[1] * y;
        arm = joint.anchorChild;
        if (joint.childIsFirst) arm -= offset;
    }
};

Transform transform(const Joint& joint, const double* q)
{
    Transform X;
    X.R = joint.R_PC_rest * expRotation(q[2] * joint.axis).toRotationMatrix();
    X.r = joint.anchorParent + X.R * (Ways(joint, q).offset - joint.anchorChild);
    return X;
}

void subspace(const Joint& joint, const double* q, const Transform&, Subspace& S)
{
    const Ways w(joint, q);
    S.col(0) << w.x, Vec3::Zero();
    S.col(1) << w.y, Vec3::Zero();
    S.col(2) << w.arm.cross(joint.axis), joint.axis;
}

Motion bias(const Joint& joint, const double* q, const double* u, const Transform&)
{
    const Ways w(joint, q);
    const Vec3 turned = u[2] * (u[0] * w.x + u[1] * w.y).cross(joint.axis);
    return {joint.childIsFirst ? Vec3(-turned) : turned, Vec3::Zero()};
}

// Only ways that are fixed in the parent turn against the child.
Motion biasChange(const Joint& joint, const double* q, const double* u, const Transform&,
                  const double* delta)
{
    if (joint.childIsFirst) return {};
    const Ways w(joint, q);
    const Vec3 turned = (u[0] * w.x + u[1] * w.y).cross(joint.axis);
    return {(delta[2] * u[2]) * turned.cross(joint.axis), Vec3::Zero()};
}

Force force(const Joint& joint, const double* q, const double* Q, const Transform&)
{
    const Ways w(joint, q);
    const Vec3 f = Q[0] * w.x + Q[1] * w.y;
    return {f, w.arm.cross(f) + Q[2] * joint.axis};
}

void velocityOf(const Joint& joint, const double* q, const Transform&, const Motion& relative, double* u)
{
    const Ways w(joint, q);
    const Vec3 v = relative.linear - w.arm.cross(relative.angular);
    u[0] = w.x.dot(v);
    u[1] = w.y.dot(v);
    u[2] = joint.axis.dot(relative.angular);
}

void coordinatesOf(const Joint& joint, const BodyState& parent, const BodyState& child, double* q,
                   double* u)
{
    const joints::Turned turned(joint, parent, child);
    const joints::Offset at(joint, parent, child);
    q[2] = unwrapAngle(twistAngle(turned.Q, joint.axis), q[2]);
    u[2] = joint.axis.dot(turned.spin);
    // Seen from the body that the ways are fixed in.
    Mat3 axes = at.R_P * joint.R_PC_rest;
    Vec3 rate = at.rate;
    if (joint.childIsFirst) {
        axes = turned.R_C;
        rate -= (turned.R_C * turned.spin).cross(at.offset);
    }
    for (int k = 0; k < 2; ++k) {
        const Vec3 way = axes * restWay(joint, k);
        q[k] = way.dot(at.offset);
        u[k] = way.dot(rate);
    }
}

void rows(const Joint& joint, Row* rows)
{
    rows[0] = {Row::sliding, joint.axis, Vec3::Zero()};
    joints::addAxisRows(joint.axis, rows + 1);
}

}  // namespace
}  // namespace planar

const JointTypeInfo planarJoint = {
    .name = "planar",
    .freedoms = 3,
    .slides = 2,
    .axes = 2,
    .compileAxes = planar::compileAxes,
    .mirror = planar::mirror,
    .transform = planar::transform,
    .subspace = planar::subspace,
    .bias = planar::bias,
    .biasChange = planar::biasChange,
    .force = planar::force,
    .velocityOf = planar::velocityOf,
    .coordinatesOf = planar::coordinatesOf,
    .rows = planar::rows,
};

}  // namespace sinew
