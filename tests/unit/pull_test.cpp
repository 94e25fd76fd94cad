// Pulling a bone: the others follow from near to far, bones keep their lengths and joints hold.
#include <gtest/gtest.h>

#include "sinew/figure/chain.h"
#include "sinew/io/json/scene.h"
#include "sinew/math/rotation.h"
#include "sinew/math/rotation_fit.h"
#include "sinew/posing/pull.h"
#include "sinew/state/measure.h"
#include "support/random_tree.h"

namespace sinew::test {
namespace {

// Joints are put together by their coordinates: open by the rounding of one chain of additions.
constexpr double jointRounding = 1e-12;

Description chain(int links, JointType joint = JointType::spherical, bool pinned = true)
{
    ChainOptions options;
    options.links = links;
    options.joint = joint;
    options.pinned = pinned;
    return makeChain(options);  // links of 0.1 m that hang from the origin
}

struct Figure {
    Model model;
    State state;

    explicit Figure(const Description& d) : model(mustCompile(d)), state(initialState(model, d).value()) {}

    int body(const char* name) const { return model.findBody(name); }
    Vec3 place(int body, const Vec3& point = Vec3::Zero()) const
    {
        return state.bodies[body].position + state.bodies[body].orientation * point;
    }
    PullReport pullTo(int body, const Vec3& point, const Vec3& goal, int held = -1,
                      const PullLimits& limits = {})
    {
        return pull(model, planPull(model, body, held), point, goal, limits, state);
    }
    void expectJointsHold() const
    {
        const JointError error = largestJointError(model, state);
        EXPECT_LT(error.gap, jointRounding);
        EXPECT_LT(error.misalignment, 1e-7);  // an angle from a cosine has half the digits
        State again = state;                  // both halves of the state say the same
        bodiesFromJoints(model, again);
        for (int i = 0; i < model.size(); ++i)
            EXPECT_LT((again.bodies[i].position - state.bodies[i].position).norm(), jointRounding);
    }
};

const Vec3 tip(0, -0.05, 0);

TEST(RotationFit, finds_the_rotation_of_points_that_were_turned)
{
    Random random(1);
    for (int t = 0; t < 200; ++t) {
        const Quat turn = expRotation(randomVector(random));
        RotationFit fit;
        for (int i = 0; i < 3; ++i) {
            const Vec3 a = randomVector(random);
            fit.add(a, turn * a, random.uniform(0.1, 1));
        }
        // The weight of the identity is 1e-6; three points may lie nearly on a line.
        EXPECT_LT(fit.rotation().angularDistance(turn), 1e-3) << t;
    }
}

TEST(RotationFit, one_vector_is_turned_without_rolling)
{
    Random random(2);
    for (int t = 0; t < 200; ++t) {
        const Vec3 a = randomVector(random), b = randomVector(random);
        RotationFit fit;
        fit.add(a, b, 1);
        const Quat smallest = rotationBetween(a, b);
        EXPECT_LT(fit.rotation().angularDistance(smallest), 1e-5) << t;  // ten times the identity's weight
    }
}

TEST(RotationFit, about_an_axis_only_the_turn_across_it_counts)
{
    Random random(3);
    for (int t = 0; t < 200; ++t) {
        const Vec3 axis = randomVector(random).normalized();
        const double angle = random.uniform(-3, 3);
        RotationFit fit;
        for (int i = 0; i < 2; ++i) {
            const Vec3 a = randomVector(random);
            fit.add(a, expRotation(angle * axis) * a + random.uniform(-1, 1) * axis, 1);
        }
        EXPECT_NEAR(fit.angleAbout(axis), angle, 1e-12) << t;
    }
}

TEST(Pull, the_elbow_of_two_links_is_where_the_circles_meet)
{
    Figure figure(chain(2));
    const int hand = figure.body("link2");
    // Bent beforehand, so that the plane is known and the elbow's side too.
    figure.pullTo(hand, tip, Vec3(0.12, -0.05, 0));
    const Vec3 elbowBefore = figure.place(hand, -tip);
    PullLimits limits;
    limits.tolerance = 1e-13;
    limits.sweeps = 1000;
    const Vec3 goal(0.1, 0.06, 0);
    const PullReport report = figure.pullTo(hand, tip, goal, -1, limits);
    EXPECT_TRUE(report.closed) << report.gap;

    // Isosceles triangle with sides of 0.1 m over the way from the origin to the goal.
    const Vec3 middle = goal / 2;
    const double height = std::sqrt(0.01 - middle.squaredNorm());
    Vec3 side = Vec3::UnitZ().cross(goal).normalized();
    if (side.dot(elbowBefore - middle) < 0) side = -side;
    EXPECT_LT((figure.place(hand, -tip) - (middle + height * side)).norm(), 1e-11);
    EXPECT_LT((figure.place(hand, tip) - goal).norm(), 1e-12);
    figure.expectJointsHold();
}

TEST(Pull, a_straight_chain_whose_goal_lies_on_its_own_line_bends)
{
    Figure figure(chain(2));
    const PullReport report = figure.pullTo(figure.body("link2"), tip, Vec3(0, -0.13, 0));
    EXPECT_TRUE(report.closed) << report.gap;
    figure.expectJointsHold();
}

TEST(Pull, twenty_links_reach_their_goal_within_the_tolerance)
{
    Figure figure(chain(20));
    const Vec3 goal(1, 0.4, -0.3);
    const PullReport report = figure.pullTo(figure.body("link20"), tip, goal);
    EXPECT_TRUE(report.closed);
    EXPECT_LE(report.gap, PullLimits().tolerance);
    EXPECT_LT(report.residual, 10 * PullLimits().tolerance);
    EXPECT_LT(report.sweeps, 30);  // 15 as measured
    EXPECT_NEAR((figure.place(figure.body("link20"), tip) - goal).norm(), report.gap, 1e-12);
    EXPECT_LT(figure.place(figure.body("link1"), -tip).norm(), jointRounding);
    figure.expectJointsHold();
}

TEST(Pull, beyond_its_reach_a_chain_ends_straight_toward_the_goal)
{
    for (const JointType joint : {JointType::spherical, JointType::hinge}) {
        Figure figure(chain(20, joint));
        const Vec3 goal(3, 0, 0);  // hinges with every other axis along z can do that
        const PullReport report = figure.pullTo(figure.body("link20"), tip, goal);
        EXPECT_FALSE(report.closed);
        EXPECT_NEAR(report.gap, 1, 1e-6);
        EXPECT_NEAR(report.residual, 1, 1e-6);
        // The gap misses 1 m by the square of the angles between the links.
        for (int i = 0; i < 20; ++i)
            EXPECT_LT((figure.place(i) - Vec3(0.1 * i + 0.05, 0, 0)).norm(), 1e-3) << i;
        figure.expectJointsHold();
    }
}

TEST(Pull, one_sweep_is_enough_for_a_figure_that_floats)
{
    Figure figure(chain(20, JointType::spherical, false));
    const Vec3 root = figure.place(0, -tip);
    const PullReport report = figure.pullTo(figure.body("link20"), tip, Vec3(0.3, -2, 0));
    EXPECT_EQ(report.sweeps, 1);
    EXPECT_EQ(report.residual, 0);
    EXPECT_LT(report.gap, jointRounding);
    // The tip went 0.3 m; the other end follows by less than half of it.
    EXPECT_GT((figure.place(0, -tip) - root).norm(), 0);
    EXPECT_LT((figure.place(0, -tip) - root).norm(), 0.15);
    figure.expectJointsHold();
}

TEST(Pull, a_chain_does_not_roll)
{
    Figure figure(chain(1, JointType::spherical, false));
    figure.pullTo(0, tip, Vec3(0.4, 0.3, 0.2));
    const Quat Q = figure.state.bodies[0].orientation;
    // The smallest turn has no part along the link's own axis.
    EXPECT_NEAR(Q.y(), 0, 1e-6);
    EXPECT_GT(Q.vec().norm(), 0.1);
}

TEST(Pull, what_is_at_its_goal_stays_as_it_is)
{
    Figure figure(chain(3));
    const State before = figure.state;
    const PullReport report = figure.pullTo(2, tip, figure.place(2, tip));
    EXPECT_EQ(report.sweeps, 0);
    EXPECT_TRUE(report.closed);
    EXPECT_EQ(stateHash(figure.state), stateHash(before));
}

TEST(Pull, joints_of_all_types_hold_in_random_trees)
{
    Random random(4);
    for (int t = 0; t < 100; ++t) {
        TreeOptions options;
        options.bodies = 1 + random.below(20);
        options.joints = {JointType::hinge,     JointType::spherical, JointType::slide,
                          JointType::universal, JointType::weld,      JointType::free};
        options.rootJoints = options.joints;
        Figure figure(randomTree(random, options));
        figure.state = randomState(random, figure.model);
        const int body = random.below(options.bodies);
        const Vec3 point = randomVector(random, 0.1);
        const Vec3 goal = figure.place(body, point) + randomVector(random, 0.3);
        const PullReport report = figure.pullTo(body, point, goal);
        EXPECT_GE(report.sweeps, 1);
        EXPECT_NEAR((figure.place(body, point) - goal).norm(), report.gap, 1e-10) << t;
        EXPECT_TRUE(report.closed || isTiedToWorld(figure.model, body)) << t;
        figure.expectJointsHold();
    }
}

TEST(Pull, a_figure_that_holds_on_with_one_hand_reaches_with_the_other)
{
    Figure figure(readScene(SINEW_SCENE_DIR "/humanoid.json").value());
    const int hand = figure.body("right_hand");
    const Vec3 goal = figure.place(hand) + Vec3(0.3, 0.3, 0.26);  // half a metre
    const PullReport report = figure.pullTo(hand, Vec3::Zero(), goal);
    EXPECT_LT(report.gap, 1e-4);
    EXPECT_LT((figure.place(hand) - goal).norm(), 1e-4);
    figure.expectJointsHold();
}

// A person who stands and floats as far as joints go.
class PulledPerson : public testing::Test {
protected:
    Figure figure{readScene(SINEW_SCENE_DIR "/standing.json").value()};
    const int hand = figure.body("left_hand"), pelvis = figure.body("pelvis");
    const Vec3 goal = figure.place(hand) + Vec3(0.15, 0.4, 0.26);  // half a metre

    void expectHingesWithinLimits() const
    {
        for (const Joint& joint : figure.model.joints) {
            if (joint.type != JointType::hinge) continue;
            EXPECT_GE(figure.state.q[joint.q], joint.lower[0]) << joint.name;
            EXPECT_LE(figure.state.q[joint.q], joint.upper[0]) << joint.name;
        }
    }
};

TEST_F(PulledPerson, follows_the_hand_as_a_whole)
{
    const Vec3 foot = figure.place(figure.body("right_foot"));
    const PullReport report = figure.pullTo(hand, Vec3::Zero(), goal);
    EXPECT_EQ(report.sweeps, 1);
    EXPECT_LT((figure.place(hand) - goal).norm(), jointRounding);
    EXPECT_LT((figure.place(figure.body("right_foot")) - foot).norm(), 0.5);  // less than the hand
    figure.expectJointsHold();
    expectHingesWithinLimits();
}

TEST_F(PulledPerson, reaches_with_the_pelvis_held)
{
    const State before = figure.state;
    const PullReport report = figure.pullTo(hand, Vec3::Zero(), goal, pelvis);
    EXPECT_TRUE(report.closed) << report.gap;
    for (const char* name : {"pelvis", "left_foot", "right_thigh"}) {
        const int i = figure.body(name);
        EXPECT_LT((figure.place(i) - before.bodies[i].position).norm(), jointRounding) << name;
    }
    figure.expectJointsHold();
    expectHingesWithinLimits();
}

TEST_F(PulledPerson, bends_the_knee_one_way_only)
{
    const int foot = figure.body("left_foot"), knee = figure.body("left_shin");
    const Joint& joint = figure.model.joints[knee];
    ASSERT_EQ(joint.type, JointType::hinge);
    const Vec3 start = figure.place(foot);
    for (const Vec3& way : {Vec3(0, 0.3, 0.2), Vec3(0.2, 0.4, -0.3), Vec3(0, 0.3, 0.5)}) {
        // Step by step, as hands would do it: from a jump a knee may come out at its limit.
        const Vec3 from = figure.place(foot);
        PullReport report;
        for (int i = 1; i <= 20; ++i)
            report = figure.pullTo(foot, Vec3::Zero(), from + (start + way - from) * i / 20, pelvis);
        EXPECT_LT(report.gap, 1e-5) << way.transpose();
        figure.expectJointsHold();
        expectHingesWithinLimits();
    }
    // Straight down and further: stretched, not bent through.
    figure.pullTo(foot, Vec3::Zero(), start - Vec3(0, 0.3, 0), pelvis);
    EXPECT_GE(figure.state.q[joint.q], joint.lower[0]);
    EXPECT_LT(figure.state.q[joint.q], 0.3);
}

}  // namespace
}  // namespace sinew::test
