// Blows in closed form: a bat and a ball, a rod that falls on its end, a ball that meets a lift.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/state/measure.h"
#include "support/contact_scenes.h"

namespace sinew::textbook_blow_test {
namespace {

using test::bodyOf;
using test::frame;
using test::g;
using test::ground;
using test::joined;
using test::runFor;
using test::solid;
using test::started;
using test::stepping;

// A ball hits a bat that hangs from a hinge, `arm` below it: J = (1 + ε) v/(1/m + arm²/I). What the hinge
// bears of the blow is J (1 − arm M L/2I), nothing at the centre of percussion: there the momentum of both
// is that of the ball before.
TEST(Bat, takes_from_the_ball_what_lever_and_inertia_say)
{
    constexpr double length = 1, thick = 0.05, radius = 0.04, speed = 3;
    for (const double restitution : {0., 0.5, 1.})
        for (const double arm : {0.3, 2. / 3, 0.9})
            for (const double h : {frame, frame / 4}) {
                SCOPED_TRACE(testing::Message() << restitution << " " << arm << " " << h);
                Description d;
                d.gravity.setZero();
                d.bodies = {solid("bat", Box{Vec3(thick, length, thick)}, Vec3(0, -length / 2, 0)),
                            solid("ball", Sphere{radius}, Vec3(-0.5, -arm, 0))};
                d.bodies[1].velocity = Vec3(speed, 0, 0);
                d.joints = {joined("grip", JointType::hinge, "world", "bat", Vec3::Zero())};
                d.contact.emplace();
                d.contact->friction = 0;
                d.contact->restitution = restitution;
                Simulation s = started(d, stepping("implicit", h));
                const double bat = s.model().bodies[s.model().findBody("bat")].mass;
                const double ball = s.model().bodies[s.model().findBody("ball")].mass;
                const double inertia = bat * (length * length / 3 + thick * thick / 12);
                const double blow = (1 + restitution) * speed / (1 / ball + arm * arm / inertia);
                const double touch = (0.5 - thick / 2 - radius) / speed;
                runFor(s, touch + 2.5 * h);  // without restitution it takes a second step
                const double turning = blow * arm / inertia;
                // The steps after the blow are backward Euler, which loses (hω)² of the bat's speed in
                // each.
                const double lost = 3 * std::pow(h * turning, 2);
                EXPECT_NEAR(bodyOf(s, "bat").angularVelocity.z(), turning, (lost + 2e-4) * turning);
                // Without restitution the two stay together, and the ball's way is a bit longer than the
                // bat's.
                EXPECT_NEAR(bodyOf(s, "ball").velocity.x(), speed - blow / ball,
                            (restitution > 0 ? 1e-6 : 1e-3) * speed);
                // The grip's blow would be half of the ball's momentum at the other places.
                if (std::abs(arm - 2. / 3) < 0.01)
                    EXPECT_NEAR(bat * bodyOf(s, "bat").velocity.x() + ball * bodyOf(s, "ball").velocity.x(),
                                ball * speed, 1e-2 * ball * speed);
            }
}

// A rod at an angle falls on its rounded end: smooth ground pushes straight up; rough ground holds the end.
TEST(Rod, dropped_on_its_end_turns_as_the_blow_has_it)
{
    constexpr double length = 1, radius = 0.02, fall = 0.3, inertia = length * length / 12;
    const double speed = std::sqrt(2 * g * fall), when = speed / g;
    for (const double friction : {0., 10.})
        for (const double restitution : {0.5, 1.})
            for (const double angle : {0.3, 0.8, 1.2})
                for (const double h : {frame, frame / 4}) {
                    SCOPED_TRACE(testing::Message()
                                 << friction << " " << restitution << " " << angle << " " << h);
                    Description d;
                    d.bodies = {solid("rod", Capsule{radius, length},
                                      Vec3(0, length / 2 * std::cos(angle) + radius + fall, 0),
                                      Quat(AngleAxis(angle, Vec3::UnitZ())))};
                    d.bodies[0].mass = 1;
                    d.bodies[0].inertia = Mat3(Vec3(inertia, inertia / 100, inertia).asDiagonal());
                    d.obstacles = {ground()};
                    d.contact.emplace();
                    d.contact->friction = friction;
                    d.contact->restitution = restitution;
                    Simulation s = started(d, stepping("implicit", h));
                    // From the centre to the place of the blow, and what a unit of impulse moves there.
                    const double x = length / 2 * std::sin(angle),
                                 y = -length / 2 * std::cos(angle) - radius;
                    const double Wxx = 1 + y * y / inertia, Wyy = 1 + x * x / inertia,
                                 Wxy = -x * y / inertia;
                    const double turned = (1 + restitution) * speed, D = Wxx * Wyy - Wxy * Wxy;
                    const double up = friction > 0 ? Wxx * turned / D : turned / Wyy;
                    const double side = friction > 0 ? -Wxy * turned / D : 0;
                    runFor(s, std::ceil(when / h) * h);
                    const BodyState& rod = bodyOf(s, "rod");
                    const double since = s.state.time - when;
                    // In steps of backward Euler the fall is off by g h/2, and so is the blow.
                    const double late = g * h * (1 + restitution);
                    EXPECT_NEAR(rod.velocity.y(), up - speed - g * since, late);
                    EXPECT_NEAR(rod.velocity.x(), side, late);
                    EXPECT_NEAR(rod.angularVelocity.z(),
                                x * up - y * side < 0 ? 0 : (x * up - y * side) / inertia,
                                late / length * 12);
                }
}

// A lift at speed U takes a ball along that has no restitution, and throws one that has: v' = U − ε (v −
// U).
TEST(Lift, takes_along_or_throws_what_falls_on_it)
{
    constexpr double radius = 0.1, fall = 1;
    for (const double restitution : {0., 0.5, 1.})
        for (const double lift : {-1., 1.})
            for (const double h : {frame, frame / 4}) {
                SCOPED_TRACE(testing::Message() << restitution << " " << lift << " " << h);
                Description d;
                d.bodies = {solid("lift", Box{Vec3(2, 0.2, 2)}, Vec3(0, -0.1, 0)),
                            solid("ball", Sphere{radius}, Vec3(0, radius + fall, 0))};
                PrescribedDescription path;
                path.body = "lift";
                path.smooth = false;
                path.path = {{0, Vec3(0, -0.1, 0), {}}, {10, Vec3(0, -0.1 + 10 * lift, 0), {}}};
                d.prescribed = {path};
                d.contact.emplace();
                d.contact->restitution = restitution;
                Simulation s = started(d, stepping("implicit", h));
                const double when = (-lift + std::sqrt(lift * lift + 2 * g * fall)) / g;
                runFor(s, when + 3 * h);
                const double thrown = lift + restitution * (g * when + lift);
                const double v = bodyOf(s, "ball").velocity.y(), since = s.state.time - when;
                if (restitution == 0) {
                    EXPECT_NEAR(v, lift, 1e-9);
                    EXPECT_NEAR(bodyOf(s, "ball").position.y(), radius + lift * s.state.time, 1e-9);
                } else {
                    EXPECT_NEAR(v, thrown - g * since, 0.2 * g * h);  // the moment of the touch
                }
            }
}

}  // namespace
}  // namespace sinew::textbook_blow_test
