// How many are born, where and how, and that it does not matter who else is.
#include "particles/scenes.h"

#include "sinew/particle/distributions.h"
#include "sinew/state/measure.h"

namespace sinew {
namespace {

using namespace testing_particles;
using particle::Draw;

struct Moments {
    double mean = 0, variance = 0;
};
template <class Next>
Moments momentsOf(int count, Next next)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < count; ++i) {
        const double x = next(i);
        sum += x;
        squares += x * x;
    }
    const double mean = sum / count;
    return {mean, squares / count - mean * mean};
}

TEST(Draws, logarithm_and_exponential_are_those_of_the_library)
{
    for (double x = 1e-12; x < 1e12; x *= 1.7)
        EXPECT_NEAR(particle::logarithm(x), std::log(x), 4e-16 * (1 + std::abs(std::log(x)))) << x;
    for (double x = -50; x < 50; x += 0.37)
        EXPECT_NEAR(particle::exponential(x) / std::exp(x), 1, 1e-15 * (1 + std::abs(x))) << x;
}

TEST(Draws, normal_numbers_have_mean_variance_and_tails)
{
    const auto next = [](int i) { return particle::normalAt(particle::drawnUnit(7, i, Draw::size)); };
    const Moments m = momentsOf(200000, next);
    EXPECT_NEAR(m.mean, 0, 0.01);
    EXPECT_NEAR(m.variance, 1, 0.015);
    int beyond = 0;
    for (int i = 0; i < 200000; ++i) beyond += std::abs(next(i)) > 2;
    EXPECT_NEAR(beyond / 200000., 0.0455, 0.002);
    EXPECT_NEAR(particle::normalAt(0.975), 1.959964, 1e-6);
    EXPECT_NEAR(particle::normalAt(0.001), -3.090232, 1e-6);
    EXPECT_EQ(particle::normalAt(0), -Spread::cut);
}

TEST(Draws, poisson_has_its_mean_as_variance)
{
    for (const double mean : {0.05, 0.7, 3., 20., 60., 200., 10000.}) {
        const int count = 40000;
        const Moments m = momentsOf(count, [&](int i) { return particle::poisson(mean, 11, i); });
        EXPECT_NEAR(m.mean, mean, 5 * std::sqrt(mean / count)) << mean;
        EXPECT_NEAR(m.variance / mean, 1, 0.06 + 5 / std::sqrt(mean * count)) << mean;
    }
    EXPECT_EQ(particle::poisson(0, 1, 1), 0);
}

// Births of each step of a run in which all have room.
Moments birthsOf(ParticlesDescription particles, double rate, int steps)
{
    particles.name = "grains";
    particles.rate = rate;
    particles.most = 20000;
    particles.life.value = 0.5;
    Simulation simulation = begin(sceneOf(particles));
    std::uint64_t before = 0;
    return momentsOf(steps, [&](int) {
        EXPECT_TRUE(simulation.step().ok);
        const std::uint64_t now = simulation.state.particles[0].born;
        const double count = static_cast<double>(now - before);
        before = now;
        return count;
    });
}

TEST(Births, are_as_many_as_stated)
{
    const int steps = 6000;
    const double mean = 600. / 60;
    ParticlesDescription particles;
    const Moments chance = birthsOf(particles, 600, steps);
    EXPECT_NEAR(chance.mean, mean, 5 * std::sqrt(mean / steps));
    EXPECT_NEAR(chance.variance, mean, 0.1 * mean);
    particles.births = ParticlesDescription::Births::uniform;
    particles.rateSpread = 300;
    const Moments about = birthsOf(particles, 600, steps);
    EXPECT_NEAR(about.mean, mean, 0.2);
    EXPECT_NEAR(about.variance, 5. * 5 / 3 + 1. / 6, 0.6);  // and what rounding adds
    particles.births = ParticlesDescription::Births::even;
    const Moments even = birthsOf(particles, 630, steps);
    EXPECT_NEAR(even.mean, 10.5, 1e-3);
    EXPECT_NEAR(even.variance, 0.25, 1e-3);
}

TEST(Births, places_and_velocities_are_those_of_the_emitter)
{
    ParticlesDescription particles = burstOf(4000);
    particles.gravity = 0;
    particles.emitter.type = EmitterDescription::Type::sphere;
    particles.emitter.radius = 2;
    particles.emitter.surface = true;
    particles.emitter.pose.position = Vec3(5, 0, 0);
    particles.outward = {Spread::Kind::uniform, 1, 3};
    Simulation simulation = begin(sceneOf(particles));
    run(simulation, 1. / 60);
    const ParticleState& s = simulation.state.particles[0];
    ASSERT_EQ(s.alive, 4000);
    Vec3 mean = Vec3::Zero();
    for (int i = 0; i < s.alive; ++i) {
        const Vec3 n = placeOf(s, i) - Vec3(5, 0, 0) - s.age[i] * velocityOf(s, i);
        ASSERT_NEAR(n.norm(), 2, 1e-5);
        const double speed = velocityOf(s, i).norm();
        ASSERT_GE(speed, 1 - 1e-5);
        ASSERT_LE(speed, 3 + 1e-5);
        ASSERT_NEAR(velocityOf(s, i).dot(n), 2 * speed, 1e-4);
        mean += n / s.alive;
    }
    EXPECT_LT(mean.norm(), 5 * 2 / std::sqrt(3 * 4000.));
}

TEST(Births, directions_fill_their_cone_evenly)
{
    ParticlesDescription particles = burstOf(4000);
    particles.gravity = 0;
    particles.velocity.kind = BirthVelocity::Kind::cone;
    particles.velocity.direction = Vec3(1, 1, 0);
    particles.velocity.angle = 1;
    particles.velocity.speed.value = 2;
    Simulation simulation = begin(sceneOf(particles));
    run(simulation, 1. / 60);
    const ParticleState& s = simulation.state.particles[0];
    const Vec3 axis = Vec3(1, 1, 0).normalized();
    double sum = 0;
    for (int i = 0; i < s.alive; ++i) {
        const double c = velocityOf(s, i).dot(axis) / 2;
        ASSERT_GE(c, std::cos(1.) - 1e-5);
        sum += c / s.alive;
    }
    EXPECT_NEAR(sum, (1 + std::cos(1.)) / 2, 0.01);  // even in the cosine
}

TEST(Births, meshes_give_by_area_and_bones_their_velocity)
{
    ParticlesDescription particles = burstOf(3000);
    particles.gravity = 0;
    particles.emitter.type = EmitterDescription::Type::mesh;
    particles.emitter.mesh = {{{0, 0, 0}, {3, 0, 0}, {0, 0, -1}, {0, 1, 0}}, {{0, 1, 2}, {0, 3, 2}}};
    Simulation mesh = begin(sceneOf(particles));
    run(mesh, 1. / 60);
    int first = 0;
    for (int i = 0; i < 3000; ++i) first += mesh.state.particles[0].y[i] == 0;
    EXPECT_NEAR(first / 3000., 0.75, 0.04);  // 1.5 m² of 2

    particles.emitter = {};
    particles.emitter.type = EmitterDescription::Type::body;
    particles.emitter.body = "bone";
    Description scene = sceneOf(particles);
    scene.gravity = Vec3::Zero();
    scene.bodies.emplace_back();
    scene.bodies[0].name = "bone";
    scene.bodies[0].shapes = {{Capsule{0.1, 0.5}, {}, {}, {}}};
    scene.bodies[0].pose.position = Vec3(1, 2, 3);
    scene.bodies[0].velocity = Vec3(4, 0, 0);
    scene.bodies[0].angularVelocity = Vec3(0, 0, 2);
    Simulation bone = begin(scene, 1e-3);
    run(bone, 1e-3);
    const ParticleState& s = bone.state.particles[0];
    ASSERT_EQ(s.alive, 3000);
    for (int i = 0; i < s.alive; ++i) {
        const Vec3 arm = placeOf(s, i) - Vec3(1, 2, 3);
        ASSERT_LT(arm.norm(), 0.36);
        ASSERT_NEAR((velocityOf(s, i) - Vec3(4, 0, 0) - Vec3(0, 0, 2).cross(arm)).norm(), 0, 0.02);
    }
    // Half of it, or none.
    scene.particles[0].emitter.inherit = 0;
    Simulation still = begin(scene, 1e-3);
    run(still, 1e-3);
    EXPECT_EQ(velocityOf(still.state.particles[0], 7).norm(), 0);
}

TEST(Births, no_more_than_there_is_room_for)
{
    ParticlesDescription particles;
    particles.name = "many";
    particles.rate = 1e6;
    particles.most = 100;
    particles.life = {Spread::Kind::uniform, 0.05, 0.1};
    Simulation simulation = begin(sceneOf(particles));
    for (int i = 0; i < 200; ++i) {
        ASSERT_TRUE(simulation.step().ok);
        ASSERT_LE(simulation.state.particles[0].alive, 100);
    }
    const ParticleState& s = simulation.state.particles[0];
    EXPECT_EQ(s.alive, 100);
    EXPECT_EQ(s.room(), 100);
    EXPECT_EQ(s.born, s.died + 100);
    EXPECT_GT(s.turnedAway, 1000000u);
    for (int i = 0; i < 100; ++i) EXPECT_LT(s.age[i], s.life[i]);
}

// Two systems that share nothing but the scene.
Description twoSystems()
{
    ParticlesDescription a, b;
    a.name = "a";
    b.name = "b";
    a.rate = 300;
    b.rate = 100;
    a.life = {Spread::Kind::normal, 1, 0.2};
    a.velocity.kind = b.velocity.kind = BirthVelocity::Kind::normal;
    a.velocity.other = b.velocity.other = Vec3(1, 2, 3);
    a.bounce = b.bounce = BounceDescription{};
    Description scene = sceneOf(a);
    scene.particles.push_back(b);
    scene.obstacles.emplace_back();
    scene.obstacles[0].position = Vec3(0, -1, 0);
    return scene;
}

std::vector<float> numbersOf(const ParticleState& s)
{
    std::vector<float> all;
    for (const LargeVector<float>* row : {&s.x, &s.y, &s.z, &s.vx, &s.vy, &s.vz, &s.age, &s.life, &s.size})
        all.insert(all.end(), row->begin(), row->begin() + s.alive);
    return all;
}

TEST(Births, the_same_seed_gives_the_same_bits_in_any_order)
{
    Description scene = twoSystems();
    Simulation one = begin(scene), again = begin(scene);
    std::swap(scene.particles[0], scene.particles[1]);
    Simulation other = begin(scene);
    scene.particles[0].seed = 1;
    Simulation seeded = begin(scene);
    for (Simulation* s : {&one, &again, &other, &seeded}) run(*s, 3);
    EXPECT_EQ(stateHash(one.state), stateHash(again.state));
    EXPECT_EQ(numbersOf(one.state.particles[0]), numbersOf(other.state.particles[1]));
    EXPECT_EQ(numbersOf(one.state.particles[1]), numbersOf(other.state.particles[0]));
    EXPECT_NE(numbersOf(one.state.particles[1]), numbersOf(seeded.state.particles[0]));
    EXPECT_EQ(numbersOf(one.state.particles[0]), numbersOf(seeded.state.particles[1]));
}

// A scene that is turned and moved has the same particles, turned and moved, to single precision.
TEST(Births, turned_and_moved_they_are_the_same)
{
    Description scene = twoSystems();
    scene.medium = {1.8e-5, 1.2};
    scene.particles[0].size.value = scene.particles[1].size.value = 0.002;
    const Pose by{Vec3(0.3, -0.2, 0.5), Quat(0.8, 0.3, -0.4, 0.33).normalized()};
    Description there = scene;
    there.gravity = by.orientation * scene.gravity;
    there.obstacles[0].position = by * scene.obstacles[0].position;
    there.obstacles[0].normal = by.orientation * scene.obstacles[0].normal;
    for (ParticlesDescription& particles : there.particles)
        particles.emitter.pose = by * particles.emitter.pose;
    Simulation one = begin(scene), other = begin(there);
    for (Simulation* s : {&one, &other}) run(*s, 1);
    for (int system = 0; system < 2; ++system) {
        const ParticleState &a = one.state.particles[system], &b = other.state.particles[system];
        ASSERT_EQ(a.alive, b.alive);
        for (int i = 0; i < a.alive; ++i) {
            ASSERT_EQ(a.id[i], b.id[i]);
            ASSERT_NEAR((by * placeOf(a, i) - placeOf(b, i)).norm(), 0, 2e-5);
        }
    }
}

// Twice as large, in every length and in what follows from it: the same bits, doubled.
TEST(Births, scaled_by_a_power_of_two_they_are_the_same_bits)
{
    Description scene = twoSystems();
    scene.medium = {1.8e-5, 1.2};
    Description large = scene;
    large.gravity *= 2;
    large.medium.viscosity *= 4;  // drag by density has the length and the speed in it
    large.obstacles[0].position *= 2;
    for (ParticlesDescription& particles : large.particles) {
        particles.emitter.pose.position *= 2;
        particles.size.value *= 2;
        particles.velocity.value *= 2;
        particles.velocity.other *= 2;
    }
    Simulation one = begin(scene), other = begin(large);
    for (Simulation* s : {&one, &other}) run(*s, 1);
    for (int system = 0; system < 2; ++system) {
        const ParticleState &a = one.state.particles[system], &b = other.state.particles[system];
        ASSERT_EQ(a.alive, b.alive);
        for (int i = 0; i < a.alive; ++i) ASSERT_EQ(2 * placeOf(a, i), placeOf(b, i));
    }
}

TEST(Births, trails_remember_the_last_places)
{
    ParticlesDescription one = burstOf(1);
    one.gravity = 0;
    one.velocity.value = Vec3(1, 0, 0);
    one.trail = 4;
    one.trailEvery = 0.1;
    Simulation simulation = begin(sceneOf(one), 0.05);
    run(simulation, 1);
    const ParticleState& s = simulation.state.particles[0];
    ASSERT_EQ(s.trail.size(), 12u);
    EXPECT_EQ(s.trailCount, 10u);
    const int newest = static_cast<int>((s.trailCount - 1) % 4);
    EXPECT_NEAR(s.trail[3 * newest], s.x[0], 1e-6);
    EXPECT_NEAR(s.trail[3 * ((newest + 3) % 4)], s.x[0] - 0.1, 1e-5);
}

}  // namespace
}  // namespace sinew
