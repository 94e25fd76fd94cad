#include "invariance/compare.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/random.h"
#include "sinew/collision/detect.h"
#include "sinew/math/rotation.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/state/contacts.h"

namespace sinew::invariance {
namespace {

constexpr double far = 1e5;  // m

double radiusOfGyration(const Body& body)
{
    return body.mass > 0 ? std::sqrt(body.inertia.diagonal().maxCoeff() / body.mass) : 0;
}

StepDifference difference(const Body& body, const BodyState& a, const BodyState& b, const Scale& scale)
{
    const double radius = radiusOfGyration(body);
    StepDifference d;
    d.position = (a.position - b.position).norm() / scale.length;
    d.angle = logRotation(a.orientation.conjugate() * b.orientation).norm() * radius / scale.length;
    d.velocity = (a.velocity - b.velocity).norm() / scale.speed;
    d.spin = (a.angularVelocity - b.angularVelocity).norm() * radius / scale.speed;
    return d;
}

void begin(const Simulation& simulation, RunMeasures& m)
{
    m.startEnergy = m.leastEnergy = m.mostEnergy = m.endEnergy =
        energy(simulation.model(), simulation.state).total();
    m.scale = scaleOf(simulation.model(), simulation.state);
}

// One step of a run, counted and measured. False if it was not found.
bool advance(Simulation& simulation, RunMeasures& m)
{
    const StepReport report = simulation.step();
    ++m.steps;
    m.iterations += report.statistics.newtonIterations;
    m.halvings += report.statistics.halvings;
    m.caps += report.statistics.contactCaps;
    if (!report.ok) {
        m.ok = false;
        m.message = report.message;
        return false;
    }
    m.endEnergy = energy(simulation.model(), simulation.state).total();
    m.leastEnergy = std::min(m.leastEnergy, m.endEnergy);
    m.mostEnergy = std::max(m.mostEnergy, m.endEnergy);
    m.largestGap = std::max(m.largestGap, largestJointError(simulation.model(), simulation.state).gap);
    m.deepest = std::max(m.deepest, m.collisions.depth(simulation.model(), simulation.state));
    return true;
}

Transformation similar(const std::string& name, const Similarity& by)
{
    return {name, by, [by](const Description& scene) { return transformed(scene, by); }};
}

// Of seed 0 all of them, but those that are one way.
std::vector<char> someJoints(const Description& scene, std::uint64_t seed)
{
    Random random(seed);
    std::vector<char> which;
    for (std::size_t j = 0; j < scene.joints.size(); ++j)
        which.push_back(seed == 0 || random.below(2) == 0 ? 1 : 0);
    for (const auto& joint : oneWayJoints(scene))
        which[static_cast<std::size_t>(findJoint(scene, joint.first))] = 0;
    return which;
}

// How far a step of length h is from two of half that, at a state: what the method leaves undone.
StepDifference methodError(Simulation simulation, const State& state, const Scale& scale)
{
    Simulation halves = simulation;
    simulation.state = halves.state = state;
    halves.h /= 2;
    // Where a step is not found, the difference is as large as the motion.
    (void)simulation.step();
    (void)halves.step();
    (void)halves.step();
    StepDifference most;
    for (std::size_t i = 0; i < state.bodies.size(); ++i) {
        const StepDifference d = difference(simulation.model().bodies[i], simulation.state.bodies[i],
                                            halves.state.bodies[i], scale);
        most.position = std::max({most.position, d.position, d.angle});
        most.velocity = std::max({most.velocity, d.velocity, d.spin});
    }
    return most;
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
        all.push_back({"reordered" + number, {}, [seed](const Description& scene) {
                           return reordered(scene, seed);
                       }});
        all.push_back(
            {"rerooted" + number, {}, [seed](const Description& scene) { return rerooted(scene, seed); }});
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
    duration = std::min(duration, scene.run.duration.value_or(Settings::defaultDuration));
    const long steps = std::max(1L, std::lround(duration / simulation.h));
    begin(simulation, run.measures);
    for (long i = 0; i < steps; ++i) {
        // State k of n is the one before step k (steps − 1)/(n − 1).
        const auto have = static_cast<long>(run.states.size());
        if (have < states && i * (states - 1) >= have * (steps - 1)) {
            run.states.push_back(simulation.state);
            normalise(run.states.back());
        }
        if (!advance(simulation, run.measures)) break;
    }
    return run;
}

RunMeasures repeat(const Recorded& original, const Transformation& how, Simulation transformed)
{
    RunMeasures m;
    transformed.state = mapState(original.simulation, original.states.front(), how.by, transformed);
    begin(transformed, m);
    while (m.steps < original.measures.steps && advance(transformed, m)) {
    }
    return m;
}

Scale scaleOf(const Model& model, const State& state)
{
    Scale scale;
    const auto vertex = [](const VecX& numbers, int i) {
        return Vec3(numbers[i], numbers[i + 1], numbers[i + 2]);
    };
    const Vec3 middle =
        state.bodies.empty() ? vertex(state.meshes.front().x, 0) : Vec3(state.bodies.front().position);
    for (const MeshState& mesh : state.meshes)
        for (int i = 0; i + 2 < mesh.x.size(); i += 3) {
            scale.length = std::max(scale.length, (vertex(mesh.x, i) - middle).norm());
            scale.speed = std::max(scale.speed, vertex(mesh.v, i).norm());
        }
    for (int i = 0; i < model.size(); ++i) {
        const BodyState& b = state.bodies[i];
        scale.length =
            std::max(scale.length, (b.position - middle).norm() + radiusOfGyration(model.bodies[i]));
        if (model.joints[i].type != JointType::free)
            scale.length = std::max(scale.length, model.joints[i].anchorChild.norm());
        scale.speed = std::max(scale.speed, b.velocity.norm());
    }
    scale.speed = std::max(scale.speed, std::sqrt(model.gravity.norm() * scale.length));
    return scale;
}

StepComparison compareSteps(const Recorded& original, const Transformation& how, Simulation transformed,
                            const Allowance& allowance)
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
            if (out.faults.empty())
                out.faults = a.ok ? "transformed: " + b.message : "original: " + a.message;
        }
        if (!a.ok || !b.ok) continue;
        const LargeVector<BodyState> bodies = mapBack(transformed, transformed.state, how.by, here);
        const Scale scale = scaleOf(here.model(), state);
        double place = allowance.relative + allowance.length / scale.length;
        double speed = allowance.relative + allowance.length / (here.h * scale.speed);
        if (allowance.methodErrors > 0) {
            const StepDifference error = methodError(original.simulation, state, scale);
            place += allowance.methodErrors * error.position;
            speed += allowance.methodErrors * error.velocity;
        }
        const auto note = [&](const StepDifference& d, const std::string& whose) {
            const double excess =
                std::max({d.position / place, d.angle / place, d.velocity / speed, d.spin / speed});
            if (excess <= out.excess) return;
            out.excess = excess;
            out.at = static_cast<int>(k);
            out.body = whose;
            out.largest = d;
        };
        for (std::size_t i = 0; i < bodies.size(); ++i)
            note(difference(here.model().bodies[i], here.state.bodies[i], bodies[i], scale),
                 here.model().bodies[i].name);
        const std::vector<MeshState> meshes = mapMeshesBack(transformed.state, how.by);
        for (std::size_t m = 0; m < meshes.size(); ++m) {
            StepDifference d;  // of single numbers
            d.position = (here.state.meshes[m].x - meshes[m].x).cwiseAbs().maxCoeff() / scale.length;
            d.velocity = (here.state.meshes[m].v - meshes[m].v).cwiseAbs().maxCoeff() / scale.speed;
            note(d, here.model().meshes[m].name);
        }
    }
    for (int side = 0; side < 2; ++side)
        out.iterations[side] =
            static_cast<double>(iterations[side]) / static_cast<double>(original.states.size());
    return out;
}

ContactComparison compareContacts(const Recorded& original, const Transformation& how,
                                  const Simulation& transformed)
{
    ContactComparison out;
    const Simulation& here = original.simulation;
    Collisions collisions[2];
    std::vector<Contact> found[2];
    for (std::size_t k = 0; k < original.states.size(); ++k) {
        const State& state = original.states[k];
        const State mapped = mapState(here, state, how.by, transformed);
        collisions[0].detect(here.model(), state, here.h, found[0]);
        collisions[1].detect(transformed.model(), mapped, transformed.h, found[1]);
        const double length = scaleOf(here.model(), state).length * how.by.length;
        std::vector<char> taken(found[1].size(), 0);
        for (const Contact& wanted : mapContacts(here, found[0], how.by, transformed)) {
            // The nearest of the same pair that no other has taken.
            double least = 1e300;
            std::size_t best = found[1].size();
            for (std::size_t i = 0; i < found[1].size(); ++i) {
                const Contact& c = found[1][i];
                if (taken[i] || c.colliderA != wanted.colliderA || c.colliderB != wanted.colliderB)
                    continue;
                const double off =
                    (contactPlace(c, mapped) - contactPlace(wanted, mapped)).norm() / length +
                    (c.normal - wanted.normal).norm();
                if (off >= least) continue;
                least = off;
                best = i;
            }
            const auto where = [&] {
                const auto nameOf = [&](int body) {
                    return body < 0 ? std::string("world") : transformed.model().bodies[body].name;
                };
                return nameOf(wanted.bodyA) + " on " + nameOf(wanted.bodyB) + " at state " +
                       std::to_string(k) + ", gap " + std::to_string(wanted.gap / length);
            };
            if (best == found[1].size()) {
                if (++out.alone == 1) out.first = where();
                continue;
            }
            taken[best] = 1;
            const Contact& c = found[1][best];
            const double place = (contactPlace(c, mapped) - contactPlace(wanted, mapped)).norm() / length;
            if (place > out.place && out.alone == 0) out.first = where();
            out.place = std::max(out.place, place);
            out.normal = std::max(out.normal, (c.normal - wanted.normal).norm());
            out.gap = std::max(out.gap, std::abs(c.gap - wanted.gap) / length);
        }
        out.alone += static_cast<int>(std::count(taken.begin(), taken.end(), 0));
    }
    return out;
}

}  // namespace sinew::invariance
