// Bounces: heights, friction, what they bounce off, and both responses.
#include "particles/scenes.h"

#include "sinew/particle/surfaces.h"

namespace sinew {
namespace {

using namespace testing_particles;

Description overGround(const ParticlesDescription& particles)
{
    Description scene = sceneOf(particles);
    scene.obstacles.emplace_back();
    return scene;
}

// The heights between the bounces of one that falls by a metre.
std::vector<double> peaks(const Description& scene, double step, int count)
{
    Simulation simulation = begin(scene, step);
    std::vector<double> heights;
    double before = 1, best = 0;
    bool isFalling = true;
    for (int i = 0; i < 100000 && static_cast<int>(heights.size()) < count; ++i) {
        EXPECT_TRUE(simulation.step().ok);
        const ParticleState& s = simulation.state.particles[0];
        // The vertex of the parabola that it is on.
        best = s.y[0] + s.vy[0] * s.vy[0] / (2 * 9.81);
        if (!isFalling && s.vy[0] <= 0) heights.push_back(best);
        isFalling = s.vy[0] <= 0;
        before = s.y[0];
    }
    (void)before;
    return heights;
}

TEST(Bounce, heights_fall_by_the_square_of_k)
{
    ParticlesDescription one = burstOf(1);
    one.emitter.pose.position = Vec3(0, 1, 0);
    one.bounce = BounceDescription{};
    ASSERT_EQ(one.bounce->keep, 0.8);  // as in the slides' picture
    const std::vector<double> heights = peaks(overGround(one), 1. / 60, 6);
    ASSERT_EQ(heights.size(), 6u);
    double expected = 1;
    for (double height : heights) {
        expected *= 0.64;
        EXPECT_NEAR(height, expected, 1e-4);
    }
}

TEST(Bounce, by_penalty_the_heights_are_about_the_same)
{
    ParticlesDescription one = burstOf(1);
    one.emitter.pose.position = Vec3(0, 1, 0);
    one.bounce = BounceDescription{};
    one.bounce->response = BounceDescription::Response::penalty;
    const std::vector<double> heights = peaks(overGround(one), 1. / 60, 3);
    ASSERT_EQ(heights.size(), 3u);
    EXPECT_NEAR(heights[0], 0.64, 0.03);
    EXPECT_NEAR(heights[1], 0.64 * 0.64, 0.03);
}

// At the step it is found late; with short steps the difference goes away.
TEST(Bounce, at_the_step_it_is_of_first_order)
{
    ParticlesDescription one = burstOf(1);
    one.emitter.pose.position = Vec3(0, 1, 0);
    one.bounce = BounceDescription{};
    one.bounce->atFraction = false;
    EXPECT_NEAR(peaks(overGround(one), 1e-3, 1).at(0), 0.64, 0.02);
}

TEST(Bounce, what_has_come_to_rest_lies_on_the_ground)
{
    for (const auto response :
         {BounceDescription::Response::kinematic, BounceDescription::Response::penalty}) {
        ParticlesDescription one = burstOf(1);
        one.emitter.pose.position = Vec3(0, 0.5, 0);
        one.velocity.value = Vec3(1, 0, 0);
        one.shape = ParticlesDescription::Shape::sphere;
        one.size.value = 0.05;
        one.bounce = BounceDescription{};
        one.bounce->keep = 0.3;
        one.bounce->friction = 0.5;
        one.bounce->response = response;
        Simulation simulation = begin(overGround(one));
        run(simulation, 5);
        const ParticleState& s = simulation.state.particles[0];
        EXPECT_NEAR(s.y[0], 0.05, 2e-4);
        EXPECT_NEAR(velocityOf(s, 0).norm(), 0, 1e-4);
    }
}

// Slides down a slope by g (sin − μ cos), and not at all where friction holds it.
TEST(Bounce, friction_on_a_slope_is_coulombs)
{
    for (const double friction : {0., 0.3, 2.}) {
        ParticlesDescription one = burstOf(1);
        one.emitter.pose.position = Vec3(0, 1e-4, 0);
        one.bounce = BounceDescription{};
        one.bounce->keep = 0;
        one.bounce->friction = friction;
        Description scene = overGround(one);
        scene.obstacles[0].normal = Vec3(0.5, std::sqrt(0.75), 0);
        Simulation simulation = begin(scene);
        run(simulation, 2);
        const double speed = velocityOf(simulation.state.particles[0], 0).norm();
        const double pull = std::max(0., 9.81 * (0.5 - friction * std::sqrt(0.75)));
        EXPECT_NEAR(speed, 2 * pull, 0.01 * 9.81) << friction;
    }
}

// Nobody gets into anything.
TEST(Bounce, forms_of_every_kind_hold_grains_back)
{
    std::vector<ObstacleDescription> all(8);
    all[0].type = ObstacleDescription::Type::sphere;
    all[0].radius = 0.5;
    const Shape shapes[] = {Box{Vec3(1, 0.6, 0.8)}, Capsule{0.3, 0.5}, Cylinder{0.4, 0.7},
                            Ellipsoid{Vec3(0.5, 0.3, 0.4)},
                            ConvexMesh{{{-.5, 0, -.5}, {.5, 0, -.5}, {0, 0, .5}, {0, .6, 0}}, {}}};
    for (int i = 0; i < 5; ++i) {
        all[i + 1].type = ObstacleDescription::Type::shape;
        all[i + 1].shape = shapes[i];
        all[i + 1].orientation = Quat(0.9, 0.3, 0.2, -0.1).normalized();
    }
    all[6].type = all[7].type = ObstacleDescription::Type::terrain;
    all[6].terrain = HeightField{3, 3, 1, {0, .3, 0, .2, .8, .1, 0, .4, 0}};
    all[6].position = Vec3(-1, 0, -1);
    all[7].terrain =
        TriangleMesh{{{-1, 0, -1}, {1, 0, -1}, {1, .3, 1}, {-1, .3, 1}}, {{0, 2, 1}, {0, 3, 2}}};
    for (int which = 0; which < 8; ++which) {
        for (const bool atFraction : {true, false}) {
            ParticlesDescription rain = burstOf(300);
            rain.emitter.type = EmitterDescription::Type::disc;
            rain.emitter.pose.position = Vec3(0, 1.5, 0);
            rain.emitter.radius = 0.25;
            rain.velocity.value = Vec3(0, -2, 0);
            rain.bounce = BounceDescription{};
            rain.bounce->friction = 0.1;
            rain.bounce->keep = 0.3;
            rain.bounce->atFraction = atFraction;
            Description scene = sceneOf(rain);
            scene.contact.emplace();
            scene.obstacles = {all[which]};
            Simulation simulation = begin(scene, 1. / 120);
            const ParticleSurface& form = simulation.model().particles[0].surfaces->front();
            int met = 0;
            for (int i = 0; i < 240; ++i) {
                ASSERT_TRUE(simulation.step().ok);
                const ParticleState& s = simulation.state.particles[0];
                // By now all would be below if nothing had held them.
                for (int k = 0; i == 100 && k < s.alive; ++k) met += s.vy[k] > -8;
                for (int k = 0; particle::isSolid(form) && k < s.alive; ++k)
                    ASSERT_GT(particle::clearance(particle::placedAt(form, {}, 0), placeOf(s, k)).distance,
                              -5e-3)
                        << which << atFraction;
            }
            EXPECT_GT(met, 200) << which << atFraction;
        }
    }
}

// A plate that rises meets a grain at rest: it leaves with (1 + k) of the plate's speed.
TEST(Bounce, bodies_that_move_hand_their_speed_on)
{
    ParticlesDescription one = burstOf(1);
    one.gravity = 0;
    one.bounce = BounceDescription{};
    Description scene = sceneOf(one);
    scene.gravity = Vec3::Zero();
    scene.bodies.emplace_back();
    scene.bodies[0].name = "plate";
    scene.bodies[0].shapes = {{Box{Vec3(1, 0.1, 1)}, {}, {}, {}}};
    scene.bodies[0].pose.position = Vec3(0, -0.5, 0);
    scene.bodies[0].velocity = Vec3(0, 2, 0);
    Simulation simulation = begin(scene);
    run(simulation, 1);
    EXPECT_NEAR((velocityOf(simulation.state.particles[0], 0) - Vec3(0, 2 * 1.8, 0)).norm(), 0, 1e-4);
}

TEST(Bounce, a_fast_grain_does_not_tunnel)
{
    ParticlesDescription one = burstOf(1);
    one.gravity = 0;
    one.velocity.value = Vec3(200, 0.3, 0.2);
    one.bounce = BounceDescription{};
    Description scene = sceneOf(one);
    scene.contact.emplace();
    scene.obstacles.emplace_back();
    scene.obstacles[0].type = ObstacleDescription::Type::shape;
    scene.obstacles[0].shape = Box{Vec3(0.01, 2, 2)};
    scene.obstacles[0].position = Vec3(5, 0, 0);
    Simulation simulation = begin(scene);
    run(simulation, 1);
    EXPECT_NEAR(simulation.state.particles[0].vx[0], -160, 1e-3);
}

TEST(Bounce, the_first_touch_may_be_the_end)
{
    ParticlesDescription rain = burstOf(100);
    rain.emitter.pose.position = Vec3(0, 1, 0);
    rain.bounce = BounceDescription{};
    rain.bounce->dies = true;
    Simulation simulation = begin(overGround(rain));
    run(simulation, 0.4);
    EXPECT_EQ(simulation.state.particles[0].alive, 100);
    run(simulation, 0.1);
    EXPECT_EQ(simulation.state.particles[0].alive, 0);
    EXPECT_EQ(simulation.state.particles[0].died, 100u);
}

}  // namespace
}  // namespace sinew
