// Limits and motors of crowds: every lane comes to the bits of a character alone, explicit steps agree with
// the engine's own, implicit ones go to the same motion, and limits of any stiffness hold at frame-sized
// steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/crowd/crowd.h"
#include "sinew/measure/energy.h"
#include "sinew/simulation/simulation.h"
#include "support/crowds.h"
#include "support/random_tree.h"

namespace sinew::test::crowd_drives_test {
namespace {

constexpr double g = 9.81;

// A tree of all joint types with limits in the midst of their ranges, motors and a few springs.
Description drivenTree(Random& random, int bodies, double limitStiffness)
{
    TreeOptions options;
    options.bodies = bodies;
    options.joints = {JointType::spherical, JointType::hinge,     JointType::slide,
                      JointType::universal, JointType::weld,      JointType::planar,
                      JointType::spherical, JointType::spherical, JointType::cylindrical};
    Description d = randomTree(random, options);
    for (JointDescription& joint : d.joints) {
        const JointTypeInfo& info = jointTypeInfo(joint.type);
        if (!info.isArticulated()) continue;
        joint.damping = 0.02;
        joint.stiffness = random.below(2) == 0 ? 1 : 0;
        if (random.below(2) == 0)
            for (int k = 0; k < info.freedoms; ++k) joint.motor.push_back(random.uniform(-0.3, 0.3));
        if (random.below(4) == 0) continue;
        joint.limitStiffness = limitStiffness;
        if (info.isBall()) {
            joint.axis = randomVector(random).normalized();
            if (random.below(2) == 0) joint.twistStiffness = 3 * joint.stiffness;
            joint.swingLimit = random.uniform(0.1, 0.6);
            if (random.below(2) == 0) joint.lower = {random.uniform(-0.5, -0.1)};
            if (random.below(2) == 0) joint.upper = {random.uniform(0.1, 0.5)};
            continue;
        }
        for (int k = 0; k < info.freedoms; ++k) {
            joint.lower.push_back(random.uniform(-0.4, -0.1));
            joint.upper.push_back(random.uniform(0.1, 0.4));
        }
    }
    return d;
}

double distance(const std::vector<double>& a, const std::vector<double>& b)
{
    double away = 0;
    for (std::size_t k = 0; k < a.size(); ++k) away = std::max(away, std::abs(a[k] - b[k]));
    return away;
}

// How far any limit is exceeded, in rad or m.
double beyondAll(const Model& model, const State& state)
{
    double most = 0;
    for (const Joint& joint : model.joints) {
        if (!(joint.limitStiffness > 0)) continue;
        const JointStretch stretch = jointStretch(joint, state.q.data() + joint.q, false);
        for (int k = 0; k < stretch.count; ++k) most = std::max(most, std::abs(stretch.amount[k]));
    }
    return most;
}

TEST(CrowdDrives, come_to_the_same_bits_in_every_lane)
{
    Random random(1);
    for (bool single : {false, true})
        for (bool implicitSprings : {false, true})
            for (int t = 0; t < 4; ++t) {
                const Model model = mustCompile(drivenTree(random, 10, 30));
                CrowdSettings settings;
                settings.count = 9;
                settings.single = single;
                settings.implicitSprings = implicitSprings;
                settings.step = 1e-3;
                Crowd wide = mustCrowd(model, settings);
                settings.lanes = 1;
                Crowd alone = mustCrowd(model, settings);
                for (int i = 0; i < settings.count; ++i) {
                    const State start = randomState(random, model);
                    for (Crowd* crowd : {&wide, &alone}) crowd->write(i, start);
                }
                for (Crowd* crowd : {&wide, &alone}) crowd->step(40);
                State a = restState(model), b = a;
                for (int i = 0; i < settings.count; ++i) {
                    alone.read(i, a);
                    wide.read(i, b);
                    EXPECT_EQ(numbersOf(a), numbersOf(b)) << "character " << i;
                }
            }
}

TEST(CrowdDrives, steps_explicitly_as_the_simulation_does)
{
    Random random(2);
    double most = 0;
    for (int t = 0; t < 20; ++t) {
        Settings settings;
        settings.solver = "featherstone";
        settings.integrator = "semi_implicit_euler";
        settings.step = 1e-3;
        Result<Simulation> simulation = Simulation::create(drivenTree(random, 8, 20), settings);
        ASSERT_TRUE(simulation);
        const Model& model = simulation.value().model();
        Crowd crowd = mustCrowd(model, {.count = 1, .step = 1e-3, .implicitSprings = false});
        const State start = randomState(random, model);
        simulation.value().state.q = start.q;
        simulation.value().state.u = start.u;
        simulation.value().state.bodies = start.bodies;
        crowd.write(0, start);
        crowd.step(30);
        ASSERT_TRUE(simulation.value().advance(0.03).ok);
        State end = start;
        crowd.read(0, end);
        EXPECT_LT(distance(numbersOf(end), numbersOf(simulation.value().state)), 1e-10) << t;
        most = std::max(most, beyondAll(model, end));
    }
    EXPECT_GT(most, 0.1);  // limits were at work
}

// Both steps are of first order and go to the same motion.
TEST(CrowdDrives, converges_implicitly_to_the_explicit_motion)
{
    Random random(3);
    for (int t = 0; t < 3; ++t) {
        const Model model = mustCompile(drivenTree(random, 6, 20));
        const State start = randomState(random, model);
        const auto at = [&](double h, bool implicitSprings) {
            Crowd crowd = mustCrowd(model, {.count = 1, .step = h, .implicitSprings = implicitSprings});
            crowd.write(0, start);
            crowd.step(static_cast<int>(std::lround(0.05 / h)));
            State end = start;
            crowd.read(0, end);
            return numbersOf(end);
        };
        const std::vector<double> truth = at(1e-6, false);
        const double coarse = distance(at(2e-4, true), truth), fine = distance(at(5e-5, true), truth);
        EXPECT_NEAR(coarse / fine, 4, 0.8) << t;
    }
}

Description rodOnLimit(JointType type, double limit, double stiffness)
{
    Description d;
    BodyDescription rod;
    rod.name = "rod";
    rod.mass = 2;
    rod.pose.position = Vec3(0.5, 0, 0);
    rod.shapes.push_back({Box{{1, 0.05, 0.05}}, {}, {}, {}});
    d.bodies.push_back(rod);
    JointDescription joint;
    joint.name = "joint";
    joint.type = type;
    joint.first = "world";
    joint.second = "rod";
    joint.limitStiffness = stiffness;
    if (type == JointType::hinge) {
        joint.axis = Vec3(0, 0, 1);
        joint.lower = {-limit};
    } else {
        joint.axis = Vec3(1, 0, 0);
        joint.swingLimit = limit;
    }
    d.joints.push_back(joint);
    return d;
}

// The limit's torque k x is the weight's m g l cos(limit + x)/2.
TEST(CrowdDrives, a_rod_rests_where_its_limit_bears_its_weight)
{
    constexpr double limit = 0.5, mass = 2, arm = 0.5;
    for (const JointType type : {JointType::hinge, JointType::spherical})
        for (const double stiffness : {200., 1e4, 1e7}) {
            const Model model = mustCompile(rodOnLimit(type, limit, stiffness));
            Crowd crowd = mustCrowd(model, {.count = 1, .step = 1. / 60});
            State state = restState(model);
            double lowest = 0;
            for (int k = 0; k < 60 * 60; ++k) {
                crowd.step();
                crowd.read(0, state);
                lowest = std::min(lowest, state.bodies[0].position.y());
            }
            double beyond = 0;
            for (int k = 0; k < 50; ++k) beyond = mass * g * arm * std::cos(limit + beyond) / stiffness;
            const double angle = -std::asin(state.bodies[0].position.y() / arm);
            EXPECT_NEAR(angle, limit + beyond, 1e-6) << stiffness;
            // It comes down on it at 3.7 rad/s, and stiff limits stop it in a step.
            if (stiffness > 1e5) {
                EXPECT_GT(lowest, -arm * std::sin(limit + 0.01));
            }
        }
}

TEST(CrowdDrives, limits_of_any_stiffness_take_energy_and_give_none)
{
    Random random(5);
    for (const double stiffness : {1e3, 1e6, 1e9})
        for (int t = 0; t < 5; ++t) {
            Description d = drivenTree(random, 8, stiffness);
            for (JointDescription& joint : d.joints) {
                joint.motor.clear();
                joint.stiffness = 0;
                joint.twistStiffness.reset();
                joint.damping = jointTypeInfo(joint.type).isArticulated() ? 0.5 : 0;
            }
            const Model model = mustCompile(d);
            Crowd crowd = mustCrowd(model, {.count = 1, .step = 1. / 240});
            State state = restState(model);
            const double start = energy(model, state).total();
            double highest = start;
            for (int k = 0; k < 480; ++k) {
                crowd.step();
                crowd.read(0, state);
                const Energy now = energy(model, state);
                highest = std::max(highest, now.kinetic + now.potential);
            }
            EXPECT_TRUE(state.q.allFinite());
            EXPECT_LT(highest, start + 1e-6 * std::abs(start)) << stiffness;
        }
}

}  // namespace
}  // namespace sinew::test::crowd_drives_test
