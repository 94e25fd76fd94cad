// Two algorithms for the convex hull, which have nothing in common, agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/geometry/bounding_volume.h"
#include "sinew/geometry/mass.h"
#include "support/clouds.h"

namespace sinew {
namespace {

std::set<Face> facesOf(const Result<std::vector<Face>>& hull)
{
    std::set<Face> faces;
    if (!hull) return faces;
    for (Face f : hull.value()) {
        std::rotate(f.begin(), std::min_element(f.begin(), f.end()), f.end());
        faces.insert(f);
    }
    return faces;
}

TEST(GiftWrapping, gives_the_same_faces_as_the_hull_of_random_points)
{
    Random random(10);
    for (int trial = 0; trial < 150; ++trial) {
        const Points points = randomPoints(random, 4 + random.below(60), {1, trial % 3 ? 1 : 0.05, 1});
        const auto wrapped = giftWrappedHull(points);
        ASSERT_TRUE(wrapped) << wrapped.error().text();
        EXPECT_EQ(facesOf(wrapped), facesOf(convexHull(points)));
    }
}

TEST(GiftWrapping, agrees_with_the_hull_where_points_share_planes_lines_and_places)
{
    Random random(11);
    for (const Points& points : awkwardClouds(random)) {
        const auto hull = convexHull(points), wrapped = giftWrappedHull(points);
        ASSERT_EQ(static_cast<bool>(hull), static_cast<bool>(wrapped)) << points.size();
        if (!hull) {
            EXPECT_EQ(hull.error().text(), wrapped.error().text());
            continue;
        }
        EXPECT_EQ(hull.value().size(), wrapped.value().size());
        const double v = meshInertia(points, hull.value()).mass;
        EXPECT_NEAR(meshInertia(points, wrapped.value()).mass, v, 1e-9 * v);
    }
}

// Most of these share planes, lines and places with many others, and some have no volume.
TEST(GiftWrapping, agrees_with_the_hull_on_points_of_a_small_lattice)
{
    Random random(12);
    int volumes = 0;
    for (int trial = 0; trial < 1000; ++trial) {
        Points points;
        for (int count = 4 + random.below(12); count > 0; --count)
            points.emplace_back(random.below(3), random.below(3), random.below(3));
        const auto hull = convexHull(points), wrapped = giftWrappedHull(points);
        ASSERT_EQ(static_cast<bool>(hull), static_cast<bool>(wrapped));
        if (!hull) continue;
        ++volumes;
        // Cut into tetrahedra, a lattice polytope's volume is a whole number of sixths.
        const double sixths = 6 * meshInertia(points, hull.value()).mass;
        EXPECT_NEAR(6 * meshInertia(points, wrapped.value()).mass, sixths, 1e-9);
        EXPECT_NEAR(sixths, std::round(sixths), 1e-9);
    }
    EXPECT_GT(volumes, 500);
}

TEST(BoundingHull, of_points_without_a_volume_says_why_there_is_none)
{
    expectSays(boundingHull(Points(5, Vec3(1, 1, 1))).error().text(), {"all points coincide"});
    expectSays(boundingHull({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {5, 5, 5}}).error().text(), {"on one line"});
    expectSays(boundingHull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 2, 0}}).error().text(), {"in one plane"});
}

}  // namespace
}  // namespace sinew
