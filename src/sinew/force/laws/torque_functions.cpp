// Torque functions of joints, with free play:
//     Q = −∇ E(x)   x an angle from the function's centre (Armstrong & Green, fig. 2)
//     Q = −d u      while x is in the zone of free play
// Of a ball joint with a cone, x may be how far its axis is beyond it (math/swing_cone.h).
#include <algorithm>

#include "sinew/force/laws/types.h"
#include "sinew/force/spring_force.h"
#include "sinew/math/swing_twist.h"
#include "sinew/model/joint_curve.h"

namespace sinew {
namespace torque_functions {
namespace {

using Part = TorqueDescription::Part;

// How far beyond free play its damping fades out, in parts of the zone.
constexpr double freeFade = 0.1;

// A ball joint's rotation from the centre of a function, and the axis of its twist.
struct FromCenter {
    Quat rotation;
    Vec3 axis;
    SwingTwist angles;
};
FromCenter fromCenter(const Joint& joint, const TorqueFunction& function, const double* q, double time)
{
    const Quat center = rotationIn(jointMotionAt(joint, function.center, time).q);
    FromCenter from;
    from.rotation = center.conjugate() * rotationIn(q);
    from.axis = joint.childIsFirst ? Vec3(center.conjugate() * joint.axis) : joint.axis;
    from.angles = swingTwist(from.rotation, from.axis);
    return from;
}

double angleFromCenter(const Joint& joint, const TorqueFunction& function, const double* q, double time)
{
    if (function.part == Part::cone) return beyondCone(*joint.cone, rotationIn(q));
    if (joint.isBall()) {
        const FromCenter from = fromCenter(joint, function, q, time);
        return function.part == TorqueDescription::Part::swing ? from.angles.swing : from.angles.twist;
    }
    return q[function.freedom] - jointMotionAt(joint, function.center, time).q[function.freedom];
}

// How much of the damping in free play acts at x: all inside, fading just outside.
double inFreePlay(const TorqueFunction& function, double x)
{
    const double fade = freeFade * (function.freeUpper - function.freeLower);
    const double beyond = std::max({function.freeLower - x, x - function.freeUpper, 0.});
    return fade > 0 ? std::max(1 - beyond / fade, 0.) : 0;
}

// A function that is switched off leaves the damping of its free play.
SpringForce forceOf(const TorqueFunction& function, const JointAt& at, bool withStiffness)
{
    SpringForce result{Vec3::Zero(), Mat3::Zero(), Mat3::Zero()};
    if (function.part == Part::cone) {
        const ConeReach reach = coneReach(*at.joint.cone, rotationIn(at.q));
        const double first = -function.curve.torque(reach.beyond);
        if (at.active) {
            result.force = -coneGradient(reach, first);
            if (withStiffness)
                result.stiffness = coneHessian(reach, first, -function.curve.slope(reach.beyond));
        }
        const Mat3 across = Mat3::Identity() - at.joint.axis * at.joint.axis.transpose();
        result.damping = function.freeDamping * inFreePlay(function, reach.beyond) * across;
    } else if (at.joint.isBall()) {
        const FromCenter from = fromCenter(at.joint, function, at.q, at.time());
        const bool swings = function.part == Part::swing;
        const double x = swings ? from.angles.swing : from.angles.twist;
        const double first = -function.curve.torque(x), second = -function.curve.slope(x);
        const SwingTwistSlope slope =
            swings ? SwingTwistSlope{first, second, 0, 0} : SwingTwistSlope{0, 0, first, second};
        if (at.active) {
            result.force = -swingTwistGradient(from.rotation, from.axis, slope);
            if (withStiffness) result.stiffness = swingTwistHessian(from.rotation, from.axis, slope);
        }
        const Mat3 along = from.axis * from.axis.transpose();
        result.damping = function.freeDamping * inFreePlay(function, x) *
                         (swings ? Mat3(Mat3::Identity() - along) : along);
    } else {
        const int i = function.freedom;
        const double x = angleFromCenter(at.joint, function, at.q, at.time());
        if (at.active) {
            result.force[i] = function.curve.torque(x);
            result.stiffness(i, i) = -function.curve.slope(x);
        }
        result.damping(i, i) = function.freeDamping * inFreePlay(function, x);
    }
    result.force -= result.damping * at.velocity();
    return result;
}

bool isInJoint(const Model& model, const Joint& joint)
{
    return joint.drives >= 0 && !model.drives[joint.drives].functions.empty();
}

bool isPassive(const Model& model)
{
    const auto stands = [](const Signal& signal) { return signal.isConstant(); };
    for (const JointDrives& drives : model.drives)
        for (const TorqueFunction& function : drives.functions)
            if (!std::all_of(function.center.begin(), function.center.end(), stands)) return false;
    return true;
}

void addForce(const JointAt& at, double* Q)
{
    if (at.joint.drives < 0) return;
    for (const TorqueFunction& function : at.model.drives[at.joint.drives].functions)
        forceOf(function, at, false).addTo(at.freedoms(), Q);
}

void addTangent(const JointAt& at, JointTangent& tangent)
{
    if (at.joint.drives < 0) return;
    for (const TorqueFunction& function : at.model.drives[at.joint.drives].functions)
        forceOf(function, at, true).addTo(tangent);
}

void addEnergy(const JointAt& at, double& sum)
{
    if (at.joint.drives < 0 || !at.active) return;
    for (const TorqueFunction& function : at.model.drives[at.joint.drives].functions)
        sum += function.curve.energy(angleFromCenter(at.joint, function, at.q, at.time()));
}

}  // namespace
}  // namespace torque_functions

const ForceLawInfo torqueFunctionLaw = {
    .name = "torque_function",
    .noun = "the torque function",
    .kind = ForceKind::drive,
    .isIn = isInAnyJoint<torque_functions::isInJoint>,
    .isPassive = torque_functions::isPassive,
    .markDriven = markInJoints<torque_functions::isInJoint>,
    .isInJoint = torque_functions::isInJoint,
    .isOfJoints = true,
    .addJointForce = torque_functions::addForce,
    .addJointTangent = torque_functions::addTangent,
    .addJointEnergy = torque_functions::addEnergy,
};

}  // namespace sinew
