// What whoever reads a robot or a model may decide: the base, the pose that joints hold, a floor, folders
// of meshes, a keyframe.
#include <gtest/gtest.h>

#include <filesystem>

#include "format/mjcf_text.h"
#include "sinew/io/load_scene.h"
#include "sinew/io/urdf/scene.h"
#include "sinew/io/whole_file.h"
#include "sinew/math/rotation.h"
#include "sinew/simulation/simulation.h"

namespace sinew::import_test {
namespace {

using mjcf_test::expectNear;
using mjcf_test::hasNote;
namespace fs = std::filesystem;

class ImportOptionsTest : public testing::Test {
protected:
    void SetUp() override
    {
        folder_ = fs::path(SINEW_TEST_OUTPUT_DIR) / "import" /
                  testing::UnitTest::GetInstance()->current_test_info()->name();
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    std::string write(const std::string& name, const std::string& text)
    {
        fs::create_directories((folder_ / name).parent_path());
        writeWhole((folder_ / name).string(), text);
        return (folder_ / name).string();
    }
    fs::path folder_;
};

// A trunk on two legs of one knee each, by the middle of the trunk; 0.5 + 0.5 m of leg below it.
const std::string inertial =
    "<inertial><origin xyz='0 0 -.25'/><mass value='2'/><inertia ixx='.05' iyy='.05' izz='.01' ixy='0' "
    "ixz='0' "
    "iyz='0'/></inertial>";
std::string leg(const std::string& side, const std::string& y)
{
    const std::string shape =
        "<collision><origin xyz='0 0 -.25'/><geometry><box size='.1 .1 .5'/></geometry></collision>";
    const std::string foot =
        "<collision><origin xyz='.05 0 -.48'/><geometry><box size='.4 .16 .04'/></geometry></collision>";
    return "<link name='" + side + "_thigh'>" + inertial + shape + "</link><link name='" + side +
           "_shank'>" + inertial + shape + foot + "</link><joint name='" + side +
           "_hip' type='revolute'><parent link='trunk'/><child link='" + side + "_thigh'/><origin xyz='0 " +
           y +
           " 0'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='200' velocity='9'/></joint><joint "
           "name='" +
           side + "_knee' type='revolute'><parent link='" + side + "_thigh'/><child link='" + side +
           "_shank'/><origin xyz='0 0 -.5'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='200' "
           "velocity='9'/></joint>";
}
const std::string biped =
    "<robot name='biped'><link name='trunk'><inertial><origin xyz='0 0 .2'/><mass value='5'/><inertia "
    "ixx='.1' "
    "iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/></inertial></link>" +
    leg("left", ".15") + leg("right", "-.15") + "</robot>";

TEST_F(ImportOptionsTest, a_robot_stands_on_the_ground_and_holds_its_pose)
{
    const std::string path = write("biped.urdf", biped);
    for (const double height : {0.0, 0.7}) {
        ImportOptions options;
        options.ground = height;
        const Result<SceneFile> file = loadScene(path, options);
        ASSERT_TRUE(file) << file.error().text();
        EXPECT_NEAR(file.value().description.bodies[0].pose.position.y(), height + 1, 1e-12);
        Result<Simulation> simulation = Simulation::create(file.value().description, {});
        ASSERT_TRUE(simulation) << simulation.error().text();
        const double start = simulation.value().state.bodies[0].position.y();
        while (simulation.value().state.time < 3) ASSERT_TRUE(simulation.value().step().ok);
        EXPECT_NEAR(simulation.value().state.bodies[0].position.y(), start, 0.02);
        // Let go, it falls.
        options.limp = true;
        const Result<SceneFile> limp = loadScene(path, options);
        ASSERT_TRUE(limp);
        EXPECT_TRUE(limp.value().description.controllers.empty());
    }
}

TEST_F(ImportOptionsTest, what_stands_above_the_ground_or_hangs_from_the_world_stays)
{
    const std::string path = write("biped.urdf", biped);
    ImportOptions options;
    options.ground = -3;
    const Result<SceneFile> above = loadScene(path, options);
    ASSERT_TRUE(above);
    EXPECT_NEAR(above.value().description.bodies[0].pose.position.y(), 0, 1e-12);
    options.ground = 0.25;
    options.fixedBase = true;
    const Result<SceneFile> bolted = loadScene(path, options);
    ASSERT_TRUE(bolted);
    EXPECT_NEAR(bolted.value().description.bodies[0].pose.position.y(), 0, 1e-12);
    bool isNoted = false;
    for (const Diagnostic& note : bolted.value().notes)
        isNoted = isNoted || note.text().find("reaches 1.25 m below the ground") != std::string::npos;
    EXPECT_TRUE(isNoted);
}

TEST_F(ImportOptionsTest, efforts_bound_what_joints_hold)
{
    const Result<UrdfRobot> robot = parseUrdf(biped, "biped.urdf");
    ASSERT_TRUE(robot);
    const Result<Imported> scene = urdfScene(robot.value());
    ASSERT_TRUE(scene);
    ASSERT_EQ(scene.value().scene.controllers.size(), 4u);
    for (const ControllerDescription& controller : scene.value().scene.controllers) {
        EXPECT_EQ(*controller.limit, 200);
        EXPECT_GT(controller.stiffness, 0);
    }
    EXPECT_TRUE(hasNote(scene.value(), "joints hold the pose that they start in"));
}

TEST_F(ImportOptionsTest, meshes_are_found_in_the_package_and_in_folders_that_are_named)
{
    const std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    const auto robotWith = [](const std::string& mesh) {
        return "<robot name='r'><link name='a'>" + inertial + "<collision><geometry><mesh filename='" +
               mesh + "'/></geometry></collision></link></robot>";
    };
    write("arm_description/package.xml", "<package/>");
    write("arm_description/meshes/a.obj", obj);
    write("elsewhere/b.obj", obj);
    const auto shapes = [&](const std::string& mesh, const std::vector<std::string>& folders) {
        ImportOptions options;
        options.meshPaths = folders;
        const Result<SceneFile> file =
            loadScene(write("arm_description/urdf/arm.urdf", robotWith(mesh)), options);
        EXPECT_TRUE(file) << file.error().text();
        return file ? file.value().description.bodies.at(0).shapes.size() : 9;
    };
    EXPECT_EQ(shapes("package://arm_description/meshes/a.obj", {}), 1u);
    EXPECT_EQ(shapes("package://other_name/meshes/a.obj", {}),
              1u);                                 // in the same package, called otherwise there
    EXPECT_EQ(shapes("../meshes/a.obj", {}), 0u);  // out of the folder: only if it is named
    EXPECT_EQ(shapes("../meshes/a.obj", {(folder_ / "arm_description").string()}), 1u);
    EXPECT_EQ(shapes("package://x/b.obj", {}), 0u);
    EXPECT_EQ(shapes("package://x/b.obj", {(folder_ / "elsewhere").string()}), 1u);
    EXPECT_EQ(shapes("../../../../b.obj", {(folder_ / "elsewhere").string()}), 1u);

    ImportOptions options;
    options.meshPaths = {(folder_ / "elsewhere").string()};
    const Result<SceneFile> model =
        loadScene(write("model/m.xml",
                        "<mujoco><compiler meshdir='../assets'/><asset><mesh "
                        "file='b.obj'/></asset><worldbody><body><freejoint/>"
                        "<geom type='mesh' mesh='b'/></body></worldbody></mujoco>"),
                  options);
    ASSERT_TRUE(model) << model.error().text();
    EXPECT_EQ(model.value().description.bodies[0].shapes.size(), 1u);
}

TEST_F(ImportOptionsTest, options_that_a_format_has_no_use_for_are_refused)
{
    const std::string scene = write("s.json", "{}"), robot = write("r.urdf", biped);
    const auto refusal = [](const std::string& path, const ImportOptions& options) {
        const Result<SceneFile> file = loadScene(path, options);
        return file ? std::string("was read") : file.error().setting + " " + file.error().message;
    };
    EXPECT_EQ(refusal(scene, {.fixedBase = true}), "--fixed-base is for robots (URDF)");
    EXPECT_EQ(refusal(scene, {.limp = true}), "--limp is for robots (URDF)");
    EXPECT_EQ(refusal(scene, {.ground = 0}), "--ground is for robots (URDF) and models (MJCF)");
    EXPECT_EQ(refusal(scene, {.meshPaths = {"."}}), "--mesh-path is for robots (URDF) and models (MJCF)");
    EXPECT_EQ(refusal(robot, {.keyframe = "0"}), "--key is for models (MJCF)");
}

TEST(UrdfFiles, a_root_of_no_mass_is_bolted_and_rounding_is_repaired)
{
    const auto read = [](const std::string& root, const std::string& end) {
        const std::string text =
            "<robot name='r'><link name='base'>" + root +
            "</link><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
            "izz='-1e-8' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' "
            "type='continuous'><parent link='base'/><child link='a'/></joint></robot>" +
            end;
        const Result<UrdfRobot> robot = parseUrdf(text, "r.urdf");
        EXPECT_TRUE(robot) << robot.error().text();
        return urdfScene(robot.value());
    };
    const Result<Imported> scene = read(
        "<inertial><mass value='0'/><inertia ixx='0' iyy='0' izz='0' ixy='0' ixz='0' "
        "iyz='0'/></inertial>",
        std::string(1, '\0'));
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_TRUE(scene.value().scene.roots.empty());
    EXPECT_EQ(scene.value().scene.joints[0].first, "world");
    EXPECT_TRUE(hasNote(scene.value(), "no solid has this inertia"));
    EXPECT_TRUE(compile(scene.value().scene));
}

const std::string model =
    "<mujoco><worldbody><body name='a' pos='0 0 1'><freejoint/><geom size='.1' pos='.5 0 0'/><body "
    "name='b' pos='1 0 "
    "0'><joint name='j' ref='30' axis='0 1 0' range='20 50'/><geom size='.1'/><body name='c' pos='0 1 "
    "0'><joint "
    "name='k' type='ball'/><geom size='.1'/></body></body></body></worldbody>"
    "<actuator><position joint='j' kp='7' gear='2'/><motor name='m' joint='j' gear='3'/></actuator>"
    "<keyframe><key name='home' qpos='1 2 3  0.5 0.5 0.5 0.5  0.7  0 1 0 0' qvel='1 0 0  0 0 2  0.4  .1 .2 "
    ".3' "
    "ctrl='.6 5'/><key qpos='0 0 1  1 0 0 0  0.6  1 0 0 0'/></keyframe></mujoco>";

Result<Imported> withKey(const std::string& key)
{
    return parseMjcf(model, "m.xml",
                     [](const std::string&) {
                         return Diagnostic{"no file", "", ""};
                     },
                     {key, {}});
}

TEST(MjcfKeyframe, is_where_the_model_starts)
{
    const Result<Imported> read = withKey("home");
    ASSERT_TRUE(read) << read.error().text();
    const Description& scene = read.value().scene;
    expectNear(scene.bodies[0].pose.position, Vec3(1, 3, -2));
    // A turn of 120° about (1, 1, 1) takes x to y: in our axes the arm points along −z.
    expectNear(scene.bodies[1].pose.position, Vec3(1, 3, -3));
    EXPECT_NEAR(scene.joints[0].coordinate[0], 0.7 - pi / 6, 1e-12);
    expectNear(
        Vec3(scene.joints[1].coordinate[0], scene.joints[1].coordinate[1], scene.joints[1].coordinate[2]),
        Vec3(pi, 0, 0));
    EXPECT_EQ(scene.joints[0].velocity, std::vector<double>{0.4});
    EXPECT_EQ(scene.joints[1].velocity, (std::vector<double>{0.1, 0.2, 0.3}));
    // Its origin at 1 m/s along x; it spins at 2 rad/s about its own z, which is the world's x, and the
    // centre of mass is at half a metre along the world's y of MuJoCo.
    expectNear(*scene.bodies[0].angularVelocity, Vec3(2, 0, 0));
    expectNear(*scene.bodies[0].velocity, Vec3(1, 1, 0));
    EXPECT_NEAR(scene.controllers[0].target[0].at(0).value, 0.6 / 2 - pi / 6, 1e-12);
    EXPECT_EQ(scene.motors[0].torque[0].at(0).value, 15);
    Result<Simulation> simulation = Simulation::create(scene, {});
    ASSERT_TRUE(simulation) << simulation.error().text();
    EXPECT_TRUE(simulation.value().step().ok);
}

TEST(MjcfKeyframe, is_chosen_by_name_or_number)
{
    ASSERT_TRUE(withKey("1"));
    EXPECT_NEAR(withKey("1").value().scene.joints[0].coordinate[0], 0.6 - pi / 6, 1e-12);
    EXPECT_EQ(withKey("2").error().text(), "m.xml:1:1: <mujoco>: has no keyframe '2'; 2 are there: home");
    EXPECT_TRUE(hasNote(withKey("").value(), "<key>: is a keyframe to start from, with --key (2 times)"));
}

TEST(MjcfKeyframe, has_a_number_for_each_coordinate)
{
    const std::string world = "<worldbody><body><joint/><geom size='.1'/></body></worldbody>";
    const auto refusal = [&](const std::string& key) {
        const Result<Imported> read =
            parseMjcf("<mujoco>" + world + "\n<keyframe><key " + key + "/></keyframe></mujoco>", "m.xml",
                      [](const std::string&) {
                          return Diagnostic{"no file", "", ""};
                      },
                      {"0", {}});
        return read ? "was read" : read.error().text();
    };
    EXPECT_EQ(refusal("qpos='1 2'"), "m.xml:2:16: <key>: qpos=\"1 2\" has 2 numbers; 1 is expected");
    EXPECT_NE(refusal("ctrl='1'").find("ctrl="), std::string::npos);
    EXPECT_EQ(refusal("time='3'"), "was read");
}

TEST(MjcfStart, is_within_the_limits)
{
    const Imported read = mjcf_test::readWorld(
        "<body><joint range='20 50'/><geom size='.1'/><body><joint range='-50 -20'/><geom "
        "size='.1'/></body></body>");
    EXPECT_NEAR(read.scene.joints[0].coordinate[0], pi / 9, 1e-12);
    EXPECT_NEAR(read.scene.joints[1].coordinate[0], -pi / 9, 1e-12);
    EXPECT_TRUE(hasNote(read, "has joints that start at the limit nearest to their rest pose"));
}

}  // namespace
}  // namespace sinew::import_test
