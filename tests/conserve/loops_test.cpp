// Closed loops: what the energy-momentum step keeps, and the order of Runge-Kutta's with projection.
#include <gtest/gtest.h>

#include <cmath>

#include "support/drift.h"
#include "support/loops.h"

namespace sinew::test {
namespace {

// Without motor and damper, so that it swings for ever; it stands upright, and gets a push.
Description freeFourBar()
{
    Description d = shippedScene("fourbar");
    for (JointDescription& joint : d.joints) {
        joint.motor.clear();
        joint.damping = 0;
        if (joint.name == "crank") joint.velocity = {2};
    }
    return d;
}

TEST(ConservativeLoops, linkages_keep_their_energy_to_rounding)
{
    const auto run = [](const char* name, const Description& d) {
        const DriftOutcome o = runConservative(d, 1e-2, 1000);
        std::printf("%s: energy %.1e, gap %.1e, %.2f iterations, %d halved\n", name, o.energy, o.gap,
                    o.iterations, o.halvings);
        EXPECT_TRUE(o.ok) << name;
        EXPECT_LT(o.energy, 1e-11) << name;
        EXPECT_LT(o.gap, 1e-9) << name;
    };
    run("four-bar", freeFourBar());
    run("four-bar turned", turned(freeFourBar(), oblique()));
    run("four-bar sprung", sprung(turned(freeFourBar(), oblique()), 2));
    run("Bennett", bennett());
    run("Bennett sprung", sprung(turned(bennett(), oblique()), 2));
    run("in space", spatialFourBar());
    run("in space, sprung", sprung(turned(spatialFourBar(), oblique()), 2));
}

TEST(ConservativeLoops, a_floating_ring_keeps_all_three_invariants)
{
    for (int links : {5, 20}) {
        Random random(links);
        Description d = ring(links);
        // All but the closing joint start in motion, whatever the loop makes of it.
        for (std::size_t j = 0; j + 1 < d.joints.size(); ++j)
            for (int i = 0; i < 3; ++i) d.joints[j].velocity.push_back(random.normal());
        expectInvariants("ring", runConservative(d, 1e-2, 500));
        expectInvariants("ring, sprung", runConservative(sprung(d, 5), 1e-2, 500));
    }
}

TEST(ConservativeLoops, dampers_in_the_joints_of_a_loop_only_take_energy)
{
    const DriftOutcome o = runConservative(sprung(freeFourBar(), 2, 0.02), 1e-2, 500);
    EXPECT_TRUE(o.ok);
    EXPECT_LT(o.rise, 1e-13);
    EXPECT_GT(o.joules, 1e-3);
}

double rk4Error(const Description& d, const Simulation& truth, double h)
{
    Simulation s = started(d, stepping("rk4", h));
    double gap = 0;
    runFor(s, 0.64, [&](const StepReport&) {
        const JointError error = largestJointError(s.model(), s.state);
        gap = std::max({gap, error.gap, error.misalignment});
    });
    EXPECT_LT(gap, 1e-13);
    return drift(truth.state.bodies, s.state);
}

TEST(ProjectedRungeKutta, is_of_fourth_order_on_loops_and_leaves_no_gap)
{
    const std::pair<const char*, Description> scenes[] = {
        {"four-bar turned", turned(freeFourBar(), oblique())},
        {"four-bar sprung", sprung(freeFourBar(), 0.1, 1e-3)},
        {"Bennett", bennett()},
        {"in space", turned(spatialFourBar(), oblique())}};
    for (const auto& [name, d] : scenes) {
        Simulation truth = started(d, stepping("rk4", 5e-4));
        runFor(truth, 0.64);
        const double coarse = rk4Error(d, truth, 1.6e-2), fine = rk4Error(d, truth, 8e-3);
        const double order = std::log2(coarse / fine);
        std::printf("%s: %.1e m off, order %.2f\n", name, coarse, order);
        EXPECT_GT(order, 3.5) << name;
    }
}

TEST(ProjectedRungeKutta, keeps_the_energy_of_linkages_to_its_order)
{
    for (const Description& d : {turned(freeFourBar(), oblique()), bennett(), spatialFourBar()}) {
        Simulation s = started(d, stepping("rk4", 2e-3));
        const Energy first = energy(s.model(), s.state);
        double worst = 0, scale = 0;
        runFor(s, 5, [&](const StepReport&) {
            const Energy now = energy(s.model(), s.state);
            worst = std::max(worst, std::abs(now.total() - first.total()));
            scale = std::max(scale, now.kinetic);
        });
        std::printf("energy off by %.1e of %.1e J\n", worst, scale);
        EXPECT_LT(worst, 1e-6 * scale);
    }
}

}  // namespace
}  // namespace sinew::test
