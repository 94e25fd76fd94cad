// The energy-momentum step: Hakenberg's three invariants, in discrete time.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/model/chain.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/measure.h"
#include "support/random_tree.h"

namespace sinew {
namespace {

struct Outcome {
    double energy = 0, linear = 0, angular = 0;  // largest drift, in the summary's measure
    double rise = 0;                             // largest rise of the energy in one step, same measure
    double joules = 0;                           // largest |E − E₀|
    double gap = 0, iterations = 0;
    int halvings = 0;
    bool ok = true;
};

Outcome simulate(const Description& description, double h, int steps)
{
    Result<Simulation> made = Simulation::create(description, {"", "conservative", h});
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    Simulation& s = made.value();
    const double start = energy(s.model, s.state).total();
    const Momentum first = momentum(s.model, s.state);
    double last = start, energyScale = 0, linearScale = 0, angularScale = 0;
    Outcome o;
    long iterations = 0;
    for (int i = 0; i < steps && o.ok; ++i) {
        const StepReport report = s.step();
        o.ok = report.ok;
        iterations += report.statistics.newtonIterations;
        o.halvings += report.statistics.halvings;
        const Energy e = energy(s.model, s.state);
        const Momentum m = momentum(s.model, s.state);
        energyScale = std::max(energyScale, e.kinetic + std::abs(e.potential) + e.elastic);
        linearScale = std::max(linearScale, m.linearScale);
        angularScale = std::max(angularScale, m.angularScale);
        o.joules = std::max(o.joules, std::abs(e.total() - start));
        o.rise = std::max(o.rise, e.total() - last);
        o.linear = std::max(o.linear, (m.linear - first.linear).norm());
        o.angular = std::max(o.angular, (m.angular - first.angular).norm());
        last = e.total();
    }
    const JointError error = largestJointError(s.model, s.state);
    o.gap = std::max(error.gap, error.misalignment);
    o.energy = o.joules / energyScale;
    o.rise /= energyScale;
    o.linear /= linearScale;
    o.angular /= angularScale;
    o.iterations = static_cast<double>(iterations) / steps;
    return o;
}

// All joint types, floating, about 3 rad/s.
Description movingTree(Random& random, int bodies, double stiffness, double damping)
{
    test::TreeOptions options;
    options.bodies = bodies;
    options.joints = {JointType::hinge, JointType::spherical, JointType::slide, JointType::universal,
                      JointType::weld};
    Description d = test::randomTree(random, options);
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

Description freeChain(Random& random, int links)
{
    ChainOptions options;
    options.links = links;
    options.pinned = false;
    Description d = makeChain(options);
    d.gravity.setZero();
    for (JointDescription& joint : d.joints)
        for (int i = 0; i < 3; ++i) joint.velocity.push_back(3 / std::sqrt(3.) * random.normal());
    return d;
}

void expectInvariants(const char* name, const Outcome& o)
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

TEST(Conservative, free_chain_keeps_all_three_invariants_for_ten_thousand_steps)
{
    Random random(1);
    for (double h : {1e-2, 1. / 60})
        expectInvariants("chain of 10", simulate(freeChain(random, 10), h, 10000));
}

TEST(Conservative, random_trees_of_every_joint_type_keep_them_too)
{
    Random random(2);
    for (int bodies : {10, 30, 100})
        expectInvariants("tree", simulate(movingTree(random, bodies, 0, 0), 1e-2, 20000 / bodies));
}

TEST(Conservative, springs_share_in_the_conserved_energy)
{
    Random random(3);
    for (int bodies : {10, 30})
        expectInvariants("tree with springs", simulate(movingTree(random, bodies, 5, 0), 1e-2, 1000));
}

TEST(Conservative, friction_only_ever_takes_energy)
{
    Random random(4);
    const Outcome o = simulate(movingTree(random, 20, 5, 0.1), 1e-2, 1000);
    EXPECT_TRUE(o.ok);
    EXPECT_LT(o.rise, 1e-15);
    EXPECT_GT(o.energy, 1e-2);  // it did take some
    EXPECT_LT(o.linear, 1e-11);
    EXPECT_LT(o.angular, 1e-11);
}

TEST(Conservative, heavy_tip_swings_for_ten_seconds_without_losing_a_nanojoule)
{
    ChainOptions options;
    options.tipRatio = 1000;
    options.horizontal = true;
    const Outcome o = simulate(makeChain(options), 1. / 60, 600);
    std::printf("drift %.1e J of 936, gap %.1e m, %.2f iterations, %d halvings in 600 steps\n", o.joules,
                o.gap, o.iterations, o.halvings);
    EXPECT_TRUE(o.ok);
    EXPECT_LT(o.joules, 1e-9);
}

TEST(Conservative, is_of_second_order)
{
    ChainOptions options;
    options.links = 4;
    options.stiffness = 0.5;
    options.damping = 0.002;
    options.horizontal = true;
    const Description d = makeChain(options);
    const auto tip = [&](const char* integrator, double h) {
        Result<Simulation> made = Simulation::create(d, {"", integrator, h});
        EXPECT_TRUE(made);
        const int steps = static_cast<int>(std::lround(0.5 / h));
        for (int i = 0; i < steps; ++i) EXPECT_TRUE(made.value().step().ok);
        return Vec3(made.value().state.bodies[3].position);
    };
    const Vec3 exact = tip("rk4", 1e-4);
    const double coarse = (tip("conservative", 4e-3) - exact).norm();
    const double fine = (tip("conservative", 5e-4) - exact).norm();
    std::printf("error %.2e at 4e-3, %.2e at 5e-4\n", coarse, fine);
    EXPECT_NEAR(std::log(coarse / fine) / std::log(8.), 2, 0.25);
}

}  // namespace
}  // namespace sinew
