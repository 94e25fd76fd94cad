// Ball-joint springs and limits in swing and twist, obstacles, targets, switches, armature: nothing passive
// gains energy, and things end where they should.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/force/laws.h"
#include "sinew/math/swing_twist.h"
#include "sinew/state/kinematics.h"
#include "support/outcome.h"

namespace sinew::surroundings_test {
namespace {

using test::Outcome;
using test::simulate;

constexpr double degree = std::numbers::pi / 180;

// A limb of 0.4 m and 2 kg on a ball joint, hanging from the origin.
Description limb()
{
    Description d;
    BodyDescription body;
    body.name = "limb";
    body.pose.position = Vec3(0, -0.2, 0);
    body.shapes.push_back({Capsule{0.04, 0.32}, {}, {}, 2.});
    d.bodies = {body};
    JointDescription joint;
    joint.name = "ball";
    joint.type = JointType::spherical;
    joint.first = "world";
    joint.second = "limb";
    joint.axis = Vec3(0, -1, 0);
    d.joints = {joint};
    return d;
}

struct Steps {
    const char* integrator;
    const char* coordinates;
};
constexpr Steps implicitSteps[] = {{"implicit_euler", "joint"},
                                   {"implicit_bdf2", "joint"},
                                   {"implicit_euler", "maximal"},
                                   {"implicit_bdf2", "maximal"}};

TEST(SwingTwistSpring, settles_from_a_target_at_170_degrees_without_flutter)
{
    for (const Steps& step : implicitSteps)
        for (bool reversed : {false, true})
            for (double ratio : {0.05, 0.5}) {
                Description d = limb();
                d.gravity = Vec3::Zero();
                JointDescription& joint = d.joints[0];
                if (reversed) std::swap(joint.first, joint.second);
                joint.stiffness = 500;
                joint.twistStiffness = 200;
                joint.rest = {170 * degree, 0, 0};
                joint.coordinate = {0, 0.3, 0};
                // I about the joint is near m L²/3.
                joint.damping = 2 * ratio * std::sqrt(500 * 0.107);
                Result<Simulation> made =
                    Simulation::create(d, {"", step.integrator, 1. / 60, step.coordinates});
                ASSERT_TRUE(made) << made.error().text();
                Simulation& s = made.value();
                double last = energy(s.model(), s.state).total(), rise = 0;
                const double start = last;
                for (int i = 0; i < 600; ++i) {
                    const StepReport report = s.step();
                    ASSERT_TRUE(report.ok) << report.message;
                    last = energy(s.model(), s.state).total();
                    rise = std::max(rise, last - start);
                }
                EXPECT_LE(rise, 1e-9 * start) << step.integrator << step.coordinates;
                if (ratio == 0.5) {
                    EXPECT_LT(s.state.bodies[0].angularVelocity.norm(), 1e-3);
                    double q[3];
                    describedCoordinate(s.model(), s.state, 0, q);
                    EXPECT_NEAR(q[0], 170 * degree, 1e-3);
                    EXPECT_NEAR(q[1], 0, 1e-3);
                }
            }
}

TEST(SwingTwistSpring, does_not_ask_which_body_is_the_child)
{
    double energies[2], torques[2];
    for (bool exchanged : {false, true}) {
        Description d = limb();
        BodyDescription other = d.bodies[0];
        other.name = "other";
        other.pose.position = Vec3(0, 0.2, 0);
        d.bodies.push_back(other);
        JointDescription& joint = d.joints[0];
        joint.first = "other";
        joint.stiffness = 30;
        joint.twistStiffness = 7;
        joint.limitStiffness = 100;
        joint.swingLimit = 0.3;
        joint.lower = {-0.2};
        joint.upper = {0.1};
        joint.rest = {0.4, 0.3, -0.2};
        joint.coordinate = {0.9, -0.8, 0.3};
        d.roots = {exchanged ? "limb" : "other"};
        const Result<Model> model = compile(d);
        ASSERT_TRUE(model) << model.error().text();
        const Result<State> state = initialState(model.value(), d);
        ASSERT_TRUE(state);
        Forces forces;
        sceneForces(model.value(), state.value(), forces);
        energies[exchanged] = energy(model.value(), state.value()).elastic;
        torques[exchanged] = forces.joint.tail<3>().norm();
    }
    EXPECT_GT(energies[0], 1);
    EXPECT_NEAR(energies[1], energies[0], 1e-12 * energies[0]);
    EXPECT_NEAR(torques[1], torques[0], 1e-12 * torques[0]);
}

TEST(BallLimits, hold_at_thirty_hertz_without_gaining_energy)
{
    for (const Steps& step : implicitSteps) {
        Description d = limb();
        d.joints[0].swingLimit = 45 * degree;
        d.joints[0].lower = {-20 * degree};
        d.joints[0].upper = {30 * degree};
        d.joints[0].velocity = {7, 4, 2};
        Result<Simulation> made = Simulation::create(d, {"", step.integrator, 1. / 30, step.coordinates});
        ASSERT_TRUE(made) << made.error().text();
        Simulation& s = made.value();
        const double start = energy(s.model(), s.state).total();
        double rise = 0, swing = 0, twist = 0;
        for (int i = 0; i < 300; ++i) {
            ASSERT_TRUE(s.step().ok);
            rise = std::max(rise, energy(s.model(), s.state).total() - start);
            const double* q = s.state.q.data();
            const SwingTwist now = swingTwist(Quat(q[3], q[0], q[1], q[2]), s.model().joints[0].axis);
            swing = std::max(swing, now.swing);
            twist = std::max({twist, now.twist - 30 * degree, -20 * degree - now.twist});
        }
        std::printf("%s %s: swing past its limit by %.4f°, twist by %.4f°\n", step.integrator,
                    step.coordinates, swing / degree - 45, twist / degree);
        EXPECT_LE(rise, 1e-9);
        EXPECT_GT(swing, 44 * degree);  // it did get there
        EXPECT_LT(swing, 45.5 * degree);
        EXPECT_LT(twist, 0.5 * degree);
    }
}

// A free capsule falls onto a plane or a sphere.
Description fall(ObstacleDescription::Type type)
{
    Description d = limb();
    d.joints.clear();
    d.bodies[0].pose.position = Vec3(0, 0.6, 0);
    d.bodies[0].pose.orientation = Quat(AngleAxis(1.2, Vec3::UnitX()));
    ObstacleDescription obstacle;
    obstacle.type = type;
    if (type == ObstacleDescription::Type::sphere) {
        obstacle.radius = 1;
        obstacle.position = Vec3(0, -1, 0);
    }
    d.obstacles = {obstacle};
    return d;
}

TEST(Obstacles, hold_what_falls_on_them)
{
    for (const char* coordinates : {"joint", "maximal"}) {
        for (const char* integrator : {"implicit_euler", "implicit_bdf2"}) {
            const Outcome o =
                simulate(fall(ObstacleDescription::Type::plane), integrator, 1. / 60, 5, coordinates);
            EXPECT_TRUE(o.ok);
            EXPECT_LE(o.rise, 1e-9) << integrator << coordinates;
        }
        Result<Simulation> made = Simulation::create(fall(ObstacleDescription::Type::plane),
                                                     {"", "implicit", 1. / 60, coordinates});
        ASSERT_TRUE(made);
        for (int i = 0; i < 300; ++i) ASSERT_TRUE(made.value().step().ok);
        const BodyState& body = made.value().state.bodies[0];
        // It lies, sunk in by its weight over two springs.
        EXPECT_NEAR(body.position.y(), 0.04 - 2 * 9.81 / (2 * 1e5), 1e-4) << coordinates;
        EXPECT_LT(body.velocity.norm() + body.angularVelocity.norm(), 0.02);
    }
    Result<Simulation> made =
        Simulation::create(fall(ObstacleDescription::Type::plane), {"", "hernandez", 1. / 60});
    ASSERT_TRUE(made);
    for (int i = 0; i < 300; ++i) ASSERT_TRUE(made.value().step().ok);
    EXPECT_NEAR(made.value().state.bodies[0].position.y(), 0.04, 1e-3);
}

TEST(Obstacles, may_be_spheres)
{
    for (const char* coordinates : {"joint", "maximal"}) {
        const Outcome o =
            simulate(fall(ObstacleDescription::Type::sphere), "implicit", 1. / 120, 1, coordinates);
        EXPECT_TRUE(o.ok);
        EXPECT_LE(o.rise, 1e-9) << coordinates;
        Result<Simulation> made = Simulation::create(fall(ObstacleDescription::Type::sphere),
                                                     {"", "implicit", 1. / 120, coordinates});
        ASSERT_TRUE(made);
        for (int i = 0; i < 60; ++i) {
            ASSERT_TRUE(made.value().step().ok);
            // The balls at its ends stay outside the sphere but for two and a half millimetres.
            const BodyState& body = made.value().state.bodies[0];
            for (double end : {-0.16, 0.16})
                EXPECT_GT((body.position + body.orientation * Vec3(0, end, 0) - Vec3(0, -1, 0)).norm(),
                          1.0375);
        }
    }
}

TEST(Targets, draw_a_body_along_their_path)
{
    for (const Steps& step :
         {Steps{"implicit", "joint"}, Steps{"implicit", "maximal"}, Steps{"hernandez", ""}}) {
        Description d = limb();
        d.joints.clear();
        TargetDescription target;
        target.body = "limb";
        target.stiffness = 2000;
        target.damping = 100;
        target.turnStiffness = 50;
        target.turnDamping = 2;
        TargetDescription::Key from{0, {}, {}},
            to{1, Vec3(0.5, 0.3, 0.2), Quat(AngleAxis(2, Vec3::UnitZ()))};
        target.path = {from, to};
        d.targets = {target};
        Result<Simulation> made = Simulation::create(d, {"", step.integrator, 1. / 60, step.coordinates});
        ASSERT_TRUE(made) << made.error().text();
        Simulation& s = made.value();
        for (int i = 0; i < 240; ++i) ASSERT_TRUE(s.step().ok);
        const BodyState& body = s.state.bodies[0];
        EXPECT_LT((body.position - Vec3(0.5, 0.3 - 2 * 9.81 / 2000, 0.2)).norm(), 1e-3) << step.integrator;
        EXPECT_LT(body.orientation.angularDistance(Quat(AngleAxis(2, Vec3::UnitZ()))), 1e-3);
    }
}

TEST(Switches, turn_torques_off_and_on)
{
    for (const Steps& step : {Steps{"implicit", "joint"}, Steps{"implicit", "maximal"},
                              Steps{"hernandez", ""}, Steps{"conservative", ""}, Steps{"rk4", "joint"}}) {
        Description d = limb();
        d.gravity = Vec3::Zero();
        d.joints[0].stiffness = 100;
        d.joints[0].rest = {0.5, 0, 0};
        d.joints[0].damping = 3;
        d.switches = {{0, "ball", false}, {1, "ball", true}};
        Result<Simulation> made = Simulation::create(d, {"", step.integrator, 0.005, step.coordinates});
        ASSERT_TRUE(made) << made.error().text();
        Simulation& s = made.value();
        for (int i = 0; i < 190; ++i) ASSERT_TRUE(s.step().ok);
        EXPECT_LT(s.state.bodies[0].angularVelocity.norm(), 1e-12) << step.integrator;
        for (int i = 0; i < 400; ++i) ASSERT_TRUE(s.step().ok);
        double q[3];
        describedCoordinate(s.model(), s.state, 0, q);
        EXPECT_NEAR(q[0], 0.5, 1e-3) << step.integrator;
    }
}

TEST(Switches, act_from_the_step_that_ends_with_them)
{
    for (double h : {1. / 60, 0.01})
        for (int n = 1; n <= 40; ++n) {
            Description d = limb();
            d.gravity = Vec3::Zero();
            d.joints[0].stiffness = 100;
            d.joints[0].rest = {0.5, 0, 0};
            const int expected = static_cast<int>(std::lround(n * 0.1 / h));
            d.switches = {{0, "ball", false}, {n * 0.1, "ball", true}};
            Result<Simulation> made = Simulation::create(d, {"", "implicit", h});
            ASSERT_TRUE(made);
            int step = 0;
            for (; step < expected + 5 && made.value().state.bodies[0].angularVelocity.norm() < 1e-9;
                 ++step)
                ASSERT_TRUE(made.value().step().ok);
            EXPECT_EQ(step, expected) << h << " " << n;
        }
}

TEST(Armature, slows_a_joint_as_its_inertia_says)
{
    // A hinged limb under a motor: (I + A) q̈ = β.
    // The implicit steps take velocities from chords, which are shorter than arcs.
    for (const auto& [integrator, tolerance] :
         {std::pair("implicit_euler", 1e-3), std::pair("implicit_bdf2", 1e-5), std::pair("rk4", 1e-9)}) {
        Description d = limb();
        d.gravity = Vec3::Zero();
        d.joints[0].type = JointType::hinge;
        d.joints[0].axis = Vec3(1, 0, 0);
        d.joints[0].armature = 0.5;
        d.joints[0].motor = {2};
        Result<Simulation> made = Simulation::create(d, {"featherstone", integrator, 1e-3});
        ASSERT_TRUE(made) << made.error().text();
        Simulation& s = made.value();
        for (int i = 0; i < 500; ++i) ASSERT_TRUE(s.step().ok);
        const Body& body = s.model().bodies[0];
        const double inertia = body.inertia(0, 0) + body.mass * 0.04;
        EXPECT_NEAR(s.state.u[0], 2 * 0.5 / (inertia + 0.5), tolerance) << integrator;
    }
    // With a spring nothing is gained.
    Description d = limb();
    d.joints[0].armature = 0.2;
    d.joints[0].stiffness = 50;
    d.joints[0].coordinate = {1, 0.5, 0};
    for (const Steps& step : implicitSteps) {
        const Outcome o = simulate(d, step.integrator, 1. / 60, 5, step.coordinates);
        EXPECT_TRUE(o.ok);
        EXPECT_LE(o.rise, 1e-9);
    }
    EXPECT_TRUE(simulate(d, "hernandez", 1. / 60, 5).ok);
    // The loads that a run reports are the same in both coordinates.
    Simulation joint = Simulation::create(d, {"", "implicit", 1. / 60, "joint"}).value();
    Simulation maximal = Simulation::create(d, {"", "implicit", 1. / 60, "maximal"}).value();
    const Force a = joint.accelerate().load[0], b = maximal.accelerate().load[0];
    EXPECT_LT((a.force - b.force).norm() + (a.torque - b.torque).norm(), 1e-9);
    const Result<Simulation> refused = Simulation::create(d, {"", "conservative", 1. / 60});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().text().find("armature"), std::string::npos);
}

}  // namespace
}  // namespace sinew::surroundings_test
