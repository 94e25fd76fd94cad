#include "sinew/simulation/inputs.h"

#include <algorithm>

#include "sinew/base/text.h"
#include "sinew/force/laws.h"
#include "sinew/state/kinematics.h"

namespace sinew {

bool ForceContext::fail(const std::string& what) const
{
    if (fault_.empty()) fault_ = what;
    return false;
}

template <class Handle>
bool ForceContext::isGood(const Result<Handle>& found) const
{
    return found || fail(found.error().message);
}

JointNumbers ForceContext::position(JointHandle joint) const
{
    return isGood(findJoint(model_, joint)) ? jointPosition(model_, state_, joint) : JointNumbers();
}

JointNumbers ForceContext::velocity(JointHandle joint) const
{
    return isGood(findJoint(model_, joint)) ? jointVelocity(model_, state_, joint) : JointNumbers();
}

BodyMotion ForceContext::body(BodyHandle body) const
{
    return isGood(findBody(model_, body)) ? bodyMotion(model_, state_, body) : BodyMotion();
}

void ForceContext::addJointForce(JointHandle handle, const JointNumbers& force, double stiffness,
                                 double damping)
{
    if (!isGood(findJoint(model_, handle))) return;
    const Joint& joint = model_.joints[handle.link];
    if (const auto unfit = unfitNumbers(joint, force)) {
        fail(unfit->message);
        return;
    }
    if (!isSound(stiffness) || !isSound(damping)) {
        fail("a derivative for joint " + quotedName(joint.name) + " is not finite, or beyond 1e30");
        return;
    }
    double Q[6];
    motorForce(model_, state_, handle.link, force.values, Q);
    for (int i = 0; i < joint.freedoms(); ++i) forces_.joint[joint.u + i] += Q[i];
    if ((stiffness == 0 && damping == 0) || joint.isFree()) return;
    forces_.outside.joints.resize(model_.bodies.size());
    JointTangent& tangent = forces_.outside.joints[static_cast<std::size_t>(handle.link)];
    tangent.stiffness.diagonal().array() += stiffness;
    tangent.damping.diagonal().array() += damping;
}

void ForceContext::addBodyForce(BodyHandle body, const Force& force)
{
    if (!isGood(findBody(model_, body))) return;
    if (isSound(force.force) && isSound(force.torque))
        forces_.body[body.link] += force;
    else
        fail("a force on body " + quotedName(model_.bodies[body.link].name) +
             " is not finite, or beyond 1e30");
}

void ForceContext::addBodyForce(BodyHandle body, const Force& force, const Mat6& stiffness,
                                const Mat6& damping)
{
    if (!isGood(findBody(model_, body))) return;
    addBodyForce(body, force);
    if (stiffness.allFinite() && damping.allFinite())
        forces_.outside.bodies.push_back({body.link, stiffness, damping});
    else
        fail("a derivative for body " + quotedName(model_.bodies[body.link].name) +
             " is not finite, or beyond 1e30");
}

void addInputs(void* adder, const Model& model, const State& state, Forces& forces)
{
    Inputs& inputs = *static_cast<Inputs*>(adder);
    forces.outside.any = true;
    for (const Inputs::JointInput& input : inputs.joints) {
        const Joint& joint = model.joints[input.link];
        double Q[6];
        motorForce(model, state, input.link, input.force.data(), Q);
        for (int i = 0; i < joint.freedoms(); ++i) forces.joint[joint.u + i] += Q[i];
    }
    for (const BodyLoad& load : inputs.bodies) {
        const Vec3 arm = state.bodies[load.body].orientation * load.point;
        forces.body[load.body] += {load.force, load.torque + arm.cross(load.force)};
        if (arm.isZero(0)) continue;
        BodyTangent tangent;
        tangent.body = load.body;
        addPointTangent(arm, Vec3::Zero(), load.force, Mat3::Zero(), Mat3::Zero(), tangent);
        forces.outside.bodies.push_back(tangent);
    }
    if (!inputs.law) return;
    ForceContext context(model, state, forces, inputs.fault);
    inputs.law(context);
}

void wakePushed(const Inputs& inputs, const Model& model, State& state)
{
    if (state.quiet.empty()) return;
    if (inputs.law) std::fill(state.quiet.begin(), state.quiet.end(), 0.);
    const auto wake = [&](int body) { state.quiet[static_cast<std::size_t>(model.skeletonOf[body])] = 0; };
    for (const Inputs::JointInput& input : inputs.joints) wake(input.link);
    for (const BodyLoad& load : inputs.bodies) wake(load.body);
}

}  // namespace sinew
