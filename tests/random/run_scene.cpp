#include "random/run_scene.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "random/generator.h"
#include "sinew/collision/detect.h"
#include "sinew/dynamics/work.h"
#include "sinew/force/laws.h"
#include "sinew/geometry/support.h"
#include "sinew/math/symmetric_eigen.h"
#include "sinew/model/fields.h"
#include "sinew/model/springs.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/contacts.h"
#include "sinew/state/kinematics.h"

namespace sinew::test {
namespace {

// The bounds.
constexpr double mostIterations = 50;  // a step, on average: docs/robustness.md
// Joints that close loops hold to the tolerance of Newton's method on the step.
constexpr double gapBound = 1e-6;  // of the scene's length; rad
// A step holds the places of contact that it knows at its start; a surface that rolls or is met in another
// place is missed by the square of the way over its curvature, which is allowed beside this.
constexpr double depthBound = 0.02;     // of the least width
constexpr double frictionBound = 1e-5;  // of the cone
constexpr double distanceBound = 1e-4;  // of the scene's length
// No force acts on the whole, so its momentum is kept as well as Newton's equations are solved. The spin of
// single bodies is differenced in axes that turn: angular momentum is kept to the order of the step.
constexpr double linearBound = 1e-6;
// A force at the end of the step that turns with its body does work along the chord of the way: over an arc
// of turn φ under a compressive force f at arm r a backward step gains ½ f r φ², which summed over the
// steps is not more than the energy turned over times the largest turn. So a gain beyond that is wrong; one
// beyond `smallGain` must be the step's own, thus fall by half or more with a quarter of the step.
constexpr double smallGain = 0.02;
double largeGain(double turn)
{
    return smallGain + std::min(turn, 1.);
}

// Of the processor, so that a loaded machine judges as an idle one does.
double processorTime()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

bool drivesNothing(const Description& d)
{
    for (const JointDescription& joint : d.joints)
        if (!joint.motor.empty()) return false;
    return d.forces.empty() && d.motors.empty() && d.controllers.empty() && d.torques.empty() &&
           d.targets.empty() && d.supports.empty() && d.tracks.empty() && d.switches.empty() &&
           d.prescribed.empty() && d.gravityCompensation == 0 && d.fields.empty();
}

bool floatsFreely(const Description& d)
{
    for (const JointDescription& joint : d.joints)
        if ((joint.first == "world" || joint.second == "world") && joint.type != JointType::free)
            return false;
    for (const SpringDescription& s : d.springs)
        if (s.first.body == "world" || s.second.body == "world") return false;
    return d.gravity.isZero(0) && d.obstacles.empty() && d.fields.empty() && d.medium.viscosity == 0 &&
           d.medium.density == 0;
}

bool isSmooth(const Description& d)
{
    if (d.contact || !(d.obstacles.empty() && d.switches.empty() && d.torques.empty())) return false;
    for (const TargetDescription& t : d.targets)
        if (t.limit || !t.smooth) return false;
    for (const JointDescription& j : d.joints)
        if (!j.lower.empty() || !j.upper.empty() || j.swingLimit || j.coulomb > 0) return false;
    for (const ControllerDescription& c : d.controllers)
        if (c.limit) return false;
    for (const SpringDescription& s : d.springs)
        if (s.acts != SpringActs::both) return false;
    return true;
}

// Watches one run from step to step.
class Watch {
public:
    Watch(const Description& description, const Simulation& simulation, Outcome& outcome)
        : passive_(drivesNothing(description)),
          floats_(floatsFreely(description)),
          scale_(scaleOf(description)),
          outcome_(outcome)
    {
        begin(simulation);
    }

    void see(const Simulation& simulation)
    {
        for (const BodyState& body : simulation.state.bodies)
            outcome_.turn = std::max(outcome_.turn, simulation.h * body.angularVelocity.norm());
        if (passive_) seeEnergy(simulation);
        if (passive_ && floats_) seeMomentum(simulation);
        seeGaps(simulation);
        if (simulation.model().contact) seeContacts(simulation);
    }

private:
    struct Total {
        Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // about the centre of mass
        double linearScale = 0, angularScale = 0;
    };

    static Total totalOf(const Simulation& s)
    {
        Total t;
        Vec3 center = Vec3::Zero();
        double mass = 0;
        for (int i = 0; i < s.model().size(); ++i) {
            const double m = s.model().bodies[i].mass;
            center += m * s.state.bodies[i].position;
            mass += m;
            t.linear += m * s.state.bodies[i].velocity;
            t.linearScale += m * s.state.bodies[i].velocity.norm();
        }
        center /= mass;
        const Vec3 mean = t.linear / mass;
        for (int i = 0; i < s.model().size(); ++i) {
            const BodyState& b = s.state.bodies[i];
            const Vec3 own = b.orientation * (s.model().bodies[i].inertia * b.angularVelocity);
            const Vec3 orbit = s.model().bodies[i].mass * (b.position - center).cross(b.velocity - mean);
            t.angular += own + orbit;
            t.angularScale += own.norm() + orbit.norm();
        }
        return t;
    }

    void begin(const Simulation& s)
    {
        const Energy e = energy(s.model(), s.state);
        startEnergy_ = e.total();
        mostKinetic_ = e.kinetic;
        mostElastic_ = e.elastic;
        leastPotential_ = mostPotential_ = e.potential;
        start_ = totalOf(s);
        for (const Collider& c : s.model().colliders) {
            const Shape* shape = std::get_if<Shape>(&c.form);
            width_.push_back(shape ? leastWidth(*shape) : 1e300);
            reach_.push_back(shape ? reachOf(*shape) + c.pose.position.norm() : 0);
        }
    }

    void seeEnergy(const Simulation& s)
    {
        const Energy e = energy(s.model(), s.state);
        mostKinetic_ = std::max(mostKinetic_, e.kinetic);
        mostElastic_ = std::max(mostElastic_, e.elastic);
        leastPotential_ = std::min(leastPotential_, e.potential);
        mostPotential_ = std::max(mostPotential_, e.potential);
        const double turnedOver = mostKinetic_ + mostElastic_ + (mostPotential_ - leastPotential_);
        // What sums of this size can lose to rounding, and what nothing is worth.
        const double rounding = 1e-10 * (std::abs(leastPotential_) + std::abs(mostPotential_)) +
                                1e-9 * s.model().mass() * scale_.gravity * scale_.length;
        const double gain = e.total() - startEnergy_ - rounding;
        if (gain > outcome_.energyGain * turnedOver) outcome_.energyGain = gain / turnedOver;
    }

    void seeMomentum(const Simulation& s)
    {
        // What moves slower than this share of the scene's own speed is at rest, to rounding; and places
        // that are known to rounding make velocities that are off by that over the step, again and again.
        constexpr double rest = 1e-6, rounding = 64 * 0x1p-52;
        double place = 0;
        for (const BodyState& b : s.state.bodies) place = std::max(place, b.position.cwiseAbs().maxCoeff());
        const double drift = rounding * place * s.state.time / (s.h * s.h) / linearBound;
        const double still =
            s.model().mass() * std::max(rest * std::sqrt(scale_.gravity * scale_.length), drift);  // N·s
        const Total now = totalOf(s);
        const double linear = std::max({most_.linearScale, now.linearScale, start_.linearScale, still});
        const double angular =
            std::max({most_.angularScale, now.angularScale, start_.angularScale, still * scale_.length});
        most_.linearScale = linear;
        most_.angularScale = angular;
        outcome_.linear = std::max(outcome_.linear, (now.linear - start_.linear).norm() / linear);
        outcome_.angular = std::max(outcome_.angular, (now.angular - start_.angular).norm() / angular);
    }

    void seeGaps(const Simulation& s)
    {
        const JointError error = largestJointError(s.model(), s.state);
        outcome_.gap = std::max({outcome_.gap, error.gap / scale_.length, error.misalignment});
    }

    void seeContacts(const Simulation& s)
    {
        double total = 0;
        for (const Contact& c : s.state.contacts) total = std::max(total, c.impulse.norm());
        for (const Contact& c : s.state.contacts) {
            const double normal = c.impulse[0], across = c.impulse.tail<2>().norm();
            if (normal < -1e-9 * total) outcome_.friction = std::max(outcome_.friction, 1.);
            const double beyond = across - c.friction * normal;
            if (beyond > std::max(1e-9 * total, roundingImpulse(s, c)))
                outcome_.friction =
                    std::max(outcome_.friction, beyond / std::max(c.friction * normal, 1e-9 * total));
            if (normal > 1e-6 * total)
                outcome_.distance = std::max(outcome_.distance, contactGap(c, s.state) / scale_.length);
        }
        // The true shapes at the end of the step, found afresh.
        collisions_.detect(s.model(), s.state, 1e-9, found_);
        for (const Contact& c : found_) {
            if (c.gap >= 0) continue;
            const double width = std::min(width_[c.colliderA], width_[c.colliderB]);
            const double way = s.h * (speed(s, c.bodyA, c.colliderA) + speed(s, c.bodyB, c.colliderB));
            const double excess = -c.gap - way * way / width;
            outcome_.depth = std::max(outcome_.depth, excess / width);
        }
    }

    // What moves the lighter of the two in a step by no more than its place is known.
    static double roundingImpulse(const Simulation& s, const Contact& c)
    {
        constexpr double rounding = 64 * 0x1p-52;
        double least = HUGE_VAL;
        for (const int body : {c.bodyA, c.bodyB}) {
            if (body < 0) continue;
            const double place = s.state.bodies[body].position.cwiseAbs().maxCoeff();
            least = std::min(least, s.model().bodies[body].mass * place);
        }
        return rounding * least / s.h;
    }

    double speed(const Simulation& s, int body, int collider) const
    {
        if (body < 0) return 0;
        const BodyState& b = s.state.bodies[body];
        return b.velocity.norm() + b.angularVelocity.norm() * reach_[collider];
    }

    bool passive_, floats_;
    SceneScale scale_;
    Outcome& outcome_;
    double startEnergy_ = 0, mostKinetic_ = 0, mostElastic_ = 0, leastPotential_ = 0, mostPotential_ = 0;
    Total start_, most_;
    std::vector<double> width_, reach_;
    Collisions collisions_;
    std::vector<Contact> found_;
};

// The largest difference of two answers over the largest value, turns counted at the scene's length.
double difference(const Accelerations& a, const Accelerations& b, const SceneScale& scale)
{
    double worst = 0, largest = 1e-3 * scale.gravity;
    for (std::size_t i = 0; i < a.body.size(); ++i) {
        const Motion &x = a.body[i], &y = b.body[i];
        const double off = (x.linear - y.linear).norm() + scale.length * (x.angular - y.angular).norm();
        if (!std::isfinite(off)) return 1e300;
        worst = std::max(worst, off);
        largest = std::max(largest, y.linear.norm() + scale.length * y.angular.norm());
    }
    return worst / largest;
}

// A dense solution with masses of ratio r keeps 16 − log10 r digits, of which the constraint rows cost
// some.
double methodsBound(const Model& model)
{
    double least = 1e300, most = 0;
    for (const Body& body : model.bodies) {
        if (body.mass == 0) continue;
        const SymmetricEigen3 moments(body.inertia);
        const double length = std::sqrt(moments.eigenvalues()[2] / body.mass);
        most = std::max(most, body.mass);
        least = std::min(least, moments.eigenvalues()[0] / (length * length));
    }
    return std::max(1e-7, 1e-12 * most / least);
}

void compareMethods(const Simulation& s, const SceneScale& scale, Outcome& outcome)
{
    const Method* dense = findMethod("kkt");
    const Method* recursive = findMethod("featherstone");
    if (!s.model().loops.empty() || !s.model().couplings.empty() || s.model().contact) return;
    if (!unsupportedReason(*dense, s.model()).empty()) return;
    // Steps leave body velocities that are means over the step; a method wants those of the joints.
    State state = s.state;
    bodiesFromJoints(s.model(), state);
    Work work;
    Forces forces;
    sceneForces(s.model(), state, forces);
    Accelerations a, b;
    a.resize(s.model());
    b.resize(s.model());
    recursive->accelerate(s.model(), state, forces, work, a);
    dense->accelerate(s.model(), state, forces, work, b);
    outcome.methods = std::max(outcome.methods, difference(a, b, scale) / methodsBound(s.model()));
}

// Places of all centres of mass after a time, or nothing.
bool endAfter(const Description& d, double step, double time, VecX& places)
{
    Settings settings;
    settings.step = step;
    auto simulation = Simulation::create(d, settings);
    if (!simulation) return false;
    Simulation& s = simulation.value();
    const int steps = static_cast<int>(std::round(time / step));
    for (int i = 0; i < steps; ++i)
        if (!s.step().ok) return false;
    places.resize(3 * s.model().size());
    for (int i = 0; i < s.model().size(); ++i) places.segment<3>(3 * i) = s.state.bodies[i].position;
    return true;
}

// The fastest that a spring or damper of a joint lets the lighter of its bodies answer, 1/s. Beside the
// order of a step, stiff laws have transients that only steps below their own time resolve.
double fastestRate(const Description& d, const Model& model)
{
    const auto inertiaOf = [&](const std::string& name, bool isSlide) {
        const int body = model.findBody(name);
        if (body < 0) return 1e300;
        const Body& b = model.bodies[body];
        return isSlide ? b.mass : SymmetricEigen3(b.inertia).eigenvalues()[0];
    };
    double fastest = 0;
    const auto note = [&](const std::string& name, double stiffness, double damping) {
        for (const JointDescription& j : d.joints) {
            if (j.name != name) continue;
            const bool isSlide = j.type == JointType::slide;
            const double inertia = std::min(inertiaOf(j.first, isSlide), inertiaOf(j.second, isSlide));
            fastest = std::max({fastest, std::sqrt(stiffness / inertia), damping / inertia});
        }
    };
    for (const JointDescription& j : d.joints)
        note(j.name, std::max(j.stiffness, j.twistStiffness.value_or(0)), j.damping);
    for (const ControllerDescription& c : d.controllers) note(c.joint, c.stiffness, c.damping);
    return fastest;
}

// log2 of how much the error falls when the step is halved, over a span; 0 where that cannot be told: an
// error that is not small beside the scene does not fall by any order yet, and of what spins fast or goes
// through a singular pose it may not be small whatever the step.
double orderOver(double span, const Description& d, const SceneScale& scale)
{
    constexpr int levels = 3;
    constexpr double small = 0.01, rounding = 1e-8;  // of the scene's length
    VecX places[3];
    double best = 0;
    for (int level = 0; level < levels; ++level) {
        const double step = span / (8 << (2 * level));
        for (int k = 0; k < 3; ++k)
            if (!endAfter(d, step / (1 << k), span, places[k])) return 0;
        const double coarse = (places[0] - places[1]).norm(), fine = (places[1] - places[2]).norm();
        if (fine < rounding * scale.length) return best > 0 ? best : 2;
        if (coarse > small * scale.length) continue;
        best = std::max(best, std::log2(coarse / fine));
        if (best > 1.5) return best;
    }
    return best;
}

// The steps become finer until the last two ratios agree that the order is there, or the error is rounding;
// and the span shorter until the error is small. A scene that has faster motions than that is not judged
// (0).
double measuredOrder(const Description& d, const Model& model, const SceneScale& scale)
{
    constexpr int spans = 4;
    double span = 0.25 * std::sqrt(scale.length / scale.gravity);
    if (fastestRate(d, model) * span / 128 > 0.3) return 0;
    for (int k = 0; k < spans; ++k, span /= 4)
        if (const double order = orderOver(span, d, scale); order != 0) return order;
    return 0;
}

void copyMessage(const std::string& text, Outcome& outcome)
{
    std::snprintf(outcome.message, sizeof outcome.message, "%s", text.c_str());
}

void judge(const Outcome& before, Outcome& outcome, double time)
{
    if (outcome.gap > gapBound) outcome.faults |= gap;
    if (outcome.depth > depthBound) outcome.faults |= penetration;
    if (outcome.friction > frictionBound || outcome.distance > distanceBound) outcome.faults |= coulomb;
    if (outcome.linear > linearBound) outcome.faults |= momentumLost;
    if (outcome.methods > 1) outcome.faults |= methods;
    if (outcome.contactCaps > 0) outcome.faults |= caps;
    if (outcome.energyGain > largeGain(outcome.turn)) outcome.faults |= energyGained;
    if (outcome.faults && !before.faults) outcome.failedAt = time;
}

}  // namespace

const char* faultName(int bit)
{
    constexpr const char* names[faultCount] = {"invalid", "ended",    "slow",   "iterations",  "caps",
                                               "energy",  "momentum", "gap",    "penetration", "coulomb",
                                               "methods", "order",    "crashed"};
    return names[bit];
}

std::string faultText(std::uint32_t faults)
{
    std::string text;
    for (int bit = 0; bit < faultCount; ++bit)
        if (faults & (1u << bit)) text += (text.empty() ? "" : "+") + std::string(faultName(bit));
    return text;
}

Outcome runScene(const Description& description, const RunLimits& limits)
{
    Outcome outcome;
    const double start = processorTime();
    Settings settings;
    if (limits.step > 0) settings.step = limits.step;
    auto created = Simulation::create(description, settings);
    if (!created) {
        outcome.faults = invalid;
        copyMessage(created.error().text(), outcome);
        return outcome;
    }
    Simulation& s = created.value();
    outcome.bodies = s.model().size();
    const int steps =
        static_cast<int>(std::round(description.run.duration.value_or(Settings::defaultDuration) / s.h));
    Watch watch(description, s, outcome);
    const SceneScale scale = scaleOf(description);
    long newton = 0;
    for (int i = 0; i < steps; ++i) {
        const Outcome before = outcome;
        if (i % std::max(steps / 4, 1) == 0) compareMethods(s, scale, outcome);
        const StepReport report = s.step();
        ++outcome.steps;
        newton += report.statistics.newtonIterations;
        outcome.mostIterations =
            std::max(outcome.mostIterations, static_cast<int>(report.statistics.newtonIterations));
        // A part of a step that was taken above its tolerance is as bad.
        outcome.contactCaps += report.statistics.contactCaps + report.statistics.unconverged;
        outcome.halvings += report.statistics.halvings;
        if (!report.ok) {
            outcome.faults |= ended;
            copyMessage(report.message, outcome);
        } else {
            watch.see(s);
        }
        if (processorTime() - start > limits.seconds) outcome.faults |= slow;
        judge(before, outcome, s.state.time);
        if (outcome.faults & (ended | slow)) break;
    }
    outcome.iterations = static_cast<double>(newton) / std::max(outcome.steps, 1);
    if (outcome.iterations > mostIterations) outcome.faults |= iterations;
    const bool finished = !(outcome.faults & (ended | slow));
    if (finished && limits.checkEnergyTwice && outcome.energyGain > smallGain &&
        !(outcome.faults & energyGained)) {
        RunLimits fine = limits;
        fine.step = s.h / 4;
        fine.checkOrder = fine.checkEnergyTwice = false;
        outcome.refinedGain = runScene(description, fine).energyGain;
        if (outcome.refinedGain > 0.5 * outcome.energyGain) outcome.faults |= energyGained;
    }
    if (finished && limits.checkOrder && isSmooth(description)) {
        outcome.order = measuredOrder(description, s.model(), scale);
        if (outcome.order != 0 && outcome.order < 1.5) outcome.faults |= order;
    }
    outcome.seconds = processorTime() - start;
    return outcome;
}

}  // namespace sinew::test
