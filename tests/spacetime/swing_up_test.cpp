// A double pendulum that bounded torques swing up, replayed by the forward simulation.
#include <gtest/gtest.h>

#include "sinew/optimize/motion_refine.h"
#include "support/random_tree.h"

namespace sinew::swing_up_test {
namespace {

// Two rods of half a metre and a kilogramme that hang.
Description pendulum()
{
    Description d;
    for (const std::string name : {"upper", "lower"}) {
        const bool first = d.bodies.empty();
        JointDescription& joint = d.joints.emplace_back();
        joint.name = first ? "shoulder" : "elbow";
        joint.first = first ? "world" : "upper";
        joint.second = name;
        joint.position = {0, first ? 0 : -0.5, 0};
        joint.axis = Vec3(0, 0, 1);
        joint.type = JointType::hinge;
        BodyDescription& rod = d.bodies.emplace_back();
        rod.name = name;
        rod.pose.position = {0, first ? -0.25 : -0.75, 0};
        rod.mass = 1;
        rod.shapes.emplace_back().shape = Box{{0.04, 0.5, 0.04}};
    }
    return d;
}

TEST(SwingUp, of_a_double_pendulum_holds_in_the_forward_simulation)
{
    const Description d = pendulum();
    const Model model = test::mustCompile(d);
    MotionProblem problem;
    problem.model = &model;
    problem.base = restState(model);
    problem.duration = 2.5;
    problem.isDriven.assign(2, 1);
    // To hold the upper rod level takes 7.4 N m with the other one hanging.
    problem.upper = 4 * VecX::Ones(2);
    problem.lower = -problem.upper;
    problem.setUnits();
    const auto add = [&](MotionCondition condition, const char* name) {
        condition.name = name;
        problem.conditions.push_back(condition);
    };
    VecX up(2);
    up << pi, 0;
    const VecX still = VecX::Zero(2);
    add(poseIs(model, problem.base.q, 0), "hangs");
    add(velocityIs(model, still, 0, problem.duration), "hangs still");
    add(poseIs(model, up, problem.duration), "stands");
    add(velocityIs(model, still, problem.duration, problem.duration), "stands still");
    MotionPlan plan = stillPlan(problem, 0.05);
    followKeys(problem, {{0, problem.base.q}, {problem.duration, up}}, plan);
    MotionOptions options;
    const RefinedMotion found = solveRefined(problem, options, {}, plan);
    const MotionResult& result = found.result;
    EXPECT_TRUE(result.converged);
    EXPECT_LT(result.infeasibility, 1e-8);
    for (const MotionIteration& i : result.history) EXPECT_LT(i.merit, i.meritBefore);
    EXPECT_TRUE(found.isFineEnough);
    const MotionFeedback feedback = motionFeedback(problem, plan, 1e-3);
    for (const MotionFeedback* gains : {static_cast<const MotionFeedback*>(nullptr), &feedback}) {
        Simulation simulation =
            Simulation::create(d, {.integrator = IntegratorId::rk4, .step = 1e-4}).value();
        const ReplayReport report = replay(problem, plan, gains, simulation);
        EXPECT_TRUE(report.ok) << report.message;
        EXPECT_LT(report.atEnd, gains ? 1e-3 : 1e-2);
    }
}

}  // namespace
}  // namespace sinew::swing_up_test
