// Searches that start from a motion: an earlier plan or recorded frames, on the same problem or another.
#include <gtest/gtest.h>

#include <limits>

#include "sinew/optimize/motion_guess.h"
#include "sinew/optimize/motion_refine.h"
#include "support/random_tree.h"

namespace sinew::warm_start_test {
namespace {

MotionProblem problemOf(const Model& model, double duration)
{
    MotionProblem problem;
    problem.model = &model;
    problem.base = restState(model);
    problem.duration = duration;
    problem.isDriven.assign(static_cast<std::size_t>(model.freedomCount), 1);
    problem.upper = VecX::Ones(model.freedomCount);
    for (double& x : problem.upper) x = std::numeric_limits<double>::infinity();
    problem.lower = -problem.upper;
    problem.setUnits();
    return problem;
}

Model randomFigure(Random& random)
{
    test::TreeOptions options;
    options.bodies = 1 + random.below(6);
    options.joints = options.rootJoints = {JointType::hinge, JointType::spherical, JointType::slide};
    options.mayFloat = true;
    return test::mustCompile(test::randomTree(random, options));
}

// Any motion: turns of up to a radian or so.
MotionPlan randomPlan(Random& random, const MotionProblem& problem, int stages)
{
    MotionPlan plan = stillPlan(problem, problem.duration / 5, stages);
    for (double& u : plan.start.u) u = random.uniform(-1, 1) / problem.duration;
    for (MotionPiece& piece : plan.pieces)
        for (double& y : piece.y) y = random.uniform(-1, 1) / (problem.duration * problem.duration);
    placeNodes(problem, plan);
    return plan;
}

double farthest(const Model& model, const MotionPlan& a, const MotionPlan& b, double until)
{
    VecX q, u, other, otherU, way;
    double most = 0;
    for (int k = 0; k <= 97; ++k) {
        a.read(model, until * k / 97, q, u);
        b.read(model, until * k / 97, other, otherU);
        poseDifference(model, q, other, way);
        for (const double x : way) most = std::max(most, std::abs(x));
    }
    return most;
}

// A moment at which something is asked, which cuts pieces.
void askAt(MotionProblem& problem, double time)
{
    problem.conditions.push_back(poseIs(*problem.model, problem.base.q, time));
}

TEST(WarmStart, from_a_plan_keeps_the_motion_on_a_mesh_with_other_cuts)
{
    Random random(3);
    for (int round = 0; round < 30; ++round) {
        const Model model = randomFigure(random);
        const MotionProblem problem = problemOf(model, random.uniform(0.5, 2));
        const int stages = 2 + random.below(3);
        const EarlierPlan earlier{randomPlan(random, problem, stages), {}};
        // On its own mesh it is the same to the bit.
        const MotionPlan same = followedPlan(problem, earlier, 0.1);
        ASSERT_EQ(same.pieces.size(), earlier.plan.pieces.size());
        EXPECT_EQ(farthest(model, earlier.plan, same, problem.duration), 0);
        MotionProblem other = problem;
        other.duration = problem.duration * random.uniform(0.6, 1.5);
        askAt(other, other.duration * random.uniform(0.2, 0.8));
        const MotionPlan plan = followedPlan(other, earlier, 0.1);
        EXPECT_NEAR(plan.duration(), other.duration, 1e-12);
        // Polynomials of one variable are kept; those of turns in another chart are not polynomials.
        const bool isPlain = std::none_of(model.joints.begin(), model.joints.end(),
                                          [](const Joint& joint) { return joint.info().hasRotation; });
        EXPECT_LT(farthest(model, earlier.plan, plan, std::min(other.duration, problem.duration)),
                  isPlain ? 1e-9 : 2e-3)
            << "round " << round;
        for (const MotionPiece& piece : plan.pieces) {
            if (piece.start < problem.duration) continue;
            EXPECT_LE(piece.length, 0.1 + 1e-9);
            for (const double y : piece.y) EXPECT_EQ(y, 0);
        }
    }
}

TEST(WarmStart, from_frames_goes_through_them_and_drifts_nowhere)
{
    Random random(4);
    for (int round = 0; round < 30; ++round) {
        const Model model = randomFigure(random);
        MotionProblem problem = problemOf(model, random.uniform(0.5, 2));
        const MotionPlan recorded = randomPlan(random, problem, 3);
        double last[2];
        for (const int finer : {0, 1}) {
            const int count = 60 << finer;
            std::vector<KeyPose> frames;
            VecX u;
            for (int k = 0; k <= count; ++k) {
                KeyPose& frame = frames.emplace_back();
                frame.time = problem.duration * k / count;
                recorded.read(model, frame.time, frame.q, u);
            }
            MotionPlan plan = stillPlan(problem, problem.duration / count, 3);
            followFrames(problem, frames, plan);
            last[finer] = farthest(model, recorded, plan, problem.duration);
        }
        // What jumps of the acceleration between frames take it off by.
        EXPECT_LT(last[0], 4e-3) << "round " << round;
        EXPECT_LT(last[1], 0.4 * last[0] + 1e-12) << "round " << round;
    }
}

// A rod that a weak hinge swings up.
struct SwingUp {
    explicit SwingUp(double duration) : model(test::mustCompile(rod())), problem(problemOf(model, duration))
    {
        problem.upper = VecX::Ones(1);  // to hold it level takes 2.5 N m
        problem.lower = -problem.upper;
        const VecX still = VecX::Zero(1);
        problem.conditions = {poseIs(model, problem.base.q, 0), velocityIs(model, still, 0, duration),
                              poseIs(model, up(), 2), velocityIs(model, still, 2, duration)};
    }
    static VecX up() { return pi * VecX::Ones(1); }
    static Description rod()
    {
        Description d;
        JointDescription& joint = d.joints.emplace_back();
        joint.name = "hinge";
        joint.first = "world";
        joint.second = "rod";
        joint.axis = Vec3(0, 0, 1);
        joint.type = JointType::hinge;
        BodyDescription& body = d.bodies.emplace_back();
        body.name = "rod";
        body.pose.position = {0, -0.25, 0};
        body.mass = 1;
        body.shapes.emplace_back().shape = Box{{0.04, 0.5, 0.04}};
        return d;
    }
    RefinedMotion solve(MotionPlan& plan) const
    {
        MotionOptions options;
        options.iterations = 1000;
        return solveRefined(problem, options, {}, plan);
    }

    Model model;
    MotionProblem problem;
};

TEST(WarmStart, takes_fewer_iterations_and_comes_to_the_same)
{
    const SwingUp swing(2);
    MotionPlan plan = stillPlan(swing.problem, 0.05);
    followKeys(swing.problem, {{0, swing.problem.base.q}, {2, SwingUp::up()}}, plan);
    const RefinedMotion cold = swing.solve(plan);
    ASSERT_TRUE(cold.result.converged);
    ASSERT_GT(cold.iterations, 20);

    MotionPlan again = followedPlan(swing.problem, {plan, {}}, 0.05);
    const RefinedMotion warm = swing.solve(again);
    EXPECT_TRUE(warm.result.converged);
    EXPECT_LE(warm.iterations, cold.iterations / 5);
    EXPECT_NEAR(warm.result.cost, cold.result.cost, 1e-6 * cold.result.cost);

    std::vector<KeyPose> frames;
    VecX u;
    for (int k = 0; k <= 120; ++k) {
        KeyPose& frame = frames.emplace_back();
        frame.time = k / 60.;
        plan.read(swing.model, frame.time, frame.q, u);
    }
    MotionPlan followed = stillPlan(swing.problem, 0.05);
    followFrames(swing.problem, frames, followed);
    const RefinedMotion fromFrames = swing.solve(followed);
    EXPECT_TRUE(fromFrames.result.converged);
    EXPECT_LT(fromFrames.iterations, cold.iterations);
    EXPECT_NEAR(fromFrames.result.cost, cold.result.cost, 1e-5 * cold.result.cost);

    // Half a second more, in which to stand.
    const SwingUp longer(2.5);
    MotionPlan more = followedPlan(longer.problem, {plan, {}}, 0.05);
    const RefinedMotion stands = longer.solve(more);
    EXPECT_TRUE(stands.result.converged);
    EXPECT_LT(stands.iterations, cold.iterations);
}

}  // namespace
}  // namespace sinew::warm_start_test
