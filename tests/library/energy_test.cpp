// Where energy goes: what dampers, friction, contact and drives did is what theory says, and what is left
// is the numerics' own.
#include <gtest/gtest.h>

#include <cmath>

#include "scenes.h"
#include "sinew/io/load_scene.h"
#include "sinew/simulation/energy_balance.h"

namespace sinew::energy_test {
namespace {

using test::arm;
using test::boxOnFloor;
using test::refusal;
using test::started;

constexpr IntegratorId everyIntegrator[] = {IntegratorId::implicit,      IntegratorId::semiImplicitEuler,
                                            IntegratorId::rk4,           IntegratorId::explicitEuler,
                                            IntegratorId::implicitEuler, IntegratorId::conservative};

EnergyBalance balanceOf(const Description& d, const Settings& settings, double seconds)
{
    Simulation s = started(d, settings);
    s.measuresEnergy = true;
    EnergyMeter meter;
    meter.start(s);
    while (s.state.time < seconds - 1e-9) {
        const StepReport report = s.step();
        EXPECT_TRUE(report.ok) << report.message;
        if (!report.ok) break;
        meter.add(s, report);
    }
    return meter.balance;
}

// A hinge in space: one freedom, nothing but what is asked for.
Description wheel(double speed)
{
    Description d;
    d.gravity.setZero();
    d.bodies = {test::stick("wheel", Vec3::Zero())};
    d.joints = {test::joint("axle", JointType::hinge, "world", "wheel", Vec3::Zero())};
    d.joints[0].axis = Vec3(0, 0, 1);
    if (speed != 0) d.joints[0].velocity = {speed};
    return d;
}

TEST(EnergyBalance, of_a_damper_is_exact_however_stiff_it_is)
{
    Description d = wheel(10);
    for (const IntegratorId integrator : {IntegratorId::implicit, IntegratorId::implicitEuler})
        for (const double damping : {1e-3, 0.1, 10., 1e4}) {
            d.joints[0].damping = damping;
            const EnergyBalance b = balanceOf(d, {.integrator = integrator, .step = 1. / 60}, 1);
            EXPECT_NEAR(b.dampers, b.start - b.end, 1e-9 * b.start) << settingName(integrator) << damping;
            EXPECT_NEAR(b.unaccounted(), 0, 1e-9 * b.start) << settingName(integrator) << damping;
            EXPECT_EQ(b.drives, 0);
            EXPECT_EQ(b.contact, 0);
        }
    d.joints[0].damping = 0.01;
    for (const IntegratorId integrator : everyIntegrator) {
        const EnergyBalance b = balanceOf(d, {.integrator = integrator, .step = 1e-3}, 1);
        EXPECT_GT(b.start - b.end, 0.1 * b.start);
        EXPECT_NEAR(b.dampers, b.start - b.end, 1e-6 * b.start) << settingName(integrator);
    }
}

TEST(EnergyBalance, of_dry_friction_is_the_torque_times_the_way)
{
    Description d = wheel(10);
    d.joints[0].coulomb = 0.01;
    const EnergyBalance b = balanceOf(d, {.integrator = IntegratorId::implicit, .step = 1e-3}, 0.2);
    EXPECT_EQ(b.dampers, 0);
    // c times the angle, with c/I for the deceleration.
    const double inertia = 2 * b.start / 100, angle = 10 * 0.2 - 0.5 * 0.01 / inertia * 0.04;
    EXPECT_NEAR(b.friction, 0.01 * angle, 1e-4 * b.friction);
    EXPECT_NEAR(b.unaccounted(), 0, 1e-6 * b.start);
}

TEST(EnergyBalance, of_motors_loads_and_outside_forces_is_the_work_that_they_do)
{
    Description d = wheel(0);
    d.joints[0].motor = {0.02};
    for (const IntegratorId integrator : everyIntegrator) {
        const EnergyBalance b = balanceOf(d, {.integrator = integrator, .step = 2e-3}, 1);
        EXPECT_GT(b.end, 1e-3);
        EXPECT_NEAR(b.drives, b.end - b.start, 1e-6 * b.end) << settingName(integrator);
    }
    Simulation s = started(wheel(0));
    s.measuresEnergy = true;
    ASSERT_EQ(refusal(s.setBodyForce("wheel", Vec3(0, 1, 0), Vec3::Zero(), Vec3(0.1, 0, 0))), "");
    EnergyMeter meter;
    meter.start(s);
    for (int i = 0; i < 20; ++i) {
        const StepReport report = s.step();
        ASSERT_TRUE(report.ok);
        meter.add(s, report);
    }
    EXPECT_GT(meter.balance.drives, 0);
    EXPECT_NEAR(meter.balance.drives, meter.balance.end, 0.02 * meter.balance.end);
}

TEST(EnergyBalance, springs_and_passive_drives_put_nothing_in)
{
    Description d = arm();
    d.joints[1].stiffness = 3;
    d.joints[1].rest = {0.4};
    d.controllers.emplace_back();
    d.controllers[0].joint = "shoulder";
    d.controllers[0].stiffness = 5;
    d.controllers[0].target = {Signal(0.3)};
    const EnergyBalance b = balanceOf(d, {.integrator = IntegratorId::rk4, .step = 1e-3}, 2);
    EXPECT_NEAR(b.drives, 0, 1e-4);
    EXPECT_NEAR(b.unaccounted(), 0, 1e-4);
    EXPECT_EQ(b.dampers, 0);
}

// What a controller has stored goes with it.
TEST(EnergyBalance, a_drive_that_is_switched_off_takes_its_energy_along)
{
    Description d = wheel(0);
    d.controllers.emplace_back();
    d.controllers[0].joint = "axle";
    d.controllers[0].stiffness = 0.5;
    d.controllers[0].target = {Signal(1.0)};
    d.switches = {{0.2, "axle", false}, {0.6, "axle", true}};
    for (const double end : {0.5, 1.}) {
        const EnergyBalance b = balanceOf(d, {.integrator = IntegratorId::rk4, .step = 1e-4}, end);
        EXPECT_GT(std::abs(b.drives), 0.01 * b.start);
        EXPECT_NEAR(b.drives, b.end - b.start, 1e-3 * b.start) << end;
        EXPECT_NEAR(b.unaccounted(), 0, 1e-3 * b.start) << end;
    }
}

TEST(EnergyBalance, leaves_to_the_numerics_what_an_integrator_loses)
{
    const Description d = arm();
    const EnergyBalance euler = balanceOf(d, {.integrator = IntegratorId::implicitEuler, .step = 0.01}, 1);
    const EnergyBalance rk4 = balanceOf(d, {.integrator = IntegratorId::rk4, .step = 1e-3}, 1);
    EXPECT_LT(euler.unaccounted(), -0.1);  // J: backward Euler damps what swings
    EXPECT_NEAR(rk4.unaccounted(), 0, 1e-6);
    EXPECT_EQ(euler.unaccounted(), euler.end - euler.start);
}

TEST(EnergyBalance, of_contact_is_what_sliding_and_bouncing_take)
{
    // A box that slides to rest: friction times the way is all it had.
    Description d = boxOnFloor();
    d.contact->friction = 0.3;
    d.bodies[0].velocity = Vec3(2, 0, 0);
    for (const IntegratorId integrator : {IntegratorId::implicit, IntegratorId::implicitEuler}) {
        const EnergyBalance b = balanceOf(d, {.integrator = integrator, .step = 1. / 240}, 2);
        const double moving = 0.5 * 2 * 4;
        EXPECT_NEAR(b.start - b.end, moving, 0.01 * moving);
        EXPECT_NEAR(b.contact, moving, 0.02 * moving) << settingName(integrator);
        EXPECT_EQ(b.drives, 0);
    }
    // A ball that bounces keeps e² of its kinetic energy each time.
    Description ball = boxOnFloor(1);
    ball.bodies[0].shapes[0].shape = Sphere{0.1};
    ball.contact->restitution = 0.5;
    ball.contact->atFraction = true;

    const EnergyBalance implicit = balanceOf(ball, {.step = 1. / 240}, 0.6);
    const double fallen = 2 * 9.81 * 0.9;
    EXPECT_NEAR(implicit.contact, 0.75 * fallen, 0.03 * fallen);
    EXPECT_NEAR(implicit.unaccounted(), 0, 0.03 * fallen);
}

// Collisions cut steps in parts: each jump counts once, and what holds counts over its own part.
TEST(EnergyBalance, of_collisions_in_a_stack_is_what_they_take)
{
    Description d = boxOnFloor(0.4);
    d.contact->restitution = 0.3;
    d.contact->atFraction = true;
    const Vec3 first = d.bodies[0].pose.position;
    for (const double mass : {0.1, 20., 3.}) {
        BodyDescription next = d.bodies[0];
        next.name = "box" + std::to_string(d.bodies.size());
        next.pose.position = first + 0.11 * static_cast<double>(d.bodies.size()) * Vec3::UnitY();
        next.mass = mass;
        d.bodies.push_back(next);
    }
    const EnergyBalance b = balanceOf(d, {.step = 1. / 480}, 0.8);
    const double lost = b.start - b.end;
    EXPECT_GT(lost, 1);
    EXPECT_NEAR(b.contact, lost, 0.01 * lost);
}

TEST(EnergyBalance, of_hands_is_what_is_done_between_steps)
{
    Simulation s = started(wheel(0));
    s.measuresEnergy = true;
    EnergyMeter meter;
    meter.start(s);
    ASSERT_EQ(refusal(s.setJointVelocity("axle", 5)), "");
    const StepReport report = s.step();
    ASSERT_TRUE(report.ok);
    meter.add(s, report);
    EXPECT_GT(meter.balance.hands, 0);
    EXPECT_NEAR(meter.balance.hands, meter.balance.end, 1e-12);
}

TEST(EnergyBalance, measuring_changes_no_bit_of_the_motion)
{
    for (const char* name : {"bounce", "stairs", "robot"}) {
        const Result<SceneFile> scene = loadScene(std::string(SINEW_SCENE_DIR) + "/" + name + ".json");
        ASSERT_TRUE(scene) << refusal(scene);
        Simulation plain = started(scene.value().description), measured = plain;
        measured.measuresEnergy = true;
        EnergyMeter meter;
        meter.start(measured);
        for (int i = 0; i < 60; ++i) {
            ASSERT_TRUE(plain.step().ok);
            const StepReport report = measured.step();
            ASSERT_TRUE(report.ok);
            meter.add(measured, report);
        }
        EXPECT_EQ(stateHash(plain.state), stateHash(measured.state)) << name;
    }
}

}  // namespace
}  // namespace sinew::energy_test
