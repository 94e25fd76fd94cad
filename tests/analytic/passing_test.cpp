// Nothing passes through anything, however hard it is pushed: what speeds up from rest within one step,
// past what the velocities at its start let expect, and places that only the end of a step shows.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/random.h"
#include "sinew/state/measure.h"
#include "support/contact_scenes.h"

namespace sinew {
namespace {

using test::ground;
using test::joined;
using test::solid;
using test::started;

Quat anyTurn(Random& random)
{
    return Quat(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
}

Shape anyShape(Random& random)
{
    switch (random.below(5)) {
        case 0:
            return Sphere{0.1};
        case 1:
            return Box{Vec3(0.02, 0.2, 0.2)};
        case 2:
            return Capsule{0.05, 0.2};
        case 3:
            return Cylinder{0.08, 0.1};
        default:
            return Ellipsoid{Vec3(0.1, 0.05, 0.07)};
    }
}

ObstacleDescription wall(double thickness, const Quat& turn)
{
    ObstacleDescription wall;
    wall.name = "wall";
    wall.type = ObstacleDescription::Type::shape;
    wall.orientation = turn;
    wall.shape = Box{Vec3(thickness, 20, 20)};
    return wall;
}

// Pushes from 10 to 10⁵ m/s² on a rail, to 10⁴ m/s² free: at a frame's step these go 28 and 2.8 m in the
// first, past walls of 5 mm.
TEST(Passing, through_a_wall_is_for_nothing_that_is_pushed_from_rest)
{
    constexpr int scenes = 120;
    double deepest = 0;
    for (int seed = 1; seed <= scenes; ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const Quat turn = anyTurn(random);
        const Vec3 ahead = turn * Vec3::UnitX();
        const bool isOnRail = seed % 2;
        const double push = std::pow(10, random.uniform(1, isOnRail ? 5 : 4));
        Description d;
        d.gravity.setZero();
        d.bodies = {solid("thing", anyShape(random), -random.uniform(0.25, 1.5) * ahead, anyTurn(random))};
        d.bodies[0].mass = std::pow(10, random.uniform(-2, 2));
        d.obstacles = {wall(std::pow(10, random.uniform(-2.3, -1)), turn)};
        d.contact.emplace();
        d.contact->friction = random.below(2) * 0.5;
        if (isOnRail) {
            d.joints = {joined("rail", JointType::slide, "world", "thing", d.bodies[0].pose.position)};
            d.joints[0].axis = ahead;
            d.joints[0].motor = {push * *d.bodies[0].mass};
        } else {
            d.forces.emplace_back();
            d.forces[0].body = "thing";
            d.forces[0].force = push * *d.bodies[0].mass * ahead;
        }
        Simulation s = started(d);
        Collisions collisions;
        double farthest = -1;
        EXPECT_TRUE(test::runFor(s, 0.5, [&](const StepReport&) {
            farthest = std::max(farthest, s.state.bodies[0].position.dot(ahead));
            deepest = std::max(deepest, collisions.depth(s.model(), s.state));
        }));
        EXPECT_LT(farthest, 0) << "seed " << seed;
    }
    std::printf("%d pushes against a wall: %.1e m deep at most\n", scenes, deepest);
    EXPECT_LT(deepest, 5e-3);
}

// Two jaws that close within a step or two on what lies between them, and hold it against gravity.
TEST(Passing, is_for_no_jaw_of_a_gripper)
{
    for (int seed = 1; seed <= 24; ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const double mass = std::pow(10, random.uniform(-1, 1));
        const double grip = mass * test::g * random.uniform(2, 8);
        const Shape items[] = {Sphere{0.05}, Box{Vec3(0.1, 0.1, 0.1)}, Cylinder{0.05, 0.1}};
        Description d;
        d.bodies = {solid("item", items[seed % 3], Vec3::Zero())};
        d.bodies[0].mass = mass;
        const double apart = random.uniform(0.065, 0.1), damping = random.uniform(5, 50);
        for (const int side : {1, -1}) {
            const std::string name = side > 0 ? "right" : "left";
            const Vec3 place(side * apart, 0, 0);
            d.bodies.push_back(solid(name, Box{Vec3(0.02, 0.1, 0.06)}, place));
            d.bodies.back().mass = 0.3;
            d.joints.push_back(joined(name, JointType::slide, "world", name, place));
            d.joints.back().axis = Vec3(-side, 0, 0);
            d.joints.back().motor = {grip};
            d.joints.back().damping = damping;
        }
        d.contact.emplace();
        d.contact->friction = 0.8;
        Simulation s = started(d);
        EXPECT_TRUE(test::runFor(s, 1));
        const double item = s.state.bodies[0].position.x();
        EXPECT_GT(s.state.bodies[1].position.x(), item + 0.05) << "seed " << seed;
        EXPECT_LT(s.state.bodies[2].position.x(), item - 0.05) << "seed " << seed;
        EXPECT_GT(s.state.bodies[0].position.y(), -0.08) << "seed " << seed;
    }
}

// Heaps that fall into a groove and turn over edges: each place that shows at the end of a step is outside
// at its start, though its anchors and normal, taken there, would be inside.
TEST(Passing, into_each_other_is_for_nothing_that_falls_into_a_groove)
{
    double deepest = 0;
    for (int seed = 1; seed <= 10; ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const double slope = random.uniform(0.3, 1);
        Description d;
        for (int i = 0; i < 6; ++i)
            d.bodies.push_back(solid("body" + std::to_string(i), anyShape(random),
                                     Vec3(0, 0.6 + 0.35 * i, random.uniform(-0.02, 0.02)),
                                     anyTurn(random)));
        for (const int side : {1, -1})
            d.obstacles.push_back(ground(Vec3(side * std::sin(slope), std::cos(slope), 0)));
        d.obstacles[1].name = "other";
        d.contact.emplace();
        d.contact->friction = 0.2 * random.below(4);
        Simulation s = started(d);
        Collisions collisions;
        EXPECT_TRUE(test::runFor(s, 1.2, [&](const StepReport&) {
            deepest = std::max(deepest, collisions.depth(s.model(), s.state));
        }));
    }
    std::printf("heaps in grooves: %.1e m deep at most\n", deepest);
    EXPECT_LT(deepest, 2e-3);
}

// A corner is pushed along the tangent at the end of the arc that it moves along, which is work that the
// ground does not do.
TEST(Passing, of_energy_to_what_spins_on_its_corners_is_little)
{
    double worst = 0;
    for (int seed = 1; seed <= 20; ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        Description d;
        d.bodies = {solid("box", Box{Vec3(0.1, random.uniform(0.05, 0.15), 0.2)}, Vec3(0, 0.4, 0),
                          anyTurn(random))};
        const double spin = random.uniform(20, 100);
        d.bodies[0].angularVelocity = spin * (anyTurn(random) * Vec3::UnitX());
        d.obstacles = {ground()};
        d.contact.emplace();
        d.contact->friction = 0.3 * random.below(3);
        Simulation s = started(d);
        Energy last = energy(s.model(), s.state);
        const double size = 1000 * 0.1 * 0.15 * 0.2 * test::g * 0.1;
        EXPECT_TRUE(test::runFor(s, 1.5, [&](const StepReport&) {
            const Energy now = energy(s.model(), s.state);
            worst = std::max(worst, (now.total() - last.total()) / (last.kinetic + size));
            last = now;
        }));
    }
    std::printf("boxes that spin at 20 to 100 rad/s: up to %.1e of their energy gained in a step\n", worst);
    EXPECT_LT(worst, 0.03);
}

}  // namespace
}  // namespace sinew
