// Shapes, their mass properties, and the convex hull.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/geometry/mass.h"
#include "sinew/geometry/shape.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

using Face = std::array<int, 3>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
// Relative: some dozens of roundings.
constexpr double rounding = 1e-13;

struct Mesh {
    std::vector<Vec3> vertices;
    std::vector<Face> faces;
};

Mesh boxMesh(const Vec3& size)
{
    Mesh mesh;
    for (int i = 0; i < 8; ++i)
        mesh.vertices.push_back(0.5 *
                                size.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
    mesh.faces = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                  {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return mesh;
}

// An octahedron, subdivided and pushed out to the unit sphere.
Mesh sphereMesh(int subdivisions)
{
    Mesh mesh{{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
              {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
    for (int level = 0; level < subdivisions; ++level) {
        std::map<std::pair<int, int>, int> middles;
        const auto middle = [&](int a, int b) {
            const auto [entry, isNew] =
                middles.emplace(std::minmax(a, b), static_cast<int>(mesh.vertices.size()));
            if (isNew) mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]).normalized());
            return entry->second;
        };
        std::vector<Face> finer;
        for (const auto& [a, b, c] : mesh.faces) {
            const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
        }
        mesh.faces = finer;
    }
    return mesh;
}

void expectSame(const Inertia& a, const Inertia& b, double relative)
{
    EXPECT_NEAR(a.mass, b.mass, relative * std::abs(b.mass));
    EXPECT_LT((a.center - b.center).norm(), relative * std::cbrt(b.mass) + relative * b.center.norm());
    EXPECT_LT((a.rotational - b.rotational).norm(), relative * b.rotational.norm());
}

// --- Closed forms ---------------------------------------------------------------------------------

TEST(Shape, has_the_name_scene_files_use)
{
    EXPECT_STREQ(shapeName(Sphere{}), "sphere");
    EXPECT_STREQ(shapeName(Box{}), "box");
    EXPECT_STREQ(shapeName(Capsule{}), "capsule");
    EXPECT_STREQ(shapeName(Cylinder{}), "cylinder");
    EXPECT_STREQ(shapeName(Ellipsoid{}), "ellipsoid");
    EXPECT_STREQ(shapeName(ConvexMesh{}), "mesh");
}

TEST(Shape, a_box_is_its_own_mesh_exactly)
{
    const Vec3 size(0.3, 1.7, 0.9);
    const Mesh mesh = boxMesh(size);
    expectSame(meshInertia(mesh.vertices, mesh.faces), unitDensityInertia(Box{size}), rounding);
}

TEST(Shape, a_finer_sphere_mesh_comes_four_times_closer_to_the_sphere)
{
    const Inertia sphere = unitDensityInertia(Sphere{1});
    const auto error = [&](int subdivisions) {
        const Mesh mesh = sphereMesh(subdivisions);
        const Inertia inertia = meshInertia(mesh.vertices, mesh.faces);
        EXPECT_LT((inertia.rotational - inertia.rotational(0, 0) * Mat3::Identity()).norm(), rounding);
        return Vec3(std::abs(inertia.mass - sphere.mass), (inertia.rotational - sphere.rotational).norm(),
                    0);
    };
    const Vec3 coarse = error(4), fine = error(5);
    EXPECT_NEAR(coarse[0] / fine[0], 4, 0.05);  // flat facets: second order
    EXPECT_NEAR(coarse[1] / fine[1], 4, 0.05);
    EXPECT_LT(fine[1], 0.01);
}

TEST(Shape, a_stretched_sphere_mesh_is_an_ellipsoid)
{
    const Vec3 radii(0.5, 2, 1.1);
    // The mesh of the unit sphere lacks a known part of its volume and of ∫x²; a stretch keeps both
    // parts, so they can be put back and the rest must agree.
    Mesh mesh = sphereMesh(4);
    const Inertia ball = meshInertia(mesh.vertices, mesh.faces);
    const double lackingVolume = unitDensityInertia(Sphere{1}).mass / ball.mass;
    const double lackingSecond = unitDensityInertia(Sphere{1}).rotational(0, 0) / ball.rotational(0, 0);
    for (Vec3& v : mesh.vertices) v = v.cwiseProduct(radii);
    const Inertia stretched = meshInertia(mesh.vertices, mesh.faces);
    const Inertia ellipsoid = unitDensityInertia(Ellipsoid{radii});
    EXPECT_NEAR(stretched.mass * lackingVolume, ellipsoid.mass, rounding * ellipsoid.mass);
    EXPECT_LT((stretched.rotational * lackingSecond - ellipsoid.rotational).norm(),
              rounding * ellipsoid.rotational.norm());
}

TEST(Shape, an_ellipsoid_with_equal_radii_is_a_sphere)
{
    expectSame(unitDensityInertia(Ellipsoid{{0.7, 0.7, 0.7}}), unitDensityInertia(Sphere{0.7}), rounding);
}

// A body of revolution about y, cut into slices: disks of radius ρ(y), whose moments are those of a disk.
template <class Radius>
Inertia sliced(double halfHeight, Radius radius)
{
    constexpr int slices = 200000;
    const double dy = 2 * halfHeight / slices;
    double mass = 0, along = 0, across = 0;
    for (int i = 0; i < slices; ++i) {
        const double y = -halfHeight + (i + 0.5) * dy;
        const double r2 = radius(y) * radius(y), dm = pi * r2 * dy;
        mass += dm;
        along += dm * r2 / 2;
        across += dm * (r2 / 4 + y * y);
    }
    return {mass, Vec3::Zero(), Vec3(across, along, across).asDiagonal()};
}
constexpr double sliceTolerance = 1e-9;  // the midpoint rule's own error with 200,000 slices

TEST(Shape, a_capsule_agrees_with_numerical_integration)
{
    for (const double length : {0.0, 0.1, 3.0}) {
        const double r = 0.4;
        const Inertia numeric = sliced(length / 2 + r, [&](double y) {
            const double cap = std::max(0.0, std::abs(y) - length / 2);
            return std::sqrt(r * r - cap * cap);
        });
        expectSame(unitDensityInertia(Capsule{r, length}), numeric, sliceTolerance);
    }
}

TEST(Shape, a_capsule_of_no_length_is_a_sphere)
{
    expectSame(unitDensityInertia(Capsule{0.7, 0}), unitDensityInertia(Sphere{0.7}), rounding);
}

TEST(Shape, a_cylinder_agrees_with_numerical_integration)
{
    expectSame(unitDensityInertia(Cylinder{0.4, 1.5}), sliced(0.75, [](double) { return 0.4; }),
               sliceTolerance);
}

TEST(Shape, long_shapes_are_long_along_y)
{
    for (const Shape& shape : {Shape(Capsule{0.1, 1}), Shape(Cylinder{0.1, 1})}) {
        const Mat3 I = unitDensityInertia(shape).rotational;
        EXPECT_LT(I(1, 1), 0.5 * I(0, 0));
        EXPECT_EQ(I(0, 0), I(2, 2));
    }
}

TEST(Shape, a_mesh_off_the_origin_has_its_center_there)
{
    Mesh mesh = boxMesh({1, 2, 3});
    const Pose pose{{5, -7, 2}, expRotation({0.3, 1, -0.4})};
    for (Vec3& v : mesh.vertices) v = pose * v;
    const auto checked = checkedShape(ConvexMesh{mesh.vertices, mesh.faces});
    ASSERT_TRUE(checked);
    expectSame(unitDensityInertia(checked.value()), unitDensityInertia(Box{{1, 2, 3}}).placed(pose),
               rounding);
}

TEST(ShapeDeathTest, the_inertia_of_a_mesh_that_was_not_checked_is_a_mistake_of_the_program)
{
    EXPECT_DEATH(unitDensityInertia(ConvexMesh{}), "assertion failed");
}

// --- Mass properties ------------------------------------------------------------------------------

TEST(Mass, a_mesh_far_from_the_origin_loses_only_the_digits_of_its_coordinates)
{
    Mesh mesh = boxMesh({1, 2, 3});
    const Vec3 far(1024, -4096, 2048);  // powers of two: the coordinates stay exact
    for (Vec3& v : mesh.vertices) v += far;
    const Inertia inertia = meshInertia(mesh.vertices, mesh.faces);
    EXPECT_LT((inertia.center - far).norm(), rounding);
    EXPECT_LT((inertia.rotational - unitDensityInertia(Box{{1, 2, 3}}).rotational).norm(), rounding);
}

TEST(Mass, a_mesh_need_not_be_convex)
{
    // A box with a box-shaped hole: the hole's faces are turned round.
    Mesh mesh = boxMesh({2, 2, 2});
    Mesh hole = boxMesh({1, 0.5, 0.25});
    for (const Face& f : hole.faces) mesh.faces.push_back({f[0] + 8, f[2] + 8, f[1] + 8});
    mesh.vertices.insert(mesh.vertices.end(), hole.vertices.begin(), hole.vertices.end());
    const Inertia inertia = meshInertia(mesh.vertices, mesh.faces);
    const Inertia outer = unitDensityInertia(Box{{2, 2, 2}}),
                  inner = unitDensityInertia(Box{{1, 0.5, 0.25}});
    EXPECT_NEAR(inertia.mass, outer.mass - inner.mass, rounding);
    EXPECT_LT((inertia.rotational - (outer.rotational - inner.rotational)).norm(), rounding);
}

TEST(Mass, a_mesh_agrees_with_points_strewn_over_a_tetrahedron)
{
    // No symmetry, so that every product of inertia counts.
    const std::vector<Vec3> corners = {{0, 0, 0}, {2, 0.7, 0.9}, {-0.4, 1.5, 1.1}, {0.8, -0.6, 2}};
    const Inertia mesh = meshInertia(corners, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}});
    constexpr int n = 200;  // cells along an edge; points in the middle of the cells that lie inside
    std::vector<Vec3> points;
    for (int i = 0; i < n; ++i)
        for (int j = 0; i + j < n; ++j)
            for (int k = 0; i + j + k < n; ++k)
                points.push_back(
                    ((i + 0.25) * corners[1] + (j + 0.25) * corners[2] + (k + 0.25) * corners[3]) / n);
    const Inertia strewn = withMass(pointsInertia(points, {1.0}), mesh.mass);
    constexpr double strewnTolerance = 2e-2;  // 1/n and the ragged slanted side
    EXPECT_NEAR(mesh.mass, corners[1].dot(corners[2].cross(corners[3])) / 6, rounding);
    EXPECT_LT((mesh.center - 0.25 * (corners[1] + corners[2] + corners[3])).norm(), rounding);
    EXPECT_LT((mesh.rotational - strewn.rotational).norm(), strewnTolerance * mesh.rotational.norm());
    for (const int i : {1, 2, 5})  // or the signs of the products would not be tested
        EXPECT_GT(std::abs(mesh.rotational(i)), 2 * strewnTolerance * mesh.rotational.norm()) << i;
}

// Its centre of mass is not the mean of its corners.
TEST(Mass, a_pyramid_has_its_textbook_inertia)
{
    const double a = 2, b = 3, h = 5, mass = a * b * h / 3;
    const std::vector<Vec3> corners = {
        {-a / 2, 0, -b / 2}, {a / 2, 0, -b / 2}, {a / 2, 0, b / 2}, {-a / 2, 0, b / 2}, {0, h, 0}};
    const Inertia pyramid =
        meshInertia(corners, {{0, 1, 2}, {0, 2, 3}, {1, 0, 4}, {2, 1, 4}, {3, 2, 4}, {0, 3, 4}});
    const double lengthwise = 3 * h * h / 80;
    const Vec3 moments(b * b / 20 + lengthwise, (a * a + b * b) / 20, a * a / 20 + lengthwise);
    expectSame(pyramid, {mass, {0, h / 4, 0}, (mass * moments).asDiagonal()}, rounding);
}

TEST(Mass, two_points_have_the_inertia_of_a_dumbbell)
{
    const Inertia dumbbell = pointsInertia({{1, 0, 0}, {4, 0, 0}}, {2, 1});
    EXPECT_EQ(dumbbell.mass, 3);
    EXPECT_LT((dumbbell.center - Vec3(2, 0, 0)).norm(), rounding);
    EXPECT_LT((dumbbell.rotational - Mat3(Vec3(0, 6, 6).asDiagonal())).norm(), rounding);
}

TEST(Mass, one_mass_stands_for_all_points)
{
    const std::vector<Vec3> points = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    expectSame(pointsInertia(points, {2.0}), pointsInertia(points, {2.0, 2.0, 2.0}), rounding);
}

TEST(Mass, no_points_have_no_mass)
{
    EXPECT_EQ(pointsInertia({}, {1.0}).mass, 0);
}

TEST(MassDeathTest, masses_and_points_must_match)
{
    EXPECT_DEATH(pointsInertia({Vec3::Zero(), Vec3::Zero(), Vec3::Zero()}, {1.0, 2.0}), "assertion failed");
}

TEST(Mass, another_mass_scales_the_inertia_and_keeps_the_center)
{
    const Inertia dumbbell = pointsInertia({{1, 0, 0}, {4, 0, 0}}, {2, 1});
    const Inertia heavy = withMass(dumbbell, 30);
    EXPECT_EQ(heavy.mass, 30);
    EXPECT_EQ(heavy.center, dumbbell.center);
    EXPECT_LT((heavy.rotational - 10 * dumbbell.rotational).norm(), rounding);
}

// --- inertiaFault ---------------------------------------------------------------------------------

Mat3 diagonal(double x, double y, double z)
{
    return Vec3(x, y, z).asDiagonal();
}

void expectSays(const std::string& text, const std::vector<std::string>& parts)
{
    for (const std::string& part : parts)
        EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' should say '" << part << "'";
    EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(InertiaFault, is_empty_for_every_shape_at_every_size_and_in_any_axes)
{
    Random random(3);
    for (const double scale : {1e-6, 1.0, 1e6})
        for (const Shape& shape :
             {Shape(Sphere{scale}), Shape(Box{scale * Vec3(1, 2, 3)}), Shape(Capsule{scale, 5 * scale}),
              Shape(Cylinder{scale, 3 * scale}), Shape(Ellipsoid{scale * Vec3(1, 2, 3)})})
            for (int i = 0; i < 10; ++i) {
                const Pose pose{Vec3::Zero(),
                                expRotation({random.normal(), random.normal(), random.normal()})};
                EXPECT_EQ(inertiaFault(unitDensityInertia(shape).placed(pose).rotational), "");
            }
}

TEST(InertiaFault, is_empty_for_thin_rods_and_flat_plates)
{
    const Pose turned{Vec3::Zero(), expRotation({0.3, 0.7, -1})};
    const Shape thin[] = {Box{{1, 1e-6, 1}}, Box{{1e-5, 1, 1e-5}}, Cylinder{1e-6, 1}, Cylinder{1, 1e-7}};
    for (const Shape& shape : thin)
        EXPECT_EQ(inertiaFault(unitDensityInertia(shape).placed(turned).rotational), "");
    // Point masses in a plane meet the triangle inequality as an equality, up to rounding.
    const Inertia plate = pointsInertia({{0.1, 0.2, 0}, {0.7, 0.3, 0}, {0.4, 0.9, 0}}, {0.3, 0.7, 0.1});
    EXPECT_EQ(inertiaFault(plate.placed(turned).rotational), "");
    EXPECT_EQ(inertiaFault(diagonal(0.083333, 0.041666, 0.125)), "");  // a plate typed with five digits
}

TEST(InertiaFault, names_an_entry_that_is_not_finite)
{
    Mat3 I = diagonal(1, 1, 1);
    I(1, 2) = nan;
    expectSays(inertiaFault(I), {"(2, 3)", "nan", "finite"});
    I(1, 2) = infinity;
    expectSays(inertiaFault(I), {"(2, 3)", "inf"});
}

TEST(InertiaFault, names_the_two_entries_that_differ)
{
    Mat3 I = diagonal(1, 1, 1);
    I(0, 2) = 0.25;
    expectSays(inertiaFault(I), {"not symmetric", "(1, 3) is 0.25", "(3, 1) is 0", "equal"});
    I(2, 0) = 0.25;
    EXPECT_EQ(inertiaFault(I), "");
}

TEST(InertiaFault, gives_the_eigenvalue_that_is_not_positive)
{
    expectSays(inertiaFault(diagonal(1, -2, 1)), {"not positive definite", "is -2", "positive"});
    expectSays(inertiaFault(diagonal(1, 1, 0)), {"not positive definite", "is 0"});
    expectSays(inertiaFault(Mat3::Zero()), {"not positive definite"});
    Mat3 hidden = diagonal(1, 1, 1);  // positive diagonal, eigenvalues −0.5, 1, 2.5
    hidden(0, 1) = hidden(1, 0) = 1.5;
    expectSays(inertiaFault(hidden), {"not positive definite", "is -0.5"});
    const Inertia rod = pointsInertia({{0, 0, 0}, {1, 2, 3}, {2, 4, 6}}, {1.0});  // no thickness at all
    expectSays(inertiaFault(rod.rotational), {"not positive definite"});
}

TEST(InertiaFault, gives_the_moments_that_break_the_triangle_inequality)
{
    expectSays(inertiaFault(diagonal(1, 1, 3)), {"1, 1, 3", "sum of the other two, 2"});
    expectSays(inertiaFault(diagonal(5, 1, 1)), {"1, 1, 5"});
    EXPECT_EQ(inertiaFault(diagonal(1, 1, 2)), "");
    EXPECT_NE(inertiaFault(diagonal(1, 1, 2.001)), "");
}

TEST(InertiaFault, works_for_the_largest_and_smallest_numbers)
{
    EXPECT_EQ(inertiaFault(diagonal(1e300, 1e300, 1.5e300)), "");
    EXPECT_EQ(inertiaFault(diagonal(1e-300, 1e-300, 1.5e-300)), "");
    EXPECT_NE(inertiaFault(diagonal(1e300, 1e300, 3e300)), "");
}

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
        v = (v * 1e7).array().round() / 1e7;
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
}  // namespace sinew
