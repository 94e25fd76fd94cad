// MJCF: small models of our own with results by hand; malformed and hostile ones with their place. The
// comparison with MuJoCo itself is tests/mjcf.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <numbers>

#include "format/mjcf_text.h"
#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"
#include "sinew/io/mjcf/mjcf.h"
#include "sinew/io/whole_file.h"
#include "sinew/math/rotation.h"
#include "sinew/model/model.h"
#include "support/same_scene.h"

namespace sinew::mjcf_test {
namespace {

TEST(Mjcf, turns_the_world_so_that_y_is_up)
{
    const Imported imported = readWorld("<body name='a' pos='1 2 3'><freejoint/><geom size='.1'/></body>",
                                        "<option gravity='0.5 1 -9' timestep='0.004'/>");
    const Description& scene = imported.scene;
    EXPECT_EQ(scene.gravity, Vec3(0.5, -9, -1));
    EXPECT_EQ(*scene.run.step, 0.004);
    expectNear(scene.bodies[0].pose.position, Vec3(1, 3, -2));
    expectNear(scene.bodies[0].pose.orientation * Vec3::UnitZ(), Vec3::UnitY());
    EXPECT_TRUE(scene.joints.empty());  // what floats needs none
}

TEST(Mjcf, takes_mass_and_inertia_from_geoms)
{
    const Imported imported = readWorld(
        "<body name='a'><freejoint/><geom type='box' size='.1 .2 .3' density='500'/>"
        "<geom type='sphere' size='.1' mass='0'/></body>"
        "<body name='b'><freejoint/><geom size='.1' pos='1 0 0' mass='3'/><geom size='.1' pos='-1 0 0' "
        "mass='1'/></body>");
    const BodyDescription &box = imported.scene.bodies[0], &pair = imported.scene.bodies[1];
    const double m = 500 * 0.2 * 0.4 * 0.6;
    EXPECT_NEAR(*box.mass, m, rounding);
    expectNear(box.inertia->diagonal(), m / 12 * Vec3(0.16 + 0.36, 0.04 + 0.36, 0.04 + 0.16));
    EXPECT_EQ(box.shapes.size(), 2u);
    // Two balls: the centre divides the distance 3 : 1, the reduced mass is 3/4.
    EXPECT_NEAR(*pair.mass, 4, rounding);
    expectNear(*pair.center, Vec3(0.5, 0, 0));
    const double ball = 0.4 * 4 * 0.01, apart = 0.75 * 4;
    expectNear(pair.inertia->diagonal(), Vec3(ball, ball + apart, ball + apart));
}

TEST(Mjcf, takes_an_inertial_over_geoms_and_reads_the_order_of_a_full_one)
{
    const std::string body =
        "<body><freejoint/><inertial pos='0 0 1' mass='2' fullinertia='4 5 6 0.1 0.2 0.3'/><geom size='.1' "
        "mass='7'/></body>";
    const Imported imported = readWorld(body);
    Mat3 expected;
    expected << 4, 0.1, 0.2, 0.1, 5, 0.3, 0.2, 0.3, 6;
    EXPECT_EQ(*imported.scene.bodies[0].inertia, expected);
    EXPECT_EQ(*imported.scene.bodies[0].mass, 2);
    EXPECT_EQ(*imported.scene.bodies[0].center, Vec3(0, 0, 1));
    EXPECT_NEAR(*readWorld(body, "<compiler inertiafromgeom='true'/>").scene.bodies[0].mass, 7, rounding);
    // Diagonal about x, then a quarter turn about z: x and y change places.
    const Imported turned = readWorld(
        "<body><freejoint/><inertial pos='0 0 0' mass='1' quat='1 0 0 1' diaginertia='1 2 2.5'/></body>");
    expectNear(turned.scene.bodies[0].inertia->diagonal(), Vec3(2, 1, 2.5));
}

TEST(Mjcf, bounds_balances_and_scales_inertias_as_the_compiler_asks)
{
    const std::string body =
        "<body><freejoint/><inertial pos='0 0 0' mass='0.5' diaginertia='0.1 0.2 0.9'/></body>";
    EXPECT_NE(refuseWorld(body).find("no solid body has"), std::string::npos);
    const Imported balanced =
        readWorld(body, "<compiler balanceinertia='true' boundmass='2' settotalmass='6'/>");
    EXPECT_NEAR(*balanced.scene.bodies[0].mass, 6, rounding);
    expectNear(balanced.scene.bodies[0].inertia->diagonal(), Vec3(1.2, 1.2, 1.2));
    EXPECT_TRUE(hasNote(balanced, "its inertia was changed"));
}

TEST(Mjcf, several_joints_of_a_body_are_a_chain_of_links_without_mass)
{
    const Imported imported = readWorld(
        "<body name='hip' pos='0 0 1'><joint name='x' axis='1 0 0'/><joint name='y' axis='0 1 0' pos='0 0 "
        ".1'/>"
        "<joint name='z' type='slide' axis='0 0 2'/><geom size='.1'/></body>");
    const Description& scene = imported.scene;
    ASSERT_EQ(scene.bodies.size(), 3u);
    EXPECT_EQ(scene.bodies[0].name, "hip.x");
    EXPECT_EQ(*scene.bodies[0].mass, 0);
    EXPECT_EQ(scene.bodies[2].name, "hip");
    ASSERT_EQ(scene.joints.size(), 3u);
    EXPECT_EQ(scene.joints[0].first, "world");
    EXPECT_EQ(scene.joints[1].first, "hip.x");
    EXPECT_EQ(scene.joints[1].second, "hip.y");
    EXPECT_EQ(scene.joints[2].second, "hip");
    EXPECT_EQ(scene.joints[2].type, JointType::slide);
    expectNear(*scene.joints[1].axis, Vec3(0, 0, -1));
    expectNear(scene.joints[1].position, Vec3(0, 1.1, 0));
    EXPECT_TRUE(compile(scene)) << compile(scene).error().text();
}

TEST(Mjcf, a_body_without_joints_is_welded_to_its_parent)
{
    const Imported imported =
        readWorld("<body name='a'><geom size='.1'/><body name='b'><geom size='.1'/></body></body>");
    ASSERT_EQ(imported.scene.joints.size(), 2u);
    EXPECT_EQ(imported.scene.joints[0].type, JointType::weld);
    EXPECT_EQ(imported.scene.joints[0].first, "world");
    EXPECT_EQ(imported.scene.joints[1].first, "a");
}

TEST(Mjcf, counts_joint_coordinates_from_the_rest_pose)
{
    const Imported imported = readWorld(
        "<body><joint name='j' axis='0 0 1' ref='30' springref='90' stiffness='2' damping='.1' "
        "armature='.2' "
        "frictionloss='.3' range='-60 120'/><geom size='.1'/></body>");
    const JointDescription& joint = imported.scene.joints[0];
    const double degree = std::numbers::pi / 180;
    EXPECT_NEAR(joint.rest.at(0), 60 * degree, rounding);
    EXPECT_NEAR(joint.lower.at(0), -90 * degree, rounding);
    EXPECT_NEAR(joint.upper.at(0), 90 * degree, rounding);
    EXPECT_EQ(joint.damping, 0.1);
    EXPECT_EQ(joint.armature, 0.2);
    EXPECT_EQ(joint.coulomb, 0.3);
}

TEST(Mjcf, limits_joints_that_say_so_or_have_a_range)
{
    const auto lower = [](const std::string& attributes, const std::string& compiler = "") {
        const Imported imported =
            readWorld("<body><joint " + attributes + "/><geom size='.1'/></body>", compiler);
        return !imported.scene.joints[0].lower.empty();
    };
    EXPECT_TRUE(lower("range='-1 1'"));
    EXPECT_FALSE(lower("range='-1 1'", "<compiler autolimits='false'/>"));
    EXPECT_TRUE(lower("range='-1 1' limited='true'", "<compiler autolimits='false'/>"));
    EXPECT_FALSE(lower("range='-1 1' limited='false'"));
    EXPECT_FALSE(lower("damping='1'"));
}

TEST(Mjcf, default_classes_nest_and_bodies_hand_theirs_on)
{
    const Imported imported = readWorld(
        "<body childclass='a'><joint name='one'/><geom size='.1'/>"
        "<body><joint name='two' class='b'/><geom size='.1'/></body>"
        "<body childclass='b'><joint name='three' damping='9'/><geom size='.1'/></body></body>"
        "<body><joint name='four'/><geom size='.1'/></body>",
        "<default><joint damping='1' armature='5'/><default class='a'><default class='b'><joint axis='1 0 "
        "0'/></default>"
        "<joint damping='2'/></default></default>");
    const auto joint = [&](const std::string& name) {
        for (const JointDescription& j : imported.scene.joints)
            if (j.name == name) return j;
        return JointDescription();
    };
    EXPECT_EQ(joint("one").damping, 2);
    EXPECT_EQ(joint("one").armature, 5);
    EXPECT_EQ(joint("two").damping, 2);
    expectNear(*joint("two").axis, Vec3::UnitX());
    EXPECT_EQ(joint("three").damping, 9);
    EXPECT_EQ(joint("four").damping, 1);
    expectNear(*joint("four").axis, Vec3::UnitY());
}

TEST(Mjcf, an_orientation_of_ones_own_replaces_that_of_the_class)
{
    const Imported imported =
        readWorld("<body><freejoint/><geom euler='0 90 0'/></body>",
                  "<default><geom type='box' size='.1 .2 .3' quat='0 1 0 0'/></default>");
    expectNear(imported.scene.bodies[0].shapes[0].pose.orientation * Vec3::UnitZ(), Vec3::UnitX());
}

TEST(Mjcf, euler_angles_follow_the_sequence)
{
    const auto turn = [](const std::string& sequence) {
        return readWorld("<body euler='90 90 0'><freejoint/><geom size='.1'/></body>",
                         "<compiler eulerseq='" + sequence + "'/>")
            .scene.bodies[0]
            .pose.orientation;
    };
    const Quat up = expRotation(Vec3(-std::numbers::pi / 2, 0, 0));
    // About x, then about the new y, which was z: z ends along the old x. About fixed axes: x, then y.
    expectNear(turn("xyz") * Vec3::UnitX(), up * Vec3(0, 1, 0));
    expectNear(turn("XYZ") * Vec3::UnitX(), up * Vec3(0, 0, -1));
}

TEST(Mjcf, places_shapes_along_y_and_between_ends)
{
    const Imported imported = readWorld(
        "<body><freejoint/><geom type='capsule' size='.1' fromto='0 0 0 2 0 0'/><geom type='cylinder' "
        "size='.1 .4'/></body>");
    const ShapeDescription& capsule = imported.scene.bodies[0].shapes[0];
    EXPECT_NEAR(std::get<Capsule>(capsule.shape).length, 2, rounding);
    expectNear(capsule.pose.position, Vec3(1, 0, 0));
    EXPECT_NEAR(std::abs((capsule.pose.orientation * Vec3::UnitY()).x()), 1, rounding);
    const ShapeDescription& cylinder = imported.scene.bodies[0].shapes[1];
    EXPECT_NEAR(std::get<Cylinder>(cylinder.shape).length, 0.8, rounding);
    expectNear(cylinder.pose.orientation * Vec3::UnitY(), Vec3::UnitZ());
}

TEST(Mjcf, geoms_of_the_world_are_obstacles_and_contact_heeds_filters)
{
    const Imported imported = read(
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1' friction='.5'/>"
        "<geom type='box' size='1 1 1' pos='0 0 -2'/>"
        "<body name='a'><freejoint/><geom size='.1' friction='.8'/><body name='b'><joint/><geom size='.1'/>"
        "<body name='c'><geom size='.1'/></body></body></body>"
        "<body name='ghost'><freejoint/><geom size='.1' contype='0' conaffinity='0'/></body>"
        "<body name='other'><freejoint/><geom size='.1' contype='2' conaffinity='2'/></body>"
        "</worldbody><contact><exclude body1='a' body2='c'/></contact></mujoco>");
    const Description& scene = imported.scene;
    ASSERT_EQ(scene.obstacles.size(), 2u);
    expectNear(scene.obstacles[0].normal, Vec3::UnitY());
    EXPECT_EQ(*scene.obstacles[0].friction, 0.5);
    ASSERT_TRUE(scene.contact);
    EXPECT_EQ(*scene.bodies[0].friction, 0.8);
    EXPECT_FALSE(scene.bodies[3].collides);
    const std::vector<std::array<std::string, 2>> expected = {
        {"b", "c"},
        {"a", "b"},
        {"a", "c"},
        {"a", "c"},
        {"contype_1_conaffinity_1", "contype_2_conaffinity_2"}};
    EXPECT_EQ(scene.contact->ignore, expected);
    EXPECT_TRUE(compile(scene)) << compile(scene).error().text();
}

TEST(Mjcf, actuators_are_motors_and_controllers)
{
    const Imported imported = read(
        "<mujoco><default><position kp='4' forcerange='-3 3'/></default><worldbody><body><joint name='j' "
        "ref='30'/>"
        "<geom size='.1'/></body></worldbody><actuator><motor joint='j' gear='5'/><position joint='j' "
        "gear='2'/>"
        "<velocity joint='j' kv='7'/><general joint='j' biastype='affine' biasprm='6 -3 -1'/>"
        "<muscle joint='j'/><motor tendon='t'/></actuator></mujoco>");
    const Description& scene = imported.scene;
    ASSERT_EQ(scene.motors.size(), 1u);
    ASSERT_EQ(scene.controllers.size(), 3u);
    const double ref = std::numbers::pi / 6;
    EXPECT_EQ(scene.controllers[0].stiffness, 16);
    EXPECT_NEAR(scene.controllers[0].target.at(0).at(0).value, -ref, rounding);
    EXPECT_EQ(*scene.controllers[0].limit, 6);
    EXPECT_EQ(scene.controllers[1].damping, 7);
    EXPECT_EQ(scene.controllers[2].stiffness, 3);
    EXPECT_EQ(scene.controllers[2].damping, 1);
    EXPECT_NEAR(scene.controllers[2].target.at(0).at(0).value, 2 - ref, rounding);
    EXPECT_TRUE(hasNote(imported, "<muscle>: in <actuator> is left out"));
    EXPECT_TRUE(hasNote(imported, "<motor>: that does not act on a joint is left out"));
    EXPECT_TRUE(compile(scene)) << compile(scene).error().text();
}

TEST(Mjcf, lists_what_it_does_not_read_once_per_kind)
{
    const Imported imported = read(
        "<mujoco><worldbody><body><joint name='j' margin='1'/><geom size='.1' solref='1 "
        "1'/><plugin/><plugin/>"
        "<geom type='sdf'/></body></worldbody>\n<tendon><fixed range='0 1'><joint joint='j' "
        "coef='1'/></fixed></tendon>"
        "<equality><flex/></equality><sensor><gyro/><gyro/></sensor><keyframe><key/></keyframe></mujoco>");
    for (const char* words :
         {"<joint>: attribute 'margin' is not read", "<geom>: attribute 'solref' is not read",
          "<plugin>: is not read (2 times)", "<geom>: of type sdf without a mesh is left out",
          "m.xml:2:9: <fixed>: attribute 'range' is not read", "<flex>: in <equality> is not read",
          "<gyro>: in <sensor> is not read (2 times)", "<key>: is a keyframe to start from"})
        EXPECT_TRUE(hasNote(imported, words)) << words;
    EXPECT_EQ(imported.notes.size(), 8u);
}

TEST(Mjcf, includes_files_below_its_folder_once)
{
    const std::string world = "<worldbody><body><joint/><geom size='.1'/></body></worldbody>";
    const Files files = {
        {"parts/d.xml", "<mujocoinclude><default><joint damping='3'/></default></mujocoinclude>"},
        {"loop.xml", "<mujoco><include file='loop.xml'/></mujoco>"},
        {"bad.xml", "<mujoco>\n<x></mujoco>"},
        {"robot.xml", "<robot/>"}};
    const auto with = [&](const std::string& path) {
        return "<mujoco>\n<include file='" + path + "'/>" + world + "</mujoco>";
    };
    EXPECT_EQ(read(with("./parts/d.xml"), files).scene.joints[0].damping, 3);
    EXPECT_EQ(refusal(with("loop.xml"), files),
              "loop.xml:1:18: <include>: file=\"loop.xml\" is included a second time; once is allowed");
    EXPECT_EQ(refusal(with("../../../d.xml"), files),
              "m.xml:2:10: <include>: file=\"../../../d.xml\" leads more than two folders up; "
              "what is nearer is read");
    EXPECT_EQ(refusal(with("/etc/passwd"), files),
              "m.xml:2:10: <include>: file=\"/etc/passwd\" is an absolute path; "
              "only files below this one's folder are read");
    EXPECT_EQ(refusal(with("http://a/b.xml"), files),
              "m.xml:2:10: <include>: file=\"http://a/b.xml\" is not a plain relative path, "
              "such as meshes/arm.stl");
    EXPECT_EQ(refusal(with("none.xml"), files),
              "m.xml:2:10: <include>: file=\"none.xml\" cannot be included: there is no such file");
    EXPECT_EQ(refusal(with("bad.xml"), files),
              "bad.xml:2:4: \"mujoco\" is closed, but the open element is \"x\" of line 2");
    EXPECT_EQ(refusal(with("robot.xml"), files),
              "robot.xml:1:1: <robot>: is the root of an included file; <mujocoinclude> is expected");
}

TEST(Mjcf, does_not_follow_links_out_of_its_folder)
{
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(SINEW_TEST_OUTPUT_DIR) / "mjcf_links", inside = folder / "model";
    fs::remove_all(folder);
    fs::create_directories(inside);
    writeWhole((folder / "outside.xml").string(), "<mujocoinclude/>");
    writeWhole((inside / "part.xml").string(), "<mujocoinclude/>");
    fs::create_symlink("../outside.xml", inside / "out.xml");
    fs::create_symlink("part.xml", inside / "in.xml");
    fs::create_symlink("..", inside / "up");
    const auto outcome = [&](const std::string& include) {
        const std::string path = (inside / "m.xml").string();
        writeWhole(path, "<mujoco><include file='" + include +
                             "'/><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>");
        const Result<Imported> imported = readMjcf(path);
        return imported ? std::string() : imported.error().message;
    };
    EXPECT_EQ(outcome("part.xml"), "");
    EXPECT_EQ(outcome("in.xml"), "");  // a link within the folder is none to refuse
    for (const char* out : {"out.xml", "./out.xml", "up/outside.xml"})
        EXPECT_NE(outcome(out).find("is a link out of this file's folder"), std::string::npos)
            << out << ": " << outcome(out);
}

TEST(Mjcf, refuses_what_is_wrong_with_its_place)
{
    EXPECT_EQ(refusal("<robot/>"),
              "m.xml:1:1: <robot>: is the root element; a MuJoCo model begins with <mujoco>");
    EXPECT_EQ(refusal("<mujoco/>"),
              "m.xml:1:1: <mujoco>: has no body in its <worldbody>; a scene needs at least one");
    EXPECT_EQ(refuseWorld("<body pos='0 0'/>"),
              "m.xml:2:7: <body>: pos=\"0 0\" has 2 numbers; 3 are expected");
    EXPECT_EQ(refuseWorld("<body quat='0 0 0 0'/>"),
              "m.xml:2:7: <body>: quat=\"0 0 0 0\" has no direction; it must not be zero");
    EXPECT_EQ(refuseWorld("<body quat='1 0 0 0' euler='0 0 0'/>"),
              "m.xml:2:1: <body>: has more than one of quat, axisangle, euler, xyaxes and zaxis");
    EXPECT_EQ(refuseWorld("<body><joint type='screw'/></body>"),
              "m.xml:2:14: <joint>: type=\"screw\" is unknown; the types are hinge, slide, ball and free");
    EXPECT_EQ(refuseWorld("<body><joint class='none'/></body>"),
              "m.xml:2:14: <joint>: class=\"none\" is not a default class of this file");
    EXPECT_EQ(refuseWorld("<body><geom type='box' size='1 1'/></body>"),
              "m.xml:2:24: <geom>: size=\"1 1\" is too short; a box takes 3");
    EXPECT_EQ(refuseWorld("<body><geom size='nan'/></body>"),
              "m.xml:2:13: <geom>: size=\"nan\" has \"nan\", which is not a number, or one beyond 1e30");
    EXPECT_NE(refuseWorld("<body><geom size='-1'/></body>").find("m.xml:2:13: <geom>: size=\"-1\""),
              std::string::npos);
    EXPECT_EQ(refuseWorld("<body name='a'/><body name='a'/>"),
              "m.xml:2:23: <body>: name=\"a\" is the name of another body; names must differ");
    EXPECT_EQ(refuseWorld("<body><body><freejoint/></body></body>"),
              "m.xml:2:7: <body>: has a free joint, which must be its only one and at the top level");
    EXPECT_EQ(refuseWorld("<body><inertial mass='1' pos='0 0 0' diaginertia='-1 1 1'/></body>"),
              "m.xml:2:7: <inertial>: needs a positive mass and positive moments of inertia");
    EXPECT_EQ(
        refuseWorld("<body/>", "<compiler coordinate='global'/>"),
        "m.xml:1:19: <compiler>: coordinate=\"global\" is not read; save the model with local coordinates");
    EXPECT_EQ(refuseWorld("<body/>", "<default><default/></default>"),
              "m.xml:1:18: <default>: class is missing or empty; it is required");
}

TEST(Mjcf, bounds_what_a_small_file_can_grow_to)
{
    std::string many = "<mujoco><worldbody>";
    for (int i = 0; i <= maxMjcfBodies; ++i) many += "<body/>";
    EXPECT_NE(refusal(many + "</worldbody></mujoco>").find("more than 100000 bodies"), std::string::npos);
    std::string classes = "<mujoco><default>";
    for (int i = 0; i < 2000; ++i) classes += "<default class='" + std::to_string(i) + "'/>";
    EXPECT_NE(refusal(classes + "</default></mujoco>").find("more than 1000 default classes"),
              std::string::npos);
}

TEST(Mjcf, what_it_makes_is_a_scene_file_too)
{
    const Result<std::string> text =
        json::readFile(std::string(SINEW_TEST_DIR "/data") + "/mjcf/everything.xml");
    ASSERT_TRUE(text) << text.error().text();
    const Imported imported = read(text.value());
    const Result<Description> again = parseScene(writeScene(imported.scene), "again.json");
    ASSERT_TRUE(again) << again.error().text();
    expectSame(again.value(), imported.scene);
    EXPECT_TRUE(compile(again.value())) << compile(again.value()).error().text();
}

}  // namespace
}  // namespace sinew::mjcf_test
