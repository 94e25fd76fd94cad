// Scenes in another order, and with joints the other way round.
#include <algorithm>
#include <cmath>

#include "invariance/transform.h"
#include "sinew/base/random.h"
#include "sinew/math/rotation.h"
#include "sinew/model/action.h"
#include "sinew/model/balance.h"
#include "sinew/model/model.h"

namespace sinew::invariance {
namespace {

template <class T>
void shuffle(std::vector<T>& items, Random& random)
{
    for (std::size_t i = items.size(); i > 1; --i)
        std::swap(items[i - 1], items[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
}

bool contains(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Skeletons of several bodies that float and whose root the scene's order decides, or `roots`.
std::vector<Skeleton> choosing(const Description& scene, const Model& model)
{
    std::vector<std::string> decided;
    for (const PrescribedDescription& prescribed : scene.prescribed) decided.push_back(prescribed.body);
    for (const BalanceDescription& balance : scene.balances) decided.push_back(balance.body);
    std::vector<Skeleton> out;
    for (const Skeleton& skeleton : model.skeletons) {
        const Joint& root = model.joints[skeleton.first];
        if (skeleton.count > 1 && root.type == JointType::free && !root.declared &&
            !contains(decided, model.bodies[skeleton.first].name))
            out.push_back(skeleton);
    }
    return out;
}

bool isMoved(const Description& scene, const std::string& root)
{
    for (const MotionDescription& motion : scene.motions)
        for (const MotionDescription::RootPath& path : motion.roots)
            if (path.body == root) return true;
    return false;
}

// With R the rotation of the second body against the first at rest, Q = exp φ that since then, in the
// second's axes: seen from the other side, Q' = R Qᵀ Rᵀ = exp(−R φ), in the first's.
//     hinge, slide   q' = −q          universal   q' = (−q₁, −q₀), axes exchanged
//     ball           φ' = −R φ,  velocities −R Q ω,  torques likewise, with Q as it is at the moment
class Swap {
public:
    Swap(const Description& scene, const std::vector<char>& which)
        : old_(scene), scene_(scene), which_(which)
    {
    }

    Result<Description> run()
    {
        for (std::size_t j = 0; j < scene_.joints.size(); ++j)
            if (which_[j]) swapJoint(old_.joints[j], scene_.joints[j]);
        for (CouplingDescription& coupling : scene_.couplings) {
            const double follower = sign(coupling.follower), leader = sign(coupling.leader);
            coupling.ratio *= follower * leader;
            coupling.offset *= follower;
        }
        for (ForceDescription& force : scene_.forces) {
            swapCondition(force.when);
            swapCondition(force.during);
        }
        for (MotorDescription& motor : scene_.motors) {
            swapCondition(motor.when);
            swapCondition(motor.during);
            const JointDescription* joint = swappedOne(motor.joint);
            if (joint && joint->type == JointType::spherical)
                refuse("a motor of ball joint '" + motor.joint + "' is in the axes of its second body");
            else if (joint)
                swapSignals(*joint, motor.torque);
        }
        for (TorqueDescription& torque : scene_.torques) swapTorque(torque);
        for (SwitchDescription& change : scene_.switches) swapSettings(change);
        for (ControllerDescription& controller : scene_.controllers)
            if (const JointDescription* joint = swappedOne(controller.joint))
                swapSignals(*joint, controller.target);
        for (BalanceDescription& balance : scene_.balances)
            if (balance.gait)
                for (GaitStateDescription& state : balance.gait->states)
                    for (JointPoseDescription& pose : state.pose)
                        if (const JointDescription* joint = swappedOne(pose.joint))
                            swapCoordinates(*joint, pose.coordinate);
        for (BalanceDescription& balance : scene_.balances) swapStrengths(balance.joints);
        for (ActionDescription& action : scene_.actions) swapStrengths(action.joints);
        for (ActionDescription& action : scene_.actions)
            for (ActionDescription::Key& key : action.keys)
                for (JointPoseDescription& pose : key.pose)
                    if (const JointDescription* joint = swappedOne(pose.joint))
                        swapCoordinates(*joint, pose.coordinate);
        for (MotionDescription& motion : scene_.motions)
            for (MotionDescription::JointCurve& curve : motion.joints)
                if (const JointDescription* joint = swappedOne(curve.joint))
                    swapSignals(*joint, curve.coordinate);
        for (PrescribedDescription& prescribed : scene_.prescribed)
            if (const JointDescription* joint = swappedOne(prescribed.joint))
                swapSignals(*joint, prescribed.motion);
        for (WishDescription& wish : scene_.wishes)
            for (WishDescription::JointPose& pose : wish.joints)
                if (const JointDescription* joint = swappedOne(pose.joint))
                    swapNumbers(*joint, pose.coordinate);
        if (scene_.plan)
            for (PlanDescription::Guess& guess : scene_.plan->guess)
                for (PlanDescription::Guess::Pose& pose : guess.joints)
                    if (const JointDescription* joint = swappedOne(pose.joint))
                        swapNumbers(*joint, pose.coordinate);
        scene_.origins.clear();
        if (fault_.empty()) return scene_;
        Diagnostic d;
        d.message = fault_;
        return d;
    }

private:
    void swapStrengths(std::vector<StrengthDescription>& strengths)
    {
        for (StrengthDescription& strength : strengths) {
            const JointDescription* joint = strength.limits.empty() ? nullptr : swappedOne(strength.joint);
            if (!joint) continue;
            if (joint->type == JointType::spherical)
                refuse("what ball joint '" + strength.joint + "' gives is in the axes of its second body");
            for (auto& pair : strength.limits) std::swap(pair[0], pair[1]);
        }
    }
    void refuse(const std::string& why)
    {
        if (fault_.empty()) fault_ = why;
    }
    // As it was before, or null if it stays.
    const JointDescription* swappedOne(const std::string& name) const
    {
        const int j = findJoint(old_, name);
        return j >= 0 && which_[static_cast<std::size_t>(j)] ? &old_.joints[static_cast<std::size_t>(j)]
                                                             : nullptr;
    }
    double sign(const std::string& name) const { return swappedOne(name) ? -1 : 1; }
    Mat3 restOf(const std::string& body) const
    {
        for (const BodyDescription& b : old_.bodies)
            if (b.name == body) return b.pose.orientation.normalized().toRotationMatrix();
        return Mat3::Identity();  // the world
    }
    Mat3 turn(const JointDescription& joint) const
    {
        return restOf(joint.first).transpose() * restOf(joint.second);
    }
    static Vec3 vectorOf(const std::vector<double>& numbers)
    {
        return numbers.size() == 3 ? Vec3(numbers[0], numbers[1], numbers[2]) : Vec3(Vec3::Zero());
    }

    void swapNumbers(const JointDescription& joint, std::vector<double>& numbers) const
    {
        if (joint.type == JointType::spherical && numbers.size() == 3) {
            numbers = times(Mat3(-turn(joint)), numbers);
            return;
        }
        std::reverse(numbers.begin(), numbers.end());  // one number, or a universal joint's two
        numbers = times(numbers, -1);
    }
    void swapSignals(const JointDescription& joint, std::vector<Signal>& signals) const
    {
        if (joint.type == JointType::spherical && signals.size() == 3) {
            signals = times(Mat3(-turn(joint)), signals);
            return;
        }
        std::reverse(signals.begin(), signals.end());
        for (Signal& signal : signals) signal = times(signal, -1);
    }
    void swapCoordinates(const JointDescription& joint, std::vector<double>& numbers) const
    {
        if (joint.type == JointType::spherical && numbers.size() == 3) {
            numbers = times(Mat3(-turn(joint)), numbers);
            return;
        }
        std::reverse(numbers.begin(), numbers.end());
        numbers = times(numbers, -1);
    }
    void swapJoint(const JointDescription& from, JointDescription& to)
    {
        std::swap(to.first, to.second);
        if (from.type == JointType::universal) std::swap(to.axis, to.axis2);
        for (auto* list : {&to.lower, &to.upper}) {
            std::reverse(list->begin(), list->end());
            *list = times(*list, -1);
        }
        std::swap(to.lower, to.upper);
        for (auto* list : {&to.rest, &to.coordinate}) swapNumbers(from, *list);
        if (from.type != JointType::spherical) {
            for (auto* list : {&to.velocity, &to.motor}) swapNumbers(from, *list);
            return;
        }
        if (!from.motor.empty() && vectorOf(from.motor) != Vec3::Zero())
            refuse("the motor of ball joint '" + from.name + "' is in the axes of its second body");
        if (!from.velocity.empty()) {
            const Mat3 Q = expRotation(vectorOf(from.coordinate)).toRotationMatrix();
            to.velocity = times(Mat3(-turn(from) * Q), from.velocity);
        }
        // The spring's twist is about the axis as it is in the second body where the spring is slack;
        // limits are about the axis at rest.
        if (from.swingCone) refuse("the cone of ball joint '" + from.name + "' is fixed in its first body");
        const Vec3 rest = vectorOf(from.rest);
        if (from.axis && rest != Vec3::Zero()) {
            if (!from.lower.empty() || !from.upper.empty() || from.swingLimit)
                refuse("ball joint '" + from.name + "' has limits and a spring about different axes");
            const Mat3 R = restOf(from.second);
            to.axis = Vec3(R * (expRotation(rest) * (R.transpose() * *from.axis)));
        }
    }
    void swapSettings(SwitchDescription& change)
    {
        JointSettings& set = change.settings;
        const JointDescription* joint = set.isAny() ? swappedOne(change.joint) : nullptr;
        if (!joint) return;
        for (auto* list : {&set.lower, &set.upper}) {
            std::reverse(list->begin(), list->end());
            *list = times(*list, -1);
        }
        std::swap(set.lower, set.upper);
        if (joint->type == JointType::spherical && !(set.motor.empty() && set.rest.empty()))
            refuse("a switch of ball joint '" + change.joint +
                   "' has vectors in the axes of its second body");
        for (auto* list : {&set.rest, &set.motor}) swapNumbers(*joint, *list);
    }
    void swapCondition(std::optional<ConditionDescription>& condition)
    {
        if (!condition || condition->quantity != ConditionDescription::Quantity::angle) return;
        const JointDescription* joint = swappedOne(condition->of);
        if (!joint) return;
        if (joint->type == JointType::universal) condition->freedom = 1 - condition->freedom;
        if (joint->type == JointType::spherical &&
            !turn(*joint).row(condition->freedom).isApprox(Mat3::Identity().row(condition->freedom), 1e-12))
            refuse("a trigger on one coordinate of the ball joint '" + condition->of +
                   "' would need the others too");
        for (auto* bound : {&condition->above, &condition->below})
            if (*bound) **bound = -**bound;
        std::swap(condition->above, condition->below);
    }
    void swapTorque(TorqueDescription& torque)
    {
        const JointDescription* joint = swappedOne(torque.joint);
        if (!joint) return;
        if (joint->type == JointType::universal) torque.freedom = 1 - torque.freedom;
        if (joint->type == JointType::spherical && !torque.center.empty())
            refuse("the torque function of ball joint '" + torque.joint +
                   "' has a centre, whose axis is the second body's");
        swapSignals(*joint, torque.center);
        if (torque.part == TorqueDescription::Part::swing) return;  // the same from both sides
        if (torque.free) torque.free = {-(*torque.free)[1], -(*torque.free)[0]};
        if (torque.slope) std::swap((*torque.slope)[0], (*torque.slope)[1]);
        if (torque.most) std::swap((*torque.most)[0], (*torque.most)[1]);
        std::reverse(torque.curve.begin(), torque.curve.end());
        for (TorqueDescription::Point& point : torque.curve) point = {-point.angle, -point.torque};
    }

    const Description& old_;
    Description scene_;
    const std::vector<char>& which_;
    std::string fault_;
};

}  // namespace

Result<Description> reordered(const Description& scene, std::uint64_t seed)
{
    const Result<Model> model = compile(scene);
    if (!model) return model.error();
    Random random(seed);
    Description out = scene;
    for (const Skeleton& skeleton : choosing(scene, model.value())) {
        const std::string& root = model.value().bodies[skeleton.first].name;
        if (!contains(out.roots, root)) out.roots.push_back(root);
    }
    shuffle(out.bodies, random);
    shuffle(out.joints, random);
    out.origins.clear();
    return out;
}

Result<Description> rerooted(const Description& scene, std::uint64_t seed)
{
    const Result<Model> model = compile(scene);
    if (!model) return model.error();
    Random random(seed);
    Description out = scene;
    for (const Skeleton& skeleton : choosing(scene, model.value())) {
        const auto name = [&](int k) { return model.value().bodies[skeleton.first + k].name; };
        if (isMoved(scene, name(0))) continue;  // its path is a root's
        std::erase(out.roots, name(0));
        out.roots.push_back(name(1 + random.below(skeleton.count - 1)));
        for (int k = 0; k < skeleton.count; ++k)
            for (BodyDescription& body : out.bodies)
                if (body.name == name(k)) body.velocity = body.angularVelocity = {};
    }
    out.origins.clear();
    return out;
}

Result<Description> swapped(const Description& scene, const std::vector<char>& which)
{
    return Swap(scene, which).run();
}

std::vector<std::pair<std::string, std::string>> oneWayJoints(const Description& scene)
{
    std::vector<std::pair<std::string, std::string>> out;
    for (std::size_t j = 0; j < scene.joints.size(); ++j) {
        std::vector<char> one(scene.joints.size(), 0);
        one[j] = 1;
        const Result<Description> tried = swapped(scene, one);
        if (!tried) out.emplace_back(scene.joints[j].name, tried.error().message);
    }
    return out;
}

}  // namespace sinew::invariance
