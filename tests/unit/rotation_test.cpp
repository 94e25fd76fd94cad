// exp and log of rotations, their Jacobians, and the small helpers beside them.
#include "sinew/math/rotation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sinew/base/random.h"

namespace sinew::rotation_test {
namespace {

// A handful of roundings in numbers of size 1 to π.
constexpr double rounding = 4e-15;
// Central differences with step 1e-5: truncation 1e-10, rounding 1e-11; near π the second
// derivatives of log are larger.
constexpr double differenceStep = 1e-5;
constexpr double differenceTolerance = 1e-7;

const std::vector<double> anglesUpToPi = {0, 1e-12, 1e-8, 1e-3, 1, 3, pi - 1e-6, pi - 1e-12, pi};

Vec3 randomAxis(Random& random)
{
    return Vec3(random.normal(), random.normal(), random.normal()).normalized();
}

Quat randomRotation(Random& random)
{
    return Quat(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
}

double difference(const Mat3& a, const Mat3& b)
{
    return (a - b).cwiseAbs().maxCoeff();
}

TEST(Rotation, exp_agrees_with_the_angle_and_axis_of_eigen)
{
    Random random(1);
    for (double angle : anglesUpToPi) {
        const Vec3 axis = randomAxis(random);
        const Mat3 ours = expRotation(angle * axis).toRotationMatrix();
        EXPECT_LT(difference(ours, AngleAxis(angle, axis).toRotationMatrix()), rounding) << angle;
    }
}

TEST(Rotation, exp_gives_unit_quaternions)
{
    Random random(2);
    for (double angle : {0.0, 1e-160, 1e-9, 0.0999, 0.1001, 1.0, 3.0, 6.0, 50.0})
        EXPECT_NEAR(expRotation(angle * randomAxis(random)).norm(), 1, rounding) << angle;
}

TEST(Rotation, log_undoes_exp_up_to_pi)
{
    Random random(3);
    for (double angle : anglesUpToPi)
        for (int i = 0; i < 20; ++i) {
            const Vec3 phi = angle * randomAxis(random);
            const Vec3 back = logRotation(expRotation(phi));
            // At π itself rounding decides between φ and −φ, which are the same rotation.
            const double error = std::min((back - phi).norm(), angle == pi ? (back + phi).norm() : 10);
            // Relative to the angle, so that small rotations keep their digits.
            EXPECT_LE(error, rounding * angle) << "angle " << angle;
        }
}

TEST(Rotation, exp_undoes_log_for_any_quaternion_and_its_negative)
{
    Random random(4);
    for (int i = 0; i < 200; ++i) {
        const Quat q = randomRotation(random);
        const Quat negative(-q.w(), -q.x(), -q.y(), -q.z());
        EXPECT_LE(logRotation(q).norm(), pi + rounding);
        EXPECT_EQ(logRotation(q), logRotation(negative));
        EXPECT_LT(difference(expRotation(logRotation(q)).toRotationMatrix(), q.toRotationMatrix()),
                  rounding);
    }
}

TEST(Rotation, log_survives_the_smallest_numbers)
{
    const Vec3 phi(1e-160, -2e-200, 0);
    EXPECT_EQ(logRotation(expRotation(phi)), phi);
    EXPECT_EQ(logRotation(Quat::Identity()), Vec3::Zero());
}

const std::vector<double> jacobianAngles = {0, 1e-9, 1e-4, 0.05, 0.0999, 0.1001, 1, 2, 3, pi - 1e-3};

TEST(Rotation, left_jacobian_agrees_with_finite_differences_of_exp)
{
    Random random(5);
    for (double angle : jacobianAngles) {
        const Vec3 phi = angle * randomAxis(random);
        const Quat back = expRotation(phi).conjugate();
        Mat3 numeric;  // exp(φ + δ) = exp(J δ) exp(φ)
        for (int k = 0; k < 3; ++k) {
            const Vec3 step = differenceStep * Vec3::Unit(k);
            numeric.col(k) = (logRotation(expRotation(phi + step) * back) -
                              logRotation(expRotation(phi - step) * back)) /
                             (2 * differenceStep);
        }
        EXPECT_LT(difference(leftJacobian(phi), numeric), differenceTolerance) << angle;
        EXPECT_LT(difference(rightJacobian(phi), numeric.transpose()), differenceTolerance) << angle;
    }
}

// d log(exp(δ) exp(φ))/dδ, or with δ on the other side.
Mat3 numericLogJacobian(const Vec3& phi, bool onTheRight)
{
    const Quat q = expRotation(phi);
    const auto turned = [&](const Vec3& delta) {
        return logRotation(onTheRight ? q * expRotation(delta) : expRotation(delta) * q);
    };
    Mat3 numeric;
    for (int k = 0; k < 3; ++k) {
        const Vec3 step = differenceStep * Vec3::Unit(k);
        numeric.col(k) = (turned(step) - turned(-step)) / (2 * differenceStep);
    }
    return numeric;
}

TEST(Rotation, inverse_jacobians_agree_with_finite_differences_of_log)
{
    Random random(6);
    for (double angle : jacobianAngles) {
        const Vec3 phi = angle * randomAxis(random);
        EXPECT_LT(difference(leftJacobianInverse(phi), numericLogJacobian(phi, false)), differenceTolerance)
            << angle;
        EXPECT_LT(difference(rightJacobianInverse(phi), numericLogJacobian(phi, true)), differenceTolerance)
            << angle;
    }
}

TEST(Rotation, jacobian_times_its_inverse_is_one)
{
    Random random(7);
    std::vector<double> angles = jacobianAngles;
    angles.insert(angles.end(), {pi - 1e-12, pi, 4, 5});
    for (double angle : angles) {
        const Vec3 phi = angle * randomAxis(random);
        // Near 2π the inverse grows, and its rounding with it.
        const double tolerance = rounding * std::max(1.0, leftJacobianInverse(phi).norm());
        EXPECT_LT(difference(leftJacobian(phi) * leftJacobianInverse(phi), Mat3::Identity()), tolerance)
            << angle;
        EXPECT_LT(difference(rightJacobianInverse(phi) * rightJacobian(phi), Mat3::Identity()), tolerance)
            << angle;
    }
}

TEST(Rotation, jacobians_are_tied_to_the_rotation_itself)
{
    Random random(8);
    for (double angle : jacobianAngles) {
        const Vec3 phi = angle * randomAxis(random);
        const Mat3 R = expRotation(phi).toRotationMatrix();
        EXPECT_LT(difference(leftJacobian(phi), R * rightJacobian(phi)), rounding) << angle;
        EXPECT_LT(difference(R - Mat3::Identity(), tilde(phi) * leftJacobian(phi)), rounding) << angle;
    }
}

// The series stops at θ = 0.1. One ulp apart, the two formulas must differ by rounding only.
TEST(Rotation, series_and_closed_forms_meet_without_a_step)
{
    constexpr double meetingTolerance = 1e-15;
    const double threshold = 0.1;
    const Vec3 axis = Vec3(1, -2, 0.5).normalized();
    const Vec3 below = threshold * (1 - 1e-14) * axis, above = threshold * (1 + 1e-14) * axis;
    EXPECT_LT((expRotation(below).coeffs() - expRotation(above).coeffs()).norm(), 2 * meetingTolerance);
    EXPECT_LT(difference(leftJacobian(below), leftJacobian(above)), 2 * meetingTolerance);
    EXPECT_LT(difference(leftJacobianInverse(below), leftJacobianInverse(above)), 2 * meetingTolerance);
}

TEST(Rotation, inverse_jacobian_matches_the_form_with_kappa_of_the_equations_page)
{
    Random random(9);
    for (double angle : {0.2, 1.0, 2.5, 3.1}) {
        const Vec3 u = randomAxis(random);
        const double kappa = angle / 2 / std::tan(angle / 2);
        const Mat3 expected =
            kappa * Mat3::Identity() + (1 - kappa) * u * u.transpose() - angle / 2 * tilde(u);
        EXPECT_LT(difference(leftJacobianInverse(angle * u), expected), rounding) << angle;
    }
}

// Hernandez' appendix A prints ∂(φu)/∂θ = φ/(2 sin φ)(Rᵀ + 1). It is right across u and wrong along u,
// where it gives φ (1 + 1)/(2 sin φ) instead of 1.
TEST(Rotation, the_formula_printed_by_hernandez_is_wrong_along_the_axis_and_ours_is_right)
{
    Random random(10);
    for (double angle : {1.0, 2.0, 2.9}) {
        const Vec3 u = randomAxis(random);
        const Vec3 phi = angle * u;
        const Mat3 R = expRotation(phi).toRotationMatrix();
        const Mat3 printed = angle / (2 * std::sin(angle)) * (R.transpose() + Mat3::Identity());
        const Mat3 truth = numericLogJacobian(phi, false);
        EXPECT_LT(difference(leftJacobianInverse(phi), truth), differenceTolerance);
        EXPECT_LT((leftJacobianInverse(phi) * u - u).norm(), rounding);
        EXPECT_NEAR(u.dot(printed * u), angle / std::sin(angle), 1e-12);
        EXPECT_GT((printed - truth).norm(), 0.1);
        const Directors across = directorsAcross(u);
        for (const Vec3& d : {across.first, across.second})
            EXPECT_LT(((printed - truth) * d).norm(), 10 * differenceTolerance);
    }
}

TEST(Rotation, twist_angle_is_the_angle_of_a_turn_about_the_axis)
{
    Random random(11);
    for (double angle : {-3.1, -1.0, -1e-9, 0.0, 1e-9, 0.5, 3.1, pi}) {
        const Vec3 axis = randomAxis(random);
        EXPECT_NEAR(twistAngle(expRotation(angle * axis), axis), angle, rounding);
    }
}

TEST(Rotation, twist_angle_ignores_a_swing_and_the_sign_of_the_quaternion)
{
    Random random(12);
    for (int i = 0; i < 50; ++i) {
        const Vec3 axis = randomAxis(random);
        const double angle = random.uniform(-3, 3), tilt = random.uniform(0, 3);
        const Quat q = expRotation(tilt * directorsAcross(axis).first) * expRotation(angle * axis);
        const Quat negative(-q.w(), -q.x(), -q.y(), -q.z());
        EXPECT_NEAR(twistAngle(q, axis), angle, 100 * rounding);  // a swing near π shrinks the twist part
        EXPECT_NEAR(twistAngle(negative, axis), angle, 100 * rounding);
    }
}

TEST(Rotation, between_two_directions_is_the_smallest_turn)
{
    Random random(7);
    for (int t = 0; t < 100; ++t) {
        const Vec3 a = random.uniform(0.1, 10) * randomAxis(random), b = 3 * randomAxis(random);
        const Quat q = rotationBetween(a, b);
        EXPECT_NEAR(q.norm(), 1, 1e-14);
        EXPECT_LT((q * a.normalized() - b.normalized()).norm(), 1e-12) << t;
        EXPECT_NEAR(q.vec().dot(a), 0, 1e-14 * a.norm());
        EXPECT_LT((rotationBetween(a, -2 * a) * a + a).norm(), 1e-12 * a.norm()) << t;
    }
    // Half a turn about x: as MuJoCo has it.
    EXPECT_LT((rotationBetween(Vec3::UnitZ(), -Vec3::UnitZ()) * Vec3::UnitX() - Vec3::UnitX()).norm(),
              1e-15);
}

TEST(Rotation, unwrap_counts_full_turns)
{
    EXPECT_NEAR(unwrapAngle(-3.0, 3.0), 2 * pi - 3, rounding);
    EXPECT_NEAR(unwrapAngle(0.1, 20 * pi), 20 * pi + 0.1, 10 * rounding);
    EXPECT_NEAR(unwrapAngle(0.1, -20 * pi), -20 * pi + 0.1, 10 * rounding);
    EXPECT_EQ(unwrapAngle(0.5, 0.4), 0.5);
}

TEST(Rotation, unwrap_follows_a_joint_that_turns_many_times)
{
    double followed = 0;
    for (int i = 0; i <= 1000; ++i) {
        const double truth = 0.05 * i;
        followed = unwrapAngle(std::remainder(truth, 2 * pi), followed);
        ASSERT_NEAR(followed, truth, 1e-12);
    }
}

TEST(Rotation, directors_are_orthonormal_and_right_handed)
{
    Random random(13);
    std::vector<Vec3> axes = {Vec3::UnitX(),
                              Vec3::UnitY(),
                              Vec3::UnitZ(),
                              -Vec3::UnitY(),
                              Vec3(1, 1e-9, 0).normalized(),
                              Vec3(1, 1, 1).normalized()};
    for (int i = 0; i < 50; ++i) axes.push_back(randomAxis(random));
    for (const Vec3& axis : axes) {
        const Directors d = directorsAcross(axis);
        Mat3 frame;
        frame << d.first, d.second, axis;
        EXPECT_LT(difference(frame.transpose() * frame, Mat3::Identity()), rounding);
        EXPECT_LT((d.first.cross(d.second) - axis).norm(), rounding);
    }
}

}  // namespace
}  // namespace sinew::rotation_test
