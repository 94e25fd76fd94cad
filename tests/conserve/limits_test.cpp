// Joint limits and rest poses.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/simulation/simulation.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/measure.h"

namespace sinew::limits_test {
namespace {

constexpr double degree = pi / 180;

// A limb of 0.4 m and 2 kg, held out along x by a hinge.
Description limb()
{
    Description d;
    BodyDescription body;
    body.name = "limb";
    body.pose.position = {0.2, 0, 0};
    body.mass = 2;
    body.inertia = Mat3(Vec3(0.002, 2 * 0.16 / 12, 2 * 0.16 / 12).asDiagonal());
    d.bodies = {body};
    JointDescription hinge;
    hinge.name = "hinge";
    hinge.type = JointType::hinge;
    hinge.first = "world";
    hinge.second = "limb";
    hinge.axis = Vec3::UnitZ();
    d.joints = {hinge};
    return d;
}

TEST(Limit, stops_a_limb_that_falls_on_it_at_thirty_hertz)
{
    for (const char* integrator : {"implicit_euler", "implicit_bdf2", "conservative"}) {
        Description d = limb();
        d.joints[0].lower = {-90 * degree};
        Result<Simulation> made = Simulation::create(d, {"", integrator, 1. / 30});
        ASSERT_TRUE(made) << made.error().text();
        Simulation& s = made.value();
        double lowest = 0, rise = 0;
        const double start = energy(s.model(), s.state).total();
        for (int i = 0; i < 150; ++i) {
            ASSERT_TRUE(s.step().ok);
            lowest = std::min(lowest, s.state.q[0]);
            rise = std::max(rise, energy(s.model(), s.state).total() - start);
        }
        const double past = -90 - lowest / degree;
        std::printf("%s: passes the limit by %.3f degrees, energy rises by %.1e J\n", integrator, past,
                    rise);
        EXPECT_LT(lowest, -89 * degree);  // it got there
        EXPECT_LT(past, 0.5);
        // 3.9 J fall; the kink of the limit costs the discrete gradient some digits.
        EXPECT_LE(rise, 1e-8);
    }
}

TEST(Limit, holds_from_either_end_and_for_either_root)
{
    // The same limb with the joint's bodies exchanged: coordinates mean first → second, so signs turn.
    Description d = limb();
    std::swap(d.joints[0].first, d.joints[0].second);
    d.joints[0].upper = {90 * degree};
    Result<Simulation> made = Simulation::create(d, {"", "implicit", 1. / 60});
    ASSERT_TRUE(made);
    double highest = 0;
    for (int i = 0; i < 120; ++i) {
        ASSERT_TRUE(made.value().step().ok);
        highest = std::max(highest, made.value().state.q[0]);
    }
    EXPECT_GT(highest, 89 * degree);
    EXPECT_LT(highest, 90.5 * degree);
}

TEST(Rest, is_where_a_damped_joint_settles)
{
    Description d = limb();
    d.gravity.setZero();
    d.joints[0].stiffness = 20;
    d.joints[0].damping = 2;
    d.joints[0].rest = {0.7};
    Description ball = d;
    ball.joints[0].type = JointType::spherical;
    ball.joints[0].axis.reset();
    ball.joints[0].rest = {0.3, -0.5, 0.7};
    for (const Description& scene : {d, ball}) {
        Result<Simulation> made = Simulation::create(scene, {"", "implicit", 1. / 60});
        ASSERT_TRUE(made) << made.error().text();
        Simulation& s = made.value();
        for (int i = 0; i < 600; ++i) ASSERT_TRUE(s.step().ok);
        Vec6 coordinate = Vec6::Zero();
        describedCoordinate(s.model(), s.state, 0, coordinate.data());
        for (std::size_t i = 0; i < scene.joints[0].rest.size(); ++i)
            EXPECT_NEAR(coordinate[static_cast<int>(i)], scene.joints[0].rest[i], 1e-6);
        EXPECT_LT(energy(s.model(), s.state).total(), 1e-9);
    }
}

// Ball joints drawn toward a target 170 degrees away: no flutter, no energy from nowhere.
TEST(Rest, at_170_degrees_is_reached_without_flutter)
{
    for (double ratio : {0.05, 0.5}) {
        Description d = limb();
        d.gravity.setZero();
        JointDescription& joint = d.joints[0];
        joint.type = JointType::spherical;
        joint.axis.reset();
        joint.stiffness = 500;
        const double inertia = 2 * 0.16 / 3;
        joint.damping = 2 * ratio * std::sqrt(joint.stiffness * inertia);
        joint.rest = {0, 170 * degree * std::sqrt(0.5), 170 * degree * std::sqrt(0.5)};
        Result<Simulation> made = Simulation::create(d, {"", "implicit", 1. / 60});
        ASSERT_TRUE(made);
        Simulation& s = made.value();
        double last = energy(s.model(), s.state).total(), rise = 0;
        const double start = last;
        for (int i = 0; i < 600; ++i) {
            ASSERT_TRUE(s.step().ok);
            rise = std::max(rise, energy(s.model(), s.state).total() - start);
        }
        std::printf(
            "ratio %.2f: speed %.1e rad/s after 10 s, energy never above the start by more than %.1e J\n",
            ratio, s.state.bodies[0].angularVelocity.norm(), rise);
        EXPECT_LE(rise, 1e-9);
        if (ratio == 0.5) EXPECT_LT(s.state.bodies[0].angularVelocity.norm(), 1e-3);
    }
}

}  // namespace
}  // namespace sinew::limits_test
