// Universal joint: Q = exp(q₀ a) exp(q₁ b), a fixed in the parent, b in the child.
#include "sinew/math/trigonometry.h"
#include "sinew/model/joints/types.h"

namespace sinew {
namespace universal {
namespace {

void compileAxes(const JointDescription& source, const std::string& pointer, const Mat3& R_CW, Joint& joint,
                 compiling::Checker& check)
{
    Vec3 a = check.direction(source.axis, pointer + "/axis", "universal");
    const Vec3 b = check.direction(source.axis2, pointer + "/axis2", "universal");
    joints::requireRightAngle(a, b, pointer, check);
    a = (a - a.dot(b) * b).normalized();
    joint.axis = R_CW * (joint.childIsFirst ? Vec3(-b) : a);
    joint.axis2 = R_CW * (joint.childIsFirst ? Vec3(-a) : b);
}

// a where it is now, in child axes: exp(−q₁ b) a.
Vec3 firstAxis(const Joint& joint, const double* q)
{
    return expRotation(-q[1] * joint.axis2) * joint.axis;
}

Transform transform(const Joint& joint, const double* q)
{
    return joints::aboutAnchor(
        joint, joint.R_PC_rest *
                   (expRotation(q[0] * joint.axis) * expRotation(q[1] * joint.axis2)).toRotationMatrix());
}

void subspace(const Joint& joint, const double* q, const Transform&, Subspace& S)
{
    S.col(0) = joints::turnAbout(joint, firstAxis(joint, q));
    S.col(1) = joints::turnAbout(joint, joint.axis2);
}

Motion bias(const Joint& joint, const double* q, const double* u, const Transform&)
{
    const Vec3 rate = (u[0] * u[1]) * firstAxis(joint, q).cross(joint.axis2);
    return {joint.anchorChild.cross(rate), rate};
}

Motion biasChange(const Joint& joint, const double* q, const double* u, const Transform&,
                  const double* delta)
{
    const Vec3 turned = firstAxis(joint, q).cross(joint.axis2);  // what a changes by with q₁
    const Vec3 rate = (delta[1] * u[0] * u[1]) * turned.cross(joint.axis2);
    return {joint.anchorChild.cross(rate), rate};
}

// The axes are perpendicular by construction.
Force force(const Joint& joint, const double* q, const double* Q, const Transform&)
{
    return {Vec3::Zero(), Q[0] * firstAxis(joint, q) + Q[1] * joint.axis2};
}

void velocityOf(const Joint& joint, const double* q, const Transform&, const Motion& relative, double* u)
{
    u[0] = firstAxis(joint, q).dot(relative.angular);
    u[1] = joint.axis2.dot(relative.angular);
}

void coordinatesOf(const Joint& joint, const BodyState& parent, const BodyState& child, double* q,
                   double* u)
{
    const joints::Turned turned(joint, parent, child);
    const Vec3 &a = joint.axis, &b = joint.axis2;
    const Vec3 across = a.cross(b);
    const Vec3 turnedB = turned.Q * b, turnedA = turned.Q.conjugate() * a;
    q[0] = unwrapAngle(angleOf(across.dot(turnedB), b.dot(turnedB)), q[0]);
    q[1] = unwrapAngle(angleOf(across.dot(turnedA), a.dot(turnedA)), q[1]);
    // The two axes now, at right angles up to the joint's own error.
    u[0] = firstAxis(joint, q).dot(turned.spin);
    u[1] = b.dot(turned.spin);
}

void rows(const Joint& joint, Row* rows)
{
    *joints::addPointRows(rows) = {Row::perpendicular, joint.axis, joint.axis2};
}

}  // namespace
}  // namespace universal

const JointTypeInfo universalJoint = {
    .name = "universal",
    .freedoms = 2,
    .keepsPoint = true,
    .axes = 2,
    .exchanges = true,
    .compileAxes = universal::compileAxes,
    .mirror = joints::mirrorTurningAxes,
    .transform = universal::transform,
    .subspace = universal::subspace,
    .bias = universal::bias,
    .biasChange = universal::biasChange,
    .force = universal::force,
    .velocityOf = universal::velocityOf,
    .coordinatesOf = universal::coordinatesOf,
    .rows = universal::rows,
};

}  // namespace sinew
