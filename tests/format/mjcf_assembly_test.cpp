// Meshes, constraints, tendons, springs by time constants: against results by hand.
#include <gtest/gtest.h>

#include "format/mjcf_text.h"
#include "sinew/geometry/mass.h"
#include "sinew/model/model.h"
#include "sinew/model/springs.h"
#include "sinew/simulation/simulation.h"

namespace sinew::mjcf_test {
namespace {

// Corners of a cube from 0 to 1, and its faces counter-clockwise from outside.
const std::string cubeVertices = "0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1";
const std::string cubeFaces =
    "0 2 1  0 3 2  0 1 5  0 5 4  1 2 6  1 6 5  2 3 7  2 7 6  3 0 4  3 4 7  4 5 6  4 6 7";

Imported withMesh(const std::string& mesh, const std::string& geom, const Files& files = {},
                  const std::string& before = "")
{
    return read("<mujoco>" + before + "<asset><mesh name='m' " + mesh +
                    "/></asset><worldbody><body name='a'><freejoint/><geom type='mesh' mesh='m' " + geom +
                    "/></body></worldbody></mujoco>",
                files);
}

void expectBox(const Imported& imported, const Vec3& size, double density, const Vec3& center)
{
    const BodyDescription& body = imported.scene.bodies.at(0);
    const double mass = density * size.prod();
    EXPECT_NEAR(*body.mass, mass, rounding * mass);
    expectNear(*body.center, center);
    const Vec3 s = size.cwiseProduct(size);
    const Vec3 moments = mass / 12 * Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y());
    EXPECT_LT((*body.inertia - Mat3(moments.asDiagonal())).norm(), rounding * moments.norm());
    ASSERT_EQ(body.shapes.size(), 1u);
    EXPECT_TRUE(std::holds_alternative<ConvexMesh>(body.shapes[0].shape));
}

TEST(MjcfAssembly, meshes_weigh_what_they_hold)
{
    for (const char* rule : {"legacy", "exact", "convex"}) {
        const std::string inertia = std::string(" inertia='") + rule + "'";
        expectBox(
            withMesh("vertex='" + cubeVertices + "' face='" + cubeFaces + "'" + inertia, "density='3'"),
            Vec3(1, 1, 1), 3, Vec3(0.5, 0.5, 0.5));
        // Without faces, the hull; scaled and mirrored; moved by the origin of the file.
        expectBox(withMesh("vertex='" + cubeVertices + "' scale='2 -1 .5'" + inertia, "density='3'"),
                  Vec3(2, 1, 0.5), 3, Vec3(1, -0.5, 0.25));
        expectBox(
            withMesh("vertex='" + cubeVertices + "' refpos='1 0 0' scale='2 1 1'" + inertia, "mass='4'"),
            Vec3(2, 1, 1), 2, Vec3(-1, 0.5, 0.5));
    }
    // A quarter turn back about z: what pointed along y points along x.
    expectBox(withMesh("vertex='" + cubeVertices + "' scale='1 2 3' refquat='1 0 0 1'", "density='1'"),
              Vec3(1, 2, 3), 1, Vec3(0.5, -1, 1.5));
}

TEST(MjcfAssembly, a_dented_mesh_weighs_by_the_rule_that_is_asked_for)
{
    // A pyramid of height 3/4 is cut out of the top: an inside point is a vertex, the face is open there.
    const std::string dented = "vertex='" + cubeVertices +
                               "  .5 .5 .25' face='0 2 1  0 3 2  0 1 5  0 5 4  1 2 6  1 6 5  2 3 7  2 7 6  "
                               "3 0 4  3 4 7  4 5 8  5 6 8  6 7 8  7 4 8'";
    const auto mass = [&](const std::string& rule) {
        return *withMesh(dented + rule, "density='1'").scene.bodies.at(0).mass;
    };
    EXPECT_NEAR(mass(" inertia='exact'"), 0.75, rounding);
    EXPECT_NEAR(mass(" inertia='convex'"), 1, rounding);
    const double legacy = mass("");
    EXPECT_GT(legacy, 0.75);  // pyramids that lie outside count too
    EXPECT_EQ(legacy, mass(" inertia='legacy'"));
    // Five sides of the cube and the four slopes of the dent.
    EXPECT_NEAR(mass(" inertia='shell'"), 5 + 4 * 0.5 * std::hypot(0.5, 0.75), rounding);
    EXPECT_EQ(withMesh(dented, "density='1'").scene.bodies.at(0).shapes.size(), 1u);
    EXPECT_NEAR(
        *withMesh(dented, "density='1'", {}, "<compiler exactmeshinertia='true'/>").scene.bodies.at(0).mass,
        0.75, rounding);
}

TEST(MjcfAssembly, reads_mesh_files_below_its_folder_and_says_what_it_cannot_have)
{
    const std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    const Files files = {{"meshes/tetra.obj", obj}, {"m/tetra.obj", obj}, {"broken.obj", "f 1 2 3\n"}};
    const auto mass = [&](const std::string& mesh, const std::string& compiler) {
        return *withMesh(mesh, "density='6'", files, compiler).scene.bodies.at(0).mass;
    };
    EXPECT_NEAR(mass("file='meshes/tetra.obj'", ""), 1, rounding);
    EXPECT_NEAR(mass("file='tetra.obj'", "<compiler meshdir='meshes'/>"), 1, rounding);
    EXPECT_NEAR(mass("file='tetra.obj'", "<compiler assetdir='meshes/'/>"), 1, rounding);
    EXPECT_NEAR(mass("file='/home/somebody/tetra.obj'", "<compiler meshdir='m' strippath='true'/>"), 1,
                rounding);
    const auto note = [&](const std::string& file) {
        for (const Diagnostic& one : withMesh("file='" + file + "'", "mass='1'", files).notes)
            if (one.text().find("left out:") != std::string::npos) return one.text();
        return std::string("none");
    };
    EXPECT_EQ(note("none.stl"), "m.xml:1:16: <mesh>: 'none.stl' is left out: there is no such file");
    EXPECT_EQ(note("a.ply"), "m.xml:1:16: <mesh>: 'a.ply' is left out: .obj, .stl and .dae can be read");
    EXPECT_EQ(
        note("../../../a.stl"),
        "m.xml:1:16: <mesh>: '../../../a.stl' is left out: it leads more than two folders up; what is "
        "nearer is read");
    EXPECT_NE(
        refusal("<mujoco><asset><mesh name='m' file='broken.obj'/></asset><worldbody><geom type='mesh' "
                "mesh='m'/></worldbody></mujoco>",
                files)
            .find("broken.obj:1"),
        std::string::npos);
}

TEST(MjcfAssembly, refuses_wrong_meshes_with_their_place)
{
    const auto refused = [](const std::string& mesh, const std::string& geom) {
        return refusal("<mujoco><asset><mesh name='m' " + mesh +
                       "/></asset>\n<worldbody><body><geom type='mesh' " + geom +
                       "/></body></worldbody></mujoco>");
    };
    EXPECT_EQ(refused("vertex='0 0 0'", "mesh='x'"),
              "m.xml:2:36: <geom>: mesh=\"x\" is not a <mesh> in the <asset> of this file");
    EXPECT_EQ(refused("vertex='0 0 0'", ""),
              "m.xml:2:18: <geom>: mesh is missing or empty; it is required");
    EXPECT_NE(refused("vertex='0 0 0'", "mesh='m'").find("m.xml:1:31: <mesh>: vertex="), std::string::npos);
    EXPECT_NE(refused("vertex='" + cubeVertices + "' face='0 1 9'", "mesh='m'")
                  .find("names a vertex that is not there"),
              std::string::npos);
    EXPECT_NE(
        refused("vertex='" + cubeVertices + "' scale='1 0 1'", "mesh='m'").find("has a factor of zero"),
        std::string::npos);
    EXPECT_NE(refused("vertex='" + cubeVertices + "' inertia='thin'", "mesh='m'")
                  .find("is none of convex, exact, legacy, shell"),
              std::string::npos);
    EXPECT_NE(refusal("<mujoco><asset><mesh/></asset></mujoco>").find("has neither a name nor a file"),
              std::string::npos);
}

const std::string twoArms =
    "<mujoco><worldbody><body name='a'><joint name='j' axis='0 1 0'/><geom size='.05' pos='0 0 -1'/>"
    "<site name='s' pos='.5 0 -1'/></body>"
    "<body name='b' pos='1 0 0'><joint name='k' axis='0 1 0'/><geom size='.05' pos='0 0 -1'/>"
    "<site name='t' pos='-.5 0 -1'/><site name='far' pos='0 0 -2'/></body></worldbody>";

TEST(MjcfAssembly, constraints_close_loops_that_stay_closed)
{
    for (const char* constraint :
         {"<connect body1='a' body2='b' anchor='.5 0 -1'/>", "<connect site1='s' site2='t'/>"}) {
        const Imported imported = read(twoArms + "<equality>" + constraint + "</equality></mujoco>");
        ASSERT_EQ(imported.scene.joints.size(), 3u);
        EXPECT_EQ(imported.scene.joints[2].type, JointType::spherical);
        expectNear(imported.scene.joints[2].position, Vec3(0.5, -1, 0));
        Description scene = imported.scene;
        scene.joints[0].velocity = {1};
        scene.joints[1].velocity = {1};
        Result<Simulation> simulation = Simulation::create(scene, {});
        ASSERT_TRUE(simulation) << simulation.error().text();
        ASSERT_EQ(simulation.value().model().loops.size(), 1u);
        for (int i = 0; i < 60; ++i) {
            ASSERT_TRUE(simulation.value().step().ok);
            // Parallel cranks of one length: they turn alike.
            EXPECT_NEAR(simulation.value().state.q[0], simulation.value().state.q[1], 1e-7);
        }
    }
    const Imported held = read(twoArms + "<equality><weld name='w' body1='a'/></equality></mujoco>");
    EXPECT_EQ(held.scene.joints.back().name, "w");
    EXPECT_EQ(held.scene.joints.back().type, JointType::weld);
    EXPECT_EQ(held.scene.joints.back().first, "world");
    EXPECT_EQ(held.scene.joints.back().second, "a");
    const Imported apart = read(twoArms + "<equality><connect site1='s' site2='far'/></equality></mujoco>");
    EXPECT_EQ(apart.scene.joints.size(), 2u);
    EXPECT_TRUE(hasNote(apart, "<connect>: whose sites are apart in the rest pose is left out"));
    const Imported off = read(twoArms + "<equality><weld body1='a' active='false'/></equality></mujoco>");
    EXPECT_EQ(off.scene.joints.size(), 2u);
    EXPECT_TRUE(hasNote(off, "<weld>: that is not active is left out"));
}

TEST(MjcfAssembly, joint_and_tendon_constraints_become_couplings)
{
    const auto coupling = [](const std::string& rest) {
        const Imported imported = read(twoArms + rest + "</mujoco>");
        EXPECT_EQ(imported.scene.couplings.size(), 1u);
        return imported.scene.couplings.empty() ? CouplingDescription() : imported.scene.couplings[0];
    };
    CouplingDescription made =
        coupling("<equality><joint joint1='j' joint2='k' polycoef='.2 -3 0 0 0'/></equality>");
    EXPECT_EQ(made.follower, "j");
    EXPECT_EQ(made.leader, "k");
    EXPECT_EQ(made.ratio, -3);
    EXPECT_EQ(made.offset, 0.2);
    // 2 q_j + 5 q_k = 1, and 2 q_j = 1 + 4 · 5 q_k.
    made = coupling(
        "<tendon><fixed name='t'><joint joint='j' coef='2'/><joint joint='k' coef='5'/></fixed></tendon>"
        "<equality><tendon tendon1='t' polycoef='1'/></equality>");
    EXPECT_EQ(made.ratio, -2.5);
    EXPECT_EQ(made.offset, 0.5);
    made = coupling(
        "<tendon><fixed name='t'><joint joint='j' coef='2'/></fixed><fixed name='u'><joint joint='k' "
        "coef='5'/></fixed></tendon><equality><tendon tendon1='t' tendon2='u' polycoef='1 4'/></equality>");
    EXPECT_EQ(made.ratio, 10);
    EXPECT_EQ(made.offset, 0.5);
    // It starts where it has to be.
    const Imported imported =
        read(twoArms + "<equality><joint joint1='j' joint2='k' polycoef='.2 1'/></equality></mujoco>");
    EXPECT_EQ(imported.scene.joints[0].coordinate, std::vector<double>{0.2});
    EXPECT_TRUE(Simulation::create(imported.scene, {}));
    EXPECT_EQ(refusal(twoArms + "\n<equality><joint joint1='j' joint2='x'/></equality></mujoco>"),
              "m.xml:2:11: <joint>: 'x' is not a joint of this file");
    EXPECT_EQ(refusal(twoArms + "\n<equality><connect body1='x' anchor='0 0 0'/></equality></mujoco>"),
              "m.xml:2:20: <connect>: body1=\"x\" is not a body of this file");
    EXPECT_EQ(
        refusal(twoArms + "\n<equality><connect body1='a' body2='a' anchor='0 0 0'/></equality></mujoco>"),
        "m.xml:2:11: <connect>: ties a body to itself");
}

TEST(MjcfAssembly, straight_tendons_are_springs)
{
    const Imported imported = read(twoArms +
                                   "<tendon><spatial name='band' stiffness='7' damping='2' "
                                   "springlength='.3'><site site='s'/><site site='far'/>"
                                   "</spatial><spatial stiffness='1'><site site='s'/><site site='t'/><site "
                                   "site='far'/></spatial></tendon>"
                                   "</mujoco>");
    ASSERT_EQ(imported.scene.springs.size(), 1u);
    const SpringDescription& spring = imported.scene.springs[0];
    EXPECT_EQ(spring.first.body, "a");
    EXPECT_EQ(spring.second.body, "b");
    expectNear(*std::get<SpringPoint>(spring.first.form).point, Vec3(0.5, -1, 0));
    expectNear(*std::get<SpringPoint>(spring.second.form).point, Vec3(1, -2, 0));
    EXPECT_EQ(*spring.length, 0.3);
    EXPECT_EQ(spring.stiffness, 7);
    EXPECT_EQ(spring.damping, 2);
    EXPECT_TRUE(hasNote(imported, "<spatial>: that runs through more than two sites is left out"));
}

TEST(MjcfAssembly, a_springdamper_gives_the_swing_that_it_names)
{
    // A point mass on a rod without gravity: k = m / (t ζ)², d = 2 m / t.
    const Imported imported = readWorld(
        "<body><joint springdamper='.5 .2' stiffness='99' axis='0 1 0'/><inertial pos='0 0 -2' mass='3' "
        "diaginertia='.1 .1 .1'/></body>");
    const double inertia = 3 * 4 + 0.1;
    EXPECT_NEAR(imported.scene.joints[0].stiffness, inertia / 0.01, rounding * 1e4);
    EXPECT_NEAR(imported.scene.joints[0].damping, 2 * inertia / 0.5, rounding * 1e3);
}

}  // namespace
}  // namespace sinew::mjcf_test
