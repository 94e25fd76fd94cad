// Flights against closed forms.
#include "particles/scenes.h"

namespace sinew {
namespace {

using namespace testing_particles;

TEST(Flight, a_projectile_follows_its_parabola)
{
    ParticlesDescription one = burstOf(1);
    one.velocity.value = Vec3(30.48, 30.48, 0);
    Description scene = sceneOf(one);
    scene.gravity = Vec3(0, -9.7536, 0);
    Simulation simulation = begin(scene, 0.01);
    run(simulation, 6.25);
    const ParticleState& s = simulation.state.particles[0];
    ASSERT_EQ(s.alive, 1);
    // Born in the middle of the first step, so it has flown half a step less.
    const double t = 6.25 - 0.005;
    EXPECT_NEAR(s.x[0], 30.48 * t, 2e-5 * 190);
    EXPECT_NEAR(s.y[0], 30.48 * t - 0.5 * 9.7536 * t * t, 2e-5 * 190);
    EXPECT_NEAR(s.vy[0], 30.48 - 9.7536 * t, 2e-5 * 30);
}

// A grain of sand in oil: v = (m g / 6πηr)(1 − e^(−6πηr t/m)).
struct Fall {
    double radius = 1e-3, viscosity = 0.5, density = 0;
    double g = 9.81;

    double speedAfter(double time, double step) const
    {
        ParticlesDescription one = burstOf(1);
        one.size.value = radius;
        one.density = 2600;
        Description scene = sceneOf(one);
        scene.medium = {viscosity, density};
        Simulation simulation = begin(scene, step);
        run(simulation, time);
        return -simulation.state.particles[0].vy[0];
    }
    double mass() const { return 2600 * 4. / 3 * pi * radius * radius * radius; }
};

TEST(Flight, viscosity_leads_to_its_terminal_velocity)
{
    const Fall fall;
    const double terminal = fall.mass() * fall.g / (6 * pi * fall.viscosity * fall.radius);
    EXPECT_NEAR(fall.speedAfter(1, 1. / 60), terminal, 2e-6 * terminal);
    // However stiff it is: of a hundredth of the size the velocity is there within a step.
    Fall dust;
    dust.radius = 1e-5;
    const double slow = dust.mass() * dust.g / (6 * pi * dust.viscosity * dust.radius);
    EXPECT_NEAR(dust.speedAfter(1, 1. / 60), slow, 2e-5 * slow);
}

// On the way there the error falls with the square of the step.
TEST(Flight, viscosity_is_of_second_order)
{
    Fall fall;
    fall.radius = 4e-3;
    const double rate = 6 * pi * fall.viscosity * fall.radius / fall.mass(), terminal = fall.g / rate;
    const auto error = [&](double h) {
        const double t = 0.064 - h / 2;
        return std::abs(fall.speedAfter(0.064, h) / (terminal * (1 - std::exp(-rate * t))) - 1);
    };
    const double coarse = error(0.016), fine = error(0.008);
    EXPECT_GT(coarse, 1e-4);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.5);
}

TEST(Flight, drag_leads_to_its_terminal_velocity)
{
    Fall fall;
    fall.viscosity = 0;
    fall.density = 1.2;
    fall.radius = 0.02;
    const double area = 0.47 * pi * fall.radius * fall.radius;
    const double terminal = std::sqrt(2 * fall.mass() * fall.g / (fall.density * area));
    // Single precision stands still where a step would add less than half of its last digit.
    EXPECT_NEAR(fall.speedAfter(60, 1. / 60), terminal, 1e-5 * terminal);
    const double t = 2 - 0.5 / 60;
    EXPECT_NEAR(fall.speedAfter(2, 1. / 60), terminal * std::tanh(fall.g * t / terminal), 1e-4 * terminal);
}

// Wind acts by the relative velocity: in the end the grain goes with it.
TEST(Flight, wind_takes_grains_along)
{
    ParticlesDescription one = burstOf(1);
    one.size.value = 1e-3;
    one.gravity = 0;
    Description scene = sceneOf(one);
    scene.medium = {0.01, 0};
    scene.fields.emplace_back();
    scene.fields.back().velocity = Vec3(3, 1, -2);
    Simulation simulation = begin(scene);
    run(simulation, 20);
    EXPECT_NEAR((velocityOf(simulation.state.particles[0], 0) - Vec3(3, 1, -2)).norm(), 0, 1e-5);
}

// PD toward a point that moves: with the relative velocity damped it does not lag behind.
TEST(Flight, a_target_that_moves_evenly_is_reached)
{
    ParticlesDescription one = burstOf(1);
    one.mass = 0.1;
    one.gravity = 0;
    one.target.emplace();
    one.target->stiffness = 20;
    one.target->damping = 2;
    one.target->path = {{0, Vec3(1, 0, 0), {}}, {100, Vec3(1, 50, 0), {}}};
    Simulation simulation = begin(sceneOf(one));
    run(simulation, 10);
    const ParticleState& s = simulation.state.particles[0];
    EXPECT_NEAR((placeOf(s, 0) - Vec3(1, 5, 0)).norm(), 0, 1e-4);
    EXPECT_NEAR((velocityOf(s, 0) - Vec3(0, 0.5, 0)).norm(), 0, 1e-4);
    // However stiff.
    one.target->stiffness = 1e9;
    Simulation stiff = begin(sceneOf(one));
    run(stiff, 10);
    EXPECT_NEAR((placeOf(stiff.state.particles[0], 0) - Vec3(1, 5, 0)).norm(), 0, 1e-4);
}

// Around an attractor of 1/r² at the distance 1 with the speed of a circle.
TEST(Flight, an_attractor_holds_what_circles_it)
{
    ParticlesDescription one = burstOf(1);
    one.emitter.pose.position = Vec3(1, 0, 0);
    one.velocity.value = Vec3(0, 2, 0);
    Description scene = sceneOf(one);
    scene.gravity = Vec3::Zero();
    scene.fields.emplace_back();
    scene.fields.back().type = FieldDescription::Type::attractor;
    scene.fields.back().strength = 4;
    Simulation simulation = begin(scene, 1e-3);
    for (int i = 0; i < 2000; ++i) {
        ASSERT_TRUE(simulation.step().ok);
        ASSERT_NEAR(placeOf(simulation.state.particles[0], 0).norm(), 1, 0.02);
    }
}

}  // namespace
}  // namespace sinew
