// Joints that hands drive while a simulation runs.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "sinew/recording/recording.h"
#include "sinew/simulation/live.h"
#include "support/live_runs.h"

namespace sinew::live_joints_test {
namespace {

using test::angle;
using test::opened;
using test::run;
using Torque = Interaction::Torque;
using Control = Interaction::Control;

// Two hinges without gravity, springs or damping, the second with a controller.
Description arm()
{
    Description scene;
    scene.gravity = Vec3::Zero();
    const char* names[] = {"upper", "lower"};
    for (int i = 0; i < 2; ++i) {
        BodyDescription body;
        body.name = names[i];
        body.pose.position = Vec3(0, -0.25 - 0.5 * i, 0);
        body.mass = 2;
        body.shapes.emplace_back().shape = Box{Vec3(0.05, 0.5, 0.05)};
        scene.bodies.push_back(body);
        JointDescription joint;
        joint.name = i == 0 ? "shoulder" : "elbow";
        joint.type = JointType::hinge;
        joint.first = i == 0 ? "world" : "upper";
        joint.second = names[i];
        joint.position = Vec3(0, -0.5 * i, 0);
        joint.axis = Vec3(0, 0, 1);
        scene.joints.push_back(joint);
    }
    ControllerDescription controller;
    controller.joint = "elbow";
    controller.stiffness = 30;
    controller.damping = 3;
    scene.controllers = {controller};
    scene.run.step = 1.0 / 240;
    return scene;
}

// A torque from a hand is one from the scene.
TEST(LiveJoints, a_torque_is_that_of_a_motor_in_the_scene)
{
    Description driven = arm();
    driven.joints[0].motor = {0.7};
    LiveSimulation scripted = opened(driven), live = opened(arm());
    ASSERT_FALSE(live.apply(Torque{"shoulder", {0.7}}));
    run(scripted, 100);
    run(live, 100);
    EXPECT_GT(std::abs(angle(live, "shoulder")), 0.02);
    EXPECT_EQ(stateHash(live.simulation().state), stateHash(scripted.simulation().state));
}

TEST(LiveJoints, a_torque_comes_beside_that_of_the_scene_and_zero_ends_it)
{
    Description scene = arm();
    scene.joints[0].motor = {0.5};
    LiveSimulation live = opened(scene);
    ASSERT_FALSE(live.apply(Torque{"shoulder", {-0.5}}));
    run(live, 60);
    EXPECT_NEAR(angle(live, "shoulder"), 0, 1e-12);
    // Settings that change leave it, and a second one replaces the first.
    ASSERT_FALSE(live.apply(Interaction::Change{{}, {}, {}, {}, {}, {}}));
    run(live, 60);
    EXPECT_NEAR(angle(live, "shoulder"), 0, 1e-12);
    ASSERT_FALSE(live.apply(Torque{"shoulder", {0}}));
    run(live, 60);
    EXPECT_GT(angle(live, "shoulder"), 0.01);
}

TEST(LiveJoints, a_controller_goes_where_it_is_sent)
{
    LiveSimulation live = opened(arm());
    ASSERT_FALSE(live.apply(Control{"elbow", {0.8}, {}, {}}));
    run(live, 2400);
    EXPECT_NEAR(angle(live, "elbow"), 0.8, 1e-3);
    ASSERT_FALSE(live.apply(Control{"elbow", {}, 0., 0.}));
    ASSERT_FALSE(live.apply(Torque{"elbow", {0.2}}));
    run(live, 240);
    EXPECT_GT(angle(live, "elbow"), 1.0);  // nothing holds it any more
    ASSERT_EQ(live.jointInputs().size(), 1u);
    EXPECT_EQ(live.jointInputs()[0].target, std::vector<double>{0.8});
}

TEST(LiveJoints, a_reset_is_the_scene_as_it_was)
{
    LiveSimulation untouched = opened(arm()), live = opened(arm());
    ASSERT_FALSE(live.apply(Torque{"shoulder", {2}}));
    ASSERT_FALSE(live.apply(Control{"elbow", {1}, 5., 1.}));
    run(live, 100);
    live.reset();
    EXPECT_TRUE(live.jointInputs().empty());
    run(untouched, 100);
    run(live, 100);
    EXPECT_EQ(stateHash(live.simulation().state), stateHash(untouched.simulation().state));
}

TEST(LiveJoints, what_was_done_is_repeated_to_the_same_bits)
{
    LiveSimulation live = opened(arm());
    run(live, 7);
    ASSERT_FALSE(live.apply(Torque{"shoulder", {1.3}}));
    run(live, 20);
    ASSERT_FALSE(live.apply(Control{"elbow", {0.4}, 50., {}}));
    run(live, 20);
    ASSERT_FALSE(live.apply(Torque{"shoulder", {0}}));
    run(live, 20);
    const std::string text = writeRecording(recordingOf(live));
    const Result<Recording> read = parseRecording(text, "r");
    ASSERT_TRUE(read) << read.error().text();
    LiveSimulation again = opened(arm());
    std::size_t next = 0;
    for (std::uint64_t step = 0; step <= read.value().steps; ++step) {
        ASSERT_FALSE(applyDue(read.value().interactions, next, again));
        if (step < read.value().steps) {
            ASSERT_TRUE(again.step().ok);
        }
    }
    EXPECT_EQ(stateHash(again.simulation().state), *read.value().endHash);
    EXPECT_EQ(stateHash(again.simulation().state), stateHash(live.simulation().state));
}

TEST(LiveJoints, what_cannot_be_is_told_in_one_line_and_changes_nothing)
{
    Description scene = arm();
    PrescribedDescription prescribed;
    prescribed.joint = "shoulder";
    prescribed.motion = {Signal(0.1)};
    scene.prescribed = {prescribed};
    LiveSimulation led = opened(scene), live = opened(arm());
    const auto said = [](LiveSimulation& to, const Interaction::Action& action) {
        const std::optional<Diagnostic> fault = to.apply(action);
        return fault ? fault->text() : std::string("nothing");
    };
    EXPECT_EQ(said(led, Torque{"shoulder", {1}}),
              "/torque/joint: the motion of 'shoulder' is prescribed, whatever drives it");
    EXPECT_EQ(said(live, Torque{"knee", {1}}), "/torque/joint: there is no joint 'knee'");
    EXPECT_EQ(said(live, Torque{"elbow", {1, 2}}), "/torque/torque: has 2 numbers; joint 'elbow' takes 1");
    EXPECT_EQ(said(live, Torque{"elbow", {std::nan("")}}), "/torque/torque: is not finite");
    EXPECT_EQ(said(live, Control{"shoulder", {1}, {}, {}}),
              "/control/joint: joint 'shoulder' has no controller in the scene");
    EXPECT_EQ(said(live, Control{"elbow", {}, {}, {}}),
              "/control: says nothing; give target, stiffness or damping");
    EXPECT_EQ(said(live, Control{"elbow", {}, -1., {}}),
              "/control/stiffness: is -1; it must be zero or more");
    EXPECT_TRUE(live.recording().empty());
    EXPECT_TRUE(live.jointInputs().empty());
}

}  // namespace
}  // namespace sinew::live_joints_test
