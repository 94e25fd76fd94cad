// Runs of the energy-momentum step: how far energy and both momenta drift.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/figure/chain.h"
#include "sinew/simulation/simulation.h"
#include "support/random_tree.h"

namespace sinew::test {

struct DriftOutcome {
    double energy = 0, linear = 0, angular = 0;  // largest drift, in the summary's measure
    double rise = 0;                             // largest rise of the energy in one step, same measure
    double joules = 0;                           // largest |E − E₀|
    double gap = 0, iterations = 0;
    int halvings = 0;
    bool ok = true;
};

inline DriftOutcome runConservative(const Description& description, double h, int steps)
{
    Result<Simulation> made = Simulation::create(description, {"", "conservative", h});
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    Simulation& s = made.value();
    // The centre of mass rests: hundreds of metres from the origin a double has three digits less for the
    // joints.
    if (s.model().gravity.isZero() && s.model().joints[0].type == JointType::free) {
        const Vec3 drift = momentum(s.model(), s.state).linear / s.model().mass();
        for (BodyState& body : s.state.bodies) body.velocity -= drift;
        jointsFromBodies(s.model(), s.state);
    }
    const double start = energy(s.model(), s.state).total();
    const Momentum first = momentum(s.model(), s.state);
    double last = start, energyScale = 0, linearScale = 0, angularScale = 0;
    DriftOutcome o;
    long iterations = 0;
    for (int i = 0; i < steps && o.ok; ++i) {
        const StepReport report = s.step();
        o.ok = report.ok;
        iterations += report.statistics.newtonIterations;
        o.halvings += report.statistics.halvings;
        const Energy e = energy(s.model(), s.state);
        const Momentum m = momentum(s.model(), s.state);
        energyScale = std::max(energyScale, e.kinetic + std::abs(e.potential) + e.elastic);
        linearScale = std::max(linearScale, m.linearScale);
        angularScale = std::max(angularScale, m.angularScale);
        o.joules = std::max(o.joules, std::abs(e.total() - start));
        o.rise = std::max(o.rise, e.total() - last);
        o.linear = std::max(o.linear, (m.linear - first.linear).norm());
        o.angular = std::max(o.angular, (m.angular - first.angular).norm());
        last = e.total();
    }
    const JointError error = largestJointError(s.model(), s.state);
    o.gap = std::max(error.gap, error.misalignment);
    o.energy = o.joules / energyScale;
    o.rise /= energyScale;
    o.linear /= linearScale;
    o.angular /= angularScale;
    o.iterations = static_cast<double>(iterations) / steps;
    return o;
}

// All joint types, floating, about 3 rad/s.
inline Description movingTree(Random& random, int bodies, double stiffness, double damping)
{
    TreeOptions options;
    options.bodies = bodies;
    options.joints = {JointType::hinge, JointType::spherical, JointType::slide, JointType::universal,
                      JointType::weld};
    Description d = randomTree(random, options);
    d.gravity.setZero();
    for (JointDescription& joint : d.joints) {
        const int k = jointTypeInfo(joint.type).freedoms;
        if (k == 0) continue;
        const double speed = joint.type == JointType::slide ? 0.3 : 3 / std::sqrt(k);
        for (int i = 0; i < k; ++i) joint.velocity.push_back(speed * random.normal());
        joint.stiffness = stiffness;
        joint.damping = damping;
    }
    return d;
}

inline Description freeChain(Random& random, int links)
{
    ChainOptions options;
    options.links = links;
    options.pinned = false;
    Description d = makeChain(options);
    d.gravity.setZero();
    // Joint speeds add up along the chain like a random walk; links of a long one shall not start faster.
    const double speed = 3 / std::sqrt(3.) * std::sqrt(10. / links);
    for (JointDescription& joint : d.joints)
        for (int i = 0; i < 3; ++i) joint.velocity.push_back(speed * random.normal());
    return d;
}

inline void expectInvariants(const char* name, const DriftOutcome& o)
{
    std::printf(
        "%s: energy %.1e, momentum %.1e, angular momentum %.1e, gap %.1e, %.2f iterations, %d halved\n",
        name, o.energy, o.linear, o.angular, o.gap, o.iterations, o.halvings);
    EXPECT_TRUE(o.ok);
    EXPECT_LT(o.energy, 1e-11);
    EXPECT_LT(o.linear, 1e-11);
    EXPECT_LT(o.angular, 1e-11);
    EXPECT_LT(o.gap, 1e-9);
}

}  // namespace sinew::test
