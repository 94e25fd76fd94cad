// The implicit steps: never a joule gained, no gap, few iterations, the right order.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/random.h"
#include "sinew/figure/chain.h"
#include "sinew/simulation/simulation.h"
#include "support/outcome.h"
#include "support/random_tree.h"

namespace sinew {
namespace {

using test::heavyTip;
using test::Outcome;
using test::simulate;

TEST(HeavyTip, of_a_thousand_times_the_mass_is_calm_at_frame_sized_steps)
{
    const double scale = 936;  // J from horizontal to the bottom
    for (bool horizontal : {true, false}) {
        for (double h : {1. / 60, 1. / 30}) {
            for (const char* integrator : {"implicit_euler", "implicit_bdf2"}) {
                const Outcome o = simulate(heavyTip(horizontal), integrator, h, 10);
                std::printf(
                    "%s %s h=1/%.0f: rise %.1e J, end %.2f J, gap %.1e m, %.2f iterations, %d halved\n",
                    horizontal ? "horizontal" : "hanging", integrator, 1 / h, o.rise, o.end, o.gap,
                    o.iterations, o.halvings);
                EXPECT_TRUE(o.ok);
                EXPECT_LE(o.rise, 1e-9 * scale);
                EXPECT_LT(o.gap, 1e-9);
                EXPECT_LE(o.iterations, 5);
            }
        }
    }
    EXPECT_GT(simulate(heavyTip(true), "implicit_bdf2", 1. / 60, 10).end, -40);
}

TEST(StiffChain, of_any_stiffness_never_gains_energy)
{
    for (double k : {0., 10., 1e3, 1e5, 1e7}) {
        for (double h : {1. / 60, 1. / 30}) {
            const Outcome o = simulate(test::stiffChain(k), "implicit", h, 60);
            std::printf("k=%g h=1/%.0f: rise %.1e J, end %.3f J, gap %.1e m, %.2f iterations, %d halved\n",
                        k, 1 / h, o.rise, o.end, o.gap, o.iterations, o.halvings);
            EXPECT_TRUE(o.ok);
            EXPECT_LE(o.rise, 1e-9 * 120);  // 120 J from horizontal to the bottom
            EXPECT_LT(o.gap, 1e-9);
        }
    }
}

TEST(StiffChain, loses_less_energy_than_any_stable_peer)
{
    // k = 10, damping 0.01 after 10 s: the fine reference has −52.5 J, the best stable engine −80.5 J.
    const Outcome o = simulate(test::stiffChain(10, 0.01), "implicit", 1. / 60, 10);
    std::printf("energy after 10 s: %.2f J\n", o.end);
    EXPECT_LT(std::abs(o.end + 52.5), std::abs(-80.5 + 52.5));
}

TEST(ImplicitStep, works_on_random_trees_of_every_joint_type)
{
    Random random(9);
    for (int t = 0; t < 30; ++t) {
        test::TreeOptions options;
        options.bodies = 2 + random.below(20);
        options.joints = {JointType::hinge, JointType::spherical, JointType::slide, JointType::universal,
                          JointType::weld};
        options.rootJoints = {JointType::hinge, JointType::spherical, JointType::universal};
        Description d = test::randomTree(random, options);
        for (JointDescription& joint : d.joints)
            if (joint.type != JointType::weld) joint.stiffness = std::pow(10, random.uniform(0, 5));
        const Outcome o = simulate(d, "implicit_euler", 1. / 60, 2);
        EXPECT_TRUE(o.ok) << t;
        EXPECT_LT(o.rise, 1e-8) << t;
        EXPECT_LT(o.iterations, 8) << t;
    }
}

TEST(ImplicitStep, is_of_first_order_by_euler_and_of_second_by_bdf2)
{
    for (const char* coordinates : {"joint", "maximal"}) {
        EXPECT_NEAR(test::measuredOrder("implicit_euler", coordinates), 1, 0.25);
        EXPECT_NEAR(test::measuredOrder("implicit_bdf2", coordinates), 2, 0.25);
        EXPECT_NEAR(test::measuredOrder("implicit_bdf2", coordinates, 0.002), 2, 0.25);
    }
}

}  // namespace
}  // namespace sinew
