// <actuator>: motors and controllers. Controls come from outside in MuJoCo; here they are 0.
//
// With the length l = gear · q and the control c MuJoCo's force on the joint is gear · (gain c + b₀ + b₁ l
// + b₂ l̇). With b₁ or b₂ that is a controller of stiffness −b₁ gear² and damping −b₂ gear², otherwise a
// motor.
#include <cmath>

#include "sinew/io/mjcf/converter.h"

namespace sinew::mjcf {
namespace {

struct Law {
    double gain = 1;
    double constant = 0, stiffness = 0, damping = 0;  // b₀, −b₁, −b₂
};

// False where the actuator is of no kind that maps; it is noted then.
bool readLaw(Context& context, const Element& element, Law& law)
{
    xml::Reader& reader = context.reader;
    if (element.name == "motor") return true;
    if (element.name == "position") {
        law.gain = law.stiffness = reader.number(element, "kp").value_or(1);
        law.damping = reader.number(element, "kv").value_or(0);
        return true;
    }
    if (element.name == "velocity") {
        law.damping = reader.number(element, "kv").value_or(1);
        return true;
    }
    if (element.name == "general") {
        const std::string gain = reader.name(element, "gaintype").value_or("fixed");
        const std::string bias = reader.name(element, "biastype").value_or("none");
        if (gain != "fixed" || (bias != "none" && bias != "affine")) {
            context.notes.add(element, "with gaintype " + gain + " and biastype " + bias + " is left out");
            return false;
        }
        if (reader.name(element, "dyntype").value_or("none") != "none")
            context.notes.add(element, "acts at once here; its dyntype is not read");
        if (const auto prm = reader.numbers(element, "gainprm", 1, 10); !prm.empty()) law.gain = prm[0];
        if (bias == "none") return true;
        const std::vector<double> b = reader.numbers(element, "biasprm", 1, 10);
        const auto at = [&](std::size_t i) { return i < b.size() ? b[i] : 0.0; };
        law.constant = at(0);
        law.stiffness = -at(1);
        law.damping = -at(2);
        return true;
    }
    context.notes.add(element, "in <actuator> is left out");
    return false;
}

// The most force, where it is bounded alike both ways.
std::optional<double> readLimit(Context& context, const Element& element)
{
    xml::Reader& reader = context.reader;
    const std::vector<double> range = reader.numbers(element, "forcerange", 2, 2);
    const std::string word = reader.name(element, "forcelimited").value_or("auto");
    if (range.empty() || word == "false" || (word == "auto" && !context.model->compiler.autolimits))
        return {};
    const double most = std::max(std::abs(range[0]), std::abs(range[1]));
    if (range[0] != -range[1])
        context.notes.add(element, "forcerange differs from side to side; the larger bound holds for both");
    if (!(most > 0)) return {};
    return most;
}

void readActuator(Context& context, const Element& element)
{
    xml::Reader& reader = context.reader;
    context.controls.emplace_back();
    const std::string joint =
        reader.name(element, element.find("joint") ? "joint" : "jointinparent").value_or(std::string());
    if (joint.empty()) return context.notes.add(element, "that does not act on a joint is left out");
    const auto found = context.joints.find(joint);
    if (found == context.joints.end()) {
        if (mayBeLeftOut(context, element, joint)) return;
        return reader.fail(element, "joint", "is not a joint of this file");
    }
    Law law;
    const std::vector<double> gears = reader.numbers(element, "gear", 1, 6);
    if (reader.failed() || !readLaw(context, element, law) || reader.failed()) return;
    if (found->second.type != JointType::hinge && found->second.type != JointType::slide)
        return context.notes.add(element, "on a ball or free joint is left out");
    const double gear = gears.empty() ? 1 : gears[0];
    context.notes.add(element, "has its control at 0, which a file does not give");
    noteUnread(context, element,
               {"joint", "jointinparent", "gear", "kp", "kv", "gaintype", "biastype", "gainprm", "biasprm",
                "dyntype", "dynprm", "forcerange", "forcelimited", "ctrlrange", "ctrllimited"});
    if (gear == 0 || law.stiffness < 0 || law.damping < 0)
        return context.notes.add(element, "with a gear of 0 or a negative gain is left out");
    if (law.stiffness == 0 && law.damping == 0) {
        MotorDescription motor;
        motor.joint = joint;
        motor.torque = {Signal(gear * law.constant)};
        context.controls.back() = {Context::Control::Sets::torque, context.out.scene.motors.size(),
                                   gear * law.gain, gear * law.constant};
        context.out.scene.motors.push_back(std::move(motor));
        return;
    }
    ControllerDescription controller;
    controller.joint = joint;
    controller.stiffness = law.stiffness * gear * gear;
    controller.damping = law.damping * gear * gear;
    if (law.stiffness == 0 && law.constant != 0)
        context.notes.add(element, "with damping and a constant force: the force is left out");
    const double target =
        law.stiffness > 0 ? law.constant / (law.stiffness * gear) - found->second.reference : 0;
    if (target != 0) controller.target = {Signal(target)};
    if (law.stiffness > 0)
        context.controls.back() = {Context::Control::Sets::target, context.out.scene.controllers.size(),
                                   law.gain / (law.stiffness * gear), target};
    if (const auto limit = readLimit(context, element)) controller.limit = *limit * std::abs(gear);
    context.out.scene.controllers.push_back(std::move(controller));
}

}  // namespace

void readActuators(Context& context, const Element& root)
{
    for (const Element& section : root.children) {
        if (section.name != "actuator") continue;
        for (const Element& child : section.children) {
            if (context.reader.failed()) return;
            const InModelOf model(context, child);
            readActuator(context, context.model->defaults.complete(child, "", context.reader));
        }
    }
}

}  // namespace sinew::mjcf
