#include "sinew/math/swing_twist.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "sinew/math/rotation.h"

namespace sinew::swing_twist_test {
namespace {

// E = a σ²/2 + b (τ − 0.3)²/2
SwingTwistSlope slopeOf(const Quat& q, const Vec3& axis)
{
    const SwingTwist angles = swingTwist(q, axis);
    return {3 * angles.swing, 3, 5 * (angles.twist - 0.3), 5};
}
double energyOf(const Quat& q, const Vec3& axis)
{
    const SwingTwist angles = swingTwist(q, axis);
    return 1.5 * angles.swing * angles.swing + 2.5 * (angles.twist - 0.3) * (angles.twist - 0.3);
}
Vec3 gradientOf(const Quat& q, const Vec3& axis)
{
    return swingTwistGradient(q, axis, slopeOf(q, axis));
}

Quat turned(const Vec3& axis, double swing, double twist, double direction)
{
    const Directors across = directorsAcross(axis);
    const Vec3 about = std::cos(direction) * across.first + std::sin(direction) * across.second;
    return expRotation(swing * about) * expRotation(twist * axis);
}

constexpr double swings[] = {0, 1e-9, 1e-4, 0.7, 2, 170 * std::numbers::pi / 180};

TEST(SwingTwist, finds_the_angles_a_rotation_was_made_of)
{
    const Vec3 axis = Vec3(0.2, -0.5, 0.8).normalized();
    for (double swing : swings)
        for (double twist : {-3., -0.4, 0., 1e-7, 2.9}) {
            const SwingTwist found = swingTwist(turned(axis, swing, twist, 0.8), axis);
            EXPECT_NEAR(found.swing, swing, 1e-14);
            EXPECT_NEAR(found.twist, twist, 1e-13);
        }
}

TEST(SwingTwist, gradient_is_the_slope_of_the_energy)
{
    const Vec3 axis = Vec3(0.2, -0.5, 0.8).normalized();
    constexpr double e = 1e-5;
    for (double swing : swings)
        for (double twist : {-2.5, 0., 0.9}) {
            const Quat q = turned(axis, swing, twist, 0.8);
            const Vec3 g = gradientOf(q, axis);
            for (int k = 0; k < 3; ++k) {
                const Vec3 d = e * Vec3::Unit(k);
                const double slope =
                    (energyOf(q * expRotation(d), axis) - energyOf(q * expRotation(-d), axis)) / (2 * e);
                EXPECT_NEAR(g[k], slope, 1e-6 * (1 + g.norm())) << swing << " " << twist;
            }
        }
}

TEST(SwingTwist, hessian_is_the_slope_of_the_gradient)
{
    const Vec3 axis = Vec3(0.2, -0.5, 0.8).normalized();
    constexpr double e = 1e-6;
    for (double swing : swings)
        for (double twist : {-2.5, 0., 0.9}) {
            const Quat q = turned(axis, swing, twist, 0.8);
            const Mat3 H = swingTwistHessian(q, axis, slopeOf(q, axis));
            Mat3 slope;
            for (int k = 0; k < 3; ++k) {
                const Vec3 d = e * Vec3::Unit(k);
                slope.col(k) =
                    (gradientOf(q * expRotation(d), axis) - gradientOf(q * expRotation(-d), axis)) /
                    (2 * e);
            }
            EXPECT_LT((H - slope).norm(), 1e-6 * (1 + H.norm())) << swing << " " << twist;
        }
}

TEST(SwingTwist, is_defined_at_a_half_turn)
{
    const Vec3 axis = Vec3::UnitY();
    for (double direction : {0., 1., 4.}) {
        const Quat q = turned(axis, std::numbers::pi, 0, direction);
        EXPECT_NEAR(swingTwist(q, axis).swing, std::numbers::pi, 0.021);
        // 1/cos(σ/2) times the twist's slope of at most 5 · 0.3, and the swing's.
        EXPECT_LT(gradientOf(q, axis).norm(), 100 * 1.5 + 3 * std::numbers::pi);
        EXPECT_TRUE(swingTwistHessian(q, axis, slopeOf(q, axis)).allFinite());
    }
}

}  // namespace
}  // namespace sinew::swing_twist_test
