// Bounding volumes: they hold what they were built from, they are as tight as they claim, and they never
// reject what overlaps.
#include "sinew/geometry/bounding_volume.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/base/random.h"
#include "sinew/geometry/contact_points.h"
#include "sinew/geometry/mass.h"
#include "sinew/math/rotation.h"
#include "support/clouds.h"
#include "support/shapes.h"

namespace sinew::bounding_volume_test {
namespace {

// Relative: some dozens of roundings.
constexpr double rounding = 1e-13;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// ---- all of them --------------------------------------------------------------------------------

TEST(BoundingVolume, of_every_kind_holds_every_point_without_a_tolerance)
{
    Random random(1);
    std::vector<Points> clouds = awkwardClouds(random);
    for (int trial = 0; trial < 200; ++trial) {
        Vec3 scale = cloudVector(random);
        for (double& x : scale) x = std::exp(x);
        clouds.push_back(randomPoints(random, 1 + random.below(40), scale));
    }
    for (const Points& points : clouds) {
        const auto quick = quickSphere(points), smallest = smallestSphere(points);
        const auto box = boundingBox(points);
        const auto oriented = orientedBox(points);
        const auto slabs = boundingSlabs(points, slabDirections(26));
        const auto hull = boundingHull(points);
        ASSERT_TRUE(quick && smallest && box && oriented && slabs);
        for (const Vec3& p : points) {
            EXPECT_TRUE(contains(quick.value(), p));
            EXPECT_TRUE(contains(smallest.value(), p));
            EXPECT_TRUE(contains(box.value(), p));
            EXPECT_TRUE(contains(oriented.value(), p));
            EXPECT_TRUE(contains(slabs.value(), p));
            if (hull) EXPECT_TRUE(contains(hull.value(), p));
        }
    }
}

TEST(BoundingVolume, of_no_points_or_of_one_that_is_not_finite_is_an_error_that_says_which)
{
    for (const double bad : {nan, infinity}) {
        Points points = cube();
        points[5].y() = bad;
        const std::string where = "/5: point is not finite";
        expectSays(quickSphere(points).error().text(), {where});
        expectSays(smallestSphere(points).error().text(), {where});
        expectSays(boundingBox(points).error().text(), {where});
        expectSays(orientedBox(points).error().text(), {where});
        expectSays(boundingSlabs(points, slabDirections(14)).error().text(), {where});
        expectSays(boundingHull(points).error().text(), {where});
        expectSays(giftWrappedHull(points).error().text(), {where});
    }
    const std::string none = "there are no points";
    expectSays(quickSphere({}).error().text(), {none});
    expectSays(smallestSphere({}).error().text(), {none});
    expectSays(boundingBox(Points{}).error().text(), {none});
    expectSays(orientedBox({}).error().text(), {none});
    expectSays(boundingSlabs({}, slabDirections(6)).error().text(), {none});
    expectSays(boundingHull({}).error().text(), {"there are 0 points"});
    expectSays(boundingSlabs(cube(), {}).error().text(), {"no directions"});
    const Vec3 zero = Vec3::Zero();
    expectSays(boundingSlabs(cube(), std::span(&zero, 1)).error().text(), {"direction", "zero"});
}

// Convex polyhedra are apart exactly if their shadows are on the normal of a face or on a line across an
// edge of each.
bool hullsShareAPoint(const BoundingHull& a, const BoundingHull& b)
{
    const auto edges = [](const BoundingHull& h) {
        Points result;
        for (const auto& f : h.faces)
            for (int k = 0; k < 3; ++k)
                if (f[k] < f[(k + 1) % 3]) result.push_back(h.corners[f[(k + 1) % 3]] - h.corners[f[k]]);
        return result;
    };
    Points axes;
    for (const auto& plane : a.planes) axes.push_back(plane.normal);
    for (const auto& plane : b.planes) axes.push_back(plane.normal);
    for (const Vec3& u : edges(a))
        for (const Vec3& v : edges(b))
            if (u.cross(v).norm() > 1e-9 * u.norm() * v.norm()) axes.push_back(u.cross(v).normalized());
    for (const Vec3& n : axes) {
        double lowA = infinity, highA = -infinity, lowB = infinity, highB = -infinity;
        for (const Vec3& p : a.corners) lowA = std::min(lowA, n.dot(p)), highA = std::max(highA, n.dot(p));
        for (const Vec3& p : b.corners) lowB = std::min(lowB, n.dot(p)), highB = std::max(highB, n.dot(p));
        if (lowA > highB || lowB > highA) return false;
    }
    return true;
}

TEST(BoundingVolume, of_every_kind_never_rejects_hulls_that_overlap_and_hulls_reject_all_others)
{
    Random random(2);
    int apart = 0, together = 0;
    for (int trial = 0; trial < 1500; ++trial) {
        // Every other pair are boxes whose edges may be parallel.
        const bool areBoxes = trial % 2;
        const Points a = areBoxes ? cube() : randomPoints(random, 8),
                     b = areBoxes ? cube() : randomPoints(random, 8);
        Pose poseA = cloudPose(random, 0.8), poseB = cloudPose(random, 0.8);
        if (trial % 4 == 1) poseA.orientation = poseB.orientation = Quat::Identity();
        Points worldA, worldB;
        for (const Vec3& p : a) worldA.push_back(poseA * p);
        for (const Vec3& p : b) worldB.push_back(poseB * p);
        const bool truth = hullsShareAPoint(boundingHull(worldA).value(), boundingHull(worldB).value());
        (truth ? together : apart) += 1;
        EXPECT_EQ(overlaps(boundingHull(a).value(), poseA, boundingHull(b).value(), poseB), truth);
        const auto boxA = moved(poseA, orientedBox(a).value()), boxB = moved(poseB, orientedBox(b).value());
        if (areBoxes) EXPECT_EQ(overlaps(boxA, boxB), truth);  // there they are the hulls
        if (!truth) continue;
        EXPECT_TRUE(overlaps(boxA, boxB));
        EXPECT_TRUE(overlaps(moved(poseA, quickSphere(a).value()), moved(poseB, quickSphere(b).value())));
        EXPECT_TRUE(
            overlaps(moved(poseA, smallestSphere(a).value()), moved(poseB, smallestSphere(b).value())));
        EXPECT_TRUE(overlaps(boundingBox(a, poseA).value(), boundingBox(b, poseB).value()));
        for (const int planes : {6, 14, 18, 26})
            EXPECT_TRUE(overlaps(boundingSlabs(a, slabDirections(planes), poseA).value(),
                                 boundingSlabs(b, slabDirections(planes), poseB).value()));
    }
    EXPECT_GT(apart, 300);
    EXPECT_GT(together, 300);
}

TEST(BoundingVolume, that_touches_another_overlaps_it)
{
    const Points a = cube();
    Points b = a;
    for (Vec3& p : b) p.x() += 2;
    EXPECT_TRUE(overlaps(boundingBox(a).value(), boundingBox(b).value()));
    EXPECT_TRUE(overlaps(orientedBox(a).value(), orientedBox(b).value()));
    EXPECT_TRUE(overlaps(boundingHull(a).value(), {}, boundingHull(b).value(), {}));
    const auto directions = slabDirections(26);
    EXPECT_TRUE(overlaps(boundingSlabs(a, directions).value(), boundingSlabs(b, directions).value()));
    EXPECT_TRUE(overlaps(BoundingSphere{{0, 0, 0}, 1}, BoundingSphere{{3, 0, 0}, 2}));
    EXPECT_FALSE(overlaps(BoundingSphere{{0, 0, 0}, 1}, BoundingSphere{{3.001, 0, 0}, 2}));
}

// ---- spheres ------------------------------------------------------------------------------------

// The smallest radius over all spheres that two, three or four of the points span and that hold the rest.
double smallestRadiusByTrial(const Points& points)
{
    const int n = static_cast<int>(points.size());
    double best = infinity;
    const auto offer = [&](const Vec3& center) {
        double radius = 0;
        for (const Vec3& p : points) radius = std::max(radius, (p - center).norm());
        best = std::min(best, radius);
    };
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j) {
            offer(0.5 * (points[i] + points[j]));
            for (int k = j + 1; k < n; ++k) {
                const Vec3 a = points[j] - points[i], b = points[k] - points[i];
                Mat3 m;
                m << a.transpose(), b.transpose(), a.cross(b).transpose();
                offer(points[i] + m.inverse() * Vec3(a.squaredNorm() / 2, b.squaredNorm() / 2, 0));
                for (int l = k + 1; l < n; ++l) {
                    const Vec3 c = points[l] - points[i];
                    m.row(2) = c.transpose();
                    const Vec3 squares(a.squaredNorm(), b.squaredNorm(), c.squaredNorm());
                    offer(points[i] + m.inverse() * squares / 2);
                }
            }
        }
    return best;
}

TEST(BoundingSphere, the_smallest_one_is)
{
    Random random(3);
    for (int trial = 0; trial < 300; ++trial) {
        const Points points = randomPoints(random, 4 + random.below(7), {1, 1, trial % 3 ? 1 : 0.01});
        const double smallest = smallestRadiusByTrial(points);
        EXPECT_NEAR(smallestSphere(points).value().radius, smallest, 1e-11 * smallest);
        EXPECT_GE(quickSphere(points).value().radius, smallest * (1 - rounding));
    }
}

// Clouds on one sphere, doubled and shaken by last places: any four points span it, well or badly.
TEST(BoundingSphere, the_smallest_one_bears_doubles_and_points_on_one_sphere)
{
    Random random(4);
    for (const double noise : {0., 1e-16, 1e-14, 1e-12, 1e-10, 1e-8})
        for (int trial = 0; trial < 60; ++trial) {
            const Points& base =
                trial % 2 ? sphereMesh(2).vertices : boxMesh(Vec3::Constant(2 / std::sqrt(3.))).vertices;
            const Pose pose = cloudPose(random, 5);
            Points points;
            for (int copy = 0; copy < 3; ++copy)
                for (const Vec3& p : base) points.push_back(pose * Vec3(p + noise * cloudVector(random)));
            const BoundingSphere sphere = smallestSphere(points).value();
            EXPECT_NEAR(sphere.radius, 1, 10 * noise + 1e-11);
            EXPECT_LT((sphere.center - pose.position).norm(), 10 * noise + 1e-6);
        }
}

TEST(BoundingSphere, of_points_in_a_plane_a_line_or_a_place_is_right)
{
    EXPECT_EQ(smallestSphere({{1, 2, 3}, {1, 2, 3}}).value().radius, 0);
    EXPECT_NEAR(smallestSphere({{0, 0, 0}, {1, 1, 1}, {3, 3, 3}, {2, 2, 2}}).value().radius,
                1.5 * std::sqrt(3.), rounding);
    EXPECT_NEAR(smallestSphere({{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {2, 2, 0}}).value().radius, std::sqrt(2.),
                rounding);
}

TEST(BoundingSphere, the_quick_one_is_at_most_a_quarter_larger_on_random_points)
{
    Random random(5);
    for (int trial = 0; trial < 200; ++trial) {
        const Points points = randomPoints(random, 100);
        EXPECT_LT(quickSphere(points).value().radius, 1.25 * smallestSphere(points).value().radius);
    }
}

// ---- boxes --------------------------------------------------------------------------------------

TEST(OrientedBox, of_a_turned_box_is_that_box)
{
    Random random(6);
    for (int trial = 0; trial < 100; ++trial) {
        const Pose pose = cloudPose(random, 2);
        Points points;
        for (const Vec3& p : boxMesh({1, 2, 5}).vertices) points.push_back(pose * p);
        // More points on one face must not turn it.
        for (int i = 0; i < 50; ++i)
            points.push_back(pose * Vec3(0.5, random.uniform(0, 1), random.uniform(0, 2.5)));
        EXPECT_NEAR(volume(orientedBox(points).value()), 10, 1e-10);
    }
}

TEST(OrientedBox, of_points_without_a_volume_has_none_either)
{
    Random random(7);
    for (int trial = 0; trial < 20; ++trial) {
        const Pose pose = cloudPose(random, 2);
        Points plane, line;
        for (int i = 0; i < 20; ++i) {
            plane.push_back(pose * Vec3(random.normal(), 0, random.normal()));
            line.push_back(pose * Vec3(random.normal(), 0, 0));
        }
        EXPECT_LT(orientedBox(plane).value().half.minCoeff(), 1e-13);
        Vec3 half = orientedBox(line).value().half;
        std::sort(half.begin(), half.end());
        EXPECT_LT(half[1], 1e-13);
    }
    EXPECT_EQ(orientedBox(Points(3, Vec3(1, 2, 3))).value().half, Vec3::Zero());
}

// Points all over the surface of each shape.
TEST(BoundingBox, of_a_shape_holds_it_and_every_side_touches_it)
{
    Random random(8);
    ConvexMesh mesh;
    mesh.vertices = randomPoints(random, 20);
    const std::vector<Shape> shapes = {Sphere{0.7},          Box{{1, 2, 3}},
                                       Capsule{0.3, 2},      Cylinder{0.6, 1.5},
                                       Ellipsoid{{1, 2, 3}}, checkedShape(mesh).value()};
    for (const Shape& shape : shapes)
        for (int trial = 0; trial < 50; ++trial) {
            const Pose pose = trial ? cloudPose(random, 2) : Pose{};
            const BoundingBox box = boundingBox(shape, pose);
            // The farthest point along ±axis, each kind by its own argument.
            for (int axis = 0; axis < 3; ++axis)
                for (const double sign : {-1., 1.}) {
                    const Vec3 n = pose.orientation.conjugate() * Vec3(sign * Vec3::Unit(axis));
                    Vec3 top;
                    if (const auto* s = std::get_if<Sphere>(&shape)) top = s->radius * n;
                    if (const auto* s = std::get_if<Capsule>(&shape))
                        top = s->radius * n + Vec3(0, n.y() > 0 ? s->length / 2 : -s->length / 2, 0);
                    if (const auto* s = std::get_if<Cylinder>(&shape)) {
                        const Vec3 side(n.x(), 0, n.z());
                        top = s->radius * (side.norm() > 0 ? Vec3(side.normalized()) : Vec3::Zero());
                        top.y() = n.y() > 0 ? s->length / 2 : -s->length / 2;
                    }
                    if (const auto* s = std::get_if<Ellipsoid>(&shape)) {
                        const Vec3 scaled = s->radii.cwiseProduct(n);
                        top = s->radii.cwiseProduct(scaled.normalized());
                    }
                    if (shape.index() == 1 || shape.index() == 5) {
                        top = contactBalls(shape)[0].center;
                        for (const Ball& b : contactBalls(shape))
                            if (n.dot(b.center) > n.dot(top)) top = b.center;
                    }
                    const double side = sign > 0 ? box.high[axis] : box.low[axis];
                    EXPECT_NEAR((pose * top)[axis], side, 20 * rounding) << shapeName(shape);
                }
        }
}

// ---- slabs --------------------------------------------------------------------------------------

TEST(BoundingSlabs, of_few_and_many_planes_have_the_volumes_known)
{
    // The octahedron |x| + |y| + |z| ≤ 1: 14 planes are it, of volume 4/3.
    const Points octahedron = sphereMesh(0).vertices;
    EXPECT_NEAR(volume(boundingSlabs(octahedron, slabDirections(6)).value()), 8, rounding * 8);
    EXPECT_NEAR(volume(boundingSlabs(octahedron, slabDirections(14)).value()), 4. / 3, rounding);
    // 18 planes cut it to the rhombic dodecahedron |x| + |y| ≤ 1, …, of volume 2.
    EXPECT_NEAR(volume(boundingSlabs(octahedron, slabDirections(18)).value()), 2, rounding * 8);
    EXPECT_NEAR(volume(boundingSlabs(octahedron, slabDirections(26)).value()), 4. / 3, rounding);
    const Points flat = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    EXPECT_NEAR(volume(boundingSlabs(flat, slabDirections(26)).value()), 0, rounding);
    const Vec3 open[] = {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    EXPECT_EQ(volume(boundingSlabs(cube(), open).value()), infinity);
    const Vec3 skew[] = {{2, 0, 0}, {3, 3, 0}, {0, 0, 1}};  // a sheared cube of height 2, length and width
    EXPECT_NEAR(volume(boundingSlabs(cube(), skew).value()), 2 * 2 * 4, rounding * 16);
}

TEST(BoundingSlabs, of_more_planes_are_never_larger_and_never_smaller_than_the_hull)
{
    Random random(9);
    for (int trial = 0; trial < 100; ++trial) {
        const Points points = randomPoints(random, 30, {1, 2, 0.3});
        const Pose pose = cloudPose(random, 3);
        const auto of = [&](int planes) {
            return volume(boundingSlabs(points, slabDirections(planes), pose).value());
        };
        const double box = volume(boundingBox(points, pose).value()),
                     hull = volume(boundingHull(points).value());
        EXPECT_NEAR(of(6), box, rounding * box);
        EXPECT_LE(of(14), of(6) * (1 + rounding));
        EXPECT_LE(of(18), of(6) * (1 + rounding));
        EXPECT_LE(of(26), std::min(of(14), of(18)) * (1 + rounding));
        EXPECT_GE(of(26), hull);
    }
}

}  // namespace
}  // namespace sinew::bounding_volume_test
