// Limits and dry friction in the joints: however stiff and however many, Newton's method finds the step.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/random.h"
#include "sinew/state/measure.h"
#include "support/contact_scenes.h"

namespace sinew {
namespace {

using test::joined;
using test::solid;
using test::started;

struct Limits {
    JointType type;
    double stiffness;  // of the limits, N·m/rad
    double coulomb = 0;
    double length = 1;  // of the scene; masses, forces and gravity likewise
    const char* integrator = "implicit";
    const char* coordinates = "joint";
};

void PrintTo(const Limits& l, std::ostream* out)
{
    *out << "joint type " << static_cast<int>(l.type) << ", limits of " << l.stiffness
         << " N m/rad, friction " << l.coulomb << ", lengths times " << l.length << ", " << l.integrator
         << ", " << l.coordinates << " coordinates";
}

// Twelve rods that hang on each other, thrown about. Energies go with length² · mass, so torques do.
Description whip(const Limits& l)
{
    Random random(7);
    Description d;
    const double torque = l.length * l.length;
    for (int i = 0; i < 12; ++i) {
        const std::string name = "b" + std::to_string(i),
                          parent = i == 0 ? "world" : "b" + std::to_string(i - 1);
        const Vec3 top(0, -0.2 * i * l.length, 0);
        d.bodies.push_back(
            solid(name, Capsule{0.02 * l.length, 0.16 * l.length}, top - Vec3(0, 0.1 * l.length, 0)));
        d.bodies.back().shapes[0].mass = 0.2;
        JointDescription joint = joined("j" + std::to_string(i), l.type, parent, name, top);
        joint.axis = l.type == JointType::spherical ? Vec3::UnitY() : Vec3::UnitZ();
        if (l.type == JointType::universal) joint.axis2 = Vec3::UnitX();
        joint.limitStiffness = torque * l.stiffness;
        joint.coulomb = torque * l.coulomb;
        if (l.type == JointType::spherical) joint.swingLimit = random.uniform(0.1, 0.6);
        const std::size_t count = l.type == JointType::universal ? 2 : 1;
        joint.lower.assign(count, -random.uniform(0.1, 0.5));
        joint.upper.assign(count, random.uniform(0.1, 0.5));
        const int freedoms = l.type == JointType::spherical ? 3 : static_cast<int>(count);
        for (int k = 0; k < freedoms; ++k) joint.velocity.push_back(random.uniform(-8, 8));
        d.joints.push_back(joint);
    }
    d.gravity = l.length * Vec3(3, -9.81, 5);
    return d;
}

// Four seconds at 1/60 s: not more than so many iterations a step, few halvings, and never more energy.
void expectFewIterations(Simulation& s, double mostIterations, double mostEnergy)
{
    const int steps = 240;
    long iterations = 0;
    int halvings = 0;
    for (int i = 0; i < steps; ++i) {
        const StepReport report = s.step();
        ASSERT_TRUE(report.ok) << report.message;
        iterations += report.statistics.newtonIterations;
        halvings += report.statistics.halvings;
        EXPECT_EQ(report.statistics.unconverged, 0);
        EXPECT_LE(energy(s.model(), s.state).total(), mostEnergy);
    }
    std::printf("%.1f iterations a step, %d halvings\n", static_cast<double>(iterations) / steps, halvings);
    EXPECT_LE(static_cast<double>(iterations) / steps, mostIterations);
    EXPECT_LE(halvings, 30);
}

class JointLimits : public testing::TestWithParam<Limits> {};

TEST_P(JointLimits, take_a_few_iterations_a_step)
{
    const Limits& l = GetParam();
    Settings settings;
    settings.integrator = l.integrator;
    settings.coordinates = l.coordinates;
    settings.step = 1. / 60;
    Simulation s = started(whip(l), settings);
    const double start = energy(s.model(), s.state).total();
    expectFewIterations(s, 15, start + 1e-6 * std::abs(start));
}

INSTANTIATE_TEST_SUITE_P(
    All, JointLimits,
    testing::Values(Limits{JointType::spherical, 1e2}, Limits{JointType::spherical, 1e4},
                    Limits{JointType::spherical, 1e6}, Limits{JointType::spherical, 1e8},
                    Limits{JointType::spherical, 1e6, 0.05}, Limits{JointType::spherical, 1e6, 5},
                    Limits{JointType::hinge, 1e4}, Limits{JointType::hinge, 1e7},
                    Limits{JointType::hinge, 1e6, 0.5}, Limits{JointType::universal, 1e6},
                    Limits{JointType::universal, 1e6, 0.1}, Limits{JointType::spherical, 1e6, 0.05, 0.01},
                    Limits{JointType::spherical, 1e6, 0.05, 1000},
                    Limits{JointType::spherical, 1e6, 0.05, 1, "implicit_euler"},
                    Limits{JointType::spherical, 1e6, 0, 1, "implicit", "maximal"},
                    Limits{JointType::spherical, 1e8, 0, 1, "implicit", "maximal"},
                    Limits{JointType::hinge, 1e6, 0, 1, "implicit", "maximal"},
                    Limits{JointType::universal, 1e6, 0, 1, "implicit", "maximal"}));

// Controllers that are far too stiff for what they may give: they switch from one side to the other.
TEST(LimitedControllers, take_a_few_iterations_a_step)
{
    for (const JointType type : {JointType::hinge, JointType::spherical, JointType::universal}) {
        Description d = whip({type, 0});
        for (JointDescription& joint : d.joints) {
            joint.lower.clear();
            joint.upper.clear();
            joint.swingLimit.reset();
            joint.limitStiffness.reset();
            ControllerDescription controller;
            controller.joint = joint.name;
            controller.stiffness = 1e4;
            controller.damping = 30;
            controller.limit = 0.5;
            d.controllers.push_back(controller);
        }
        Settings settings;
        settings.integrator = "implicit";
        settings.step = 1. / 60;
        Simulation s = started(d, settings);
        expectFewIterations(s, 12, HUGE_VAL);  // they drive
    }
}

// A wheel that is driven to a far target: all the controller may give, then to rest there.
TEST(LimitedControllers, give_what_they_may)
{
    Description d;
    d.bodies.push_back(solid("wheel", Capsule{0.1, 0.5}, Vec3::Zero()));
    d.joints.push_back(joined("axle", JointType::hinge, "world", "wheel", Vec3::Zero()));
    d.joints[0].axis = Vec3::UnitZ();
    d.gravity = Vec3::Zero();
    ControllerDescription controller;
    controller.joint = "axle";
    controller.stiffness = 1e6;
    controller.damping = 1e4;
    controller.limit = 2;
    controller.target = {Signal(1.5)};
    d.controllers.push_back(controller);
    Settings settings;
    settings.integrator = "implicit_euler";
    settings.step = 1e-3;
    Simulation s = started(d, settings);
    const double inertia = s.model().bodies[0].inertia(2, 2);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(s.step().ok);
    // k (1.5 − q) − d u is still more than the limit.
    EXPECT_NEAR(s.state.u[0], 2 / inertia * 0.1, 1e-9);
}

}  // namespace
}  // namespace sinew
