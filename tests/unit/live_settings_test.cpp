// Springs, limits, motors and switches of joints, and gains of figures that balance, in the hands of an
// animator while the simulation runs.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/io/json/scene.h"
#include "sinew/io/load_scene.h"
#include "sinew/model/balance.h"
#include "sinew/recording/recording.h"
#include "sinew/simulation/live.h"
#include "support/contact_scenes.h"
#include "support/live_runs.h"

namespace sinew::live_settings_test {
namespace {

using test::angle;
using test::opened;
using test::run;
// Two hinges, the second with a controller; what hangs there would fall.
Description arm()
{
    Description scene;
    scene.bodies = {test::solid("upper", Box{{0.5, 0.06, 0.1}}, {0.25, 0, 0}),
                    test::solid("fore", Box{{0.5, 0.06, 0.1}}, {0.75, 0, 0})};
    for (int i = 0; i < 2; ++i) {
        JointDescription joint =
            test::joined(i == 0 ? "shoulder" : "elbow", JointType::hinge, i == 0 ? "world" : "upper",
                         i == 0 ? "upper" : "fore", {0.5 * i, 0, 0});
        joint.axis = Vec3(0, 0, 1);
        scene.joints.push_back(joint);
    }
    ControllerDescription controller;
    controller.joint = "elbow";
    controller.stiffness = 30;
    controller.damping = 3;
    scene.controllers = {controller};
    scene.run.step = 1. / 240;
    return scene;
}

// What a line of a live run does; "" or what is wrong.
std::string told(LiveSimulation& live, const std::string& line)
{
    const auto said = parseLiveLine(line, "", 0);
    if (!said) return said.error().text();
    const std::optional<Diagnostic> fault = live.apply(*said.value());
    return fault ? fault->text() : std::string();
}
std::uint64_t hashOf(const LiveSimulation& live)
{
    return stateHash(live.simulation().state);
}

// The same by what was recorded, written and read.
void expectRepeats(const LiveSimulation& live, const Description& scene)
{
    const Result<Recording> read = parseRecording(writeRecording(recordingOf(live)), "r");
    ASSERT_TRUE(read) << read.error().text();
    LiveSimulation again = opened(scene);
    std::size_t next = 0;
    for (std::uint64_t step = 0; step <= read.value().steps; ++step) {
        const auto fault = applyDue(read.value().interactions, next, again);
        ASSERT_FALSE(fault) << fault->text();
        if (step < read.value().steps) {
            ASSERT_TRUE(again.step().ok);
        }
    }
    EXPECT_EQ(hashOf(again), *read.value().endHash);
    EXPECT_EQ(hashOf(again), hashOf(live));
}

TEST(LiveSettings, a_joint_that_is_set_is_one_that_the_scene_has_so)
{
    Description described = arm();
    described.joints[0].stiffness = 40;
    described.joints[0].damping = 2;
    described.joints[0].rest = {0.3};
    described.joints[1].lower = {-0.4};
    described.joints[1].upper = {0.1};
    LiveSimulation scene = opened(described), live = opened(arm());
    EXPECT_EQ(told(live, R"({"joint": {"joint": "shoulder", "stiffness": 40, "damping": 2, "rest": 0.3}})"),
              "");
    EXPECT_EQ(told(live, R"({"joint": {"joint": "elbow", "lower": [-0.4], "upper": [0.1]}})"), "");
    run(scene, 200);
    run(live, 200);
    EXPECT_EQ(hashOf(live), hashOf(scene));
}

TEST(LiveSettings, what_a_hand_sets_a_switch_sets_no_more)
{
    Description scene = arm();
    SwitchDescription later;
    later.time = 0.5;
    later.joint = "shoulder";
    later.settings.stiffness = 0;
    later.settings.damping = 9;
    scene.switches = {later};
    LiveSimulation live = opened(scene);
    EXPECT_EQ(told(live, R"({"joint": {"joint": "shoulder", "stiffness": 300}})"), "");
    run(live, 240);
    const Joint& joint = live.simulation().model().joints[live.simulation().model().findJoint("shoulder")];
    EXPECT_EQ(joint.stiffness, 300);
    EXPECT_EQ(joint.damping, 9);
    expectRepeats(live, scene);
}

TEST(LiveSettings, limits_hold_and_let_go)
{
    LiveSimulation live = opened(arm());
    EXPECT_EQ(told(live, R"({"joint": {"joint": "shoulder", "lower": -0.5, "damping": 3}})"), "");
    run(live, 720);
    EXPECT_NEAR(angle(live, "shoulder"), -0.5, 0.02);
    EXPECT_EQ(told(live, R"({"joint": {"joint": "shoulder", "limits": false}})"), "");
    run(live, 480);
    EXPECT_LT(angle(live, "shoulder"), -1);
    expectRepeats(live, arm());
}

TEST(LiveSettings, a_motor_goes_at_its_speed_with_its_strength_to_its_target)
{
    Description scene = arm();
    scene.gravity = Vec3::Zero();
    scene.bodies.resize(1);
    scene.joints.resize(1);
    scene.controllers.clear();
    scene.joints[0].coordinate = {0.2};
    LiveSimulation live = opened(scene);
    const double inertia = live.simulation().model().bodies[0].inertia(2, 2) +
                           live.simulation().model().bodies[0].mass * 0.25 * 0.25;
    EXPECT_EQ(
        told(live, R"({"motor": {"joint": "shoulder", "speed": 3, "damping": 100, "strength": 0.05}})"),
        "");
    run(live, 48);  // its strength alone
    EXPECT_NEAR(angle(live, "shoulder"), 0.2 + 0.5 * 0.05 / inertia * 0.04, 1e-4);
    EXPECT_EQ(told(live, R"({"motor": {"joint": "shoulder", "strength": 1000}})"), "");
    run(live, 240);
    const double from = angle(live, "shoulder");
    run(live, 240);
    EXPECT_NEAR(angle(live, "shoulder") - from, 3, 1e-3);
    EXPECT_EQ(
        told(
            live,
            R"({"motor": {"joint": "shoulder", "speed": 0, "target": -0.7, "stiffness": 50, "damping": 10}})"),
        "");
    run(live, 1200);
    EXPECT_NEAR(angle(live, "shoulder"), -0.7, 1e-4);
    ASSERT_EQ(live.motors().size(), 1u);
    EXPECT_EQ(told(live, R"({"motor": {"joint": "shoulder", "stiffness": 0, "damping": 0}})"), "");
    EXPECT_TRUE(live.motors().empty());
    EXPECT_TRUE(live.scene().controllers.empty());
    expectRepeats(live, scene);
}

TEST(LiveSettings, a_motor_and_the_controller_of_the_scene_stand_beside_each_other)
{
    LiveSimulation live = opened(arm());
    EXPECT_EQ(told(live, R"({"motor": {"joint": "elbow", "target": 0.5, "stiffness": 20, "damping": 1}})"),
              "");
    EXPECT_EQ(told(live, R"({"control": {"joint": "elbow", "stiffness": 60}})"), "");
    const Model& model = live.simulation().model();
    const auto& controllers = model.drives[model.joints[model.findJoint("elbow")].drives].controllers;
    ASSERT_EQ(controllers.size(), 2u);
    EXPECT_EQ(controllers[0].stiffness, 60);
    EXPECT_EQ(controllers[1].stiffness, 20);
    run(live, 100);
    expectRepeats(live, arm());
}

TEST(LiveSettings, switches_of_joints_and_of_all)
{
    Description scene = arm();
    scene.joints[0].stiffness = 500;
    scene.switches = {{0.25, "", false}, {0.5, "", true}};
    LiveSimulation live = opened(scene);
    const auto isOn = [&](const char* joint) {
        const Simulation& s = live.simulation();
        return s.model().isActive(s.model().findJoint(joint), s.state.time);
    };
    EXPECT_EQ(told(live, R"({"switch": {"joint": "shoulder", "active": true}})"), "");
    run(live, 80);
    EXPECT_TRUE(isOn("shoulder"));
    EXPECT_FALSE(isOn("elbow"));
    EXPECT_EQ(told(live, R"({"switch": {"active": false}})"), "");
    run(live, 80);
    EXPECT_FALSE(isOn("shoulder"));
    EXPECT_FALSE(isOn("elbow"));
    EXPECT_EQ(told(live, R"({"restore": true})"), "");
    EXPECT_TRUE(isOn("shoulder"));
    expectRepeats(live, scene);
}

TEST(LiveSettings, a_reset_is_the_scene_as_it_was_and_restoring_goes_on)
{
    LiveSimulation untouched = opened(arm()), live = opened(arm()), restored = opened(arm());
    for (LiveSimulation* one : {&live, &restored}) {
        EXPECT_EQ(told(*one, R"({"joint": {"joint": "shoulder", "stiffness": 40, "upper": 0.2}})"), "");
        EXPECT_EQ(told(*one, R"({"motor": {"joint": "elbow", "speed": 2, "damping": 2}})"), "");
        EXPECT_EQ(told(*one, R"({"torque": {"joint": "elbow", "torque": 1}})"), "");
    }
    run(live, 100);
    EXPECT_EQ(told(live, R"({"reset": true})"), "");
    EXPECT_EQ(told(restored, R"({"restore": true})"), "");
    EXPECT_TRUE(live.motors().empty() && restored.motors().empty() && restored.jointInputs().empty());
    for (LiveSimulation* one : {&untouched, &live, &restored}) run(*one, 100);
    EXPECT_EQ(hashOf(live), hashOf(untouched));
    EXPECT_EQ(hashOf(restored), hashOf(untouched));
}

Description walker()
{
    Result<Description> scene = readScene(SINEW_SCENE_DIR "/walk.json");
    EXPECT_TRUE(scene) << (scene ? "" : scene.error().text());
    return scene.value();
}

TEST(LiveSettings, gains_of_a_figure_that_balances_and_of_its_gait)
{
    const Description scene = walker();
    LiveSimulation live = opened(scene), untouched = opened(scene);
    ASSERT_FALSE(scene.balances.empty() || !scene.balances[0].gait);
    const BalanceDescription& balance = scene.balances[0];
    const std::string body = "\"body\": \"" + balance.body + "\"", state = balance.gait->states[0].name,
                      joint = balance.joints[0].joint;
    run(live, 5);
    EXPECT_EQ(told(live, "{\"balance\": {" + body +
                             R"(, "stiffness": 1300, "damping": 280, "sole": 0.7, "joints": {")" + joint +
                             R"(": {"stiffness": 400}}}})"),
              "");
    run(live, 5);
    EXPECT_EQ(told(live, "{\"gait\": {" + body + ", \"state\": \"" + state +
                             R"(", "lean": 0.05, "speed": [0.2, 0.3]}})"),
              "");
    EXPECT_EQ(told(live, "{\"gait\": {" + body + R"(, "heading": 0.4}})"), "");
    run(live, 20);
    run(untouched, 30);
    EXPECT_NE(hashOf(live), hashOf(untouched));
    const BalanceDescription& now = live.scene().balances[0];
    EXPECT_EQ(now.stiffness, 1300);
    EXPECT_EQ(now.joints[0].stiffness, 400);
    EXPECT_EQ(now.gait->states[0].lean, 0.05);
    EXPECT_EQ(now.gait->states.back().lean, balance.gait->states.back().lean);
    EXPECT_EQ(live.simulation().model().balances[0].states[0].lean, 0.05);
    expectRepeats(live, scene);
    // What is said in vain.
    EXPECT_EQ(told(live, R"({"balance": {"body": "nose", "sole": 1}})"),
              "/balance/body: no figure balances by a body 'nose'");
    EXPECT_EQ(told(live, "{\"balance\": {" + body + R"(, "sole": 2}})"),
              "/balance/sole: is 2; it must be above 0 and at most 1");
    EXPECT_EQ(told(live, "{\"balance\": {" + body + "}}"),
              "/balance: says nothing; give stiffness, damping, sole, step or joints");
    EXPECT_EQ(told(live, "{\"balance\": {" + body + R"(, "joints": {"tail": {"stiffness": 1}}}})"),
              "/balance/joints/tail: has no strength in this balance");
    EXPECT_EQ(told(live, "{\"gait\": {" + body + R"(, "state": "hop", "lean": 0}})"),
              "/gait/state: there is no state 'hop'");
    EXPECT_EQ(told(live, "{\"gait\": {" + body + R"(, "pose": {"tail": 1}}})"),
              "/gait/pose/tail: there is no joint 'tail'");
    EXPECT_EQ(told(live, "{\"gait\": {" + body + R"(, "from": -1}})"),
              "/gait/from: is -1; it must be zero or more");
}

TEST(LiveSettings, what_cannot_be_is_told_in_one_line_and_changes_nothing)
{
    Description scene = arm();
    PrescribedDescription prescribed;
    prescribed.joint = "shoulder";
    prescribed.motion = {Signal(0.1)};
    scene.prescribed = {prescribed};
    LiveSimulation led = opened(scene), live = opened(arm());
    const std::string isLed = "the motion of 'shoulder' is prescribed, whatever drives it";
    EXPECT_EQ(told(led, R"({"joint": {"joint": "shoulder", "stiffness": 1}})"), "/joint/joint: " + isLed);
    EXPECT_EQ(told(led, R"({"motor": {"joint": "shoulder", "speed": 1, "damping": 1}})"),
              "/motor/joint: " + isLed);
    EXPECT_EQ(told(led, R"({"switch": {"joint": "shoulder", "active": false}})"),
              "/switch/joint: " + isLed);
    const std::uint64_t before = hashOf(live);
    const struct {
        const char *line, *says;
    } all[] = {
        {R"({"joint": {"joint": "knee", "stiffness": 1}})", "/joint/joint: there is no joint 'knee'"},
        {R"({"joint": {"joint": "elbow"}})",
         "/joint: says nothing; give stiffness, damping, rest, lower, upper, swing_limit or "
         "limit_stiffness"},
        {R"({"joint": {"joint": "elbow", "stiffness": -1}})",
         "/joint/stiffness: is -1; it must be zero or more"},
        {R"({"joint": {"joint": "elbow", "lower": 1, "upper": 0.5}})",
         "/joint/upper: is 0.5, below the lower limit 1"},
        {R"({"joint": {"joint": "elbow", "lower": [1, 2]}})",
         "/joint/lower: has 2 numbers; this joint takes 1"},
        {R"({"joint": {"joint": "elbow", "swing_limit": 1}})", "/joint/swing_limit: is for ball joints"},
        {R"({"joint": {"joint": "elbow", "limits": true}})",
         "/joint/limits: is true; give lower, upper or swing_limit instead"},
        {R"({"motor": {"joint": "elbow", "speed": [1, 2], "damping": 1}})",
         "/motor/speed: has 2 numbers; joint 'elbow' takes 1"},
        {R"({"motor": {"joint": "elbow", "speed": 1, "damping": -1}})",
         "/motor/damping: is -1; it must be zero or more"},
        {R"({"motor": {"joint": "elbow", "speed": 1, "strength": 0}})",
         "/motor/strength: is 0; it must be positive"},
        {R"({"switch": {"joint": "knee", "active": true}})", "/switch/joint: there is no joint 'knee'"},
        {R"({"switch": {"joint": "elbow"}})", "/switch: a switch needs the key \"active\""},
        {R"({"joint": {"joint": "elbow", "stifness": 1}})",
         "/joint/stifness: unknown key \"stifness\"; did you mean \"stiffness\"?"},
        {R"({"balance": {"body": "upper", "sole": 1}})",
         "/balance/body: no figure balances by a body 'upper'"},
        {R"({"gait": {"body": "upper", "lean": 1}})", "/gait/body: no figure balances by a body 'upper'"},
    };
    for (const auto& [line, says] : all) EXPECT_EQ(told(live, line), says) << line;
    EXPECT_TRUE(live.recording().empty());
    EXPECT_EQ(hashOf(live), before);
    LiveSimulation untouched = opened(arm());
    run(live, 50);
    run(untouched, 50);
    EXPECT_EQ(hashOf(live), hashOf(untouched));
}

}  // namespace
}  // namespace sinew::live_settings_test
