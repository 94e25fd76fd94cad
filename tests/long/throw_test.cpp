// Scenes with a motion to be found, solved and replayed by the forward simulation.
#include <gtest/gtest.h>

#include "sinew/io/json/scene.h"
#include "sinew/optimize/motion_refine.h"
#include "sinew/optimize/motion_scene.h"

namespace sinew::planned_scenes_test {
namespace {

// How far the figure may be from its plan.
constexpr double openLoop = 1e-2, withFeedback = 1e-3;  // m

TEST(PlannedScenes, the_ball_of_a_throw_goes_through_the_hoop_in_the_forward_simulation)
{
    const Result<Description> scene = readScene(SINEW_SCENE_DIR "/throw.json");
    ASSERT_TRUE(scene) << scene.error().text();
    Result<PlannedScene> planned = plannedScene(scene.value());
    ASSERT_TRUE(planned) << planned.error().text();
    const MotionProblem& problem = planned.value().problem;
    MotionPlan& plan = planned.value().guess;
    const RefinedMotion found = solveRefined(problem, {}, {}, plan);
    EXPECT_TRUE(found.result.converged);
    EXPECT_TRUE(found.isFineEnough);
    EXPECT_LT(found.result.infeasibility, 1e-8);
    for (const MotionIteration& i : found.result.history) EXPECT_LT(i.merit, i.meritBefore);
    const MotionFeedback feedback = motionFeedback(problem, plan, 1e-3);
    for (const MotionFeedback* gains : {static_cast<const MotionFeedback*>(nullptr), &feedback}) {
        Simulation simulation =
            Simulation::create(scene.value(), {.integrator = IntegratorId::rk4, .step = 1e-4}).value();
        const ReplayReport report = replay(problem, plan, gains, simulation);
        EXPECT_TRUE(report.ok) << report.message;
        EXPECT_LT(report.largest, gains ? withFeedback : openLoop);
        const Result<BodyMotion> ball = simulation.body("ball");
        ASSERT_TRUE(ball);
        EXPECT_LT((ball.value().pose.position - Vec3(3, 2.2, 0)).norm(), gains ? withFeedback : openLoop);
    }
}

}  // namespace
}  // namespace sinew::planned_scenes_test
