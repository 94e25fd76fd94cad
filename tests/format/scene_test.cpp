// Scene files: what the reader accepts, what it refuses and how it says so.
#include "sinew/io/json/scene.h"
#include "sinew/io/json/motion_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "sinew/io/json/json.h"
#include "sinew/state/state.h"
#include "support/same_scene.h"

namespace sinew::scene_test {
namespace {

std::string refusal(const std::string& text)
{
    const Result<Description> result = parseScene(text, "f");
    return result ? "accepted" : result.error().text();
}

// A scene with one thing of each kind, each of which may be replaced to spoil it.
struct Parts {
    std::string body = R"("name": "a")";
    std::string shape = R"("type": "sphere", "radius": 1)";
    std::string joint =
        R"("name": "j", "type": "hinge", "first": "world", "second": "a", "axis": [0, 0, 1])";
    std::string force = R"("body": "a", "force": [1, 2, 3])";
    std::string rest = R"("run": {"step": 0.01})";
    std::string version = R"("sinew": 1,)";

    std::string text() const
    {
        return "{" + version + "\"bodies\": [{" + body + ", \"shapes\": [{" + shape +
               "}]}], \"joints\": [{" + joint + "}], \"forces\": [{" + force + "}], " + rest + "}";
    }
};

std::string with(std::string Parts::*part, const std::string& value)
{
    Parts parts;
    parts.*part = value;
    return parts.text();
}

TEST(Scene, the_whole_scenes_of_the_documentation_are_scenes)
{
    const Result<std::string> page = json::readFile(SINEW_DOC_DIR "/scene.md");
    ASSERT_TRUE(page) << page.error().text();
    const std::string fence = "```json\n";
    int scenes = 0;
    for (std::size_t at = page.value().find(fence + "{"); at != std::string::npos;
         at = page.value().find(fence + "{", at + 1)) {
        const std::size_t start = at + fence.size();
        const std::size_t end = page.value().find("```", start);
        ASSERT_LT(end, page.value().size());
        const Result<Description> scene = parseScene(page.value().substr(start, end - start), "scene.md");
        ASSERT_TRUE(scene) << scene.error().text();
        const Result<Model> model = compile(scene.value());
        ASSERT_TRUE(model) << model.error().text();
        EXPECT_TRUE(initialState(model.value(), scene.value()));
        ++scenes;
    }
    EXPECT_EQ(scenes, 2);
}

// The other examples are members of a scene.
TEST(Scene, the_fragments_of_the_documentation_are_right)
{
    const Result<std::string> page = json::readFile(SINEW_DOC_DIR "/scene.md");
    ASSERT_TRUE(page) << page.error().text();
    const std::string fence = "```json\n";
    int fragments = 0;
    for (std::size_t at = page.value().find(fence + "\""); at != std::string::npos;
         at = page.value().find(fence + "\"", at + 1)) {
        const std::size_t start = at + fence.size();
        const std::string fragment = page.value().substr(start, page.value().find("```", start) - start);
        const Result<Description> scene =
            parseScene("{\"sinew\": 1, \"bodies\": [],\n" + fragment + "}", "scene.md");
        EXPECT_TRUE(scene) << scene.error().text() << "\n" << fragment;
        ++fragments;
    }
    EXPECT_EQ(fragments, 16);
}

TEST(Scene, the_hand_has_sixteen_bones_and_fifteen_joints_and_floats)
{
    const Result<Description> scene = readScene(SINEW_SCENE_DIR "/hand.json");
    ASSERT_TRUE(scene) << scene.error().text();
    const Result<Model> model = compile(scene.value());
    ASSERT_TRUE(model) << model.error().text();
    EXPECT_EQ(model.value().size(), 16);
    EXPECT_EQ(model.value().declaredJointCount(), 15);
    EXPECT_EQ(model.value().joints[0].type, JointType::free);
    EXPECT_EQ(model.value().bodies[0].name, "palm");
    EXPECT_EQ(model.value().contactPoints.size(), 8u + 2 * 15);  // a box and capsules
    EXPECT_GT(model.value().mass(), 0.4);
    EXPECT_LT(model.value().mass(), 0.6);
    constexpr double digits = 3e-4;  // the file has tenths of a millimetre
    // Fingers are straight: each bone starts where the one before it ends, and its middle is in front.
    for (int i = 1; i < 16; ++i) {
        const Joint& joint = model.value().joints[i];
        EXPECT_LT(joint.anchorChild.z(), 0) << joint.name;
        if (joint.parent > 0) {
            EXPECT_LT((joint.anchorParent + model.value().joints[joint.parent].anchorChild).norm(), digits)
                << joint.name;
        }
    }
}

TEST(Scene, the_robot_has_two_arms_follows_a_captured_motion_and_switches_every_joint_that_moves)
{
    const Result<Description> scene = readScene(SINEW_SCENE_DIR "/robot.json");
    ASSERT_TRUE(scene) << scene.error().text();
    // Curves of the file, of both arms; the hand is what they draw.
    ASSERT_EQ(scene.value().motions.size(), 1u);
    EXPECT_GE(scene.value().motions[0].joints.size(), 16u);
    EXPECT_EQ(scene.value().motions[0].roots.size(), 0u);
    const Result<Description> again = parseScene(writeScene(scene.value()), "robot");  // without the file
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(writeScene(again.value()), writeScene(scene.value()));
    const Result<Model> model = compile(scene.value());
    ASSERT_TRUE(model) << model.error().text();
    ASSERT_EQ(model.value().targets.size(), 1u);
    EXPECT_EQ(model.value().bodies[model.value().targets[0].body].name, "left_hand");
    EXPECT_EQ(model.value().targets[0].motion, 0);
    for (const char* side : {"left_", "right_"}) {
        for (const char* ball : {"shoulder", "elbow", "wrist"})
            EXPECT_TRUE(model.value().joints[model.value().findJoint(std::string(side) + ball)].isBall());
        for (const char* hinge :
             {"fore_knuckle", "fore_joint", "ring_knuckle", "ring_joint", "thumb_knuckle"})
            EXPECT_EQ(model.value().joints[model.value().findJoint(std::string(side) + hinge)].type,
                      JointType::hinge);
    }
    for (int i = 0; i < model.value().size(); ++i) {
        const bool moves = model.value().joints[i].type != JointType::weld;
        EXPECT_TRUE(model.value().isActive(i, 2.9));
        EXPECT_EQ(model.value().isActive(i, 3), !moves);
        EXPECT_TRUE(model.value().isActive(i, 6));
    }
}

// A scene that names a motion file is one with the file; what is wrong is told by its place.
TEST(Scene, motions_from_files)
{
    const auto refused = [](const std::string& motion, const std::string& says) {
        const std::string text =
            R"({"sinew": 1, "bodies": [{"name": "rod", "shapes": [{"type": "sphere", "radius": 0.1}]}],
            "motions": [)" +
            motion + "]}";
        std::vector<MotionFile> files;
        Result<Description> scene = parseSceneBesideFiles(text, SINEW_SCENE_DIR "/x.json", nullptr, files);
        ASSERT_TRUE(scene) << scene.error().text();
        const Result<bool> read = readMotionFiles(files, scene.value(), SINEW_SCENE_DIR "/x.json");
        ASSERT_FALSE(read);
        EXPECT_NE(read.error().text().find(says), std::string::npos) << read.error().text();
    };
    refused(R"({"name": "m", "file": "nowhere.bvh"})", "/motions/0/file");
    refused(R"({"name": "m", "file": "../robot_arm.bvh"})", "/motions/0/file");
    refused(R"({"name": "m", "file": "robot_arm.bvh"})", "has no bone with the name of a body");
    refused(R"({"name": "m", "file": "robot_arm.bvh", "bones": {"rod": "leg"}})", "there is no bone 'leg'");
    refused(R"({"name": "m", "file": "robot_arm.bvh", "bones": {"bar": "torso"}})",
            "there is no body 'bar'");
    refused(R"({"name": "m", "file": "robot_arm.bvh", "clip": "walk"})", "/motions/0/clip");
    refused(R"({"name": "m", "file": "robot_arm.bvh", "scale": 0})", "/motions/0/scale");
    refused(R"({"name": "m", "file": "robot_arm.bvh", "roots": {"rod": {"path": [{"time": 0}]}}})",
            "stands beside curves");
    refused(R"({"name": "m", "clip": "walk"})", "has no file");
    EXPECT_FALSE(parseScene(
        R"({"sinew": 1, "bodies": [], "motions": [{"name": "m", "file": "robot_arm.bvh"}]})", "x"));
}

TEST(Scene, the_humanoid_has_twenty_bones_seventy_kilograms_and_two_equal_sides)
{
    const Result<Description> scene = readScene(SINEW_SCENE_DIR "/humanoid.json");
    ASSERT_TRUE(scene) << scene.error().text();
    const Result<Model> model = compile(scene.value());
    ASSERT_TRUE(model) << model.error().text();
    EXPECT_EQ(model.value().size(), 20);
    constexpr double rounding = 1e-9;  // masses are sums of decimals
    EXPECT_NEAR(model.value().mass(), 70, rounding);
    int pairs = 0;
    for (const Body& left : model.value().bodies) {
        if (left.name.rfind("left_", 0) != 0) continue;
        const int other = model.value().findBody("right_" + left.name.substr(5));
        ASSERT_GE(other, 0) << left.name;
        const Body& right = model.value().bodies[other];
        EXPECT_EQ(left.mass, right.mass);
        const Vec3 mirrored = right.rest.position.cwiseProduct(Vec3(-1, 1, 1));
        EXPECT_LT((left.rest.position - mirrored).norm(), rounding) << left.name;
        ++pairs;
    }
    EXPECT_EQ(pairs, 7);
}

TEST(Scene, the_simplest_scene_has_the_documented_defaults)
{
    const Result<Description> scene = parseScene(Parts().text(), "f");
    ASSERT_TRUE(scene) << scene.error().text();
    const Description& d = scene.value();
    EXPECT_EQ(d.gravity, Vec3(0, -9.81, 0));
    EXPECT_EQ(d.bodies[0].pose.position, Vec3(0, 0, 0));
    EXPECT_EQ(d.bodies[0].pose.orientation.coeffs(), Quat::Identity().coeffs());
    EXPECT_FALSE(d.bodies[0].mass || d.bodies[0].inertia || d.bodies[0].velocity);
    EXPECT_EQ(d.joints[0].position, Vec3(0, 0, 0));
    EXPECT_EQ(d.joints[0].stiffness, 0);
    EXPECT_FALSE(d.forces[0].point);
    EXPECT_EQ(*d.run.step, 0.01);
    EXPECT_FALSE(d.run.fps);
}

TEST(Scene, obstacles_targets_and_switches_have_the_documented_defaults)
{
    const Result<Description> scene =
        parseScene(with(&Parts::rest, R"("obstacles": [{"type": "plane"}, {"type": "sphere", "radius": 2}],
                              "targets": [{"body": "a", "path": [{"time": 3}]}],
                              "couplings": [{"follower": "a", "leader": "b"}],
                              "switches": [{"time": 4}], "run": {"coordinates": "maximal"})"),
                   "f");
    ASSERT_TRUE(scene) << scene.error().text();
    const Description& d = scene.value();
    ObstacleDescription plane, sphere;
    sphere.type = ObstacleDescription::Type::sphere;
    sphere.radius = 2;
    expectSame(d.obstacles, {plane, sphere});
    EXPECT_EQ(plane.normal, Vec3(0, 1, 0));
    TargetDescription target;
    target.body = "a";
    target.path = {{3, {}, {}}};
    expectSame(d.targets, {target});
    expectSame(d.couplings, {{"a", "b", 1, 0}});
    expectSame(d.switches, {{4, "", true}});
    EXPECT_EQ(d.run.coordinates, "maximal");
    EXPECT_EQ(d.joints[0].armature, 0);
    EXPECT_FALSE(d.joints[0].twistStiffness || d.joints[0].swingLimit);
}

TEST(Scene, what_is_usual_is_not_written)
{
    Description d;
    d.obstacles.emplace_back();
    d.targets.emplace_back();
    d.switches.emplace_back();
    d.joints.emplace_back();
    const std::string text = writeScene(d);
    for (const char* key : {"normal", "radius", "stiffness", "damping", "point", "active", "armature",
                            "swing_limit", "coordinates"})
        EXPECT_EQ(text.find(key), std::string::npos) << text;
}

TEST(Scene, numbers_per_freedom_may_stand_with_or_without_brackets)
{
    const std::string start = R"("name": "j", "type": "hinge", "first": "world", "second": "a", )";
    const Result<Description> scene = parseScene(
        with(&Parts::joint, start + R"("motor": 2, "coordinate": [3], "velocity": [1, 2, 3])"), "f");
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_EQ(scene.value().joints[0].motor, std::vector<double>({2}));
    EXPECT_EQ(scene.value().joints[0].coordinate, std::vector<double>({3}));
    EXPECT_EQ(scene.value().joints[0].velocity, std::vector<double>({1, 2, 3}));
}

TEST(Scene, an_inertia_may_be_a_diagonal_or_rows)
{
    const Result<Description> diagonal =
        parseScene(with(&Parts::body, R"("name": "a", "inertia": [1, 2, 3])"), "f");
    ASSERT_TRUE(diagonal) << diagonal.error().text();
    EXPECT_EQ(*diagonal.value().bodies[0].inertia, Mat3(Vec3(1, 2, 3).asDiagonal()));
    const Result<Description> rows =
        parseScene(with(&Parts::body, R"("name": "a", "inertia": [[1, 2, 3], [4, 5, 6], [7, 8, 9]])"), "f");
    ASSERT_TRUE(rows) << rows.error().text();
    EXPECT_EQ((*rows.value().bodies[0].inertia)(0, 1), 2);
    EXPECT_EQ((*rows.value().bodies[0].inertia)(2, 0), 7);
}

TEST(Scene, a_quaternion_typed_with_four_digits_is_normalised)
{
    const Result<Description> scene =
        parseScene(with(&Parts::body, R"("name": "a", "orientation": [0, 0.7071, 0, 0.7071])"), "f");
    ASSERT_TRUE(scene) << scene.error().text();
    const Quat q = scene.value().bodies[0].pose.orientation;
    EXPECT_DOUBLE_EQ(q.norm(), 1);
    EXPECT_DOUBLE_EQ(q.y(), std::sqrt(0.5));
}

struct Refused {
    std::string Parts::*part;
    const char* value;
    const char* says;  // the whole line, or its start
};

const Refused refused[] = {
    {&Parts::version, "", "f: a scene needs the key \"sinew\""},
    {&Parts::version, R"("sinew": 2,)",
     "f: /sinew: version 2 of the format is not known; this program reads version 1"},
    {&Parts::version, R"("sinew": "1",)",
     "f: /sinew: the number 1, the version of the format, is expected, found a string"},
    {&Parts::version, R"("$schema": 3, "sinew": 1,)", "f: /$schema: a string is expected, found a number"},
    {&Parts::rest, R"("gravty": [0, 0, 0])",
     "f: /gravty: unknown key \"gravty\"; did you mean \"gravity\"?"},
    {&Parts::rest, R"("colour": 1)", "f: /colour: unknown key \"colour\"; a scene has sinew, "},
    {&Parts::rest, R"("a/b~c": 1)", "f: /a~1b~0c: unknown key"},
    {&Parts::rest, R"("a\nb": 1)", "f: /a\\u000ab: unknown key \"a\\u000ab\""},
    {&Parts::rest, R"("gravity": 9.81)", "f: /gravity: a list of 3 numbers is expected, found a number"},
    {&Parts::rest, R"("gravity": [0, 1])", "f: /gravity: a list of 3 numbers is expected, found 2 items"},
    {&Parts::rest, R"("gravity": [0, "down", 0])", "f: /gravity/1: a number is expected, found a string"},
    {&Parts::rest, R"("roots": "a")", "f: /roots: a list is expected, found a string"},
    {&Parts::rest, R"("roots": [1])", "f: /roots/0: a string is expected, found a number"},
    {&Parts::rest, R"("run": [])", "f: /run: an object is expected, found a list"},
    {&Parts::rest, R"("run": {"time_step": 1})",
     "f: /run/time_step: unknown key \"time_step\"; run has solver, "},
    {&Parts::rest, R"("run": {"step": null})", "f: /run/step: a number is expected, found null"},
    {&Parts::body, R"("mass": 1)", "f: /bodies/0: a body needs the key \"name\""},
    {&Parts::body, R"("name": "a\tb")",
     "f: /bodies/0/name: line breaks, tabs and other control characters are not allowed here"},
    {&Parts::body, R"("name": "a", "mass": "1")",
     "f: /bodies/0/mass: a number is expected, found a string"},
    {&Parts::body, R"("name": "a", "pos": [0, 0, 0])",
     "f: /bodies/0/pos: unknown key \"pos\"; did you mean \"position\"?"},
    {&Parts::body, R"("name": "a", "angularVelocity": [0, 0, 0])",
     "f: /bodies/0/angularVelocity: unknown key \"angularVelocity\"; did you mean \"angular_velocity\"?"},
    {&Parts::body, R"("name": "a", "centre": [0, 0, 0])",
     "f: /bodies/0/centre: unknown key \"centre\"; did you mean \"center\"?"},
    {&Parts::body, R"("name": "a", "inertia": [1, 2])",
     "f: /bodies/0/inertia: a list of 3 numbers (the diagonal) or of 3 rows is expected, found 2 items"},
    {&Parts::body, R"("name": "a", "inertia": [[1, 2, 3], [1, 2], [1, 2, 3]])",
     "f: /bodies/0/inertia/1: a list of 3 numbers is expected, found 2 items"},
    {&Parts::body, R"("name": "a", "orientation": [0, 0, 0, 0])",
     "f: /bodies/0/orientation: a quaternion (x, y, z, w) must have length 1, this one has 0"},
    {&Parts::body, R"("name": "a", "orientation": [0, 1, 0, 1])",
     "f: /bodies/0/orientation: a quaternion (x, y, z, w) must have length 1, this one has 1.414"},
    {&Parts::body, R"("name": "a", "orientation": [1e300, 0, 0, 1])",
     "f: /bodies/0/orientation: a quaternion"},
    {&Parts::body, R"("name": "a", "orientation": [0, 0, 1])",
     "f: /bodies/0/orientation: a quaternion of 4 numbers (x, y, z, w) is expected, found 3 items"},
    {&Parts::shape, R"("radius": 1)",
     "f: /bodies/0/shapes/0: a shape needs the key \"type\": one of sphere, box, capsule, cylinder, "
     "ellipsoid, mesh"},
    {&Parts::shape, R"("type": "ball", "radius": 1)",
     "f: /bodies/0/shapes/0/type: unknown shape \"ball\"; the shapes are sphere, box, "},
    {&Parts::shape, R"("type": "sphere")",
     "f: /bodies/0/shapes/0: the shape sphere needs the key \"radius\""},
    {&Parts::shape, R"("type": "box", "radius": 1)",
     "f: /bodies/0/shapes/0/radius: unknown key \"radius\"; the shape box has type, position, orientation, "
     "density, mass, size"},
    {&Parts::shape, R"("type": "mesh", "vertices": [[0, 0]])",
     "f: /bodies/0/shapes/0/vertices/0: a list of 3 numbers is expected, found 2 items"},
    {&Parts::shape, R"("type": "mesh", "vertices": [[0, 0, 0]], "faces": [[0, 0, 0.5]])",
     "f: /bodies/0/shapes/0/faces/0/2: a vertex number counts from 0 in whole numbers, found 0.5"},
    {&Parts::shape, R"("type": "mesh", "vertices": [[0, 0, 0]], "faces": [[0, -1, 0]])",
     "f: /bodies/0/shapes/0/faces/0/1: a vertex number counts from 0"},
    {&Parts::shape, R"("type": "mesh", "faces": [[0, 0, 0], [0, 1e300, 0]], "vertices": [[0, 0, 0]])",
     "f: /bodies/0/shapes/0/faces/1/1: a vertex number counts from 0"},
    {&Parts::shape, R"("type": "mesh", "faces": [[0, 0, 7]], "vertices": [[0, 0, 0]])",
     "f: /bodies/0/shapes/0/faces/0/2: there is no vertex 7; the mesh has 1, counted from 0"},
    {&Parts::joint, R"("name": "j", "type": "ball", "first": "world", "second": "a")",
     "f: /joints/0/type: unknown joint type \"ball\"; the types are hinge, spherical, slide, universal, "
     "weld, free, planar, cylindrical"},
    {&Parts::joint, R"("name": "j", "type": "weld", "first": "world")",
     "f: /joints/0: a joint needs the key \"second\""},
    {&Parts::joint, R"("name": "j", "type": "weld", "first": "a\nb", "second": "a")",
     "f: /joints/0/first: line breaks"},
    {&Parts::joint, R"("name": "j", "type": "weld", "first": 1, "second": "a")",
     "f: /joints/0/first: a string is expected, found a number"},
    {&Parts::joint, R"("name": "j", "type": "hinge", "first": "world", "second": "a", "motor": "on")",
     "f: /joints/0/motor: a number or a list of numbers is expected, found a string"},
    {&Parts::joint, R"("name": "j", "type": "hinge", "first": "world", "second": "a", "motor": [true])",
     "f: /joints/0/motor/0: a number is expected, found true or false"},
    {&Parts::force, R"("force": [1, 2, 3])", "f: /forces/0: a force needs the key \"body\""},
    {&Parts::force, R"("body": "a", "at": [1, 2, 3])",
     "f: /forces/0/at: unknown key \"at\"; a force has body, force, torque, point"},
    {&Parts::joint, R"("name": "j", "type": "hinge", "first": "world", "second": "a", "armature": "big")",
     "f: /joints/0/armature: a number is expected, found a string"},
    {&Parts::joint, R"("name": "j", "type": "hinge", "first": "world", "second": "a", "swinglimit": 1)",
     "f: /joints/0/swinglimit: unknown key \"swinglimit\"; did you mean \"swing_limit\"?"},
    {&Parts::joint,
     R"("name": "j", "type": "hinge", "first": "world", "second": "a", "twist_stiffness": [1])",
     "f: /joints/0/twist_stiffness: a number is expected, found a list"},
    {&Parts::rest, R"("obstacles": {})", "f: /obstacles: a list is expected, found an object"},
    {&Parts::rest, R"("obstacles": [3])", "f: /obstacles/0: an object is expected, found a number"},
    {&Parts::rest, R"("obstacles": [{}])",
     "f: /obstacles/0: an obstacle needs the key \"type\": one of plane, sphere, box, "},
    {&Parts::rest, R"("obstacles": [{"type": 1}])",
     "f: /obstacles/0/type: a string is expected, found a number"},
    {&Parts::rest, R"("obstacles": [{"type": "floor"}])",
     "f: /obstacles/0/type: unknown obstacle \"floor\"; the obstacles are plane, sphere, box, "
     "capsule, cylinder, ellipsoid, mesh, height_field, triangles"},
    {&Parts::rest, R"("obstacles": [{"type": "plane", "radius": 1}])",
     "f: /obstacles/0/radius: unknown key \"radius\"; the obstacle plane has type, name, position, "
     "friction, static_friction, rolling_friction, spinning_friction, restitution, layer, stiffness, "
     "damping, "
     "normal"},
    {&Parts::rest, R"("obstacles": [{"type": "sphere", "radius": 1, "normal": [0, 1, 0]}])",
     "f: /obstacles/0/normal: unknown key \"normal\"; the obstacle sphere has type, name, position, "
     "friction, static_friction, rolling_friction, spinning_friction, restitution, layer, stiffness, "
     "damping, "
     "radius"},
    {&Parts::rest, R"("obstacles": [{"type": "sphere"}])",
     "f: /obstacles/0: the obstacle sphere needs the key \"radius\""},
    {&Parts::rest, R"("obstacles": [{"type": "plane", "normal": [0, 1]}])",
     "f: /obstacles/0/normal: a list of 3 numbers is expected, found 2 items"},
    {&Parts::rest, R"("targets": [{"path": []}])", "f: /targets/0: a target needs the key \"body\""},
    {&Parts::rest, R"("targets": [{"body": "a"}])", "f: /targets/0: a target needs the key \"path\""},
    {&Parts::rest, R"("targets": [{"body": "a", "path": [], "stifness": 1}])",
     "f: /targets/0/stifness: unknown key \"stifness\"; did you mean \"stiffness\"?"},
    {&Parts::rest, R"("targets": [{"body": "a", "path": [0, 1]}])",
     "f: /targets/0/path/0: an object is expected, found a number"},
    {&Parts::rest, R"("targets": [{"body": "a", "path": [{"position": [0, 0, 0]}]}])",
     "f: /targets/0/path/0: a key of a path needs the key \"time\""},
    {&Parts::rest, R"("targets": [{"body": "a", "path": [{"time": 0, "orientation": [0, 0, 0]}]}])",
     "f: /targets/0/path/0/orientation: a quaternion of 4 numbers (x, y, z, w) is expected, found 3 items"},
    {&Parts::rest, R"("targets": [{"body": "a", "path": [{"time": 0, "velocity": [0, 0, 0]}]}])",
     "f: /targets/0/path/0/velocity: unknown key \"velocity\"; a key of a path has time, position, "
     "orientation"},
    {&Parts::rest, R"("couplings": [{"leader": "j"}])",
     "f: /couplings/0: a coupling needs the key \"follower\""},
    {&Parts::rest, R"("switches": [{"joint": "j"}])", "f: /switches/0: a switch needs the key \"time\""},
    {&Parts::rest, R"("switches": [{"time": 1, "active": 0}])",
     "f: /switches/0/active: true or false is expected, found a number"},
    {&Parts::rest, R"("switches": [{"time": 1, "joints": ["j"]}])",
     "f: /switches/0/joints: unknown key \"joints\"; did you mean \"joint\"?"},
    {&Parts::rest, R"("run": {"coordinates": 3})",
     "f: /run/coordinates: a string is expected, found a number"},
};

TEST(Scene, a_wrong_form_is_refused_with_its_pointer_and_what_would_be_right)
{
    ASSERT_NE(refusal("{}"), "accepted");
    ASSERT_EQ(refusal(Parts().text()), "accepted");
    for (const Refused& c : refused) {
        const std::string text = refusal(with(c.part, c.value));
        EXPECT_EQ(text.rfind(c.says, 0), 0u) << c.value << "\n" << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << "more than one line: " << text;
    }
}

TEST(Scene, only_an_object_is_a_scene)
{
    EXPECT_EQ(refusal("[]"), "f: an object is expected, found a list");
    EXPECT_EQ(refusal("3"), "f: an object is expected, found a number");
}

TEST(Scene, a_very_long_key_does_not_fill_the_screen)
{
    const std::string text = refusal(with(&Parts::rest, "\"" + std::string(100'000, 'k') + "\": 1"));
    EXPECT_LT(text.size(), 600u);
}

TEST(Scene, errors_of_syntax_come_with_line_and_column)
{
    EXPECT_EQ(refusal("{\n  \"sinew\": 1,\n  \"bodies\": [\n    {"),
              "f:4:6: the file ends inside the object that starts at 4:5");
}

TEST(Scene, a_finding_of_compile_gets_the_file_it_is_about)
{
    const Result<Description> scene = parseScene(
        with(&Parts::joint, R"("name": "j", "type": "weld", "first": "world", "second": "b")"), "f");
    ASSERT_TRUE(scene) << scene.error().text();
    const Result<Model> model = compile(scene.value());
    ASSERT_FALSE(model);
    EXPECT_EQ(inFile(model.error(), "my.json").text().rfind("my.json: /joints/0/second: ", 0), 0u);
}

}  // namespace
}  // namespace sinew::scene_test
