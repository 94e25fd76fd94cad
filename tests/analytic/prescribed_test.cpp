// What prescribed motion takes, in closed form.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/measure/series.h"
#include "support/prescribed_scene.h"

namespace sinew::test::prescribed_test {
namespace {

constexpr double g = 9.81;

BodyDescription ball(const std::string& name, const Vec3& position, double mass)
{
    BodyDescription body;
    body.name = name;
    body.pose.position = position;
    body.mass = mass;
    body.inertia = Vec3(1e-3, 1e-3, 1e-3).asDiagonal();
    return body;
}

JointDescription joint(const std::string& name, JointType type, const std::string& first,
                       const std::string& second, const Vec3& axis)
{
    JointDescription j;
    j.name = name;
    j.type = type;
    j.first = first;
    j.second = second;
    j.axis = axis;
    return j;
}

// A cart on a slide under constant acceleration, a damped pendulum below it.
TEST(Prescribed, a_pendulum_below_an_accelerating_cart_leans_by_atan_a_over_g)
{
    constexpr double acceleration = 3, cartMass = 2, bobMass = 1.5;
    Description d;
    d.bodies = {ball("cart", Vec3::Zero(), cartMass), ball("bob", Vec3(0, -0.5, 0), bobMass)};
    d.joints = {joint("rail", JointType::slide, "world", "cart", Vec3(1, 0, 0)),
                joint("pivot", JointType::hinge, "cart", "bob", Vec3(0, 0, 1))};
    d.joints[1].damping = 2;
    // A (1 − cos ωt) with A ω² the acceleration, which changes by (ωt)²/2 = 5e-7 of it.
    constexpr double omega = 1e-4, amplitude = acceleration / (omega * omega);
    d.prescribed = {prescribedJoint("rail", {sine(amplitude, omega / (2 * M_PI), -M_PI / 2, amplitude)})};
    Simulation s = mustCreate(d, {"rk4", "joint", 4}, 1e-2);
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(s.step().ok);
    const Accelerations& a = s.accelerate();
    EXPECT_NEAR(s.state.q[s.model().joints[s.model().findJoint("pivot")].q], -std::atan(acceleration / g),
                1e-5);
    EXPECT_NEAR(a.drive[s.model().joints[s.model().findJoint("rail")].u],
                (cartMass + bobMass) * acceleration, 1e-4);
}

// A mass on an arm that is turned evenly: the drive carries its weight.
TEST(Prescribed, the_drive_of_an_evenly_turning_arm_is_the_torque_of_gravity)
{
    constexpr double length = 0.7, mass = 1.3, rate = 2.5, stiffness = 4;
    Description d;
    d.bodies = {ball("mass", Vec3(length, 0, 0), mass)};
    d.joints = {joint("motor", JointType::hinge, "world", "mass", Vec3(0, 0, 1))};
    d.joints[0].stiffness = stiffness;  // what it gives the drive need not
    d.joints[0].armature = 0.3;
    d.prescribed = {prescribedJoint("motor", {keys({{0, 0}, {10, 10 * rate}}, false)})};
    for (const Stepper& stepper : prescribedSteppers) {
        if (std::string(stepper.integrator) == "conservative") d.joints[0].armature = 0;  // unknown to it
        SCOPED_TRACE(nameOf(stepper));
        Simulation s = mustCreate(d, stepper, 1e-2);
        for (int i = 0; i < 150; ++i) {
            ASSERT_TRUE(s.step().ok);
            const double angle = rate * s.state.time;
            EXPECT_NEAR(s.state.q[0], angle, 1e-9);
            const Accelerations& a = s.accelerate();
            EXPECT_NEAR(a.drive[0], mass * g * length * std::cos(angle) + stiffness * angle, 1e-6);
            // The load holds all: the weight and the pull inward, on the world.
            const Vec3 inward = -mass * length * rate * rate * Vec3(std::cos(angle), std::sin(angle), 0);
            // Velocities are differences in implicit steps, so the pull is right to their order.
            EXPECT_LT((a.load[0].force + inward + Vec3(0, mass * g, 0)).norm(), 0.1);
        }
    }
}

TEST(Prescribed, the_series_names_the_drives_and_holds_them_in_the_descriptions_terms)
{
    const Description d = prescribedFigure(true);
    Simulation s = mustCreate(d, {"implicit_bdf2", "maximal", 2}, 1e-2);
    ASSERT_TRUE(s.step().ok);
    const Accelerations& a = s.accelerate();
    std::vector<double> row;
    appendSeries(s.model(), s.state, s.lastForces(), a, row);
    const std::vector<std::string> names = seriesNames(s.model());
    ASSERT_EQ(names.size(), row.size());
    const auto column = [&](const std::string& name) {
        const auto found = std::find(names.begin(), names.end(), name);
        EXPECT_NE(found, names.end()) << name;
        return row[static_cast<std::size_t>(found - names.begin())];
    };
    const auto at = [&](const char* name) { return s.model().joints[s.model().findJoint(name)].u; };
    EXPECT_EQ(column("to_arm.drive"), a.drive[at("to_arm")]);
    EXPECT_EQ(column("to_box.drive"), a.drive[at("to_box")]);
    // The leg is named first in its joint: the axes change places.
    EXPECT_NEAR(column("to_leg.drive0"), a.drive[at("to_leg") + 1], 1e-12);
    EXPECT_NEAR(column("to_leg.drive1"), a.drive[at("to_leg")], 1e-12);
    column("to_head.drive2");
    // All that is not gravity comes in through the root.
    Vec3 force = -s.model().mass() * s.model().gravity;
    for (int i = 0; i < s.model().size(); ++i) force += s.model().bodies[i].mass * a.body[i].linear;
    EXPECT_NEAR(column("pelvis.drive_fx"), force.x(), 1e-9);
    EXPECT_NEAR(column("pelvis.drive_fy"), force.y(), 1e-9);
    EXPECT_NEAR(column("pelvis.drive_fz"), force.z(), 1e-9);
    column("pelvis.drive_tz");
    EXPECT_EQ(std::find(names.begin(), names.end(), "to_hand.drive0"), names.end());
}

}  // namespace
}  // namespace sinew::test::prescribed_test
