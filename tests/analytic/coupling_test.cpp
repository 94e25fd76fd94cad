// Joints that gears tie together, where the answer is known: geared wheels, a rack on a pinion, a chain of
// followers.
#include <gtest/gtest.h>

#include <cmath>

#include "support/contact_scenes.h"

namespace sinew {
namespace {

using test::runFor;
using test::started;

constexpr double onTheLine = 1e-9;  // rad or m: how far a follower may be from where it belongs

BodyDescription part(const std::string& name, double x, double mass, double inertia)
{
    BodyDescription body;
    body.name = name;
    body.pose.position = Vec3(x, 0, 0);
    body.mass = mass;
    body.inertia = inertia * Mat3::Identity();
    return body;
}

JointDescription onTheWorld(const std::string& name, JointType type, const BodyDescription& body,
                            const Vec3& axis)
{
    JointDescription joint;
    joint.name = name;
    joint.type = type;
    joint.first = "world";
    joint.second = body.name;
    joint.position = body.pose.position;
    joint.axis = axis;
    return joint;
}

// Two wheels on axes of their own, 0.02 and 0.5 kg m², the second turning back three times as fast.
Description gearedWheels()
{
    Description scene;
    scene.bodies = {part("large", 0, 1, 0.5), part("small", 1, 1, 0.02)};
    scene.joints = {onTheWorld("slow", JointType::hinge, scene.bodies[0], Vec3::UnitZ()),
                    onTheWorld("fast", JointType::hinge, scene.bodies[1], Vec3::UnitZ())};
    scene.couplings = {{"fast", "slow", -3, 0}};
    return scene;
}

double coordinate(const Simulation& s, const char* joint)
{
    return s.state.q[s.model().joints[s.model().findJoint(joint)].q];
}
double velocity(const Simulation& s, const char* joint)
{
    return s.state.u[s.model().joints[s.model().findJoint(joint)].u];
}
double largestGap(const Simulation& s)
{
    double largest = 0;
    for (const Coupling& coupling : s.model().couplings)
        largest = std::max(largest, std::abs(couplingGap(s.model(), coupling, s.state)));
    return largest;
}

TEST(Coupling, geared_wheels_accelerate_by_the_inertia_that_the_driver_feels)
{
    Description scene = gearedWheels();
    scene.joints[0].motor = {2};  // N·m
    Simulation s = started(scene);
    // A constant torque on constant inertia: every step adds the same speed, whatever its length.
    const double acceleration = 2 / (0.5 + 9 * 0.02);
    double gap = 0;
    runFor(s, 1, [&](const StepReport&) { gap = std::max(gap, largestGap(s)); });
    const double t = s.state.time;
    EXPECT_NEAR(velocity(s, "slow"), acceleration * t, 1e-9);
    EXPECT_NEAR(velocity(s, "fast"), -3 * acceleration * t, 1e-9);
    EXPECT_GT(std::abs(coordinate(s, "fast")), pi);  // turns count
    EXPECT_LT(gap, onTheLine);
    // The gears' force of the last step is part of what is reported after it.
    EXPECT_NEAR(s.accelerate().joint[s.model().joints[s.model().findJoint("slow")].u], acceleration, 1e-8);
}

TEST(Coupling, what_drives_the_follower_drives_the_leader)
{
    Description scene = gearedWheels();
    scene.joints[1].motor = {2};
    Simulation s = started(scene);
    runFor(s, 1);
    EXPECT_NEAR(velocity(s, "slow"), -3 * 2 / (0.5 + 9 * 0.02) * s.state.time, 1e-9);
}

TEST(Coupling, a_rack_pulled_by_gravity_turns_its_pinion)
{
    // x = r φ, m x¨ = m g − F, I φ¨ = F r: a yo-yo.
    Description scene;
    scene.bodies = {part("pinion", 0, 1, 0.03), part("rack", 1, 2, 0.1)};
    scene.joints = {onTheWorld("turn", JointType::hinge, scene.bodies[0], Vec3::UnitZ()),
                    onTheWorld("fall", JointType::slide, scene.bodies[1], -Vec3::UnitY())};
    const double r = 0.1;
    scene.couplings = {{"fall", "turn", r, 0.05}};
    scene.joints[1].coordinate = {0.05};
    Simulation s = started(scene);
    runFor(s, 1);
    const double a = 9.81 * 2 / (2 + 0.03 / (r * r));
    EXPECT_NEAR(velocity(s, "fall"), a * s.state.time, 1e-9);
    EXPECT_LT(largestGap(s), onTheLine);
}

// A finger of three links whose outer joints follow the first, as tendons make them, in one skeleton.
Description finger()
{
    Description scene;
    std::string parent = "world";
    for (int i = 0; i < 3; ++i) {
        BodyDescription body = part("link" + std::to_string(i), 0.1 * i + 0.05, 0.1, 1e-4);
        JointDescription joint = onTheWorld("j" + std::to_string(i), JointType::hinge, body, Vec3::UnitZ());
        joint.first = parent;
        joint.position = Vec3(0.1 * i, 0, 0);
        parent = body.name;
        scene.bodies.push_back(body);
        scene.joints.push_back(joint);
    }
    scene.couplings = {{"j2", "j1", 0.5, 0.1}, {"j1", "j0", 0.8, 0}};
    scene.joints[2].coordinate = {0.1};
    return scene;
}

TEST(Coupling, a_chain_of_followers_stays_on_the_line_and_does_no_work)
{
    Simulation s = started(finger(), test::stepping("implicit_bdf2", 0.001));
    const double before = energy(s.model(), s.state).total();
    double gap = 0, lowest = 0;
    runFor(s, 1, [&](const StepReport&) {
        gap = std::max(gap, largestGap(s));
        lowest = std::min(lowest, coordinate(s, "j0"));
    });
    const double loss = before - energy(s.model(), s.state).total();
    std::printf("gap %.1e rad, swing to %.2f rad, energy lost %.1e J\n", gap, lowest, loss);
    EXPECT_LT(gap, onTheLine);
    EXPECT_LT(lowest, -1);  // it swings through a quarter of a turn and more
    // What BDF2 itself takes in so many steps; the weight does 0.3 J of work on the way down.
    constexpr double damped = 1e-3;  // J
    EXPECT_GT(loss, -1e-9);
    EXPECT_LT(loss, damped);
}

TEST(Coupling, a_start_beside_the_line_is_refused_with_one_that_fits)
{
    Description scene = finger();
    scene.joints[2].coordinate.clear();
    const Result<Model> model = compile(scene);
    ASSERT_TRUE(model) << model.error().text();
    EXPECT_EQ(initialState(model.value(), scene).error().text(),
              "/couplings/0: joint 'j2' starts at coordinate 0; by its coupling it must start at 0.1");
    scene = gearedWheels();
    scene.joints[0].velocity = {1};
    EXPECT_EQ(initialState(compile(scene).value(), scene).error().text(),
              "/couplings/0: joint 'fast' starts with velocity 0; by its coupling it must have -3");
}

TEST(Coupling, what_cannot_be_coupled_is_refused)
{
    const auto fault = [](const std::vector<CouplingDescription>& couplings) {
        Description scene = finger();
        scene.couplings = couplings;
        const Result<Model> model = compile(scene);
        return model ? std::string() : model.error().text();
    };
    EXPECT_EQ(fault({{"j1", "j9"}}), "/couplings/0/leader: there is no joint 'j9'");
    EXPECT_EQ(fault({{"j1", "j0"}, {"j1", "j2"}}),
              "/couplings/1/follower: joint 'j1' follows another one already");
    EXPECT_EQ(fault({{"j1", "j0"}, {"j0", "j1"}}),
              "/couplings/1: makes joint 'j0' follow itself, directly or by others");
    EXPECT_EQ(fault({{"j1", "j1"}}), "/couplings/0: makes joint 'j1' follow itself, directly or by others");
    EXPECT_EQ(fault({{"j1", "j0", std::nan("")}}), "/couplings/0/ratio: is not finite");
    Description scene = finger();
    scene.joints[1].type = JointType::spherical;
    scene.joints[1].axis.reset();
    EXPECT_EQ(
        compile(scene).error().text(),
        "/couplings/0/leader: joint 'j1' is a spherical joint; only hinges and slides can be coupled");
}

TEST(Coupling, steps_that_cannot_hold_it_say_so)
{
    const Result<Simulation> s =
        Simulation::create(gearedWheels(), test::stepping("semi_implicit_euler", 0.001));
    ASSERT_FALSE(s);
    EXPECT_NE(s.error().text().find("is coupled to another one"), std::string::npos) << s.error().text();
}

}  // namespace
}  // namespace sinew
