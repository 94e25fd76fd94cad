#include "sinew/geometry/distance.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <tuple>

#include "support/convex_pairs.h"

namespace sinew::distance_test {
namespace {

// What double precision leaves of distances between shapes about a metre in size.
constexpr double exact = 1e-9;
constexpr double rounding = 1e-13;

Proximity query(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB)
{
    DistanceWork work;
    return distance(a, poseA, b, poseB, work);
}

Pose at(double x, double y, double z)
{
    return {Vec3(x, y, z), Quat::Identity()};
}

Pose turned(const Vec3& place, double angle, const Vec3& axis)
{
    return {place, Quat(AngleAxis(angle, axis.normalized()))};
}

// B at a place of its own against A at the origin.
void expectDistance(const Shape& a, const Shape& b, const Pose& poseB, double wanted,
                    double tolerance = rounding)
{
    const Proximity p = query(a, {}, b, poseB);
    EXPECT_NEAR(p.distance, wanted, tolerance);
    EXPECT_NEAR(p.normal.norm(), 1, rounding);
    EXPECT_LT((p.pointB - p.pointA - p.distance * p.normal).norm(), std::max(tolerance, 1e-12));
}

TEST(Distance, of_random_polyhedra_is_that_of_their_nearest_features)
{
    Random random(1);
    DistanceWork work;
    int apart = 0;
    double worst = 0, worstGap = 0;
    while (apart < 1000) {
        const ConvexMesh a = randomHull(random, 50), b = randomHull(random, 50);
        const Pose poseA = randomPose(random, 1), poseB = randomPose(random, random.uniform(0.5, 3));
        const Proximity p = distance(a, poseA, b, poseB, work);
        if (p.distance < 0) continue;
        ++apart;
        const PlacedMesh placedA(a, poseA), placedB(b, poseB);
        worst = std::max(worst, std::abs(p.distance - featureDistance(placedA, placedB)));
        worstGap = std::max(worstGap, p.gap);
        // The normal is that of a slab of this width between the two, which proves them apart.
        EXPECT_NEAR(overlapAlong(placedA, placedB, p.normal), -p.distance, exact);
        EXPECT_LT((p.pointB - p.pointA - p.distance * p.normal).norm(), exact);
    }
    EXPECT_LT(worst, exact);
    std::printf("1000 pairs apart: worst error %.1e, worst gap %.1e\n", worst, worstGap);
}

TEST(Distance, of_polyhedra_in_each_other_is_the_least_overlap_of_all_axes)
{
    constexpr double depthTolerance = 1e-6;
    Random random(2);
    DistanceWork work;
    int inside = 0;
    double worst = 0;
    while (inside < 100) {
        const ConvexMesh a = randomHull(random, 14), b = randomHull(random, 14);
        const Pose poseA = randomPose(random, 1), poseB = randomPose(random, random.uniform(0, 1.5));
        const Proximity p = distance(a, poseA, b, poseB, work);
        if (p.distance >= 0) continue;
        ++inside;
        const PlacedMesh placedA(a, poseA), placedB(b, poseB);
        worst = std::max(worst, std::abs(-p.distance - axisDepth(placedA, placedB)));
        EXPECT_NEAR(overlapAlong(placedA, placedB, p.normal), -p.distance, depthTolerance);
        EXPECT_LT((p.pointB - p.pointA - p.distance * p.normal).norm(), depthTolerance);
    }
    EXPECT_LT(worst, depthTolerance);
    std::printf("100 pairs in each other: worst error of the depth %.1e\n", worst);
}

TEST(Distance, of_spheres_is_that_of_their_centres_less_the_radii)
{
    expectDistance(Sphere{0.5}, Sphere{0.25}, at(3, 4, 0), 4.25);
    expectDistance(Sphere{2}, Sphere{1}, at(0, 0, -1.5), -1.5);
    const Proximity p = query(Sphere{0.5}, at(1, 0, 0), Sphere{0.25}, at(4, 0, 0));
    EXPECT_LT((p.pointA - Vec3(1.5, 0, 0)).norm(), rounding);
    EXPECT_LT((p.pointB - Vec3(3.75, 0, 0)).norm(), rounding);
    EXPECT_LT((p.normal - Vec3::UnitX()).norm(), rounding);
}

TEST(Distance, of_a_sphere_and_a_box_is_known_at_faces_edges_corners_and_inside)
{
    const Box box{Vec3(2, 4, 6)};
    expectDistance(box, Sphere{0.5}, at(2, 0.3, -0.7), 0.5);
    expectDistance(box, Sphere{0.5}, at(1 + 3, 2 + 4, 0.1), 4.5);
    expectDistance(box, Sphere{0.5}, at(1 + 1, 2 + 2, 3 + 2), 2.5);
    expectDistance(box, Sphere{0.5}, at(1.2, 0, 0), -0.3);   // the centre outside
    expectDistance(box, Sphere{0.5}, at(0.9, 0, 0), -0.6);   // and inside
    expectDistance(Sphere{0.5}, box, at(-0.9, 0, 0), -0.6);  // the other way round
    expectDistance(box, Sphere{0.5}, at(0, 0, 0), -1.5);
}

TEST(Distance, of_capsules_is_that_of_their_axes_less_the_radii)
{
    const Capsule a{0.1, 2}, b{0.2, 1};
    const double right = pi / 2;
    expectDistance(a, b, at(1, 0, 0), 0.7);                                              // beside, parallel
    expectDistance(a, b, at(0, 2, 0), 0.2);                                              // in line
    expectDistance(a, b, turned(Vec3(0, 0.3, 0.8), right, Vec3::UnitZ()), 0.5);          // crosswise
    expectDistance(a, b, turned(Vec3(0, 0.3, 0.05), right, Vec3::UnitZ()), 0.05 - 0.3);  // and deep
    expectDistance(a, b, at(3, 1.5 + 4, 0), 4.7);                                        // ends
    // Axes that cross: the way out is across both, by the radii.
    const Proximity p = query(a, {}, b, turned(Vec3(0.2, 0.3, 0), right, Vec3::UnitZ()));
    EXPECT_NEAR(p.distance, -0.3, rounding);
    EXPECT_NEAR(std::abs(p.normal.z()), 1, rounding);
    EXPECT_LT((0.5 * (p.pointA + p.pointB) - Vec3(0, 0.3, 0)).head<2>().norm(), 1e-12);
}

TEST(Distance, of_boxes_is_known_at_faces_edges_and_corners)
{
    const Box a{Vec3(2, 2, 2)}, b{Vec3(1, 1, 1)};
    const double eighth = pi / 4;
    expectDistance(a, b, at(2.5, 0.2, 0.3), 1);
    expectDistance(a, b, at(1.5 + 3, 1.5 + 4, 0), 5);
    expectDistance(a, b, at(1.5 + 1, 1.5 + 2, 1.5 + 2), 3);
    expectDistance(a, b, turned(Vec3(3, 0, 0), eighth, Vec3::UnitZ()), 2 - std::sqrt(0.5));  // edge on face
    // Edge against edge, crosswise, in the direction between x and y.
    const Vec3 slant = Vec3(1, 1, 0).normalized();
    const Quat upright(AngleAxis(eighth, Vec3::UnitZ()));
    const Quat across = upright * Quat(AngleAxis(eighth, Vec3::UnitY()));
    expectDistance(a, b, {4 * slant, across}, 4 - std::sqrt(2) - std::sqrt(0.5));
    expectDistance(a, b, {2 * slant, across}, 2 - std::sqrt(2) - std::sqrt(0.5));  // in each other
    expectDistance(a, b, at(1.4, 0.2, -0.3), -0.1);
    expectDistance(a, b, at(0.3, 0.1, 0.2), -1.2);
    expectDistance(a, a, at(0, 0, 0), -2);
}

TEST(Distance, of_curved_shapes_is_known_along_their_axes)
{
    constexpr double curved = 1e-9;
    const Ellipsoid egg{Vec3(1, 2, 3)};
    const Cylinder can{0.5, 2};
    expectDistance(egg, Sphere{0.5}, at(3, 0, 0), 1.5, curved);
    expectDistance(egg, egg, at(0, 0, 7), 1, curved);
    expectDistance(can, can, at(2, 0, 0), 1, curved);
    expectDistance(can, can, at(0, 3, 0), 1, curved);
    expectDistance(can, Box{Vec3(1, 1, 1)}, at(0.9, 0, 0), -0.1, curved);
    expectDistance(can, Box{Vec3(1, 1, 1)}, at(0, 1.3, 0), -0.2, curved);
    // Round ellipsoids are spheres.
    expectDistance(Ellipsoid{Vec3(1, 1, 1)}, Sphere{1}, at(0, 0.5, 0), -1.5);
}

Shape randomShape(Random& random)
{
    const double x = random.uniform(0.2, 1), y = random.uniform(0.2, 1), z = random.uniform(0.2, 1);
    switch (random.below(6)) {
        case 0:
            return Sphere{x};
        case 1:
            return Box{Vec3(x, y, z)};
        case 2:
            return Capsule{x, y};
        case 3:
            return Cylinder{x, y};
        case 4:
            return Ellipsoid{Vec3(x, y, z)};
        default:
            return randomHull(random, 20);
    }
}

// How far a shape reaches in a direction of length one.
double reachAlong(const Shape& shape, const Pose& pose, const Vec3& n)
{
    const Vec3 local = pose.orientation.conjugate() * n;
    return n.dot(pose.position) + local.dot(coreSupport(shape, local)) + coreMargin(shape);
}

TEST(Distance, of_any_two_shapes_lies_between_its_bounds)
{
    // Curved sides are approached by planes; the gap that is left when no more digits are to be had.
    constexpr double widestGap = 1e-7;
    Random random(6);
    DistanceWork work;
    double worstGap = 0, worstPoint = 0;
    int apart = 0;
    for (int i = 0; i < 3000; ++i) {
        const Shape a = randomShape(random), b = randomShape(random);
        const Pose poseA = randomPose(random, 1), poseB = randomPose(random, random.uniform(0, 2));
        const Proximity p = distance(a, poseA, b, poseB, work);
        const auto overlap = [&](const Vec3& n) {
            return reachAlong(a, poseA, n) + reachAlong(b, poseB, -n);
        };
        worstGap = std::max(worstGap, p.gap);
        apart += p.distance > 0;
        // Apart: a slab between them is as wide as the distance but for the gap, and two points are as
        // near. In each other: no direction leads out on a shorter way, and the normal does lead out.
        EXPECT_NEAR(overlap(p.normal), -p.distance, p.gap + 1e-12);
        EXPECT_LT((p.pointB - p.pointA - p.distance * p.normal).norm(), exact);
        EXPECT_NEAR(p.normal.dot(p.pointA), reachAlong(a, poseA, p.normal), widestGap);
        // The points are on the surfaces, seen by a ball without size.
        for (const auto& [shape, pose, point] :
             {std::tuple(&a, poseA, p.pointA), std::tuple(&b, poseB, p.pointB)}) {
            const Proximity toPoint = distance(*shape, pose, Sphere{0}, {point, Quat::Identity()}, work);
            worstPoint = std::max(worstPoint, std::abs(toPoint.distance));
        }
        for (int k = 0; k < 100 && p.distance < 0; ++k) {
            const Vec3 near = (p.normal + 0.1 * randomDirection(random)).normalized();
            EXPECT_GE(overlap(randomDirection(random)), -p.distance - p.gap - 1e-12);
            EXPECT_GE(overlap(near), -p.distance - p.gap - 1e-12);
        }
    }
    EXPECT_LT(worstGap, widestGap);
    EXPECT_LT(worstPoint, 1e-3);
    EXPECT_GT(apart, 500);
    EXPECT_LT(apart, 2800);
    std::printf("3000 pairs of all shapes, %d apart: widest gap %.1e, points off by %.1e\n", apart,
                worstGap, worstPoint);
}

// Nothing but numbers, and no larger than the scene.
void expectFinite(const Proximity& p, double size)
{
    EXPECT_TRUE(std::isfinite(p.distance) && p.pointA.allFinite() && p.pointB.allFinite());
    EXPECT_NEAR(p.normal.norm(), 1, 1e-12);
    EXPECT_LT(std::abs(p.distance), 4 * size);
    EXPECT_LT(p.gap, 0.01 * size);
}

TEST(Distance, of_odd_shapes_in_odd_places_is_finite)
{
    ConvexMesh needle;
    needle.vertices = {{0, 0, 0}, {1e6, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const Shape shapes[] = {Sphere{1e-6},
                            Sphere{1e6},
                            Box{Vec3(1e6, 1, 1)},
                            Box{Vec3(1, 1e-6, 1)},
                            Capsule{1, 0},
                            Capsule{1e-6, 1},
                            Cylinder{1, 1e-6},
                            Cylinder{1e-6, 1},
                            Ellipsoid{Vec3(1e6, 1, 1)},
                            Ellipsoid{Vec3(1, 1e-6, 1)},
                            checkedShape(needle).value()};
    Random random(3);
    DistanceWork work;
    for (const Shape& a : shapes)
        for (const Shape& b : shapes)
            for (const double offset : {0., 1e-9, 0.5, 1e6}) {
                const double size = reachOf(a) + reachOf(b) + offset;
                expectFinite(distance(a, {}, b, at(offset, 0, 0), work), size);
                const Pose pose = randomPose(random, offset);
                expectFinite(distance(a, {}, b, pose, work), size);
                // In one place, in the same pose, a million metres away.
                const Pose far{Vec3(1e6, -1e6, 1e6), pose.orientation};
                expectFinite(distance(a, far, b, far, work), size);
            }
}

TEST(Distance, of_far_away_shapes_keeps_its_digits)
{
    const double away = 1e6;
    expectDistance(Box{Vec3(1, 1, 1)}, Box{Vec3(1, 1, 1)}, at(away, 0, 0), away - 1, 1e-9);
    const Pose poseA = at(away, away, -away), poseB = at(away + 2, away, -away);
    EXPECT_NEAR(query(Box{Vec3(1, 1, 1)}, poseA, Sphere{0.5}, poseB).distance, 1, rounding);
}

TEST(Distance, near_touch_has_the_right_sign_and_normal)
{
    Random random(4);
    DistanceWork work;
    for (const double apart : {1e-3, 1e-6, 1e-8, 1e-10, -1e-10, -1e-8, -1e-6, -1e-3})
        for (int i = 0; i < 20; ++i) {
            // Two boxes face to face, turned together and shifted along the face.
            const Pose poseA = randomPose(random, 1);
            const Pose poseB = poseA * at(1 + apart, random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4));
            const Proximity p = distance(Box{Vec3(1, 1, 1)}, poseA, Box{Vec3(1, 1, 1)}, poseB, work);
            EXPECT_NEAR(p.distance, apart, 1e-14);
            EXPECT_LT((p.normal - poseA.orientation * Vec3::UnitX()).norm(), 1e-5);
        }
}

TEST(Distance, what_has_no_size_is_refused_before_it_gets_here)
{
    EXPECT_FALSE(checkedShape(Sphere{0}));
    EXPECT_FALSE(checkedShape(Box{Vec3(1, 0, 1)}));
    ConvexMesh flat;
    flat.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    EXPECT_FALSE(checkedShape(flat));
}

TEST(Distance, is_the_same_to_the_bit_whatever_was_asked_before)
{
    Random random(5);
    DistanceWork used;
    for (int i = 0; i < 50; ++i) {
        const ConvexMesh a = randomHull(random, 20), b = randomHull(random, 20);
        const Pose pose = randomPose(random, random.uniform(0, 2));
        const Proximity p = distance(a, {}, b, pose, used), q = query(a, {}, b, pose);
        EXPECT_EQ(p.distance, q.distance);
        EXPECT_EQ(p.normal, q.normal);
        EXPECT_EQ(p.pointA, q.pointA);
    }
}

}  // namespace
}  // namespace sinew::distance_test
