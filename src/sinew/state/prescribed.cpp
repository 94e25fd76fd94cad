#include "sinew/state/prescribed.h"

#include "sinew/model/joint_offset.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

JointMotion curveAt(const Model& model, const Prescription& given, double time)
{
    const Joint& joint = model.joints[given.joint];
    if (joint.isFree()) return freeMotionAt(joint, given.point, given.path.at(time));
    return jointMotionAt(joint, given.motion, time);
}

JointOffset fadedOffset(const Prescription& given, const double* memory, double since)
{
    const SignalValue ramp = rampAt(since / given.blend);
    const double left = 1 - ramp.value, rate = -ramp.rate / given.blend,
                 rate2 = -ramp.rate2 / (given.blend * given.blend);
    const auto offset = view<6>(memory + Prescription::offset),
               speed = view<6>(memory + Prescription::offsetRate);
    const Vec6 free = offset + since * speed;  // had it gone on so
    return {free * left, speed * left + free * rate, 2 * rate * speed + rate2 * free};
}

void begin(const Model& model, const Prescription& given, double* memory, State& state)
{
    const Joint& joint = model.joints[given.joint];
    memory[Prescription::isOn] = 1;
    memory[Prescription::start] = state.time;
    if (given.blend == 0) return;
    const JointOffset offset = jointOffsetFrom(joint, curveAt(model, given, state.time),
                                               state.q.data() + joint.q, state.u.data() + joint.u);
    view<6>(memory + Prescription::offset) = offset.value;
    view<6>(memory + Prescription::offsetRate) = offset.rate;
}

}  // namespace

JointMotion prescribedMotion(const Model& model, const State& state, int link, double time)
{
    const Joint& joint = model.joints[link];
    const Prescription& given = model.prescribed[joint.prescribed];
    const double* memory = state.memory.data() + given.memory;
    JointMotion motion = curveAt(model, given, time);
    const double since = time - memory[Prescription::start];
    if (since < given.blend) addJointOffset(joint, fadedOffset(given, memory, since), motion);
    return motion;
}

void setPrescribed(const Model& model, State& state)
{
    for (const Prescription& given : model.prescribed) {
        if (!isPrescribed(model, state, given.joint)) continue;
        const Joint& joint = model.joints[given.joint];
        const JointMotion motion = prescribedMotion(model, state, given.joint, state.time);
        for (int i = 0; i < joint.coordinates(); ++i) state.q[joint.q + i] = motion.q[i];
        for (int i = 0; i < joint.freedoms(); ++i) state.u[joint.u + i] = motion.u[i];
    }
}

void followPrescribed(const Model& model, State& state)
{
    if (model.prescribed.empty()) return;
    setPrescribed(model, state);
    bodiesFromJoints(model, state);
}

bool handOver(const Model& model, State& state)
{
    bool changed = false, jumped = false;
    for (const Prescription& given : model.prescribed) {
        const double later = state.time + JointSwitch::slack;
        const bool due = given.from <= later && later < given.until;
        double* memory = state.memory.data() + given.memory;
        if (due == (memory[Prescription::isOn] != 0)) continue;
        changed = true;
        memory[Prescription::isOn] = 0;
        if (!due) continue;
        begin(model, given, memory, state);
        jumped = jumped || given.blend == 0;
    }
    if (jumped) followPrescribed(model, state);
    return changed;
}

}  // namespace sinew
