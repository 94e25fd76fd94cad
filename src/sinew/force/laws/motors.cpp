#include "sinew/force/laws/motors.h"

#include "sinew/force/laws/types.h"
#include "sinew/force/triggers.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace motors {
namespace {

bool isInJoint(const Model& model, const Joint& joint)
{
    return joint.hasMotor || (joint.drives >= 0 && !model.drives[joint.drives].motors.empty());
}

void addForce(const JointAt& at, double* Q)
{
    if (!at.joint.hasMotor || !at.active) return;
    double own[6] = {};
    motorForce(at.model, at.state, at.link, motorTorque(at.model, at.state, at.link).data(), own);
    for (int i = 0; i < at.freedoms(); ++i) Q[i] += own[i];
}

}  // namespace
}  // namespace motors

const ForceLawInfo motorLaw = {
    .name = "motor",
    .noun = "the motor",
    .kind = ForceKind::plain,
    .isIn = isInAnyJoint<motors::isInJoint>,
    .ofPlacesOnly = true,
    .markDriven = markInJoints<motors::isInJoint>,
    .isInJoint = motors::isInJoint,
    .isOfJoints = true,
    .addJointForce = motors::addForce,
};

Vec6 motorTorque(const Model& model, const State& state, int link)
{
    const Joint& joint = model.joints[link];
    Vec6 torque = joint.motor;
    if (joint.drives < 0) return torque;
    for (const Motor& motor : model.drives[joint.drives].motors) {
        const TriggerState trigger = triggerState(model, state, motor.trigger);
        if (!trigger.on) continue;
        for (std::size_t i = 0; i < motor.torque.size(); ++i)
            torque[static_cast<int>(i)] += motor.torque[i].at(state.time - trigger.since).value;
    }
    return torque;
}

}  // namespace sinew
