#include "sinew/force/laws/controllers.h"

#include <algorithm>
#include <cmath>

#include "sinew/force/laws/types.h"
#include "sinew/math/rotation.h"
#include "sinew/model/joint_curve.h"

namespace sinew {
namespace controllers {
namespace {

bool isInJoint(const Model& model, const Joint& joint)
{
    return joint.drives >= 0 && !model.drives[joint.drives].controllers.empty();
}

bool isPassive(const Model& model)
{
    const auto stands = [](const Signal& signal) { return signal.isConstant(); };
    for (const JointDrives& drives : model.drives)
        for (const Controller& controller : drives.controllers)
            if (!std::all_of(controller.target.begin(), controller.target.end(), stands) ||
                controller.weight || std::isfinite(controller.limit) || controller.bounds)
                return false;
    return true;
}

// function(force) for each that is not switched off
template <class Function>
void forEach(const JointAt& at, Function&& function)
{
    if (at.joint.drives < 0 || !at.active) return;
    for (const Controller& controller : at.model.drives[at.joint.drives].controllers) {
        SpringForce drive = unlimitedForce(controller, at.joint, at.q, at.u, at.time());
        drive.limit(controller.limit);
        if (controller.bounds) drive.limit(*controller.bounds, at.freedoms());
        function(drive);
    }
}

void addForce(const JointAt& at, double* Q)
{
    forEach(at, [&](const SpringForce& drive) { drive.addTo(at.freedoms(), Q); });
}

void addTangent(const JointAt& at, JointTangent& tangent)
{
    forEach(at, [&](const SpringForce& drive) { drive.addTo(tangent); });
}

// Of a spring that gives no more than a limit: from there on its potential grows as that force does work.
double storedEnergy(double stiffness, double limit, double error)
{
    if (!(stiffness * error > limit)) return 0.5 * stiffness * error * error;
    return limit * (error - 0.5 * limit / stiffness);
}

void addEnergy(const JointAt& at, double& sum)
{
    if (at.joint.drives < 0 || !at.active) return;
    for (const Controller& controller : at.model.drives[at.joint.drives].controllers) {
        const TrackingError error = trackingError(controller, at.joint, at.q, at.u, at.time());
        const double stiffness = weightAt(controller.weight, at.time()) * controller.stiffness;
        sum += storedEnergy(stiffness, controller.limit, error.position.norm());
    }
}

}  // namespace
}  // namespace controllers

const ForceLawInfo controllerLaw = {
    .name = "controller",
    .noun = "the controller",
    .kind = ForceKind::drive,
    .isIn = isInAnyJoint<controllers::isInJoint>,
    .isPassive = controllers::isPassive,
    .markDriven = markInJoints<controllers::isInJoint>,
    .isInJoint = controllers::isInJoint,
    .isOfJoints = true,
    .addJointForce = controllers::addForce,
    .addJointTangent = controllers::addTangent,
    .addJointEnergy = controllers::addEnergy,
};

TrackingError trackingError(const Controller& controller, const Joint& joint, const double* q,
                            const double* u, double time)
{
    TrackingError error;
    const JointMotion wanted = jointMotionAt(joint, controller.target, time);
    if (joint.isBall()) {
        const Quat turn = rotationIn(wanted.q).conjugate() * rotationIn(q);
        const Vec3 wantedVelocity = turn.conjugate() * Vec3(wanted.u[0], wanted.u[1], wanted.u[2]);
        error.position = logRotation(turn);
        error.velocity = Vec3(u[0], u[1], u[2]) - wantedVelocity;
        error.positionSlope = rightJacobianInverse(error.position);
        error.velocitySlope = -tilde(wantedVelocity);
        return error;
    }
    for (int i = 0; i < joint.freedoms(); ++i) {
        error.position[i] = q[i] - wanted.q[i];
        error.velocity[i] = u[i] - wanted.u[i];
    }
    return error;
}

SpringForce unlimitedForce(const Controller& controller, const Joint& joint, const double* q,
                           const double* u, double time)
{
    const double weight = weightAt(controller.weight, time);
    const double k = weight * controller.stiffness, d = weight * controller.damping;
    const TrackingError error = trackingError(controller, joint, q, u, time);
    return {-k * error.position - d * error.velocity, k * error.positionSlope + d * error.velocitySlope,
            d * Mat3::Identity()};
}

}  // namespace sinew
