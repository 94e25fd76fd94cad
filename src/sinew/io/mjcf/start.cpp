// Where a model starts: as its bodies stand, or as a <key> of its <keyframe> has it.
//
//     qpos   of a free body its place and quaternion, of a ball joint a quaternion, of others the
//     coordinate qvel   of a free body the velocity of its origin in world axes and the angular one in its
//     own; of the others
//            along their freedoms
//     ctrl   torques of motors, targets of controllers
#include <algorithm>
#include <charconv>
#include <map>

#include "sinew/base/text.h"
#include "sinew/io/mjcf/converter.h"
#include "sinew/math/rotation.h"
#include "sinew/model/springs.h"

namespace sinew::mjcf {
namespace {

const Quat yUp = expRotation(Vec3(-pi / 2, 0, 0));

std::size_t placesOf(JointType type)
{
    return type == JointType::free ? 7 : type == JointType::spherical ? 4 : 1;
}
std::size_t freedomsOf(JointType type)
{
    return type == JointType::free ? 6 : type == JointType::spherical ? 3 : 1;
}

Vec3 vectorAt(const std::vector<double>& numbers, std::size_t i)
{
    return {numbers[i], numbers[i + 1], numbers[i + 2]};
}

class Start {
public:
    Start(Context& context, const Element& key) : context_(context), key_(key) {}

    void set()
    {
        std::size_t places = 0, freedoms = 0;
        for (const Context::Coordinate& coordinate : context_.coordinates) {
            places += placesOf(coordinate.type);
            freedoms += freedomsOf(coordinate.type);
        }
        const std::vector<double> q = numbers("qpos", places), u = numbers("qvel", freedoms);
        const std::vector<double> controls = numbers("ctrl", context_.controls.size());
        std::size_t atQ = 0, atU = 0;
        for (const Context::Coordinate& coordinate : context_.coordinates) {
            if (context_.reader.failed()) return;
            if (!q.empty()) setPlace(coordinate, q, atQ);
            if (!u.empty()) setVelocity(coordinate, u, atU);
            atQ += placesOf(coordinate.type);
            atU += freedomsOf(coordinate.type);
        }
        for (std::size_t i = 0; i < controls.size(); ++i) setControl(context_.controls[i], controls[i]);
    }

private:
    std::vector<double> numbers(const char* name, std::size_t count)
    {
        return context_.reader.numbers(key_, name, count, count);
    }

    Quat quaternion(const std::vector<double>& q, std::size_t at)
    {
        const Quat turn(q[at], q[at + 1], q[at + 2], q[at + 3]);
        if (!(turn.norm() > 1e-10)) {
            context_.reader.fail(key_, "qpos", "has a quaternion of zero");
            return Quat::Identity();
        }
        return turn.normalized();
    }

    void setPlace(const Context::Coordinate& coordinate, const std::vector<double>& q, std::size_t at)
    {
        if (coordinate.type == JointType::free)
            return moveFigure(coordinate.body, {yUp * vectorAt(q, at), yUp * quaternion(q, at + 3)});
        JointDescription& joint = context_.out.scene.joints[coordinate.joint];
        if (coordinate.type == JointType::spherical) {
            const Vec3 turn = logRotation(quaternion(q, at));
            joint.coordinate = {turn.x(), turn.y(), turn.z()};
        } else {
            joint.coordinate = {q[at] - coordinate.reference};
        }
    }

    // A figure starts elsewhere by standing there at rest: all of it is moved.
    void moveFigure(const std::string& root, const Pose& place)
    {
        Description& scene = context_.out.scene;
        std::set<std::string> bodies{root};
        for (const JointDescription& joint : scene.joints)
            if (bodies.contains(joint.first)) bodies.insert(joint.second);
        const Pose move = place * context_.poses.at(root).inverse();
        for (BodyDescription& body : scene.bodies) {
            if (!bodies.contains(body.name)) continue;
            body.pose = move * body.pose;
            body.pose.orientation.normalize();
        }
        for (JointDescription& joint : scene.joints) {
            if (!bodies.contains(joint.second) || joint.first == "world") continue;
            joint.position = move * joint.position;
            if (joint.axis) joint.axis = move.orientation * *joint.axis;
        }
        for (SpringDescription& spring : scene.springs)
            for (SpringEndDescription* end : {&spring.first, &spring.second})
                if (auto* at = std::get_if<SpringPoint>(&end->form);
                    at && at->point && bodies.contains(end->body))
                    at->point = move * *at->point;
    }

    void setVelocity(const Context::Coordinate& coordinate, const std::vector<double>& u, std::size_t at)
    {
        Description& scene = context_.out.scene;
        if (coordinate.type != JointType::free) {
            JointDescription& joint = scene.joints[coordinate.joint];
            joint.velocity.assign(
                u.begin() + static_cast<std::ptrdiff_t>(at),
                u.begin() + static_cast<std::ptrdiff_t>(at + freedomsOf(coordinate.type)));
            if (std::all_of(joint.velocity.begin(), joint.velocity.end(), [](double x) { return x == 0; }))
                joint.velocity.clear();
            return;
        }
        for (BodyDescription& body : scene.bodies) {
            if (body.name != coordinate.body) continue;
            const Vec3 spin = body.pose.orientation * vectorAt(u, at + 3);
            const Vec3 center = body.pose.orientation * body.center.value_or(Vec3::Zero());
            body.velocity = yUp * vectorAt(u, at) + spin.cross(center);
            body.angularVelocity = spin;
        }
    }

    void setControl(const Context::Control& control, double value)
    {
        using Sets = Context::Control::Sets;
        const double result = value * control.gain + control.constant;
        if (control.sets == Sets::torque)
            context_.out.scene.motors[control.index].torque = {Signal(result)};
        if (control.sets == Sets::target)
            context_.out.scene.controllers[control.index].target = {Signal(result)};
    }

    Context& context_;
    const Element& key_;
};

// By its name, else by its number.
const Element* findKey(const std::vector<const Element*>& keys, const std::string& wanted)
{
    for (const Element* key : keys)
        if (const xml::Attribute* name = key->find("name"); name && name->value == wanted) return key;
    std::size_t number = 0;
    const auto [end, fault] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    const bool isNumber = fault == std::errc() && end == wanted.data() + wanted.size();
    return isNumber && number < keys.size() ? keys[number] : nullptr;
}

// A joint that may not stand at zero starts at the nearest place where it may; not in loops, which would
// come apart.
void startWithinLimits(Context& context, const Element& root)
{
    if (root.child("equality")) return;
    for (JointDescription& joint : context.out.scene.joints) {
        if (joint.lower.size() != 1 || joint.upper.size() != 1) continue;
        if (joint.lower[0] <= 0 && joint.upper[0] >= 0) continue;
        joint.coordinate = {joint.lower[0] > 0 ? joint.lower[0] : joint.upper[0]};
        context.notes.add(root,
                          "has joints that start at the limit nearest to their rest pose, outside of it");
    }
}

}  // namespace

void setStart(Context& context, const Element& root, const std::string& keyframe)
{
    std::vector<const Element*> keys;
    for (const Element& section : root.children)
        for (const Element& key : section.children)
            if (section.name == "keyframe") keys.push_back(&key);
    if (keyframe.empty()) {
        for (const Element* key : keys) context.notes.add(*key, "is a keyframe to start from, with --key");
        return startWithinLimits(context, root);
    }
    const Element* key = findKey(keys, keyframe);
    if (key) return Start(context, *key).set();
    std::vector<std::string> names;
    for (const Element* each : keys)
        if (const xml::Attribute* name = each->find("name")) names.push_back(name->value);
    std::string known = keys.empty() ? "it has none" : std::to_string(keys.size()) + " are there";
    if (!names.empty()) known += ": " + listedNames(names, 8);
    context.reader.fail(root, "has no keyframe " + quotedName(keyframe) + "; " + known);
}

}  // namespace sinew::mjcf
