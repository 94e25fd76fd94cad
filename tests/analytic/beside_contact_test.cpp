// What touches nothing moves as if nothing else touched anything, and a figure that could touch falls
// freely.
#include <gtest/gtest.h>

#include "sinew/math/rotation.h"
#include "sinew/state/measure.h"
#include "support/contact_scenes.h"

namespace sinew {
namespace {

using test::bodyOf;
using test::frame;
using test::g;
using test::ground;
using test::joined;
using test::runFor;
using test::solid;
using test::started;

// A pendulum at the origin and a ball that is thrown, with or without a box that rests 7 m away.
Description besideABox(bool box)
{
    Description d;
    d.bodies = {solid("bob", Sphere{0.1}, Vec3(0.5, 2, 0)), solid("ball", Sphere{0.1}, Vec3(3, 1, 0))};
    d.bodies[1].velocity = Vec3(1, 15, 0);
    if (box) d.bodies.push_back(solid("box", Box{Vec3(0.2, 0.2, 0.2)}, Vec3(7, 0.1, 0)));
    d.joints = {joined("pin", JointType::hinge, "world", "bob", Vec3(0, 2, 0))};
    d.obstacles = {ground()};
    d.contact.emplace();
    return d;
}

TEST(BesideContact, a_resting_box_changes_nothing_of_what_swings_and_flies)
{
    Simulation alone = started(besideABox(false)), beside = started(besideABox(true));
    ASSERT_TRUE(runFor(alone, 2));
    ASSERT_TRUE(runFor(beside, 2));
    for (const char* name : {"bob", "ball"}) {
        const BodyState &p = bodyOf(alone, name), &q = bodyOf(beside, name);
        EXPECT_LE((p.position - q.position).norm(), 1e-12) << name;
        EXPECT_LE((p.velocity - q.velocity).norm(), 1e-12) << name;
    }
    // BDF2 is exact in a parabola but for its first step, of backward Euler, which falls ½ g h² too far;
    // what that leaves fades to 3/2 of it.
    const double t = beside.state.time, exact = 1 + 15 * t - 0.5 * g * t * t;
    EXPECT_NEAR(bodyOf(beside, "ball").position.y(), exact, 0.75 * g * frame * frame + 1e-9);
}

// A trunk with four limbs of two bones each, which spins.
Description doll(double length)
{
    const double l = length;
    Description d;
    d.bodies = {solid("trunk", Capsule{0.12 * l, 0.4 * l}, Vec3(0, 0, 0))};
    for (const double side : {-1., 1.})
        for (const double end : {-1., 1.}) {
            const std::string name = std::string(side < 0 ? "left" : "right") + (end < 0 ? "_leg" : "_arm");
            const Vec3 root(0.15 * side * l, 0.25 * end * l, 0), out(0.5 * side, 0.8 * end, 0.2);
            const Quat along = rotationBetween(Vec3::UnitY(), out);
            const Vec3 step = 0.34 * l * out.normalized();
            d.bodies.push_back(
                solid(name + "_upper", Capsule{0.05 * l, 0.24 * l}, root + 0.5 * step, along));
            d.bodies.push_back(
                solid(name + "_lower", Capsule{0.04 * l, 0.24 * l}, root + 1.5 * step, along));
            d.joints.push_back(joined(name, JointType::spherical, "trunk", name + "_upper", root));
            d.joints.push_back(
                joined(name + "_hinge", JointType::hinge, name + "_upper", name + "_lower", root + step));
        }
    d.bodies[0].angularVelocity = Vec3(1, 2, 3);
    d.gravity *= length;
    d.contact.emplace();
    return d;
}

class Dolls : public testing::TestWithParam<double> {};

TEST_P(Dolls, fall_freely_with_nothing_to_touch)
{
    const double length = GetParam();
    Simulation s = started(doll(length));
    const Vec3 before = momentum(s.model(), s.state).linear;
    long iterations = 0;
    int steps = 0, unconverged = 0;
    ASSERT_TRUE(runFor(s, 10, [&](const StepReport& report) {
        ++steps;
        iterations += report.statistics.newtonIterations;
        unconverged += report.statistics.unconverged + report.statistics.contactCaps;
    }));
    EXPECT_EQ(unconverged, 0);
    EXPECT_LE(static_cast<double>(iterations), 20. * steps);
    const Vec3 gained = s.model().mass() * s.model().gravity * s.state.time;
    EXPECT_LE((momentum(s.model(), s.state).linear - before - gained).norm(), 1e-6 * gained.norm());
}

INSTANTIATE_TEST_SUITE_P(Sizes, Dolls, testing::Values(1, 0.01, 100));

}  // namespace
}  // namespace sinew
