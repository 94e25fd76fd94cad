// Description → Model: figures that balance themselves (model/balance.h).
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "sinew/geometry/support.h"
#include "sinew/model/balance.h"
#include "sinew/model/compile/check_signal.h"
#include "sinew/model/compile/parts.h"
#include "sinew/model/joint_curve.h"

namespace sinew::compiling {
namespace {

class Balances {
public:
    Balances(const Names& names, Model& model, Checker& check) : names_(names), model_(model), check_(check)
    {
    }

    void compile(const BalanceDescription& source, const std::string& pointer)
    {
        pointer_ = pointer;
        balance_ = {};
        compileBody(source);
        for (std::size_t i = 0; i < source.feet.size() && !check_.failed(); ++i)
            compileLeg(source.feet[i], pointer + at("feet", i));
        if (check_.failed()) return;
        compileNumbers(source);
        for (std::size_t i = 0; i < source.joints.size() && !check_.failed(); ++i)
            compileStrength(source.joints[i], pointer + "/joints" + token(source.joints[i].joint));
        if (source.gait && !check_.failed()) compileGait(*source.gait);
        if (check_.failed()) return;
        measureRest();
        balance_.memory = static_cast<int>(model_.memory.size());
        model_.memory.resize(model_.memory.size() + Balance::memorySize, 0);
        model_.balances.push_back(std::move(balance_));
    }

private:
    int body(const std::string& name, const std::string& pointer)
    {
        const int index = bodyIndex(names_, name, pointer, check_);
        check_.require(check_.failed() || index != world, pointer, "the world does not move; name a body");
        return check_.failed() ? -1 : model_.bodyOrder[static_cast<std::size_t>(index)];
    }

    void compileBody(const BalanceDescription& source)
    {
        check_.require(model_.contact.has_value(), pointer_,
                       "needs the ground under its feet; give the scene contact");
        balance_.gravity = model_.gravity.norm();
        check_.require(balance_.gravity > 0, pointer_, "needs gravity: without it nothing falls");
        balance_.body = body(source.body, pointer_ + "/body");
        if (check_.failed()) return;
        const int root = model_.skeletons[static_cast<std::size_t>(model_.skeletonOf[balance_.body])].first;
        check_.require(root == balance_.body && model_.joints[root].isFree(), pointer_ + "/body",
                       quoted(source.body) + " is not the root of a skeleton that floats");
        check_.require(!source.feet.empty(), pointer_ + "/feet", "is empty; name one foot or two");
        check_.require(source.feet.size() <= 2, pointer_ + "/feet", "has more than two feet");
        balance_.skeleton = model_.skeletonOf[balance_.body];
        balance_.up = -model_.gravity / balance_.gravity;
        const Vec3 ahead = check_.direction(source.forward, pointer_ + "/forward");
        balance_.forward = ahead - ahead.dot(balance_.up) * balance_.up;
        check_.require(balance_.forward.norm() > 0.1, pointer_ + "/forward", "is along gravity");
        balance_.forward.normalize();
        balance_.orientation = model_.bodies[balance_.body].rest.orientation;
    }

    // The way from the body to the foot, and the sole: what its shapes and those beyond it cover at rest.
    void compileLeg(const std::string& name, const std::string& pointer)
    {
        BalanceLeg leg;
        leg.foot = body(name, pointer);
        if (check_.failed()) return;
        for (const BalanceLeg& other : balance_.legs)
            check_.require(other.foot != leg.foot, pointer, quoted(name) + " is named twice");
        for (int i = leg.foot; i >= 0 && i != balance_.body; i = model_.joints[i].parent) {
            leg.joints.insert(leg.joints.begin(), i);
            leg.hip = i;
        }
        check_.require(!leg.joints.empty() && model_.joints[leg.hip].parent == balance_.body, pointer,
                       quoted(name) + " does not hang from " + quoted(model_.bodies[balance_.body].name));
        if (check_.failed()) return;
        for (int i = leg.foot; i < model_.size(); ++i) {
            int above = i;
            while (above > leg.foot) above = model_.joints[above].parent;
            if (above == leg.foot) leg.bodies.push_back(i);
        }
        measureSole(leg, name, pointer);
        balance_.legs.push_back(std::move(leg));
    }

    void measureSole(BalanceLeg& leg, const std::string& name, const std::string& pointer)
    {
        const Vec3 axes[3] = {balance_.forward, balance_.up.cross(balance_.forward), balance_.up};
        Vec3 low = Vec3::Constant(HUGE_VAL), high = Vec3::Constant(-HUGE_VAL);
        for (const Collider& collider : model_.colliders) {
            if (std::find(leg.bodies.begin(), leg.bodies.end(), collider.body) == leg.bodies.end())
                continue;
            const Shape* shape = std::get_if<Shape>(&collider.form);
            if (collider.body < 0 || !shape) continue;
            const Pose pose = model_.bodies[collider.body].rest * collider.pose;
            for (int k = 0; k < 3; ++k)
                for (const double side : {-1., 1.}) {
                    const Vec3 direction = pose.orientation.conjugate() * Vec3(side * axes[k]);
                    // What is round rests on its core's shadow.
                    const double reach = axes[k].dot(pose * coreSupport(*shape, direction)) +
                                         (k == 2 ? side * coreMargin(*shape) : 0);
                    low[k] = std::min(low[k], reach);
                    high[k] = std::max(high[k], reach);
                }
        }
        check_.require(low[0] <= high[0], pointer, quoted(name) + " has no shape to stand on");
        if (check_.failed()) return;
        const Pose back = model_.bodies[leg.foot].rest.inverse();
        Vec3 middle = low[2] * axes[2];
        for (int k = 0; k < 2; ++k) middle += 0.5 * (low[k] + high[k]) * axes[k];
        leg.sole = back * middle;
        leg.forward = back.orientation * axes[0];
        leg.sideways = back.orientation * axes[1];
        leg.halfLength = 0.5 * (high[0] - low[0]);
        leg.halfWidth = 0.5 * (high[1] - low[1]);
        leg.ankle = model_.joints[leg.foot].anchorChild;
        const Vec3 hip = model_.bodies[leg.hip].rest * model_.joints[leg.hip].anchorChild;
        for (std::size_t k = 0; k + 1 < leg.joints.size(); ++k) {
            const Vec3 here = model_.joints[leg.joints[k]].anchorChild;
            leg.straight += (model_.joints[leg.joints[k + 1]].anchorParent - here).norm();
        }
        leg.length = (hip - middle).dot(balance_.up);
        check_.require(leg.length > 0, pointer, quoted(name) + " is not below where its leg begins");
    }

    void compileNumbers(const BalanceDescription& source)
    {
        check_.notNegative(source.stiffness, pointer_ + "/stiffness");
        check_.notNegative(source.damping, pointer_ + "/damping");
        check_.require(source.sole > 0 && source.sole <= 1, pointer_ + "/sole",
                       "is " + number(source.sole) + "; it must be above 0 and at most 1");
        balance_.stiffness = source.stiffness;
        balance_.damping = source.damping;
        balance_.sole = source.sole;
        if (source.weight) checkSignal(*source.weight, pointer_ + "/weight", check_);
        balance_.weight = source.weight;
        balance_.step = source.step;
        if (!source.step) return;
        const std::string here = pointer_ + "/step";
        check_.require(balance_.legs.size() == 2, here, "needs two feet");
        check_.positive(source.step->time, here + "/time");
        for (const auto& [value, key] :
             {std::pair(source.step->lift, "/lift"), std::pair(source.step->reach, "/reach"),
              std::pair(source.step->width, "/width"), std::pair(source.step->further, "/further")})
            check_.notNegative(value, here + key);
    }

    void compileStrength(const BalanceDescription::Strength& source, const std::string& pointer)
    {
        const int link = findJointOf(source.joint, pointer);
        if (check_.failed()) return;
        const Joint& joint = model_.joints[link];
        check_.require(joint.isArticulated() && joint.slides() == 0 && joint.freedoms() <= 3, pointer,
                       "is a " + std::string(joint.info().name) + " joint, which has no torque to give");
        check_.require(joint.prescribed < 0, pointer, "is prescribed: no torque moves it");
        check_.notNegative(source.stiffness, pointer + "/stiffness");
        check_.notNegative(source.damping, pointer + "/damping");
        const std::optional<TorqueBounds> bounds = compileBounds(source, joint.freedoms(), pointer, check_);
        for (const Balance::Strength& other : balance_.joints)
            check_.require(other.joint != link, pointer, "is named twice");
        if (check_.failed()) return;
        JointDrives& drives = drivesOf(link);
        check_.require(drives.servos.empty(), pointer, "is named by another balance already");
        Servo& servo = drives.servos.emplace_back();
        servo.stiffness = source.stiffness;
        servo.damping = source.damping;
        if (source.limit) servo.limit = *source.limit;
        servo.bounds = bounds;
        servo.slot = static_cast<int>(model_.memory.size());
        balance_.joints.push_back({link, servo.slot});
        const JointMotion rest = jointMotionAt(joint, {}, 0);
        model_.memory.insert(model_.memory.end(), rest.q, rest.q + joint.coordinates());
        model_.memory.resize(model_.memory.size() + 2 * static_cast<std::size_t>(joint.freedoms()), 0);
        model_.memory.push_back(1);
        model_.memory.push_back(1);
    }
    JointDrives& drivesOf(int link)
    {
        int& index = model_.joints[link].drives;
        if (index < 0) {
            index = static_cast<int>(model_.drives.size());
            model_.drives.emplace_back();
        }
        return model_.drives[static_cast<std::size_t>(index)];
    }
    int findJointOf(const std::string& name, const std::string& pointer)
    {
        const int link = model_.findJoint(name);
        check_.require(link >= 0, pointer, "there is no joint " + quoted(name));
        if (check_.failed()) return -1;
        check_.require(model_.skeletonOf[link] == balance_.skeleton, pointer,
                       "is a joint of another skeleton than " + quoted(model_.bodies[balance_.body].name));
        return link;
    }

    // ---- the state machine ------------------------------------------------------------------------------

    void compileGait(const BalanceDescription::Gait& gait)
    {
        const std::string here = pointer_ + "/gait";
        check_.require(balance_.legs.size() == 2, here, "needs two feet");
        check_.require(!gait.states.empty(), here + "/states", "is empty; a gait needs at least one state");
        std::unordered_map<std::string, int> known;
        for (std::size_t i = 0; i < gait.states.size(); ++i) {
            const std::string& name = gait.states[i].name;
            check_.require(known.emplace(name, static_cast<int>(i)).second,
                           here + at("states", i) + "/name",
                           "there is a state " + quoted(name) + " already; names must differ");
        }
        const auto find = [&](const std::string& name, const std::string& pointer) {
            const auto found = known.find(name);
            check_.require(found != known.end(), pointer, "there is no state " + quoted(name));
            return found == known.end() ? 0 : found->second;
        };
        for (std::size_t i = 0; i < gait.states.size() && !check_.failed(); ++i) {
            const BalanceDescription::State& source = gait.states[i];
            const std::string at = here + compiling::at("states", i);
            Balance::State state;
            state.stance = legOf(source.stance, at + "/stance");
            check_.require(source.time || source.touch, at,
                           "state " + quoted(source.name) + " has no way on; give it a time or a touch");
            check_.require(!source.time || !source.touch, at + "/touch", "cannot stand beside time");
            if (source.time) {
                check_.positive(*source.time, at + "/time");
                state.time = *source.time;
            }
            state.touch = source.touch;
            state.next = find(source.next, at + "/next");
            check_.finite(source.lean, at + "/lean");
            state.lean = source.lean;
            for (std::size_t k = 0; k < 2; ++k) {
                check_.finite(source.distance[k], at + "/distance");
                check_.finite(source.speed[k], at + "/speed");
            }
            state.distance = source.distance;
            state.speed = source.speed;
            compilePose(source.pose, at + "/pose", state);
            balance_.states.push_back(std::move(state));
        }
        balance_.start = gait.start.empty() ? 0 : find(gait.start, here + "/start");
        check_.notNegative(gait.from, here + "/from");
        balance_.from = gait.from;
        if (gait.until) {
            check_.finite(*gait.until, here + "/until");
            check_.require(*gait.until > gait.from, here + "/until", "must be after from");
            balance_.until = *gait.until;
        }
        if (gait.heading) checkSignal(*gait.heading, here + "/heading", check_);
        balance_.turn = gait.heading;
    }
    int legOf(const std::string& name, const std::string& pointer)
    {
        for (std::size_t i = 0; i < balance_.legs.size(); ++i)
            if (model_.bodies[balance_.legs[i].foot].name == name) return static_cast<int>(i);
        check_.fail(pointer, quoted(name) + " is none of the feet");
        return 0;
    }
    void compilePose(const std::vector<BalanceDescription::Pose>& pose, const std::string& pointer,
                     Balance::State& state)
    {
        for (const Balance::Strength& strength : balance_.joints) {
            const Joint& joint = model_.joints[strength.joint];
            const JointMotion rest = jointMotionAt(joint, {}, 0);
            state.pose.emplace_back(rest.q, rest.q + joint.coordinates());
        }
        for (const BalanceDescription::Pose& one : pose) {
            const std::string at = pointer + token(one.joint);
            const int link = findJointOf(one.joint, at);
            if (check_.failed()) return;
            const auto found =
                std::find_if(balance_.joints.begin(), balance_.joints.end(),
                             [&](const Balance::Strength& strength) { return strength.joint == link; });
            check_.require(found != balance_.joints.end(), at, "has no strength in joints");
            if (check_.failed()) return;
            const Joint& joint = model_.joints[link];
            check_.require(static_cast<int>(one.coordinate.size()) == joint.freedoms(), at,
                           "needs " + std::to_string(joint.freedoms()) + " numbers, one for each freedom");
            if (check_.failed()) return;
            std::vector<Signal> signals;
            for (double x : one.coordinate) {
                check_.finite(x, at);
                signals.emplace_back(x);
            }
            const JointMotion motion = jointMotionAt(joint, signals, 0);
            state.pose[static_cast<std::size_t>(found - balance_.joints.begin())].assign(
                motion.q, motion.q + joint.coordinates());
        }
    }

    // Where the centre of mass and the body are over the feet.
    void measureRest()
    {
        Vec3 center = Vec3::Zero(), soles = Vec3::Zero();
        for (int i = 0; i < model_.size(); ++i) {
            if (model_.skeletonOf[i] != balance_.skeleton) continue;
            balance_.mass += model_.bodies[i].mass;
            center += model_.bodies[i].mass * model_.bodies[i].rest.position;
        }
        center /= balance_.mass;
        for (const BalanceLeg& leg : balance_.legs) soles += model_.bodies[leg.foot].rest * leg.sole;
        soles /= static_cast<double>(balance_.legs.size());
        const auto inAxes = [&](const Vec3& v) {
            return Vec3(v.dot(balance_.forward), v.dot(balance_.up.cross(balance_.forward)),
                        v.dot(balance_.up));
        };
        balance_.center = inAxes(center - soles);
        balance_.place = inAxes(model_.bodies[balance_.body].rest.position - soles);
    }

    const Names& names_;
    Model& model_;
    Checker& check_;
    std::string pointer_;
    Balance balance_;
};

}  // namespace

std::optional<TorqueBounds> compileBounds(const StrengthDescription& source, int freedoms,
                                          const std::string& pointer, Checker& check)
{
    if (source.limit) check.positive(*source.limit, pointer + "/limit");
    if (source.limits.empty()) return {};
    check.require(!source.limit, pointer + "/limits", "cannot stand beside limit; give one of them");
    check.require(static_cast<int>(source.limits.size()) == freedoms, pointer + "/limits",
                  "needs " + std::to_string(freedoms) + " pairs, one for each freedom");
    if (check.failed()) return {};
    TorqueBounds bounds;
    for (int i = 0; i < freedoms; ++i) {
        const std::string here = pointer + at("limits", static_cast<std::size_t>(i));
        const auto& [against, along] = source.limits[static_cast<std::size_t>(i)];
        check.positive(against, here + "/0");
        check.positive(along, here + "/1");
        bounds.against[i] = against;
        bounds.along[i] = along;
    }
    return bounds;
}

void compileBalances(const Description& description, const Names& names, Model& model, Checker& check)
{
    Balances balances(names, model, check);
    for (std::size_t i = 0; i < description.balances.size() && !check.failed(); ++i)
        balances.compile(description.balances[i], at("balance", i));
}

}  // namespace sinew::compiling
