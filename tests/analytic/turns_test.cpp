// Angles of joints count full turns, also of what turns by more than half a circle in a step.
#include <gtest/gtest.h>

#include <cmath>

#include "support/loops.h"

namespace sinew::turns_test {
namespace {

constexpr double step = 1. / 24, spin = 100;  // 4.2 rad a step

struct Way {
    const char *integrator, *coordinates, *solver;
};
constexpr Way ways[] = {{"implicit", "joint", ""},
                        {"implicit", "maximal", ""},
                        {"implicit_euler", "joint", ""},
                        {"implicit_euler", "maximal", ""},
                        {"hernandez", "", ""},
                        {"rk4", "", "baraff"},
                        {"semi_implicit_euler", "", "kkt"},
                        {"explicit_euler", "", "featherstone"}};

// A wheel that spins in a frame, which turns in the world.
Description wheelInFrame(double frameSpin, JointType type)
{
    Description d;
    d.gravity.setZero();
    for (const char* name : {"frame", "wheel"}) {
        BodyDescription body;
        body.name = name;
        body.mass = 1;
        body.inertia = 0.1 * Mat3::Identity();
        d.bodies.push_back(body);
    }
    d.joints = {test::joined("axle", JointType::hinge, "world", "frame", Vec3::Zero()),
                test::joined("hub", type, "frame", "wheel", Vec3::Zero())};
    d.joints[0].velocity = {frameSpin};
    if (type == JointType::universal) {
        d.joints[1].axis = Vec3::UnitZ();
        d.joints[1].axis2 = Vec3::UnitX();
        d.joints[1].velocity = {spin, 0};
    } else {
        d.joints[1].velocity = {spin};
    }
    return d;
}

TEST(FullTurns, are_counted_at_any_speed_with_every_integrator)
{
    for (const Way& way : ways)
        for (const double frameSpin : {0., -60.})
            for (const JointType type : {JointType::hinge, JointType::universal}) {
                SCOPED_TRACE(testing::Message() << way.integrator << " " << way.coordinates << way.solver
                                                << ", frame " << frameSpin << " rad/s");
                Settings settings{way.solver, way.integrator, step};
                settings.coordinates = way.coordinates;
                Simulation s = test::started(wheelInFrame(frameSpin, type), settings);
                for (int i = 1; i <= 48; ++i) {
                    const StepReport report = s.step();
                    ASSERT_TRUE(report.ok) << report.message;
                    const auto angle = [&](const char* name) {
                        return s.state.q[s.model().joints[s.model().findJoint(name)].q];
                    };
                    ASSERT_NEAR(angle("axle"), frameSpin * i * step, 1e-6) << i;
                    ASSERT_NEAR(angle("hub"), spin * i * step, 1e-6) << i;
                }
            }
}

// Also where it speeds up or is held back in a step.
TEST(FullTurns, are_counted_while_the_speed_changes)
{
    constexpr double inertia = 0.1, torque = -20;  // 200 rad/s²: 8.3 rad/s and 0.35 rad a step
    for (const Way& way : ways) {
        SCOPED_TRACE(testing::Message() << way.integrator << " " << way.coordinates << way.solver);
        Description d = wheelInFrame(0, JointType::hinge);
        d.joints.pop_back();
        d.bodies.pop_back();
        d.joints[0].velocity = {spin};
        d.bodies[0].inertia = inertia * Mat3::Identity();
        d.joints[0].motor = {torque};
        Settings settings{way.solver, way.integrator, step};
        settings.coordinates = way.coordinates;
        Simulation s = test::started(d, settings);
        for (int i = 1; i <= 24; ++i) {
            const StepReport report = s.step();
            ASSERT_TRUE(report.ok) << report.message;
            const double t = i * step, exact = spin * t + torque / inertia * t * t / 2;
            // Methods of first order are off by half the change of velocity.
            ASSERT_NEAR(s.state.q[0], exact, 0.51 * std::abs(torque / inertia) * t * step) << i;
        }
    }
}

}  // namespace
}  // namespace sinew::turns_test
