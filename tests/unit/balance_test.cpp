// The laws that figures balance by (control/), each against a closed form or another way to the same
// number.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/control/aims.h"
#include "sinew/control/leg.h"
#include "sinew/dynamics/inverse.h"
#include "sinew/force/laws.h"
#include "sinew/io/json/scene.h"
#include "sinew/math/rotation.h"
#include "sinew/model/balance.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/jacobian.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/measure.h"
#include "support/random_tree.h"

namespace sinew::balance_test {
namespace {

constexpr double rounding = 1e-9;

Description person()
{
    const Result<Description> scene = readScene(SINEW_SCENE_DIR "/standing.json");
    EXPECT_TRUE(scene) << scene.error().text();
    return scene.value();
}

// A pose near rest, still, with memory as at the start.
State someState(Random& random, const Model& model)
{
    State state = restState(model);
    const VecX memory = state.memory;
    for (int i = 0; i < model.size(); ++i) {
        const Joint& joint = model.joints[i];
        double delta[6], moved[7];
        for (double& x : delta) x = random.uniform(-0.2, 0.2);
        jointRetract(joint, state.q.data() + joint.q, delta, moved);
        std::copy(moved, moved + joint.coordinates(), state.q.data() + joint.q);
    }
    bodiesFromJoints(model, state);
    return state;
}

GroundForce someGround(Random& random, const Balance& balance, const State& state)
{
    GroundForce ground;
    for (std::size_t i = 0; i < balance.legs.size(); ++i) {
        ground.force[i] = test::randomVector(random) * 300;
        ground.point[i] = soleOf(balance.legs[i], state).middle + 0.1 * test::randomVector(random);
    }
    return ground;
}

// The torques that hold a figure still on given ground forces are those of inverse dynamics.
TEST(Balance, static_torques_are_inverse_dynamics_with_forces_at_the_feet)
{
    const Model model = test::mustCompile(person());
    const Balance& balance = model.balances[0];
    Random random(1);
    for (int trial = 0; trial < 20; ++trial) {
        const State state = someState(random, model);
        const GroundForce ground = someGround(random, balance, state);
        BalanceWork work;
        staticTorques(model, balance, state, ground, work);
        LargeVector<Force> forces(model.bodies.size());
        for (int i = 0; i < model.size(); ++i)
            forces[i] = {model.bodies[i].mass * model.gravity, Vec3::Zero()};
        for (std::size_t i = 0; i < balance.legs.size(); ++i) {
            const int foot = balance.legs[i].foot;
            const Vec3 arm = ground.point[i] - state.bodies[foot].position;
            forces[foot] += {ground.force[i], arm.cross(ground.force[i])};
        }
        Work inverse;
        VecX Q;
        inverseDynamics(model, state, forces, VecX::Zero(model.freedomCount), inverse, Q);
        EXPECT_LT((Q - work.torques).cwiseAbs().maxCoeff(), rounding * Q.cwiseAbs().maxCoeff());
    }
}

// A force at a foot is mapped by the transposed Jacobian of its point.
TEST(Balance, virtual_forces_are_transposed_jacobians)
{
    const Model model = test::mustCompile(person());
    const Balance& balance = model.balances[0];
    Random random(2);
    for (int trial = 0; trial < 20; ++trial) {
        const State state = someState(random, model);
        const GroundForce ground = someGround(random, balance, state);
        BalanceWork with, without;
        staticTorques(model, balance, state, ground, with);
        staticTorques(model, balance, state, {}, without);
        VecX expected = VecX::Zero(model.freedomCount);
        for (std::size_t i = 0; i < balance.legs.size(); ++i) {
            const int foot = balance.legs[i].foot;
            const BodyState& body = state.bodies[foot];
            MatX J;
            pointJacobian(model, state, foot,
                          body.orientation.conjugate() * (ground.point[i] - body.position), J);
            expected -= J.transpose() * ground.force[i];
        }
        const VecX found = with.torques - without.torques;
        EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), rounding * expected.cwiseAbs().maxCoeff());
    }
}

// Standing still over its feet, the ground carries the weight, pressure is below the centre of mass, and
// nothing is asked of the root, where nobody pushes.
TEST(Balance, at_rest_the_ground_carries_the_weight_and_nothing_is_left_for_the_root)
{
    const Model model = test::mustCompile(person());
    const Balance& balance = model.balances[0];
    const State state = restState(model);
    const BalanceView view(model, balance, state, 1. / 60);
    const GroundForce ground = standingForce(balance, state, view.heading, view.center, view.bears,
                                             view.middle, view.center.place);
    const double weight = balance.mass * balance.gravity;
    const Vec3 sum = ground.force[0] + ground.force[1];
    EXPECT_LT((sum - weight * balance.up).norm(), rounding * weight);
    EXPECT_LT((ground.pressure - view.onGround(view.center.place)).norm(), rounding);
    BalanceWork work;
    staticTorques(model, balance, state, ground, work);
    const int root = model.joints[balance.body].u;
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(work.torques[root + k], 0, rounding * weight) << k;
}

// (3) pressure stays inside the soles however far the law would have it, and (4) F goes through c.
TEST(Balance, pressure_stays_in_the_soles_and_its_force_goes_through_the_centre_of_mass)
{
    const Model model = test::mustCompile(person());
    const Balance& balance = model.balances[0];
    const State state = restState(model);
    const BalanceView view(model, balance, state, 1. / 60);
    const SupportPolygon soles(balance, state, view.heading, view.middle, 1);
    Random random(3);
    int clamped = 0;
    for (int trial = 0; trial < 200; ++trial) {
        CenterOfMass moving = view.center;
        moving.velocity = 2 * test::randomVector(random);
        const GroundForce ground =
            standingForce(balance, state, view.heading, moving, view.bears, view.middle,
                          view.middle + view.heading.out(balance.center));
        const Vec3 p = view.heading.in(ground.pressure - view.middle);
        EXPECT_LT(soles.outside(Vec2(p[0], p[1])), rounding);
        clamped += soles.outside(Vec2(p[0], p[1])) > -0.03;
        const Vec3 F = ground.force[0] + ground.force[1];
        EXPECT_LT(F.cross(moving.place - ground.pressure).norm(), rounding * F.norm());
        EXPECT_NEAR(F.dot(balance.up), balance.mass * balance.gravity, rounding * F.norm());
        for (const Vec3& force : ground.force) EXPECT_GE(force.dot(balance.up), 0);
    }
    EXPECT_GT(clamped, 20);
}

// A pendulum with its pressure at the capture point comes to rest above it; from the closed form, with c''
// = ω² (c − p).
TEST(Balance, a_pendulum_on_its_capture_point_comes_to_rest_there)
{
    const Model model = test::mustCompile(person());
    const Balance& balance = model.balances[0];
    State state = restState(model);
    for (BodyState& body : state.bodies) body.velocity = Vec3(0.3, 0, -0.2);
    const BalanceView view(model, balance, state, 1. / 60);
    const double z = view.center.place.dot(balance.up) - view.ground;
    EXPECT_NEAR(view.rate * view.rate * z, balance.gravity, rounding);
    const Vec3 c = view.onGround(view.center.place), p = view.capture;
    const double t = 20 / view.rate, grow = std::exp(view.rate * t), fall = std::exp(-view.rate * t);
    const Vec3 d = c - p, v(0.3, 0, -0.2);
    const Vec3 end = p + 0.5 * grow * (d + v / view.rate) + 0.5 * fall * (d - v / view.rate);
    // e^20 times rounding.
    EXPECT_LT((end - p).norm(), 1e-6);
}

TEST(Balance, nearest_points_of_the_support_are_nearest)
{
    const Model model = test::mustCompile(person());
    const Balance& balance = model.balances[0];
    const State state = restState(model);
    const BalanceView view(model, balance, state, 1. / 60);
    const SupportPolygon soles(balance, state, view.heading, view.middle, 1);
    Random random(4);
    const auto draw = [&] { return Vec2(random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4)); };
    std::vector<Vec2> inside;
    while (inside.size() < 500)
        if (const Vec2 p = draw(); soles.outside(p) <= 0) inside.push_back(p);
    for (int trial = 0; trial < 200; ++trial) {
        const Vec2 p = draw(), on = soles.nearest(p);
        EXPECT_LT(soles.outside(on), rounding);
        EXPECT_NEAR((p - on).norm(), std::max(soles.outside(p), 0.), rounding);
        for (const Vec2& other : inside) EXPECT_LE((p - on).norm(), (p - other).norm() + rounding);
        // Of a convex set.
        const Vec2 between = 0.5 * (inside[static_cast<std::size_t>(trial)] + inside.back());
        EXPECT_LT(soles.outside(between), rounding);
    }
}

TEST(Balance, legs_find_angles_for_feet_within_reach)
{
    const Model model = test::mustCompile(person());
    const Balance& balance = model.balances[0];
    Random random(5);
    const State rest = restState(model);
    for (int trial = 0; trial < 50; ++trial) {
        State state = rest;
        const BalanceLeg& leg = balance.legs[static_cast<std::size_t>(trial % 2)];
        for (int link : leg.joints) {
            const Joint& joint = model.joints[link];
            double delta[6], moved[7];
            for (double& x : delta) x = random.uniform(-0.3, 0.3);
            if (joint.type == JointType::hinge) delta[0] = random.uniform(0.1, 0.8);
            jointRetract(joint, state.q.data() + joint.q, delta, moved);
            std::copy(moved, moved + joint.coordinates(), state.q.data() + joint.q);
        }
        bodiesFromJoints(model, state);
        const BodyState &body = state.bodies[balance.body], &foot = state.bodies[leg.foot];
        State found = rest;
        // A step begins where the last one ended.
        for (int k = 0; k < 5; ++k)
            solveLeg(model, leg, {body.position, body.orientation}, {foot.position, foot.orientation},
                     found.q.data());
        bodiesFromJoints(model, found);
        const BodyState& there = found.bodies[leg.foot];
        EXPECT_LT((there.position - foot.position).norm(), 1e-3 * leg.length) << trial;
        EXPECT_LT(logRotation(there.orientation * foot.orientation.conjugate()).norm(), 2e-3) << trial;
    }
}

// Minus the derivatives of what servos give, against differences, within and beyond their limits.
TEST(Balance, tangents_of_servos_are_the_derivatives_of_their_torques)
{
    const Model model = test::mustCompile(person());
    Random random(6);
    constexpr double e = 1e-6;
    for (int trial = 0; trial < 4; ++trial) {
        State state = someState(random, model);
        for (const Balance::Strength& strength : model.balances[0].joints) {
            const Joint& joint = model.joints[strength.joint];
            const Servo& servo = model.drives[joint.drives].servos[0];
            double* own = state.memory.data() + servo.slot + joint.coordinates();
            const double strong = servo.bounds ? servo.bounds->along[0] : servo.limit;
            for (int k = 0; k < joint.freedoms(); ++k) {
                state.u[joint.u + k] = random.uniform(-1, 1);
                own[k] = random.uniform(-1, 1);
                own[joint.freedoms() + k] = random.uniform(-1, 1) * strong;
            }
        }
        for (const Balance::Strength& strength : model.balances[0].joints) {
            const Joint& joint = model.joints[strength.joint];
            const int n = joint.freedoms();
            JointTangent tangent;
            addDriveTangent(model, state, strength.joint, tangent);
            double most = 0;
            const auto torqueAt = [&](const State& there) {
                Vec3 Q = Vec3::Zero();
                addDriveForce(model, there, strength.joint, Q.data());
                most = std::max(most, Q.norm());
                return Q;
            };
            for (int k = 0; k < n; ++k)
                for (const bool velocity : {false, true}) {
                    State plus = state, minus = state;
                    for (auto [to, sign] : {std::pair(&plus, 1.), std::pair(&minus, -1.)}) {
                        double delta[6] = {};
                        delta[k] = sign * e;
                        if (velocity)
                            to->u[joint.u + k] += sign * e;
                        else
                            jointRetract(joint, state.q.data() + joint.q, delta, to->q.data() + joint.q);
                    }
                    const Vec3 slope = -(torqueAt(plus) - torqueAt(minus)) / (2 * e);
                    const Mat3& matrix = velocity ? tangent.damping : tangent.stiffness;
                    for (int i = 0; i < n; ++i)
                        EXPECT_NEAR(matrix(i, k), slope[i], 1e-5 * (1 + matrix.norm())) << joint.name;
                }
            const Servo& servo = model.drives[joint.drives].servos[0];
            const double strongest =
                servo.bounds ? std::max(servo.bounds->against[0], servo.bounds->along[0]) : servo.limit;
            EXPECT_LE(most, strongest * (1 + rounding));
        }
    }
}

// What a scene says wrong gets a line that names the place.
TEST(Balance, faults_are_named_where_they_are)
{
    const auto fault = [](auto&& spoil, const char* file = "/walk.json") {
        Result<Description> scene = readScene(std::string(SINEW_SCENE_DIR) + file);
        EXPECT_TRUE(scene);
        spoil(scene.value(), scene.value().balances[0]);
        const Result<Model> model = compile(scene.value());
        return model ? std::string() : model.error().pointer + ": " + model.error().message;
    };
    using D = Description;
    using B = BalanceDescription;
    const auto has = [&](const std::string& text, const char* pointer, const char* says) {
        EXPECT_TRUE(text.starts_with(pointer)) << text;
        EXPECT_NE(text.find(says), std::string::npos) << text;
    };
    has(fault([](D&, B& b) { b.feet.clear(); }), "/balance/0/feet", "name one foot or two");
    has(fault([](D&, B& b) { b.feet[0] = "left_fot"; }), "/balance/0/feet/0", "no body 'left_fot'");
    has(fault([](D&, B& b) { b.feet[1] = b.feet[0]; }), "/balance/0/feet/1", "named twice");
    has(fault([](D&, B& b) { b.body = "left_foot"; }), "/balance/0/feet/0", "does not hang from");
    has(fault([](D&, B& b) { b.joints[0].joint = "lumbr"; }), "/balance/0/joints/lumbr", "no joint");
    has(fault([](D&, B& b) { b.joints.push_back(b.joints[0]); }), "/balance/0/joints/lumbar",
        "named twice");
    has(fault([](D&, B& b) { b.joints[0].limit = 0; }), "/balance/0/joints/lumbar/limit", "positive");
    has(fault([](D& d, B&) { d.contact.reset(); }), "/balance/0", "give the scene contact");
    has(fault([](D& d, B&) { d.gravity = Vec3::Zero(); }), "/balance/0", "needs gravity");
    has(fault([](D&, B& b) { b.forward = Vec3::UnitY(); }), "/balance/0/forward", "along gravity");
    has(fault([](D&, B& b) { b.gait->states[1].touch = false; }), "/balance/0/gait/states/1",
        "has no way on");
    has(fault([](D&, B& b) { b.gait->states[1].next = "there"; }), "/balance/0/gait/states/1/next",
        "no state 'there'");
    has(fault([](D&, B& b) { b.gait->states[1].stance = "head"; }), "/balance/0/gait/states/1/stance",
        "none of the feet");
    has(fault([](D&, B& b) { b.gait->states[1].name = b.gait->states[0].name; }),
        "/balance/0/gait/states/1/name", "names must differ");
    has(fault([](D&, B& b) { b.gait->states.clear(); }), "/balance/0/gait/states", "at least one");
    has(fault([](D&, B& b) { b.gait->states[0].pose[0].coordinate = {1}; }),
        "/balance/0/gait/states/0/pose", "needs 3 numbers");
    has(fault([](D&, B& b) { b.step->time = 0; }, "/standing.json"), "/balance/0/step/time", "positive");
    has(fault([](D&, B& b) { b.feet.pop_back(); }, "/standing.json"), "/balance/0/step", "two feet");
    EXPECT_EQ(fault([](D&, B&) {}), "");
}

// Read back from what is written, a scene is the same to the last bit.
TEST(Balance, scenes_survive_a_round_trip)
{
    for (const char* file : {"/standing.json", "/walk.json"}) {
        const Result<Description> scene = readScene(std::string(SINEW_SCENE_DIR) + file);
        ASSERT_TRUE(scene);
        const std::string text = writeScene(scene.value());
        const Result<Description> again = parseScene(text, "again");
        ASSERT_TRUE(again) << again.error().text();
        EXPECT_EQ(writeScene(again.value()), text);
        Result<Simulation> a = Simulation::create(scene.value(), {}),
                           b = Simulation::create(again.value(), {});
        ASSERT_TRUE(a && b);
        EXPECT_TRUE(a.value().advance(1).ok);
        EXPECT_TRUE(b.value().advance(1).ok);
        EXPECT_EQ(stateHash(a.value().state), stateHash(b.value().state));
    }
}

}  // namespace
}  // namespace sinew::balance_test
