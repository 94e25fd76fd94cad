// Motions of balls and wheels that textbooks solve: with slip that ends in rolling, faster than half a turn
// a step, back to where they came from, and into each other.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/state/measure.h"
#include "support/contact_scenes.h"

namespace sinew::textbook_roll_test {
namespace {

using test::bodyOf;
using test::frame;
using test::g;
using test::ground;
using test::runFor;
using test::solid;
using test::started;
using test::stepping;

// Something round of radius R that lies on the ground along z and rolls along x, I = c m R² about its axis.
struct Round {
    const char* name;
    Shape shape;
    double c;
};
constexpr double R = 0.01;
const Quat alongZ(AngleAxis(pi / 2, Vec3::UnitX()));
// Two balls' halves and a cylinder of the same radius between them, both of length 2 R.
constexpr double capsuleShare = 2. / (2 + 4. / 3);
const std::vector<Round> rounds = {
    {"ball", Sphere{R}, 0.4},
    {"wheel", Cylinder{R, 2 * R}, 0.5},
    {"capsule", Capsule{R, 2 * R}, 0.5 * capsuleShare + 0.4 * (1 - capsuleShare)},
    {"egg", Ellipsoid{Vec3(R, 1.5 * R, R)}, 0.4}};

Description thrown(const Round& round, double speed, double spin, double friction)
{
    Description d;
    d.bodies = {solid("it", round.shape, Vec3(0, R, 0), alongZ)};
    d.bodies[0].velocity = Vec3(speed, 0, 0);
    d.bodies[0].angularVelocity = Vec3(0, 0, -spin);
    d.obstacles = {ground()};
    d.contact.emplace();
    d.contact->friction = friction;
    return d;
}

double largestRise(Simulation& s, double duration)
{
    double last = energy(s.model(), s.state).total(), rise = 0;
    runFor(s, duration, [&](const StepReport&) {
        const double now = energy(s.model(), s.state).total();
        rise = std::max(rise, now - last);
        last = now;
    });
    return rise;
}

// Half a turn a step is no bound: a marble at 2 m/s makes it at 1/60 s. Friction was taken from the shorter
// way round, which drove what rolled faster backward.
TEST(Rolling, goes_on_at_any_number_of_turns_a_step)
{
    constexpr double duration = 0.5;
    constexpr double rounding = 1e-9;  // of the solver's tolerance, 1e-7 of the size a step
    for (const Round& round : rounds)
        for (const double turn : {1., 3., 3.3, 5., 6.2831853, 12.}) {
            SCOPED_TRACE(std::string(round.name) + ", turns a step by " + std::to_string(turn));
            const double spin = turn / frame, speed = spin * R;
            Simulation s = started(thrown(round, speed, spin, 0.3), stepping("implicit", frame));
            EXPECT_LT(largestRise(s, duration), rounding * energy(s.model(), s.state).kinetic);
            const BodyState& it = bodyOf(s, "it");
            EXPECT_NEAR(it.velocity.x(), speed, rounding * speed);
            EXPECT_NEAR(it.angularVelocityWorld().z(), -spin, rounding * spin);
            EXPECT_NEAR(it.position.x(), speed * duration, rounding * speed * duration);
        }
}

// v − ω R fades by (1 + 1/c) μ g a second; then it rolls with what angular momentum about the ground
// leaves, (v₀ + c ω₀ R)/(1 + c): forward, or back where the spin is more than v₀/(c R) against the way.
TEST(Rolling, begins_when_the_slip_is_used_up_and_may_lead_back)
{
    constexpr double friction = 0.2, speed = 1;
    constexpr double rounding = 1e-9;
    for (const Round& round : rounds)
        for (const double h : {frame, frame / 4})
            for (const double topspin : {0., 3., -1.5, -4.}) {  // surface speed over v₀
                SCOPED_TRACE(std::string(round.name) + ", ωR = " + std::to_string(topspin) +
                             " v₀, h = " + std::to_string(h));
                Simulation s =
                    started(thrown(round, speed, topspin * speed / R, friction), stepping("implicit", h));
                const double slip = speed * (1 - topspin), push = slip > 0 ? -friction * g : friction * g;
                const double until = std::abs(slip) / ((1 + 1 / round.c) * friction * g);
                const double rolling = speed * (1 + round.c * topspin) / (1 + round.c);
                EXPECT_LT(largestRise(s, until + 5 * h),
                          rounding * speed * speed * s.model().bodies[0].mass);
                const BodyState& it = bodyOf(s, "it");
                EXPECT_NEAR(it.velocity.x(), rolling, rounding);
                EXPECT_NEAR(it.angularVelocityWorld().z(), -rolling / R, rounding / R);
                const double place =
                    speed * until + push * until * until / 2 + rolling * (s.state.time - until);
                // Backward Euler has the velocity of the end all over the step: half a step of all that it
                // changes by.
                EXPECT_NEAR(it.position.x(), place,
                            0.5 * h * std::abs(rolling - speed) + friction * g * h * h);
            }
}

// The same where contacts are impulses, for which the place is brought back by what has slipped.
TEST(Rolling, by_impulses_leaves_the_place_alone)
{
    constexpr double duration = 0.5, rounding = 1e-9;
    for (const char* integrator : {"implicit", "rk4", "semi_implicit_euler"})
        for (const double turn : {1., 5., 12.}) {
            SCOPED_TRACE(std::string(integrator) + ", turns a step by " + std::to_string(turn));
            const double spin = turn / frame, speed = spin * R;
            Description d = thrown(rounds[0], speed, spin, 0.3);
            d.contact->response = ContactDescription::Response::impulse;
            Simulation s = started(d, stepping(integrator, frame));
            runFor(s, duration);
            EXPECT_NEAR(bodyOf(s, "it").velocity.x(), speed, rounding * speed);
            EXPECT_NEAR(bodyOf(s, "it").position.x(), speed * duration, rounding * speed * duration);
        }
}

// Equal smooth balls: along the line between the centres they share the momentum by ε, across it nothing
// happens. Gravity is off, and the first one comes in beside the centre by `aside` of the sum of the radii.
TEST(Billiards, share_the_momentum_along_the_line_of_centres)
{
    constexpr double radius = 0.03, speed = 2;
    // The moment of the touch is found to a millionth of the balls' radius of gyration; the direction of
    // the centres then is off by as much over the root of 1 − aside².
    constexpr double moment = 2e-6;
    for (const double restitution : {0.5, 1.})
        for (const double aside : {0., 0.5, 0.9})
            for (const double h : {frame, frame / 4}) {
                SCOPED_TRACE(testing::Message() << restitution << " " << aside << " " << h);
                Description d;
                d.gravity.setZero();
                d.bodies = {solid("cue", Sphere{radius}, Vec3(-7.3 * radius, 0, 0)),
                            solid("object", Sphere{radius}, Vec3(0, -2 * aside * radius, 0))};
                d.bodies[0].velocity = Vec3(speed, 0, 0);
                d.contact.emplace();
                d.contact->friction = 0;
                d.contact->restitution = restitution;
                Simulation s = started(d, stepping("implicit", h));
                runFor(s, 14 * radius / speed);
                const double along = std::sqrt(1 - aside * aside);
                const Vec3 object = speed * along * (1 + restitution) / 2 * Vec3(along, -aside, 0);
                EXPECT_LT((bodyOf(s, "object").velocity - object).norm(), moment * speed);
                EXPECT_LT((bodyOf(s, "cue").velocity - (Vec3(speed, 0, 0) - object)).norm(),
                          moment * speed);
                EXPECT_LT(bodyOf(s, "object").angularVelocity.norm(), 1e-9);
            }
}

}  // namespace
}  // namespace sinew::textbook_roll_test
