// What programs read and set by name.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "scenes.h"
#include "sinew/io/json/scene.h"
#include "sinew/math/rotation.h"
#include "sinew/state/kinematics.h"

namespace sinew::named_test {
namespace {

using test::arm;
using test::boxOnFloor;
using test::refusal;
using test::started;

constexpr double rounding = 1e-12;
const double nan = std::numeric_limits<double>::quiet_NaN();

struct Numbers {
    JointType type;
    std::vector<double> position, velocity;
};
const std::vector<Numbers> elbows = {{JointType::hinge, {0.4}, {-1.5}},
                                     {JointType::slide, {0.1}, {0.3}},
                                     {JointType::universal, {0.4, -0.2}, {0.5, 1.1}},
                                     {JointType::spherical, {0.3, -0.5, 0.2}, {1, 0.4, -2}}};

TEST(ByName, joints_have_the_numbers_of_the_scene_either_way_round)
{
    for (const Numbers& elbow : elbows)
        for (const bool reversed : {false, true}) {
            Description d = arm(elbow.type, reversed);
            d.joints[1].coordinate = elbow.position;
            d.joints[1].velocity = elbow.velocity;
            const Simulation s = started(d);
            const JointNumbers position = s.jointPosition("elbow").value();
            const JointNumbers velocity = s.jointVelocity("elbow").value();
            ASSERT_EQ(position.size(), elbow.position.size());
            for (std::size_t i = 0; i < position.size(); ++i) {
                EXPECT_NEAR(position[i], elbow.position[i], rounding);
                EXPECT_NEAR(velocity[i], elbow.velocity[i], rounding);
            }
        }
}

TEST(ByName, what_is_set_is_what_the_scene_could_have_started_from)
{
    for (const Numbers& elbow : elbows)
        for (const bool reversed : {false, true})
            for (const char* coordinates : {"joint", "maximal"}) {
                Settings settings;
                settings.coordinates = coordinates;
                Description d = arm(elbow.type, reversed);
                Simulation set = started(d, settings);
                ASSERT_TRUE(set.advance(0.2).ok);  // something to forget
                set.reset();
                EXPECT_EQ(refusal(set.setJointVelocity("elbow", std::span(elbow.velocity))), "");
                EXPECT_EQ(refusal(set.setJointPosition("elbow", std::span(elbow.position))), "");
                d.joints[1].coordinate = elbow.position;
                d.joints[1].velocity = elbow.velocity;
                Simulation given = started(d, settings);
                ASSERT_TRUE(set.advance(0.5).ok);
                ASSERT_TRUE(given.advance(0.5).ok);
                EXPECT_LT((set.state.bodies[1].position - given.state.bodies[1].position).norm(), 1e-9);
                EXPECT_LT((set.state.bodies[1].velocity - given.state.bodies[1].velocity).norm(), 1e-8);
            }
}

TEST(ByName, setting_forgets_what_steps_look_back_to)
{
    Simulation s = started(arm());
    ASSERT_TRUE(s.advance(0.3).ok);
    ASSERT_FALSE(s.state.previous.empty());
    const double shoulder = s.jointPosition("shoulder").value()[0];
    ASSERT_EQ(refusal(s.setJointVelocity("elbow", 0)), "");
    EXPECT_TRUE(s.state.previous.empty());
    EXPECT_EQ(s.jointVelocity("elbow").value()[0], 0);
    EXPECT_EQ(s.jointPosition("shoulder").value()[0], shoulder);  // and nothing else moved
}

TEST(ByName, bodies_are_in_the_frames_of_the_scene)
{
    Description d;
    BodyDescription& body = d.bodies.emplace_back(test::stick("stone", {1, 2, 3}));
    body.shapes[0].pose.position = {0.2, 0.1, 0};  // the centre of mass is not the frame's origin
    body.pose.orientation = expRotation(Vec3(0.3, 0.2, 0.1));
    const Simulation start = started(d);
    EXPECT_LT((start.body("stone").value().pose.position - Vec3(1, 2, 3)).norm(), rounding);

    const BodyMotion wanted{{{4, 5, 6}, expRotation(Vec3(1, 0, 2))}, {1, -1, 2}, {0.5, 3, 1}};
    Simulation s = started(d);
    ASSERT_EQ(refusal(s.setBody("stone", wanted)), "");
    const BodyMotion got = s.body("stone").value();
    EXPECT_LT((got.pose.position - wanted.pose.position).norm(), rounding);
    EXPECT_LT(got.pose.orientation.angularDistance(wanted.pose.orientation), 1e-7);
    EXPECT_LT((got.velocity - wanted.velocity).norm(), rounding);
    EXPECT_LT((got.angularVelocity - wanted.angularVelocity).norm(), rounding);
    ASSERT_TRUE(s.advance(1).ok);
    // The centre of mass flies on a parabola.
    const Vec3 offset = wanted.pose.orientation * s.model().bodies[0].center;
    const Vec3 v = wanted.velocity + wanted.angularVelocity.cross(offset);
    const Vec3 center = wanted.pose.position + offset + v * s.state.time;
    EXPECT_NEAR(s.state.bodies[0].position.x(), center.x(), 1e-9);
    EXPECT_NEAR(s.state.bodies[0].position.z(), center.z(), 1e-9);
}

TEST(ByName, a_joint_that_holds_a_weight_has_it_as_its_load)
{
    Description d = arm();
    d.joints[0].coordinate = {-M_PI / 2};  // hangs
    Simulation s = started(d);
    const Force load = s.jointLoad("shoulder").value();
    EXPECT_LT((load.force - Vec3(0, -2 * 9.81, 0)).norm(), 1e-9);  // on the world, its first body
    EXPECT_LT((s.jointLoad(s.findJoint("elbow").value()).value().force - Vec3(0, -9.81, 0)).norm(), 1e-9);
}

TEST(ByName, contacts_of_a_body_bear_its_weight)
{
    Description d = boxOnFloor();
    BodyDescription top = d.bodies[0];
    top.name = "top";
    top.mass = 1;
    top.pose.position = {0, 0.15, 0};
    d.bodies.push_back(top);
    Simulation s = started(d);
    ASSERT_TRUE(s.advance(0.5).ok);
    const auto total = [&](const char* name) {
        Vec3 sum = Vec3::Zero();
        const std::vector<BodyContact> contacts = s.contacts(name).value();
        for (const BodyContact& c : contacts) sum += c.force;
        return sum;
    };
    EXPECT_NEAR(total("top").y(), 1 * 9.81, 1e-3);
    EXPECT_NEAR(total("box").y(), 2 * 9.81, 1e-3);  // the floor pushes with three times g, the top with one
    int onFloor = 0, onTop = 0;
    const std::vector<BodyContact> contacts = s.contacts("box").value();
    for (const BodyContact& c : contacts) {
        (c.other.link < 0 ? onFloor : onTop) += 1;
        EXPECT_EQ(c.obstacle, c.other.link < 0 ? 0 : -1);
        EXPECT_GT(c.force.dot(c.normal), 0);  // normals look at the body, and contacts push
        EXPECT_NEAR(c.normal.y(), c.other.link < 0 ? 1 : -1, 1e-9);
    }
    EXPECT_EQ(onFloor, 4);
    EXPECT_EQ(onTop, 4);
}

TEST(ByName, reset_starts_afresh_to_the_same_bits)
{
    for (const bool contact : {false, true}) {
        const Description d = contact ? boxOnFloor(0.4) : arm(JointType::spherical);
        Simulation used = started(d), fresh = started(d);
        ASSERT_TRUE(used.advance(1).ok);
        if (contact) ASSERT_EQ(refusal(used.setBodyForce("box", {30, 0, 0})), "");
        ASSERT_TRUE(used.advance(0.5).ok);
        used.reset();
        EXPECT_EQ(used.state.time, 0);
        for (int i = 0; i < 60; ++i) {
            ASSERT_TRUE(used.step().ok);
            ASSERT_TRUE(fresh.step().ok);
            ASSERT_EQ(stateHash(used.state), stateHash(fresh.state)) << i;
        }
    }
}

TEST(SetState, goes_on_to_the_same_bits)
{
    Simulation s = started(boxOnFloor(0.3));
    ASSERT_TRUE(s.advance(0.3).ok);
    const State kept = s.state;
    ASSERT_TRUE(s.advance(1).ok);
    const std::uint64_t end = stateHash(s.state);
    Simulation other = started(boxOnFloor(0.3));
    ASSERT_EQ(refusal(other.setState(kept)), "");
    ASSERT_TRUE(other.advance(1).ok);
    EXPECT_EQ(stateHash(other.state), end);
}

TEST(SetState, refuses_what_is_no_state_of_the_scene)
{
    Simulation s = started(arm());
    const std::uint64_t before = stateHash(s.state);
    const auto refuses = [&](const State& state, const char* what) {
        EXPECT_NE(refusal(s.setState(state)).find(what), std::string::npos) << refusal(s.setState(state));
        EXPECT_EQ(stateHash(s.state), before);
    };
    refuses(State(), "another size");
    refuses(started(boxOnFloor()).state, "another size");
    Description longer = arm();
    longer.joints[1].position.x() = 0.6;
    longer.joints[0].coordinate = {0.3};
    longer.joints[1].coordinate = {0.3};
    refuses(started(longer).state, "not at the same place");  // of another figure with as many joints
    State bad = s.state;
    bad.q[0] = nan;
    refuses(bad, "not finite");
    bad = s.state;
    bad.time = nan;
    refuses(bad, "not finite");
    bad = s.state;
    bad.q[0] += 0.1;  // but not the bodies
    refuses(bad, "not at the same place");
    bad = s.state;
    bad.contacts.emplace_back().colliderA = 7;
    refuses(bad, "a contact that the scene cannot have");
    bad = s.state;
    bad.bodies[0].orientation.coeffs() *= 2;
    refuses(bad, "turns that are none");
}

TEST(ByName, what_is_wrong_is_refused_and_changes_nothing)
{
    Simulation s = started(arm(JointType::spherical));
    ASSERT_TRUE(s.advance(0.1).ok);
    const std::uint64_t before = stateHash(s.state);
    EXPECT_EQ(refusal(s.findJoint("knee")), "there is no joint 'knee'");
    EXPECT_EQ(refusal(s.findBody("head")), "there is no body 'head'");
    EXPECT_NE(refusal(s.jointPosition("knee")), "");
    EXPECT_NE(refusal(s.jointVelocity(JointHandle{77})), "");
    EXPECT_NE(refusal(s.jointLoad(JointHandle{})), "");
    EXPECT_NE(refusal(s.body(BodyHandle{})), "");
    EXPECT_NE(refusal(s.contacts("")), "");
    EXPECT_NE(refusal(s.setJointPosition("knee", 0)), "");
    EXPECT_EQ(refusal(s.setJointPosition("elbow", 0)),
              "joint 'elbow' takes 3 numbers, one per freedom, not 1");
    EXPECT_NE(refusal(s.setJointPosition("elbow", {1, 2, 3, 4, 5, 6, 7, 8})), "");
    EXPECT_EQ(refusal(s.setJointVelocity("shoulder", nan)),
              "a number for joint 'shoulder' is not finite, or beyond 1e30");
    EXPECT_EQ(refusal(s.setBody("fore", {})), "body 'fore' is held by joint 'elbow'; set that one");
    EXPECT_NE(refusal(s.setBodyForce("fore", {nan, 0, 0})), "");
    EXPECT_NE(refusal(s.setJointForce("elbow", {0, 0, nan})), "");
    EXPECT_NE(refusal(s.setControllerTarget("elbow", {0, 0, 0})), "");
    EXPECT_EQ(stateHash(s.state), before);
    Simulation stone = started(boxOnFloor());
    EXPECT_NE(
        refusal(stone.setBody("box", {{Vec3(0, 1e200, 0), Quat::Identity()}, Vec3::Zero(), Vec3::Zero()})),
        "");
    State far = stone.state;
    far.bodies[0].position.y() = far.q[1] = 1e300;  // beyond what boxes around shapes can be
    EXPECT_NE(refusal(stone.setState(far)), "");
    EXPECT_TRUE(stone.advance(0.1).ok);
    EXPECT_NE(
        refusal(stone.setBody("box", {{Vec3(0, nan, 0), Quat::Identity()}, Vec3::Zero(), Vec3::Zero()})),
        "");
    EXPECT_NE(refusal(stone.setBody("box", {{Vec3::Zero(), Quat(2, 0, 0, 0)}, Vec3::Zero(), Vec3::Zero()})),
              "");
}

TEST(ByName, loops_are_not_torn_and_gears_stay_in_mesh)
{
    Result<Description> fourbar = readScene(std::string(SINEW_SCENE_DIR) + "/fourbar.json");
    ASSERT_TRUE(fourbar) << fourbar.error().text();
    Simulation loop = started(fourbar.value());
    ASSERT_FALSE(loop.model().loops.empty());
    int refused = 0;
    for (const int link : loop.model().jointOrder)
        refused += refusal(loop.setJointPosition(JointHandle{link},
                                                 loop.jointPosition(JointHandle{link}).value()[0] + 0.2))
                       .find("would open the loop") != std::string::npos;
    EXPECT_EQ(refused, static_cast<int>(loop.model().jointOrder.size()));
    EXPECT_NE(refusal(loop.jointPosition(loop.model().loops[0].joint.name)).find("closes a loop"),
              std::string::npos);

    Description geared = arm();
    geared.couplings = {{"elbow", "shoulder", -2, 0}};
    Simulation s = started(geared);
    ASSERT_EQ(refusal(s.setJointPosition("shoulder", 0.3)), "");
    ASSERT_EQ(refusal(s.setJointVelocity("shoulder", 1)), "");
    EXPECT_DOUBLE_EQ(s.jointPosition("elbow").value()[0], -0.6);
    EXPECT_DOUBLE_EQ(s.jointVelocity("elbow").value()[0], -2);
    EXPECT_EQ(refusal(s.setJointPosition("elbow", 0)),
              "joint 'elbow' follows joint 'shoulder'; set that one");
    EXPECT_TRUE(s.advance(0.5).ok);
}

}  // namespace
}  // namespace sinew::named_test
