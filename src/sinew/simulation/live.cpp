#include "sinew/simulation/live.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/force/guides.h"
#include "sinew/force/laws/targets.h"
#include "sinew/integrate/step_work.h"
#include "sinew/model/check.h"
#include "sinew/state/between.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

using compiling::Checker;

constexpr double grabFrequency = 20;  // rad/s: of the whole skeleton on the spring
constexpr double grabDampingRatio = 0.5;
constexpr double strongestPull = 80;  // m/s²: force over the mass of the skeleton

bool hasSpringToChange(JointType type)
{
    return jointTypeInfo(type).isArticulated();
}

// Whether a step takes the force of a hand as it is at its end.
bool isHeldAtTheEnd(const Integrator& integrator)
{
    return integrator.bringsEquations && integrator.takes.has(ForceKind::body);
}

// The least mass that a point of a body can have, whatever the direction, with its joints cut.
double leastMassAt(const Body& body, const Vec3& point)
{
    const double slowness = body.inverseInertia.trace();  // not less than the largest of its eigenvalues
    return 1 / (1 / body.mass + slowness * point.squaredNorm());
}

double skeletonMass(const Model& model, int body)
{
    double sum = 0;
    for (const Skeleton& skeleton : model.skeletons)
        if (skeleton.first <= body && body < skeleton.first + skeleton.count)
            for (int i = 0; i < skeleton.count; ++i) sum += model.bodies[skeleton.first + i].mass;
    return sum;
}

// The tree index of a body that must be there.
int bodyNamed(const Model& model, const std::string& name, const char* pointer, Checker& check)
{
    for (int i = 0; i < model.size(); ++i)
        if (model.bodies[i].name == name && model.bodies[i].cutFrom < 0) return i;
    check.fail(pointer, "there is no body " + compiling::quoted(name));
    return -1;
}

std::optional<Diagnostic> outcomeOf(const Checker& check)
{
    if (!check.failed()) return {};
    return check.diagnostic();
}

// From the centre of mass.
Vec3 pointOn(const Body& body, const std::optional<Vec3>& point)
{
    return point ? Vec3(*point - body.center) : Vec3(Vec3::Zero());
}

}  // namespace

Result<LiveSimulation> LiveSimulation::create(Description description, Settings settings)
{
    LiveSimulation live;
    live.parameters_.gravity = description.gravity;
    live.description_ = std::move(description);
    live.edited_ = live.description_;
    live.settings_ = std::move(settings);
    Result<Simulation> simulation = Simulation::create(live.description_, live.settings_);
    if (!simulation) return simulation.error();
    live.simulation_ = std::move(simulation.value());
    live.start_ = live.simulation_.state;
    live.sceneTargets_ = live.simulation_.model().targets;
    live.startSettings_.solver = live.simulation_.method->name;
    live.startSettings_.integrator = live.simulation_.integrator->name;
    live.startSettings_.step = live.simulation_.h;
    if (live.simulation_.integrator->hasSlowBand) {
        live.startSettings_.slowBand = live.simulation_.slowBand();
        live.startSettings_.spread = live.simulation_.spread();
    }
    if (live.simulation_.integrator->adapts) live.startSettings_.tolerance = live.simulation_.tolerance();
    return live;
}

std::optional<Diagnostic> LiveSimulation::apply(const Interaction::Action& action)
{
    auto fault = std::visit([this](const auto& one) { return act(one); }, action);
    if (!fault) {
        recording_.push_back({stepsMade_, action});
        hasDiverged_ = false;
    }
    return fault;
}

// ---- the scene and the way it is solved ---------------------------------------------------------

std::optional<Diagnostic> LiveSimulation::change(const Parameters& p)
{
    return apply(Interaction::Change{p.gravity, p.stiffnessFactor, p.dampingFactor, p.addedStiffness,
                                     p.addedDamping, p.torques});
}

std::optional<Diagnostic> LiveSimulation::act(const Interaction::Change& change)
{
    Parameters p = parameters_;
    p.gravity = change.gravity.value_or(p.gravity);
    p.stiffnessFactor = change.stiffnessFactor.value_or(p.stiffnessFactor);
    p.dampingFactor = change.dampingFactor.value_or(p.dampingFactor);
    p.addedStiffness = change.addedStiffness.value_or(p.addedStiffness);
    p.addedDamping = change.addedDamping.value_or(p.addedDamping);
    p.torques = change.torques.value_or(p.torques);
    return rebuild(settings_, p);
}

std::optional<Diagnostic> LiveSimulation::act(const Interaction::Choose& choose)
{
    // The clock goes on in such steps: no hand waits for longer ones, or sees shorter ones move anything.
    constexpr double shortestStep = 1e-6, longestStep = 1;  // s
    Checker check;
    if (const std::optional<double> step = choose.settings.step)
        check.require(*step >= shortestStep && *step <= longestStep, "/choose/step",
                      "is " + compiling::number(*step) + "; it must be from 1e-6 to 1 s");
    if (check.failed()) return check.diagnostic();
    std::optional<Diagnostic> fault = rebuild(choose.settings, parameters_);
    if (fault && !fault->setting.empty()) return faultAt("/choose/" + fault->setting, fault->message);
    return fault;
}

Description LiveSimulation::changedScene(const Parameters& parameters) const
{
    Description scene = edited_;
    scene.gravity = parameters.gravity;
    for (std::size_t j = 0; j < scene.joints.size(); ++j) {
        JointDescription& joint = scene.joints[j];
        const bool closesLoop = simulation_.model().linkOfJoint[j] < 0;
        if (closesLoop || !hasSpringToChange(joint.type)) continue;
        const auto stiffer = [&](double k) {
            return parameters.stiffnessFactor * k + parameters.addedStiffness;
        };
        joint.stiffness = stiffer(joint.stiffness);
        if (joint.twistStiffness) joint.twistStiffness = stiffer(*joint.twistStiffness);
        joint.damping = parameters.dampingFactor * joint.damping + parameters.addedDamping;
    }
    if (!parameters.torques) {
        for (SwitchDescription& change : scene.switches) change.active.reset();
        std::erase_if(scene.switches, [](const auto& change) { return !change.settings.isAny(); });
        scene.switches.push_back({0, {}, false});
    }
    return scene;
}

std::optional<Diagnostic> LiveSimulation::rebuild(Settings settings, const Parameters& parameters)
{
    Result<Simulation> next = Simulation::create(changedScene(parameters), settings);
    if (!next) return next.error();
    if (next.value().model().linkOfJoint != simulation_.model().linkOfJoint)
        return faultAt("/change",
                       "would let another joint close the loop; leave the springs and dampers of this "
                       "scene some strength");
    settings_ = std::move(settings);
    parameters_ = parameters;
    goOn(std::move(next.value()));
    return {};
}

void LiveSimulation::goOn(Simulation next)
{
    State state = std::move(simulation_.state);
    for (int i = 0; i < targetCount(); ++i) {  // as aimed
        const Target& aimed = simulation_.model().targets[i];
        Target& target = next.changeModel().targets[i];
        target.motion = aimed.motion;
        target.path = aimed.path;
    }
    applyJointInputs(next);
    next.stop = simulation_.stop;
    next.measuresEnergy = simulation_.measuresEnergy;
    next.threads = simulation_.threads;
    simulation_ = std::move(next);
    simulation_.state = std::move(state);
    simulation_.giveSettings();
    // Joints that drifted open close again where they are held by construction.
    if (simulation_.method->coordinates == Coordinates::joint)
        bodiesFromJoints(simulation_.model(), simulation_.state);
    if (isGrabbing()) hold();
    restart();
}

std::optional<Diagnostic> LiveSimulation::act(const Interaction::Reset&)
{
    letGo();
    const bool isDriven = !jointInputs_.empty();
    jointInputs_.clear();
    motors_.clear();
    if (std::exchange(isEdited_, false)) {
        edited_ = description_;
        rebuild(settings_, parameters_);
    } else if (isDriven) {
        rebuild(settings_, parameters_);
    }
    thrownAway_ += simulation_.state.time;
    simulation_.state = start_;
    simulation_.giveSettings();
    for (int i = 0; i < targetCount(); ++i) simulation_.changeModel().targets[i] = sceneTargets_[i];
    restart();
    return {};
}

// Steps that look back must not look across a change.
void LiveSimulation::restart()
{
    simulation_.state.previous.clear();
    simulation_.state.slow.clear();
    simulation_.state.quiet.clear();
}

StepReport LiveSimulation::step()
{
    if (isGrabbing()) simulation_.changeModel().targets.back().path.keys.front().position = reachedPlace();
    StepReport report = simulation_.step();
    hasDiverged_ = !report.ok && !report.stopped;
    if (!report.ok) return report;
    ++stepsMade_;
    return report;
}

void LiveSimulation::stateWithinStep(double time, State& between) const
{
    const Simulation& s = simulation_;
    stateBetween(s.model(), s.before, s.state, time - thrownAway_,
                 s.method->coordinates == Coordinates::joint, between);
}

void LiveSimulation::resume(State state, std::uint64_t steps)
{
    simulation_.state = std::move(state);
    stepsMade_ = steps;
}

// ---- hands --------------------------------------------------------------------------------------

std::optional<Diagnostic> LiveSimulation::grab(int body, const Vec3& point, const Vec3& place)
{
    const Body& held = simulation_.model().bodies[body];
    return apply(Interaction::Grab{held.name, Vec3(point + held.center), place});
}

std::optional<Diagnostic> LiveSimulation::act(const Interaction::Grab& grab)
{
    Checker check;
    const int body = bodyNamed(simulation_.model(), grab.body, "/grab/body", check);
    if (grab.point) check.finite(*grab.point, "/grab/point");
    check.finite(grab.place, "/grab/to");
    if (body >= 0 && !isHeldAtTheEnd(*simulation_.integrator))
        check.require(simulation_.model().bodies[body].mass > 0, "/grab/body",
                      compiling::quoted(grab.body) +
                          " has no mass, which only implicit steps can hold; grab a body that has");
    if (check.failed()) return check.diagnostic();
    letGo();
    grabbed_ = body;
    point_ = pointOn(simulation_.model().bodies[body], grab.point);
    place_ = grab.place;
    hold();
    restart();
    return {};
}

std::optional<Diagnostic> LiveSimulation::act(const Interaction::MoveGrab& move)
{
    Checker check;
    check.require(isGrabbing(), "/move", "nothing is held; grab a body first");
    check.finite(move.place, "/move");
    if (!check.failed()) place_ = move.place;
    return outcomeOf(check);
}

std::optional<Diagnostic> LiveSimulation::act(const Interaction::Release&)
{
    letGo();
    return {};
}

void LiveSimulation::letGo()
{
    if (!isGrabbing()) return;
    grabbed_ = -1;
    simulation_.changeModel().targets.pop_back();
    restart();
}

// The grab becomes the last of the model's targets.
void LiveSimulation::hold()
{
    const double mass = skeletonMass(simulation_.model(), grabbed_);
    Target hand;
    hand.body = grabbed_;
    hand.point = point_;
    hand.stiffness = mass * grabFrequency * grabFrequency;
    hand.damping = 2 * grabDampingRatio * mass * grabFrequency;
    reach_ = strongestPull / (grabFrequency * grabFrequency);
    if (!isHeldAtTheEnd(*simulation_.integrator)) {
        // The force at the end of the step, as if the grabbed point moved by itself:
        //     F = −(k (x + h v) + c v) / (1 + (h c + h² k) / m).
        const double h = simulation_.h, k = hand.stiffness, c = hand.damping;
        const double least = leastMassAt(simulation_.model().bodies[grabbed_], point_);
        const double slower = 1 + (h * c + h * h * k) / least;
        hand.stiffness = k / slower;
        hand.damping = (c + h * k) / slower;
        reach_ *= slower;
    }
    hand.path.keys.push_back({0, place_, Quat::Identity()});
    simulation_.changeModel().targets.push_back(hand);
}

// The spring reaches for the hand, but no farther than its strength allows.
Vec3 LiveSimulation::reachedPlace() const
{
    const Vec3 here = grabbedPlace(), way = place_ - here;
    const double distance = way.norm();
    return distance > reach_ ? Vec3(here + way * (reach_ / distance)) : place_;
}

Vec3 LiveSimulation::grabbedPlace() const
{
    if (!isGrabbing()) return Vec3::Zero();
    const BodyState& body = simulation_.state.bodies[grabbed_];
    return body.position + body.orientation * point_;
}

Vec3 LiveSimulation::grabForce() const
{
    if (!isGrabbing()) return Vec3::Zero();
    Target hand = simulation_.model().targets.back();
    hand.path.keys.front().position = reachedPlace();
    const State& state = simulation_.state;
    return sinew::targetForce(hand, targetStretch(hand, state, {})).force;
}

std::optional<Diagnostic> LiveSimulation::push(int body, const Vec3& point, const Vec3& impulse)
{
    const Body& pushed = simulation_.model().bodies[body];
    return apply(Interaction::Push{pushed.name, Vec3(point + pushed.center), impulse});
}

std::optional<Diagnostic> LiveSimulation::act(const Interaction::Push& push)
{
    Checker check;
    const int body = bodyNamed(simulation_.model(), push.body, "/push/body", check);
    if (push.point) check.finite(*push.point, "/push/point");
    check.finite(push.impulse, "/push/impulse");
    if (check.failed()) return check.diagnostic();
    // With all at rest and nothing else acting, accelerations are the change of velocity by an impulse.
    Simulation& s = simulation_;
    State still = s.state;
    still.u.setZero();
    for (BodyState& b : still.bodies) b.velocity = b.angularVelocity = Vec3::Zero();
    Forces impulses;
    impulses.setZero(s.model());
    const Vec3 arm = still.bodies[body].orientation * pointOn(s.model().bodies[body], push.point);
    impulses.body[body] = {push.impulse, arm.cross(push.impulse)};
    s.work->accelerations.wanted = Accelerations::Wanted::everything;
    const auto add = [&](double sign) {
        s.work->accelerations.resize(s.model());
        methodOf(Settings::defaultSolver)
            .accelerate(s.model(), still, impulses, s.work->work, s.work->accelerations);
        s.state.u += sign * s.work->accelerations.joint;
        for (int i = 0; i < s.model().size(); ++i) {
            BodyState& b = s.state.bodies[i];
            b.velocity += sign * s.work->accelerations.body[i].linear;
            b.angularVelocity += sign * (b.orientation.conjugate() * s.work->accelerations.body[i].angular);
        }
    };
    add(1);
    if (!s.model().prescribed.empty()) {
        // Prescribed joints accelerate without a push too, which is not its doing.
        impulses.setZero(s.model());
        add(-1);
    }
    restart();
    return {};
}

// ---- targets ------------------------------------------------------------------------------------

int LiveSimulation::targetCount() const
{
    return static_cast<int>(sceneTargets_.size());
}

Force LiveSimulation::targetForce(int index) const
{
    const Target& target = simulation_.model().targets[index];
    const State& state = simulation_.state;
    Guides guides;
    placeGuides(simulation_.model(), state.time, guides);
    const TargetStretch stretch = targetStretch(target, state, guides);
    Force force = sinew::targetForce(target, stretch);
    force.torque -= stretch.arm.cross(force.force);
    return force;
}

std::optional<Diagnostic> LiveSimulation::act(const Interaction::AimTarget& aim)
{
    Checker check;
    const int body = bodyNamed(simulation_.model(), aim.body, "/target/body", check);
    check.require(aim.position || aim.orientation, "/target",
                  "says neither where nor how turned; give position, orientation or both");
    if (aim.position) check.finite(*aim.position, "/target/position");
    // As in a scene, so that every recording can be read.
    check.require(!aim.orientation || std::abs(aim.orientation->norm() - 1) <= 1e-3, "/target/orientation",
                  "must be a quaternion of length 1");
    const Quat turned = aim.orientation ? check.unit(*aim.orientation, "/target/orientation") : Quat();
    if (aim.over) check.positive(*aim.over, "/target/over");
    bool found = false;
    for (const Target& target : sceneTargets_) found = found || target.body == body;
    check.require(found, "/target/body",
                  "body " + compiling::quoted(aim.body) + " has no target in the scene");
    if (check.failed()) return check.diagnostic();

    const double h = simulation_.h, now = simulation_.state.time;
    // The way ends a moment late, so that the step that ends with it sees it still in motion: a stream of
    // places, one a step, makes a target that moves with the velocity of the stream.
    const double end = now + std::max(aim.over.value_or(h), h) + JointSwitch::slack;
    Guides guides;
    placeGuides(simulation_.model(), now, guides);
    for (int i = 0; i < targetCount(); ++i) {
        Target& target = simulation_.changeModel().targets[i];
        if (target.body != body) continue;
        const PathPoint from = targetAt(target, guides, now);
        target.motion = -1;  // the hand that aims takes over from a tracked motion
        target.path.smooth = false;
        target.path.keys = {
            {now, from.position, from.orientation},
            {end, aim.position.value_or(from.position), aim.orientation ? turned : from.orientation}};
    }
    return {};
}

std::optional<Diagnostic> applyDue(const std::vector<Interaction>& interactions, std::size_t& next,
                                   LiveSimulation& live)
{
    for (; next < interactions.size() && interactions[next].step <= live.stepsMade(); ++next)
        if (auto fault = live.apply(interactions[next].action)) return fault;
    return {};
}

}  // namespace sinew
