// The pose solver: closed forms, invariance, limits, wishes that conflict.
#include "sinew/optimize/pose.h"

#include <gtest/gtest.h>

#include "sinew/figure/chain.h"
#include "sinew/force/laws/springs.h"
#include "sinew/math/rotation.h"
#include "sinew/optimize/pose_problem.h"
#include "support/random_tree.h"

namespace sinew::pose_test {
namespace {

using namespace sinew::test;

// Bones of 1 m along x with hinges about z, in the plane; the first one at the origin.
Description planarArm(int bones, double lower = -3, double upper = 3)
{
    Description d;
    for (int i = 0; i < bones; ++i) {
        BodyDescription body;
        body.name = "bone" + std::to_string(i);
        body.pose.position = Vec3(i + 0.5, 0, 0);
        body.mass = 1;
        body.inertia = 0.1 * Mat3::Identity();
        JointDescription joint;
        joint.name = "joint" + std::to_string(i);
        joint.type = JointType::hinge;
        joint.first = i == 0 ? "world" : d.bodies.back().name;
        joint.second = body.name;
        joint.position = Vec3(i, 0, 0);
        joint.axis = Vec3(0, 0, 1);
        joint.lower = {lower};
        joint.upper = {upper};
        d.bodies.push_back(body);
        d.joints.push_back(joint);
    }
    return d;
}

WishDescription reach(const std::string& body, const Vec3& point, const Vec3& goal)
{
    WishDescription wish;
    wish.type = "point";
    wish.of = {body, point};
    wish.to = WishPlace{"world", goal};
    return wish;
}

struct Posed {
    Model model;
    State state;
    PoseReport report;

    explicit Posed(const Description& d, const PoseOptions& options = {})
        : model(mustCompile(d)), state(initialState(model, d).value())
    {
        report = solvePose(model, wishesAt(model, 0), options, state);
    }
    Vec3 place(const std::string& body, const Vec3& atRest) const
    {
        const int i = model.findBody(body);
        const Body& own = model.bodies[i];
        return state.bodies[i].position + state.bodies[i].orientation * (own.rest.inverse() * atRest);
    }
};

TEST(Pose, an_arm_of_two_links_bends_by_the_law_of_cosines)
{
    for (const double angle : {0.3, 1.2, 2.4, -2.0})
        for (const double distance : {0.2, 0.9, 1.5, 1.95}) {
            Description d = planarArm(2);
            const Vec3 goal = distance * Vec3(std::cos(angle), std::sin(angle), 0);
            d.wishes = {reach("bone1", Vec3(2, 0, 0), goal)};
            const Posed posed(d);
            EXPECT_TRUE(posed.report.isFulfilled);
            EXPECT_LT((posed.place("bone1", Vec3(2, 0, 0)) - goal).norm(), 1e-7);
            // |goal|² = 2 + 2 cos(elbow).
            EXPECT_NEAR(std::cos(posed.state.q[1]), distance * distance / 2 - 1, 1e-7);
        }
}

TEST(Pose, what_is_out_of_reach_is_pointed_at_with_a_straight_arm)
{
    for (const int bones : {1, 2, 5, 12})
        for (const double angle : {0.5, 2.0, -1.0, 2.9}) {
            Description d = planarArm(bones);
            const Vec3 direction(std::cos(angle), std::sin(angle), 0);
            d.wishes = {
                reach("bone" + std::to_string(bones - 1), Vec3(bones, 0, 0), (bones + 0.7) * direction)};
            const Posed posed(d);
            EXPECT_FALSE(posed.report.isFulfilled);
            EXPECT_NEAR(posed.report.wishes[0].error, 0.7, 1e-7);
            for (int i = 1; i < bones; ++i) EXPECT_NEAR(posed.state.q[i], 0, 1e-5) << bones << " bones";
            EXPECT_LT(posed.report.minimum.iterations, 60);
        }
}

// From the straight arm no small turn brings the hand nearer to a place on its line.
TEST(Pose, a_straight_arm_reaches_along_itself)
{
    Description d = planarArm(3);
    d.wishes = {reach("bone2", Vec3(3, 0, 0), Vec3(1.7, 0, 0))};
    const Posed posed(d);
    EXPECT_TRUE(posed.report.isFulfilled);
    EXPECT_GT(posed.report.restarts, 0);
}

TEST(Pose, limits_hold_and_the_nearest_pose_within_them_is_found)
{
    // The elbow bends by 0.5 at most, so the hand comes no nearer than |1 + e^{0.5 i}|.
    Description d = planarArm(2, -0.5, 0.5);
    d.joints[0].lower = {-3};
    d.joints[0].upper = {3};
    const double nearest = std::sqrt(2 + 2 * std::cos(0.5));
    for (const double angle : {0., 1., 2.}) {
        d.wishes = {reach("bone1", Vec3(2, 0, 0), 1.2 * Vec3(std::cos(angle), std::sin(angle), 0))};
        const Posed posed(d);
        EXPECT_FALSE(posed.report.isFulfilled);
        EXPECT_NEAR(posed.report.wishes[0].error, nearest - 1.2, 1e-8);
        EXPECT_NEAR(std::abs(posed.state.q[1]), 0.5, 1e-12);
    }
}

TEST(Pose, a_ball_joint_stays_in_its_cone_and_within_its_twist)
{
    Random random(5);
    int pressed = 0, slow = 0;
    for (int trial = 0; trial < 40; ++trial) {
        Description d = planarArm(3);
        for (JointDescription& joint : d.joints) {
            joint.type = JointType::spherical;
            joint.axis = Vec3(1, 0, 0);
            joint.lower = {-0.4};
            joint.upper = {0.3};
            joint.swingLimit = 0.6;
        }
        d.wishes = {reach("bone2", Vec3(3, 0, 0), randomVector(random, 1.5))};
        WishDescription turned;
        turned.type = "orientation";
        turned.of.body = "bone2";
        turned.orientation = expRotation(randomVector(random));
        turned.weight = 0.3;
        d.wishes.push_back(turned);
        const Posed posed(d);
        for (int i = 0; i < 3; ++i) {
            const Joint& joint = posed.model.joints[i];
            LimitReach limits[mostLimits];
            const int count = findLimits(joint, posed.state.q.data() + joint.q, limits);
            for (int k = 0; k < count; ++k) {
                EXPECT_LT(limits[k].beyond, 1e-9);
                if (limits[k].beyond > -1e-6) ++pressed;
            }
        }
        if (posed.report.minimum.end == MinimiseEnd::iterations) ++slow;
        // No pose beside it that the limits allow is better.
        PoseProblem problem(posed.model, const_cast<State&>(posed.state), wishesAt(posed.model, 0));
        DampedProblem damped = problem.damped();
        const double energy = damped.linearise().energy;
        for (int k = 0; k < 50; ++k) {
            VecX step(posed.model.freedomCount);
            for (double& x : step) x = 1e-4 * random.normal();
            EXPECT_GT(damped.attempt(step), energy - 1e-9) << trial;
        }
    }
    EXPECT_GT(pressed, 40);
    EXPECT_LE(slow, 2);  // searches that creep along a cone until they are cut off
}

// H against differences of the gradient, at poses that fulfil nothing.
TEST(Pose, the_second_derivative_is_that_of_the_energy)
{
    Random random(11);
    TreeOptions options;
    options.bodies = 7;
    options.joints = {JointType::hinge,     JointType::spherical, JointType::slide,
                      JointType::universal, JointType::planar,    JointType::cylindrical};
    for (int trial = 0; trial < 30; ++trial) {
        Description d = randomTree(random, options);
        for (int i = 0; i < 3; ++i)
            d.wishes.push_back(reach(d.bodies[static_cast<std::size_t>(random.below(7))].name,
                                     randomVector(random), randomVector(random)));
        d.wishes[1].type = "distance";
        d.wishes[1].length = 0.3;
        WishDescription upright;
        upright.type = "upright";
        upright.of.body = d.bodies[static_cast<std::size_t>(random.below(7))].name;
        upright.axis = randomVector(random);
        d.wishes.push_back(upright);
        const Model model = mustCompile(d);
        State state = randomState(random, model);
        PoseProblem problem(model, state, wishesAt(model, 0));
        const MatX H = problem.secondDerivative();
        SmoothFunction smooth = problem.smooth();
        // Of E along lines: ∂²E/∂a∂b from E(±a ± b).
        const auto energy = [&](int a, double x, int b, double y) {
            VecX step(model.freedomCount);
            step.setZero();
            step[a] += x;
            step[b] += y;
            return smooth.at(step, nullptr);
        };
        constexpr double h = 1e-3;
        const double scale = std::max(1., H.cwiseAbs().maxCoeff());
        const auto second = [&](int a, int b, double s) {
            return (energy(a, s, b, s) - energy(a, s, b, -s) - energy(a, -s, b, s) + energy(a, -s, b, -s)) /
                   (4 * s * s);
        };
        for (int a = 0; a < model.freedomCount; ++a)
            for (int b = 0; b <= a; ++b) {
                const double truth = (4 * second(a, b, h) - second(a, b, 2 * h)) / 3;
                EXPECT_NEAR(H(a, b), truth, 2e-7 * scale) << trial << ": " << a << ", " << b;
                EXPECT_NEAR(H(b, a), H(a, b), 1e-12 * scale);
            }
    }
}

TEST(Pose, wishes_that_conflict_are_told_from_one_that_is_out_of_reach)
{
    Description d = planarArm(2);
    d.wishes = {reach("bone1", Vec3(2, 0, 0), Vec3(1, 1, 0)), reach("bone1", Vec3(2, 0, 0), Vec3(1, -1, 0)),
                reach("bone0", Vec3(1, 0, 0), Vec3(0, 3, 0))};
    d.wishes[2].weight = 1e-3;
    const Posed posed(d);
    EXPECT_FALSE(posed.report.isFulfilled);
    EXPECT_GT(posed.report.wishes[0].error, 0.1);
    EXPECT_LT(posed.report.wishes[0].alone, 1e-5);
    EXPECT_LT(posed.report.wishes[1].alone, 1e-5);
    EXPECT_NEAR(posed.report.wishes[2].alone, 2, 1e-6);
}

TEST(Pose, soft_wishes_choose_and_give_way)
{
    Description d = planarArm(3);
    d.wishes = {reach("bone2", Vec3(3, 0, 0), Vec3(1.5, 1, 0))};
    WishDescription soft;
    soft.type = "pose";
    soft.joints = {{"joint0", {1.0}}};
    soft.soft = true;
    soft.weight = 0.01;
    d.wishes.push_back(soft);
    const Posed posed(d);
    EXPECT_TRUE(posed.report.isFulfilled);
    EXPECT_LT(posed.report.wishes[0].error, 1e-5);
    EXPECT_NEAR(posed.state.q[0], 1, 0.02);
}

TEST(Pose, the_same_scene_gives_the_same_bits)
{
    Description d = planarArm(6, -1, 1);
    d.wishes = {reach("bone5", Vec3(6, 0, 0), Vec3(-2, 1, 0)),
                reach("bone2", Vec3(3, 0, 0), Vec3(1, 2, 0))};
    const Posed a(d), b(d);
    for (int i = 0; i < a.state.q.size(); ++i) EXPECT_EQ(a.state.q[i], b.state.q[i]);
}

// The same figure elsewhere, turned and larger, or its goals mirrored: the same angles.
TEST(Pose, does_not_depend_on_place_direction_or_size)
{
    Random random(8);
    for (int trial = 0; trial < 20; ++trial) {
        Description d = planarArm(4, -1.5, 1.5);
        const Vec3 goal(random.uniform(-2, 5), random.uniform(-5, 5), 0), other(random.uniform(0, 2), 1, 0);
        d.wishes = {reach("bone3", Vec3(4, 0, 0), goal), reach("bone1", Vec3(2, 0, 0), other)};
        d.wishes[1].weight = 0.3;
        PoseOptions once;  // what lies beside the start is drawn at random, and not mirrored
        once.restarts = 0;
        const Posed plain(d, once);

        const Quat R = expRotation(randomVector(random));
        const Vec3 t = randomVector(random, 3);
        const double scale = random.below(2) ? 0.05 : 20;
        const auto place = [&](const Vec3& p) { return Vec3(t + scale * (R * p)); };
        Description moved = d;
        for (BodyDescription& body : moved.bodies) body.pose = {place(body.pose.position), R};
        for (JointDescription& joint : moved.joints) {
            joint.position = place(joint.position);
            joint.axis = R * *joint.axis;
        }
        for (WishDescription& wish : moved.wishes) {
            wish.of.point = place(*wish.of.point);
            wish.to->point = place(*wish.to->point);
        }
        once.tolerance = 1e-5 * scale;
        const Posed elsewhere(moved, once);
        Description mirror = d;
        for (WishDescription& wish : mirror.wishes)
            wish.to->point = Vec3(wish.to->point->x(), -wish.to->point->y(), 0);
        once.tolerance = 1e-5;
        const Posed mirrored(mirror, once);
        for (int i = 0; i < 4; ++i) {
            EXPECT_NEAR(elsewhere.state.q[i], plain.state.q[i], 1e-6) << trial;
            EXPECT_NEAR(mirrored.state.q[i], -plain.state.q[i], 1e-6) << trial;
        }
    }
}

// The way down of each of the three minimisers ends in the same pose where there is one minimum.
TEST(Pose, gradient_steps_and_history_come_to_the_same_pose)
{
    Description d = planarArm(2);
    d.wishes = {reach("bone1", Vec3(2, 0, 0), Vec3(1.2, 1, 0))};
    const Model model = mustCompile(d);
    const std::vector<int> wishes = wishesAt(model, 0);
    State start = restState(model);
    start.q[1] = 0.5;
    bodiesFromJoints(model, start);
    State damped = start, stepped = start, remembered = start;
    minimiseDamped(PoseProblem(model, damped, wishes).damped(), {200, 1e-12, 0});
    PoseProblem byGradient(model, stepped, wishes);
    const MinimiseReport slow = gradientSteps(byGradient.smooth(), {5000, 1e-9, 0});
    PoseProblem byHistory(model, remembered, wishes);
    const MinimiseReport fast = minimiseByHistory(byHistory.smooth(), {500, 1e-11, 0});
    for (int i = 0; i < 2; ++i) {
        EXPECT_NEAR(stepped.q[i], damped.q[i], 1e-7);
        EXPECT_NEAR(remembered.q[i], damped.q[i], 1e-9);
    }
    EXPECT_LT(fast.iterations, slow.iterations);
}

}  // namespace
}  // namespace sinew::pose_test
