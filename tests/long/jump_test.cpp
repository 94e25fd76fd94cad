// scenes/jump.json from its guess: a person of 21 bones jumps onto a box and stands on it, in the forward
// simulation, by the forces of the plan and its feedback.
#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/io/json/scene.h"
#include "sinew/optimize/motion_refine.h"
#include "sinew/optimize/motion_scene.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/named.h"

namespace sinew::jump_test {
namespace {

constexpr double landing = 1, height = 0.3;  // s, m

TEST(Jump, ends_with_both_feet_on_the_box_and_upright_for_a_second)
{
    const Result<Description> scene = readScene(SINEW_SCENE_DIR "/jump.json");
    ASSERT_TRUE(scene) << scene.error().text();
    Result<PlannedScene> planned = plannedScene(scene.value());
    ASSERT_TRUE(planned) << planned.error().text();
    const MotionProblem& problem = planned.value().problem;
    MotionPlan& plan = planned.value().guess;
    RefineOptions refine;
    refine.pieceError = 1e-2;
    const RefinedMotion found = solveRefined(problem, {}, refine, plan);
    EXPECT_TRUE(found.result.converged);
    EXPECT_LT(found.result.infeasibility, 1e-8);
    for (const MotionIteration& i : found.result.history) EXPECT_LT(i.merit, i.meritBefore);

    const MotionFeedback feedback = motionFeedback(problem, plan, 1e-3);
    Simulation simulation =
        Simulation::create(scene.value(), {.integrator = IntegratorId::rk4, .step = 1e-4}).value();
    const ReplayReport report = replay(problem, plan, &feedback, simulation, true);
    EXPECT_TRUE(report.ok) << report.message;
    EXPECT_LT(report.atEnd, 1e-3);
    EXPECT_LT(report.largest, 1e-2);

    // The simulation stays that near to the plan; the plan stands.
    State state = problem.base;
    const Model& model = *problem.model;
    const auto body = [&](const char* name) { return findBody(model, name).value().link; };
    for (double time = plan.duration() - 1; time <= plan.duration(); time += 0.01) {
        plan.read(model, std::min(time, plan.duration()), state.q, state.u);
        bodiesFromJoints(model, state);
        for (const char* foot : {"left_foot", "right_foot"}) {
            EXPECT_NEAR(state.bodies[body(foot)].position.y(), height + 0.03, 1e-3) << time;
            EXPECT_GT(state.bodies[body(foot)].position.z(), 0.55) << time;
        }
        if (time < landing + 0.5) continue;
        EXPECT_GT(state.bodies[body("head")].position.y(), height + 1.55) << time;
        EXPECT_GT((state.bodies[body("thorax")].orientation * Vec3(0, 1, 0)).y(), 0.95) << time;
    }
}

}  // namespace
}  // namespace sinew::jump_test
