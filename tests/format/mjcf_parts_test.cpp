// Composites, flexible bodies, built-in meshes, height fields and parts in folders beside: against results
// by hand.
#include <gtest/gtest.h>

#include <filesystem>

#include "format/mjcf_text.h"
#include "sinew/geometry/mass.h"
#include "sinew/geometry/terrain.h"
#include "sinew/io/picture/png.h"
#include "sinew/io/whole_file.h"
#include "sinew/model/model.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/mesh_state.h"

namespace sinew::mjcf_test {
namespace {

// The slope of the end of a cantilever of length l under a load at its end is that of a chain of segments
// with joints of E I / s between them, where all of it lies flat and nothing else bends.
TEST(MjcfParts, a_cable_bends_as_a_beam_does)
{
    const double E = 1e9, r = 0.01, l = 1, force = 0.5;
    const double I = pi / 4 * r * r * r * r;
    const double exact = force * l * l * l / (3 * E * I);  // of the end, 21 mm
    double before = 0;
    for (int parts : {8, 16, 32}) {
        const Imported imported = read(
            "<mujoco><option gravity='0 0 0'/><worldbody><composite type='cable' curve='s' count='" +
            std::to_string(parts + 1) +
            " 1 1' size='1' initial='none'><plugin plugin='mujoco.elasticity.cable'>"
            "<config key='twist' value='4e8'/><config key='bend' value='1e9'/></plugin>"
            "<joint kind='main' damping='1'/><geom type='capsule' size='.01' contype='0' conaffinity='0'/>"
            "</composite></worldbody></mujoco>");
        Description scene = imported.scene;
        ASSERT_EQ(scene.bodies.size(), static_cast<std::size_t>(parts));
        ASSERT_TRUE(scene.joints[1].twistStiffness);
        EXPECT_NEAR(scene.joints[1].stiffness, E * I * parts, 1e-9 * E * I * parts);
        EXPECT_NEAR(*scene.joints[1].twistStiffness, 4e8 * 2 * I * parts, 1e-6);
        ForceDescription load;
        load.body = "B_last";
        load.point = Vec3(1, 0, 0);
        load.force = Vec3(0, -force, 0);
        scene.forces.push_back(load);
        scene.run.step = 1.0 / 60;
        auto simulation = Simulation::create(scene, {});
        ASSERT_TRUE(simulation) << simulation.error().text();
        for (int i = 0; i < 2400; ++i) ASSERT_TRUE(simulation.value().step().ok);
        const State& state = simulation.value().state;
        const int last = simulation.value().model().findBody("B_last");
        const auto& body = state.bodies[static_cast<std::size_t>(last)];
        const Vec3 end = body.position + body.orientation * Vec3(0.5 / parts, 0, 0);
        // The first segment is held, so that the beam is shorter by half a segment.
        const double error = std::abs(-end.y() / exact - 1);
        EXPECT_LT(error, 2.5 / parts);
        if (before > 0) EXPECT_LT(error, 0.7 * before);
        before = error;
    }
}

TEST(MjcfParts, a_cable_follows_its_curve_and_its_neighbours_do_not_touch)
{
    const Imported imported = readWorld(
        "<composite prefix='c' type='cable' curve='cos(s) sin(s) s' count='9 1 1' size='2 .5 2' "
        "offset='1 0 3' initial='free'><geom type='capsule' size='.01'/></composite>");
    const Description& scene = imported.scene;
    ASSERT_EQ(scene.bodies.size(), 8u);
    EXPECT_EQ(scene.bodies.front().name, "cB_first");
    EXPECT_EQ(scene.bodies.back().name, "cB_last");
    EXPECT_EQ(scene.joints.size(), 7u);
    for (int i = 0; i < 8; ++i) {
        const double s = i / 8.0, turn = 2 * pi * s;
        // z up is y up here.
        expectNear(scene.bodies[static_cast<std::size_t>(i)].pose.position,
                   Vec3(1 + 0.5 * std::cos(turn), 3 + 2 * s, -0.5 * std::sin(turn)));
    }
    ASSERT_TRUE(scene.contact);
    EXPECT_GE(scene.contact->ignore.size(), 7u);
    EXPECT_TRUE(compile(scene));
}

TEST(MjcfParts, ropes_hang_on_both_sides_of_their_body_and_loops_are_closed)
{
    for (const char* type : {"rope", "loop"}) {
        const Imported imported =
            readWorld(std::string("<body name='B4' pos='0 0 1'><freejoint/><composite type='") + type +
                      "' count='12 1 1' spacing='.1'><joint kind='main' damping='.1'/>"
                      "<geom type='capsule' size='.01 .04'/></composite></body>");
        Description scene = imported.scene;
        EXPECT_EQ(scene.bodies.size(), 12u);
        EXPECT_EQ(scene.joints.size(), type == std::string("rope") ? 11u : 12u);
        scene.run.step = 1.0 / 60;
        auto simulation = Simulation::create(scene, {});
        ASSERT_TRUE(simulation) << simulation.error().text();
        for (int i = 0; i < 30; ++i) ASSERT_TRUE(simulation.value().step().ok);
    }
}

TEST(MjcfParts, particles_are_free_bodies_in_a_grid)
{
    const Imported imported = readWorld(
        "<composite type='particle' count='2 3 1' spacing='.5' offset='0 0 1'>"
        "<geom size='.1'/></composite>");
    ASSERT_EQ(imported.scene.bodies.size(), 6u);
    EXPECT_TRUE(imported.scene.joints.empty());
    EXPECT_EQ(imported.scene.bodies[5].name, "B1_2_0");
    expectNear(imported.scene.bodies[5].pose.position, Vec3(0.25, 1, -0.5));
}

TEST(MjcfParts, replicates_composites_with_what_refers_to_them)
{
    const Imported imported = readWorld(
        "<replicate count='3' offset='1 0 0'><composite type='cable' curve='s' count='4 1 1' size='.5'>"
        "<geom type='capsule' size='.01'/></composite></replicate><geom type='plane' size='1 1 1'/>");
    EXPECT_EQ(imported.scene.bodies.size(), 9u);
    EXPECT_EQ(imported.scene.joints.size(), 9u);
    EXPECT_TRUE(compile(imported.scene));
}

const SpringMeshDescription& onlyMesh(const Imported& imported)
{
    EXPECT_EQ(imported.scene.meshes.size(), 1u);
    return imported.scene.meshes.front();
}

TEST(MjcfParts, every_form_of_a_flex_is_a_mesh_of_its_mass_and_closed_where_it_should_be)
{
    struct Form {
        const char* words;
        std::size_t points;
        bool isClosed;
    };
    for (const Form& form :
         {Form{"type='grid' count='4 3 1' dim='2'", 12, false},
          Form{"type='grid' count='5' dim='1'", 5, false},
          Form{"type='grid' count='3 4 5' dim='3'", 60, true},
          Form{"type='box' count='4 3 3' dim='2'", 34, true},
          Form{"type='ellipsoid' count='5 5 5' dim='3'", 99, true},
          Form{"type='cylinder' count='4 4 3' dim='2'", 44, true},
          Form{"type='disc' count='5 5 1'", 25, false}, Form{"type='circle' count='7' dim='1'", 7, false},
          Form{"type='direct' dim='3' point='0 0 0 1 0 0 0 1 0 0 0 1' element='0 1 2 3'", 4, true}}) {
        const Imported imported =
            readWorld(std::string("<flexcomp name='f' spacing='.1' mass='2' ") + form.words +
                      "><elasticity young='1e4' thickness='.01' elastic2d='both'/>"
                      "<edge stiffness='5'/></flexcomp>");
        SCOPED_TRACE(form.words);
        const SpringMeshDescription& mesh = onlyMesh(imported);
        EXPECT_EQ(mesh.vertices.size(), form.points);
        EXPECT_EQ(mesh.mass, 2);
        EXPECT_GT(mesh.stiffness, 0);
        if (form.isClosed) {
            EXPECT_FALSE(closedMeshFault(mesh.vertices, mesh.faces).has_value());
            EXPECT_GT(meshInertia(mesh.vertices, mesh.faces).mass, 0);  // outside is outside
        }
        const Result<Model> model = compile(imported.scene);
        ASSERT_TRUE(model) << model.error().text();
        EXPECT_NEAR(model.value().meshes.front().mass(), 2, 1e-12);
    }
}

// A square of cloth that hangs from one side under its own weight, stiff and soft: it stretches by
// ρ g h² / 2E.
TEST(MjcfParts, a_flex_stretches_as_its_material_does)
{
    const double E = 2e5, t = 0.01, mass = 1, side = 1;
    const Imported imported = readWorld(
        "<flexcomp name='f' type='grid' count='11 11 1' spacing='.1 .1 .1' euler='90 0 0' mass='1'>"
        "<elasticity young='2e5' thickness='.01' poisson='0' damping='.05' elastic2d='stretch'/>"
        "<pin gridrange='0 10 10 10'/></flexcomp>");
    Description scene = imported.scene;
    ASSERT_EQ(onlyMesh(imported).pins.size(), 1u);
    EXPECT_EQ(onlyMesh(imported).pins[0].at.vertices.size(), 11u);
    scene.run.step = 1.0 / 30;
    auto simulation = Simulation::create(scene, {});
    ASSERT_TRUE(simulation) << simulation.error().text();
    for (int i = 0; i < 300; ++i) ASSERT_TRUE(simulation.value().step().ok);
    const VecX& x = simulation.value().state.meshes.front().x;
    double low = 0;
    for (int i = 1; i < x.size(); i += 3) low = std::min(low, x[i]);
    // All nodes weigh the same: those of the lower edge twice their share, which makes 10 % more.
    const double exact = mass * 9.81 * side / (2 * E * t * side);
    EXPECT_NEAR((-low - 0.5) / exact, 1.1, 0.15);
}

TEST(MjcfParts, points_of_a_flex_can_be_held_by_name)
{
    const Imported imported = read(
        "<mujoco><worldbody><body name='b' pos='0 0 1'><freejoint/><geom size='.1'/></body>"
        "<flexcomp name='f' type='grid' count='4 4 1' spacing='.1'/></worldbody>"
        "<equality><connect body1='f_0' anchor='0 0 0'/><weld body1='b' body2='f_3'/></equality></mujoco>");
    const SpringMeshDescription& mesh = onlyMesh(imported);
    ASSERT_EQ(mesh.pins.size(), 2u);
    EXPECT_EQ(mesh.pins[0].body, "world");
    EXPECT_EQ(mesh.pins[1].body, "b");
    EXPECT_EQ(mesh.pins[1].at.vertices, std::vector<int>{3});
}

TEST(MjcfParts, built_in_meshes_weigh_what_their_forms_do)
{
    const auto massOf = [](const std::string& mesh, const std::string& before = "") {
        const Imported imported =
            read("<mujoco>" + before + "<asset><mesh name='m' inertia='exact' " + mesh +
                 "</asset><worldbody><body><freejoint/><geom type='sdf' mesh='m' density='1'/></body>"
                 "</worldbody></mujoco>");
        return imported.scene.bodies.empty() ? 0.0 : *imported.scene.bodies[0].mass;
    };
    const double ball = 4 * pi / 3;
    EXPECT_NEAR(massOf("builtin='sphere' params='4'/>"), ball, 0.01 * ball);
    EXPECT_NEAR(massOf("builtin='hemisphere' params='30'/>"), ball / 2, 0.01 * ball);
    EXPECT_NEAR(massOf("builtin='cone' params='100 0'/>"), 2 * pi / 3, 0.01);
    EXPECT_NEAR(massOf("builtin='prism' params='4'/>"), 4, 0.01);
    EXPECT_NEAR(massOf("builtin='supersphere' params='60 1 1' scale='1 2 3'/>"), 6 * ball, 0.03 * ball);
    EXPECT_NEAR(massOf("builtin='supertorus' params='100 .25 1 1'/>"), 2 * pi * pi / 16, 0.01);
    const std::string torus =
        "<extension><plugin plugin='mujoco.sdf.torus'><instance name='t'>"
        "<config key='radius1' value='2'/><config key='radius2' value='.5'/>"
        "</instance></plugin></extension>";
    EXPECT_NEAR(massOf("><plugin instance='t'/></mesh>", torus), pi * pi, 0.15);
    EXPECT_NE(refuseWorld("<body><geom type='mesh' mesh='m'/></body>",
                          "<asset><mesh name='m' builtin='cone' params='2'/></asset>")
                  .find("has no whole number from 3 to 1000 in place 1"),
              std::string::npos);
}

// A ball fits through a ring and into a bowl, as through nothing that is taken for its hull.
TEST(MjcfParts, rings_and_bowls_are_hollow)
{
    const std::string plugins =
        "<extension><plugin plugin='mujoco.sdf.bowl'><instance name='b'>"
        "<config key='radius' value='1'/></instance></plugin></extension><asset>"
        "<mesh name='ring' builtin='supertorus' params='32 .2 1 1'/>"
        "<mesh name='bowl'><plugin instance='b'/></mesh></asset>";
    for (const char* mesh : {"ring", "bowl"}) {
        const Imported imported =
            readWorld(std::string("<geom type='sdf' mesh='") + mesh +
                          "'/><body pos='0 0 1.5'><freejoint/><geom size='.3'/></body>",
                      plugins);
        Description scene = imported.scene;
        scene.run.step = 1.0 / 120;
        auto simulation = Simulation::create(scene, {});
        ASSERT_TRUE(simulation) << simulation.error().text();
        for (int i = 0; i < 120; ++i) ASSERT_TRUE(simulation.value().step().ok);
        const double height = simulation.value().state.bodies[0].position.y();
        if (mesh == std::string("ring"))
            EXPECT_LT(height, -1);  // it fell through
        else
            EXPECT_NEAR(height, -0.69, 0.1);  // it lies on the ground of the bowl
    }
}

// Rows go from far to near in the text, as lines of a picture do.
TEST(MjcfParts, height_fields_are_ground_in_their_place)
{
    const Imported imported = readWorld(
        "<geom type='hfield' hfield='h' pos='0 0 2'/><body><freejoint/><geom size='.1'/></body>",
        "<asset><hfield name='h' nrow='2' ncol='3' size='2 1 .5 .1' elevation='0 4 0  0 0 2'/></asset>");
    ASSERT_EQ(imported.scene.obstacles.size(), 1u);
    const ObstacleDescription& ground = imported.scene.obstacles[0];
    const TriangleMesh* mesh = std::get_if<TriangleMesh>(&ground.terrain);
    ASSERT_NE(mesh, nullptr);
    ASSERT_EQ(mesh->vertices.size(), 6u);
    const auto inWorld = [&](std::size_t i) {
        return ground.position + ground.orientation * mesh->vertices[i];
    };
    expectNear(inWorld(2), Vec3(2, 2.25, 1));  // the near corner: y of −1 is z of 1
    expectNear(inWorld(4), Vec3(0, 2.5, -1));  // the far middle
    for (const auto& f : mesh->faces) {
        const Vec3 normal = (inWorld(f[1]) - inWorld(f[0])).cross(inWorld(f[2]) - inWorld(f[0]));
        EXPECT_GT(normal.y(), 0);
    }
    EXPECT_TRUE(compile(imported.scene));
}

// Two by two pixels of 8 bits: 0 and 255, then 51 and 102; in one stored block.
std::string smallPng()
{
    std::string raw;
    raw += '\0';
    raw += '\0';
    raw += '\xff';
    raw += '\x02';  // less than the line above
    raw += '\x33';
    raw += '\x67';
    std::string zlib("\x78\x01\x01\x06\x00\xf9\xff", 7);
    zlib += raw;
    unsigned a = 1, b = 0;
    for (char c : raw) {
        a = (a + static_cast<unsigned char>(c)) % 65521;
        b = (b + a) % 65521;
    }
    const auto big = [](unsigned n) {
        return std::string{static_cast<char>(n >> 24), static_cast<char>(n >> 16),
                           static_cast<char>(n >> 8), static_cast<char>(n)};
    };
    zlib += big(b << 16 | a);
    const auto chunk = [&](const std::string& name, const std::string& body) {
        return big(static_cast<unsigned>(body.size())) + name + body + big(0);
    };
    return std::string("\x89PNG\r\n\x1a\n") +
           chunk("IHDR", big(2) + big(2) + std::string("\x08\x00\x00\x00\x00", 5)) + chunk("IDAT", zlib) +
           chunk("IEND", "");
}

TEST(MjcfParts, height_fields_come_out_of_pictures_and_of_mujocos_own_files)
{
    const Result<GreyPicture> picture = parsePng(smallPng(), "a.png");
    ASSERT_TRUE(picture) << picture.error().text();
    EXPECT_EQ(picture.value().grey, (std::vector<double>{0, 1, 0.2, 0.4}));
    std::string heights("\x02\x00\x00\x00\x02\x00\x00\x00", 8);
    for (const char* f : {"\x00\x00\x00\x00", "\x00\x00\x80\x3f", "\x00\x00\x00\x00", "\x00\x00\x00\x40"})
        heights += std::string(f, 4);
    const Files files = {{"a.png", smallPng()}, {"b.bin", heights}, {"c.png", "no picture"}};
    const auto heightsOf = [&](const std::string& file) {
        const Imported imported = read(
            "<mujoco><asset><hfield name='h' size='1 1 1 1' file='" + file +
                "'/></asset><worldbody><geom type='hfield' hfield='h'/><body><freejoint/><geom size='.1'/>"
                "</body></worldbody></mujoco>",
            files);
        std::vector<double> z;
        for (const ObstacleDescription& obstacle : imported.scene.obstacles)
            for (const Vec3& v : std::get<TriangleMesh>(obstacle.terrain).vertices) z.push_back(v.z());
        return z;
    };
    EXPECT_EQ(heightsOf("a.png"), (std::vector<double>{0.2, 0.4, 0, 1}));
    EXPECT_EQ(heightsOf("b.bin"), (std::vector<double>{0, 0.5, 0, 1}));
    EXPECT_TRUE(heightsOf("c.png").empty());
    EXPECT_TRUE(heightsOf("none.png").empty());
}

TEST(MjcfParts, what_refers_to_what_is_left_out_is_left_out)
{
    const std::string rest =
        "<body name='a'><freejoint/><geom size='.1'/></body></worldbody><contact>"
        "<exclude body1='a' body2='B3'/></contact><equality><connect body1='a' body2='B7' anchor='0 0 0'/>"
        "</equality><actuator><motor joint='J1'/></actuator></mujoco>";
    const Imported imported =
        read("<mujoco><worldbody><composite type='ellipsoid' count='4 4 4' spacing='.1'/>" + rest);
    EXPECT_TRUE(hasNote(imported, "refers to 'B3', which is not here, and is left out"));
    EXPECT_TRUE(hasNote(imported, "<composite>: of type 'ellipsoid' is left out"));
    // Where nothing was left out it is a slip of the pen.
    EXPECT_NE(refusal("<mujoco><worldbody>" + rest).find("body2=\"B3\" is not a body of this file"),
              std::string::npos);
}

TEST(MjcfParts, reads_parts_from_folders_beside_its_own_and_nothing_else)
{
    namespace fs = std::filesystem;
    const fs::path top = fs::path(SINEW_TEST_OUTPUT_DIR) / "mjcf_beside";
    fs::remove_all(top);
    for (const char* folder : {"a/b/c/d", "a/b/parts", "a/.hidden"}) fs::create_directories(top / folder);
    const std::string model =
        "<mujoco><worldbody><body name='x'><joint/><geom size='.1'/></body>"
        "</worldbody></mujoco>";
    for (const char* file : {"a/part.xml", "a/b/part.xml", "a/b/parts/part.xml", "a/.hidden/part.xml",
                             "a/b/secret", "far.xml"})
        writeWhole((top / file).string(), model);
    fs::create_symlink("../../../far.xml", top / "a/b/parts/link.xml");
    const auto outcome = [&](const std::string& file) {
        const std::string path = (top / "a/b/c/m.xml").string();
        writeWhole(path, "<mujoco><asset><model name='m' file='" + file +
                             "'/></asset><worldbody><attach model='m' prefix='p'/></worldbody></mujoco>");
        const Result<Imported> imported = readMjcf(path);
        return imported ? std::string() : imported.error().message;
    };
    for (const char* good : {"../part.xml", "../parts/part.xml", "../../part.xml", "d/../../part.xml"})
        EXPECT_EQ(outcome(good), "") << good;
    EXPECT_NE(outcome("../../../far.xml").find("leads more than two folders up"), std::string::npos);
    EXPECT_NE(outcome("../secret").find("is not named like a part of a model"), std::string::npos);
    EXPECT_NE(outcome("../../.hidden/part.xml").find("is hidden"), std::string::npos);
    EXPECT_NE(outcome("../parts/link.xml").find("is a link out of"), std::string::npos);
    EXPECT_NE(outcome("/etc/passwd.xml").find("is an absolute path"), std::string::npos);
}

TEST(MjcfParts, refuses_what_is_wrong_with_its_place)
{
    const auto refuses = [](const std::string& world, const char* words) {
        const std::string found = refuseWorld(world);
        EXPECT_NE(found.find(words), std::string::npos) << found;
    };
    refuses("<flexcomp type='grid' count='1 2 3'/>", "<flexcomp>: count=\"1 2 3\" is too small");
    refuses("<flexcomp type='grid' count='1000 1000 1' dim='2'/>", "makes more than 200000 points");
    refuses("<flexcomp type='grid' spacing='0'/>", "spacing=\"0\" must be positive");
    refuses("<flexcomp dim='4'/>", "is not from 1 to 3");
    refuses("<flexcomp type='direct' point='0 0 0' element='0 1 2'/>", "names a point that is not there");
    refuses("<flexcomp><pin id='100'/></flexcomp>", "names a point that is not there");
    refuses("<flexcomp><elasticity poisson='.5'/></flexcomp>", "is not below 0.5");
    refuses("<composite type='cable' curve='s x' count='3' size='1'/>", "is made of other words than");
    refuses("<composite type='cable' count='20000'/>", "is not made of whole numbers from 1 to 10000");
    refuses("<composite type='cable' curve='0' count='3'/>", "has two places in a row that are the same");
    refuses("<composite type='cable' curve='s' size='1' count='600'/>",
            "makes more than 500 bodies in a row");
    refuses("<composite type='rope' count='5' spacing='.1'/>", "is not in a body that is called B");
    refuses("<geom type='hfield' hfield='h'/>", "is not an <hfield> in the <asset>");
}

}  // namespace
}  // namespace sinew::mjcf_test
