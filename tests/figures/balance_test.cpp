// People who stand, step and walk by the torques of their own joints, in real contact, at steps of a frame.
//
// SINEW_BALANCE=long: twenty random starts of a walk instead of two.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "sinew/base/random.h"
#include "sinew/control/aims.h"
#include "sinew/force/laws.h"
#include "sinew/io/json/scene.h"
#include "sinew/model/balance.h"
#include "sinew/simulation/energy_balance.h"

namespace sinew::balance_figures_test {
namespace {

Description scene(const std::string& name)
{
    Result<Description> d = readScene(std::string(SINEW_SCENE_DIR "/") + name + ".json");
    EXPECT_TRUE(d) << d.error().text();
    return d.value();
}

// A figure, how far its feet came, and whether its joints stayed within their strength.
struct Person {
    Simulation simulation;
    Vec3 center;
    std::array<Vec3, 2> soles;
    double moved = 0;

    explicit Person(const Description& description)
    {
        Result<Simulation> made = Simulation::create(description, {});
        EXPECT_TRUE(made) << made.error().text();
        simulation = std::move(made.value());
        center = view().center.place;
        for (int i = 0; i < 2; ++i) soles[i] = soleOf(balance().legs[i], simulation.state).middle;
    }
    const Balance& balance() const { return simulation.model().balances[0]; }
    BalanceView view() const { return {simulation.model(), balance(), simulation.state, simulation.h}; }
    double memory(int at) const { return simulation.state.memory[balance().memory + at]; }

    // False when it has fallen.
    bool step()
    {
        const StepReport report = simulation.step();
        EXPECT_TRUE(report.ok) << report.message;
        for (int i = 0; i < 2; ++i)
            moved = std::max(moved, (soleOf(balance().legs[i], simulation.state).middle - soles[i]).norm());
        const Model& model = simulation.model();
        for (const Balance::Strength& strength : balance().joints) {
            Vec3 torque = Vec3::Zero();
            addDriveForce(model, simulation.state, strength.joint, torque.data());
            const Servo& servo = model.drives[model.joints[strength.joint].drives].servos[0];
            double part = torque.norm() / servo.limit;
            if (servo.bounds) {
                double square = 0;
                for (int i = 0; i < 3 && torque[i] != 0; ++i)
                    square += torque[i] * torque[i] / std::pow(servo.bounds->of(i, torque[i]), 2);
                part = std::sqrt(square);
            }
            EXPECT_LE(part, 1 + 1e-12) << model.joints[strength.joint].name;
        }
        const BalanceView now = view();
        return report.ok && now.center.place.dot(balance().up) - now.ground > 0.75 * balance().center[2];
    }
    bool runUntil(double time)
    {
        while (simulation.state.time < time - 0.5 * simulation.h)
            if (!step()) return false;
        return true;
    }
};

Description pushed(const Vec3& force)
{
    Description d = scene("standing");
    d.forces[0].force = force;
    return d;
}

TEST(Balancing, stands_for_a_minute_and_its_feet_stay)
{
    Person person(pushed(Vec3::Zero()));
    ASSERT_TRUE(person.runUntil(60));
    EXPECT_LT(person.moved, 1e-3);
    EXPECT_LT((person.view().center.place - person.center).norm(), 0.005);
    EXPECT_EQ(person.memory(Balance::steps), 0);
}

// 50 N for 0.2 s at the chest, which begins after a second.
TEST(Balancing, finds_back_after_a_push_from_front_back_and_side)
{
    for (const Vec3& force : {Vec3(0, 0, -50), Vec3(0, 0, 50), Vec3(50, 0, 0), Vec3(-50, 0, 0)}) {
        Person person(pushed(force));
        ASSERT_TRUE(person.runUntil(4.2)) << force.transpose();
        EXPECT_LT((person.view().center.place - person.center).norm(), 0.01) << force.transpose();
        EXPECT_LT(person.moved, 0.02) << force.transpose();
    }
}

TEST(Balancing, steps_after_a_strong_push_and_stands_again)
{
    // Front, back and the sides.
    for (const Vec3& force : {Vec3(0, 0, 300), Vec3(0, 0, -300), Vec3(300, 0, 0), Vec3(-300, 0, 0)}) {
        Person person(pushed(force));
        ASSERT_TRUE(person.runUntil(6)) << force.transpose();
        EXPECT_GE(person.memory(Balance::steps), 1) << force.transpose();
        EXPECT_EQ(person.memory(Balance::mode), Balance::standing) << force.transpose();
        EXPECT_LT(person.view().center.velocity.norm(), 0.02) << force.transpose();
        EXPECT_LT(person.view().outside(), 0) << force.transpose();
        const Quat turned = person.simulation.state.bodies[person.balance().body].orientation *
                            person.balance().orientation.conjugate();
        EXPECT_GT((turned * person.balance().up).dot(person.balance().up), std::cos(0.2))
            << force.transpose();
    }
}

// What joints and pushes put in is what the ground took and the figure has, but for the error of the
// quadrature.
TEST(Balancing, the_energy_of_a_push_is_accounted_for)
{
    double left[2];
    for (int fine = 0; fine < 2; ++fine) {
        Description d = pushed({0, 0, -50});
        d.run.step = fine ? 1. / 240 : 1. / 60;
        Person person(d);
        Simulation& s = person.simulation;
        s.measuresEnergy = true;
        EnergyMeter meter;
        meter.start(s);
        double most = 0;
        while (s.state.time < 3) {
            const StepReport report = s.step();
            ASSERT_TRUE(report.ok) << report.message;
            meter.add(s, report);
            most = std::max(most, std::abs(meter.balance.drives));
        }
        left[fine] = std::abs(meter.balance.unaccounted());
        EXPECT_GT(most, 1);  // J
    }
    EXPECT_LT(left[1], 0.5 * left[0] + 1e-3);
    EXPECT_LT(left[1], 0.05);  // J
}

// ---- walking
// ----------------------------------------------------------------------------------------------

// Every angle off by up to 3°.
Description offStart(std::uint64_t seed)
{
    Description d = scene("walk");
    Random random(seed);
    const auto angle = [&] { return random.uniform(-3, 3) * pi / 180; };
    for (JointDescription& joint : d.joints) {
        if (joint.type == JointType::hinge) joint.coordinate = {angle()};
        if (joint.type == JointType::spherical) joint.coordinate = {angle(), angle(), angle()};
    }
    return d;
}

TEST(Walking, a_hundred_steps_from_random_starts)
{
    const char* wish = std::getenv("SINEW_BALANCE");
    const int starts = wish && std::string(wish) == "long" ? 20 : 2;
    int walked = 0;
    for (int seed = 1; seed <= starts; ++seed) {
        Person person(offStart(static_cast<std::uint64_t>(seed)));
        bool up = true;
        while (up && person.memory(Balance::steps) < 100 && person.simulation.state.time < 60)
            up = person.step();
        walked += up && person.memory(Balance::steps) >= 100;
    }
    EXPECT_GE(walked, starts - starts / 10);
}

bool walks(const Description& d, double time, double least)
{
    Person person(d);
    if (!person.runUntil(time)) return false;
    return (person.view().center.place - person.center).dot(person.balance().forward) > least;
}

TEST(Walking, up_and_down_a_slope_of_five_degrees)
{
    for (const double degrees : {5., -5.}) {
        Description d = scene("walk");
        const double a = degrees * pi / 180;
        d.obstacles[0].normal = Vec3(0, std::cos(a), -std::sin(a));
        d.obstacles[0].position = Vec3(0, -0.012, 0);
        EXPECT_TRUE(walks(d, 15, 1)) << degrees;
    }
}

TEST(Walking, over_steps_of_a_centimetre_that_it_does_not_know_of)
{
    Description d = scene("walk");
    Random random(7);
    double z = 0.6;
    for (int i = 0; i < 40; ++i) {
        ObstacleDescription& step = d.obstacles.emplace_back();
        step.name = "step " + std::to_string(i);
        step.type = ObstacleDescription::Type::shape;
        const double length = random.uniform(0.2, 0.6);
        step.shape = Box{{4, 0.02, length}};
        step.position = {0, 0, z + length / 2};
        z += length + random.uniform(0.2, 0.7);
    }
    EXPECT_TRUE(walks(d, 15, 2));
}

TEST(Walking, on_the_spot_where_it_leans_less)
{
    Description d = scene("walk");
    for (GaitStateDescription& state : d.balances[0].gait->states) state.lean = 0.057;
    Person person(d);
    ASSERT_TRUE(person.runUntil(15));
    EXPECT_GT(person.memory(Balance::steps), 20);
    EXPECT_LT((person.view().center.place - person.center).norm(), 1);
}

TEST(Walking, where_it_is_told_to)
{
    Description d = scene("walk");
    KeySignal turn;
    turn.keys = {{2, 0}, {8, pi / 2}};
    d.balances[0].gait->heading = Signal(SignalPart(turn));
    Person person(d);
    ASSERT_TRUE(person.runUntil(15));
    const Quat turned = person.simulation.state.bodies[person.balance().body].orientation *
                        person.balance().orientation.conjugate();
    EXPECT_LT((turned * Vec3::UnitZ() - Vec3::UnitX()).norm(), 0.3);
}

}  // namespace
}  // namespace sinew::balance_figures_test
