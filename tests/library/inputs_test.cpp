// Forces, laws and targets that a program gives while a simulation runs.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "scenes.h"
#include "sinew/math/rotation.h"

namespace sinew::inputs_test {
namespace {

using test::arm;
using test::boxOnFloor;
using test::refusal;
using test::started;
using test::with;

const double nan = std::numeric_limits<double>::quiet_NaN();

// Calls `check` for every legal pair.
template <class Function>
void forEachPair(Function check)
{
    for (const Method& method : methods())
        for (const Integrator& integrator : integrators()) {
            if (!integrator.stepFor(method)) continue;
            SCOPED_TRACE(std::string(method.name) + " with " + integrator.name);
            check(method, integrator);
        }
}

// How far two simulations of one scene are apart.
double distance(const Simulation& a, const Simulation& b)
{
    double most = 0;
    for (std::size_t i = 0; i < a.state.bodies.size(); ++i)
        most = std::max({most, (a.state.bodies[i].position - b.state.bodies[i].position).norm(),
                         (a.state.bodies[i].velocity - b.state.bodies[i].velocity).norm()});
    return most;
}

TEST(BodyForce, on_a_free_body_is_mass_times_acceleration_with_every_integrator)
{
    Description d;
    d.gravity.setZero();
    d.bodies = {test::stick("stone", {1, 2, 3}, 2.5)};
    d.bodies[0].velocity = Vec3(0.3, 0, -0.2);
    d.bodies[0].angularVelocity = Vec3(0.2, 0.5, 0.1);
    const Vec3 force(3, -2, 7);
    int taken = 0;
    forEachPair([&](const Method& method, const Integrator& integrator) {
        Simulation s = started(d, with(method.name, integrator.name, 0.01));
        const std::string refused = refusal(s.setBodyForce("stone", force));
        if (std::string_view(integrator.name) == "conservative") {
            EXPECT_EQ(refused, "integrator 'conservative' does not take forces from outside; use implicit");
            return;
        }
        ASSERT_EQ(refused, "");
        ++taken;
        const Advance way = s.advance(1);
        ASSERT_TRUE(way.ok) << way.last.message;
        const Vec3 expected = Vec3(0.3, 0, -0.2) + force / 2.5 * way.seconds;
        EXPECT_LT((s.state.bodies[0].velocity - expected).norm(), 1e-11);
        EXPECT_LT((s.accelerate().body[0].linear - force / 2.5).norm(), 1e-12);
        // It is held until it is let go.
        ASSERT_EQ(refusal(s.setBodyForce("stone", Vec3::Zero())), "");
        EXPECT_TRUE(s.inputs().empty());
    });
    EXPECT_GT(taken, 10);
}

// The same numbers in the scene and from outside: forces at a point, torques, forces of joints.
TEST(Inputs, act_as_the_same_forces_of_the_scene_do)
{
    for (const JointType elbow : {JointType::hinge, JointType::universal, JointType::spherical})
        for (const bool reversed : {false, true})
            forEachPair([&](const Method& method, const Integrator& integrator) {
                Description plain = arm(elbow, reversed), pushed = plain;
                const std::vector<double> motor{0.3, -0.4, 0.2};
                const std::span<const double> torque(motor.data(), elbow == JointType::hinge       ? 1
                                                                   : elbow == JointType::universal ? 2
                                                                                                   : 3);
                pushed.joints[1].motor.assign(torque.begin(), torque.end());
                pushed.forces = {{"fore", Vec3(1, 2, -1), Vec3(0, 0.1, 0), Vec3(1, 0.05, 0)}};
                const Settings settings = with(method.name, integrator.name, 0.005);
                Result<Simulation> scene = Simulation::create(pushed, settings);
                if (!scene || !integrator.takes.has(ForceKind::drive)) return;
                Simulation s = started(plain, settings);
                ASSERT_EQ(refusal(s.setJointForce("elbow", torque)), "");
                ASSERT_EQ(refusal(s.setBodyForce("fore", {1, 2, -1}, {0, 0.1, 0}, Vec3(0.25, 0.05, 0))),
                          "");
                const Advance way = s.advance(0.5), same = scene.value().advance(0.5);
                ASSERT_EQ(way.ok, same.ok) << way.last.message;
                EXPECT_EQ(way.last.statistics.newtonIterations, same.last.statistics.newtonIterations);
                EXPECT_LT(distance(s, scene.value()), 1e-10);
            });
}

// A controller of a program's own, beside the one of the scene.
Description controlled(JointType elbow, bool reversed, double k, double d)
{
    Description scene = arm(elbow, reversed);
    ControllerDescription controller;
    controller.joint = "elbow";
    controller.stiffness = k;
    controller.damping = d;
    scene.controllers = {controller};
    return scene;
}

ForceLaw heldAtZero(JointHandle joint, double k, double d, bool knowsDerivatives = true)
{
    return [=](ForceContext& at) {
        const JointNumbers x = at.position(joint), v = at.velocity(joint);
        JointNumbers force;
        force.count = x.size();
        for (std::size_t i = 0; i < x.size(); ++i) force.values[i] = -k * x[i] - d * v[i];
        if (knowsDerivatives)
            at.addJointForce(joint, force, k, d);
        else
            at.addJointForce(joint, force);
    };
}

TEST(ForceLaw, a_controller_agrees_with_that_of_the_scene)
{
    int compared = 0;
    for (const JointType elbow : {JointType::hinge, JointType::universal, JointType::spherical})
        for (const bool reversed : {false, true})
            forEachPair([&](const Method& method, const Integrator& integrator) {
                // Stiff where the step bears it.
                const bool isImplicit = integrator.bringsEquations;
                const double h = isImplicit ? 0.01 : 5e-4, k = isImplicit ? 2000 : 20, d = k / 400;
                const Settings settings = with(method.name, integrator.name, h);
                Result<Simulation> scene = Simulation::create(controlled(elbow, reversed, k, d), settings);
                if (!scene) return;
                Simulation s = started(arm(elbow, reversed), settings);
                ASSERT_EQ(refusal(s.setForceLaw(heldAtZero(s.findJoint("elbow").value(), k, d))), "");
                const Advance way = s.advance(0.5), same = scene.value().advance(0.5);
                ASSERT_TRUE(same.ok) << same.last.message;
                ASSERT_TRUE(way.ok) << way.last.message;
                EXPECT_LT(distance(s, scene.value()), 1e-7);
                ++compared;
            });
    EXPECT_GT(compared, 40);
}

// With its derivatives a law may be as stiff as one of the scene, and takes as many iterations.
TEST(ForceLaw, is_as_stable_as_its_derivatives_are_right)
{
    constexpr double k = 1e6, d = 100;
    for (const char* solver : {"featherstone", "baraff"}) {
        const Settings settings = with(solver, "implicit", 1. / 60);
        Simulation scene = started(controlled(JointType::hinge, false, k, d), settings);
        Simulation s = started(arm(), settings), blind = started(arm(), settings);
        const JointHandle elbow = s.findJoint("elbow").value();
        ASSERT_EQ(refusal(s.setForceLaw(heldAtZero(elbow, k, d))), "");
        ASSERT_EQ(refusal(blind.setForceLaw(heldAtZero(elbow, k, d, false))), "");
        long own = 0, scenes = 0, blinds = 0;
        for (int i = 0; i < 20; ++i) {
            const StepReport a = s.step(), b = scene.step();
            ASSERT_TRUE(a.ok && b.ok) << a.message << b.message;
            own += a.statistics.newtonIterations;
            scenes += b.statistics.newtonIterations;
            blinds += blind.step().statistics.newtonIterations;
        }
        EXPECT_LE(own, scenes + 20) << solver;
        EXPECT_LT(distance(s, scene), 1e-6);
        EXPECT_GT(blinds, 20 * own);  // it takes steps in many parts, or fails
    }
}

// Sampled once a step and held over it, a controller is late by a step: of first order.
TEST(JointForce, held_over_a_step_agrees_with_a_controller_to_first_order)
{
    constexpr double k = 20, d = 0.5;
    const auto error = [&](double h) {
        Simulation scene = started(controlled(JointType::hinge, false, k, d), with("", "implicit", h));
        Simulation s = started(arm(), with("", "implicit", h));
        const JointHandle elbow = s.findJoint("elbow").value();
        for (int i = 0; i < std::lround(0.5 / h); ++i) {
            const double x = s.jointPosition(elbow).value()[0], v = s.jointVelocity(elbow).value()[0];
            EXPECT_EQ(refusal(s.setJointForce(elbow, -k * x - d * v)), "");
            EXPECT_TRUE(s.step().ok && scene.step().ok);
        }
        return distance(s, scene);
    };
    const double coarse = error(2e-3), fine = error(1e-3);
    EXPECT_GT(fine, 1e-6);
    EXPECT_NEAR(coarse / fine, 2, 0.3);
}

// A force law on a body, with the spring's derivatives: an oscillator in closed form.
TEST(ForceLaw, a_spring_to_a_body_swings_in_its_period)
{
    constexpr double k = 50, mass = 2;
    Description scene;
    scene.gravity.setZero();
    scene.bodies = {test::stick("stone", Vec3::Zero(), mass)};
    for (const char* integrator : {"implicit", "rk4"}) {
        Simulation s = started(scene, with("", integrator, 1e-3));
        const BodyHandle stone = s.findBody("stone").value();
        ASSERT_EQ(
            refusal(s.setBody(stone, {{Vec3(0.1, 0, 0), Quat::Identity()}, Vec3::Zero(), Vec3::Zero()})),
            "");
        Mat6 K = Mat6::Zero();
        K.topLeftCorner<3, 3>() = k * Mat3::Identity();
        ASSERT_EQ(
            refusal(s.setForceLaw([&](ForceContext& at) {
                at.addBodyForce(stone, {-k * at.body(stone).pose.position, Vec3::Zero()}, K, Mat6::Zero());
            })),
            "");
        ASSERT_TRUE(s.advance(1).ok);
        const double exact = 0.1 * std::cos(std::sqrt(k / mass));
        EXPECT_NEAR(s.body(stone).value().pose.position.x(), exact, 1e-5) << integrator;
    }
}

TEST(ForceLaw, that_gives_nonsense_makes_the_step_fail_with_a_word)
{
    Simulation s = started(arm());
    const JointHandle elbow = s.findJoint("elbow").value();
    const BodyHandle fore = s.findBody("fore").value();
    const std::uint64_t before = stateHash(s.state);
    const auto says = [&](ForceLaw law) {
        EXPECT_EQ(refusal(s.setForceLaw(std::move(law))), "");
        const Advance way = s.advance(1);
        EXPECT_FALSE(way.ok);
        EXPECT_EQ(stateHash(s.state), before);
        EXPECT_EQ(s.state.time, 0);
        return way.last.message;
    };
    EXPECT_EQ(says([=](ForceContext& at) { at.addJointForce(elbow, nan); }),
              "the force law: a number for joint 'elbow' is not finite, or beyond 1e30");
    EXPECT_EQ(says([=](ForceContext& at) {
                  at.addJointForce(elbow, {1, 2});
              }),
              "the force law: joint 'elbow' takes 1 numbers, one per freedom, not 2");
    EXPECT_NE(says([=](ForceContext& at) { at.addJointForce(elbow, 1, nan); }).find("not finite"),
              std::string::npos);
    EXPECT_NE(says([](ForceContext& at) { at.addJointForce({}, at.position({})[0]); }).find("handle"),
              std::string::npos);
    EXPECT_NE(says([=](ForceContext& at) {
                  at.addBodyForce(fore, {Vec3(nan, 0, 0), Vec3::Zero()});
              }).find("body 'fore' is not finite"),
              std::string::npos);
    EXPECT_NE(says([=](ForceContext& at) {
                  at.addBodyForce(fore, {}, Mat6::Constant(nan), Mat6::Zero());
              }).find("not finite"),
              std::string::npos);
    EXPECT_NE(says([](ForceContext& at) { at.addBodyForce({99}, {}); }).find("handle"), std::string::npos);
    ASSERT_EQ(refusal(s.setForceLaw(nullptr)), "");
    EXPECT_TRUE(s.advance(0.1).ok);
}

TEST(Inputs, are_refused_where_a_step_cannot_take_them)
{
    Simulation s = started(arm(), with("", "conservative", 0.01));
    const std::string expected =
        "integrator 'conservative' does not take forces from outside; use implicit";
    EXPECT_EQ(refusal(s.setJointForce("elbow", 1)), expected);
    EXPECT_EQ(refusal(s.setBodyForce("fore", Vec3::Ones())), expected);
    EXPECT_EQ(refusal(s.setForceLaw([](ForceContext&) {})), expected);
    EXPECT_EQ(refusal(s.setForceLaw(nullptr)), "");
    EXPECT_TRUE(s.inputs().empty());
}

TEST(Inputs, that_were_let_go_leave_no_bit_behind)
{
    for (const char* solver : {"featherstone", "baraff"}) {
        const Settings settings = with(solver, "implicit", 0.01);
        Simulation touched = started(arm(), settings), plain = started(arm(), settings);
        const State start = touched.state;
        const JointHandle elbow = touched.findJoint("elbow").value();
        ASSERT_EQ(refusal(touched.setForceLaw(heldAtZero(elbow, 100, 1))), "");
        ASSERT_EQ(refusal(touched.setJointForce(elbow, 3)), "");
        ASSERT_TRUE(touched.advance(0.2).ok);
        ASSERT_EQ(refusal(touched.setForceLaw(nullptr)), "");
        ASSERT_EQ(refusal(touched.setJointForce(elbow, 0)), "");
        ASSERT_EQ(refusal(touched.setState(start)), "");
        ASSERT_TRUE(touched.advance(0.5).ok);
        ASSERT_TRUE(plain.advance(0.5).ok);
        EXPECT_EQ(stateHash(touched.state), stateHash(plain.state));
    }
}

TEST(Targets, of_controllers_and_motors_are_those_of_a_scene_that_says_so)
{
    Description aimed = controlled(JointType::universal, true, 30, 1);
    aimed.joints[0].motor = {0.7};
    Description elsewhere = aimed;
    aimed.controllers[0].target = {Signal(0.4), Signal(-0.2)};
    elsewhere.controllers[0].target = {Signal(SineSignal{0.3, 2, 0, 0}), Signal(1)};
    elsewhere.joints[0].motor = {};
    for (const char* integrator : {"implicit", "rk4"}) {
        Simulation s = started(elsewhere, with("", integrator, 0.01));
        Simulation same = started(aimed, with("", integrator, 0.01));
        Simulation untouched = started(elsewhere, with("", integrator, 0.01));
        ASSERT_EQ(refusal(s.setControllerTarget("elbow", {0.4, -0.2})), "");
        ASSERT_EQ(refusal(s.setMotor("shoulder", 0.7)), "");
        ASSERT_TRUE(s.advance(0.5).ok && same.advance(0.5).ok);
        EXPECT_EQ(stateHash(s.state), stateHash(same.state));
        EXPECT_EQ(refusal(s.setControllerTarget("shoulder", 1)),
                  "joint 'shoulder' has no controller in the scene");
        s.reset();
        ASSERT_TRUE(s.advance(0.5).ok && untouched.advance(0.5).ok);
        EXPECT_EQ(stateHash(s.state), stateHash(untouched.state));
    }
}

TEST(Inputs, wake_what_is_asleep)
{
    Description d = boxOnFloor();
    d.contact->sleeping = true;
    d.contact->friction = 0.2;
    const auto asleep = [&] {
        Simulation s = started(d);
        EXPECT_TRUE(s.advance(2).ok);
        EXPECT_LT(s.state.quiet.at(0), 0);
        return s;
    };
    Simulation held = asleep();
    ASSERT_EQ(refusal(held.setBodyForce("box", {2 * 9.81, 0, 0})), "");
    ASSERT_TRUE(held.advance(0.5).ok);
    EXPECT_NEAR(held.body("box").value().velocity.x(), 0.8 * 9.81 * 0.5, 0.05);  // less its friction
    Simulation lawful = asleep();
    const BodyHandle box = lawful.findBody("box").value();
    ASSERT_EQ(refusal(lawful.setForceLaw([=](ForceContext& at) {
                  at.addBodyForce(box, {Vec3(2 * 9.81, 0, 0), Vec3::Zero()});
              })),
              "");
    ASSERT_TRUE(lawful.advance(0.5).ok);
    EXPECT_NEAR(lawful.body("box").value().velocity.x(), 0.8 * 9.81 * 0.5, 0.05);
}

// Where obstacles are springs, a step that gains energy on them is taken for a mistake unless something
// pushes.
TEST(Inputs, may_drive_a_body_along_an_obstacle)
{
    Description d = boxOnFloor();
    d.contact.reset();
    Simulation s = started(d);
    ASSERT_TRUE(s.advance(1).ok);
    ASSERT_EQ(refusal(s.setBodyForce("box", {20, 0, 0})), "");
    long halvings = 0;
    for (int i = 0; i < 60; ++i) {
        const StepReport report = s.step();
        ASSERT_TRUE(report.ok) << report.message;
        halvings += report.statistics.halvings;
    }
    EXPECT_EQ(halvings, 0);
    EXPECT_NEAR(s.body("box").value().velocity.x(), 10, 0.2);
}

}  // namespace
}  // namespace sinew::inputs_test
