// Frames that fall into a step (state/between.h).
#include <gtest/gtest.h>

#include "sinew/io/json/scene.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/between.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/measure.h"

namespace sinew::between_test {
namespace {

// Two rods on ball joints that swing in space, and a free body that tumbles.
Simulation swinging(const char* integrator, const char* coordinates, double step)
{
    const Result<Description> scene = parseScene(R"({"sinew": 1, "name": "swinging",
        "bodies": [
          {"name": "upper", "position": [0.5, 0, 0], "shapes": [{"type": "box", "size": [1, 0.1, 0.2], "mass": 2}]},
          {"name": "lower", "position": [1.5, 0, 0], "shapes": [{"type": "box", "size": [1, 0.1, 0.2], "mass": 1}]},
          {"name": "free", "position": [0, 3, 1], "velocity": [1, 2, 3], "angular_velocity": [1, 2, 5],
           "shapes": [{"type": "box", "size": [0.2, 0.3, 0.5], "mass": 1}]}],
        "joints": [
          {"name": "a", "type": "spherical", "first": "world", "second": "upper", "position": [0, 0, 0],
           "velocity": [0.3, 1.5, 0]},
          {"name": "b", "type": "universal", "first": "upper", "second": "lower", "position": [1, 0, 0],
           "axis": [0, 0, 1], "axis2": [0, 1, 0], "velocity": [1, 2]}]})",
                                                 "swinging.json");
    SINEW_ASSERT(scene);
    Settings settings;
    settings.integrator = integrator;
    settings.coordinates = coordinates;
    settings.step = step;
    Result<Simulation> made = Simulation::create(scene.value(), settings);
    SINEW_ASSERT(made);
    return made.value();
}

State at(const Simulation& s, double part)
{
    State between;
    stateBetween(s.model(), s.before, s.state, s.before.time + part * (s.state.time - s.before.time),
                 s.method->coordinates == Coordinates::joint, between);
    return between;
}

double distance(const State& a, const State& b)
{
    double largest = 0;
    for (std::size_t i = 0; i < a.bodies.size(); ++i)
        largest = std::max({largest, (a.bodies[i].position - b.bodies[i].position).norm(),
                            (a.bodies[i].orientation.conjugate() * b.bodies[i].orientation).vec().norm()});
    return largest;
}

double speedDistance(const State& a, const State& b)
{
    double largest = 0;
    for (std::size_t i = 0; i < a.bodies.size(); ++i)
        largest = std::max({largest, (a.bodies[i].velocity - b.bodies[i].velocity).norm(),
                            (a.bodies[i].angularVelocity - b.bodies[i].angularVelocity).norm()});
    return largest;
}

TEST(Between, the_ends_of_a_step_are_its_states)
{
    for (const char* coordinates : {"joint", "maximal"}) {
        Simulation s = swinging("implicit", coordinates, 0.01);
        for (int i = 0; i < 20; ++i) ASSERT_TRUE(s.step().ok);
        constexpr double rounding = 1e-13;
        EXPECT_LT(distance(at(s, 0), s.before), rounding);
        EXPECT_LT(distance(at(s, 1), s.state), rounding);
        EXPECT_LT(speedDistance(at(s, 0), s.before), rounding);
        EXPECT_LT(speedDistance(at(s, 1), s.state), rounding);
    }
}

TEST(Between, a_smooth_motion_is_met_to_fourth_order)
{
    for (const char* coordinates : {"joint", "maximal"}) {
        double last = 0;
        for (const double h : {0.04, 0.02, 0.01}) {
            Simulation s = swinging("rk4", coordinates, h), fine = swinging("rk4", coordinates, h / 32);
            double error = 0;
            for (int i = 0; i < std::lround(0.4 / h); ++i) {
                ASSERT_TRUE(s.step().ok);
                // From the same state, so that only the way between the ends is compared.
                fine.state = s.before;
                for (int k = 0; k < 13; ++k) ASSERT_TRUE(fine.step().ok);
                error = std::max(error, distance(at(s, 13. / 32), fine.state));
            }
            if (last > 0) EXPECT_GT(last / error, 12) << coordinates << " at " << h;
            last = error;
        }
        EXPECT_LT(last, 1e-6);
        EXPECT_GT(last, 0);
    }
}

TEST(Between, velocities_are_the_rates_of_places)
{
    Simulation s = swinging("rk4", "joint", 0.02);
    for (int i = 0; i < 7; ++i) ASSERT_TRUE(s.step().ok);
    constexpr double part = 1e-4, h = 0.02;
    const State a = at(s, 0.3 - part), b = at(s, 0.3 + part), m = at(s, 0.3);
    for (std::size_t i = 0; i < m.bodies.size(); ++i) {
        const Vec3 rate = (b.bodies[i].position - a.bodies[i].position) / (2 * part * h);
        const Vec3 turn =
            2 * (a.bodies[i].orientation.conjugate() * b.bodies[i].orientation).vec() / (2 * part * h);
        EXPECT_LT((rate - m.bodies[i].velocity).norm(), 1e-8);
        EXPECT_LT((turn - m.bodies[i].angularVelocity).norm(), 1e-8);
    }
}

TEST(Between, joints_hold)
{
    Simulation s = swinging("implicit", "joint", 1. / 30);
    for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(s.step().ok);
        EXPECT_LT(largestJointError(s.model(), at(s, 0.4)).gap, 1e-14);
    }
}

// What lands or bounces must not be seen inside the ground for a frame, as a cubic would have it.
TEST(Between, nothing_is_thrown_through_the_floor)
{
    for (const double restitution : {0., 0.9}) {
        Result<Description> scene = parseScene(R"({"sinew": 1, "name": "drop",
            "bodies": [{"name": "ball", "position": [0, 1, 0], "shapes": [{"type": "sphere", "radius": 0.1}]}],
            "obstacles": [{"type": "plane"}], "contact": true, "run": {"step": 0.02}})",
                                               "drop.json");
        ASSERT_TRUE(scene);
        scene.value().contact->restitution = restitution;
        Result<Simulation> made = Simulation::create(scene.value(), {});
        ASSERT_TRUE(made);
        Simulation& s = made.value();
        double lowest = 1;
        for (int i = 0; i < 100; ++i) {
            ASSERT_TRUE(s.step().ok);
            for (const double part : {0.1, 0.3, 0.5, 0.7, 0.9})
                lowest = std::min(lowest, at(s, part).bodies[0].position.y());
        }
        EXPECT_GT(lowest, 0.1 - 1e-6) << restitution;
        EXPECT_LT(lowest, 0.12) << restitution;
    }
}

}  // namespace
}  // namespace sinew::between_test
