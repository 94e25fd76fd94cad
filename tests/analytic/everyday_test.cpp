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
};

Course follow(const Description& d, const Settings& settings, double duration)
{
    Course course;
    Result<Simulation> created = Simulation::create(d, settings);
    EXPECT_TRUE(created) << created.error().text();
    if (!created) return course;
    Simulation& s = created.value();
    const int steps = static_cast<int>(std::ceil(duration / s.h));
    double before = energy(s.model, s.state).total();
    course.energyScale = std::abs(before);
    for (int i = 0; i < steps; ++i) {
        const StepReport report = s.step();
        EXPECT_TRUE(report.ok) << report.message << " after " << report.time << " s with steps of " << s.h
                               << " s, " << settings.integrator << " in " << settings.coordinates;
        course.ok = report.ok;
        if (!report.ok) break;
        course.iterations += static_cast<double>(report.statistics.newtonIterations) / steps;
        const Energy now = energy(s.model, s.state);
        course.energyGain += std::max(0., now.total() - before);
        course.energyScale = std::max(course.energyScale, now.kinetic);
        before = now.total();
    }
    return course;
}

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
        default:
            return Ellipsoid{Vec3(size / 2, size / 3, size / 4)};
    }
}

Description falling(int kind, double size, double height, double tilt, bool onSphere)
{
    Description d;
    BodyDescription body;
    body.name = "thing";
    body.pose = {Vec3(0, size + height, 0), expRotation(tilt * Vec3(1, 0.5, 2).normalized())};
    body.shapes = {{shapeOf(kind, size), {}, {}, {}}};
    d.bodies = {body};
    ObstacleDescription ground;
    if (onSphere) {
        ground.type = ObstacleDescription::Type::sphere;
        ground.radius = 3 * size;
        ground.position = Vec3(0.1 * size, -3 * size, 0);
    }
    d.obstacles = {ground};
    return d;
}

// The springs of obstacles are as stiff for a marble as for a piano. Smaller
// things than these that tumble on them still find no step at times.
TEST(Everyday, things_of_all_sizes_land_on_obstacles_at_any_step)
{
    for (const double size : {0.01, 0.02, 0.3, 10.})
        for (int kind = 0; kind < (size < 0.02 ? 1 : 5); ++kind)
            for (const double step : frameSteps)
                for (const char* integrator : {"implicit", "implicit_euler"})
                    for (const char* coordinates : {"joint", "maximal"}) {
                        const int turn = kind + static_cast<int>(1 / step);
                        const bool onSphere = turn % 5 == 0 && size > 0.01 && size < 1;
                        Settings settings;
                        settings.integrator = integrator;
                        settings.coordinates = coordinates;
                        settings.step = step;
                        const Description d =
                            falling(kind, size, turn % 2 ? 0.3 : 3 * size, turn % 3 * 0.6, onSphere);
                        const Course course = follow(d, settings, 0.5);
                        if (!course.ok) return;
                        // On a sphere the way from step to step is no tangent, which the damper takes for
                        // parting.
                        if (onSphere) continue;
                        EXPECT_LT(course.energyGain, 0.1 * course.energyScale)
                            << size << " m, shape " << kind << ", step " << step << ", " << integrator
                            << " in " << coordinates;
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
