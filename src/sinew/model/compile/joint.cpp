// One joint of a description → Joint: anchors and axes in body coordinates, springs, limits.
#include <cmath>

#include "sinew/math/rotation.h"
#include "sinew/model/compile/parts.h"

namespace sinew::compiling {
namespace {

void compileAxes(const JointDescription& source, const std::string& pointer, const Mat3& R_WC, Joint& joint,
                 Checker& check)
{
    const JointTypeInfo& info = joint.info();
    if (info.compileAxes) info.compileAxes(source, pointer, R_WC.transpose(), joint, check);
    const std::string what = std::string("a ") + info.name + " joint has no ";
    check.require(info.axes >= 1 || !source.axis, pointer + "/axis", what + "axis");
    check.require(info.axes >= 2 || !source.axis2, pointer + "/axis2", what + "second axis");
}

void checkCount(const std::vector<double>& values, int count, const std::string& pointer, const char* what,
                Checker& check)
{
    if (values.empty()) return;
    check.require(
        static_cast<int>(values.size()) == count, pointer,
        "has " + std::to_string(values.size()) + " numbers; " + what + " takes " + std::to_string(count));
    for (double x : values) {
        check.require(std::isfinite(x), pointer, "has a number that is not finite");
        check.finite(x, pointer);
    }
}

void checkPerFreedom(const std::vector<double>& values, int freedoms, const std::string& pointer,
                     Checker& check)
{
    checkCount(values, freedoms, pointer, "this joint", check);
}

// What only a ball joint with an axis has: a spring of the twist, and limits of swing and twist.
void compileSwingTwist(const JointDescription& source, const std::string& pointer, Joint& joint,
                       Checker& check)
{
    const bool ball = joint.isBall();
    const auto needsAxis = [&](bool given, const char* key) {
        if (!given) return;
        check.require(ball, pointer + key, "is for ball joints");
        check.require(source.axis.has_value(), pointer + key,
                      "needs the axis that swing and twist are told apart by; give axis");
    };
    needsAxis(source.twistStiffness.has_value(), "/twist_stiffness");
    needsAxis(source.swingLimit.has_value(), "/swing_limit");
    needsAxis(source.swingCone.has_value(), "/swing_cone");
    if (!ball) return;
    needsAxis(!source.lower.empty(), "/lower");
    needsAxis(!source.upper.empty(), "/upper");
    if (source.twistStiffness) check.notNegative(*source.twistStiffness, pointer + "/twist_stiffness");
    if (source.swingLimit)
        check.require(*source.swingLimit >= 0 && *source.swingLimit <= pi, pointer + "/swing_limit",
                      "is " + number(*source.swingLimit) + "; it must be from 0 to π");
    if (check.failed() || !source.axis) return;
    joint.twistStiffness = source.twistStiffness.value_or(source.stiffness);
    if (source.swingLimit) joint.swingLimit = *source.swingLimit;
}

// Once the axes are there.
void compileCone(const JointDescription& source, const std::string& pointer, const Mat3& R_WC, Joint& joint,
                 Checker& check)
{
    constexpr double least = 0.01;
    if (!source.swingCone) return;
    const SwingConeDescription& cone = *source.swingCone;
    const std::string where = pointer + "/swing_cone";
    check.require(!source.swingLimit, where, "and swing_limit exclude each other");
    for (std::size_t i = 0; i < cone.reach.size(); ++i)
        check.require(cone.reach[i] >= least && cone.reach[i] <= pi, where + "/reach/" + std::to_string(i),
                      "is " + number(cone.reach[i]) + "; it must be from " + number(least) + " to π");
    if (check.failed()) return;
    const Vec3 axis = source.axis->normalized();
    const Vec3 center = cone.center ? check.direction(*cone.center, where + "/center") : axis;
    const Vec3 toward = check.direction(cone.toward, where + "/toward");
    const Vec3 across = toward - toward.dot(center) * center;
    check.require(across.norm() > 1e-6, where + "/toward", "points along the centre of the cone");
    if (check.failed()) return;
    Mat3 axes;
    axes.col(0) = across.normalized();
    axes.col(1) = center.cross(axes.col(0));
    axes.col(2) = center;
    joint.cone = {R_WC.transpose() * axis, R_WC.transpose() * axes, cone.reach, joint.childIsFirst};
}

void compileLimits(const JointDescription& source, const std::string& pointer, Joint& joint, Checker& check)
{
    if (source.limitStiffness) check.positive(*source.limitStiffness, pointer + "/limit_stiffness");
    if (source.lower.empty() && source.upper.empty() && !source.swingLimit && !source.swingCone) return;
    const bool ball = joint.isBall();
    const std::string where = pointer + (source.lower.empty() ? "/upper" : "/lower");
    check.require(joint.isArticulated(), where,
                  std::string("a ") + jointTypeName(source.type) + " joint has no limits");
    const int count = ball ? 1 : joint.freedoms();
    checkCount(source.lower, count, pointer + "/lower", ball ? "the twist" : "this joint", check);
    checkCount(source.upper, count, pointer + "/upper", ball ? "the twist" : "this joint", check);
    if (check.failed()) return;
    joint.limitStiffness = source.limitStiffness.value_or(stiffnessByDefault);
    for (int i = 0; i < count; ++i) {
        const int from = joint.described(i);
        if (!source.lower.empty()) joint.lower[i] = source.lower[from];
        if (!source.upper.empty()) joint.upper[i] = source.upper[from];
        check.require(joint.lower[i] <= joint.upper[i], pointer + "/upper",
                      "is " + number(joint.upper[i]) + ", below the lower limit " + number(joint.lower[i]));
    }
    for (const auto& [values, key] :
         {std::pair(&source.lower, "/lower"), std::pair(&source.upper, "/upper")})
        if (ball && !values->empty())
            check.require(std::abs(values->front()) <= pi, pointer + key,
                          "is " + number(values->front()) + "; a twist is from -π to π");
}

// Where the spring is slack, in the terms of the tree (model/joint.h).
void compileRest(const JointDescription& source, Joint& joint)
{
    if (source.rest.empty() || joint.isFree()) return;
    if (joint.isBall()) {
        Vec3 phi(source.rest[0], source.rest[1], source.rest[2]);
        if (joint.childIsFirst) phi = -(joint.R_PC_rest.transpose() * phi);
        joint.restRotation = expRotation(phi);
        return;
    }
    for (int i = 0; i < joint.freedoms(); ++i) joint.rest[i] = source.rest[joint.described(i)];
}

}  // namespace

Joint compileJoint(const JointDescription& source, const std::string& pointer, const Model& model,
                   int parentIndex, int childIndex, bool childIsFirst, Checker& check)
{
    Joint joint;
    joint.name = source.name;
    joint.type = source.type;
    joint.parent = parentIndex;
    joint.childIsFirst = childIsFirst;
    joint.stiffness = source.stiffness;
    joint.damping = source.damping;
    joint.armature = source.armature;
    joint.coulomb = source.coulomb;

    check.finite(source.position, pointer + "/position");
    check.notNegative(source.stiffness, pointer + "/stiffness");
    check.notNegative(source.damping, pointer + "/damping");
    check.notNegative(source.coulomb, pointer + "/coulomb");
    check.notNegative(source.armature, pointer + "/armature");
    const JointTypeInfo& info = joint.info();
    const bool free = info.isFree();
    check.require(source.armature == 0 || info.isArticulated(), pointer + "/armature",
                  std::string("a ") + jointTypeName(source.type) +
                      " joint has no rotor; use the mass and inertia of its bodies");
    check.require(source.coulomb == 0 || info.isArticulated(), pointer + "/coulomb",
                  std::string("a ") + jointTypeName(source.type) + " joint has no friction");
    check.require(source.coulomb == 0 || !info.isMixed(), pointer + "/coulomb",
                  std::string("cannot be both a torque and a force, as a ") + info.name +
                      " joint would need; use damping");
    check.require(!free || (source.stiffness == 0 && source.damping == 0 && source.motor.empty() &&
                            source.rest.empty()),
                  pointer, "a free joint has no spring, damper or motor");
    check.require(!free || (source.coordinate.empty() && source.velocity.empty()), pointer,
                  "a free joint starts from the pose and velocity of its body; give them there");
    checkPerFreedom(source.motor, joint.freedoms(), pointer + "/motor", check);
    checkPerFreedom(source.coordinate, joint.freedoms(), pointer + "/coordinate", check);
    checkPerFreedom(source.velocity, joint.freedoms(), pointer + "/velocity", check);
    checkPerFreedom(source.rest, joint.freedoms(), pointer + "/rest", check);
    if (check.failed()) return joint;
    compileSwingTwist(source, pointer, joint, check);
    compileLimits(source, pointer, joint, check);
    for (std::size_t i = 0; i < source.motor.size(); ++i)
        joint.motor[static_cast<int>(i)] = source.motor[i];
    joint.hasMotor = !joint.motor.isZero(0);

    const Pose child = model.bodies[childIndex].rest;
    const Pose parent = parentIndex == world ? Pose{} : model.bodies[parentIndex].rest;
    const Mat3 R_WC = child.orientation.toRotationMatrix();
    joint.R_PC_rest = parent.orientation.toRotationMatrix().transpose() * R_WC;
    if (free) {  // its coordinates are the place of the child's centre of mass
        joint.anchorParent = parent.inverse() * child.position;
    } else {
        joint.anchorParent = parent.inverse() * source.position;
        joint.anchorChild = child.inverse() * source.position;
    }
    compileAxes(source, pointer, R_WC, joint, check);
    if (!check.failed()) compileCone(source, pointer, R_WC, joint, check);
    compileRest(source, joint);
    return joint;
}

Joint freeRoot(const Body& body)
{
    Joint joint;
    joint.name = body.name;
    joint.declared = false;
    joint.R_PC_rest = body.rest.orientation.toRotationMatrix();
    joint.anchorParent = body.rest.position;
    return joint;
}

}  // namespace sinew::compiling
