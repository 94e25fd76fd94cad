// Motions, forces and inertias: what must hold whatever frame they are written in.
#include "sinew/math/spatial.h"

#include <gtest/gtest.h>

#include <vector>

#include "sinew/base/random.h"
#include "sinew/geometry/mass.h"
#include "sinew/math/rotation.h"

namespace sinew::spatial_test {
namespace {

// A few dozen operations on numbers of size 1 to 30.
constexpr double rounding = 1e-13;

class Spatial : public testing::Test {
protected:
    Random random{42};

    Vec3 vec() { return {random.normal(), random.normal(), random.normal()}; }
    Motion motion() { return {vec(), vec()}; }
    Force force() { return {vec(), vec()}; }
    Quat rotation() { return expRotation(vec()); }
    Transform transform() { return {rotation().toRotationMatrix(), vec()}; }
    std::vector<Vec3> points(int count)
    {
        std::vector<Vec3> result;
        for (int i = 0; i < count; ++i) result.push_back(vec());
        return result;
    }
    std::vector<double> masses(int count)
    {
        std::vector<double> result;
        for (int i = 0; i < count; ++i) result.push_back(random.uniform(0.1, 2));
        return result;
    }
};

void expectSame(const Inertia& a, const Inertia& b)
{
    EXPECT_NEAR(a.mass, b.mass, rounding);
    EXPECT_LT((a.center - b.center).norm(), rounding);
    EXPECT_LT((a.rotational - b.rotational).norm(), rounding);
}

TEST_F(Spatial, six_numbers_stand_linear_first)
{
    const Motion m{{1, 2, 3}, {4, 5, 6}};
    const Force f{{1, 2, 3}, {4, 5, 6}};
    const Vec6 row = (Vec6() << 1, 2, 3, 4, 5, 6).finished();
    EXPECT_EQ(m.vector(), row);
    EXPECT_EQ(f.vector(), row);
    EXPECT_EQ(Motion::from(row).angular, Vec3(4, 5, 6));
    EXPECT_EQ(Force::from(row).torque, Vec3(4, 5, 6));
    EXPECT_EQ(power(f, m), row.dot(row));
}

TEST_F(Spatial, arithmetic_is_that_of_six_numbers)
{
    const Motion a = motion(), b = motion();
    EXPECT_EQ((a + b).vector(), a.vector() + b.vector());
    EXPECT_EQ((a - b).vector(), a.vector() - b.vector());
    EXPECT_EQ((a * 3).vector(), a.vector() * 3);
    const Force f = force(), g = force();
    EXPECT_EQ((f + g).vector(), f.vector() + g.vector());
    EXPECT_EQ((f - g).vector(), f.vector() - g.vector());
    EXPECT_EQ((-f).vector(), -f.vector());
    EXPECT_EQ((f * 3).vector(), f.vector() * 3);
    Force sum = f;
    sum += g;
    EXPECT_EQ(sum.vector(), (f + g).vector());
    sum -= g;
    EXPECT_LT((sum - f).vector().norm(), rounding);
}

TEST_F(Spatial, power_is_the_same_in_the_parent_and_in_the_child)
{
    for (int i = 0; i < 100; ++i) {
        const Transform X = transform();
        const Motion inParent = motion();
        const Force inChild = force();
        EXPECT_NEAR(power(X.toParent(inChild), inParent), power(inChild, X.toChild(inParent)), rounding);
    }
}

TEST_F(Spatial, a_transform_gives_the_velocity_of_the_childs_origin)
{
    const Transform X{expRotation({0, pi / 2, 0}).toRotationMatrix(), {2, 0, 0}};
    // Spinning about the parent's y at 3 rad/s, the point at x = 2 moves along −z with 6 m/s; a quarter
    // turn about y takes the child's x to that −z.
    const Motion spinning{Vec3::Zero(), {0, 3, 0}};
    const Motion child = X.toChild(spinning);
    EXPECT_LT((child.linear - Vec3(6, 0, 0)).norm(), rounding);
    EXPECT_LT((child.angular - Vec3(0, 3, 0)).norm(), rounding);
}

TEST_F(Spatial, a_force_cross_is_the_dual_of_a_motion_cross)
{
    for (int i = 0; i < 100; ++i) {
        const Motion v = motion(), m = motion();
        const Force f = force();
        EXPECT_NEAR(power(cross(v, f), m), -power(f, cross(v, m)), rounding);
    }
}

TEST_F(Spatial, motion_cross_is_antisymmetric_and_obeys_jacobi)
{
    const Motion a = motion(), b = motion(), c = motion();
    EXPECT_LT((cross(a, b) + cross(b, a)).vector().norm(), rounding);
    const Motion jacobi = cross(a, cross(b, c)) + cross(b, cross(c, a)) + cross(c, cross(a, b));
    EXPECT_LT(jacobi.vector().norm(), rounding);
}

TEST_F(Spatial, cross_products_are_the_same_in_every_frame)
{
    const Transform X = transform();
    const Motion v = motion(), m = motion();
    const Force f = force();
    EXPECT_LT((X.toChild(cross(v, m)) - cross(X.toChild(v), X.toChild(m))).vector().norm(), rounding);
    EXPECT_LT((X.toParent(cross(X.toChild(v), f)) - cross(v, X.toParent(f))).vector().norm(), rounding);
}

// A frame that moves with velocity v carries m along: after a short time it is m + dt v × m.
TEST_F(Spatial, motion_cross_is_the_rate_of_a_motion_carried_along)
{
    constexpr double dt = 1e-6;
    constexpr double firstOrder = 1e-4;  // second derivatives of size 20, times dt
    const Motion v = motion(), m = motion();
    // The moved frame's numbers for m become outer ones by the inverse of its transform.
    const Mat3 R = expRotation(dt * v.angular).toRotationMatrix();
    const Transform toOuter{R.transpose(), -dt * (R.transpose() * v.linear)};
    const Motion rate = (toOuter.toChild(m) - m) * (1 / dt);
    EXPECT_LT((rate - cross(v, m)).vector().norm(), firstOrder);
}

TEST_F(Spatial, moving_a_wrench_keeps_its_power_on_the_same_motion)
{
    for (int i = 0; i < 20; ++i) {
        const Force f = force();
        const Motion v = motion();
        const Vec3 offset = vec();
        const Motion there{v.linear + v.angular.cross(offset), v.angular};
        EXPECT_NEAR(power(f.at(offset), there), power(f, v), rounding);
    }
}

TEST_F(Spatial, a_pure_force_has_no_torque_where_it_acts)
{
    const Vec3 force(1, -2, 4), point(3, 1, -1);
    const Force atOrigin{force, point.cross(force)};
    EXPECT_LT(atOrigin.at(point).torque.norm(), rounding);
    EXPECT_EQ(atOrigin.at(point).force, force);
    EXPECT_LT((atOrigin.at(point).at(-point) - atOrigin).vector().norm(), rounding);
}

// Σ m (|d|² 1 − d dᵀ), with d from the given point.
Mat3 summedAbout(const Vec3& point, const std::vector<Vec3>& points, const std::vector<double>& masses)
{
    Mat3 sum = Mat3::Zero();
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Mat3 d = tilde(points[i] - point);
        sum -= masses[i] * d * d;
    }
    return sum;
}

TEST_F(Spatial, inertia_about_any_point_is_the_sum_over_the_points_of_the_body)
{
    const auto p = points(9);
    const auto m = masses(9);
    const Inertia body = pointsInertia(p, m);
    EXPECT_LT((body.about(body.center) - body.rotational).norm(), rounding);
    for (int i = 0; i < 20; ++i) {
        const Vec3 point = vec();
        EXPECT_LT((body.about(point) - summedAbout(point, p, m)).norm(), rounding);
    }
}

TEST_F(Spatial, a_placed_inertia_is_that_of_the_placed_points)
{
    const auto p = points(9);
    const auto m = masses(9);
    const Pose pose{vec(), rotation()};
    std::vector<Vec3> placed;
    for (const Vec3& x : p) placed.push_back(pose * x);
    expectSame(pointsInertia(p, m).placed(pose), pointsInertia(placed, m));
}

TEST_F(Spatial, placing_twice_is_placing_by_the_product_of_poses)
{
    const Inertia body = pointsInertia(points(5), masses(5));
    const Pose first{vec(), rotation()}, second{vec(), rotation()};
    expectSame(body.placed(first).placed(second), body.placed(second * first));
    expectSame(body.placed(first).placed(first.inverse()), body);
}

TEST_F(Spatial, the_sum_of_two_inertias_is_that_of_all_the_points)
{
    auto p = points(4);
    auto m = masses(4);
    const auto q = points(6);
    const auto n = masses(6);
    const Inertia sum = pointsInertia(p, m) + pointsInertia(q, n);
    p.insert(p.end(), q.begin(), q.end());
    m.insert(m.end(), n.begin(), n.end());
    expectSame(sum, pointsInertia(p, m));
}

TEST_F(Spatial, nothing_added_to_an_inertia_changes_nothing)
{
    const Inertia body = pointsInertia(points(4), masses(4));
    expectSame(body + Inertia{}, body);
    expectSame(Inertia{} + Inertia{}, Inertia{});
}

// The slides of Parent with their signs put right: I_xy stands for −∫xy dm.
TEST_F(Spatial, the_parallel_axis_formula_of_the_slides_holds_entry_by_entry)
{
    const auto p = points(7);
    const auto m = masses(7);
    const Inertia body = pointsInertia(p, m);
    const Vec3 point = vec();
    const Vec3 offset = body.center - point;
    const double M = body.mass, X = offset.x(), Y = offset.y(), Z = offset.z();
    const Mat3& I = body.rotational;
    Mat3 slides;
    slides << I(0, 0) + M * (Y * Y + Z * Z), I(0, 1) - M * X * Y, I(0, 2) - M * X * Z,  //
        I(0, 1) - M * X * Y, I(1, 1) + M * (X * X + Z * Z), I(1, 2) - M * Y * Z,        //
        I(0, 2) - M * X * Z, I(1, 2) - M * Y * Z, I(2, 2) + M * (X * X + Y * Y);
    EXPECT_LT((slides - summedAbout(point, p, m)).norm(), rounding);
    EXPECT_LT((slides - body.about(point)).norm(), rounding);
    EXPECT_GT(std::abs(M * X * Y), 0.01);  // or the signs would not be tested
}

TEST_F(Spatial, kinetic_energy_of_a_body_is_that_of_its_points)
{
    const auto p = points(8);
    const auto m = masses(8);
    const Inertia body = pointsInertia(p, m);
    const Motion v = motion();  // at the origin
    double ofPoints = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        ofPoints += 0.5 * m[i] * (v.linear + v.angular.cross(p[i])).squaredNorm();
    const Vec3 atCenter = v.linear + v.angular.cross(body.center);
    const double ofBody =
        0.5 * body.mass * atCenter.squaredNorm() + 0.5 * v.angular.dot(body.rotational * v.angular);
    EXPECT_NEAR(ofBody, ofPoints, rounding * ofPoints);
}

}  // namespace
}  // namespace sinew::spatial_test
