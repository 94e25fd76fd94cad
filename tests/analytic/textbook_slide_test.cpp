// Blocks that textbooks push, throw, carry and lean against walls.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/state/measure.h"
#include "support/contact_scenes.h"
#include "support/prescribed_scene.h"

namespace sinew::textbook_slide_test {
namespace {

using test::bodyOf;
using test::frame;
using test::ground;
using test::joined;
using test::keys;
using test::prescribedJoint;
using test::runFor;
using test::sine;
using test::solid;
using test::started;
using test::stepping;
constexpr double g = test::g;

// A plane that goes down along +x.
struct Slope {
    double angle;
    Vec3 normal() const { return {std::sin(angle), std::cos(angle), 0}; }
    Vec3 down() const { return {std::cos(angle), -std::sin(angle), 0}; }
    Quat turn() const { return Quat(AngleAxis(-angle, Vec3::UnitZ())); }
    // Lies on it, its lower side at the height.
    BodyDescription block(const std::string& name, const Vec3& size, double height = 0) const
    {
        return solid(name, Box{size}, (height + size.y() / 2) * normal(), turn());
    }
};

// All forces of contacts on a body over the last step.
Vec3 contactForceOn(const Simulation& s, const std::string& name)
{
    const int body = s.model().findBody(name);
    Vec3 force = Vec3::Zero();
    for (const Contact& contact : s.state.contacts) {
        const Vec3 onB = contactFrame(contact.normal).transpose() * contact.impulse / s.h;
        if (contact.bodyB == body) force += onB;
        if (contact.bodyA == body) force -= onB;
    }
    return force;
}

// Up by v²/2a, a = g (sin + μ cos), and down again with g (sin − μ cos).
TEST(Block, thrown_up_a_slope_comes_back_slower)
{
    const Slope slope{0.5};
    constexpr double friction = 0.3;
    const double up = g * (std::sin(slope.angle) + friction * std::cos(slope.angle));
    const double down = g * (std::sin(slope.angle) - friction * std::cos(slope.angle));
    for (const double size : {0.01, 0.2, 5.})
        for (const double h : {frame, frame / 4}) {
            SCOPED_TRACE(testing::Message() << size << " m, " << h << " s");
            Description d;
            d.bodies = {slope.block("block", Vec3(size, size / 2, size))};
            const double speed = 3 * std::sqrt(size / 0.2);
            d.bodies[0].velocity = -speed * slope.down();
            d.obstacles = {ground(slope.normal())};
            d.contact.emplace();
            d.contact->friction = friction;
            Simulation s = started(d, stepping("implicit", h));
            const double top = speed / up;
            double highest = 0;
            runFor(s, 2.5 * top, [&](const StepReport&) {
                const BodyState& block = bodyOf(s, "block");
                const double v = block.velocity.dot(slope.down()), t = s.state.time;
                // The step in which it turns round belongs to both ways.
                const double exact = t < top ? up * t - speed : down * (t - top);
                EXPECT_NEAR(v, exact, 1e-4 * speed + (t > top ? (up - down) * h : 0)) << t;
                highest = std::max(highest, -block.position.dot(slope.down()));
            });
            // Places are those of backward Euler, which lags by half a step at the first speed.
            EXPECT_NEAR(highest, speed * speed / (2 * up) - speed * h / 2, up * h * h);
        }
}

// What rides on a slab that slides has its motion and feels the force of that motion in every step. The two
// were of different order, and the force went to and fro by its own size from step to step.
TEST(Rider, on_a_sliding_slab_feels_a_steady_force)
{
    const Slope slope{0.4};
    constexpr double bottom = 0.2;  // friction under the slab; between the two it is 1
    constexpr double solved = 1e-6;
    for (const char* integrator : {"implicit", "implicit_euler"})
        for (const double h : {frame, frame / 4}) {
            SCOPED_TRACE(testing::Message() << integrator << ", " << h << " s");
            Description d;
            d.bodies = {slope.block("slab", Vec3(1, 0.2, 1)),
                        slope.block("rider", Vec3(0.1, 0.1, 0.1), 0.2)};
            d.bodies[0].friction = 0.5;
            d.bodies[1].friction = 2;
            d.obstacles = {ground(slope.normal())};
            d.obstacles[0].friction = 2 * bottom * bottom;
            d.contact.emplace();
            Simulation s = started(d, stepping(integrator, h));
            const double a = g * (std::sin(slope.angle) - bottom * std::cos(slope.angle));
            runFor(s, 0.5, [&](const StepReport&) {
                const double weight = s.model().bodies[1].mass * g;
                for (const char* name : {"slab", "rider"})
                    EXPECT_NEAR(bodyOf(s, name).velocity.dot(slope.down()), a * s.state.time, solved * g);
                EXPECT_NEAR(contactForceOn(s, "rider").dot(slope.down()),
                            -bottom * std::cos(slope.angle) * weight, solved * weight);
            });
        }
}

// A belt that moves evenly pulls with μ g until the block has its speed; then nothing pulls any more.
TEST(Conveyor, takes_a_block_along)
{
    constexpr double friction = 0.3, speed = 1.5, until = speed / (friction * g);
    constexpr double solved = 1e-6, size = 0.2;
    // What slips by less than this in a step counts as at rest (`stays` in implicit.cpp): BDF2 then looks
    // back at a last bit of slip, and its velocity is beyond the belt's by half of it for a step.
    constexpr double still = 1e-4 * size;
    for (const double h : {frame, frame / 4}) {
        Description d;
        d.bodies = {solid("belt", Box{Vec3(40, 0.2, 1)}, Vec3(0, -0.1, 0)),
                    solid("block", Box{Vec3(size, size, size)}, Vec3(0, 0.1, 0))};
        d.joints = {joined("rail", JointType::slide, "world", "belt", Vec3::Zero())};
        d.joints[0].axis = Vec3::UnitX();
        d.prescribed = {prescribedJoint("rail", {keys({{0, 0}, {10, 10 * speed}}, false)})};
        d.contact.emplace();
        d.contact->friction = friction;
        Simulation s = started(d, stepping("implicit", h));
        runFor(s, until + 0.3, [&](const StepReport&) {
            const double t = s.state.time, v = bodyOf(s, "block").velocity.x();
            EXPECT_NEAR(v, std::min(friction * g * t, speed), solved * speed + still / (2 * h)) << t;
        });
        const double weight = s.model().bodies[s.model().findBody("block")].mass * g;
        EXPECT_LT(std::abs(contactForceOn(s, "block").x()), solved * weight);
        EXPECT_NEAR(contactForceOn(s, "block").y(), weight, solved * weight);
        // Half a step at the whole speed, as above.
        EXPECT_NEAR(bodyOf(s, "block").position.x(), speed * (s.state.time - until / 2) + speed * h / 2,
                    friction * g * h * h);
    }
}

// A lift that goes up and down as A (cos ωt − 1): the floor bears m (g + a), to the order of the step. At
// the start, where BDF2 has no past, the force is that of backward Euler.
TEST(Lift, bears_weight_and_acceleration)
{
    constexpr double amplitude = 0.05, frequency = 1.5, omega = 2 * pi * frequency;
    double errors[2];
    for (int fine = 0; fine < 2; ++fine) {
        Description d;
        d.bodies = {solid("floor", Box{Vec3(1, 0.2, 1)}, Vec3(0, -0.1, 0)),
                    solid("load", Box{Vec3(0.2, 0.2, 0.2)}, Vec3(0, 0.1, 0))};
        d.joints = {joined("shaft", JointType::slide, "world", "floor", Vec3::Zero())};
        d.joints[0].axis = Vec3::UnitY();
        d.prescribed = {prescribedJoint("shaft", {sine(amplitude, frequency, pi / 2, -amplitude)})};
        d.contact.emplace();
        Simulation s = started(d, stepping("implicit", fine ? frame / 4 : frame));
        const double mass = s.model().bodies[s.model().findBody("load")].mass;
        double& worst = errors[fine] = 0;
        runFor(s, 1.2, [&](const StepReport&) {
            if (s.state.time < 3.5 * s.h) return;
            const double a = -amplitude * omega * omega * std::cos(omega * s.state.time);
            worst = std::max(worst, std::abs(contactForceOn(s, "load").y() / mass - g - a));
        });
        EXPECT_LT(std::abs(bodyOf(s, "load").position.y() - bodyOf(s, "floor").position.y() - 0.2), 1e-9);
    }
    std::printf("force off by %.1e and %.1e m/s²\n", errors[0], errors[1]);
    EXPECT_LT(errors[0], 0.02 * g);
    EXPECT_LT(errors[1], errors[0] / 10);  // 16 would be the square of the steps' ratio
}

// A ladder of length L on a floor with friction μ against a smooth wall: the wall bears the moment of the
// weight, N (L cos θ + r) = m g (L/2) sin θ with r the radius of its ends, and the floor must give as much.
TEST(Ladder, stands_up_to_the_angle_that_friction_bears_and_slips_beyond)
{
    constexpr double length = 3, radius = 0.03, duration = 2;
    for (const double friction : {0.2, 0.4}) {
        double low = 0, high = 1.5;
        for (int i = 0; i < 60; ++i) {
            const double angle = (low + high) / 2;
            const double need = length / 2 * std::sin(angle) / (length * std::cos(angle) + radius);
            (need < friction ? low : high) = angle;
        }
        for (const double beyond : {-0.02, -0.002, 0.002, 0.02}) {
            SCOPED_TRACE(testing::Message() << friction << " " << beyond);
            const double angle = low + beyond;
            Description d;
            d.bodies = {
                solid("ladder", Capsule{radius, length},
                      Vec3(length / 2 * std::sin(angle) + radius, length / 2 * std::cos(angle) + radius, 0),
                      Quat(AngleAxis(angle, Vec3::UnitZ())))};
            d.obstacles = {ground(), ground(Vec3::UnitX())};
            d.obstacles[0].friction = friction;
            d.obstacles[1].name = "wall";
            d.obstacles[1].friction = 0;
            d.contact.emplace();
            d.contact->friction = friction;
            Simulation s = started(d, stepping("implicit", frame));
            const Vec3 start = bodyOf(s, "ladder").position;
            runFor(s, duration);
            const double way = (bodyOf(s, "ladder").position - start).norm();
            if (beyond < 0)
                EXPECT_LT(way, 1e-8);
            else  // from 2 mrad too far on it takes most of the time to get going
                EXPECT_GT(way, 0.1);
        }
    }
}

}  // namespace
}  // namespace sinew::textbook_slide_test
