// IPOPT beside Sinew's own solver, where it was built in: the particle, the swing-up, the lamp.
#include <gtest/gtest.h>

#include "sinew/io/json/scene.h"
#include "sinew/optimize/motion_ipopt.h"
#include "sinew/optimize/motion_refine.h"
#include "sinew/optimize/motion_scene.h"

namespace sinew::ipopt_test {
namespace {

constexpr double feasible = 1e-8;  // SI units

PlannedScene sceneOf(const std::string& name)
{
    const Result<Description> scene = readScene(std::string(SINEW_SCENE_DIR "/") + name + ".json");
    EXPECT_TRUE(scene) << scene.error().text();
    Result<PlannedScene> planned = plannedScene(scene.value());
    EXPECT_TRUE(planned) << planned.error().text();
    return std::move(planned.value());
}

struct Ipopt : testing::Test {
    void SetUp() override
    {
        if (!hasIpopt()) GTEST_SKIP() << "built without IPOPT (coinor-libipopt-dev)";
    }
};

// One optimum: both come to it from the guess.
TEST_F(Ipopt, finds_the_same_cubic_for_the_particle)
{
    const PlannedScene scene = sceneOf("spacetime_particle");
    MotionPlan own = scene.guess, other = scene.guess;
    const MotionResult mine = solveMotion(scene.problem, {}, own);
    const MotionResult theirs = solveMotionByIpopt(scene.problem, {}, other);
    EXPECT_TRUE(theirs.converged);
    EXPECT_LT(theirs.infeasibility, feasible);
    EXPECT_NEAR(theirs.cost, mine.cost, 1e-8 * mine.cost);
    VecX q, u, otherQ, otherU;
    for (int k = 0; k <= 20; ++k) {
        const double time = scene.problem.duration * k / 20;
        own.read(*scene.model, time, q, u);
        other.read(*scene.model, time, otherQ, otherU);
        for (int i = 0; i < 3; ++i) EXPECT_NEAR(q[i], otherQ[i], 1e-7);
    }
}

// Of many local optima each finds one.
TEST_F(Ipopt, swings_up_and_replays)
{
    PlannedScene scene = sceneOf("swing_up");
    MotionOptions options;
    options.byIpopt = true;
    const RefinedMotion found = solveRefined(scene.problem, options, {}, scene.guess);
    EXPECT_TRUE(found.result.converged);
    EXPECT_LT(found.result.infeasibility, feasible);
    EXPECT_TRUE(found.isFineEnough);
}

// What one search ends at is an optimum for the other one too: they have the same problem.
void expectSameOptimum(const std::string& name, double tolerance)
{
    PlannedScene scene = sceneOf(name);
    MotionOptions options;
    options.iterations = 1000;
    const MotionResult own = solveMotion(scene.problem, options, scene.guess);
    ASSERT_TRUE(own.converged) << name;
    MotionPlan plan = scene.guess;
    const MotionResult other = solveMotionByIpopt(scene.problem, options, plan);
    EXPECT_TRUE(other.converged) << name << ": " << other.infeasibility;
    EXPECT_LT(other.infeasibility, feasible) << name;
    EXPECT_NEAR(other.cost, own.cost, tolerance * own.cost) << name;
    // And back again.
    const MotionResult again = solveMotion(scene.problem, options, plan);
    EXPECT_TRUE(again.converged) << name;
    EXPECT_NEAR(again.cost, own.cost, tolerance * own.cost) << name;
}
TEST_F(Ipopt, stays_at_the_swing_up_that_the_own_solver_found)
{
    expectSameOptimum("swing_up", 1e-5);
}

}  // namespace
}  // namespace sinew::ipopt_test
