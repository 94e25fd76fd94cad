// What drives a figure: forces, targets, motors, controllers, motions.
#include "sinew/io/json/scene_writer.h"

namespace sinew::writing {

Value forceValue(const ForceDescription& force)
{
    Value out = Value::object();
    out.add("body", force.body);
    if (!force.force.isZero(0)) out.add("force", list(force.force));
    if (!force.torque.isZero(0)) out.add("torque", list(force.torque));
    addVector(out, "point", force.point);
    addSignal(out, "signal", force.signal);
    addConditions(out, force.when, force.during);
    return out;
}

Value targetValue(const TargetDescription& target)
{
    Value out = Value::object();
    out.add("body", target.body);
    addVector(out, "point", target.point);
    addNumber(out, "stiffness", target.stiffness);
    addNumber(out, "damping", target.damping);
    addNumber(out, "turn_stiffness", target.turnStiffness);
    addNumber(out, "turn_damping", target.turnDamping);
    out.add("path", pathValue(target.path));
    if (target.smooth) out.add("smooth", true);
    addNumber(out, "limit", target.limit);
    addSignal(out, "weight", target.weight);
    return out;
}

Value motorValue(const MotorDescription& motor)
{
    Value out = Value::object();
    out.add("joint", motor.joint);
    addSignals(out, "torque", motor.torque);
    addConditions(out, motor.when, motor.during);
    return out;
}

Value torqueValue(const TorqueDescription& torque)
{
    using Part = TorqueDescription::Part;
    Value out = Value::object();
    out.add("joint", torque.joint);
    if (torque.part != Part::freedom)
        out.add("part", torque.part == Part::swing   ? "swing"
                        : torque.part == Part::twist ? "twist"
                                                     : "cone");
    addNumber(out, "freedom", torque.freedom);
    const auto addPair = [&](const char* key, const std::optional<std::array<double, 2>>& pair) {
        if (pair) out.add(key, list(pair->data(), 2));
    };
    addPair("free", torque.free);
    addPair("slope", torque.slope);
    addPair("most", torque.most);
    if (!torque.curve.empty()) {
        Value curve = Value::array();
        for (const auto& [angle, moment] : torque.curve) curve.add(Value::array({angle, moment}));
        out.add("curve", std::move(curve));
    }
    addSignals(out, "center", torque.center);
    addNumber(out, "free_damping", torque.freeDamping);
    return out;
}

Value controllerValue(const ControllerDescription& controller)
{
    Value out = Value::object();
    out.add("joint", controller.joint);
    addNumber(out, "stiffness", controller.stiffness);
    addNumber(out, "damping", controller.damping);
    addSignals(out, "target", controller.target);
    addText(out, "motion", controller.motion);
    addNumber(out, "limit", controller.limit);
    addSignal(out, "weight", controller.weight);
    return out;
}

Value supportValue(const SupportDescription& support)
{
    static constexpr const char* places[] = {"body", "center", "feet"};
    Value out = Value::object();
    out.add("at", places[static_cast<int>(support.at)]);
    if (support.bodies.size() == 1)
        out.add("body", support.bodies[0]);
    else
        out.add("bodies", names(support.bodies));
    addNumber(out, "share", support.share, 1);
    addVector(out, "point", support.point);
    addSignal(out, "weight", support.weight);
    return out;
}

Value motionValue(const MotionDescription& motion)
{
    Value out = Value::object(), joints = Value::object(), roots = Value::object();
    out.add("name", motion.name);
    for (const MotionDescription::JointCurve& curve : motion.joints)
        addSignals(joints, curve.joint.c_str(), curve.coordinate);
    for (const MotionDescription::RootPath& root : motion.roots) {
        Value one = Value::object();
        one.add("path", pathValue(root.path));
        if (!root.smooth) one.add("smooth", false);
        roots.add(root.body, std::move(one));
    }
    if (!motion.joints.empty()) out.add("joints", std::move(joints));
    if (!motion.roots.empty()) out.add("roots", std::move(roots));
    return out;
}

Value trackValue(const TrackDescription& track)
{
    Value out = Value::object();
    out.add("motion", track.motion);
    if (!track.bodies.empty()) out.add("bodies", names(track.bodies));
    addNumber(out, "stiffness", track.stiffness);
    addNumber(out, "damping", track.damping);
    addNumber(out, "turn_stiffness", track.turnStiffness);
    addNumber(out, "turn_damping", track.turnDamping);
    if (!track.weights.empty()) {
        Value weights = Value::object();
        for (const TrackDescription::Weight& own : track.weights) weights.add(own.body, own.weight);
        out.add("weights", std::move(weights));
    }
    addSignal(out, "weight", track.weight);
    return out;
}

Value prescribedValue(const PrescribedDescription& given)
{
    Value out = Value::object();
    addText(out, "joint", given.joint);
    addSignals(out, "motion", given.motion);
    addText(out, "body", given.body);
    if (!given.path.empty()) out.add("path", pathValue(given.path));
    if (!given.smooth) out.add("smooth", false);
    addVector(out, "point", given.point);
    addNumber(out, "from", given.from);
    addNumber(out, "until", given.until);
    addNumber(out, "blend", given.blend);
    return out;
}

}  // namespace sinew::writing
