// Coulomb's law where the answer is known: slopes, blocks that stick and slide, balls that roll.
#include <gtest/gtest.h>

#include <cmath>

#include "support/contact_scenes.h"

namespace sinew::friction_test {
namespace {

using test::bodyOf;
using test::frame;
using test::g;
using test::ground;
using test::runFor;
using test::solid;
using test::started;
using test::stepping;

constexpr double degree = pi / 180;

// Something that touches a plane which goes down along +x.
Description onSlope(double angle, const Shape& shape, double height, double friction)
{
    const Vec3 normal(std::sin(angle), std::cos(angle), 0);
    Description d;
    d.bodies = {solid("it", shape, height * normal, Quat(std::cos(angle / 2), 0, 0, -std::sin(angle / 2)))};
    d.obstacles = {ground(normal)};
    d.contact.emplace();
    d.contact->friction = friction;
    return d;
}

Vec3 downhill(double angle)
{
    return {std::cos(angle), -std::sin(angle), 0};
}

TEST(Block, sticks_below_the_friction_angle)
{
    constexpr double friction = 0.5, slip = 1e-6;  // m in 5 s
    const double limit = std::atan(friction) / degree;
    for (double angle : {5., 20., limit - 0.5}) {
        Simulation s = started(onSlope(angle * degree, Box{Vec3(0.4, 0.2, 0.3)}, 0.1, friction),
                               stepping("implicit", frame));
        const Vec3 start = s.state.bodies[0].position;
        runFor(s, 5);
        std::printf("%.2f degrees: slips %.1e m in 5 s\n", angle,
                    (s.state.bodies[0].position - start).norm());
        EXPECT_LT((s.state.bodies[0].position - start).norm(), slip) << angle;
    }
}

TEST(Block, slides_above_it_as_Coulomb_has_it)
{
    constexpr double friction = 0.5;
    const double limit = std::atan(friction) / degree;
    for (const char* integrator : {"implicit", "implicit_euler"})
        for (double angle : {limit + 0.5, 35., 50.}) {
            const double a = angle * degree;
            // Long and low: at 50 degrees it would not tip even with more friction.
            Simulation s =
                started(onSlope(a, Box{Vec3(0.4, 0.1, 0.3)}, 0.05, friction), stepping(integrator, frame));
            runFor(s, 0.5);
            const double v = s.state.bodies[0].velocity.dot(downhill(a)), t = s.state.time;
            runFor(s, 1);
            const double measured = (s.state.bodies[0].velocity.dot(downhill(a)) - v) / (s.state.time - t);
            const double wanted = g * (std::sin(a) - friction * std::cos(a));
            std::printf("%s, %.2f degrees: %.9f m/s², relative error %.1e\n", integrator, angle, measured,
                        measured / wanted - 1);
            constexpr double solved = 1e-6;  // both steps are exact for a constant force; the solver is not
            EXPECT_NEAR(measured / wanted, 1, solved) << angle;
        }
}

TEST(Block, pushed_on_the_level_stops_where_friction_has_eaten_its_energy)
{
    Description d = onSlope(0, Box{Vec3(0.4, 0.1, 0.3)}, 0.05, 0.3);
    d.bodies[0].velocity = Vec3(2, 0, 0);
    double errors[2];
    for (int k = 0; k < 2; ++k) {
        Simulation s = started(d, stepping("implicit", frame / (k ? 8 : 1)));
        runFor(s, 1.5);
        errors[k] = std::abs(s.state.bodies[0].position.x() - 4 / (2 * 0.3 * g));
        EXPECT_LT(s.state.bodies[0].velocity.norm(), 1e-9);
    }
    std::printf("stops %.1e m off at h = 1/60 s, %.1e m at 1/480 s\n", errors[0], errors[1]);
    // What is in touch moves by steps of backward Euler: a path that is short by v h / 2.
    EXPECT_LT(errors[0], 1.01 * 2 * frame / 2);
    EXPECT_LT(errors[1], errors[0] / 4);
}

TEST(Ball, rolls_down_a_slope_with_five_sevenths_of_the_acceleration)
{
    constexpr double angle = 15 * degree;
    const double wanted = 5. / 7 * g * std::sin(angle);
    for (double h : {frame, frame / 4}) {
        Simulation s = started(onSlope(angle, Sphere{0.1}, 0.1, 0.6), stepping("implicit", h));
        runFor(s, 0.25);
        const double v = s.state.bodies[0].velocity.dot(downhill(angle)), t = s.state.time;
        runFor(s, 1);
        const double measured = (s.state.bodies[0].velocity.dot(downhill(angle)) - v) / (s.state.time - t);
        const double w = -s.state.bodies[0].angularVelocityWorld().z() * 0.1;
        const double slip = s.state.bodies[0].velocity.dot(downhill(angle)) - w;
        std::printf("h = %g: relative error %.1e, slip %.1e m/s\n", h, measured / wanted - 1, slip);
        constexpr double solved = 1e-6;  // constant acceleration: no error of the step
        EXPECT_NEAR(measured / wanted, 1, solved) << h;
        EXPECT_LT(std::abs(slip), 1e-5) << h;
    }
}

TEST(Ball, with_too_little_friction_slides_and_turns)
{
    constexpr double angle = 40 * degree, friction = 0.1;
    Simulation s = started(onSlope(angle, Sphere{0.1}, 0.1, friction), stepping("implicit", frame));
    runFor(s, 1);
    const double t = s.state.time;
    constexpr double solved = 1e-6;
    const double v = g * (std::sin(angle) - friction * std::cos(angle)) * t;
    const double spin = 2.5 * friction * g * std::cos(angle) * t;  // times the radius
    EXPECT_NEAR(s.state.bodies[0].velocity.dot(downhill(angle)) / v, 1, solved);
    EXPECT_NEAR(-s.state.bodies[0].angularVelocityWorld().z() * 0.1 / spin, 1, solved);
}

TEST(Ball, that_starts_sliding_ends_rolling_with_five_sevenths_of_its_speed)
{
    Description d = onSlope(0, Sphere{0.1}, 0.1, 0.3);
    d.bodies[0].velocity = Vec3(3, 0, 0);
    for (const char* integrator : {"implicit", "implicit_euler"})
        for (double h : {frame, frame / 4}) {
            Simulation s = started(d, stepping(integrator, h));
            const double rolls = 2. / 7 * 3 / (0.3 * g);
            runFor(s, rolls - 2 * h);
            EXPECT_GT(s.state.bodies[0].velocity.x(), 15. / 7 + 0.3 * g * h);  // still sliding
            runFor(s, 0.5);
            const double v = s.state.bodies[0].velocity.x();
            std::printf("%s, h = %g: %.3e m/s off\n", integrator, h, v - 15. / 7);
            // Whatever friction does, the angular momentum about a line in the ground stays.
            constexpr double solved = 1e-6;
            EXPECT_NEAR(v * 7 / 15, 1, solved) << integrator << " " << h;
        }
}

TEST(Cylinder, rolls_down_a_slope_with_two_thirds_of_the_acceleration)
{
    constexpr double angle = 10 * degree;
    Description d = onSlope(angle, Cylinder{0.1, 0.3}, 0.1, 0.6);
    // Its axis, y, across the slope.
    d.bodies[0].pose.orientation = Quat(std::sqrt(0.5), std::sqrt(0.5), 0, 0);
    Simulation s = started(d, stepping("implicit", frame));
    runFor(s, 1);
    const double v = 2. / 3 * g * std::sin(angle) * s.state.time;
    std::printf("relative error %.1e\n", s.state.bodies[0].velocity.dot(downhill(angle)) / v - 1);
    EXPECT_NEAR(s.state.bodies[0].velocity.dot(downhill(angle)) / v, 1, 1e-6);
}

}  // namespace
}  // namespace sinew::friction_test
