#include "sinew/simulation/live.h"

#include <algorithm>

#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

constexpr double grabFrequency = 20;  // rad/s: of the whole skeleton on the spring
constexpr double grabDampingRatio = 0.5;
constexpr double strongestPull = 80;  // m/s²: force over the mass of the skeleton

bool hasSpringToChange(JointType type)
{
    return type != JointType::weld && type != JointType::free;
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

}  // namespace

Result<LiveSimulation> LiveSimulation::create(Description description, Settings settings)
{
    LiveSimulation live;
    live.parameters_.gravity = description.gravity;
    live.description_ = std::move(description);
    live.settings_ = std::move(settings);
    Result<Simulation> simulation = Simulation::create(live.description_, live.settings_);
    if (!simulation) return simulation.error();
    live.simulation_ = std::move(simulation.value());
    live.start_ = live.simulation_.state;
    return live;
}

Description LiveSimulation::changedScene(const Parameters& parameters) const
{
    Description scene = description_;
    scene.gravity = parameters.gravity;
    for (JointDescription& joint : scene.joints) {
        if (!hasSpringToChange(joint.type)) continue;
        const auto stiffer = [&](double k) {
            return parameters.stiffnessFactor * k + parameters.addedStiffness;
        };
        joint.stiffness = stiffer(joint.stiffness);
        if (joint.twistStiffness) joint.twistStiffness = stiffer(*joint.twistStiffness);
        joint.damping = parameters.dampingFactor * joint.damping + parameters.addedDamping;
    }
    if (!parameters.torques) scene.switches = {SwitchDescription{0, {}, false}};
    return scene;
}

std::optional<Diagnostic> LiveSimulation::rebuild(Settings settings, const Parameters& parameters)
{
    Result<Simulation> next = Simulation::create(changedScene(parameters), settings);
    if (!next) return next.error();
    settings_ = std::move(settings);
    parameters_ = parameters;
    goOn(std::move(next.value()));
    return {};
}

void LiveSimulation::goOn(Simulation next)
{
    State state = std::move(simulation_.state);
    simulation_ = std::move(next);
    simulation_.state = std::move(state);
    // Joints that drifted open close again where they are held by construction.
    if (simulation_.method->coordinates == Coordinates::joint)
        bodiesFromJoints(simulation_.model, simulation_.state);
    if (isGrabbing()) hold();
    restart();
}

void LiveSimulation::reset()
{
    release();
    simulation_.state = start_;
    restart();
}

// Steps that look back must not look across a change.
void LiveSimulation::restart()
{
    simulation_.state.previous.clear();
    startTime_ = simulation_.state.time;
    steps_ = 0;
}

StepReport LiveSimulation::step()
{
    if (isGrabbing()) aimGrab();
    StepReport report = simulation_.step();
    if (!report.ok) return report;
    // Counted, not summed: the time of step n has one rounding, however long the run.
    simulation_.state.time = startTime_ + static_cast<double>(++steps_) * simulation_.h;
    return report;
}

// ---- hands --------------------------------------------------------------------------------------

void LiveSimulation::grab(int body, const Vec3& point, const Vec3& place)
{
    release();
    grabbed_ = body;
    point_ = point;
    place_ = place;
    hold();
    restart();
}

void LiveSimulation::release()
{
    if (!isGrabbing()) return;
    grabbed_ = -1;
    simulation_.model.targets.pop_back();
    restart();
}

// The grab becomes the last of the model's targets.
void LiveSimulation::hold()
{
    const double mass = skeletonMass(simulation_.model, grabbed_);
    Target hand;
    hand.body = grabbed_;
    hand.point = point_;
    hand.stiffness = mass * grabFrequency * grabFrequency;
    hand.damping = 2 * grabDampingRatio * mass * grabFrequency;
    reach_ = strongestPull / (grabFrequency * grabFrequency);
    const Integrator& stepper = *simulation_.integrator;
    if (!(stepper.bringsEquations && stepper.knowsBodySprings)) {
        // The force at the end of the step, as if the grabbed point moved by itself:
        //     F = −(k (x + h v) + c v) / (1 + (h c + h² k) / m).
        const double h = simulation_.h, k = hand.stiffness, c = hand.damping;
        const double least = leastMassAt(simulation_.model.bodies[grabbed_], point_);
        const double slower = 1 + (h * c + h * h * k) / least;
        hand.stiffness = k / slower;
        hand.damping = (c + h * k) / slower;
        reach_ *= slower;
    }
    hand.path.keys.push_back({0, place_, Quat::Identity()});
    simulation_.model.targets.push_back(hand);
}

// The spring reaches for the hand, but no farther than its strength allows.
void LiveSimulation::aimGrab()
{
    Target& hand = simulation_.model.targets.back();
    const BodyState& body = simulation_.state.bodies[grabbed_];
    const Vec3 here = body.position + body.orientation * point_;
    const Vec3 way = place_ - here;
    const double distance = way.norm();
    hand.path.keys.front().position = distance > reach_ ? Vec3(here + way * (reach_ / distance)) : place_;
}

void LiveSimulation::push(int body, const Vec3& point, const Vec3& impulse)
{
    // With all at rest and nothing else acting, accelerations are the change of velocity by an impulse.
    Simulation& s = simulation_;
    State still = s.state;
    still.u.setZero();
    for (BodyState& b : still.bodies) b.velocity = b.angularVelocity = Vec3::Zero();
    Forces impulses;
    impulses.setZero(s.model);
    const Vec3 arm = still.bodies[body].orientation * point;
    impulses.body[body] = {impulse, arm.cross(impulse)};
    s.work.accelerations.wanted = Accelerations::Wanted::everything;
    const auto add = [&](double sign) {
        s.work.accelerations.resize(s.model);
        findMethod(Settings::defaultSolver)
            ->accelerate(s.model, still, impulses, s.work.work, s.work.accelerations);
        s.state.u += sign * s.work.accelerations.joint;
        for (int i = 0; i < s.model.size(); ++i) {
            BodyState& b = s.state.bodies[i];
            b.velocity += sign * s.work.accelerations.body[i].linear;
            b.angularVelocity += sign * (b.orientation.conjugate() * s.work.accelerations.body[i].angular);
        }
    };
    add(1);
    if (!s.model.prescribed.empty()) {
        // Prescribed joints accelerate without a push too, which is not its doing.
        impulses.setZero(s.model);
        add(-1);
    }
    restart();
}

}  // namespace sinew
