#include "sinew/geometry/contact_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

std::vector<Ball> ballsOf(const Shape& shape)
{
    return contactBalls(checkedShape(shape).value());
}

// How far the balls reach in a direction: what a plane across it sees of them.
double reach(const std::vector<Ball>& balls, const Vec3& direction)
{
    double most = -1e300;
    for (const Ball& ball : balls)
        most = std::max(most, direction.normalized().dot(ball.center) + ball.radius);
    return most;
}

const Vec3 directions[] = {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {1, 2, -3}, {-1, 0.1, 0.2}};

TEST(ContactPoints, of_a_sphere_are_itself)
{
    const std::vector<Ball> balls = ballsOf(Sphere{0.3});
    ASSERT_EQ(balls.size(), 1u);
    EXPECT_EQ(balls[0].center, Vec3(0, 0, 0));
    EXPECT_EQ(balls[0].radius, 0.3);
}

TEST(ContactPoints, of_a_capsule_are_its_caps)
{
    const std::vector<Ball> balls = ballsOf(Capsule{0.1, 0.6});
    ASSERT_EQ(balls.size(), 2u);
    for (const Vec3& n : directions)
        EXPECT_NEAR(reach(balls, n), 0.1 + 0.3 * std::abs(n.normalized().y()), 1e-15);
    EXPECT_EQ(ballsOf(Capsule{0.1, 0}).size(), 1u);
}

TEST(ContactPoints, of_a_box_are_its_corners)
{
    const Vec3 size(0.2, 0.4, 0.8);
    const std::vector<Ball> balls = ballsOf(Box{size});
    ASSERT_EQ(balls.size(), 8u);
    for (const Vec3& n : directions)
        EXPECT_NEAR(reach(balls, n), 0.5 * n.normalized().cwiseAbs().dot(size), 1e-15);
}

TEST(ContactPoints, of_a_cylinder_lie_on_its_rims)
{
    const std::vector<Ball> balls = ballsOf(Cylinder{0.5, 2});
    ASSERT_EQ(balls.size(), 16u);
    for (const Ball& ball : balls) {
        EXPECT_EQ(std::abs(ball.center.y()), 1);
        EXPECT_NEAR(std::hypot(ball.center.x(), ball.center.z()), 0.5, 1e-15);
        EXPECT_EQ(ball.radius, 0);
    }
    EXPECT_NEAR(reach(balls, Vec3(0, 1, 0)), 1, 1e-15);
    EXPECT_NEAR(reach(balls, Vec3(1, 0, 0)), 0.5, 1e-15);
    EXPECT_NEAR(reach(balls, Vec3(1, 0, 1)), 0.5, 1e-15);
}

TEST(ContactPoints, of_an_ellipsoid_lie_on_its_surface)
{
    const Vec3 radii(0.1, 0.2, 0.4);
    const std::vector<Ball> balls = ballsOf(Ellipsoid{radii});
    ASSERT_EQ(balls.size(), 14u);
    for (const Ball& ball : balls) EXPECT_NEAR(ball.center.cwiseQuotient(radii).norm(), 1, 1e-15);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(reach(balls, Vec3::Unit(i)), radii[i]);
    const std::vector<Ball> round = ballsOf(Ellipsoid{Vec3(0.2, 0.2, 0.2)});
    ASSERT_EQ(round.size(), 1u);
    EXPECT_EQ(round[0].radius, 0.2);
}

TEST(ContactPoints, of_a_mesh_are_the_corners_of_its_hull)
{
    ConvexMesh mesh;
    mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.1, 0.1, 0.1}, {0, 0, 1}};  // the fourth is inside
    const std::vector<Ball> balls = ballsOf(mesh);
    ASSERT_EQ(balls.size(), 4u);
    EXPECT_EQ(balls[3].center, Vec3(0, 0, 1));
    EXPECT_EQ(balls[3].radius, 0);
}

}  // namespace
}  // namespace sinew
