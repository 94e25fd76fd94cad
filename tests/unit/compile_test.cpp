// compile(): what it refuses and how it says so, and the tree it makes of what it accepts.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "sinew/figure/chain.h"
#include "sinew/math/rotation.h"
#include "sinew/math/swing_twist.h"
#include "sinew/model/model.h"
#include "sinew/state/state.h"

namespace sinew::compile_test {
namespace {

Description threeLinks()
{
    ChainOptions options;
    options.links = 3;
    options.joint = JointType::hinge;
    return makeChain(options);
}

// The middle joint as a ball joint that keeps its axis.
JointDescription& toBall(Description& d)
{
    d.joints[1].type = JointType::spherical;
    return d.joints[1];
}

struct Case {
    const char* name;
    std::function<void(Description&)> spoil;
    const char* pointer;
    const char* words;  // part of the message
};

const double nan = std::numeric_limits<double>::quiet_NaN();

const Case cases[] = {
    {"no_bodies",
     [](Description& d) {
         d.bodies.clear();
         d.joints.clear();
     },
     "/bodies", "at least one body"},
    {"unknown_body", [](Description& d) { d.joints[1].second = "nobody"; }, "/joints/1/second",
     "no body 'nobody'"},
    {"duplicate_body", [](Description& d) { d.bodies[2].name = "link1"; }, "/bodies/2/name",
     "names must differ"},
    {"duplicate_joint", [](Description& d) { d.joints[2].name = "joint1"; }, "/joints/2/name",
     "names must differ"},
    {"world_as_name", [](Description& d) { d.bodies[0].name = "world"; }, "/bodies/0/name", "taken"},
    {"joint_to_itself", [](Description& d) { d.joints[1].second = d.joints[1].first; }, "/joints/1",
     "to itself"},
    {"zero_mass", [](Description& d) { d.bodies[1].mass = 0; }, "/bodies/1/inertia", "without mass"},
    {"negative_mass", [](Description& d) { d.bodies[1].mass = -2; }, "/bodies/1/mass", "is -2"},
    {"nan_mass", [](Description& d) { d.bodies[1].mass = nan; }, "/bodies/1/mass", "must be positive"},
    {"tiny_mass", [](Description& d) { d.bodies[1].mass = 1e-260; }, "/bodies/1/mass", "1e-30 to 1e30"},
    {"huge_mass", [](Description& d) { d.bodies[1].mass = 1e31; }, "/bodies/1/mass", "1e-30 to 1e30"},
    {"tiny_inertia", [](Description& d) { *d.bodies[1].inertia *= 1e-60; }, "/bodies/1/inertia",
     "1e-50 to 1e50"},
    {"huge_inertia", [](Description& d) { *d.bodies[1].inertia *= 1e60; }, "/bodies/1/inertia",
     "1e-50 to 1e50"},
    {"tiny_shape",
     [](Description& d) {
         d.bodies[1].shapes = {{Sphere{1e-20}, {}, {}, {}}};
     },
     "/bodies/1/shapes/0", "1e-10 to 1e10 m"},
    {"huge_shape",
     [](Description& d) {
         d.bodies[1].shapes = {{Sphere{1e20}, {}, {}, {}}};
     },
     "/bodies/1/shapes/0", "1e-10 to 1e10 m"},
    {"tiny_density",
     [](Description& d) {
         d.bodies[1].shapes = {{Sphere{1}, {}, 1e-40, {}}};
     },
     "/bodies/1/shapes/0/density", "at least 1e-30"},
    {"huge_stiffness", [](Description& d) { d.joints[1].stiffness = 1e31; }, "/joints/1/stiffness",
     "at most 1e30"},
    {"tiny_armature", [](Description& d) { d.joints[1].armature = 1e-40; }, "/joints/1/armature",
     "at least 1e-30"},
    {"huge_limit_stiffness",
     [](Description& d) {
         d.joints[1].upper = {1};
         d.joints[1].limitStiffness = 1e31;
     },
     "/joints/1/limit_stiffness", "at most 1e30"},
    {"indefinite_inertia", [](Description& d) { (*d.bodies[1].inertia)(0, 0) = -1; }, "/bodies/1/inertia",
     "positive"},
    {"triangle_inequality", [](Description& d) { d.bodies[1].inertia = Vec3(1, 1, 3).asDiagonal(); },
     "/bodies/1/inertia", "sum of the other two"},
    {"no_inertia",
     [](Description& d) {
         d.bodies[1].inertia.reset();
         d.bodies[1].shapes.clear();
     },
     "/bodies/1", "has no inertia"},
    {"inertia_without_mass", [](Description& d) { d.bodies[1].mass.reset(); }, "/bodies/1", "no mass"},
    {"zero_axis", [](Description& d) { d.joints[1].axis = Vec3::Zero(); }, "/joints/1/axis", "zero"},
    {"missing_axis", [](Description& d) { d.joints[1].axis.reset(); }, "/joints/1/axis", "missing"},
    {"axis_on_weld", [](Description& d) { d.joints[1].type = JointType::weld; }, "/joints/1/axis",
     "no axis"},
    {"zero_twist_axis",
     [](Description& d) {
         d.joints[1].type = JointType::spherical;
         d.joints[1].axis = Vec3::Zero();
     },
     "/joints/1/axis", "zero"},
    {"negative_armature", [](Description& d) { d.joints[1].armature = -1; }, "/joints/1/armature",
     "zero or more"},
    {"nan_armature", [](Description& d) { d.joints[1].armature = nan; }, "/joints/1/armature",
     "zero or more"},
    {"armature_on_weld",
     [](Description& d) {
         d.joints[1].type = JointType::weld;
         d.joints[1].axis.reset();
         d.joints[1].armature = 1;
     },
     "/joints/1/armature", "a weld joint has no rotor"},
    {"armature_on_free",
     [](Description& d) {
         d.joints[1].type = JointType::free;
         d.joints[1].axis.reset();
         d.joints[1].armature = 1;
     },
     "/joints/1/armature", "a free joint has no rotor"},
    {"swing_limit_on_hinge", [](Description& d) { d.joints[1].swingLimit = 1; }, "/joints/1/swing_limit",
     "for ball joints"},
    {"twist_stiffness_on_hinge", [](Description& d) { d.joints[1].twistStiffness = 1; },
     "/joints/1/twist_stiffness", "for ball joints"},
    {"swing_limit_without_axis",
     [](Description& d) {
         toBall(d).axis.reset();
         d.joints[1].swingLimit = 1;
     },
     "/joints/1/swing_limit", "needs the axis"},
    {"twist_stiffness_without_axis",
     [](Description& d) {
         toBall(d).axis.reset();
         d.joints[1].twistStiffness = 1;
     },
     "/joints/1/twist_stiffness", "needs the axis"},
    {"twist_limit_without_axis",
     [](Description& d) {
         toBall(d).axis.reset();
         d.joints[1].upper = {1};
     },
     "/joints/1/upper", "needs the axis"},
    {"negative_swing_limit", [](Description& d) { toBall(d).swingLimit = -0.1; }, "/joints/1/swing_limit",
     "from 0 to π"},
    {"wide_swing_limit", [](Description& d) { toBall(d).swingLimit = 3.2; }, "/joints/1/swing_limit",
     "from 0 to π"},
    {"nan_swing_limit", [](Description& d) { toBall(d).swingLimit = nan; }, "/joints/1/swing_limit",
     "from 0 to π"},
    {"negative_twist_stiffness", [](Description& d) { toBall(d).twistStiffness = -1; },
     "/joints/1/twist_stiffness", "zero or more"},
    {"three_twist_limits",
     [](Description& d) {
         toBall(d).lower = {-1, -1, -1};
     },
     "/joints/1/lower", "has 3 numbers; the twist takes 1"},
    {"wide_twist_limit", [](Description& d) { toBall(d).lower = {-3.2}; }, "/joints/1/lower",
     "from -π to π"},
    {"crossed_twist_limits",
     [](Description& d) {
         toBall(d).lower = {1};
         d.joints[1].upper = {-1};
     },
     "/joints/1/upper", "below the lower limit"},
    {"limit_on_weld",
     [](Description& d) {
         d.joints[1].type = JointType::weld;
         d.joints[1].axis.reset();
         d.joints[1].upper = {1};
     },
     "/joints/1/upper", "a weld joint has no limits"},
    {"slanted_universal",
     [](Description& d) {
         d.joints[1].type = JointType::universal;
         d.joints[1].axis2 = Vec3(1, 1, 1);
     },
     "/joints/1/axis2", "right angles"},
    {"infinite_position", [](Description& d) { d.bodies[1].pose.position.x() = 1 / 0.0; },
     "/bodies/1/position", "not finite"},
    {"zero_quaternion", [](Description& d) { d.bodies[1].pose.orientation.coeffs().setZero(); },
     "/bodies/1/orientation", "not a rotation"},
    {"negative_damping", [](Description& d) { d.joints[1].damping = -1; }, "/joints/1/damping",
     "zero or more"},
    {"motor_of_wrong_size",
     [](Description& d) {
         d.joints[1].motor = {1, 2};
     },
     "/joints/1/motor", "takes 1"},
    {"inertia_floor_above_one", [](Description& d) { d.inertiaFloor = 1.5; }, "/inertia_floor",
     "from 0 to 1"},
    {"nan_inertia_floor", [](Description& d) { d.inertiaFloor = nan; }, "/inertia_floor", "from 0 to 1"},
    {"nan_gravity", [](Description& d) { d.gravity.y() = nan; }, "/gravity", "not finite"},
    {"force_on_world", [](Description& d) { d.forces.emplace_back().body = "world"; }, "/forces/0/body",
     "world"},
    {"force_on_nobody", [](Description& d) { d.forces.emplace_back().body = "x"; }, "/forces/0/body",
     "no body"},
};

class Refuses : public testing::TestWithParam<Case> {};

TEST_P(Refuses, with_the_place_and_the_reason)
{
    Description d = threeLinks();
    ASSERT_TRUE(compile(d));
    GetParam().spoil(d);
    const Result<Model> model = compile(d);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().pointer, GetParam().pointer) << model.error().message;
    EXPECT_NE(model.error().message.find(GetParam().words), std::string::npos) << model.error().message;
}

INSTANTIATE_TEST_SUITE_P(Compile, Refuses, testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });

// The chain with a fourth joint from its last link to the world.
Description closedChain()
{
    Description d = threeLinks();
    JointDescription closing = d.joints[1];
    closing.name = "closing";
    closing.first = "link3";
    closing.second = "world";
    d.joints.push_back(closing);
    return d;
}

TEST(Compile, makes_rows_of_the_joint_that_closes_a_loop)
{
    const Result<Model> model = compile(closedChain());
    ASSERT_TRUE(model) << model.error().message;
    ASSERT_EQ(model.value().loops.size(), 1u);
    const LoopJoint& loop = model.value().loops[0];
    EXPECT_EQ(loop.joint.name, "closing");
    EXPECT_EQ(loop.joint.parent, -1);  // the world
    EXPECT_EQ(model.value().bodies[loop.child].name, "link3");
    EXPECT_EQ(loop.rows(), 5);
    EXPECT_EQ(model.value().freedomCount, 3);
    EXPECT_EQ(model.value().linkOfJoint[3], -1);
}

TEST(Compile, gives_joints_with_forces_a_place_in_the_tree_before_those_without)
{
    Description d = closedChain();
    for (JointDescription& joint : d.joints) {
        joint.stiffness = 0;
        joint.damping = joint.name == "joint2" ? 0 : 1;
    }
    const Result<Model> model = compile(d);
    ASSERT_TRUE(model) << model.error().message;
    ASSERT_EQ(model.value().loops.size(), 1u);
    EXPECT_EQ(model.value().loops[0].joint.name, "joint2");
}

TEST(Compile, cuts_a_body_where_every_joint_of_a_loop_has_forces)
{
    Description d = closedChain();
    for (JointDescription& joint : d.joints) joint.damping = 1;
    const Result<Model> model = compile(d);
    ASSERT_TRUE(model) << model.error().message;
    const Model& m = model.value();
    ASSERT_EQ(m.loops.size(), 1u);
    ASSERT_TRUE(m.loops[0].isSeam);
    const int part = m.loops[0].child, whole = m.findBody("link3");
    EXPECT_EQ(m.loops[0].rows(), 6);
    EXPECT_EQ(m.loops[0].joint.parent, whole);
    EXPECT_EQ(m.bodies[part].cutFrom, whole);
    EXPECT_EQ(m.size(), 4);
    EXPECT_EQ(m.describedSize(), 3);
    // The joint is one of the tree, with its forces, and leads to one half of the body.
    EXPECT_EQ(m.linkOfJoint[3], part);
    EXPECT_EQ(m.joints[part].damping, 1);
    EXPECT_EQ(m.bodies[part].mass, m.bodies[whole].mass);
    const Model uncut = compile(closedChain()).value();
    EXPECT_EQ(m.bodies[whole].wholeMass(), uncut.bodies[uncut.findBody("link3")].mass);
    EXPECT_DOUBLE_EQ(m.mass(), uncut.mass());
}

TEST(Compile, closes_a_loop_where_the_fewest_rows_are)
{
    Description d = closedChain();
    for (JointDescription& joint : d.joints) joint.stiffness = joint.damping = 0;
    d.joints[1].type = JointType::spherical;
    d.joints[1].axis.reset();
    for (bool reversed : {false, true}) {
        if (reversed) std::reverse(d.joints.begin(), d.joints.end());
        const Result<Model> model = compile(d);
        ASSERT_TRUE(model) << model.error().message;
        ASSERT_EQ(model.value().loops.size(), 1u);
        EXPECT_EQ(model.value().loops[0].joint.type, JointType::spherical);
    }
}

TEST(Compile, refuses_to_cut_a_body_without_mass)
{
    Description d = closedChain();
    for (JointDescription& joint : d.joints) joint.damping = 1;
    d.bodies[2].mass = 0;
    d.bodies[2].inertia.reset();
    d.bodies[2].shapes.clear();
    const Result<Model> model = compile(d);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().pointer, "/joints/3");
    EXPECT_NE(model.error().message.find("one of its bodies must have mass"), std::string::npos)
        << model.error().message;
}

TEST(Compile, refuses_a_loop_that_a_free_joint_would_close)
{
    Description d = closedChain();
    for (JointDescription& joint : d.joints) joint.damping = joint.name == "closing" ? 0 : 1;
    d.joints.back().type = JointType::free;
    d.joints.back().axis.reset();
    const Result<Model> model = compile(d);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().pointer, "/joints/3");
    EXPECT_NE(model.error().message.find("holds nothing"), std::string::npos) << model.error().message;
}

TEST(Compile, refuses_velocities_that_tear_a_joint)
{
    Description d = threeLinks();
    d.bodies[1].velocity = Vec3(0, 5, 0);  // along the chain
    const Result<Model> model = compile(d);
    ASSERT_TRUE(model);
    const Result<State> state = initialState(model.value(), d);
    ASSERT_FALSE(state);
    EXPECT_NE(state.error().message.find("would tear joint"), std::string::npos) << state.error().message;
}

TEST(Compile, orders_parents_before_children_whatever_the_file_says)
{
    Description d = threeLinks();
    std::swap(d.bodies[0], d.bodies[2]);
    std::swap(d.joints[0], d.joints[1]);
    std::swap(d.joints[2].first, d.joints[2].second);
    const Result<Model> model = compile(d);
    ASSERT_TRUE(model);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(model.value().bodies[i].name, "link" + std::to_string(i + 1));
        EXPECT_EQ(model.value().joints[i].parent, i - 1);
    }
    EXPECT_EQ(model.value().bodyOrder, (std::vector<int>{2, 1, 0}));
    EXPECT_TRUE(model.value().joints[2].childIsFirst);
}

TEST(Compile, floats_what_nothing_holds_and_roots_it_where_asked)
{
    Description d = threeLinks();
    d.joints.erase(d.joints.begin());
    d.roots = {"link2"};
    const Result<Model> model = compile(d);
    ASSERT_TRUE(model);
    EXPECT_EQ(model.value().bodies[0].name, "link2");
    EXPECT_EQ(model.value().joints[0].type, JointType::free);
    EXPECT_FALSE(model.value().joints[0].declared);
    EXPECT_EQ(model.value().freedomCount, 8);
    EXPECT_EQ(model.value().declaredJointCount(), 2);
}

// What much lighter bodies carry is placed by their joints otherwise, and wrongly by their turns squared.
TEST(Compile, floats_on_its_heaviest_body_and_starts_from_the_first)
{
    Description d = threeLinks();
    d.joints.erase(d.joints.begin());
    for (BodyDescription& body : d.bodies) body.mass = 1;
    d.bodies.back().mass = 9;
    ASSERT_TRUE(compile(d));
    EXPECT_EQ(compile(d).value().bodies[0].name, d.bodies.front().name);
    d.bodies.back().mass = 11;
    d.joints[0].coordinate = {0.3};
    d.joints[1].coordinate = {-0.5};
    const auto compare = [&](const char* what) {
        SCOPED_TRACE(what);
        Description named = d;
        named.roots = {d.bodies.front().name};
        const Result<Model> model = compile(d), other = compile(named);
        ASSERT_TRUE(model && other);
        EXPECT_EQ(model.value().bodies[0].name, d.bodies.back().name);
        EXPECT_EQ(other.value().bodies[0].name, d.bodies.front().name);
        const Result<State> state = initialState(model.value(), d),
                            same = initialState(other.value(), named);
        ASSERT_TRUE(state && same);
        for (std::size_t i = 0; i < d.bodies.size(); ++i) {
            const BodyState &a = state.value().bodies[model.value().bodyOrder[i]],
                            &b = same.value().bodies[other.value().bodyOrder[i]];
            EXPECT_LT((a.position - b.position).norm(), 1e-14);
            EXPECT_LT(a.orientation.angularDistance(b.orientation), 1e-14);
            EXPECT_LT((a.velocity - b.velocity).norm(), 1e-14);
            EXPECT_LT((a.angularVelocity - b.angularVelocity).norm(), 1e-14);
        }
    };
    compare("coordinates");
    d.bodies.front().velocity = Vec3(1, -2, 0.5);
    compare("as one piece");
    d.bodies.front().angularVelocity = Vec3(0.3, 2, -1);
    d.joints[0].velocity = {4};
    d.joints[1].velocity = {-3};
    compare("velocities of joints");
}

TEST(Compile, a_ball_joint_without_an_axis_has_no_twist)
{
    Description d = threeLinks();
    toBall(d).axis.reset();
    d.joints[1].stiffness = 7;
    const Result<Model> model = compile(d);
    ASSERT_TRUE(model) << model.error().text();
    const Joint& joint = model.value().joints[1];
    EXPECT_FALSE(joint.hasTwist);
    EXPECT_EQ(joint.twistStiffness, 0);
    EXPECT_EQ(joint.limitStiffness, 0);
    EXPECT_EQ(joint.axis, Vec3(0, 0, 0));
}

TEST(Compile, a_ball_joint_with_an_axis_has_springs_and_limits_of_swing_and_twist)
{
    Description d = threeLinks();
    JointDescription& source = toBall(d);
    source.axis = Vec3(0, -2, 0);
    source.stiffness = 7;
    source.armature = 0.01;
    const Result<Model> springs = compile(d);
    ASSERT_TRUE(springs) << springs.error().text();
    EXPECT_TRUE(springs.value().joints[1].hasTwist);
    EXPECT_EQ(springs.value().joints[1].axis, Vec3(0, -1, 0));
    EXPECT_EQ(springs.value().joints[1].twistStiffness, 7);
    EXPECT_EQ(springs.value().joints[1].limitStiffness, 0);
    EXPECT_EQ(springs.value().joints[1].armature, 0.01);

    source.twistStiffness = 0;
    source.swingLimit = 0.5;
    const Result<Model> swing = compile(d);
    ASSERT_TRUE(swing) << swing.error().text();
    EXPECT_EQ(swing.value().joints[1].twistStiffness, 0);
    EXPECT_EQ(swing.value().joints[1].swingLimit, 0.5);
    EXPECT_GT(swing.value().joints[1].limitStiffness, 0);
    EXPECT_EQ(swing.value().joints[1].lower[0], -std::numeric_limits<double>::infinity());

    source.swingLimit.reset();
    source.upper = {0.3};
    source.limitStiffness = 50;
    const Result<Model> twist = compile(d);
    ASSERT_TRUE(twist) << twist.error().text();
    EXPECT_EQ(twist.value().joints[1].upper[0], 0.3);
    EXPECT_EQ(twist.value().joints[1].swingLimit, std::numeric_limits<double>::infinity());
    EXPECT_EQ(twist.value().joints[1].limitStiffness, 50);
}

// The same turn of the same pair of bodies is the same swing and twist, whichever of them is the child.
TEST(Compile, swing_and_twist_do_not_depend_on_which_body_is_the_child)
{
    Description d = threeLinks();
    d.joints.erase(d.joints.begin());  // floats, so that the root can be chosen
    d.bodies[1].pose.orientation = expRotation(Vec3(0.3, -0.2, 0.5));
    JointDescription& source = d.joints[0];
    source.type = JointType::spherical;
    source.axis = Vec3(0.2, 1, -0.4);
    source.lower = {-0.2};
    source.upper = {0.6};
    d.roots = {"link1"};
    const Result<Model> forward = compile(d);
    d.roots = {"link2"};
    const Result<Model> backward = compile(d);
    ASSERT_TRUE(forward && backward);
    const Joint& a = forward.value().joints[1];
    const Joint& b = backward.value().joints[backward.value().findJoint(source.name)];
    ASSERT_FALSE(a.childIsFirst);
    ASSERT_TRUE(b.childIsFirst);
    EXPECT_LT((expRotation(Vec3(0.3, -0.2, 0.5)) * a.axis - source.axis->normalized()).norm(), 1e-14);
    EXPECT_LT((b.axis + source.axis->normalized()).norm(), 1e-14);  // link1 is unturned
    EXPECT_EQ(b.lower[0], -0.2);
    EXPECT_EQ(b.upper[0], 0.6);

    const Quat turn = expRotation(Vec3(0.4, 0.9, -0.7));  // of link2 against link1, in link2's axes
    const Quat back(Mat3(b.R_PC_rest.transpose() * turn.conjugate().toRotationMatrix() * b.R_PC_rest));
    const SwingTwist seenForward = swingTwist(turn, a.axis), seenBackward = swingTwist(back, b.axis);
    EXPECT_NEAR(seenForward.swing, seenBackward.swing, 1e-14);
    EXPECT_NEAR(seenForward.twist, seenBackward.twist, 1e-14);
}

TEST(Compile, inertia_floor_raises_the_least_moments_about_the_same_axes)
{
    Description d;
    BodyDescription body;
    body.name = "needle";
    body.mass = 1;
    const Mat3 axes = expRotation(Vec3(0.3, -1, 0.5)).toRotationMatrix();
    body.inertia = axes * Vec3(0.1, 1, 1.05).asDiagonal() * axes.transpose();
    d.bodies = {body};
    const auto compiled = [&](double floor) {
        d.inertiaFloor = floor;
        const Result<Model> model = compile(d);
        EXPECT_TRUE(model);
        return model.value().bodies[0];
    };
    constexpr double rounding = 1e-15;
    EXPECT_EQ(compiled(0.05).inertia, compiled(0).inertia);  // reached already
    const Body raised = compiled(0.5);
    const Mat3 wanted = axes * Vec3(0.525, 1, 1.05).asDiagonal() * axes.transpose();
    EXPECT_LT((raised.inertia - wanted).norm(), 10 * rounding);
    EXPECT_LT((raised.inertia * raised.inverseInertia - Mat3::Identity()).norm(), 10 * rounding);
    EXPECT_LT((compiled(1).inertia - 1.05 * Mat3::Identity()).norm(), 10 * rounding);
}

TEST(Compile, scales_shapes_to_a_given_mass_and_finds_their_centre)
{
    Description d;
    BodyDescription body;
    body.name = "dumbbell";
    body.mass = 10;
    ShapeDescription ball;
    ball.shape = Sphere{0.1};
    ball.pose.position = Vec3(1, 0, 0);
    body.shapes.push_back(ball);
    ball.pose.position = Vec3(3, 0, 0);
    ball.density = 3000;
    body.shapes.push_back(ball);
    d.bodies = {body};
    const Result<Model> model = compile(d);
    ASSERT_TRUE(model) << model.error().text();
    const Body& b = model.value().bodies[0];
    EXPECT_NEAR(b.mass, 10, 1e-12);
    EXPECT_NEAR((b.center - Vec3(2.5, 0, 0)).norm(), 0, 1e-12);  // 1 : 3
    // Two balls, 2.5 and 7.5 kg: 2/5 m r² each, and the reduced mass times the distance squared.
    EXPECT_NEAR(b.inertia(0, 0), 0.4 * 10 * 0.01, 1e-12);
    EXPECT_NEAR(b.inertia(1, 1), 0.4 * 10 * 0.01 + 2.5 * 7.5 / 10 * 4, 1e-12);
}

}  // namespace
}  // namespace sinew::compile_test
