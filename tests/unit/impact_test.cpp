#include "sinew/geometry/impact.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/convex_pairs.h"

namespace sinew::impact_test {
namespace {

constexpr double rounding = 1e-12;

SteadyMotion moving(const Vec3& place, const Vec3& velocity, const Vec3& angularVelocity = Vec3::Zero())
{
    return {{place, Quat::Identity()}, velocity, angularVelocity};
}

TEST(Impact, of_a_point_or_a_sphere_on_a_plane_is_height_over_speed)
{
    const HalfSpace floor{Vec3::UnitY(), 1};
    EXPECT_NEAR(pointPlaneImpact(Vec3(5, 4, 2), Vec3(7, -2, 1), floor).value(), 1.5, rounding);
    EXPECT_NEAR(spherePlaneImpact(Vec3(5, 4, 2), 0.5, Vec3(7, -2, 1), floor).value(), 1.25, rounding);
    EXPECT_EQ(spherePlaneImpact(Vec3(0, 1.2, 0), 0.5, Vec3(0, 1, 0), floor).value(), 0);
    EXPECT_FALSE(pointPlaneImpact(Vec3(0, 2, 0), Vec3(1, 0, 0), floor));
    EXPECT_FALSE(pointPlaneImpact(Vec3(0, 2, 0), Vec3(0, 1, 0), floor));
}

TEST(Impact, of_spheres_is_the_first_time_at_which_they_are_their_radii_apart)
{
    const Vec3 o = Vec3::Zero();
    // Head on, past each other, and a graze.
    EXPECT_NEAR(sphereSphereImpact(o, 1, o, Vec3(10, 0, 0), 2, Vec3(-2, 0, 0)).value(), 3.5, rounding);
    EXPECT_NEAR(sphereSphereImpact(o, 2, Vec3(1, 0, 0), Vec3(10, 4, 0), 3, o).value(), 7, rounding);
    EXPECT_NEAR(sphereSphereImpact(o, 2, Vec3(1, 0, 0), Vec3(10, 5, 0), 3, o).value(), 10, rounding);
    EXPECT_FALSE(sphereSphereImpact(o, 2, Vec3(1, 0, 0), Vec3(10, 5.001, 0), 3, o));
    EXPECT_FALSE(sphereSphereImpact(o, 1, o, Vec3(10, 0, 0), 2, Vec3(2, 0, 0)));
    EXPECT_FALSE(sphereSphereImpact(o, 1, o, Vec3(10, 0, 0), 2, o));
    EXPECT_EQ(sphereSphereImpact(o, 1, o, Vec3(2, 0, 0), 2, o).value(), 0);
}

TEST(Impact, by_advancement_is_that_of_the_closed_form)
{
    constexpr double tolerance = 1e-9;
    Random random(1);
    DistanceWork work;
    int hits = 0;
    for (int i = 0; i < 200; ++i) {
        const Vec3 place = random.uniform(1.5, 5) * randomDirection(random);
        const Vec3 velocity = -place.normalized() + 0.3 * randomDirection(random);
        const double a = random.uniform(0.1, 0.7), b = random.uniform(0.1, 0.7);
        const auto wanted = sphereSphereImpact(Vec3::Zero(), a, Vec3::Zero(), place, b, velocity);
        // Turning makes no difference to a sphere, but to the bound that the steps come from.
        const Impact impact = firstImpact(
            Sphere{a}, {}, Sphere{b},
            moving(place, velocity, random.uniform(0, 1) * randomDirection(random)), 20, tolerance, work);
        ASSERT_EQ(impact.outcome == Impact::Outcome::touch, wanted.has_value());
        if (!wanted) continue;
        ++hits;
        // Early by the tolerance over the speed of approach, which is low in a graze.
        EXPECT_LE(impact.time, *wanted + rounding);
        const Vec3 apart = place + *wanted * velocity;
        const double approach = -apart.normalized().dot(velocity);
        EXPECT_GT(impact.time, *wanted - 2 * tolerance / std::max(approach, 1e-3));
    }
    EXPECT_GT(hits, 100);
}

TEST(Impact, of_a_turning_rod_is_when_its_angle_says_so)
{
    // A rod of half length 1 along y turns about z with its middle at the origin; a ball of radius 0.1
    // waits with its centre on the x axis at 0.8. Capsule and ball touch when the distance of the centre
    // from the rod's axis, 0.8 cos θ for an angle θ from y, is 0.1 + 0.2.
    constexpr double tolerance = 1e-8, rate = 0.7;
    DistanceWork work;
    const Impact impact =
        firstImpact(Capsule{0.2, 2}, moving(Vec3::Zero(), Vec3::Zero(), Vec3(0, 0, -rate)), Sphere{0.1},
                    moving(Vec3(0.8, 0, 0), Vec3::Zero()), 10, tolerance, work);
    ASSERT_EQ(impact.outcome, Impact::Outcome::touch);
    const double wanted = std::acos(0.3 / 0.8) / rate;
    EXPECT_LE(impact.time, wanted + rounding);
    EXPECT_GT(impact.time, wanted - 10 * tolerance);
    EXPECT_LT(impact.iterations, 100);
}

TEST(Impact, is_not_later_than_any_overlap_of_tumbling_polyhedra)
{
    constexpr double tolerance = 1e-6;
    Random random(2);
    DistanceWork work;
    int hits = 0, misses = 0;
    for (int i = 0; i < 100; ++i) {
        const ConvexMesh a = randomHull(random, 12), b = randomHull(random, 12);
        const SteadyMotion motionA{randomPose(random, 0), Vec3::Zero(), 2 * randomDirection(random)};
        const Vec3 place = 3 * randomDirection(random);
        const SteadyMotion motionB{{place, Quat::Identity()},
                                   -place.normalized() + 0.4 * randomDirection(random),
                                   2 * randomDirection(random)};
        const Impact impact = firstImpact(a, motionA, b, motionB, 5, tolerance, work);
        ASSERT_NE(impact.outcome, Impact::Outcome::unfinished);
        const bool isHit = impact.outcome == Impact::Outcome::touch;
        ++(isHit ? hits : misses);
        if (isHit) EXPECT_LE(impact.proximity.distance, tolerance);
        const double end = isHit ? impact.time : 5;
        for (int k = 0; k < 100; ++k) {
            const double t = k / 100. * end;
            EXPECT_GT(distance(a, motionA.at(t), b, motionB.at(t), work).distance, 0);
        }
    }
    EXPECT_GT(hits, 10);
    EXPECT_GT(misses, 10);
}

TEST(Impact, of_a_translated_box_is_where_its_swept_face_arrives)
{
    constexpr double tolerance = 1e-9;
    DistanceWork work;
    const Box box{Vec3(1, 1, 1)};
    const Impact impact = firstImpact(box, moving(Vec3::Zero(), Vec3(2, 0, 0)), box,
                                      moving(Vec3(4, 0.3, -0.2), Vec3::Zero()), 10, tolerance, work);
    ASSERT_EQ(impact.outcome, Impact::Outcome::touch);
    EXPECT_NEAR(impact.time, 1.5, tolerance);
    EXPECT_EQ(firstImpact(box, {}, box, moving(Vec3(0.5, 0, 0), Vec3(9, 0, 0)), 1, tolerance, work).time,
              0);
    const Impact none =
        firstImpact(box, {}, box, moving(Vec3(4, 0, 0), Vec3(-1, 0, 0)), 2.9, tolerance, work);
    EXPECT_EQ(none.outcome, Impact::Outcome::none);
}

}  // namespace
}  // namespace sinew::impact_test
