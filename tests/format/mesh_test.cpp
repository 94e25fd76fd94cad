// OBJ and STL: what is read, what is refused, and what becomes of it.
#include "sinew/io/mesh/mesh.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "sinew/geometry/mass.h"
#include "sinew/math/trigonometry.h"

namespace sinew::mesh_test {
namespace {

// A unit cube about the origin, quads counter-clockwise from outside.
constexpr const char* cube = R"(# a cube
mtllib cube.mtl
o cube
v -0.5 -0.5 -0.5
v 0.5 -0.5 -0.5
v 0.5 0.5 -0.5
v -0.5 0.5 -0.5
v -0.5 -0.5 0.5
v 0.5 -0.5 0.5
v 0.5 0.5 0.5
v -0.5 0.5 0.5
vt 0 0
vn 0 0 -1
g back
f 1/1/1 4/1/1 3/1/1 2/1/1
g front
f 5//1 6//1 7//1 8//1
g sides
f 1/1 2/1 6/1 5/1
f -6 -5 -1 \
  -2
f -8 -4 -1 -5
f 2 3 7 6
)";

constexpr double rounding = 1e-14;

std::string fault(const Result<MeshFile>& result)
{
    return result ? "" : result.error().text();
}

void append(std::string& bytes, std::uint32_t word)
{
    for (int k = 0; k < 4; ++k) bytes += static_cast<char>(word >> (8 * k));
}

std::string binaryStl(const TriangleMesh& mesh, std::string header = "made by a test")
{
    header.resize(80);
    append(header, static_cast<std::uint32_t>(mesh.faces.size()));
    for (const auto& face : mesh.faces) {
        for (int k = 0; k < 3; ++k) append(header, 0);
        for (int corner : face)
            for (double x : mesh.vertices[corner])
                append(header, std::bit_cast<std::uint32_t>(static_cast<float>(x)));
        header.append(2, '\0');
    }
    return header;
}

std::string textStl(const TriangleMesh& mesh)
{
    std::string text = "solid thing\n";
    for (const auto& face : mesh.faces) {
        text += "  facet normal 0 0 0\n    outer loop\n";
        for (int corner : face) {
            char line[100];
            const Vec3& v = mesh.vertices[corner];
            std::snprintf(line, sizeof line, "      vertex %.9e %.9e %.9e\r\n", v.x(), v.y(), v.z());
            text += line;
        }
        text += "    endloop\n  endfacet\n";
    }
    return text + "endsolid thing\n";
}

TriangleMesh cubeMesh()
{
    return parseObj(cube, "cube.obj").value().mesh;
}

TEST(Obj, polygons_become_fans_and_all_forms_of_corners_are_known)
{
    const Result<MeshFile> file = parseObj(cube, "cube.obj");
    ASSERT_TRUE(file) << fault(file);
    EXPECT_EQ(file.value().mesh.vertices.size(), 8u);
    ASSERT_EQ(file.value().mesh.faces.size(), 12u);
    EXPECT_FALSE(closedMeshFault(file.value().mesh.vertices, file.value().mesh.faces));
    const Inertia solid = meshInertia(file.value().mesh.vertices, file.value().mesh.faces);
    EXPECT_NEAR(solid.mass, 1, rounding);
    EXPECT_NEAR((solid.rotational - Mat3::Identity() / 6).norm(), 0, rounding);
}

TEST(Obj, groups_keep_their_faces_and_what_is_left_out_is_told)
{
    const MeshFile file = parseObj(cube, "cube.obj").value();
    ASSERT_EQ(file.groups.size(), 3u);
    EXPECT_EQ(file.groups[1].name, "front");
    EXPECT_EQ(file.groups[1].first, 2);
    EXPECT_EQ(file.groups[1].count, 2);
    EXPECT_EQ(file.groups[2].count, 8);
    ASSERT_EQ(file.notes.size(), 3u);
    EXPECT_EQ(file.notes[0].text(), "cube.obj:2: materials (mtllib, usemtl) are not taken");
}

TEST(Obj, faults_name_the_line_and_what_would_be_right)
{
    EXPECT_EQ(fault(parseObj("v 0 0 0\nf 1 2 3\n", "a.obj")),
              "a.obj:2: there is no vertex 2 here; 1 are above this line, and indices count from 1 or, "
              "back from the last, from −1");
    EXPECT_EQ(fault(parseObj("v 0 0\n", "a.obj")), "a.obj:1: a vertex needs three numbers");
    EXPECT_EQ(fault(parseObj("v 0 nan 0\n", "a.obj")),
              "a.obj:1: \"nan\" is not a number that a vertex can have");
    EXPECT_EQ(fault(parseObj("v 0 1e999 0\n", "a.obj")),
              "a.obj:1: \"1e999\" is not a number that a vertex can have");
    EXPECT_EQ(fault(parseObj("v 0 0 0\nf 1 1\n", "a.obj")),
              "a.obj:2: a face needs three corners or more, this one has 2");
    EXPECT_EQ(fault(parseObj("v 0 0 0\nf 1/a 1 1\n", "a.obj")),
              "a.obj:2: \"1/a\" is not a corner of a face; it is written v, v/vt, v//vn or v/vt/vn");
    EXPECT_EQ(fault(parseObj("v 0 0 0\nf 0 1 1\n", "a.obj")).substr(0, 36),
              "a.obj:2: there is no vertex 0 here; ");
    EXPECT_EQ(fault(parseObj("", "a.obj")),
              "a.obj: there are no vertices (lines 'v x y z'); is this an OBJ file?");
    EXPECT_EQ(fault(parseObj("\x7f"
                             "ELF\n",
                             "a.obj")),
              "a.obj:1: the line begins with \"\\u007fELF\"; is this an OBJ file?");
}

TEST(Obj, triangles_without_area_are_left_out_and_told)
{
    const MeshFile file =
        parseObj("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\nf 1 1 4\nf 1 2 4\n", "a.obj").value();
    EXPECT_EQ(file.mesh.faces.size(), 1u);
    ASSERT_EQ(file.notes.size(), 1u);
    EXPECT_EQ(file.notes[0].text(), "a.obj:5: triangles without area are left out (2 times)");
}

TEST(Stl, binary_and_text_give_the_same_closed_mesh)
{
    for (const std::string& bytes : {binaryStl(cubeMesh()), textStl(cubeMesh())}) {
        const Result<MeshFile> file = parseStl(bytes, "cube.stl");
        ASSERT_TRUE(file) << fault(file);
        EXPECT_EQ(file.value().mesh.vertices.size(), 8u);  // 36 corners merged
        EXPECT_FALSE(closedMeshFault(file.value().mesh.vertices, file.value().mesh.faces));
        EXPECT_NEAR(meshInertia(file.value().mesh.vertices, file.value().mesh.faces).mass, 1, rounding);
    }
}

TEST(Stl, a_binary_file_that_begins_with_the_word_of_text_is_binary)
{
    const Result<MeshFile> file = parseStl(binaryStl(cubeMesh(), "solid cube"), "cube.stl");
    ASSERT_TRUE(file) << fault(file);
    EXPECT_EQ(file.value().mesh.faces.size(), 12u);
    // Even with something after its end.
    const Result<MeshFile> longer = parseStl(binaryStl(cubeMesh(), "solid cube") + "tail", "cube.stl");
    ASSERT_TRUE(longer) << fault(longer);
    ASSERT_EQ(longer.value().notes.size(), 1u);
    EXPECT_EQ(longer.value().notes[0].text(), "cube.stl: 4 bytes after the last triangle are not taken");
}

TEST(Stl, faults_say_what_is_wrong)
{
    const std::string whole = binaryStl(cubeMesh());
    EXPECT_EQ(fault(parseStl(whole.substr(0, 300), "a.stl")),
              "a.stl: the header promises 12 triangles in 684 bytes, the file has 300; it is cut short, or "
              "no STL file");
    EXPECT_EQ(fault(parseStl("hello", "a.stl")).substr(0, 28), "a.stl: this is no STL file: ");
    EXPECT_EQ(fault(parseStl("solid a\nendsolid a\n", "a.stl")),
              "a.stl: there are no triangles in this STL file");
    const std::string text = textStl(cubeMesh());
    EXPECT_EQ(fault(parseStl(text.substr(0, text.rfind("endsolid")), "a.stl")),
              "a.stl: the file ends within a solid; it is cut short");
    EXPECT_EQ(fault(parseStl("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n", "a.stl")),
              "a.stl:4: a corner needs three finite numbers below 1e30");
    EXPECT_EQ(fault(parseStl("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\n", "a.stl")),
              "a.stl:5: a facet has three corners, this one has 1");
    EXPECT_EQ(fault(parseStl("solid a\nvertex 0 0 0\n", "a.stl")),
              "a.stl:2: \"vertex\" has no place here in an STL file of text");
    std::string nan = whole;
    std::memset(nan.data() + 84 + 12, 0xff, 4);
    EXPECT_EQ(fault(parseStl(nan, "a.stl")),
              "a.stl: a corner of triangle 1 is not a finite number below 1e30");
}

TEST(Stl, a_count_that_lies_takes_no_memory)
{
    std::string bytes(84, '\0');
    std::memset(bytes.data() + 80, 0xff, 4);
    EXPECT_FALSE(parseStl(bytes, "a.stl"));
}

TEST(MeshShape, the_hull_of_a_cube_with_points_inside_is_the_cube)
{
    TriangleMesh mesh = cubeMesh();
    mesh.vertices.push_back({0.1, 0.2, -0.3});
    mesh.faces.push_back({0, 1, 8});
    const Result<HullShape> hull = hullShape(mesh, Vec3(1, 2, 3));
    ASSERT_TRUE(hull) << hull.error().text();
    EXPECT_EQ(hull.value().shape.vertices.size(), 8u);
    EXPECT_EQ(hull.value().leftOut, 0);
    const Result<Shape> checked = checkedShape(hull.value().shape);
    ASSERT_TRUE(checked) << checked.error().text();
    EXPECT_NEAR(unitDensityInertia(checked.value()).mass, 6, 10 * rounding);
}

TEST(MeshShape, of_many_vertices_the_outermost_are_taken_and_the_loss_is_measured)
{
    TriangleMesh ball;
    for (int i = 0; i < 60; ++i)
        for (int k = 0; k < 60; ++k) {
            const double a = 0.05235 * (i + 0.5), b = 0.10471 * k;
            ball.vertices.push_back({sine(a) * cosine(b), cosine(a), sine(a) * sine(b)});
        }
    const Result<HullShape> hull = hullShape(ball);
    ASSERT_TRUE(hull) << hull.error().text();
    EXPECT_LE(hull.value().shape.vertices.size(), static_cast<std::size_t>(maxHullVertices));
    EXPECT_GT(hull.value().leftOut, 0);
    // A thousand points on a sphere are about 0.11 apart; a chord as long leaves 0.0016 outside.
    constexpr double expectedLoss = 0.01;
    EXPECT_LT(hull.value().leftOut, expectedLoss);
}

TEST(MeshShape, a_mirrored_mesh_keeps_its_outside)
{
    const Result<Terrain> ground = meshTerrain(cubeMesh(), Vec3(-1, 1, 1));
    ASSERT_TRUE(ground) << ground.error().text();
    const auto& mesh = std::get<TriangleMesh>(ground.value());
    EXPECT_NEAR(meshInertia(mesh.vertices, mesh.faces).mass, 1, rounding);
    EXPECT_FALSE(meshTerrain(cubeMesh(), Vec3(1, 0, 1)));
    EXPECT_FALSE(hullShape(cubeMesh(), Vec3(1, 0, 1)));
}

TEST(MeshFile, the_ending_of_the_name_decides_and_others_are_refused)
{
    const std::string folder = SINEW_TEST_OUTPUT_DIR;
    std::ofstream(folder + "/mesh_test.OBJ") << cube;
    EXPECT_TRUE(readMesh(folder + "/mesh_test.OBJ"));
    const Result<MeshFile> other = readMesh("mesh.ply");
    EXPECT_EQ(fault(other), "mesh.ply: is not a mesh that can be read; .obj, .stl and .dae can");
    EXPECT_EQ(fault(readMesh("nowhere.obj")), "nowhere.obj: there is no such file");
}

}  // namespace
}  // namespace sinew::mesh_test
