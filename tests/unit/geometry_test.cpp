// Shapes and their mass properties.
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
#include "support/shapes.h"

namespace sinew::geometry_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
// Relative: some dozens of roundings.
constexpr double rounding = 1e-13;

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

}  // namespace
}  // namespace sinew::geometry_test
