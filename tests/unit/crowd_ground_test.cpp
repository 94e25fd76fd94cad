// Crowds on the ground: closed forms of rest, slip and fall, no energy from contact, the same bits in every
// lane, and persons that stand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/crowd/crowd.h"
#include "sinew/io/json/scene.h"
#include "sinew/math/rotation.h"
#include "sinew/measure/energy.h"
#include "sinew/state/kinematics.h"
#include "support/crowds.h"
#include "support/random_tree.h"

namespace sinew::test::crowd_ground_test {
namespace {

constexpr double g = 9.81;

Description boxOnGround(double size, double mass)
{
    Description d;
    BodyDescription box;
    box.name = "box";
    box.mass = mass;
    box.pose.position = Vec3(0, 0.5 * size, 0);
    box.shapes.push_back({Box{{size, size, size}}, {}, {}, {}});
    d.bodies.push_back(box);
    ObstacleDescription ground;
    ground.name = "ground";
    d.obstacles.push_back(ground);
    return d;
}

Description withFriction(Description d, double friction)
{
    d.contact = ContactDescription();
    d.contact->friction = friction;
    return d;
}

State stateOf(const Model& model, const Crowd& crowd, int character)
{
    State state = restState(model);
    crowd.read(character, state);
    return state;
}

TEST(CrowdGround, a_box_rests_as_deep_as_its_springs_say)
{
    for (double size : {0.01, 1., 50.})
        for (double step : {1. / 60, 1e-3}) {
            const double mass = 300 * size * size * size, stiffness = 1000 * mass * g / size;
            Description d = boxOnGround(size, mass);
            d.obstacles[0].stiffness = stiffness;
            const Model model = mustCompile(d);
            Crowd crowd = mustCrowd(model, {.count = 1, .step = step});
            crowd.step(static_cast<int>(20 * std::sqrt(size) / step) + 200);
            const State end = stateOf(model, crowd, 0);
            const double depth = 0.5 * size - end.bodies[0].position.y();
            // Four corners share the weight, none stiffer than the step can follow.
            const double k = std::min(stiffness, mass / (step * step));
            EXPECT_NEAR(depth, mass * g / (4 * k), 1e-6 * size) << size << " m, " << step << " s";
            EXPECT_LT(end.bodies[0].velocity.norm(), 1e-6 * size);
        }
}

TEST(CrowdGround, friction_holds_or_slows_as_coulomb_says)
{
    constexpr double friction = 0.3, size = 0.4, seconds = 1;
    for (double slope : {0.1, 0.7})
        for (double heading : {0., 1., 2.5}) {
            Description d = withFriction(boxOnGround(size, 2), friction);
            d.bodies[0].shapes[0].shape = Box{{size, 0.1 * size, size}};  // low, so that it does not tip
            d.bodies[0].pose.position = Vec3(0, 0.05 * size, 0);
            const Vec3 down(std::cos(heading) * std::sin(slope), -std::cos(slope),
                            std::sin(heading) * std::sin(slope));
            d.gravity = g * down;
            const Model model = mustCompile(d);
            Crowd crowd = mustCrowd(model, {.count = 1, .step = 1e-3});
            crowd.step(static_cast<int>(seconds / 1e-3));
            const State end = stateOf(model, crowd, 0);
            const Vec3 v = end.bodies[0].velocity;
            const double along = v.x() * std::cos(heading) + v.z() * std::sin(heading);
            const double expected =
                std::max(0., g * (std::sin(slope) - friction * std::cos(slope)) * seconds);
            EXPECT_NEAR(along, expected, 0.01 * expected + 0.01 * size) << slope << ", " << heading;
            const double across = v.z() * std::cos(heading) - v.x() * std::sin(heading);
            EXPECT_LT(std::abs(across), 0.01 * expected + 1e-6) << slope << ", " << heading;
        }
}

TEST(CrowdGround, brings_no_energy)
{
    Random random(3);
    for (int t = 0; t < 30; ++t) {
        const double size = std::pow(10., random.uniform(-2, 1));
        const double step = std::sqrt(size / g) * std::pow(10., random.uniform(-2.5, -1));
        const Model model = mustCompile(withFriction(boxOnGround(size, 1), random.uniform(0, 1)));
        Crowd crowd = mustCrowd(model, {.count = 1, .step = step});
        State start = restState(model);
        start.q[1] += random.uniform(0.5, 3) * size;
        for (int k = 0; k < 6; ++k)
            start.u[k] = random.uniform(-1, 1) * std::sqrt(g * size) / (k < 3 ? 1 : size);
        crowd.write(0, start);
        const auto energyNow = [&] {
            const Energy e = energy(model, stateOf(model, crowd, 0));
            return e.kinetic + e.potential;
        };
        const double before = energyNow(), scale = g * size;
        double most = before;
        for (int k = 0; k < 400; ++k) {
            crowd.step();
            most = std::max(most, energyNow());
        }
        // Semi-implicit steps of spin gain a little in flight, at their own order.
        EXPECT_LT(most - before, 0.05 * scale) << t << ": " << size << " m, " << step << " s";
        EXPECT_LT(energyNow(), before);
    }
}

TEST(CrowdGround, comes_to_the_same_bits_in_every_lane)
{
    Random random(5);
    for (bool single : {false, true})
        for (bool implicitSprings : {false, true}) {
            const Model model = mustCompile(withFriction(boxOnGround(0.5, 1), 0.5));
            CrowdSettings settings;
            settings.count = 19;
            settings.single = single;
            settings.implicitSprings = implicitSprings;
            settings.step = 1e-4;
            Crowd wide = mustCrowd(model, settings);
            settings.lanes = 1;
            Crowd alone = mustCrowd(model, settings);
            for (int i = 0; i < settings.count; ++i) {
                State start = restState(model);
                start.q[1] += random.uniform(-0.001, 0.01);
                for (int k = 0; k < 6; ++k) start.u[k] = random.uniform(-1, 1);
                for (Crowd* crowd : {&wide, &alone}) {
                    crowd->write(i, start);
                    crowd->scaleMass(i, 1 + 0.1 * i);
                }
            }
            wide.step(500);
            alone.step(500);
            for (int i = 0; i < settings.count; ++i) {
                const State a = stateOf(model, wide, i), b = stateOf(model, alone, i);
                for (int k = 0; k < a.q.size(); ++k) EXPECT_EQ(a.q[k], b.q[k]);
                for (int k = 0; k < a.u.size(); ++k) EXPECT_EQ(a.u[k], b.u[k]);
                EXPECT_GT(a.q[1], -0.05) << "fell through";
                EXPECT_TRUE(std::isfinite(a.q[1]));
            }
        }
}

TEST(CrowdGround, a_scene_that_is_turned_does_the_same)
{
    Description d = withFriction(boxOnGround(0.5, 1), 0.5);
    d.bodies[0].pose.position.y() += 0.3;
    d.bodies[0].velocity = Vec3(1, -1, 0.5);
    Description turned = d;
    const Quat turn = rotationBetween(Vec3(0, 1, 0), Vec3(0.3, -0.5, 0.8).normalized());
    turned.gravity = turn * d.gravity;
    turned.bodies[0].pose.position = turn * d.bodies[0].pose.position;
    turned.bodies[0].pose.orientation = turn * d.bodies[0].pose.orientation;
    turned.bodies[0].velocity = turn * *d.bodies[0].velocity;
    turned.obstacles[0].normal = turn * d.obstacles[0].normal;
    const Model plain = mustCompile(d), other = mustCompile(turned);
    Crowd first = mustCrowd(plain, {.count = 1, .step = 1e-3}),
          second = mustCrowd(other, {.count = 1, .step = 1e-3});
    first.write(0, initialState(plain, d).value());
    second.write(0, initialState(other, turned).value());
    for (int k = 0; k < 300; ++k) {
        first.step();
        second.step();
    }
    const Vec3 here = turn * stateOf(plain, first, 0).bodies[0].position;
    EXPECT_LT((here - stateOf(other, second, 0).bodies[0].position).norm(), 1e-9);
}

TEST(CrowdGround, persons_stand_by_their_springs)
{
    const Result<Description> scene = readScene(SINEW_SCENE_DIR "/../examples/crowd/standing.json");
    ASSERT_TRUE(scene);
    const Model model = mustCompile(scene.value());
    Crowd crowd = mustCrowd(model, {.count = 5, .step = 1. / 60});
    int head = -1;
    for (int i = 0; i < model.size(); ++i)
        if (model.bodies[i].name == "head") head = i;
    ASSERT_GE(head, 0);
    for (int i = 0; i < crowd.size(); ++i) {
        crowd.write(i, restState(model));
        crowd.scaleMass(i, 0.8 + 0.1 * i);
    }
    const Vec3 start = stateOf(model, crowd, 0).bodies[head].position;
    for (int k = 0; k < 600; ++k) {
        crowd.step();
        for (int i = 0; i < crowd.size(); ++i)
            ASSERT_LT((stateOf(model, crowd, i).bodies[head].position - start).norm(), 0.05)
                << i << " at step " << k;
    }
}

}  // namespace
}  // namespace sinew::test::crowd_ground_test
