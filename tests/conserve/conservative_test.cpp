// The energy-momentum step: Hakenberg's three invariants, in discrete time.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/figure/chain.h"
#include "sinew/simulation/simulation.h"
#include "support/drift.h"
#include "support/outcome.h"

namespace sinew {
namespace {

using test::DriftOutcome;
using test::expectInvariants;
using test::freeChain;
using test::movingTree;
using test::runConservative;

TEST(Conservative, free_chain_keeps_all_three_invariants_for_ten_thousand_steps)
{
    Random random(1);
    for (double h : {1e-2, 1. / 60})
        expectInvariants("chain of 10", runConservative(freeChain(random, 10), h, 10000));
}

TEST(Conservative, random_trees_of_every_joint_type_keep_them_too)
{
    Random random(2);
    for (int bodies : {10, 30, 100})
        expectInvariants("tree", runConservative(movingTree(random, bodies, 0, 0), 1e-2, 20000 / bodies));
}

TEST(Conservative, springs_share_in_the_conserved_energy)
{
    Random random(3);
    for (int bodies : {10, 30})
        expectInvariants("tree with springs",
                         runConservative(movingTree(random, bodies, 5, 0), 1e-2, 1000));
}

TEST(Conservative, friction_only_ever_takes_energy)
{
    Random random(4);
    const DriftOutcome o = runConservative(movingTree(random, 20, 5, 0.1), 1e-2, 1000);
    EXPECT_TRUE(o.ok);
    EXPECT_LT(o.rise, 1e-15);
    EXPECT_GT(o.energy, 1e-2);  // it did take some
    EXPECT_LT(o.linear, 1e-11);
    EXPECT_LT(o.angular, 1e-11);
}

TEST(Conservative, heavy_tip_swings_for_ten_seconds_without_losing_a_nanojoule)
{
    const DriftOutcome o = runConservative(test::heavyTip(true), 1. / 60, 600);
    std::printf("drift %.1e J of 936, gap %.1e m, %.2f iterations, %d halvings in 600 steps\n", o.joules,
                o.gap, o.iterations, o.halvings);
    EXPECT_TRUE(o.ok);
    EXPECT_LT(o.joules, 1e-9);
}

TEST(Conservative, stiff_chains_keep_their_energy_and_dampers_only_take)
{
    for (double k : {0., 10., 1e3, 1e5})
        for (double damping : {0., 0.01}) {
            if (k == 0 && damping == 0) continue;  // the slack chain is the heavy tip's business
            const DriftOutcome o = runConservative(test::stiffChain(k, damping), 1. / 60, 300);
            std::printf("k=%g damping %g: drift %.1e J, rise in a step %.1e of the energy, %d halved\n", k,
                        damping, o.joules, o.rise, o.halvings);
            EXPECT_TRUE(o.ok);
            EXPECT_LT(o.rise, 1e-9);
            if (damping == 0) EXPECT_LT(o.joules, 1e-9 * 120);  // 120 J from horizontal to the bottom
        }
}

TEST(Conservative, is_of_second_order)
{
    EXPECT_NEAR(test::measuredOrder("conservative"), 2, 0.25);
}

}  // namespace
}  // namespace sinew
