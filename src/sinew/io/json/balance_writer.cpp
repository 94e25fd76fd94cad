// Figures that balance themselves, and what they do of their own.
#include "sinew/io/json/scene_writer.h"
#include "sinew/model/action.h"
#include "sinew/model/balance.h"

namespace sinew::writing {
namespace {

using B = BalanceDescription;

Value strengthValue(const StrengthDescription& strength)
{
    Value out = Value::object();
    addNumber(out, "stiffness", strength.stiffness);
    addNumber(out, "damping", strength.damping);
    addNumber(out, "limit", strength.limit);
    if (!strength.limits.empty()) {
        Value limits = Value::array();
        for (const std::array<double, 2>& pair : strength.limits) limits.add(list(pair.data(), 2));
        out.add("limits", std::move(limits));
    }
    return out;
}

Value strengthsValue(const std::vector<StrengthDescription>& strengths)
{
    Value out = Value::object();
    for (const StrengthDescription& strength : strengths) out.add(strength.joint, strengthValue(strength));
    return out;
}

Value poseValue(const std::vector<JointPoseDescription>& joints)
{
    Value out = Value::object();
    for (const auto& [joint, coordinate] : joints) addFreedoms(out, joint.c_str(), coordinate);
    return out;
}

Value capturingStepValue(const B::Step& step)
{
    const B::Step usual;
    Value out = Value::object();
    addNumber(out, "time", step.time, usual.time);
    addNumber(out, "lift", step.lift, usual.lift);
    addNumber(out, "reach", step.reach, usual.reach);
    addNumber(out, "width", step.width, usual.width);
    addNumber(out, "further", step.further, usual.further);
    return out;
}

void addPair(Value& out, const char* key, const std::array<double, 2>& pair)
{
    if (pair[0] != 0 || pair[1] != 0) out.add(key, list(pair.data(), 2));
}

Value gaitStateValue(const B::State& state)
{
    Value out = Value::object();
    out.add("name", state.name);
    out.add("stance", state.stance);
    addNumber(out, "time", state.time);
    if (state.touch) out.add("touch", true);
    out.add("next", state.next);
    if (!state.pose.empty()) out.add("pose", poseValue(state.pose));
    addNumber(out, "lean", state.lean);
    addPair(out, "distance", state.distance);
    addPair(out, "speed", state.speed);
    return out;
}

Value gaitValue(const B::Gait& gait)
{
    Value out = Value::object();
    addList(out, "states", gait.states, gaitStateValue);
    addText(out, "start", gait.start);
    addNumber(out, "from", gait.from);
    addNumber(out, "until", gait.until);
    addSignal(out, "heading", gait.heading);
    return out;
}

}  // namespace

Value balanceValue(const BalanceDescription& balance)
{
    Value out = Value::object();
    out.add("body", balance.body);
    out.add("feet", names(balance.feet));
    if (balance.forward != Vec3(0, 0, 1)) out.add("forward", list(balance.forward));
    out.add("joints", strengthsValue(balance.joints));
    addNumber(out, "stiffness", balance.stiffness);
    addNumber(out, "damping", balance.damping);
    addNumber(out, "sole", balance.sole, 0.8);
    if (balance.step) out.add("step", capturingStepValue(*balance.step));
    if (balance.gait) out.add("gait", gaitValue(*balance.gait));
    addSignal(out, "weight", balance.weight);
    return out;
}

Value actionValue(const ActionDescription& action)
{
    Value out = Value::object(), keys = Value::array();
    addText(out, "name", action.name);
    out.add("joints", strengthsValue(action.joints));
    for (const ActionDescription::Key& key : action.keys) {
        Value one = Value::object();
        one.add("time", key.time);
        one.add("pose", poseValue(key.pose));
        keys.add(std::move(one));
    }
    out.add("keys", std::move(keys));
    if (!action.smooth) out.add("smooth", false);
    addSignal(out, "weight", action.weight);
    return out;
}

}  // namespace sinew::writing
