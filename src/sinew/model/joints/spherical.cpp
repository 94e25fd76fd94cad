// Ball joint: Q = q, a quaternion; u = relative angular velocity, child axes. An axis, where it has one,
// tells swing and twist apart.
#include "sinew/model/joints/types.h"

namespace sinew {
namespace spherical {
namespace {

void compileAxes(const JointDescription& source, const std::string& pointer, const Mat3& R_CW, Joint& joint,
                 compiling::Checker& check)
{
    if (!source.axis) return;
    // The twist about −a of the motion seen from the other body is the twist about a.
    joints::compileOneAxis(source, pointer, R_CW, joint, check);
    joint.hasTwist = true;
}

void mirror(JointDescription& joint, int axis)
{
    joints::mirrorTurningAxes(joint, axis);
    if (joint.swingCone) {  // as the axis, so that all sides stay what they are
        SwingConeDescription& cone = *joint.swingCone;
        if (cone.center) cone.center = mirroredTurn(*cone.center, axis);
        cone.toward = mirroredTurn(cone.toward, axis);
    }
    for (std::vector<double>* list : {&joint.rest, &joint.motor, &joint.coordinate, &joint.velocity}) {
        if (list->size() != 3) continue;  // wrong, which is for compile() to say
        const Vec3 turn = mirroredTurn(joints::readVector(list->data()), axis);
        *list = {turn.x(), turn.y(), turn.z()};
    }
}

Transform transform(const Joint& joint, const double* q)
{
    return joints::aboutAnchor(joint, joint.R_PC_rest * rotationIn(q).toRotationMatrix());
}

void subspace(const Joint& joint, const double*, const Transform&, Subspace& S)
{
    S << tilde(joint.anchorChild), Mat3::Identity();
}

Force force(const Joint&, const double*, const double* Q, const Transform&)
{
    return {Vec3::Zero(), joints::readVector(Q)};
}

void velocityOf(const Joint&, const double*, const Transform&, const Motion& relative, double* u)
{
    view<3>(u) = relative.angular;
}

// Quaternions all the way: this is asked for in every step.
void coordinatesOf(const Joint& joint, const BodyState& parent, const BodyState& child, double* q,
                   double* u)
{
    const Quat R_PC = parent.orientation.conjugate() * child.orientation;
    Quat Q = Quat(joint.R_PC_rest).conjugate() * R_PC;
    if (Q.w() < 0) Q.coeffs() = -Q.coeffs();
    joints::writeQuaternion(Q, q);
    view<3>(u) = child.angularVelocity - R_PC.conjugate() * parent.angularVelocity;
}

void rows(const Joint&, Row* rows)
{
    joints::addPointRows(rows);
}

}  // namespace
}  // namespace spherical

const JointTypeInfo sphericalJoint = {
    .name = "spherical",
    .freedoms = 3,
    .hasRotation = true,
    .keepsPoint = true,
    .axes = 1,
    .compileAxes = spherical::compileAxes,
    .mirror = spherical::mirror,
    .transform = spherical::transform,
    .subspace = spherical::subspace,
    .force = spherical::force,
    .velocityOf = spherical::velocityOf,
    .coordinatesOf = spherical::coordinatesOf,
    .rows = spherical::rows,
};

}  // namespace sinew
