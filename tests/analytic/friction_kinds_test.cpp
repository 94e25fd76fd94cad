// Static friction apart from kinetic, and rolling and spinning friction, where the answer is known.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/math/rotation.h"
#include "support/contact_scenes.h"

namespace sinew::friction_kinds_test {
namespace {

using test::g;
using test::ground;
using test::runFor;
using test::solid;
using test::started;
using test::stepping;

constexpr double kinetic = 0.3, sticking = 0.5;  // coefficients

// A low block on a plane that goes down along +x.
Description blockOnSlope(double angle)
{
    const Vec3 normal(std::sin(angle), std::cos(angle), 0);
    Description d;
    d.bodies = {solid("block", Box{Vec3(0.4, 0.1, 0.3)}, 0.05 * normal,
                      Quat(std::cos(angle / 2), 0, 0, -std::sin(angle / 2)))};
    d.obstacles = {ground(normal)};
    d.contact.emplace();
    d.contact->friction = kinetic;
    d.contact->staticFriction = sticking;
    return d;
}

Vec3 downhill(double angle)
{
    return {std::cos(angle), -std::sin(angle), 0};
}

// Between the two angles of friction both can be: what rests stays, what slides goes on.
TEST(StaticFriction, holds_between_the_two_angles_what_rests_and_lets_go_on_what_slides)
{
    for (double part : {0.02, 0.5, 0.98}) {
        const double angle = std::atan(kinetic) + part * (std::atan(sticking) - std::atan(kinetic));
        Simulation rests = started(blockOnSlope(angle), stepping("implicit", 0.01));
        const Vec3 start = rests.state.bodies[0].position;
        runFor(rests, 2);
        EXPECT_LT((rests.state.bodies[0].position - start).norm(), 1e-6) << part;

        Description d = blockOnSlope(angle);
        d.bodies[0].velocity = 0.5 * downhill(angle);
        Simulation slides = started(d, stepping("implicit", 0.01));
        runFor(slides, 1);
        const double wanted = 0.5 + g * (std::sin(angle) - kinetic * std::cos(angle)) * slides.state.time;
        EXPECT_NEAR(slides.state.bodies[0].velocity.dot(downhill(angle)), wanted, 1e-6) << part;
    }
}

// A pull along the ground that grows evenly: nothing moves until it is f_s m g, then what is above f_k m g
// accelerates.
TEST(StaticFriction, lets_go_where_a_growing_pull_exceeds_it)
{
    for (const char* response : {"resting", "penalty"}) {
        Description d = blockOnSlope(0);
        using Response = ContactDescription::Response;
        if (response[0] == 'p') d.contact->response = Response::penalty;
        d.bodies[0].mass = 2;
        const double rate = 10, mass = 2;  // N/s
        ForceDescription pull;
        pull.body = "block";
        pull.force = Vec3(1, 0, 0);
        pull.point = Vec3(0, 0, 0);  // in the ground: it does not tip
        KeySignal ramp;
        ramp.smooth = false;
        ramp.keys = {{0, 0}, {10, 10 * rate}};
        pull.signal = Signal(SignalPart(ramp));
        d.forces = {pull};
        Simulation s = started(d, stepping("implicit", 2e-3));
        const double breaks = sticking * mass * g / rate;
        double first = 0;
        runFor(s, breaks + 0.5, [&](const StepReport&) {
            if (first == 0 && s.state.bodies[0].velocity.x() > 1e-4) first = s.state.time;
        });
        EXPECT_NEAR(first, breaks, 0.01) << response;
        const double t = s.state.time - breaks;
        const double wanted = ((sticking - kinetic) * g * t) + rate / mass * t * t / 2;
        EXPECT_NEAR(s.state.bodies[0].velocity.x() / wanted, 1, 0.02) << response;
    }
}

// A spring that is drawn at an even speed: it stretches to e_s = f_s m g/k, and, drawn slowly, springs back
// to 2 e_k − e_s, again and again.
TEST(StaticFriction, gives_stick_and_slip_on_a_spring)
{
    Description d = blockOnSlope(0);
    d.bodies[0].mass = 1;
    const double k = 100, speed = 0.02;
    TargetDescription spring;
    spring.body = "block";
    spring.point = Vec3(0, 0, 0);
    spring.stiffness = k;
    spring.path = {{0, Vec3(0, 0, 0), {}}, {100, Vec3(100 * speed, 0, 0), {}}};
    d.targets = {spring};
    Simulation s = started(d, stepping("implicit", 1e-3));
    const double held = sticking * g / k, slid = kinetic * g / k;
    double longest = 0, shortest = 1;
    int slips = 0;
    bool wasMoving = false;
    runFor(s, held / speed + 3 * 2 * (held - slid) / speed, [&](const StepReport&) {
        const double stretch = speed * s.state.time - s.state.bodies[0].position.x();
        const bool moves = s.state.bodies[0].velocity.x() > 1e-4;
        slips += moves && !wasMoving;
        wasMoving = moves;
        longest = std::max(longest, stretch);
        if (slips > 0) shortest = std::min(shortest, stretch);
    });
    std::printf("stretch %.5f to %.5f m, wanted %.5f to %.5f; %d slips\n", shortest, longest,
                2 * slid - held, held, slips);
    EXPECT_NEAR(longest, held, 0.01 * held);              // it is drawn on while it lets go
    EXPECT_NEAR(shortest, 2 * slid - held, 0.02 * held);  // backward Euler damps the slip by 1.6 %
    EXPECT_GE(slips, 3);
    EXPECT_LE(slips, 4);
}

// A ball of a radius on a plane with any normal, of a density, under gravity along −normal.
struct Ball {
    double radius = 0.1, rolling = 0, spinning = 0, gravity = g;
    Vec3 normal = Vec3::UnitY();
    Vec3 velocity = Vec3::Zero(), turn = Vec3::Zero();

    Simulation simulation(double h, ContactDescription::Solver solver) const
    {
        Description d;
        d.gravity = -gravity * normal;
        d.bodies = {solid("ball", Sphere{radius}, radius * normal)};
        d.bodies[0].velocity = velocity;
        d.bodies[0].angularVelocity = turn;
        d.bodies[0].rollingFriction = rolling;
        d.bodies[0].spinningFriction = spinning;
        d.obstacles = {ground(normal)};
        d.contact.emplace();
        d.contact->solver = solver;
        d.contact->tolerance = 1e-10 * radius;
        return started(d, stepping("implicit", h));
    }
};

using Solver = ContactDescription::Solver;

// m v̇ = −F and ⅖ m R² ω̇ = F R − c m g with v = ω R: v̇ = −(5/7) g c/R. It stops and stays.
TEST(RollingFriction, slows_a_ball_by_five_sevenths_of_g_times_the_coefficient_over_the_radius)
{
    for (const Vec3& normal : {Vec3(0, 1, 0), Vec3(0.36, 0.48, -0.8)})
        for (const double size : {1e-2, 1., 1e2})
            for (const Solver solver : {Solver::exact, Solver::iterative}) {
                Ball ball;
                ball.normal = normal;
                ball.radius = 0.1 * size;
                ball.rolling = 0.02 * ball.radius;
                const double time = std::sqrt(size);  // lengths times s, times times √s
                const Vec3 along = directorsAcross(normal).first;
                const double speed = 0.5 * size / time;
                ball.velocity = speed * along;
                ball.turn = normal.cross(along) * (speed / ball.radius);
                Simulation s = ball.simulation(0.01 * time, solver);
                runFor(s, 1 * time);
                const double slowing = 5. / 7 * g * 0.02;
                const double wanted = speed - slowing * s.state.time;
                EXPECT_NEAR(s.state.bodies[0].velocity.dot(along) / wanted, 1, 1e-5) << size;
                runFor(s, 4 * time);
                EXPECT_LT(s.state.bodies[0].velocity.norm(), 1e-6 * speed) << size;
                const double way = speed * speed / (2 * slowing);
                // Steps in touch are backward Euler's: the way is short by v h/2.
                EXPECT_NEAR(s.state.bodies[0].position.dot(along), way, 0.51 * speed * s.h) << size;
            }
}

// On a slope it holds a ball up to tan(angle) = c/R.
TEST(RollingFriction, holds_a_ball_on_a_slope_that_is_not_too_steep)
{
    for (const double part : {0.95, 1.05}) {
        const double angle = std::atan(part * 0.1);
        Description d;
        const Vec3 normal(std::sin(angle), std::cos(angle), 0);
        d.bodies = {solid("ball", Sphere{0.1}, 0.1 * normal)};
        d.obstacles = {ground(normal)};
        d.contact.emplace();
        d.contact->rollingFriction = 0.01;
        Simulation s = started(d, stepping("implicit", 0.01));
        runFor(s, 2);
        const double speed = s.state.bodies[0].velocity.norm();
        const double slope = 5. / 7 * g * (std::sin(angle) - 0.1 * std::cos(angle)) * s.state.time;
        if (part < 1)
            EXPECT_LT(speed, 1e-7);
        else
            EXPECT_NEAR(speed / slope, 1, 1e-5);
    }
}

// ⅖ m R² ω̇ = −c m g.
TEST(SpinningFriction, stops_a_ball_that_spins_after_the_time_that_it_takes)
{
    for (const Vec3& normal : {Vec3(0, 1, 0), Vec3(0.36, 0.48, -0.8)})
        for (const double size : {1e-2, 1., 1e2})
            for (const Solver solver : {Solver::exact, Solver::iterative}) {
                Ball ball;
                ball.normal = normal;
                ball.radius = 0.1 * size;
                ball.spinning = 0.01 * ball.radius;
                const double time = std::sqrt(size);
                const double slowing = 2.5 * g * 0.01 / ball.radius;
                const double spin = slowing * 1.5 * time;
                ball.turn = spin * normal;
                Simulation s = ball.simulation(0.01 * time, solver);
                runFor(s, time);
                EXPECT_NEAR(s.state.bodies[0].angularVelocityWorld().dot(normal) / spin,
                            1 - s.state.time / (1.5 * time), 1e-5)
                    << size;
                runFor(s, time);
                EXPECT_LT(s.state.bodies[0].angularVelocityWorld().norm(), 1e-6 * spin) << size;
            }
}

// Many balls on a tray share an island, which the sparse solver takes.
TEST(RollingFriction, is_the_same_for_balls_under_a_plate)
{
    Description d;
    d.contact.emplace();
    d.contact->rollingFriction = 0.002;
    BodyDescription plate = solid("plate", Box{Vec3(2, 0.1, 2)}, Vec3(0, 0.25, 0));
    plate.velocity = Vec3(1, 0, 0);
    d.bodies.push_back(plate);
    for (int i = 0; i < 16; ++i) {
        BodyDescription ball = solid("ball" + std::to_string(i), Sphere{0.1},
                                     Vec3(0.5 * (i % 4 - 1.5), 0.1, 0.5 * (i / 4 - 1.5)));
        ball.velocity = Vec3(0.5, 0, 0);
        ball.angularVelocity = Vec3(0, 0, -5);
        d.bodies.push_back(ball);
    }
    d.obstacles = {ground()};
    double speeds[2];
    int k = 0;
    for (const Solver solver : {Solver::exact, Solver::automatic}) {
        d.contact->solver = solver;
        Simulation s = started(d, stepping("implicit", 0.01));
        runFor(s, 0.3);
        speeds[k++] = s.state.bodies[0].velocity.x();
    }
    // Each ball turns by V/2R and bears torques at both its ends, c (N + N + m g); energy gives the rest.
    const double M = 400, m = 1000 * 4. / 3 * pi * 1e-3, n = 16;
    const double retarding = 0.002 / 0.1 * (2 * M * g + n * m * g) / 2;
    const double inertia = M + n * m * (1 + 0.4) / 4;
    EXPECT_NEAR(speeds[0], 1 - retarding / inertia * 0.3, 1e-4);
    EXPECT_NEAR(speeds[1], speeds[0], 1e-6);
}

}  // namespace
}  // namespace sinew::friction_kinds_test
