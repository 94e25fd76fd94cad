// The convex hull, and what makes a shape a good one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/geometry/farthest.h"
#include "sinew/geometry/mass.h"
#include "sinew/geometry/shape.h"
#include "sinew/math/rotation.h"
#include "support/sanitized.h"
#include "support/shapes.h"

namespace sinew::hull_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
// Relative: some dozens of roundings.
constexpr double rounding = 1e-13;

// --- The convex hull ------------------------------------------------------------------------------

double volumeOf(const std::vector<Vec3>& points, const std::vector<Face>& faces)
{
    return meshInertia(points, faces).mass;
}

// Every directed edge has its opposite, V − E + F = 2, and no point is outside of any face.
void expectHull(const std::vector<Vec3>& points, const std::vector<Face>& faces, double tolerance)
{
    std::set<std::pair<int, int>> edges;
    std::set<int> used;
    for (const Face& f : faces)
        for (int k = 0; k < 3; ++k) {
            EXPECT_TRUE(edges.emplace(f[k], f[(k + 1) % 3]).second);
            used.insert(f[k]);
        }
    for (const auto& [a, b] : edges) EXPECT_TRUE(edges.contains({b, a}));
    EXPECT_EQ(
        static_cast<int>(used.size()) - static_cast<int>(edges.size()) / 2 + static_cast<int>(faces.size()),
        2);
    double highest = -infinity;
    for (const Face& f : faces) {
        const Vec3 normal = (points[f[1]] - points[f[0]]).cross(points[f[2]] - points[f[0]]).normalized();
        for (const Vec3& p : points) highest = std::max(highest, normal.dot(p - points[f[0]]));
    }
    EXPECT_LT(highest, tolerance);
}

std::set<int> cornersOf(const std::vector<Face>& faces)
{
    std::set<int> corners;
    for (const Face& f : faces) corners.insert(f.begin(), f.end());
    return corners;
}

// What a face's plane may miss a point by, in hulls of size 1: the hull's own ε is 1e-10.
constexpr double hullTolerance = 1e-9;

TEST(Hull, of_a_cube_has_twelve_triangles)
{
    const std::vector<Vec3> cube = boxMesh({1, 1, 1}).vertices;
    const auto hull = convexHull(cube);
    ASSERT_TRUE(hull);
    EXPECT_EQ(hull.value().size(), 12u);
    EXPECT_NEAR(volumeOf(cube, hull.value()), 1, rounding);
    expectHull(cube, hull.value(), hullTolerance);
}

TEST(Hull, leaves_out_points_on_faces_edges_and_doubles_in_any_order_and_pose)
{
    Random random(5);
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<Vec3> points;
        for (int x = -1; x <= 1; ++x)  // corners, middles of edges and faces, the centre
            for (int y = -1; y <= 1; ++y)
                for (int z = -1; z <= 1; ++z) points.push_back(0.5 * Vec3(x, y, z));
        for (int i = 0; i < 8; ++i) points.push_back(points[random.below(27)]);  // doubles
        for (int i = 0; i < 20; ++i) {                                           // more on faces and edges
            Vec3 p(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5));
            p[random.below(3)] = 0.5;
            p[random.below(3)] = -0.5;
            points.push_back(p);
        }
        for (int i = static_cast<int>(points.size()) - 1; i > 0; --i)
            std::swap(points[i], points[random.below(i + 1)]);
        const std::vector<Vec3> straight = points;
        if (trial > 0) {
            const Pose pose{{random.normal(), random.normal(), random.normal()},
                            expRotation({random.normal(), random.normal(), random.normal()})};
            for (Vec3& p : points) p = pose * p;
        }
        const auto hull = convexHull(points);
        ASSERT_TRUE(hull) << hull.error().text();
        EXPECT_EQ(hull.value().size(), 12u);
        EXPECT_NEAR(volumeOf(points, hull.value()), 1, rounding);
        for (int i : cornersOf(hull.value())) EXPECT_EQ(straight[i].cwiseAbs(), Vec3(0.5, 0.5, 0.5));
        expectHull(points, hull.value(), hullTolerance);
    }
}

TEST(Hull, of_random_points_holds_them_all)
{
    Random random(6);
    for (int trial = 0; trial < 100; ++trial) {
        std::vector<Vec3> points;
        const int count = 4 + random.below(150);
        for (int i = 0; i < count; ++i)
            points.emplace_back(random.normal(), random.normal(), random.normal());
        const auto hull = convexHull(points);
        ASSERT_TRUE(hull) << hull.error().text();
        expectHull(points, hull.value(), 10 * hullTolerance);
    }
}

TEST(Hull, of_points_on_a_sphere_uses_them_all)
{
    const std::vector<Vec3> points = sphereMesh(3).vertices;
    const auto hull = convexHull(points);
    ASSERT_TRUE(hull);
    EXPECT_EQ(cornersOf(hull.value()).size(), points.size());
    EXPECT_EQ(hull.value().size(), 2 * points.size() - 4);
    expectHull(points, hull.value(), hullTolerance);
}

TEST(Hull, of_a_grid_of_whole_numbers_has_eight_corners)
{
    std::vector<Vec3> points;
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
            for (int k = 0; k < 6; ++k) points.emplace_back(i, j, k);
    const auto hull = convexHull(points);
    ASSERT_TRUE(hull);
    EXPECT_EQ(hull.value().size(), 12u);
    EXPECT_NEAR(volumeOf(points, hull.value()), 125, 125 * rounding);
}

TEST(Hull, of_a_prism_with_many_sides_keeps_its_flat_ends)
{
    constexpr int sides = 300;
    std::vector<Vec3> points;
    for (int i = 0; i < sides; ++i)
        for (double y : {-1.0, 1.0})
            points.emplace_back(std::cos(2 * pi * i / sides), y, std::sin(2 * pi * i / sides));
    const Quat turn = expRotation({0.4, 0.9, 1.3});
    for (Vec3& p : points) p = turn * p;
    const auto hull = convexHull(points);
    ASSERT_TRUE(hull) << hull.error().text();
    EXPECT_EQ(hull.value().size(), 2u * points.size() - 4);
    EXPECT_NEAR(volumeOf(points, hull.value()), 2 * 0.5 * sides * std::sin(2 * pi / sides), 1e-10);
}

// Seconds that a hull may take here; O(n²) took half a minute.
constexpr double hullPatience = test::isSanitized ? 60 : 8;

TEST(Hull, of_many_points_on_a_sphere_is_found_soon_and_uses_them_all)
{
    Random random(11);
    std::vector<Vec3> points;
    for (int i = 0; i < 40'000; ++i)
        points.push_back(Vec3(random.normal(), random.normal(), random.normal()).normalized());
    const auto start = std::chrono::steady_clock::now();
    const auto hull = convexHull(points);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    ASSERT_TRUE(hull) << hull.error().text();
    EXPECT_LT(taken.count(), hullPatience);
    EXPECT_EQ(hull.value().size(), 2 * points.size() - 4);
}

// Flat ends of so many corners, and points all over them, are what lists of points could grow on.
TEST(Hull, of_many_points_on_flat_faces_is_found_soon)
{
    Random random(12);
    constexpr int sides = 5'000;
    const Quat turn = expRotation({0.4, 0.9, 1.3});
    std::vector<Vec3> points;
    for (int i = 0; i < sides; ++i)
        for (double y : {-1.0, 1.0})
            points.push_back(turn * Vec3(std::cos(2 * pi * i / sides), y, std::sin(2 * pi * i / sides)));
    for (int i = 0; i < 20'000; ++i) {
        const double angle = random.uniform(0, 2 * pi), r = 0.99 * random.uniform(0, 1);
        points.push_back(turn * Vec3(r * std::cos(angle), i % 2 * 2 - 1, r * std::sin(angle)));
    }
    const auto start = std::chrono::steady_clock::now();
    const auto hull = convexHull(points);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    ASSERT_TRUE(hull) << hull.error().text();
    EXPECT_LT(taken.count(), hullPatience);
    EXPECT_EQ(hull.value().size(), 4u * sides - 4);
}

TEST(Hull, farthest_points_are_those_that_trying_all_finds)
{
    Random random(13);
    const auto vector = [&] { return Vec3(random.normal(), random.normal(), random.normal()); };
    for (int trial = 0; trial < 20; ++trial) {
        std::vector<Vec3> points, directions;
        const Vec3 squeeze(1, std::pow(10., -random.below(7)), std::pow(10., -random.below(7)));
        const Quat turn = expRotation(vector());
        for (int i = 0; i < 300; ++i) {
            Vec3 p = vector();
            if (trial % 3 == 1) p.normalize();
            if (trial % 3 == 2)
                for (double& x : p) x = std::round(x);
            points.push_back(turn * p.cwiseProduct(squeeze));
            directions.push_back(i % 3 == 0 ? turn.toRotationMatrix().col(i % 9 / 3).eval()
                                            : vector().normalized());
        }
        const std::vector<int> found = farthestPoints(points, directions);
        for (std::size_t d = 0; d < directions.size(); ++d) {
            double most = -infinity;
            for (const Vec3& p : points) most = std::max(most, directions[d].dot(p));
            EXPECT_NEAR(directions[d].dot(points[found[d]]), most, 1e-12) << trial << " " << d;
        }
    }
}

TEST(Hull, copes_with_noise_of_any_size_on_coplanar_points)
{
    Random random(7);
    for (const double noise : {1e-15, 1e-13, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-4})
        for (int trial = 0; trial < 30; ++trial) {
            std::vector<Vec3> points;
            for (int i = 0; i < 125; ++i)
                points.push_back(Vec3(i % 5, i / 5 % 5, i / 25) +
                                 noise * Vec3(random.normal(), random.normal(), random.normal()));
            const auto hull = convexHull(points);
            ASSERT_TRUE(hull) << noise << ": " << hull.error().text();
            EXPECT_NEAR(volumeOf(points, hull.value()), 64, 64 * 10 * std::max(noise, 2e-6));
            expectHull(points, hull.value(), 2e-5);
        }
}

TEST(Hull, does_not_depend_on_the_unit_of_length)
{
    std::vector<Vec3> points = sphereMesh(2).vertices;
    const auto hull = convexHull(points);
    ASSERT_TRUE(hull);
    for (const double power : {-1000, -100, 100, 1000}) {
        std::vector<Vec3> other;
        for (const Vec3& p : points) other.push_back(std::exp2(power) * p);
        const auto otherHull = convexHull(other);
        ASSERT_TRUE(otherHull) << power;
        EXPECT_EQ(otherHull.value(), hull.value());
    }
}

TEST(Hull, says_why_there_is_none)
{
    const Vec3 o = Vec3::Zero(), x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
    const auto message = [](const std::vector<Vec3>& points) {
        const auto hull = convexHull(points);
        return hull ? std::string("a hull") : hull.error().text();
    };
    expectSays(message({}), {"0 points", "four points"});
    expectSays(message({o, x, y}), {"3 points"});
    expectSays(message({x, x, x, x, x}), {"coincide"});
    expectSays(message({o, x, 2 * x, 3 * x, -x}), {"one line"});
    expectSays(message({o, x, y, x + y, 0.3 * x + 0.1 * y}), {"one plane"});
    expectSays(message({o, x, y, z, Vec3(0, nan, 0)}), {"/4", "finite"});
    expectSays(message({o, x, y, Vec3(0, 0, infinity)}), {"/3", "finite"});
    // The same in a plane that is not along the axes, where nothing is exactly flat.
    const Quat turn = expRotation({0.5, 0.6, 0.7});
    std::vector<Vec3> plane;
    for (int i = 0; i < 30; ++i) plane.push_back(turn * Vec3(i % 6, 1.3 * i / 6, 2));
    expectSays(message(plane), {"one plane"});
}

// --- checkedShape ---------------------------------------------------------------------------------

std::string faultOf(const Shape& shape)
{
    const auto checked = checkedShape(shape);
    return checked ? "" : checked.error().text();
}

TEST(CheckedShape, passes_good_shapes_unchanged)
{
    EXPECT_EQ(faultOf(Sphere{0.1}), "");
    EXPECT_EQ(faultOf(Box{{1, 2, 3}}), "");
    EXPECT_EQ(faultOf(Capsule{0.1, 0}), "");
    EXPECT_EQ(faultOf(Cylinder{0.1, 1}), "");
    EXPECT_EQ(faultOf(Ellipsoid{{1, 2, 3}}), "");
    const auto checked = checkedShape(Capsule{0.25, 2});
    ASSERT_TRUE(checked);
    EXPECT_EQ(std::get<Capsule>(checked.value()).radius, 0.25);
    EXPECT_EQ(std::get<Capsule>(checked.value()).length, 2);
}

TEST(CheckedShape, names_the_size_that_is_wrong_and_what_would_be_right)
{
    for (const double bad : {0.0, -1.0, nan, infinity, -infinity}) {
        expectSays(faultOf(Sphere{bad}), {"/radius: radius is ", "must be a positive number"});
        expectSays(faultOf(Box{{1, bad, 1}}), {"/size/1: "});
        expectSays(faultOf(Capsule{bad, 1}), {"/radius: "});
        expectSays(faultOf(Cylinder{bad, 1}), {"/radius: "});
        expectSays(faultOf(Cylinder{1, bad}), {"/length: "});
        expectSays(faultOf(Ellipsoid{{1, 1, bad}}), {"/radii/2: "});
        if (bad != 0) expectSays(faultOf(Capsule{1, bad}), {"/length: length is ", "must be 0 or more"});
    }
    EXPECT_EQ(faultOf(Sphere{-1}), "/radius: radius is -1, it must be a positive number");
}

TEST(CheckedShape, refuses_sizes_whose_volume_leaves_floating_point)
{
    expectSays(faultOf(Sphere{1e-120}), {"volume"});
    expectSays(faultOf(Sphere{1e120}), {"volume"});
    expectSays(faultOf(Box{{1e200, 1, 1}}), {"inertia"});
}

TEST(CheckedShape, fills_in_the_hull_of_a_mesh_without_faces)
{
    const Mesh box = boxMesh({1, 2, 3});
    const auto checked = checkedShape(ConvexMesh{box.vertices, {}});
    ASSERT_TRUE(checked);
    EXPECT_EQ(std::get<ConvexMesh>(checked.value()).faces.size(), 12u);
    expectSame(unitDensityInertia(checked.value()), unitDensityInertia(Box{{1, 2, 3}}), rounding);
}

TEST(CheckedShape, says_why_a_mesh_has_no_hull)
{
    expectSays(faultOf(ConvexMesh{}), {"/vertices: ", "0 points"});
    expectSays(faultOf(ConvexMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {}}),
               {"/vertices: ", "one plane"});
    expectSays(faultOf(ConvexMesh{{{0, 0, 0}, {1, 0, 0}, {0, nan, 0}, {1, 1, 1}}, {}}),
               {"/vertices/2: ", "finite"});
}

std::string meshFault(const Mesh& mesh)
{
    return faultOf(ConvexMesh{mesh.vertices, mesh.faces});
}

TEST(CheckedShape, passes_a_closed_convex_mesh)
{
    EXPECT_EQ(meshFault(boxMesh({1, 2, 3})), "");
    EXPECT_EQ(meshFault(sphereMesh(3)), "");
    Mesh typed = boxMesh({1, 2, 3});  // turned, and typed with seven digits
    for (Vec3& v : typed.vertices) {
        v = expRotation({0.3, 1, -0.4}) * v;
        for (double& x : v) x = std::round(x * 1e7) / 1e7;
    }
    EXPECT_EQ(meshFault(typed), "");
}

TEST(CheckedShape, refuses_vertices_and_indices_that_make_no_mesh)
{
    Mesh mesh = boxMesh({1, 1, 1});
    mesh.vertices[3].y() = nan;
    expectSays(meshFault(mesh), {"/vertices/3: ", "finite"});
    mesh = boxMesh({1, 1, 1});
    mesh.faces[5] = {0, 8, 1};
    expectSays(meshFault(mesh), {"/faces/5: ", "vertex 8 does not exist", "0 to 7"});
    mesh.faces[5] = {0, -1, 1};
    expectSays(meshFault(mesh), {"/faces/5: ", "vertex -1"});
    mesh.faces[5] = {0, 1, 1};
    expectSays(meshFault(mesh), {"/faces/5: ", "three different vertices", "0, 1, 1"});
    expectSays(meshFault({mesh.vertices, {{0, 1, 2}}}), {"/faces: ", "at least 4 faces, there are 1"});
    expectSays(meshFault({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, mesh.faces}),
               {"/vertices: ", "at least 4 vertices"});
}

TEST(CheckedShape, names_the_edge_of_a_hole)
{
    Mesh mesh = boxMesh({1, 1, 1});
    mesh.faces.erase(mesh.faces.begin());  // 0 2 3
    expectSays(meshFault(mesh), {"/faces/", "not closed", "edge 0-3"});
}

TEST(CheckedShape, names_a_face_that_is_turned_round)
{
    Mesh mesh = boxMesh({1, 1, 1});
    std::swap(mesh.faces[7][0], mesh.faces[7][1]);
    expectSays(meshFault(mesh), {"/faces/", "both run along edge", "opposite directions"});
}

TEST(CheckedShape, refuses_a_mesh_that_is_inside_out)
{
    Mesh mesh = boxMesh({1, 1, 1});
    for (Face& f : mesh.faces) std::swap(f[0], f[1]);
    expectSays(meshFault(mesh), {"/faces: ", "clockwise", "swap"});
}

TEST(CheckedShape, names_the_face_and_the_vertex_of_a_dent)
{
    Mesh mesh = sphereMesh(2);
    mesh.vertices[10] *= 0.8;
    expectSays(meshFault(mesh), {"/faces/", "not convex", "lies outside"});
    mesh = boxMesh({1, 1, 1});
    mesh.vertices.push_back({0, 0, 2});  // belongs to no face
    expectSays(meshFault(mesh), {"not convex", "vertex 8 lies outside"});
    mesh.vertices.back() = {0.1, 0, 0};  // harmless inside
    EXPECT_EQ(meshFault(mesh), "");
}

TEST(CheckedShape, refuses_faces_without_area_and_flat_meshes)
{
    Mesh mesh = boxMesh({1, 1, 1});
    mesh.vertices[3] = mesh.vertices[2];
    expectSays(meshFault(mesh), {"/faces/0: ", "no area"});
    const Mesh flat{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
                    {{0, 1, 2}, {0, 2, 3}, {2, 1, 0}, {3, 2, 0}}};
    EXPECT_NE(meshFault(flat), "");
}

TEST(CheckedShape, refuses_two_surfaces_in_one_mesh)
{
    Mesh twice = boxMesh({1, 1, 1});
    for (int i = 0; i < 12; ++i) {
        const Face f = twice.faces[i];
        twice.faces.push_back({f[0] + 8, f[1] + 8, f[2] + 8});
    }
    const std::vector<Vec3> copy = twice.vertices;
    twice.vertices.insert(twice.vertices.end(), copy.begin(), copy.end());
    expectSays(meshFault(twice), {"/faces: ", "2 times", "once"});
}

}  // namespace
}  // namespace sinew::hull_test
