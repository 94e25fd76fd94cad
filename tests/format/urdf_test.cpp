// URDF: what robots become, against numbers worked out by hand, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sinew/dynamics/methods.h"
#include "sinew/dynamics/work.h"
#include "sinew/io/referenced_file.h"
#include "sinew/io/urdf/scene.h"
#include "sinew/state/kinematics.h"
#include "support/sample_data.h"

namespace sinew::urdf_test {
namespace {

constexpr double rounding = 1e-14;

std::string robot(const std::string& inside)
{
    return "<robot name=\"r\">\n" + inside + "</robot>\n";
}
std::string link(const std::string& name, double mass = 1, const std::string& more = "")
{
    if (mass == 0) return "<link name=\"" + name + "\">" + more + "</link>\n";
    return "<link name=\"" + name + "\"><inertial><mass value=\"" + std::to_string(mass) +
           "\"/><inertia ixx=\"0.01\" iyy=\"0.01\" izz=\"0.01\"/></inertial>" + more + "</link>\n";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& more = "")
{
    return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
           "\"/><child link=\"" + child + "\"/>" + more + "</joint>\n";
}

Result<Imported> import(const std::string& text, const UrdfOptions& options = {},
                        const std::string& file = "r.urdf")
{
    const Result<UrdfRobot> parsed = parseUrdf(text, file);
    if (!parsed) return parsed.error();
    return urdfScene(parsed.value(), options);
}
std::string fault(const std::string& text, const UrdfOptions& options = {})
{
    const Result<Imported> result = import(text, options);
    return result ? "" : result.error().text();
}
bool hasNote(const Imported& imported, const std::string& part)
{
    for (const Diagnostic& note : imported.notes)
        if (note.text().find(part) != std::string::npos) return true;
    return false;
}
const BodyDescription& bodyOf(const Imported& imported, const std::string& name)
{
    for (const BodyDescription& body : imported.scene.bodies)
        if (body.name == name) return body;
    ADD_FAILURE() << "no body " << name;
    return imported.scene.bodies[0];
}
const JointDescription& jointOf(const Imported& imported, const std::string& name)
{
    for (const JointDescription& joint : imported.scene.joints)
        if (joint.name == name) return joint;
    ADD_FAILURE() << "no joint " << name;
    return imported.scene.joints[0];
}

TEST(Urdf, z_up_becomes_y_up_and_links_keep_their_axes)
{
    const Imported in = import(robot(link("base") + link("arm") +
                                     joint("j", "revolute", "base", "arm",
                                           "<origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/>"
                                           "<axis xyz=\"1 0 0\"/><limit lower=\"-1\" upper=\"2\"/>"
                                           "<dynamics damping=\"0.3\" friction=\"0.2\"/>")))
                            .value();
    const BodyDescription& arm = bodyOf(in, "arm");
    EXPECT_NEAR((arm.pose.position - Vec3(1, 3, -2)).norm(), 0, rounding);
    // x of the arm is y of the file, which is −z here; z of the file is y.
    EXPECT_NEAR((arm.pose.orientation * Vec3::UnitX() - Vec3(0, 0, -1)).norm(), 0, rounding);
    EXPECT_NEAR((arm.pose.orientation * Vec3::UnitZ() - Vec3(0, 1, 0)).norm(), 0, rounding);
    const JointDescription& j = jointOf(in, "j");
    EXPECT_EQ(j.type, JointType::hinge);
    EXPECT_NEAR((*j.axis - Vec3(0, 0, -1)).norm(), 0, rounding);
    EXPECT_NEAR((j.position - Vec3(1, 3, -2)).norm(), 0, rounding);
    EXPECT_EQ(j.lower, std::vector<double>{-1});
    EXPECT_EQ(j.upper, std::vector<double>{2});
    EXPECT_EQ(j.damping, 0.3);
    EXPECT_EQ(j.coulomb, 0.2);
}

TEST(Urdf, roll_pitch_and_yaw_turn_about_fixed_axes_in_that_order)
{
    const UrdfRobot parsed =
        parseUrdf(
            robot(link("a") + link("b") + joint("j", "fixed", "a", "b", "<origin rpy=\"0.3 0.5 0.7\"/>")),
            "r.urdf")
            .value();
    const double c1 = std::cos(0.3), s1 = std::sin(0.3), c2 = std::cos(0.5), s2 = std::sin(0.5),
                 c3 = std::cos(0.7), s3 = std::sin(0.7);
    Mat3 expected;
    expected << c3 * c2, c3 * s2 * s1 - s3 * c1, c3 * s2 * c1 + s3 * s1,  //
        s3 * c2, s3 * s2 * s1 + c3 * c1, s3 * s2 * c1 - c3 * s1,          //
        -s2, c2 * s1, c2 * c1;
    EXPECT_NEAR((parsed.joints[0].origin.orientation.toRotationMatrix() - expected).norm(), 0, rounding);
}

TEST(Urdf, a_turned_inertial_is_turned_into_the_axes_of_the_link)
{
    const Imported in =
        import(robot("<link name=\"a\"><inertial><origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/>"
                     "<mass value=\"2\"/><inertia ixx=\"0.1\" iyy=\"0.2\" izz=\"0.25\" ixz=\"0.01\"/>"
                     "</inertial></link>"))
            .value();
    const BodyDescription& a = bodyOf(in, "a");
    EXPECT_EQ(*a.mass, 2);
    EXPECT_NEAR((*a.center - Vec3(1, 2, 3)).norm(), 0, rounding);
    Mat3 expected;  // x → y, y → −x
    expected << 0.2, 0, 0, 0, 0.1, 0.01, 0, 0.01, 0.25;
    EXPECT_NEAR((*a.inertia - expected).norm(), 0, rounding);
}

TEST(Urdf, links_on_fixed_joints_become_part_of_their_parent)
{
    // Two masses of 1 and 3 kg, 2 m apart along x: centre at 1.5, m₁ 1.5² + m₂ 0.5² = 3 about y and z.
    const Imported in = import(robot(link("a", 1) + link("b", 3) + link("frame", 0) +
                                     joint("f", "fixed", "a", "b", "<origin xyz=\"2 0 0\"/>") +
                                     joint("g", "fixed", "b", "frame")))
                            .value();
    ASSERT_EQ(in.scene.bodies.size(), 1u);
    const BodyDescription& a = in.scene.bodies[0];
    EXPECT_EQ(a.name, "a");
    EXPECT_NEAR(*a.mass, 4, rounding);
    EXPECT_NEAR((*a.center - Vec3(1.5, 0, 0)).norm(), 0, rounding);
    EXPECT_NEAR((*a.inertia - Mat3(Vec3(0.02, 3.02, 3.02).asDiagonal())).norm(), 0, rounding);
    EXPECT_TRUE(hasNote(in, "links on fixed joints are part of the link that they are fixed to"));
    EXPECT_TRUE(hasNote(in, "links without mass on fixed joints are left out as bodies"));
}

TEST(Urdf, a_pendulum_accelerates_as_its_closed_form)
{
    // 2 kg at 0.5 m below a hinge about y, 0.03 kg m² about its own centre.
    const Imported in =
        import(
            robot("<link name=\"world\"/><link name=\"rod\"><inertial><origin xyz=\"0 0 -0.5\"/>"
                  "<mass value=\"2\"/><inertia ixx=\"0.03\" iyy=\"0.03\" izz=\"0.01\"/></inertial></link>" +
                  joint("j", "continuous", "world", "rod", "<axis xyz=\"0 1 0\"/>")))
            .value();
    const Result<Model> model = compile(in.scene);
    ASSERT_TRUE(model) << model.error().text();
    State state = restState(model.value());
    const double angle = 0.7;
    state.q[0] = angle;
    bodiesFromJoints(model.value(), state);
    Forces forces;
    forces.setZero(model.value());
    forces.body[0].force = 2 * model.value().gravity;
    Work work;
    Accelerations accelerations;
    accelerations.resize(model.value());
    findMethod("featherstone")->accelerate(model.value(), state, forces, work, accelerations);
    EXPECT_NEAR(accelerations.joint[0], -2 * 9.81 * 0.5 * std::sin(angle) / (0.03 + 2 * 0.25), 1e-12);
}

TEST(Urdf, shapes_lie_along_z_and_collision_goes_before_looks)
{
    const std::string shapes =
        "<collision><origin xyz=\"0 0 1\"/><geometry><cylinder radius=\"0.1\" length=\"2\"/></geometry>"
        "</collision><collision><geometry><capsule radius=\"0.1\" length=\"2\"/></geometry></collision>"
        "<collision><geometry><box size=\"1 2 3\"/></geometry></collision>"
        "<visual><geometry><sphere radius=\"1\"/></geometry></visual>";
    const Imported in = import(robot(link("a", 1, shapes) +
                                     link("b", 1,
                                          "<visual><geometry><sphere radius=\"1\"/>"
                                          "</geometry></visual>") +
                                     joint("j", "continuous", "a", "b")))
                            .value();
    const BodyDescription& a = bodyOf(in, "a");
    ASSERT_EQ(a.shapes.size(), 3u);
    EXPECT_TRUE(a.collides);
    EXPECT_NEAR((a.shapes[0].pose * Vec3(0, 1, 0) - Vec3(0, 0, 2)).norm(), 0, rounding);
    EXPECT_EQ(std::get<Capsule>(a.shapes[1].shape).length, 2);
    EXPECT_EQ(std::get<Box>(a.shapes[2].shape).size, Vec3(1, 2, 3));
    EXPECT_TRUE(a.shapes[2].pose.orientation.isApprox(Quat::Identity()));
    EXPECT_EQ(bodyOf(in, "b").shapes.size(), 1u);
    EXPECT_FALSE(bodyOf(in, "b").collides);
    EXPECT_TRUE(hasNote(in, "<visual> is not taken where there is a <collision>"));
}

TEST(Urdf, the_root_is_bolted_where_it_has_no_inertial_and_floats_where_it_has)
{
    const std::string arm = joint("j", "continuous", "base", "arm") + link("arm");
    const Imported bare = import(robot(link("base", 0) + arm)).value();
    EXPECT_EQ(jointOf(bare, "j").first, "world");
    EXPECT_TRUE(hasNote(bare, "the root \"base\" has no <inertial>: it is bolted to the world"));
    EXPECT_TRUE(compile(bare.scene));

    const Imported heavy = import(robot(link("base") + arm)).value();
    EXPECT_EQ(heavy.scene.roots, std::vector<std::string>{"base"});
    EXPECT_TRUE(hasNote(heavy, "the root \"base\" has an <inertial>: the robot floats"));
    EXPECT_EQ(compile(heavy.scene).value().freedomCount, 7);

    const Imported bolted = import(robot(link("base") + arm), {true}).value();
    EXPECT_EQ(jointOf(bolted, "base_base").type, JointType::weld);
    EXPECT_EQ(compile(bolted.scene).value().freedomCount, 1);
    EXPECT_FALSE(hasNote(bolted, "the root"));

    const Imported named =
        import(robot(link("world", 0) + link("base") + arm + joint("w", "fixed", "world", "base"))).value();
    EXPECT_EQ(named.scene.bodies.size(), 2u);
    EXPECT_EQ(compile(named.scene).value().freedomCount, 1);

    const Imported loose =
        import(robot(link("world", 0) + link("base") + arm + joint("w", "floating", "world", "base")))
            .value();
    EXPECT_EQ(compile(loose.scene).value().freedomCount, 7);

    EXPECT_EQ(
        fault(robot(link("base", 0) + arm), {false}),
        "r.urdf:2: the root \"base\" has no mass and cannot float; give it an <inertial> or a fixed base");
    // Massless itself, but a mass is fixed to it.
    EXPECT_EQ(
        compile(import(robot(link("base", 0) + link("trunk") + joint("f", "fixed", "base", "trunk") + arm),
                       {false})
                    .value()
                    .scene)
            .value()
            .freedomCount,
        7);
}

TEST(Urdf, a_planar_joint_becomes_two_slides_and_a_hinge)
{
    const Imported in = import(robot(link("world", 0) + link("puck") +
                                     joint("p", "planar", "world", "puck", "<axis xyz=\"0 0 1\"/>")))
                            .value();
    ASSERT_EQ(in.scene.joints.size(), 3u);
    EXPECT_EQ(in.scene.joints[0].type, JointType::slide);
    EXPECT_EQ(in.scene.joints[2].type, JointType::hinge);
    // Normal and directions of the plane, as a right-handed frame, y up.
    EXPECT_NEAR((in.scene.joints[0].axis->cross(*in.scene.joints[1].axis) - Vec3(0, 1, 0)).norm(), 0,
                rounding);
    EXPECT_NEAR((*in.scene.joints[2].axis - Vec3(0, 1, 0)).norm(), 0, rounding);
}

TEST(Urdf, what_is_not_taken_is_told_with_its_line)
{
    const Imported in =
        import(robot(link("a") + link("b") + link("c", 0) + link("d", 0) +
                     joint("j", "revolute", "a", "b",
                           "<limit lower=\"0\" upper=\"0\" effort=\"1\" velocity=\"1\"/>"
                           "<safety_controller k_velocity=\"1\"/>") +
                     joint("k", "continuous", "b", "c") + joint("l", "prismatic", "c", "d") +
                     "<gazebo/>\n<gazebo/>\n<transmission name=\"t\"/>"))
            .value();
    EXPECT_EQ(in.scene.bodies.size(), 2u);
    for (const char* note :
         {"r.urdf:4: link \"c\" is left out with its joint \"k\": it moves and has no mass; give it an "
          "<inertial>",
          "r.urdf:5: link \"d\" is left out with its joint \"l\"",
          "r.urdf:6: limits of velocity are not taken",
          "r.urdf:6: limits from 0 to 0 are taken for none; a joint that shall not move is fixed",
          "r.urdf:6: <safety_controller> in <joint> is not taken",
          "r.urdf:9: <gazebo> is not taken (2 times)", "<transmission> is not taken"})
        EXPECT_TRUE(hasNote(in, note)) << note;
    EXPECT_TRUE(jointOf(in, "j").lower.empty());

    const Imported flat =
        import(robot(link("a", 1,
                          "<collision><geometry><sphere radius=\"0\"/></geometry></collision>"
                          "<collision><geometry><cone/></geometry></collision>")))
            .value();
    ASSERT_EQ(flat.scene.bodies[0].shapes.size(), 1u);
    EXPECT_EQ(std::get<Sphere>(flat.scene.bodies[0].shapes[0].shape).radius, 0.001);
    EXPECT_TRUE(hasNote(flat, "spheres of radius 0 are taken for points: they have 1 mm"));
    EXPECT_TRUE(hasNote(flat, "<cone> as a geometry is not taken"));
}

TEST(Urdf, a_joint_whose_limits_exclude_zero_starts_within_them)
{
    const Imported in =
        import(robot(link("a") + link("b") +
                     joint("j", "revolute", "a", "b", "<limit lower=\"-2\" upper=\"-0.5\"/>")))
            .value();
    EXPECT_EQ(jointOf(in, "j").coordinate, std::vector<double>{-0.5});
    EXPECT_TRUE(hasNote(in, "joint \"j\" starts at the limit nearest to 0"));
}

TEST(Urdf, mimic_joints_become_couplings_and_start_where_their_leaders_want_them)
{
    const std::string links = link("world", 0) + link("a") + link("b") + link("c");
    const auto mimic = [](const std::string& what) { return "<mimic joint=\"" + what + "/>"; };
    const Imported in =
        import(robot(links + joint("k", "prismatic", "world", "c", mimic("j\" multiplier=\"0.1\"")) +
                     joint("j", "continuous", "world", "b", mimic("i\" multiplier=\"-2\" offset=\"0.5\"")) +
                     joint("i", "revolute", "world", "a", "<limit lower=\"1\" upper=\"2\"/>")))
            .value();
    ASSERT_EQ(in.scene.couplings.size(), 2u);
    EXPECT_EQ(in.scene.couplings[1].follower, "j");
    EXPECT_EQ(in.scene.couplings[1].leader, "i");
    EXPECT_EQ(in.scene.couplings[1].ratio, -2);
    EXPECT_EQ(in.scene.couplings[1].offset, 0.5);
    EXPECT_EQ(jointOf(in, "i").coordinate, std::vector<double>{1});
    EXPECT_EQ(jointOf(in, "j").coordinate, std::vector<double>{-1.5});
    EXPECT_NEAR(jointOf(in, "k").coordinate.at(0), -0.15, rounding);
    const Result<Model> model = compile(in.scene);
    ASSERT_TRUE(model) << model.error().text();
    EXPECT_TRUE(initialState(model.value(), in.scene));

    EXPECT_EQ(fault(robot(links + joint("i", "continuous", "world", "a", mimic("j\"")) +
                          joint("j", "continuous", "world", "b", mimic("i\"")) +
                          joint("k", "continuous", "world", "c"))),
              "r.urdf:6: joint \"i\" mimics itself by others");
    EXPECT_EQ(fault(robot(links + joint("i", "continuous", "world", "a", mimic("x\"")))),
              "r.urdf:4: links \"world\" and \"b\" are both no joint's child; a robot has one root");
    EXPECT_EQ(fault(robot(link("a") + link("b") + joint("i", "continuous", "a", "b", mimic("x\"")))),
              "r.urdf:4: joint \"i\" mimics \"x\", which is not another joint");
    EXPECT_TRUE(hasNote(
        import(robot(link("a") + link("b") + link("c") + joint("i", "continuous", "a", "b", mimic("f\"")) +
                     joint("f", "fixed", "a", "c")))
            .value(),
        "r.urdf:5: that joint \"i\" mimics \"f\" is not taken"));
}

TEST(Urdf, inertias_that_no_solid_has_are_raised_and_told)
{
    const auto withInertia = [](const std::string& inertia) {
        return robot("<link name=\"a\"><inertial><mass value=\"1\"/><inertia " + inertia +
                     "/></inertial></link>");
    };
    const Imported flat = import(withInertia("ixx=\"0.1\" iyy=\"0.1\" izz=\"0.5\"")).value();
    EXPECT_TRUE(compile(flat.scene));
    EXPECT_TRUE(hasNote(flat, "the others are raised"));
    EXPECT_NEAR(flat.scene.bodies[0].inertia->trace(), 1, 1e-5);
    const Imported point = import(withInertia("ixx=\"0\" iyy=\"0\" izz=\"0\"")).value();
    EXPECT_TRUE(compile(point.scene));
    EXPECT_TRUE(hasNote(point, "ball of 1 cm"));
    EXPECT_NE(
        fault(withInertia("ixx=\"-1\" iyy=\"1\" izz=\"1\"")).find("r.urdf:2: link \"a\": the inertia"),
        std::string::npos);
}

TEST(Urdf, what_is_no_tree_is_refused_with_its_line)
{
    EXPECT_EQ(fault(robot(link("a") + link("b"))),
              "r.urdf:3: links \"a\" and \"b\" are both no joint's child; a robot has one root");
    EXPECT_EQ(fault(robot(link("a") + link("b") + joint("j", "fixed", "a", "c"))),
              "r.urdf:4: joint \"j\" names the link \"c\", which is not there");
    EXPECT_EQ(
        fault(robot(link("a") + link("b") + joint("j", "fixed", "a", "b") + joint("k", "fixed", "b", "a"))),
        "r.urdf:4: the joints go round in a circle; there is no root");
    EXPECT_EQ(fault(robot(link("a") + link("b") + link("c") + joint("j", "fixed", "b", "c") +
                          joint("k", "fixed", "c", "b"))),
              "r.urdf:6: the joints above link \"b\" go round in a circle");
    EXPECT_EQ(
        fault(robot(link("a") + link("b") + link("c") + joint("j", "fixed", "a", "b") +
                    joint("k", "fixed", "c", "b"))),
        "r.urdf:6: link \"b\" is the child of two joints, \"j\" and \"k\"; a URDF robot must be a tree");
    EXPECT_EQ(fault(robot(link("a") + link("a"))), "r.urdf:3: there is a link \"a\" already");
    EXPECT_EQ(fault(robot("")), "r.urdf: the robot has no links");
    EXPECT_EQ(fault(robot(link("a", 0))),
              "r.urdf: nothing in this robot has mass and can move; is there an <inertial>?");
    EXPECT_NE(
        fault(robot(link("a") + link("b") + joint("j", "screw", "a", "b"))).find("is not a type of joint"),
        std::string::npos);
    EXPECT_NE(fault("<mujoco/>").find("a URDF file has <robot> at its root"), std::string::npos);
}

TEST(Urdf, meshes_are_found_below_the_folder_and_nowhere_else)
{
    namespace fs = std::filesystem;
    const std::string folder = std::string(SINEW_TEST_OUTPUT_DIR) + "/urdf_meshes";
    fs::create_directories(folder + "/meshes");
    const char* tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::ofstream(folder + "/meshes/t.obj") << tetrahedron;
    std::ofstream(folder + "/../outside.obj") << tetrahedron;
    const auto import1 = [&](const std::string& file) {
        return import(robot(link("a", 1,
                                 "<collision><geometry><mesh filename=\"" + file +
                                     "\" scale=\"2 2 -2\"/></geometry></collision>")),
                      {}, folder + "/r.urdf");
    };
    for (const char* found :
         {"meshes/t.obj", "package://pkg/meshes/t.obj", "package://a/b/c/meshes/t.obj"}) {
        const Imported in = import1(found).value();
        ASSERT_EQ(in.scene.bodies[0].shapes.size(), 1u) << found;
        EXPECT_NEAR(unitDensityInertia(in.scene.bodies[0].shapes[0].shape).mass, 8.0 / 6, 1e-12);
        EXPECT_TRUE(compile(in.scene));
    }
    for (const char* lost : {"../outside.obj", "package://../outside.obj", "meshes/../../outside.obj",
                             "file:///etc/passwd", "/etc/passwd", "nowhere.stl", "meshes/t.dae"}) {
        const Imported in = import1(lost).value();
        EXPECT_TRUE(in.scene.bodies[0].shapes.empty()) << lost;
        EXPECT_TRUE(hasNote(in, "is left out: it is not in the folder of this file or below")) << lost;
    }
    std::error_code ignored;
    fs::remove(folder + "/link.obj", ignored);
    fs::create_symlink("../outside.obj", folder + "/link.obj", ignored);
    if (!ignored) {
        EXPECT_EQ(
            referencedFile(folder + "/r.urdf", "link.obj").error().message,
            "the file \"link.obj\" is a link out of this file's folder; only files below it are read");
    }
}

TEST(Urdf, sample_robots_compile_with_either_base)
{
    const std::string folder = sampleData("urdf");
    if (folder.empty()) GTEST_SKIP() << sampleDataMissing;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        if (file.path().extension() != ".urdf") continue;
        for (const bool fixedBase : {true, false}) {
            const Result<Imported> in = readUrdf(file.path().string(), {fixedBase});
            ASSERT_TRUE(in) << in.error().text();
            const Result<Model> model = compile(in.value().scene);
            EXPECT_TRUE(model) << file.path() << ": " << model.error().text();
        }
    }
}

}  // namespace
}  // namespace sinew::urdf_test
