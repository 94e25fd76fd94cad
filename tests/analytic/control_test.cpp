// Controllers, torque functions, friction, spikes and supports against what a textbook says of them.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/force/laws.h"
#include "sinew/io/json/scene.h"
#include "sinew/measure/energy.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

// A wheel of 2 kg·m² about z whose centre of mass is its axle, so that gravity does not turn it; or with
// `arm`, a mass of 2 kg at the end of a massless arm of 1 m along x, which makes the same inertia.
std::string scene(const std::string& more, bool arm = false)
{
    const std::string place = arm ? "[1, 0, 0]" : "[0, 0, 0]";
    const std::string inertia = arm ? "[1e-3, 1e-3, 1e-3]" : "[2, 2, 2]";
    return R"({"sinew": 1, "bodies": [{"name": "b", "position": )" + place + R"(, "mass": 2, "inertia": )" +
           inertia + R"(}], "joints": [{"name": "j", "type": "hinge", "first": "world", "second": "b",
           "axis": [0, 0, 1] )" +
           more + "}";
}
constexpr double inertia = 2;

Simulation start(const std::string& text, const char* integrator, double h)
{
    Result<Description> d = parseScene(text, "test");
    EXPECT_TRUE(d) << d.error().text();
    Result<Simulation> made = Simulation::create(d.value(), {"", integrator, h});
    EXPECT_TRUE(made) << made.error().text();
    return std::move(made.value());
}

void runUntil(Simulation& s, double time)
{
    while (s.state.time < time - 0.5 * s.h) ASSERT_TRUE(s.step().ok);
}

// ---- controllers ----------------------------------------------------------------------------------

TEST(Controller, swings_and_dies_away_like_a_damped_oscillator)
{
    const double k = 50, d = 2, x0 = 0.4;
    Simulation s = start(scene(R"(, "coordinate": 0.4}],
        "controllers": [{"joint": "j", "stiffness": 50, "damping": 2}])"),
                         "rk4", 1e-3);
    const double decay = d / (2 * inertia), w = std::sqrt(k / inertia - decay * decay);
    for (double t : {0.5, 1.3, 3.0}) {
        runUntil(s, t);
        const double exact = x0 * std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t));
        EXPECT_NEAR(s.state.q[0], exact, 1e-9) << t;  // fourth order at a thousandth of a second
    }
}

TEST(Controller, of_a_ball_joint_has_the_same_frequency_about_every_axis)
{
    Result<Description> d = parseScene(R"({"sinew": 1, "bodies": [{"name": "b", "mass": 2,
        "inertia": [2, 2, 2]}], "joints": [{"name": "j", "type": "spherical", "first": "world",
        "second": "b", "coordinate": [0.2, -0.1, 0.2]}],
        "controllers": [{"joint": "j", "stiffness": 50}]})",
                                       "test");
    ASSERT_TRUE(d) << d.error().text();
    Result<Simulation> made = Simulation::create(d.value(), {"", "rk4", 1e-3});
    ASSERT_TRUE(made) << made.error().text();
    Simulation& s = made.value();
    runUntil(s, 1);
    double phi[3];
    describedCoordinate(s.model(), s.state, 0, phi);
    const double c = std::cos(std::sqrt(25.));
    EXPECT_NEAR(phi[0], 0.2 * c, 1e-9);
    EXPECT_NEAR(phi[1], -0.1 * c, 1e-9);
}

TEST(Controller, sags_under_load_by_load_over_stiffness)
{
    Simulation s = start(scene(R"(}], "forces": [{"body": "b", "torque": [0, 0, 3]}],
        "controllers": [{"joint": "j", "stiffness": 50, "damping": 20, "target": 0.2}])"),
                         "implicit", 1. / 60);
    runUntil(s, 10);
    EXPECT_NEAR(s.state.q[0], 0.2 + 3. / 50, 1e-9);
}

TEST(Controller, follows_a_ramp_without_lag_since_it_damps_the_error_of_the_velocity)
{
    for (const char* integrator : {"implicit", "implicit_euler", "semi_implicit_euler"}) {
        Simulation s = start(scene(R"(}], "controllers": [{"joint": "j", "stiffness": 80, "damping": 30,
            "target": {"keys": [[0, 0], [10, 5]], "smooth": false}}])"),
                             integrator, 1. / 60);
        runUntil(s, 8);
        EXPECT_NEAR(s.state.q[0], 4, 1e-6) << integrator;
        EXPECT_NEAR(s.state.u[0], 0.5, 1e-6) << integrator;
    }
}

TEST(Controller, is_stable_at_any_gain_at_a_sixtieth_of_a_second)
{
    for (const char* gain : {"1e2", "1e5", "1e8"})
        for (const char* coordinates : {"joint", "maximal"}) {
            Result<Description> d = parseScene(scene(std::string(R"(}],
                "controllers": [{"joint": "j", "stiffness": )") +
                                                         gain + R"(, "damping": 10, "target":
                {"sine": {"amplitude": 1, "frequency": 2}}}])",
                                                     true),
                                               "test");
            ASSERT_TRUE(d) << d.error().text();
            Result<Simulation> made = Simulation::create(d.value(), {"", "implicit", 1. / 60, coordinates});
            ASSERT_TRUE(made);
            Simulation& s = made.value();
            double worst = 0;
            for (int i = 0; i < 300; ++i) {
                ASSERT_TRUE(s.step().ok);
                const double error = s.state.q[0] - std::sin(4 * pi * s.state.time);
                if (i > 60) worst = std::max(worst, std::abs(error));
            }
            EXPECT_LT(worst, gain == std::string("1e2")   ? 10
                             : gain == std::string("1e5") ? 0.01
                                                          : 1e-5)
                << gain << " " << coordinates;
        }
}

TEST(Controller, gives_no_more_than_its_limit)
{
    // Far from its target it pushes with 3 N·m and no more: a constant acceleration.
    Simulation s = start(scene(R"(}], "controllers":
        [{"joint": "j", "stiffness": 1e4, "damping": 1, "target": 100, "limit": 3}])"),
                         "implicit", 1. / 60);
    runUntil(s, 2);
    EXPECT_NEAR(s.state.u[0], 3 / inertia * 2, 1e-9);
}

TEST(Controller, stores_what_its_limited_force_can_give_back)
{
    // Without damping it swings through its target and far beyond, where it gives 3 N·m; nothing is lost.
    Simulation s = start(scene(R"(, "velocity": 4}], "controllers":
        [{"joint": "j", "stiffness": 20, "target": 1, "limit": 3}])"),
                         "rk4", 1e-3);
    const double before = energy(s.model(), s.state).total();
    double farthest = 0, worst = 0;
    while (s.state.time < 3) {
        ASSERT_TRUE(s.step().ok);
        farthest = std::max(farthest, std::abs(s.state.q[0] - 1));
        worst = std::max(worst, std::abs(energy(s.model(), s.state).total() - before));
    }
    EXPECT_GT(farthest, 2 * 3 / 20.);
    EXPECT_LT(worst, 1e-5 * before);  // rk4 at the corner of the force
}

TEST(Controller, weight_takes_it_away_without_a_jump)
{
    // Held against a torque, then let go over half a second.
    Simulation s = start(scene(R"(}], "forces": [{"body": "b", "torque": [0, 0, 3]}],
        "controllers": [{"joint": "j", "stiffness": 50, "damping": 20,
        "weight": {"step": {"from": 1, "to": 0, "time": 5, "ramp": 0.5}}}])"),
                         "implicit", 1. / 240);
    runUntil(s, 5);
    double jump = 0, before = s.state.u[0];
    while (s.state.time < 6.5) {
        ASSERT_TRUE(s.step().ok);
        jump = std::max(jump, std::abs(s.state.u[0] - before) / s.h);
        before = s.state.u[0];
    }
    EXPECT_LT(jump, 3 / inertia + 1e-6);  // never more than the bare torque gives
    const double last = s.state.u[0];
    ASSERT_TRUE(s.step().ok);
    EXPECT_NEAR((s.state.u[0] - last) / s.h, 3 / inertia, 1e-6);
}

// ---- torque functions and friction ----------------------------------------------------------------

TEST(TorqueFunction, lets_the_joint_play_freely_inside_its_zone)
{
    Simulation s = start(scene(R"(, "velocity": 0.1}],
        "torques": [{"joint": "j", "free": [-0.5, 0.5], "slope": [100, 100]}])"),
                         "rk4", 1e-3);
    runUntil(s, 4);
    EXPECT_NEAR(s.state.q[0], 0.4, 1e-12);
    runUntil(s, 20);
    EXPECT_LT(std::abs(s.state.q[0]), 0.5 + 0.1 / std::sqrt(50.) + 1e-6);  // amplitude beyond: v/ω
}

TEST(TorqueFunction, rests_under_load_where_slope_times_way_is_the_load)
{
    Simulation s = start(scene(R"(, "damping": 20}], "forces": [{"body": "b", "torque": [0, 0, 3]}],
        "torques": [{"joint": "j", "free": [-0.5, 0.5], "slope": [100, 60],
                     "center": {"step": {"from": 0, "to": 0.3, "time": 5, "ramp": 1}}}])"),
                         "implicit", 1. / 60);
    runUntil(s, 5);
    EXPECT_NEAR(s.state.q[0], 0.5 + 3. / 60, 1e-4);  // it is still on its way
    runUntil(s, 15);                                 // the zone has moved
    EXPECT_NEAR(s.state.q[0], 0.8 + 3. / 60, 1e-6);
}

TEST(TorqueFunction, gives_way_to_a_load_beyond_its_most)
{
    Simulation s = start(scene(R"(}], "forces": [{"body": "b", "torque": [0, 0, 3]}],
        "torques": [{"joint": "j", "curve": [[-1, 2], [0, 0], [1, -2]]}])"),
                         "implicit", 1. / 240);
    runUntil(s, 4);
    EXPECT_GT(s.state.q[0], 1);
    const double before = s.state.u[0];
    runUntil(s, 5);
    EXPECT_NEAR(s.state.u[0] - before, (3. - 2) / inertia, 1e-6);
}

TEST(TorqueFunction, of_a_ball_joint_holds_swing_and_twist_apart)
{
    Result<Description> d = parseScene(R"({"sinew": 1, "gravity": [0, 0, 0], "bodies": [{"name": "b",
        "mass": 2, "inertia": [2, 2, 2]}], "joints": [{"name": "j", "type": "spherical",
        "first": "world", "second": "b", "axis": [0, 1, 0], "damping": 30}],
        "forces": [{"body": "b", "torque": [4, 2, 0]}],
        "torques": [{"joint": "j", "part": "swing", "free": [0, 0.2], "slope": [0, 40]},
                    {"joint": "j", "part": "twist", "free": [-0.1, 0.1], "slope": [50, 50]}]})",
                                       "test");
    ASSERT_TRUE(d) << d.error().text();
    Result<Simulation> made = Simulation::create(d.value(), {"", "implicit", 1. / 60});
    ASSERT_TRUE(made) << made.error().text();
    Simulation& s = made.value();
    runUntil(s, 30);
    Vec3 Q = Vec3::Zero();
    addDriveForce(s.model(), s.state, 0, Q.data());
    // At rest the functions balance the load (given in world axes).
    const Vec3 inWorld = s.state.bodies[0].orientation * Q;
    EXPECT_LT((inWorld + Vec3(4, 2, 0)).norm(), 1e-4);
}

TEST(FreePlay, damping_slows_the_joint_inside_the_zone_and_not_outside)
{
    const double d = 1.5;
    Simulation s = start(scene(R"(, "velocity": 0.2}], "torques":
        [{"joint": "j", "free": [-1, 1], "slope": [0, 0], "free_damping": 1.5}])"),
                         "rk4", 1e-3);
    runUntil(s, 1);
    EXPECT_NEAR(s.state.u[0], 0.2 * std::exp(-d / inertia), 1e-9);
    Simulation outside = start(scene(R"(, "velocity": 0.2, "coordinate": 2}], "torques":
        [{"joint": "j", "free": [-1, 1], "slope": [0, 0], "free_damping": 1.5}])"),
                               "rk4", 1e-3);
    runUntil(outside, 1);
    EXPECT_NEAR(outside.state.u[0], 0.2, 1e-12);
}

TEST(DryFriction, stops_a_wheel_in_a_straight_line)
{
    for (const char* integrator : {"implicit", "implicit_euler"}) {
        Simulation s = start(scene(R"(, "velocity": 3, "coulomb": 4}])"), integrator, 1. / 240);
        runUntil(s, 1);
        EXPECT_NEAR(s.state.u[0], 3 - 4 / inertia, 1e-5) << integrator;
        runUntil(s, 2);  // it stood still after 1.5 s
        EXPECT_NEAR(s.state.u[0], 0, 1e-9) << integrator;
        EXPECT_NEAR(s.state.q[0], 0.5 * 3 * 1.5, 0.01) << integrator;
    }
}

TEST(DryFriction, holds_a_smaller_load_all_but_still)
{
    Simulation s = start(scene(R"(, "coulomb": 4}], "forces": [{"body": "b", "torque": [0, 0, 3]}])"),
                         "implicit", 1. / 60);
    runUntil(s, 1);
    // It creeps: 3 = 4 u / √(u² + ε²) with ε = 1e-3 rad/s.
    EXPECT_NEAR(s.state.u[0], 1e-3 * 0.75 / std::sqrt(1 - 0.75 * 0.75), 1e-6);
}

// ---- motors, spikes, conditions -------------------------------------------------------------------

TEST(Spike, gives_its_impulse_once_a_period)
{
    // 0.11 s every 2 s, as in the paper's finger: steps of 0.01 s hit both edges.
    Simulation s = start(scene(R"(}], "forces": [{"body": "b", "torque": [0, 0, 10],
        "signal": {"pulse": {"start": 2, "length": 0.11, "period": 2}}}])"),
                         "semi_implicit_euler", 0.01);
    runUntil(s, 1.99);
    EXPECT_EQ(s.state.u[0], 0);
    for (int n = 1; n <= 3; ++n) {
        runUntil(s, 2 * n + 1);
        EXPECT_NEAR(s.state.u[0], n * 10 * 0.11 / inertia, 1e-12) << n;
    }
}

TEST(Motor, turns_with_the_integral_of_its_signal)
{
    Simulation s = start(scene(R"(}], "motors": [{"joint": "j",
        "torque": {"sum": [1, {"sine": {"amplitude": 2, "frequency": 0.5}}]}}])"),
                         "rk4", 1e-3);
    runUntil(s, 1);
    EXPECT_NEAR(s.state.u[0], (1 + 2 * 2 / pi) / inertia, 1e-9);
}

TEST(Condition, when_fires_at_the_moment_and_while_lasts_as_long)
{
    // A falling body crosses 0 at √(2 · 4.905 / 9.81) = 1 s and is then pushed for 0.1 s.
    Result<Description> d = parseScene(R"({"sinew": 1, "bodies": [{"name": "b", "position": [0, 4.905, 0],
        "mass": 2, "inertia": [1, 1, 1]}], "forces": [
        {"body": "b", "force": [8, 0, 0], "signal": {"pulse": {"length": 0.1}},
         "when": {"height": "b", "below": 0}},
        {"body": "b", "force": [0, 0, 2], "while": {"speed": "b", "above": 4.905}}]})",
                                       "test");
    ASSERT_TRUE(d) << d.error().text();
    Result<Simulation> made = Simulation::create(d.value(), {"", "rk4", 1e-3});
    ASSERT_TRUE(made) << made.error().text();
    Simulation& s = made.value();
    runUntil(s, 0.99);
    EXPECT_EQ(s.state.bodies[0].velocity.x(), 0);
    runUntil(s, 3);
    EXPECT_NEAR(s.state.bodies[0].velocity.x(), 8 * 0.1 / 2, 1e-3);  // a stage of a step sees the edge
    // From 0.5 s on it is fast enough, and stays so.
    EXPECT_NEAR(s.state.bodies[0].velocity.z(), 2 * 2.5 / 2, 5e-3);
}

// ---- supports -------------------------------------------------------------------------------------

// Two bodies of 3 and 1 kg on a hinge, floating.
std::string floating(const std::string& more)
{
    return R"({"sinew": 1, "bodies": [
        {"name": "a", "mass": 3, "inertia": [1, 1, 1]},
        {"name": "b", "position": [1, 0, 0], "mass": 1, "inertia": [0.1, 0.1, 0.1]}],
        "joints": [{"name": "j", "type": "hinge", "first": "a", "second": "b", "position": [0.5, 0, 0],
                    "axis": [0, 0, 1]}], )" +
           more + "}";
}

Vec3 center(const Simulation& s)
{
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < s.model().size(); ++i) sum += s.model().bodies[i].mass * s.state.bodies[i].position;
    return sum / s.model().mass();
}

TEST(Support, at_a_body_carries_the_weight_of_all)
{
    Simulation s = start(floating(R"("supports": [{"at": "body", "body": "a"}])"), "rk4", 1e-3);
    const Vec3 before = center(s);
    runUntil(s, 1);
    EXPECT_LT((center(s) - before).norm(), 1e-10);
    EXPECT_GT(std::abs(s.state.q[7]), 0.1);  // while the other body hangs down
}

TEST(Support, at_the_center_of_mass_leaves_the_figure_weightless)
{
    Simulation s =
        start(floating(R"("supports": [{"at": "center", "body": "a", "share": 0.5}])"), "rk4", 1e-3);
    runUntil(s, 1);
    EXPECT_NEAR(s.state.bodies[0].position.y(), -0.25 * 9.81, 1e-9);
    EXPECT_NEAR(s.state.q[7], 0, 1e-12);
}

TEST(Support, at_the_feet_is_shared_by_those_that_touch)
{
    Result<Description> d =
        parseScene(R"({"sinew": 1, "obstacles": [{"type": "plane", "stiffness": 1e5}], "bodies": [
        {"name": "left", "position": [0, 0.0999, 0], "shapes": [{"type": "sphere", "radius": 0.1}], "mass": 1},
        {"name": "right", "position": [1, 0.3, 0], "shapes": [{"type": "sphere", "radius": 0.1}], "mass": 1}],
        "joints": [{"name": "j", "type": "weld", "first": "left", "second": "right"}],
        "supports": [{"at": "feet", "bodies": ["left", "right"], "share": 0.9}]})",
                   "test");
    ASSERT_TRUE(d) << d.error().text();
    Result<Simulation> made = Simulation::create(d.value(), {"", "implicit", 1. / 60});
    ASSERT_TRUE(made) << made.error().text();
    Simulation& s = made.value();
    Forces forces;
    sceneForces(s.model(), s.state, forces);
    const int right = s.model().findBody("right");
    EXPECT_NEAR(forces.body[right].force.y(), -9.81, 1e-12);  // in the air: its weight alone
    runUntil(s, 10);
    sceneForces(s.model(), s.state, forces);
    // Both stand now, each with nine tenths of its own weight, and the ground has the rest to do.
    double depth = 0;
    for (int i = 0; i < 2; ++i) {
        EXPECT_NEAR(forces.body[i].force.y(), 0, 1e-6);
        depth += 0.1 - s.state.bodies[i].position.y();
    }
    EXPECT_NEAR(1e5 * depth, 0.1 * 2 * 9.81, 1e-6);
    EXPECT_LT(s.state.bodies[0].velocity.norm(), 1e-6);
}

TEST(GravityCompensation, holds_an_arm_wherever_it_is_put)
{
    for (const char* integrator : {"rk4", "implicit"}) {
        Result<Description> d = parseScene(R"({"sinew": 1, "gravity_compensation": 1, "bodies": [
            {"name": "a", "position": [0.5, 0, 0], "mass": 3, "inertia": [1, 1, 1]},
            {"name": "b", "position": [1.5, 0, 0], "mass": 1, "inertia": [0.1, 0.1, 0.1]}],
            "joints": [{"name": "shoulder", "type": "spherical", "first": "world", "second": "a",
                        "coordinate": [0.3, 0.2, 0.5]},
                       {"name": "elbow", "type": "hinge", "first": "b", "second": "a", "position": [1, 0, 0],
                        "axis": [0, 0, 1], "coordinate": 0.7}]})",
                                           "test");
        ASSERT_TRUE(d) << d.error().text();
        Result<Simulation> made = Simulation::create(d.value(), {"", integrator, 1. / 60});
        ASSERT_TRUE(made) << made.error().text();
        Simulation& s = made.value();
        const State before = s.state;
        runUntil(s, 2);
        for (int i = 0; i < 2; ++i)
            EXPECT_LT((s.state.bodies[i].position - before.bodies[i].position).norm(), 1e-9) << integrator;
    }
}

TEST(GravityCompensation, is_none_in_what_floats)
{
    for (const char* integrator : {"rk4", "implicit"}) {
        State ends[2];
        for (const int share : {0, 1}) {
            Result<Description> d = parseScene(R"({"sinew": 1, "bodies": [
                {"name": "a", "mass": 0.1, "inertia": [0.01, 0.01, 0.01]},
                {"name": "b", "position": [1, 0, 0], "mass": 3, "inertia": [1, 1, 1]}],
                "joints": [{"name": "elbow", "type": "hinge", "first": "a", "second": "b", "axis": [0, 0, 1]}]})",
                                               "test");
            ASSERT_TRUE(d) << d.error().text();
            d.value().gravityCompensation = share;
            Result<Simulation> made = Simulation::create(d.value(), {"", integrator, 1. / 60});
            ASSERT_TRUE(made) << made.error().text();
            runUntil(made.value(), 0.5);
            ends[share] = made.value().state;
        }
        EXPECT_EQ(stateHash(ends[0]), stateHash(ends[1])) << integrator;
    }
}

TEST(Target, pulls_no_harder_than_its_limit_and_rests_where_spring_and_weight_agree)
{
    Result<Description> d = parseScene(R"({"sinew": 1, "bodies": [{"name": "b", "mass": 2,
        "inertia": [1, 1, 1]}], "targets": [{"body": "b", "stiffness": 100, "damping": 40,
        "path": [{"time": 0}]}]})",
                                       "test");
    ASSERT_TRUE(d) << d.error().text();
    Description held = d.value();
    Simulation s = std::move(Simulation::create(held, {"", "implicit", 1. / 60}).value());
    runUntil(s, 10);
    EXPECT_NEAR(s.state.bodies[0].position.y(), -2 * 9.81 / 100, 1e-9);
    held.targets[0].limit = 10;  // half the weight
    s = std::move(Simulation::create(held, {"", "implicit", 1. / 60}).value());
    runUntil(s, 2);
    const double v = s.state.bodies[0].velocity.y();
    runUntil(s, 3);
    EXPECT_NEAR(s.state.bodies[0].velocity.y() - v, -9.81 + 5, 1e-6);
}

// ---- tracking -------------------------------------------------------------------------------------

TEST(Track, draws_bodies_to_where_the_motion_has_them)
{
    Result<Description> d = parseScene(R"({"sinew": 1, "gravity": [0, 0, 0], "bodies": [
        {"name": "a", "mass": 1, "inertia": [0.1, 0.1, 0.1]},
        {"name": "b", "position": [1, 0, 0], "mass": 1, "inertia": [0.1, 0.1, 0.1]}],
        "joints": [{"name": "j", "type": "hinge", "first": "a", "second": "b", "position": [0.5, 0, 0],
                    "axis": [0, 0, 1]}],
        "motions": [{"name": "wave", "joints": {"j": {"sine": {"amplitude": 0.5, "frequency": 1}}},
                     "roots": {"a": {"path": [{"time": 0}, {"time": 2, "position": [0, 1, 0]}]}}}],
        "tracks": [{"motion": "wave", "stiffness": 1e6, "damping": 1e4, "turn_stiffness": 1e6,
                    "turn_damping": 1e4}]})",
                                       "test");
    ASSERT_TRUE(d) << d.error().text();
    for (const char* coordinates : {"joint", "maximal"}) {
        Result<Simulation> made = Simulation::create(d.value(), {"", "implicit", 1. / 240, coordinates});
        ASSERT_TRUE(made) << made.error().text();
        Simulation& s = made.value();
        double worst = 0;
        for (int i = 0; i < 480; ++i) {
            ASSERT_TRUE(s.step().ok);
            worst = std::max(worst, std::abs(s.state.q[7] - 0.5 * std::sin(2 * pi * s.state.time)));
        }
        EXPECT_LT(worst, 1e-3) << coordinates;
        EXPECT_NEAR(s.state.bodies[0].position.y(), 1, 1e-3) << coordinates;
    }
}

TEST(Track, leaves_alone_what_has_no_weight)
{
    const std::string text = R"({"sinew": 1, "gravity": [0, 0, 0], "bodies": [
        {"name": "a", "mass": 1, "inertia": [0.1, 0.1, 0.1]},
        {"name": "b", "position": [2, 0, 0], "mass": 1, "inertia": [0.1, 0.1, 0.1]}],
        "motions": [{"name": "up", "roots": {"a": {"path": [{"time": 0, "position": [0, 1, 0]}]},
                                             "b": {"path": [{"time": 0, "position": [2, 1, 0]}]}}}],
        "tracks": [{"motion": "up", "stiffness": 100, "damping": 20, "weights": {"b": 0}}]})";
    Simulation s = start(text, "implicit", 1. / 60);
    runUntil(s, 5);
    EXPECT_NEAR(s.state.bodies[0].position.y(), 1, 1e-6);
    EXPECT_EQ(s.state.bodies[1].position.y(), 0);
}

TEST(Track, physics_and_animation_hand_over_without_a_jump)
{
    // A pendulum that swings freely, is taken over by the animation over half a second, and let go again.
    const std::string text = scene(R"(, "coordinate": 0.5}],
        "motions": [{"name": "wave", "joints": {"j": {"sine": {"amplitude": 0.8, "frequency": 0.5}}}}],
        "tracks": [{"motion": "wave", "stiffness": 2000, "damping": 200,
                    "weight": {"keys": [[1, 0], [1.5, 1], [3, 1], [3.5, 0]]}}])",
                                   true);
    const auto largestAcceleration = [&](double h) {
        Simulation s = start(text, "implicit", h);
        double largest = 0, before = s.state.u[0];
        while (s.state.time < 5) {
            EXPECT_TRUE(s.step().ok);
            largest = std::max(largest, std::abs(s.state.u[0] - before) / h);
            before = s.state.u[0];
            if (std::abs(s.state.time - 2.9) < 0.6 * h)  // the animation has it
                EXPECT_NEAR(s.state.q[0], 0.8 * std::sin(pi * s.state.time), 0.02);
        }
        return largest;
    };
    // A jump in velocity would look twice as sudden in steps half as long.
    const double coarse = largestAcceleration(1. / 240), fine = largestAcceleration(1. / 480);
    EXPECT_LT(fine, 1.1 * coarse);
}

}  // namespace
}  // namespace sinew
