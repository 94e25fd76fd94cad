// What hands change of joints and of figures that balance while a simulation runs: the scene is compiled
// anew with it, and the motion goes on from where it is.
#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/model/balance.h"
#include "sinew/model/check.h"
#include "sinew/simulation/live.h"

namespace sinew {
namespace {

using compiling::Checker;

// A straight signal goes on for so long; hands change it long before.
constexpr double longSpan = 1e6;  // s

template <class T>
void take(T& mine, const std::optional<T>& theirs)
{
    if (theirs) mine = *theirs;
}
template <class T>
void take(std::optional<T>& mine, const std::optional<T>& theirs)
{
    if (theirs) mine = theirs;
}
void take(std::vector<double>& mine, const std::vector<double>& theirs)
{
    if (!theirs.empty()) mine = theirs;
}

// What a hand has given a joint its switches give it no more.
void leaveOut(const JointSettings& given, JointSettings& of)
{
    const auto drop = [](const auto& its, auto& from) {
        if (its) from.reset();
    };
    drop(given.stiffness, of.stiffness);
    drop(given.damping, of.damping);
    if (!given.rest.empty()) of.rest.clear();
    if (!given.motor.empty()) of.motor.clear();
    if (!given.setsLimits()) return;
    of.lower.clear();
    of.upper.clear();
    of.swingLimit.reset();
    of.limitStiffness.reset();
    of.limits.reset();
}

Signal movingTarget(double now, double target, double speed)
{
    if (speed == 0) return target;
    KeySignal line;
    line.smooth = false;
    line.keys = {{now, target}, {now + longSpan, target + longSpan * speed}};
    return Signal(SignalPart(std::move(line)));
}

JointDescription* jointNamed(Description& scene, const std::string& name, std::size_t& index)
{
    for (index = 0; index < scene.joints.size(); ++index)
        if (scene.joints[index].name == name) return &scene.joints[index];
    return nullptr;
}

bool isGiven(const Interaction::Gait& gait)
{
    return gait.time || gait.lean || gait.distance || gait.speed || !gait.pose.empty();
}

void changeState(BalanceDescription::State& state, const Interaction::Gait& gait)
{
    if (gait.time) state.time = gait.time;
    take(state.lean, gait.lean);
    take(state.distance, gait.distance);
    take(state.speed, gait.speed);
    for (const auto& [joint, coordinate] : gait.pose) {
        const auto isOf = [&name = joint](const JointPoseDescription& pose) { return pose.joint == name; };
        const auto found = std::find_if(state.pose.begin(), state.pose.end(), isOf);
        if (found == state.pose.end())
            state.pose.push_back({joint, coordinate});
        else
            found->coordinate = coordinate;
    }
}

}  // namespace

// Takes the scene, unless it is refused. What is wrong at `culprit` in it came in at `pointer`.
std::optional<Diagnostic> LiveSimulation::edit(Description scene, const std::string& culprit,
                                               const std::string& pointer)
{
    scene.origins.clear();  // faults shall point to what stands there now
    std::swap(edited_, scene);
    std::optional<Diagnostic> fault = rebuild(settings_, parameters_);
    if (!fault) {
        isEdited_ = true;
        return {};
    }
    std::swap(edited_, scene);
    if (fault->pointer.starts_with(culprit))
        fault->pointer = pointer + fault->pointer.substr(culprit.size());
    else if (fault->pointer != "/change")
        return faultAt(pointer, fault->message);
    return fault;
}

std::optional<Diagnostic> LiveSimulation::act(const Interaction::SetJoint& set)
{
    Checker check;
    drivenJoint(set.joint, "/joint/joint", check);
    check.require(set.settings.isAny(), "/joint",
                  "says nothing; give stiffness, damping, rest, lower, upper, swing_limit or "
                  "limit_stiffness");
    check.require(!set.settings.limits || !*set.settings.limits, "/joint/limits",
                  "is true; give lower, upper or swing_limit instead");
    if (check.failed()) return check.diagnostic();
    Description scene = edited_;
    std::size_t index = 0;
    set.settings.applyTo(*jointNamed(scene, set.joint, index));
    for (SwitchDescription& change : scene.switches)
        if (change.joint == set.joint) leaveOut(set.settings, change.settings);
    std::erase_if(scene.switches, [](const SwitchDescription& change) {
        return !change.active && !change.settings.isAny();
    });
    return edit(std::move(scene), compiling::at("joints", index), "/joint");
}

std::optional<Diagnostic> LiveSimulation::act(const Interaction::Motor& given)
{
    Checker check;
    const int link = drivenJoint(given.joint, "/motor/joint", check);
    for (const auto& [numbers, key] :
         {std::pair(&given.target, "/motor/target"), std::pair(&given.speed, "/motor/speed")}) {
        if (link < 0 || numbers->empty()) continue;
        const auto freedoms = static_cast<std::size_t>(simulation_.model().joints[link].freedoms());
        check.require(numbers->size() == freedoms, key,
                      "has " + std::to_string(numbers->size()) + " numbers; joint " +
                          compiling::quoted(given.joint) + " takes " + std::to_string(freedoms));
        for (const double x : *numbers) check.finite(x, key);
    }
    if (given.stiffness) check.notNegative(*given.stiffness, "/motor/stiffness");
    if (given.damping) check.notNegative(*given.damping, "/motor/damping");
    if (given.strength) check.positive(*given.strength, "/motor/strength");
    if (check.failed()) return check.diagnostic();

    const std::vector<Interaction::Motor> before = motors_;
    const auto isOf = [&](const Interaction::Motor& motor) { return motor.joint == given.joint; };
    auto found = std::find_if(motors_.begin(), motors_.end(), isOf);
    if (found == motors_.end()) {
        const JointNumbers here = simulation_.jointPosition(given.joint).value();
        Interaction::Motor fresh;
        fresh.joint = given.joint;
        fresh.target.assign(here.values, here.values + here.size());
        fresh.speed.assign(here.size(), 0.);
        fresh.stiffness = fresh.damping = 0.;
        found = motors_.insert(motors_.end(), std::move(fresh));
    }
    take(found->target, given.target);
    take(found->speed, given.speed);
    take(found->stiffness, given.stiffness);
    take(found->damping, given.damping);
    take(found->strength, given.strength);
    Description scene = edited_;
    const std::size_t own = description_.controllers.size();
    std::string culprit = "/controllers";
    // The others keep the signals that they have, which began at another time.
    for (std::size_t i = scene.controllers.size(); i-- > own;)
        if (scene.controllers[i].joint == given.joint)
            scene.controllers.erase(scene.controllers.begin() + static_cast<std::ptrdiff_t>(i));
    if (*found->stiffness > 0 || *found->damping > 0) {
        ControllerDescription motor;
        motor.joint = found->joint;
        motor.stiffness = *found->stiffness;
        motor.damping = *found->damping;
        motor.limit = found->strength;
        for (std::size_t i = 0; i < found->target.size(); ++i)
            motor.target.push_back(movingTarget(simulation_.state.time, found->target[i], found->speed[i]));
        culprit = compiling::at("controllers", scene.controllers.size());
        scene.controllers.push_back(std::move(motor));
    }
    if (culprit == "/controllers") motors_.erase(found);
    std::optional<Diagnostic> fault = edit(std::move(scene), culprit, "/motor");
    if (fault) motors_ = before;
    return fault;
}

std::optional<Diagnostic> LiveSimulation::act(const Interaction::Switch& change)
{
    Checker check;
    if (!change.joint.empty()) drivenJoint(change.joint, "/switch/joint", check);
    if (check.failed()) return check.diagnostic();
    Description scene = edited_;
    for (SwitchDescription& known : scene.switches)
        if (change.joint.empty() || known.joint == change.joint) known.active.reset();
    std::erase_if(scene.switches,
                  [](const SwitchDescription& known) { return !known.active && !known.settings.isAny(); });
    // A switch of every joint says nothing of this one any more.
    const auto isOfAll = [](const SwitchDescription& known) { return known.joint.empty() && known.active; };
    std::vector<double> times;
    for (const SwitchDescription& known : scene.switches)
        if (isOfAll(known)) times.push_back(known.time);
    for (const double time : times) scene.switches.push_back({time, change.joint, change.active});
    scene.switches.push_back({0, change.joint, change.active});
    return edit(std::move(scene), "/switches", "/switch");
}

std::optional<Diagnostic> LiveSimulation::act(const Interaction::Restore&)
{
    const std::vector<JointInput> inputs = std::exchange(jointInputs_, {});
    const std::vector<Interaction::Motor> motors = std::exchange(motors_, {});
    std::optional<Diagnostic> fault = edit(description_, "/", "/restore");
    isEdited_ = fault && isEdited_;
    if (!fault) return {};
    jointInputs_ = inputs;
    motors_ = motors;
    return fault;
}

// ---- figures that balance -------------------------------------------------------------------------

// Which of the scene's, or −1 after a fault.
int LiveSimulation::balanceOf(const std::string& body, const std::string& pointer, Checker& check) const
{
    for (std::size_t i = 0; i < edited_.balances.size(); ++i)
        if (edited_.balances[i].body == body) return static_cast<int>(i);
    check.fail(pointer, "no figure balances by a body " + compiling::quoted(body));
    return -1;
}

std::optional<Diagnostic> LiveSimulation::act(const Interaction::Balance& given)
{
    Checker check;
    const int index = balanceOf(given.body, "/balance/body", check);
    check.require(given.stiffness || given.damping || given.sole || given.step || !given.joints.empty(),
                  "/balance", "says nothing; give stiffness, damping, sole, step or joints");
    if (check.failed()) return check.diagnostic();
    Description scene = edited_;
    BalanceDescription& balance = scene.balances[static_cast<std::size_t>(index)];
    take(balance.stiffness, given.stiffness);
    take(balance.damping, given.damping);
    take(balance.sole, given.sole);
    if (given.step) {
        if (!balance.step) balance.step.emplace();
        take(balance.step->time, given.step->time);
        take(balance.step->lift, given.step->lift);
        take(balance.step->reach, given.step->reach);
        take(balance.step->width, given.step->width);
        take(balance.step->further, given.step->further);
    }
    for (const auto& [joint, stiffness, damping, limit] : given.joints) {
        const auto isOf = [&name = joint](const StrengthDescription& one) { return one.joint == name; };
        const auto found = std::find_if(balance.joints.begin(), balance.joints.end(), isOf);
        check.require(found != balance.joints.end(), "/balance/joints" + compiling::token(joint),
                      "has no strength in this balance");
        if (check.failed()) return check.diagnostic();
        take(found->stiffness, stiffness);
        take(found->damping, damping);
        if (limit) found->limits.clear();  // one number for both sides, in place of two
        take(found->limit, limit);
    }
    return edit(std::move(scene), compiling::at("balance", static_cast<std::size_t>(index)), "/balance");
}

std::optional<Diagnostic> LiveSimulation::act(const Interaction::Gait& given)
{
    Checker check;
    const int index = balanceOf(given.body, "/gait/body", check);
    if (index >= 0)
        check.require(edited_.balances[static_cast<std::size_t>(index)].gait.has_value(), "/gait/body",
                      "the figure of " + compiling::quoted(given.body) + " has no gait in the scene");
    check.require(isGiven(given) || given.from || given.until || given.heading, "/gait",
                  "says nothing; give time, lean, distance, speed, pose, from, until or heading");
    if (check.failed()) return check.diagnostic();
    Description scene = edited_;
    GaitDescription& gait = *scene.balances[static_cast<std::size_t>(index)].gait;
    take(gait.from, given.from);
    take(gait.until, given.until);
    if (given.heading) gait.heading = Signal(*given.heading);
    bool found = false;
    for (BalanceDescription::State& state : gait.states) {
        if (!given.state.empty() && state.name != given.state) continue;
        found = true;
        check.require(!given.time || state.time, "/gait/time",
                      "state " + compiling::quoted(state.name) + " ends with a touch, not at a time");
        changeState(state, given);
    }
    check.require(found, "/gait/state", "there is no state " + compiling::quoted(given.state));
    if (check.failed()) return check.diagnostic();
    const std::string culprit = compiling::at("balance", static_cast<std::size_t>(index)) + "/gait";
    std::optional<Diagnostic> fault = edit(std::move(scene), culprit, "/gait");
    // Which of the states, the hand knows by its name.
    if (fault && fault->pointer.starts_with("/gait/states/"))
        fault->pointer = "/gait" + fault->pointer.substr(std::min(
                                       fault->pointer.find('/', std::string("/gait/states/").size()),
                                       fault->pointer.size()));
    return fault;
}

}  // namespace sinew
