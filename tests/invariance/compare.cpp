#include "invariance/compare.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/rotation.h"
#include "sinew/base/random.h"
#include "sinew/state/contacts.h"

namespace sinew::invariance {
namespace {

constexpr double far = 1e5;  // m

// What lengths and speeds of a scene are large or small against.
struct Scale {
    double length = 0, speed = 0, spin = 0;
};
Scale scaleOf(const Simulation& simulation, const State& state)
{
    Scale scale;
    const Vec3 middle = state.bodies.front().position;
    for (int i = 0; i < simulation.model.size(); ++i) {
        const BodyState& b = state.bodies[i];
        const Joint& joint = simulation.model.joints[i];
        scale.length = std::max(scale.length, (b.position - middle).norm());
        if (joint.type != JointType::free) scale.length = std::max(scale.length, joint.anchorChild.norm());
        scale.speed = std::max(scale.speed, b.velocity.norm());
        scale.spin = std::max(scale.spin, b.angularVelocity.norm());
    }
    scale.speed = std::max(scale.speed, simulation.model.gravity.norm() * simulation.h);
    scale.spin = std::max(scale.spin, scale.speed / scale.length);
    return scale;
}

StepDifference difference(const BodyState& a, const BodyState& b, const Scale& scale)
{
    StepDifference d;
    d.position = (a.position - b.position).norm() / scale.length;
    d.angle = logRotation(a.orientation.conjugate() * b.orientation).norm();
    d.velocity = (a.velocity - b.velocity).norm() / scale.speed;
    d.spin = (a.angularVelocity - b.angularVelocity).norm() / scale.spin;
    return d;
}

Transformation similar(const std::string& name, const Similarity& by)
{
    return {name, by, [by](const Description& scene) { return transformed(scene, by); }};
}

std::vector<char> someJoints(const Description& scene, std::uint64_t seed)
{
    Random random(seed);
    std::vector<char> which;
    for (std::size_t j = 0; j < scene.joints.size(); ++j)
        which.push_back(seed == 0 || random.below(2) == 0 ? 1 : 0);
    return which;
}

}  // namespace

std::vector<Transformation> transformations(int seeds)
{
    std::vector<Transformation> all;
    for (int k = 1; k <= seeds; ++k) {
        const std::string number = " " + std::to_string(k);
        const auto seed = static_cast<std::uint64_t>(k);
        all.push_back(similar("turned" + number, turned(seed)));
        all.push_back(similar("mirrored" + number, mirrored(seed)));
        all.push_back(similar("moved" + number, moved(seed, far)));
        all.push_back({"reordered" + number, {}, [seed](const Description& scene) -> Result<Description> {
                           return reordered(scene, seed);
                       }});
        all.push_back({"swapped" + number, {}, [seed](const Description& scene) {
                           return swapped(scene, someJoints(scene, seed - 1));
                       }});
    }
    all.push_back(similar("length 1e-3", scaled(1e-3, 1e-9)));
    all.push_back(similar("length 1e3", scaled(1e3, 1e9)));
    all.push_back(similar("mass 1e-6", scaled(1, 1e-6)));
    all.push_back(similar("mass 1e6", scaled(1, 1e6)));
    return all;
}

Result<Recorded> record(const Description& scene, double duration, int states)
{
    Result<Simulation> made = Simulation::create(scene, {});
    if (!made) return made.error();
    Recorded run{std::move(made.value()), {}, {}};
    Simulation& simulation = run.simulation;
    RunMeasures& m = run.measures;
    duration = std::min(duration, scene.run.duration.value_or(Settings::defaultDuration));
    const long steps = std::max(1L, std::lround(duration / simulation.h));
    m.startEnergy = m.leastEnergy = m.mostEnergy = energy(simulation.model, simulation.state).total();
    for (long i = 0; i < steps; ++i) {
        // State k of n is the one before step k (steps − 1)/(n − 1).
        const auto have = static_cast<long>(run.states.size());
        if (have < states && i * (states - 1) >= have * (steps - 1)) {
            run.states.push_back(simulation.state);
            normalise(run.states.back());
        }
        const StepReport report = simulation.step();
        ++m.steps;
        m.iterations += report.statistics.newtonIterations;
        m.halvings += report.statistics.halvings;
        m.caps += report.statistics.contactCaps;
        if (!report.ok) {
            m.ok = false;
            m.message = report.message;
            break;
        }
        m.endEnergy = energy(simulation.model, simulation.state).total();
        m.leastEnergy = std::min(m.leastEnergy, m.endEnergy);
        m.mostEnergy = std::max(m.mostEnergy, m.endEnergy);
        const JointError error = largestJointError(simulation.model, simulation.state);
        m.largestGap = std::max(m.largestGap, error.gap);
        m.deepest = std::max(m.deepest, largestPenetration(simulation.state));
    }
    return run;
}

double StepDifference::worst() const
{
    return std::max({position, angle, velocity, spin});
}

StepComparison compareSteps(const Recorded& original, const Transformation& how, Simulation transformed)
{
    StepComparison out;
    Simulation here = original.simulation;
    long iterations[2] = {};
    for (std::size_t k = 0; k < original.states.size(); ++k) {
        const State& state = original.states[k];
        here.state = state;
        transformed.state = mapState(here, state, how.by, transformed);
        const StepReport a = here.step(), b = transformed.step();
        iterations[0] += a.statistics.newtonIterations;
        iterations[1] += b.statistics.newtonIterations;
        if (a.ok != b.ok) {
            ++out.failures;
            if (out.faults.empty()) out.faults = (a.ok ? "transformed: " + b.message : "original: " + a.message);
        }
        if (!a.ok || !b.ok) continue;
        const LargeVector<BodyState> bodies = mapBack(transformed, transformed.state, how.by, here);
        const Scale scale = scaleOf(here, state);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const StepDifference d = difference(here.state.bodies[i], bodies[i], scale);
            if (d.worst() <= out.largest.worst()) continue;
            out.at = static_cast<int>(k);
            out.body = here.model.bodies[i].name;
            out.largest = d;
        }
    }
    for (int side = 0; side < 2; ++side)
        out.iterations[side] = static_cast<double>(iterations[side]) / static_cast<double>(original.states.size());
    return out;
}

}  // namespace sinew::invariance
