// What acts on the bodies of a description → Model: loads, obstacles and what they touch, targets,
// switches.
#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_set>

#include "sinew/geometry/contact_points.h"
#include "sinew/model/compile/check_signal.h"
#include "sinew/model/compile/parts.h"
#include "sinew/model/contact_springs.h"

namespace sinew::compiling {
namespace {

void compileLoads(const Description& description, const Names& names, Model& model, Checker& check)
{
    for (std::size_t i = 0; i < description.forces.size() && !check.failed(); ++i) {
        const ForceDescription& force = description.forces[i];
        const std::string pointer = at("forces", i);
        const int body = bodyIndex(names, force.body, pointer + "/body", check);
        check.require(check.failed() || body != world, pointer + "/body", "the world cannot be pushed");
        check.finite(force.force, pointer + "/force");
        check.finite(force.torque, pointer + "/torque");
        if (force.point) check.finite(*force.point, pointer + "/point");
        if (check.failed()) return;
        BodyLoad load;
        load.body = model.bodyOrder[body];
        load.force = force.force;
        load.torque = force.torque;
        if (force.point) load.point = model.bodies[load.body].rest.inverse() * *force.point;
        model.loads.push_back(load);
    }
}

// ---- obstacles ----------------------------------------------------------------------------------

Obstacle compileObstacle(const ObstacleDescription& source, const std::string& pointer, Checker& check)
{
    Obstacle obstacle;
    obstacle.type = source.type;
    obstacle.position = source.position;
    obstacle.stiffness = source.stiffness;
    obstacle.damping = source.damping;
    check.require(
        source.type == ObstacleDescription::Type::plane || source.type == ObstacleDescription::Type::sphere,
        pointer + "/type", "needs contact; without it there are plane and sphere");
    check.finite(source.position, pointer + "/position");
    if (source.stiffness) check.positive(*source.stiffness, pointer + "/stiffness");
    if (source.damping) check.notNegative(*source.damping, pointer + "/damping");
    if (source.type == ObstacleDescription::Type::plane) {
        obstacle.normal = check.direction(source.normal, pointer + "/normal");
        check.require(source.radius == 0, pointer + "/radius", "is for spheres; a plane has none");
    } else {
        obstacle.radius = source.radius;
        check.positive(source.radius, pointer + "/radius");
    }
    return obstacle;
}

// The shapes have been checked with the bodies' mass properties.
void addContactPoints(const BodyDescription& source, int index, Model& model)
{
    const Body& body = model.bodies[index];
    for (const ShapeDescription& part : source.shapes) {
        const Pose pose{part.pose.position, part.pose.orientation.normalized()};
        for (const Ball& ball : contactBalls(checkedShape(part.shape).value()))
            model.contactPoints.push_back({index, pose * ball.center - body.center, ball.radius, 0, 0});
    }
}

void compileObstacles(const Description& description, Model& model, Checker& check)
{
    if (description.obstacles.empty() || description.contact) return;  // those of contact are colliders
    std::unordered_set<std::string> names;
    for (std::size_t i = 0; i < description.obstacles.size() && !check.failed(); ++i) {
        const ObstacleDescription& source = description.obstacles[i];
        const std::string pointer = at("obstacles", i);
        check.require(source.name.empty() || names.insert(source.name).second, pointer + "/name",
                      "there is an obstacle " + quoted(source.name) + " already; names must differ");
        model.obstacles.push_back(compileObstacle(source, pointer, check));
    }
    if (check.failed()) return;
    for (std::size_t i = 0; i < description.bodies.size(); ++i)
        addContactPoints(description.bodies[i], model.bodyOrder[i], model);
    setContactSprings(model, model.contactPoints);
}

// ---- targets ------------------------------------------------------------------------------------

void compileTargets(const Description& description, const Names& names, Model& model, Checker& check)
{
    for (std::size_t i = 0; i < description.targets.size() && !check.failed(); ++i) {
        const TargetDescription& source = description.targets[i];
        const std::string pointer = at("targets", i);
        const int body = bodyIndex(names, source.body, pointer + "/body", check);
        check.require(check.failed() || body != world, pointer + "/body", "the world cannot be drawn");
        if (source.point) check.finite(*source.point, pointer + "/point");
        check.notNegative(source.stiffness, pointer + "/stiffness");
        check.notNegative(source.damping, pointer + "/damping");
        check.notNegative(source.turnStiffness, pointer + "/turn_stiffness");
        check.notNegative(source.turnDamping, pointer + "/turn_damping");
        check.require(source.stiffness > 0 || source.damping > 0 || source.turnStiffness > 0 ||
                          source.turnDamping > 0,
                      pointer,
                      "has no spring and no damper; give stiffness, damping, turn_stiffness or "
                      "turn_damping");
        if (check.failed()) return;
        Target target;
        target.body = model.bodyOrder[body];
        target.stiffness = source.stiffness;
        target.damping = source.damping;
        target.turnStiffness = source.turnStiffness;
        target.turnDamping = source.turnDamping;
        const Pose& rest = model.bodies[target.body].rest;
        if (source.point) target.point = rest.inverse() * *source.point;
        const Pose start{source.point.value_or(rest.position), rest.orientation};
        target.path = compilePath(source.path, source.smooth, pointer + "/path", start, check);
        if (source.limit) check.positive(*source.limit, pointer + "/limit");
        target.limit = source.limit.value_or(std::numeric_limits<double>::infinity());
        if (source.weight) checkSignal(*source.weight, pointer + "/weight", check);
        target.weight = source.weight;
        model.targets.push_back(std::move(target));
    }
}

// ---- switches -----------------------------------------------------------------------------------

bool hasTorques(const Joint& joint)
{
    return joint.declared && joint.isArticulated();
}

// What joints are like from the times on at which switches set their numbers.
void compileSettings(const Description& description, const std::unordered_map<std::string, int>& links,
                     Model& model, Checker& check)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < description.switches.size(); ++i)
        if (description.switches[i].settings.isAny()) order.push_back(i);
    // Of two at the same time the later one in the file has the last word.
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return description.switches[a].time < description.switches[b].time;
    });
    std::unordered_map<std::string, JointDescription> now;
    for (const JointDescription& joint : description.joints)
        if (!order.empty()) now.emplace(joint.name, joint);
    for (std::size_t k = 0; k < order.size() && !check.failed(); ++k) {
        const SwitchDescription& source = description.switches[order[k]];
        const JointSettings& set = source.settings;
        const std::string pointer = at("switches", order[k]);
        JointDescription& described = now.at(source.joint);
        set.applyTo(described);
        check.require(!set.limits || !*set.limits, pointer + "/limits",
                      "is true; give lower, upper or swing_limit instead");
        const int link = links.at(source.joint);
        const Joint& joint = model.joints[link];
        model.settings.push_back(
            {source.time, link, set.setsSpring(), set.damping.has_value(), set.setsLimits(),
             !set.motor.empty(),
             compileJoint(described, pointer, model, joint.parent, link, joint.childIsFirst, check)});
    }
}

void compileSwitches(const Description& description, Model& model, Checker& check)
{
    std::unordered_map<std::string, int> joints;
    for (std::size_t j = 0; j < description.joints.size() && !description.switches.empty(); ++j)
        joints.emplace(description.joints[j].name, model.linkOfJoint[j]);
    const auto add = [&](const SwitchDescription& source, int joint) {
        if (source.active) model.switches.push_back({source.time, joint, *source.active});
    };
    for (std::size_t i = 0; i < description.switches.size() && !check.failed(); ++i) {
        const SwitchDescription& source = description.switches[i];
        const std::string pointer = at("switches", i);
        check.notNegative(source.time, pointer + "/time");
        check.require(!source.joint.empty() || !source.settings.isAny(), pointer,
                      "names no joint; only active is for every joint");
        if (source.joint.empty()) {
            for (int joint : model.jointOrder)
                if (hasTorques(model.joints[joint])) add(source, joint);
            continue;
        }
        const auto found = joints.find(source.joint);
        check.require(found != joints.end(), pointer + "/joint",
                      "there is no joint " + quoted(source.joint));
        check.require(check.failed() || found->second >= 0, pointer + "/joint",
                      quoted(source.joint) + " closes a loop; it has no torques to switch");
        if (check.failed()) return;
        check.require(hasTorques(model.joints[found->second]), pointer + "/joint",
                      quoted(source.joint) + " is a " + jointTypeName(model.joints[found->second].type) +
                          " joint, which has no torques to switch");
        add(source, found->second);
    }
    if (!check.failed()) compileSettings(description, joints, model, check);
    // Of two at the same time the later one in the file has the last word.
    std::stable_sort(model.switches.begin(), model.switches.end(),
                     [](const JointSwitch& a, const JointSwitch& b) {
                         return std::tie(a.joint, a.time) < std::tie(b.joint, b.time);
                     });
    for (int i = static_cast<int>(model.switches.size()) - 1; i >= 0; --i)
        model.joints[model.switches[i].joint].firstSwitch = i;
}

}  // namespace

Path compilePath(const std::vector<TargetDescription::Key>& keys, bool smooth, const std::string& pointer,
                 const Pose& rest, Checker& check)
{
    Path path;
    path.smooth = smooth;
    check.require(!keys.empty(), pointer, "is empty; give at least one key");
    for (std::size_t i = 0; i < keys.size() && !check.failed(); ++i) {
        const TargetDescription::Key& key = keys[i];
        const std::string here = pointer + "/" + std::to_string(i);
        check.finite(key.time, here + "/time");
        if (i > 0) checkRise(keys[i - 1].time, key.time, here + "/time", check);
        if (key.position) check.finite(*key.position, here + "/position");
        path.keys.push_back(
            {key.time, key.position.value_or(rest.position),
             key.orientation ? check.unit(*key.orientation, here + "/orientation") : rest.orientation});
    }
    return path;
}

void compileSurroundings(const Description& description, const Names& names, Model& model, Checker& check)
{
    compileLoads(description, names, model, check);
    compileObstacles(description, model, check);
    compileTargets(description, names, model, check);
    compileSwitches(description, model, check);
}

}  // namespace sinew::compiling
