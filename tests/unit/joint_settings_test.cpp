// Springs, limits, dampers and motors of joints that switch while a simulation runs: `switches` with
// numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "sinew/io/json/scene.h"
#include "sinew/recording/checkpoint.h"
#include "sinew/simulation/energy_balance.h"
#include "support/contact_scenes.h"

namespace sinew::joint_settings_test {
namespace {

constexpr double h = 1. / 128;  // every time of the scenes is a whole number of steps, to the last bit

// A ball joint with an axis, a universal joint and a hinge, one behind the other.
Description chain()
{
    Description scene;
    const JointType types[] = {JointType::spherical, JointType::universal, JointType::hinge};
    const char* names[] = {"neck", "waist", "knee"};
    for (int i = 0; i < 3; ++i) {
        BodyDescription body =
            test::solid("b" + std::to_string(i), Box{{0.5, 0.06, 0.1}}, {0.25 + 0.5 * i, 0, 0});
        scene.bodies.push_back(body);
        JointDescription joint = test::joined(
            names[i], types[i], i == 0 ? "world" : "b" + std::to_string(i - 1), body.name, {0.5 * i, 0, 0});
        joint.axis = Vec3(0, 0, 1);
        if (i == 0) joint.axis = Vec3(1, 0, 0);
        if (i == 1) joint.axis2 = Vec3(0, 1, 0);
        joint.damping = 0.2;
        joint.limitStiffness = 40;  // explicit steps bear it
        scene.joints.push_back(joint);
    }
    scene.joints[0].stiffness = 30;
    scene.joints[2].lower = {-0.5};
    scene.run.step = h;
    return scene;
}

// All that can be set, of all joints.
std::vector<SwitchDescription> changes(double time)
{
    std::vector<SwitchDescription> out(3);
    const char* names[] = {"neck", "waist", "knee"};
    for (std::size_t i = 0; i < 3; ++i) {
        out[i].time = time;
        out[i].joint = names[i];
        out[i].active.reset();
    }
    out[0].settings.stiffness = 8;
    out[0].settings.rest = {0.2, 0.1, -0.3};
    out[0].settings.swingLimit = 0.4;
    out[0].settings.lower = {-0.2};
    out[1].settings.damping = 1.5;
    out[1].settings.motor = {2, -1};
    out[1].settings.upper = {0.3, 0.6};
    out[1].settings.limitStiffness = 60;
    out[2].settings.limits = false;
    out[2].settings.upper = {0.1};
    return out;
}

Description changed(Description scene)
{
    for (const SwitchDescription& change : changes(0))
        for (JointDescription& joint : scene.joints)
            if (joint.name == change.joint) change.settings.applyTo(joint);
    return scene;
}

Simulation started(const Description& scene, const char* solver, const char* integrator)
{
    Result<Simulation> made = Simulation::create(scene, {solver, integrator, h});
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    return std::move(made.value());
}
void run(Simulation& simulation, int steps)
{
    for (int i = 0; i < steps; ++i) {
        const StepReport report = simulation.step();
        ASSERT_TRUE(report.ok) << report.message;
    }
}

struct Pair {
    const char *solver, *integrator;
};
constexpr Pair pairs[] = {{"featherstone", "implicit"},
                          {"featherstone", "implicit_bdf2"},
                          {"featherstone", "implicit_euler"},
                          {"featherstone", "rk4"},
                          {"featherstone", "semi_implicit_euler"},
                          {"kkt", "rk4"},
                          {"baraff", "implicit"},
                          {"featherstone", "dormand_prince"}};

TEST(JointSettings, at_the_start_are_those_of_a_scene_that_says_so)
{
    Description switched = chain();
    switched.switches = changes(0);
    for (const auto& [solver, integrator] : pairs) {
        Simulation one = started(switched, solver, integrator),
                   other = started(changed(chain()), solver, integrator);
        run(one, 40);
        run(other, 40);
        EXPECT_EQ(stateHash(one.state), stateHash(other.state)) << solver << " " << integrator;
    }
}

// To the bit: what was is as if nothing were to come, and what comes is as if it had always been so.
TEST(JointSettings, begin_with_the_first_step_of_their_time)
{
    constexpr int before = 24, after = 30;
    Description switched = chain();
    switched.switches = changes(before * h);
    for (const auto& [solver, integrator] : pairs) {
        Simulation whole = started(switched, solver, integrator),
                   first = started(chain(), solver, integrator),
                   second = started(changed(chain()), solver, integrator);
        run(whole, before);
        run(first, before);
        EXPECT_EQ(stateHash(whole.state), stateHash(first.state)) << solver << " " << integrator;
        State taken = first.state;
        taken.previous.clear();  // steps that look back do not look across
        ASSERT_FALSE(second.setState(taken));
        run(whole, after);
        run(first, after);
        run(second, after);
        EXPECT_EQ(stateHash(whole.state), stateHash(second.state)) << solver << " " << integrator;
        EXPECT_NE(stateHash(whole.state), stateHash(first.state)) << solver << " " << integrator;
    }
}

TEST(JointSettings, are_those_of_the_time_of_a_state_that_is_taken_up)
{
    Description scene = chain();
    scene.switches = changes(20 * h);
    SwitchDescription back;
    back.time = 40 * h;
    back.joint = "neck";
    back.settings.stiffness = 50;
    scene.switches.push_back(back);
    for (const auto& [solver, integrator] : pairs) {
        Simulation whole = started(scene, solver, integrator);
        std::vector<std::pair<State, Simulation::Clock>> kept;
        for (int i = 0; i < 60; ++i) {
            if (i % 10 == 0) kept.emplace_back(whole.state, whole.clock());
            run(whole, 1);
        }
        const std::uint64_t end = stateHash(whole.state);
        // Into the simulation that is at its end, and into a new one; on through all that comes, to the
        // bit.
        Simulation fresh = started(scene, solver, integrator);
        for (std::size_t k = kept.size(); k-- > 0;)
            for (Simulation* one : {&whole, &fresh}) {
                ASSERT_FALSE(one->setState(kept[k].first, kept[k].second));
                run(*one, 60 - 10 * static_cast<int>(k));
                EXPECT_EQ(stateHash(one->state), end) << solver << " " << integrator << " from " << 10 * k;
            }
        whole.reset();
        run(whole, 60);
        EXPECT_EQ(stateHash(whole.state), end) << solver << " " << integrator;
    }
}

TEST(JointSettings, survive_a_checkpoint_before_at_and_after_them)
{
    Description scene = chain();
    scene.switches = changes(20 * h);
    const std::string path = std::string(SINEW_TEST_OUTPUT_DIR) + "/joint_settings.bin";
    Simulation whole = started(scene, "featherstone", "implicit");
    run(whole, 40);
    for (const int at : {10, 19, 20, 21, 30}) {
        Simulation part = started(scene, "featherstone", "implicit");
        run(part, at);
        ASSERT_FALSE(saveCheckpoint(path, part, scene));
        Result<Simulation> again = loadCheckpoint(path);
        ASSERT_TRUE(again) << again.error().text();
        run(again.value(), 40 - at);
        EXPECT_EQ(stateHash(again.value().state), stateHash(whole.state)) << at;
    }
}

// A hinge that swings on its spring: what the switch takes of it is what the joint has less.
TEST(JointSettings, take_the_energy_that_springs_had)
{
    Description scene;
    scene.gravity = Vec3::Zero();
    scene.bodies = {test::solid("b", Box{{0.5, 0.06, 0.1}}, {0.25, 0, 0})};
    JointDescription joint = test::joined("j", JointType::hinge, "world", "b", {0, 0, 0});
    joint.axis = Vec3(0, 0, 1);
    joint.stiffness = 6;
    joint.coordinate = {0.8};
    scene.joints = {joint};
    SwitchDescription softer;
    softer.time = 0.125;
    softer.joint = "j";
    softer.settings.stiffness = 2;
    scene.switches = {softer};
    Result<Simulation> made = Simulation::create(scene, {"featherstone", "rk4", 1. / 1024});
    ASSERT_TRUE(made);
    Simulation& s = made.value();
    s.measuresEnergy = true;
    EnergyMeter meter;
    meter.start(s);
    double stretch = 0;
    for (int i = 0; i < 512; ++i) {
        if (i == 128) stretch = s.state.q[0];
        const StepReport report = s.step();
        ASSERT_TRUE(report.ok);
        meter.add(s, report);
    }
    const double taken = 0.5 * (6 - 2) * stretch * stretch;
    EXPECT_GT(taken, 0.05);
    EXPECT_NEAR(meter.balance.drives, -taken, 1e-9);
    EXPECT_NEAR(meter.balance.hands, 0, 1e-12);
    EXPECT_NEAR(meter.balance.end, meter.balance.start - taken, 1e-7);
}

TEST(JointSettings, a_limit_that_comes_holds_and_one_that_goes_lets_go)
{
    Description scene = chain();
    scene.joints.resize(1);
    scene.bodies.resize(1);
    scene.joints[0].type = JointType::hinge;
    scene.joints[0].axis = Vec3(0, 0, 1);
    scene.joints[0].stiffness = 0;
    scene.joints[0].damping = 2;
    scene.joints[0].limitStiffness.reset();
    SwitchDescription stop, go;
    stop.time = 0;
    go.time = 3;
    stop.joint = go.joint = "neck";
    stop.settings.lower = {-0.3};
    go.settings.limits = false;
    scene.switches = {stop, go};
    Simulation s = started(scene, "featherstone", "implicit");
    run(s, 3 * 128);
    EXPECT_NEAR(s.state.q[0], -0.3, 0.01);
    run(s, 3 * 128);
    EXPECT_LT(s.state.q[0], -1.2);
}

struct Bad {
    const char* name;
    std::function<void(Description&)> spoil;
    std::string says;
};

TEST(JointSettings, what_cannot_be_is_told_where_it_stands)
{
    const std::vector<Bad> all = {
        {"nowhere", [](Description& d) { d.switches[1].joint = "nose"; },
         "/switches/1/joint: there is no joint 'nose'"},
        {"all", [](Description& d) { d.switches[1].joint.clear(); },
         "/switches/1: names no joint; only active is for every joint"},
        {"negative", [](Description& d) { d.switches[0].settings.stiffness = -8; },
         "/switches/0/stiffness: is -8; it must be zero or more"},
        {"crossed", [](Description& d) { d.switches[2].settings.lower = {0.4}; },
         "/switches/2/upper: is 0.1, below the lower limit 0.4"},
        {"count",
         [](Description& d) {
             d.switches[2].settings.motor = {1, 2};
         },
         "/switches/2/motor: has 2 numbers; this joint takes 1"},
        {"swing", [](Description& d) { d.switches[2].settings.swingLimit = 0.4; },
         "/switches/2/swing_limit: is for ball joints"},
        {"limits", [](Description& d) { d.switches[2].settings.limits = true; },
         "/switches/2/limits: is true; give lower, upper or swing_limit instead"},
        {"early", [](Description& d) { d.switches[1].time = -1; },
         "/switches/1/time: is -1; it must be zero or more"},
    };
    for (const Bad& bad : all) {
        Description scene = chain();
        scene.switches = changes(1);
        bad.spoil(scene);
        const Result<Model> model = compile(scene);
        ASSERT_FALSE(model) << bad.name;
        EXPECT_EQ(model.error().text(), bad.says);
    }
}

TEST(JointSettings, are_written_as_they_were_read)
{
    Description scene = chain();
    scene.switches = changes(0.5);
    scene.switches[0].active = false;
    scene.switches[1].active = true;
    const Result<Description> read = parseScene(writeScene(scene), "s");
    ASSERT_TRUE(read) << read.error().text();
    ASSERT_EQ(read.value().switches.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(read.value().switches[i].active, scene.switches[i].active) << i;
        EXPECT_EQ(read.value().switches[i].settings.upper, scene.switches[i].settings.upper) << i;
    }
    EXPECT_EQ(writeScene(read.value()), writeScene(scene));
}

}  // namespace
}  // namespace sinew::joint_settings_test
