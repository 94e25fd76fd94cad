// How a rotation moves with its rotation vector, and how that changes, against differences; and the way
// back.
#include <gtest/gtest.h>

#include "sinew/math/rotation.h"
#include "support/random_tree.h"

namespace sinew::rotation_derivatives_test {
namespace {

constexpr double e = 1e-4, tolerance = 1e-8;

TEST(MovingRotation, changes_as_differences_say)
{
    Random random(3);
    for (double angle : {0., 1e-9, 1e-3, 0.09, 0.11, 0.49, 0.51, 1.5, 3.}) {
        Vec3 phi = angle * test::randomVector(random).normalized();
        const Vec3 rate = test::randomVector(random, 2), rate2 = test::randomVector(random, 3);
        const Vec3 d[3] = {test::randomVector(random), test::randomVector(random),
                           test::randomVector(random)};
        const auto at = [&](double x) {
            return movingRotation(phi + x * d[0], rate + x * d[1], rate2 + x * d[2]);
        };
        const auto difference = [&](auto&& value) {
            return Vec3((8 * (value(at(e)) - value(at(-e))) - (value(at(2 * e)) - value(at(-2 * e)))) /
                        (12 * e));
        };
        const RotationMotionChange change = movingRotationChange(phi, rate, rate2, d[0], d[1], d[2]);
        const Quat back = movingRotation(phi, rate, rate2).rotation.conjugate();
        const Vec3 turn =
            difference([&](const RotationMotion& m) { return logRotation(back * m.rotation); });
        const Vec3 velocity = difference([](const RotationMotion& m) { return m.velocity; });
        const Vec3 acceleration = difference([](const RotationMotion& m) { return m.acceleration; });
        EXPECT_LT((change.turn - turn).norm(), tolerance) << angle;
        EXPECT_LT((change.velocity - velocity).norm(), tolerance * 10) << angle;
        EXPECT_LT((change.acceleration - acceleration).norm(), tolerance * 100) << angle;

        const RotationMotion m = movingRotation(phi, rate, rate2);
        const RotationChart chart = chartOf(m.rotation, m.velocity, m.acceleration);
        EXPECT_LT((chart.phi - phi).norm() + (chart.rate - rate).norm() + (chart.rate2 - rate2).norm(),
                  1e-11)
            << angle;
    }
}

}  // namespace
}  // namespace sinew::rotation_derivatives_test
