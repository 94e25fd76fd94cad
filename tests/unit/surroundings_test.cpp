// compile(): obstacles and what touches them, targets and switches.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "sinew/math/rotation.h"
#include "sinew/model/model.h"

namespace sinew::surroundings_test {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();

// A ball that floats, an arm welded to it and a hand on a hinge; a plane, a target and a switch.
Description smallScene()
{
    Description d;
    for (const char* name : {"ball", "arm", "hand"}) {
        BodyDescription body;
        body.name = name;
        body.shapes.push_back({Sphere{0.1}, {}, {}, {}});
        d.bodies.push_back(body);
    }
    d.bodies[1].pose.position = Vec3(1, 0, 0);
    d.bodies[2].pose = {Vec3(2, 0, 0), expRotation(Vec3(0, 0, 0.5))};
    JointDescription joint;
    joint.name = "weld";
    joint.type = JointType::weld;
    joint.first = "ball";
    joint.second = "arm";
    d.joints.push_back(joint);
    joint.name = "wrist";
    joint.type = JointType::hinge;
    joint.axis = Vec3(0, 0, 1);
    joint.first = "arm";
    joint.second = "hand";
    d.joints.push_back(joint);
    d.obstacles.emplace_back();
    TargetDescription target;
    target.body = "hand";
    target.stiffness = 10;
    target.path = {{1, {}, {}}, {2, Vec3(1, 2, 3), expRotation(Vec3(1, 0, 0))}};
    d.targets.push_back(target);
    d.switches.push_back({3, "wrist", false});
    return d;
}

struct Case {
    const char* name;
    std::function<void(Description&)> spoil;
    const char* pointer;
    const char* words;  // part of the message
};

ObstacleDescription sphere(double radius)
{
    ObstacleDescription o;
    o.type = ObstacleDescription::Type::sphere;
    o.radius = radius;
    return o;
}

const Case cases[] = {
    {"same_name_twice",
     [](Description& d) {
         d.obstacles[0].name = "floor";
         d.obstacles.push_back(d.obstacles[0]);
     },
     "/obstacles/1/name", "names must differ"},
    {"nan_place", [](Description& d) { d.obstacles[0].position.x() = nan; }, "/obstacles/0/position",
     "not finite"},
    {"zero_normal", [](Description& d) { d.obstacles[0].normal.setZero(); }, "/obstacles/0/normal",
     "direction"},
    {"nan_normal", [](Description& d) { d.obstacles[0].normal.y() = nan; }, "/obstacles/0/normal",
     "direction"},
    {"plane_with_radius", [](Description& d) { d.obstacles[0].radius = 1; }, "/obstacles/0/radius",
     "for spheres"},
    {"sphere_of_no_radius", [](Description& d) { d.obstacles[0] = sphere(0); }, "/obstacles/0/radius",
     "must be positive"},
    {"sphere_of_nan_radius", [](Description& d) { d.obstacles[0] = sphere(nan); }, "/obstacles/0/radius",
     "must be positive"},
    {"soft_obstacle", [](Description& d) { d.obstacles[0].stiffness = 0; }, "/obstacles/0/stiffness",
     "must be positive"},
    {"driving_obstacle", [](Description& d) { d.obstacles[0].damping = -1; }, "/obstacles/0/damping",
     "zero or more"},
    {"target_of_nobody", [](Description& d) { d.targets[0].body = "x"; }, "/targets/0/body", "no body 'x'"},
    {"target_of_the_world", [](Description& d) { d.targets[0].body = "world"; }, "/targets/0/body",
     "the world cannot be drawn"},
    {"target_at_nan", [](Description& d) { d.targets[0].point = Vec3(0, nan, 0); }, "/targets/0/point",
     "not finite"},
    {"target_pushes", [](Description& d) { d.targets[0].stiffness = -1; }, "/targets/0/stiffness",
     "zero or more"},
    {"target_drives", [](Description& d) { d.targets[0].damping = -1; }, "/targets/0/damping",
     "zero or more"},
    {"target_turns_away", [](Description& d) { d.targets[0].turnStiffness = -1; },
     "/targets/0/turn_stiffness", "zero or more"},
    {"target_drives_turns", [](Description& d) { d.targets[0].turnDamping = nan; },
     "/targets/0/turn_damping", "zero or more"},
    {"target_without_spring", [](Description& d) { d.targets[0].stiffness = 0; }, "/targets/0",
     "no spring and no damper"},
    {"empty_path", [](Description& d) { d.targets[0].path.clear(); }, "/targets/0/path",
     "at least one key"},
    {"nan_time", [](Description& d) { d.targets[0].path[0].time = nan; }, "/targets/0/path/0/time",
     "not finite"},
    {"standing_time", [](Description& d) { d.targets[0].path[1].time = 1; }, "/targets/0/path/1/time",
     "is 1, not later than the key before it, 1; times must rise"},
    {"nan_path", [](Description& d) { d.targets[0].path[1].position = Vec3(nan, 0, 0); },
     "/targets/0/path/1/position", "not finite"},
    {"no_rotation", [](Description& d) { d.targets[0].path[1].orientation = Quat(0, 0, 0, 0); },
     "/targets/0/path/1/orientation", "not a rotation"},
    {"early_switch", [](Description& d) { d.switches[0].time = -1; }, "/switches/0/time", "zero or more"},
    {"nan_switch", [](Description& d) { d.switches[0].time = nan; }, "/switches/0/time", "zero or more"},
    {"switch_of_no_joint", [](Description& d) { d.switches[0].joint = "x"; }, "/switches/0/joint",
     "no joint 'x'"},
    {"switch_of_a_weld", [](Description& d) { d.switches[0].joint = "weld"; }, "/switches/0/joint",
     "no torques to switch"},
    {"switch_of_the_free_root", [](Description& d) { d.switches[0].joint = "ball"; }, "/switches/0/joint",
     "no joint 'ball'"},
};

class RefusesSurroundings : public testing::TestWithParam<Case> {};

TEST_P(RefusesSurroundings, with_the_place_and_the_reason)
{
    Description d = smallScene();
    const Result<Model> good = compile(d);
    ASSERT_TRUE(good) << good.error().text();
    GetParam().spoil(d);
    const Result<Model> model = compile(d);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().pointer, GetParam().pointer) << model.error().message;
    EXPECT_NE(model.error().message.find(GetParam().words), std::string::npos) << model.error().message;
    EXPECT_EQ(model.error().text().find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Compile, RefusesSurroundings, testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Obstacles, get_a_unit_normal_or_a_radius)
{
    Description d = smallScene();
    d.obstacles[0].normal = Vec3(0, 3, 4);
    d.obstacles[0].position = Vec3(1, 2, 3);
    d.obstacles.push_back(sphere(2));  // neither has a name: no clash
    d.obstacles[1].damping = 0;
    const Result<Model> model = compile(d);
    ASSERT_TRUE(model) << model.error().text();
    const std::vector<Obstacle>& o = model.value().obstacles;
    ASSERT_EQ(o.size(), 2u);
    EXPECT_LT((o[0].normal - Vec3(0, 0.6, 0.8)).norm(), 1e-15);
    EXPECT_EQ(o[0].position, Vec3(1, 2, 3));
    EXPECT_FALSE(o[0].stiffness);
    EXPECT_FALSE(o[0].damping);
    EXPECT_EQ(o[1].type, ObstacleDescription::Type::sphere);
    EXPECT_EQ(o[1].radius, 2);
    EXPECT_EQ(o[1].damping, 0);
}

TEST(Obstacles, touch_shapes_where_they_are_on_the_body)
{
    Description d = smallScene();
    // The hand: two capsules, turned and off the middle, one of them much heavier.
    const Pose light{Vec3(0.3, 0.1, 0), expRotation(Vec3(0, 0, 0.8))};
    const Pose heavy{Vec3(-0.2, 0, 0.4), expRotation(Vec3(0.4, 0, -0.1))};
    d.bodies[2].shapes = {{Capsule{0.02, 0.1}, light, {}, 1.}, {Box{Vec3(0.1, 0.2, 0.3)}, heavy, {}, 3.}};
    std::reverse(d.bodies.begin(), d.bodies.end());
    const Result<Model> compiled = compile(d);
    ASSERT_TRUE(compiled) << compiled.error().text();
    const Model& model = compiled.value();
    const int hand = model.findBody("hand");
    const Vec3 center = 0.25 * light.position + 0.75 * heavy.position;
    ASSERT_LT((model.bodies[hand].center - center).norm(), 1e-15);

    std::vector<ContactPoint> ofHand;
    for (const ContactPoint& p : model.contactPoints)
        if (p.body == hand) ofHand.push_back(p);
    ASSERT_EQ(ofHand.size(), 2u + 8u);
    EXPECT_EQ(model.contactPoints.size(), 10u + 2u);
    EXPECT_LT((ofHand[0].point + center - light * Vec3(0, -0.05, 0)).norm(), 1e-15);
    EXPECT_LT((ofHand[1].point + center - light * Vec3(0, 0.05, 0)).norm(), 1e-15);
    EXPECT_EQ(ofHand[1].radius, 0.02);
    EXPECT_LT((ofHand[9].point + center - heavy * Vec3(0.05, 0.1, 0.15)).norm(), 1e-15);
    EXPECT_EQ(ofHand[9].radius, 0);

    // In the world the compiled body puts them where the description's frame does.
    const Pose& frame = d.bodies[0].pose;
    ASSERT_EQ(d.bodies[0].name, "hand");
    for (int i : {0, 9})
        EXPECT_LT(
            (model.bodies[hand].rest * ofHand[i].point - frame * Vec3(ofHand[i].point + center)).norm(),
            1e-14);
}

// The weight of a figure on each of its places, and the mass of what is welded to it.
TEST(Obstacles, have_springs_for_what_they_bear)
{
    Description d;
    const auto add = [&](const char* name, double mass, double width) {
        BodyDescription body;
        body.name = name;
        body.shapes = {{Sphere{width / 2}, {}, {}, mass}};
        d.bodies.push_back(body);
    };
    const auto join = [&](JointType type, const char* first, const char* second) {
        JointDescription joint;
        joint.name = second;
        joint.type = type;
        joint.first = first;
        joint.second = second;
        if (type == JointType::hinge) joint.axis = Vec3::UnitX();
        d.joints.push_back(joint);
    };
    add("trunk", 70, 1);
    add("foot", 1, 0.1);
    add("sole", 0.5, 0.2);
    add("stone", 3, 0.5);
    join(JointType::hinge, "trunk", "foot");
    join(JointType::weld, "foot", "sole");
    d.obstacles.resize(1);
    const Result<Model> compiled = compile(d);
    ASSERT_TRUE(compiled) << compiled.error().text();
    const Model& model = compiled.value();
    const auto expect = [&](const char* name, double piece, double figure, double width) {
        for (const ContactPoint& p : model.contactPoints) {
            if (p.body != model.findBody(name)) continue;
            EXPECT_NEAR(p.mass, piece, 1e-12) << name;
            EXPECT_NEAR(p.stiffness, piece * 1e5 + figure * 9.81 / (0.001 * width), 1e-6) << name;
        }
    };
    ASSERT_EQ(model.contactPoints.size(), 4u);
    expect("trunk", 70, 71.5, 1);
    expect("foot", 1.5, 71.5, 0.1);
    expect("sole", 1.5, 71.5, 0.2);
    expect("stone", 3, 3, 0.5);
}

TEST(Obstacles, touch_shapes_that_are_for_looks_too_and_need_none)
{
    Description d = smallScene();
    d.bodies[2].mass = 1;
    d.bodies[2].inertia = Mat3::Identity();
    d.bodies[2].center = Vec3(0, 1, 0);
    const Result<Model> model = compile(d);
    ASSERT_TRUE(model) << model.error().text();
    ASSERT_EQ(model.value().contactPoints.size(), 3u);
    EXPECT_EQ(model.value().contactPoints[2].point, Vec3(0, -1, 0));
    EXPECT_EQ(model.value().contactPoints[2].radius, 0.1);
    d.obstacles.clear();
    EXPECT_TRUE(compile(d).value().contactPoints.empty());
}

TEST(Targets, start_from_the_rest_pose_where_nothing_is_said)
{
    Description d = smallScene();
    d.bodies[2].shapes[0].pose.position = Vec3(0.5, 0, 0);  // the centre of mass is not the frame's origin
    const Pose frame = d.bodies[2].pose;
    const Result<Model> compiled = compile(d);
    ASSERT_TRUE(compiled) << compiled.error().text();
    const Target& target = compiled.value().targets.at(0);
    EXPECT_EQ(target.body, compiled.value().findBody("hand"));
    EXPECT_EQ(target.point, Vec3(0, 0, 0));
    ASSERT_EQ(target.path.keys.size(), 2u);
    EXPECT_EQ(target.path.keys[0].time, 1);
    EXPECT_LT((target.path.keys[0].position - frame * Vec3(0.5, 0, 0)).norm(), 1e-15);
    EXPECT_LT(target.path.keys[0].orientation.angularDistance(frame.orientation), 1e-15);
    EXPECT_EQ(target.path.keys[1].position, Vec3(1, 2, 3));
    EXPECT_LT(target.path.keys[1].orientation.angularDistance(expRotation(Vec3(1, 0, 0))), 1e-15);
    EXPECT_EQ(target.stiffness, 10);
}

TEST(Targets, draw_a_point_of_the_body)
{
    Description d = smallScene();
    d.targets[0].point = Vec3(2, 0.3, -0.1);
    const Result<Model> compiled = compile(d);
    ASSERT_TRUE(compiled) << compiled.error().text();
    const Target& target = compiled.value().targets.at(0);
    EXPECT_LT((compiled.value().bodies[target.body].rest * target.point - Vec3(2, 0.3, -0.1)).norm(),
              1e-15);
    EXPECT_EQ(target.path.keys[0].position, Vec3(2, 0.3, -0.1));
}

TEST(Switches, are_sorted_and_the_later_in_the_file_has_the_last_word)
{
    Description d = smallScene();
    d.joints[0].type = JointType::hinge;
    d.joints[0].axis = Vec3(1, 0, 0);
    d.joints[0].name = "elbow";
    d.switches = {{5, "wrist", true}, {2, "", false}, {2, "wrist", true}, {0, "wrist", false}};
    const Result<Model> compiled = compile(d);
    ASSERT_TRUE(compiled) << compiled.error().text();
    const Model& model = compiled.value();
    const int elbow = model.findJoint("elbow"), wrist = model.findJoint("wrist");
    const std::vector<JointSwitch> expected = {
        {2, elbow, false}, {0, wrist, false}, {2, wrist, false}, {2, wrist, true}, {5, wrist, true}};
    ASSERT_LT(elbow, wrist);
    ASSERT_EQ(model.switches.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(model.switches[i].time, expected[i].time) << i;
        EXPECT_EQ(model.switches[i].joint, expected[i].joint) << i;
        EXPECT_EQ(model.switches[i].active, expected[i].active) << i;
    }
    EXPECT_FALSE(model.isActive(wrist, 1));
    EXPECT_TRUE(model.isActive(wrist, 2));
    EXPECT_TRUE(model.isActive(elbow, 1.9));
    EXPECT_FALSE(model.isActive(elbow, 9));
}

TEST(Switches, for_every_joint_leave_welds_and_free_roots_alone)
{
    Description d = smallScene();
    d.switches = {{1, "", false}};
    const Result<Model> compiled = compile(d);
    ASSERT_TRUE(compiled) << compiled.error().text();
    ASSERT_EQ(compiled.value().switches.size(), 1u);
    for (const Joint& joint : compiled.value().joints)
        EXPECT_EQ(joint.firstSwitch == 0, joint.type == JointType::hinge) << joint.name;
}

}  // namespace
}  // namespace sinew::surroundings_test
