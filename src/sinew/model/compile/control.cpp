// What drives a figure in a description → Model: motors, torque functions, controllers, supports, and
// motions to follow.
#include <algorithm>
#include <limits>

#include "sinew/model/action.h"
#include "sinew/model/compile/check_signal.h"
#include "sinew/model/compile/parts.h"

namespace sinew::compiling {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Looks names up and hands out what is shared by the parts below.
class Control {
public:
    Control(const Description& description, const Names& names, Model& model, Checker& check)
        : description_(description), names_(names), model_(model), check_(check)
    {
        for (std::size_t j = 0; j < description.joints.size(); ++j)
            joints_.emplace(description.joints[j].name, model.linkOfJoint[j]);
    }

    void compile()
    {
        for (std::size_t i = 0; i < description_.forces.size() && !check_.failed(); ++i)
            compileForce(description_.forces[i], at("forces", i), model_.loads[i]);
        each("motors", description_.motors, &Control::compileMotor);
        each("torques", description_.torques, &Control::compileTorque);
        each("motions", description_.motions, &Control::compileMotion);
        each("controllers", description_.controllers, &Control::compileController);
        each("actions", description_.actions, &Control::compileAction);
        each("supports", description_.supports, &Control::compileSupport);
        each("tracks", description_.tracks, &Control::compileTrack);
        const double compensation = description_.gravityCompensation;
        check_.require(compensation >= 0 && compensation <= 1, "/gravity_compensation",
                       "is " + number(compensation) + "; it must be from 0 to 1");
        model_.gravityCompensation = compensation;
    }

private:
    template <class T>
    void each(const char* list, const std::vector<T>& items,
              void (Control::*one)(const T&, const std::string&))
    {
        for (std::size_t i = 0; i < items.size() && !check_.failed(); ++i)
            (this->*one)(items[i], at(list, i));
    }

    // Tree index, or −1 after a fault.
    int joint(const std::string& name, const std::string& pointer)
    {
        const auto found = joints_.find(name);
        check_.require(found != joints_.end(), pointer, "there is no joint " + quoted(name));
        check_.require(check_.failed() || found->second >= 0, pointer,
                       quoted(name) + " closes a loop; drive another joint of it");
        return check_.failed() ? -1 : found->second;
    }
    int body(const std::string& name, const std::string& pointer, const char* why)
    {
        const int index = bodyIndex(names_, name, pointer, check_);
        check_.require(check_.failed() || index != world, pointer, why);
        return check_.failed() ? -1 : model_.bodyOrder[index];
    }
    // A joint that has something to drive.
    int drivenJoint(const std::string& name, const std::string& pointer)
    {
        const int index = joint(name, pointer);
        if (check_.failed()) return -1;
        const JointTypeInfo& info = model_.joints[index].info();
        check_.require(info.isArticulated(), pointer,
                       quoted(name) + " is a " + info.name + " joint, which nothing can drive");
        return index;
    }
    JointDrives& drivesOf(int joint)
    {
        int& index = model_.joints[joint].drives;
        if (index < 0) {
            index = static_cast<int>(model_.drives.size());
            model_.drives.emplace_back();
        }
        return model_.drives[index];
    }
    void weight(const std::optional<Signal>& signal, const std::string& pointer)
    {
        if (signal) checkSignal(*signal, pointer + "/weight", check_);
    }

    // ---- conditions -------------------------------------------------------------------------------

    int touchTrigger(int of)
    {
        Trigger trigger;
        trigger.quantity = ConditionDescription::Quantity::touch;
        trigger.of = of;
        trigger.ofSupport = true;
        return remember(trigger);
    }
    int remember(Trigger trigger)
    {
        trigger.slot = static_cast<int>(model_.memory.size());
        if (trigger.when) model_.memory.push_back(Trigger::never);
        model_.memory.push_back(0);
        model_.triggers.push_back(trigger);
        return static_cast<int>(model_.triggers.size()) - 1;
    }
    // −1: none.
    int condition(const std::optional<ConditionDescription>& when,
                  const std::optional<ConditionDescription>& during, const std::string& pointer)
    {
        check_.require(!when || !during, pointer + "/while", "cannot stand beside when; give one of them");
        if (check_.failed() || (!when && !during)) return -1;
        const ConditionDescription& source = when ? *when : *during;
        const std::string here = pointer + (when ? "/when" : "/while");
        using Quantity = ConditionDescription::Quantity;
        const bool touch = source.quantity == Quantity::touch, angle = source.quantity == Quantity::angle;
        Trigger trigger;
        trigger.quantity = source.quantity;
        trigger.when = when.has_value();
        trigger.above = source.above.value_or(-infinity);
        trigger.below = source.below.value_or(infinity);
        check_.require(touch || source.above || source.below, here, "needs above or below");
        check_.require(!touch || (!source.above && !source.below), here,
                       "a touch is or is not; leave above and below out");
        check_.require(!touch || !model_.obstacles.empty() || model_.contact, here + "/touch",
                       "the scene has no obstacles to touch");
        if (source.above) check_.finite(*source.above, here + "/above");
        if (source.below) check_.finite(*source.below, here + "/below");
        check_.require(trigger.above < trigger.below, here,
                       "can never be true: above is not less than below");
        if (check_.failed()) return -1;
        if (angle) {
            trigger.of = drivenJoint(source.of, here + "/angle");
            if (check_.failed()) return -1;
            trigger.freedom = source.freedom;
            const int freedoms = model_.joints[trigger.of].freedoms();
            check_.require(source.freedom >= 0 && source.freedom < freedoms, here + "/freedom",
                           "is " + std::to_string(source.freedom) + "; " + quoted(source.of) +
                               " has the freedoms 0 to " + std::to_string(freedoms - 1));
        } else {
            const char* key[] = {"/angle", "/height", "/speed", "/touch"};
            trigger.of = body(source.of, here + key[static_cast<int>(source.quantity)],
                              "the world does not move; name a body");
        }
        return check_.failed() ? -1 : remember(trigger);
    }

    // ---- the parts --------------------------------------------------------------------------------

    void compileForce(const ForceDescription& source, const std::string& pointer, BodyLoad& load)
    {
        if (source.signal) checkSignal(*source.signal, pointer + "/signal", check_);
        load.signal = source.signal;
        load.trigger = condition(source.when, source.during, pointer);
    }

    void compileMotor(const MotorDescription& source, const std::string& pointer)
    {
        const int index = drivenJoint(source.joint, pointer + "/joint");
        if (check_.failed()) return;
        check_.require(!source.torque.empty(), pointer + "/torque", "is empty");
        checkSignals(source.torque, model_.joints[index].freedoms(), pointer + "/torque", check_);
        Motor motor{source.torque, condition(source.when, source.during, pointer)};
        if (check_.failed()) return;
        model_.joints[index].hasMotor = true;
        drivesOf(index).motors.push_back(std::move(motor));
    }

    void compileTorque(const TorqueDescription& source, const std::string& pointer)
    {
        using Part = TorqueDescription::Part;
        const int index = drivenJoint(source.joint, pointer + "/joint");
        if (check_.failed()) return;
        const Joint& joint = model_.joints[index];
        const bool ball = joint.isBall();
        check_.require(!ball || joint.hasTwist, pointer + "/joint",
                       quoted(source.joint) + " has no axis to tell swing and twist apart by; give it one");
        check_.require(ball == (source.part != Part::freedom), pointer + "/part",
                       ball ? "is missing; say swing, twist or cone of the ball joint"
                            : "is for ball joints; this one has freedoms");
        check_.require(
            source.freedom >= 0 && source.freedom < joint.freedoms(), pointer + "/freedom",
            "is " + std::to_string(source.freedom) + "; the joint has " + std::to_string(joint.freedoms()));
        check_.require(source.part != Part::cone || joint.cone, pointer + "/part",
                       quoted(source.joint) + " has no swing_cone");
        check_.require(source.part != Part::cone || source.center.empty(), pointer + "/center",
                       "is for functions of other angles; a cone has its own centre");
        checkSignals(source.center, joint.freedoms(), pointer + "/center", check_);
        check_.notNegative(source.freeDamping, pointer + "/free_damping");
        check_.require(source.curve.empty() != !source.free, pointer,
                       "needs either free, the zone of free play, or curve, the whole function");
        if (check_.failed()) return;
        TorqueFunction function;
        function.part = source.part;
        function.freedom = joint.described(source.freedom);
        function.center = source.center;
        function.freeDamping = source.freeDamping;
        function.curve = source.free ? freePlay(source, pointer, function) : givenCurve(source, pointer);
        if (!check_.failed()) drivesOf(index).functions.push_back(std::move(function));
    }

    TorqueCurve freePlay(const TorqueDescription& source, const std::string& pointer,
                         TorqueFunction& function)
    {
        const auto [lower, upper] = *source.free;
        const std::array<double, 2> slope = source.slope.value_or(std::array<double, 2>{0, 0});
        const std::array<double, 2> most = source.most.value_or(std::array<double, 2>{infinity, infinity});
        check_.finite(lower, pointer + "/free/0");
        check_.finite(upper, pointer + "/free/1");
        check_.require(lower <= upper, pointer + "/free", "must be two angles, the lower one first");
        check_.require(source.part != TorqueDescription::Part::swing || upper >= 0, pointer + "/free/1",
                       "is " + number(upper) + "; a swing is never negative");
        check_.require(source.slope.has_value(), pointer + "/slope",
                       "is missing; give the slopes below and above the zone");
        for (int side = 0; side < 2 && !check_.failed(); ++side) {
            const std::string end = "/" + std::to_string(side);
            check_.notNegative(slope[side], pointer + "/slope" + end);
            if (source.most) check_.positive(most[side], pointer + "/most" + end);
        }
        if (check_.failed()) return {};
        function.freeLower = lower;
        function.freeUpper = upper;
        return TorqueCurve::freePlay(lower, upper, slope[0], slope[1], most[0], most[1]);
    }

    TorqueCurve givenCurve(const TorqueDescription& source, const std::string& pointer)
    {
        check_.require(!source.slope && !source.most && source.freeDamping == 0, pointer,
                       "slope, most and free_damping go with free; a curve says it all by itself");
        std::vector<TorqueCurve::Point> points;
        for (std::size_t i = 0; i < source.curve.size() && !check_.failed(); ++i) {
            const auto [angle, torque] = source.curve[i];
            const std::string here = pointer + at("curve", i);
            check_.finite(angle, here + "/0");
            check_.finite(torque, here + "/1");
            check_.require(i == 0 || source.curve[i - 1].angle < angle, here,
                           "its angle, " + number(angle) +
                               ", is not above that of the point before it; "
                               "angles must rise");
            points.push_back({angle, torque});
        }
        return check_.failed() ? TorqueCurve{} : TorqueCurve(std::move(points), 0, 0);
    }

    void compileMotion(const MotionDescription& source, const std::string& pointer)
    {
        const bool isNew = motions_.emplace(source.name, static_cast<int>(model_.motions.size())).second;
        check_.require(isNew, pointer + "/name",
                       "there is a motion " + quoted(source.name) + " already; names must differ");
        KinematicMotion motion;
        motion.name = source.name;
        motion.joints.resize(model_.bodies.size());
        motion.roots.resize(model_.bodies.size());
        for (const MotionDescription::JointCurve& curve : source.joints) {
            const std::string here = pointer + "/joints" + token(curve.joint);
            const int index = drivenJoint(curve.joint, here);
            if (check_.failed()) return;
            checkSignals(curve.coordinate, model_.joints[index].freedoms(), here, check_);
            motion.joints[index] = curve.coordinate;
        }
        for (const MotionDescription::RootPath& root : source.roots) {
            const std::string here = pointer + "/roots" + token(root.body);
            const int index = body(root.body, here, "the world does not move; name a body");
            if (check_.failed()) return;
            const Joint& joint = model_.joints[index];
            check_.require(joint.isFree() && joint.parent < 0, here,
                           quoted(root.body) + " is not the root of a floating skeleton; move its joints");
            const Pose& rest = model_.bodies[index].rest;
            motion.roots[index] = compilePath(root.path, root.smooth, here + "/path", rest, check_);
        }
        model_.motions.push_back(std::move(motion));
    }

    int motion(const std::string& name, const std::string& pointer)
    {
        const auto found = motions_.find(name);
        check_.require(found != motions_.end(), pointer, "there is no motion " + quoted(name));
        return check_.failed() ? -1 : found->second;
    }

    void compileController(const ControllerDescription& source, const std::string& pointer)
    {
        const int index = drivenJoint(source.joint, pointer + "/joint");
        check_.notNegative(source.stiffness, pointer + "/stiffness");
        check_.notNegative(source.damping, pointer + "/damping");
        check_.require(source.stiffness > 0 || source.damping > 0, pointer,
                       "does nothing; give stiffness or damping");
        if (source.limit) check_.positive(*source.limit, pointer + "/limit");
        check_.require(!source.limit || check_.failed() || !model_.joints[index].info().isMixed(),
                       pointer + "/limit",
                       "cannot be both a torque and a force, as " + quoted(source.joint) + " would need");
        check_.require(source.motion.empty() || source.target.empty(), pointer + "/motion",
                       "cannot stand beside target; give one of them");
        weight(source.weight, pointer);
        if (check_.failed()) return;
        checkSignals(source.target, model_.joints[index].freedoms(), pointer + "/target", check_);
        Controller controller;
        controller.stiffness = source.stiffness;
        controller.damping = source.damping;
        controller.limit = source.limit.value_or(infinity);
        controller.weight = source.weight;
        controller.target = source.target;
        if (!source.motion.empty()) {
            const int which = motion(source.motion, pointer + "/motion");
            if (!check_.failed()) controller.target = model_.motions[which].joints[index];
        }
        if (!check_.failed()) drivesOf(index).controllers.push_back(std::move(controller));
    }

    // ---- actions ----------------------------------------------------------------------------------

    void compileAction(const ActionDescription& source, const std::string& pointer)
    {
        weight(source.weight, pointer);
        check_.require(!source.keys.empty(), pointer + "/keys",
                       "is empty; an action needs at least one pose");
        for (std::size_t k = 0; k < source.keys.size() && !check_.failed(); ++k)
            checkKey(source, k, pointer + at("keys", k));
        for (std::size_t i = 0; i < source.joints.size() && !check_.failed(); ++i)
            compileActing(source, source.joints[i], pointer + "/joints" + token(source.joints[i].joint));
    }

    void checkKey(const ActionDescription& action, std::size_t k, const std::string& pointer)
    {
        const ActionDescription::Key& key = action.keys[k];
        check_.finite(key.time, pointer + "/time");
        if (k > 0 && !check_.failed())
            checkRise(action.keys[k - 1].time, key.time, pointer + "/time", check_);
        for (const JointPoseDescription& pose : key.pose) {
            const std::string here = pointer + "/pose" + token(pose.joint);
            const int index = drivenJoint(pose.joint, here);
            if (check_.failed()) return;
            check_.require(std::any_of(action.joints.begin(), action.joints.end(),
                                       [&](const StrengthDescription& s) { return s.joint == pose.joint; }),
                           here, "has no strength in joints");
            const int freedoms = model_.joints[index].freedoms();
            check_.require(static_cast<int>(pose.coordinate.size()) == freedoms, here,
                           "needs " + std::to_string(freedoms) + " numbers, one for each freedom");
            for (double x : pose.coordinate) check_.finite(x, here);
        }
    }

    // A controller that aims at the keys that speak of its joint.
    void compileActing(const ActionDescription& action, const StrengthDescription& strength,
                       const std::string& pointer)
    {
        const int index = drivenJoint(strength.joint, pointer);
        if (check_.failed()) return;
        const int freedoms = model_.joints[index].freedoms();
        check_.require(model_.joints[index].slides() == 0, pointer, "slides; actions turn joints");
        check_.notNegative(strength.stiffness, pointer + "/stiffness");
        check_.notNegative(strength.damping, pointer + "/damping");
        check_.require(strength.stiffness > 0 || strength.damping > 0, pointer,
                       "does nothing; give stiffness or damping");
        Controller controller;
        controller.bounds = compileBounds(strength, freedoms, pointer, check_);
        if (check_.failed()) return;
        controller.stiffness = strength.stiffness;
        controller.damping = strength.damping;
        controller.limit = strength.limit.value_or(infinity);
        controller.weight = action.weight;
        std::vector<KeySignal> curves(static_cast<std::size_t>(freedoms));
        for (const ActionDescription::Key& key : action.keys)
            for (const JointPoseDescription& pose : key.pose) {
                if (pose.joint != strength.joint) continue;
                for (std::size_t i = 0; i < curves.size(); ++i)
                    curves[i].keys.push_back({key.time, pose.coordinate[i]});
            }
        for (KeySignal& curve : curves) {
            if (curve.keys.empty()) break;  // at rest
            curve.smooth = action.smooth;
            controller.target.emplace_back(SignalPart(std::move(curve)));
        }
        drivesOf(index).controllers.push_back(std::move(controller));
    }

    // ---- supports ---------------------------------------------------------------------------------

    const Skeleton& skeletonOf(int body) const
    {
        for (const Skeleton& skeleton : model_.skeletons)
            if (skeleton.first <= body && body < skeleton.first + skeleton.count) return skeleton;
        return model_.skeletons.front();
    }

    void compileSupport(const SupportDescription& source, const std::string& pointer)
    {
        using At = SupportDescription::At;
        check_.notNegative(source.share, pointer + "/share");
        weight(source.weight, pointer);
        const bool feet = source.at == At::feet;
        check_.require(feet || source.bodies.size() == 1, pointer + "/body",
                       source.bodies.empty() ? "is missing; name a body" : "name one body, not several");
        check_.require(!feet || !source.bodies.empty(), pointer + "/bodies",
                       "is empty; name the bodies that may stand");
        check_.require(!feet || !model_.obstacles.empty() || model_.contact, pointer,
                       "the scene has no obstacles to stand on");
        check_.require(!source.point || source.at == At::body, pointer + "/point",
                       "is for supports of one body");
        std::vector<int> bodies;
        for (std::size_t i = 0; i < source.bodies.size() && !check_.failed(); ++i)
            bodies.push_back(body(source.bodies[i], feet ? pointer + at("bodies", i) : pointer + "/body",
                                  "the world needs no support"));
        if (check_.failed()) return;
        const Skeleton figure = skeletonOf(bodies[0]);
        double mass = 0;
        for (int i = 0; i < figure.count; ++i) mass += model_.bodies[figure.first + i].mass;
        const auto lift = [&](int of, double lifted) -> BodyLoad {
            BodyLoad load;
            load.body = of;
            load.force = -source.share * lifted * model_.gravity;
            load.signal = source.weight;
            return load;
        };
        if (source.at == At::center) {
            for (int i = figure.first; i < figure.first + figure.count; ++i)
                model_.loads.push_back(lift(i, model_.bodies[i].mass));
            return;
        }
        std::vector<int> group;
        for (int of : bodies) {
            BodyLoad load = lift(of, mass);
            if (source.point) load.point = model_.bodies[of].rest.inverse() * *source.point;
            if (feet) {
                load.trigger = touchTrigger(of);
                load.group = static_cast<int>(model_.loadGroups.size());
                group.push_back(load.trigger);
            }
            model_.loads.push_back(std::move(load));
        }
        if (feet) model_.loadGroups.push_back(std::move(group));
    }

    // ---- tracks -----------------------------------------------------------------------------------

    void compileTrack(const TrackDescription& source, const std::string& pointer)
    {
        const int which = motion(source.motion, pointer + "/motion");
        check_.notNegative(source.stiffness, pointer + "/stiffness");
        check_.notNegative(source.damping, pointer + "/damping");
        check_.notNegative(source.turnStiffness, pointer + "/turn_stiffness");
        check_.notNegative(source.turnDamping, pointer + "/turn_damping");
        weight(source.weight, pointer);
        check_.require(source.stiffness > 0 || source.damping > 0 || source.turnStiffness > 0 ||
                           source.turnDamping > 0,
                       pointer,
                       "has no spring and no damper; give stiffness, damping, turn_stiffness or "
                       "turn_damping");
        std::vector<double> weights(model_.bodies.size(), source.bodies.empty() ? 1 : 0);
        for (std::size_t i = 0; i < source.bodies.size() && !check_.failed(); ++i) {
            const int index = body(source.bodies[i], pointer + at("bodies", i), "the world tracks nothing");
            if (!check_.failed()) weights[index] = 1;
        }
        for (const TrackDescription::Weight& own : source.weights) {
            const std::string here = pointer + "/weights" + token(own.body);
            const int index = body(own.body, here, "the world tracks nothing");
            check_.notNegative(own.weight, here);
            if (check_.failed()) return;
            check_.require(weights[index] > 0, here, "is not among the bodies of the track");
            weights[index] *= own.weight;
        }
        if (!check_.failed()) model_.motions[which].isTracked = true;
        for (int i = 0; i < model_.size() && !check_.failed(); ++i) {
            if (weights[i] == 0) continue;
            Target target;
            target.body = i;
            target.motion = which;
            target.stiffness = weights[i] * source.stiffness;
            target.damping = weights[i] * source.damping;
            target.turnStiffness = weights[i] * source.turnStiffness;
            target.turnDamping = weights[i] * source.turnDamping;
            target.weight = source.weight;
            model_.targets.push_back(std::move(target));
        }
    }

    const Description& description_;
    const Names& names_;
    Model& model_;
    Checker& check_;
    std::unordered_map<std::string, int> joints_, motions_;
};

}  // namespace

void compileControl(const Description& description, const Names& names, Model& model, Checker& check)
{
    Control(description, names, model, check).compile();
}

}  // namespace sinew::compiling
