// Ten thousand steps of everything the energy-momentum step keeps: `make long`.
#include <gtest/gtest.h>

#include "support/drift.h"

namespace sinew::test {
namespace {

class Invariants : public testing::TestWithParam<double> {};

TEST_P(Invariants, hold_on_free_chains_for_ten_thousand_steps)
{
    Random random(41);
    for (int links : {10, 30, 100})
        expectInvariants("chain", runConservative(freeChain(random, links), GetParam(), 10000));
}

TEST_P(Invariants, hold_on_random_trees_for_ten_thousand_steps)
{
    Random random(42);
    for (int bodies : {10, 30, 100})
        expectInvariants("tree", runConservative(movingTree(random, bodies, 0, 0), GetParam(), 10000));
}

TEST_P(Invariants, hold_with_springs_for_ten_thousand_steps)
{
    Random random(43);
    for (int bodies : {10, 30, 100})
        expectInvariants("tree with springs",
                         runConservative(movingTree(random, bodies, 5, 0), GetParam(), 10000));
}

TEST_P(Invariants, but_for_energy_that_friction_takes_in_every_step)
{
    Random random(44);
    for (int bodies : {10, 30, 100}) {
        const DriftOutcome o = runConservative(movingTree(random, bodies, 5, 0.1), GetParam(), 10000);
        std::printf("tree with friction: largest rise %.1e, momentum %.1e, angular momentum %.1e\n", o.rise,
                    o.linear, o.angular);
        EXPECT_TRUE(o.ok);
        EXPECT_LT(o.rise, 1e-14);
        EXPECT_LT(o.linear, 1e-11);
        EXPECT_LT(o.angular, 1e-11);
    }
}

INSTANTIATE_TEST_SUITE_P(Step, Invariants, testing::Values(1e-2, 1. / 60),
                         [](const auto& info) { return info.param == 1e-2 ? "centisecond" : "frame"; });

}  // namespace
}  // namespace sinew::test
