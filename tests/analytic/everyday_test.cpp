// Things of all sizes in everyday scenes, with nothing but defaults: every step is found, and nothing gains
// energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/math/rotation.h"
#include "sinew/simulation/simulation.h"

namespace sinew::everyday_test {
namespace {

constexpr double frameSteps[] = {1. / 24, 1. / 60, 1. / 240, 1. / 1000};

struct Course {
    bool ok = true;
    double energyGain = 0;  // J, from step to step, all together
    double energyScale = 0;
    double iterations = 0;  // a step
    double depth = 0;       // m, at the end: how far in an obstacle; less than zero: above it
    double speed = 0;       // m/s, at the end, up or down
};

// How far the lowest place of all is below the plane y = 0.
double depthOf(const Simulation& s)
{
    double depth = -HUGE_VAL;
    for (const ContactPoint& place : s.model().contactPoints) {
        const BodyState& body = s.state.bodies[place.body];
        const Vec3 at = body.position + body.orientation * place.point;
        depth = std::max(depth, place.radius - at.y());
    }
    return depth;
}

Course follow(const Description& d, const Settings& settings, double duration)
{
    Course course;
    Result<Simulation> created = Simulation::create(d, settings);
    EXPECT_TRUE(created) << created.error().text();
    if (!created) return course;
    Simulation& s = created.value();
    const int steps = static_cast<int>(std::ceil(duration / s.h));
    double before = energy(s.model(), s.state).total();
    course.energyScale = energy(s.model(), s.state).kinetic;
    for (int i = 0; i < steps; ++i) {
        const StepReport report = s.step();
        EXPECT_TRUE(report.ok) << report.message << " after " << report.time << " s with steps of " << s.h
                               << " s, " << settings.integrator.name() << " in "
                               << settings.coordinates.name();
        course.ok = report.ok;
        if (!report.ok) break;
        course.iterations += static_cast<double>(report.statistics.newtonIterations) / steps;
        const Energy now = energy(s.model(), s.state);
        constexpr double rounding =
            1e-15;  // of what the total is a sum of: a thing at rest has no other scale
        course.energyGain += std::max(0., now.total() - before - rounding * std::abs(now.potential));
        course.energyScale = std::max(course.energyScale, now.kinetic);
        before = now.total();
    }
    course.depth = depthOf(s);
    course.speed = std::abs(s.state.bodies[0].velocity.y());
    return course;
}

constexpr int kinds = 6;
Shape shapeOf(int kind, double size)
{
    switch (kind) {
        case 0:
            return Sphere{0.5 * size};
        case 1:
            return Box{Vec3(size, 0.5 * size, size)};
        case 2:
            return Capsule{size / 6, 2 * size / 3};
        case 3:
            return Cylinder{0.25 * size, size};
        case 4:
            return Ellipsoid{Vec3(size / 2, size / 3, size / 4)};
        default: {
            ConvexMesh mesh;
            for (int i = 0; i < 14; ++i)
                mesh.vertices.push_back(
                    0.5 * size * Vec3(std::cos(2.4 * i), 0.6 * std::cos(5.1 * i + 1), std::sin(2.4 * i)));
            return mesh;
        }
    }
}

struct Fall {
    int kind = 0;
    double size = 1, density = 1000;
    double height = 0;  // of the fall, in sizes
    double tilt = 0, speed = 0, spin = 0;
    bool onSphere = false;  // of the fivefold size, its top where the plane would be
};

// Speeds are in those of a fall by the size, so that all sizes do the same.
Description falling(const Fall& fall)
{
    constexpr double g = 9.81;
    Description d;
    BodyDescription body;
    body.name = "thing";
    body.pose.orientation = expRotation(fall.tilt * Vec3(1, 0.5, 2).normalized());
    body.shapes = {{shapeOf(fall.kind, fall.size), {}, fall.density, {}}};
    body.velocity = Vec3(fall.speed * std::sqrt(g * fall.size), 0, 0);
    body.angularVelocity = fall.spin * std::sqrt(g / fall.size) * Vec3(2, 1, -3).normalized();
    d.bodies = {body};
    d.obstacles.resize(1);
    const Result<Simulation> placed = Simulation::create(d, {});
    EXPECT_TRUE(placed) << placed.error().text();
    d.bodies[0].pose.position.y() = fall.height * fall.size + depthOf(placed.value());
    if (!fall.onSphere) return d;
    d.obstacles[0].type = ObstacleDescription::Type::sphere;
    d.obstacles[0].radius = 5 * fall.size;
    d.obstacles[0].position = fall.size * Vec3(0.1, -5, 0);
    return d;
}

// Dropped, thrown along, spinning: from a grain of sand to a house, of foam and of metal.
TEST(Everyday, things_of_all_sizes_land_on_obstacles_at_any_step)
{
    int turn = 0;
    for (const double size : {0.001, 0.004, 0.01, 0.1, 1., 10.})
        for (int kind = 0; kind < kinds; ++kind)
            for (const double step : frameSteps)
                for (const char* integrator : {"implicit", "implicit_euler"})
                    for (const char* coordinates : {"joint", "maximal"}) {
                        ++turn;
                        Fall fall{kind, size, turn % 2 ? 10. : turn % 3 ? 1000. : 10000.};
                        fall.height = turn % 5 == 0 ? 0 : turn % 5 == 1 ? 30 : 0.3 * (turn % 17);
                        fall.tilt = 0.6 * (turn % 4);
                        fall.speed = turn % 7 == 0 ? 5 : 0;
                        fall.spin = turn % 3 == 0 ? 0.7 * (turn % 11) : 0;
                        fall.onSphere = turn % 5 == 3;
                        SCOPED_TRACE(testing::Message() << size << " m, shape " << kind << ", from "
                                                        << fall.height << " sizes, step " << step << ", "
                                                        << integrator << " in " << coordinates);
                        Settings settings;
                        settings.integrator = integrator;
                        settings.coordinates = coordinates;
                        settings.step = step;
                        const double duration =
                            std::max(30 * step, (std::sqrt(2 * fall.height) + 5) * std::sqrt(size / 9.81));
                        const Course course =
                            follow(falling(fall), settings, std::min(duration, 400 * step));
                        if (!course.ok) return;
                        EXPECT_LT(course.energyGain, 0.03 * course.energyScale);
                    }
}

// Links of all shapes, heavy ones beside light ones, thrown onto a plane or over a sphere.
Description chain(double size, int seed, bool onSphere)
{
    Description d;
    for (int i = 0; i < 5; ++i) {
        BodyDescription link;
        link.name = "link" + std::to_string(i);
        link.pose.position = size * Vec3(1.1 * i, 8 + seed % 5, 0);
        link.shapes = {
            {shapeOf((seed + i) % kinds, size * (i % 2 ? 0.4 : 1)), {}, i % 3 ? 100. : 3000., {}}};
        if (i == 0) link.velocity = Vec3(3 * std::sqrt(9.81 * size), 0, 0);
        d.bodies.push_back(link);
        if (i == 0) continue;
        JointDescription joint;
        joint.name = "joint" + std::to_string(i);
        joint.type = (seed + i) % 3 ? JointType::hinge : JointType::spherical;
        joint.first = "link" + std::to_string(i - 1);
        joint.second = link.name;
        joint.position = size * Vec3(1.1 * (i - 0.5), 8 + seed % 5, 0);
        if (joint.type == JointType::hinge) joint.axis = Vec3(0.2 * i, 0.3, 1).normalized();
        d.joints.push_back(joint);
    }
    d.obstacles.resize(1);
    if (onSphere) {
        d.obstacles[0].type = ObstacleDescription::Type::sphere;
        d.obstacles[0].radius = (2 + seed % 4) * size;
    }
    return d;
}

TEST(Everyday, chains_of_all_sizes_land_on_obstacles_at_any_step)
{
    int seed = 0;
    for (const double size : {0.001, 0.02, 1.})
        for (const bool onSphere : {false, true})
            for (const double step : {1. / 24, 1. / 60, 1. / 240})
                for (const char* coordinates : {"joint", "maximal"}) {
                    ++seed;
                    SCOPED_TRACE(testing::Message() << size << " m, number " << seed);
                    Settings settings;
                    settings.coordinates = coordinates;
                    settings.step = step;
                    const Course course = follow(chain(size, seed, onSphere), settings,
                                                 std::max(20 * step, 8 * std::sqrt(size / 9.81)));
                    EXPECT_LT(course.energyGain, 0.1 * course.energyScale);
                }
}

TEST(Everyday, things_rest_on_obstacles_neither_deep_nor_above)
{
    for (const double size : {0.001, 0.01, 0.3, 10.})
        for (const double density : {10., 10000.})
            for (int kind = 0; kind < 4; ++kind)
                for (const char* coordinates : {"joint", "maximal"}) {
                    SCOPED_TRACE(testing::Message()
                                 << size << " m, " << density << " kg/m3, shape " << kind);
                    Settings settings;
                    settings.coordinates = coordinates;
                    settings.step = 1. / 60;
                    Fall fall{kind, size, density};
                    fall.height = 0.1;
                    const Course course = follow(falling(fall), settings, 0.5 + std::sqrt(size));
                    ASSERT_TRUE(course.ok);
                    EXPECT_GT(course.depth, 0);
                    EXPECT_LT(course.depth, 2e-3 * size);
                    EXPECT_LT(course.speed, 1e-4 * std::sqrt(9.81 * size));
                }
}

// Each foot is a thousandth of the whole.
TEST(Everyday, light_feet_do_not_sink_under_a_heavy_figure)
{
    for (const double size : {0.01, 1.})
        for (const char* coordinates : {"joint", "maximal"}) {
            SCOPED_TRACE(testing::Message() << size << " m, " << coordinates);
            Description d;
            BodyDescription trunk;
            trunk.name = "trunk";
            trunk.pose.position = Vec3(0, size, 0);
            trunk.shapes = {{Box{size * Vec3(1, 0.5, 0.5)}, {}, 1000., {}}};
            d.bodies = {trunk};
            const double mass = 1000 * 0.25 * size * size * size;
            for (const double side : {-0.4, 0.4}) {
                BodyDescription foot;
                foot.name = side < 0 ? "left" : "right";
                foot.pose.position = size * Vec3(side, 0.06, 0);
                foot.mass = 0.001 * mass;
                foot.shapes = {{Box{size * Vec3(0.1, 0.1, 0.3)}, {}, {}, {}}};
                d.bodies.push_back(foot);
                JointDescription leg;
                leg.name = foot.name;
                leg.type = JointType::hinge;
                leg.first = "trunk";
                leg.second = foot.name;
                leg.position = foot.pose.position;
                leg.axis = Vec3::UnitX();
                leg.stiffness = 10 * mass * 9.81 * size;
                leg.damping = 0.1 * leg.stiffness * std::sqrt(size / 9.81);
                d.joints.push_back(leg);
            }
            d.obstacles.resize(1);
            Settings settings;
            settings.coordinates = coordinates;
            settings.step = 1. / 60;
            const Course course = follow(d, settings, 2);
            ASSERT_TRUE(course.ok);
            EXPECT_GT(course.depth, 0);
            EXPECT_LT(course.depth, 1e-3 * 0.3 * size);
            EXPECT_LT(course.speed, 1e-3 * std::sqrt(9.81 * size));
        }
}

// Lengths, gravity and speeds times one number, masses times another: the same motion, that many times
// larger.
TEST(Everyday, falls_on_obstacles_are_the_same_at_every_scale)
{
    for (int kind = 0; kind < kinds; ++kind)
        for (const char* coordinates : {"joint", "maximal"}) {
            Fall fall{kind};
            fall.height = 2;
            fall.tilt = 0.6;
            fall.spin = 1;
            Settings settings;
            settings.coordinates = coordinates;
            settings.step = 1. / 60;
            Description d = falling(fall);
            Result<Simulation> usual = Simulation::create(d, settings);
            ASSERT_TRUE(usual) << usual.error().text();
            constexpr double scale = 1. / 1024, denser = 8;
            BodyDescription& body = d.bodies[0];
            d.gravity *= scale;
            body.pose.position *= scale;
            *body.velocity *= scale;
            body.shapes = {{shapeOf(kind, scale), {}, denser * fall.density, {}}};
            Result<Simulation> scaled = Simulation::create(d, settings);
            ASSERT_TRUE(scaled) << scaled.error().text();
            for (int i = 0; i < 120; ++i) {
                ASSERT_TRUE(usual.value().step().ok);
                ASSERT_TRUE(scaled.value().step().ok);
                const BodyState &a = usual.value().state.bodies[0], &b = scaled.value().state.bodies[0];
                ASSERT_LT((b.position / scale - a.position).norm(), 1e-6) << "shape " << kind << ", " << i;
            }
        }
}

TEST(Everyday, strong_friction_stops_light_joints)
{
    for (const double mass : {1e-6, 1e-3, 0.1})
        for (const double length : {0.01, 0.2, 1.})
            for (const JointType type : {JointType::hinge, JointType::spherical, JointType::slide})
                for (const double step : frameSteps)
                    for (const char* integrator : {"implicit", "implicit_euler"}) {
                        Description d;
                        for (int i = 0; i < 2; ++i) {
                            BodyDescription rod;
                            rod.name = "rod" + std::to_string(i);
                            rod.mass = mass;
                            rod.pose.position = Vec3((i + 0.5) * length, 0, 0);
                            rod.shapes = {{Capsule{0.02 * length, 0.9 * length},
                                           {Vec3::Zero(), expRotation(Vec3(0, 0, 0.5 * M_PI))},
                                           {},
                                           {}}};
                            d.bodies.push_back(rod);
                            JointDescription joint;
                            joint.name = "joint" + std::to_string(i);
                            joint.type = type;
                            joint.first = i == 0 ? "world" : "rod0";
                            joint.second = rod.name;
                            joint.position = Vec3(i * length, 0, 0);
                            if (type != JointType::spherical)
                                joint.axis = type == JointType::hinge ? Vec3(0, 0, 1) : Vec3(0, 1, 0);
                            joint.coulomb = 1;
                            joint.velocity.assign(type == JointType::spherical ? 3 : 1, i ? -4. : 3.);
                            d.joints.push_back(joint);
                        }
                        Settings settings;
                        settings.integrator = integrator;
                        settings.step = step;
                        const Course course = follow(d, settings, 10 * step);
                        ASSERT_TRUE(course.ok) << mass << " kg, " << length << " m";
                        EXPECT_LT(course.iterations, 12)
                            << mass << " kg, " << length << " m, step " << step << ", " << integrator;
                    }
}

// A piece of welded bodies is one body: it falls and spins as if nothing of it could touch.
TEST(Everyday, welded_pieces_do_not_collide_with_themselves)
{
    for (const double size : {0.001, 0.1, 10.})
        for (const double spin : {0., 5., 200.})
            for (const double gap : {1e-5, 0.1, 2.}) {
                Description d;
                const double side = 0.1 * size;
                const Vec3 places[] = {Vec3(0, 0, 0), Vec3(-0.5 * (1 + gap) * side, size, 0),
                                       Vec3(0.5 * (1 + gap) * side, size, 0)};
                for (int i = 0; i < 3; ++i) {
                    BodyDescription body;
                    body.name = "part" + std::to_string(i);
                    body.pose.position = places[i];
                    body.shapes = {
                        {Box{Vec3(i == 0 ? 4 * side : side, i == 0 ? side : size, side)}, {}, {}, {}}};
                    if (i == 0) body.angularVelocity = spin * Vec3(0.16, 0.4, -0.9);
                    d.bodies.push_back(body);
                    if (i == 0) continue;
                    JointDescription weld;
                    weld.name = "weld" + std::to_string(i);
                    weld.type = JointType::weld;
                    weld.first = "part0";
                    weld.second = body.name;
                    d.joints.push_back(weld);
                }
                d.contact.emplace();
                for (const double step : frameSteps) {
                    Settings settings;
                    settings.step = step;
                    Result<Simulation> created = Simulation::create(d, settings);
                    ASSERT_TRUE(created) << created.error().text();
                    Simulation& s = created.value();
                    for (int i = 0; i < 30; ++i) {
                        const StepReport report = s.step();
                        ASSERT_TRUE(report.ok) << report.message << " size " << size << " spin " << spin;
                        ASSERT_TRUE(s.state.contacts.empty());
                    }
                }
            }
}

}  // namespace
}  // namespace sinew::everyday_test
