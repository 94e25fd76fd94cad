// Joints that hands drive: torques beside those of the scene, targets and gains of controllers.
#include <algorithm>
#include <utility>

#include "sinew/model/check.h"
#include "sinew/simulation/live.h"

namespace sinew {
namespace {

using compiling::Checker;

void checkNumbers(const std::vector<double>& numbers, const Joint& joint, const std::string& pointer,
                  Checker& check)
{
    check.require(static_cast<int>(numbers.size()) == joint.freedoms(), pointer,
                  "has " + std::to_string(numbers.size()) + " numbers; joint " +
                      compiling::quoted(joint.name) + " takes " + std::to_string(joint.freedoms()));
    for (const double x : numbers) check.finite(x, pointer);
}

int linkNamed(const Model& model, const std::string& joint)
{
    for (int i = 0; i < model.size(); ++i)
        if (model.joints[i].declared && model.joints[i].name == joint) return i;
    return -1;
}

}  // namespace

std::size_t LiveSimulation::controllersOf(const std::string& joint) const
{
    const auto isOf = [&](const ControllerDescription& controller) { return controller.joint == joint; };
    return static_cast<std::size_t>(
        std::count_if(description_.controllers.begin(), description_.controllers.end(), isOf));
}

// The link of a joint that a torque can drive, or −1 after a fault.
int LiveSimulation::drivenJoint(const std::string& name, const std::string& pointer, Checker& check) const
{
    const auto isNamed = [&](const JointDescription& joint) { return joint.name == name; };
    check.require(std::any_of(description_.joints.begin(), description_.joints.end(), isNamed), pointer,
                  "there is no joint " + compiling::quoted(name));
    if (check.failed()) return -1;
    const Model& model = simulation_.model();
    const int link = linkNamed(model, name);
    check.require(link >= 0, pointer,
                  compiling::quoted(name) + " closes a loop; drive another joint of it");
    if (check.failed()) return -1;
    const Joint& joint = model.joints[link];
    check.require(joint.isArticulated(), pointer,
                  "a " + std::string(jointTypeName(joint.type)) + " joint takes no torque");
    check.require(joint.prescribed < 0, pointer,
                  "the motion of " + compiling::quoted(name) + " is prescribed, whatever drives it");
    return check.failed() ? -1 : link;
}

std::optional<Diagnostic> LiveSimulation::act(const Interaction::Torque& torque)
{
    Checker check;
    const int link = drivenJoint(torque.joint, "/torque/joint", check);
    if (link >= 0) checkNumbers(torque.torque, simulation_.model().joints[link], "/torque/torque", check);
    if (check.failed()) return check.diagnostic();
    JointInput input;
    input.joint = torque.joint;
    input.torque = torque.torque;
    return giveJoint(std::move(input));
}

std::optional<Diagnostic> LiveSimulation::act(const Interaction::Control& control)
{
    Checker check;
    const int link = drivenJoint(control.joint, "/control/joint", check);
    if (link >= 0) {
        const Joint& joint = simulation_.model().joints[link];
        check.require(hasController(control.joint), "/control/joint",
                      "joint " + compiling::quoted(control.joint) + " has no controller in the scene");
        if (!control.target.empty()) checkNumbers(control.target, joint, "/control/target", check);
    }
    check.require(!control.target.empty() || control.stiffness || control.damping, "/control",
                  "says nothing; give target, stiffness or damping");
    if (control.stiffness) check.notNegative(*control.stiffness, "/control/stiffness");
    if (control.damping) check.notNegative(*control.damping, "/control/damping");
    if (check.failed()) return check.diagnostic();
    return giveJoint({control.joint, {}, control.target, control.stiffness, control.damping});
}

// Into what the joint has been given, and from there into the simulation.
std::optional<Diagnostic> LiveSimulation::giveJoint(JointInput input)
{
    const std::vector<JointInput> before = jointInputs_;
    const auto found = std::find_if(jointInputs_.begin(), jointInputs_.end(),
                                    [&](const JointInput& given) { return given.joint == input.joint; });
    if (found == jointInputs_.end()) {
        jointInputs_.push_back(std::move(input));
    } else {
        if (!input.torque.empty()) found->torque = std::move(input.torque);
        if (!input.target.empty()) found->target = std::move(input.target);
        if (input.stiffness) found->stiffness = input.stiffness;
        if (input.damping) found->damping = input.damping;
    }
    std::optional<Diagnostic> fault = rebuild(settings_, parameters_);
    if (fault) jointInputs_ = before;
    return fault;
}

// A simulation as the scene has it gets what hands give.
void LiveSimulation::applyJointInputs(Simulation& to) const
{
    for (const JointInput& input : jointInputs_) {
        Model& model = to.changeModel();
        const int link = linkNamed(model, input.joint);
        Joint& joint = model.joints[link];
        for (std::size_t i = 0; i < input.torque.size(); ++i)
            joint.motor[static_cast<int>(i)] += input.torque[i];
        if (!input.torque.empty()) {
            joint.hasMotor = true;
            model.links[link].hasForces = model.hasJointForces = true;
        }
        for (JointSetting& setting : model.settings)
            for (std::size_t i = 0; i < input.torque.size() && setting.joint == link; ++i) {
                setting.numbers.motor[static_cast<int>(i)] += input.torque[i];
                setting.numbers.hasMotor = true;
            }
        if (joint.drives < 0) continue;
        // A motor that a hand put into the joint comes after the scene's.
        for (std::size_t k = 0; k < controllersOf(input.joint); ++k) {
            Controller& controller = model.drives[joint.drives].controllers[k];
            if (!input.target.empty()) controller.target.assign(input.target.begin(), input.target.end());
            controller.stiffness = input.stiffness.value_or(controller.stiffness);
            controller.damping = input.damping.value_or(controller.damping);
        }
    }
}

}  // namespace sinew
