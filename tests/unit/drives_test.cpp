// Torque functions, controllers and dry friction: their derivatives by finite differences, their forces as
// gradients of their energies.
#include <gtest/gtest.h>

#include <limits>

#include "sinew/force/laws.h"
#include "sinew/state/kinematics.h"
#include "support/random_tree.h"

namespace sinew::drives_test {
namespace {

constexpr double e = 1e-6;
constexpr double tolerance = 2e-6;  // central differences of torques of size ten

// Two bodies, the joint under test between them, its child first or second.
Model pair(JointType type, bool reversed)
{
    Description d;
    d.bodies.resize(2);
    for (int i = 0; i < 2; ++i) {
        d.bodies[i].name = i == 0 ? "a" : "b";
        d.bodies[i].pose.position = Vec3(0.3 * i, 0.1 * i, 0);
        d.bodies[i].pose.orientation = Quat(0.9, 0.1, 0.3 * i, -0.2).normalized();
        d.bodies[i].mass = 1;
        d.bodies[i].inertia = Mat3(0.1 * Mat3::Identity());
    }
    JointDescription joint;
    joint.name = "j";
    joint.type = type;
    joint.first = reversed ? "b" : "a";
    joint.second = reversed ? "a" : "b";
    joint.axis = Vec3(1, 2, 2) / 3;
    if (type == JointType::universal) joint.axis2 = Vec3(2, 1, -2) / 3;
    d.joints = {joint};
    return test::mustCompile(d);
}

State bent(const Model& model, Random& random)
{
    State state = test::randomState(random, model);
    state.time = 0.7;
    return state;
}

Vec3 forceOf(const Model& model, const State& state)
{
    Vec3 Q = Vec3::Zero();
    addDriveForce(model, state, 1, Q.data());
    return Q;
}

State moved(const Model& model, const State& state, int freedom, double by)
{
    State s = state;
    const Joint& joint = model.joints[1];
    Vec6 delta = Vec6::Zero();
    delta[freedom] = by;
    jointRetract(joint, state.q.data() + joint.q, delta.data(), s.q.data() + joint.q);
    return s;
}

void expectTangents(const Model& model, const State& state, const std::string& what)
{
    const Joint& joint = model.joints[1];
    JointTangent tangent;
    addDriveTangent(model, state, 1, tangent);
    for (int k = 0; k < joint.freedoms(); ++k) {
        const Vec3 byPlace =
            -(forceOf(model, moved(model, state, k, e)) - forceOf(model, moved(model, state, k, -e))) /
            (2 * e);
        State faster = state, slower = state;
        faster.u[joint.u + k] += e;
        slower.u[joint.u + k] -= e;
        const Vec3 byVelocity = -(forceOf(model, faster) - forceOf(model, slower)) / (2 * e);
        EXPECT_LT((tangent.stiffness.col(k) - byPlace).norm(), tolerance * (1 + byPlace.norm())) << what;
        EXPECT_LT((tangent.damping.col(k) - byVelocity).norm(), tolerance * (1 + byVelocity.norm()))
            << what;
    }
}

void expectGradient(const Model& model, const State& state, const std::string& what)
{
    const Vec3 Q = forceOf(model, state);
    for (int k = 0; k < model.joints[1].freedoms(); ++k) {
        const double slope = (driveEnergy(model, moved(model, state, k, e), 1) -
                              driveEnergy(model, moved(model, state, k, -e), 1)) /
                             (2 * e);
        EXPECT_NEAR(Q[k], -slope, tolerance * (1 + std::abs(slope))) << what;
    }
}

std::vector<Signal> moving(int freedoms)
{
    std::vector<Signal> signals;
    for (int i = 0; i < freedoms; ++i) signals.emplace_back(SineSignal{0.4 + 0.1 * i, 0.5, 0.3 * i, 0.1});
    return signals;
}

constexpr JointType driven[] = {JointType::hinge, JointType::spherical, JointType::slide,
                                JointType::universal};

TEST(Drives, controllers_have_exact_derivatives_and_energy)
{
    Random random(51);
    for (JointType type : driven)
        for (bool reversed : {false, true}) {
            Model model = pair(type, reversed);
            const std::string what = std::string(jointTypeName(type)) + (reversed ? " reversed" : "");
            JointDrives drives;
            Controller controller;
            controller.stiffness = 7;
            controller.damping = 0.9;
            controller.target = moving(model.joints[1].freedoms());
            drives.controllers = {controller};
            model.drives = {drives};
            model.joints[1].drives = 0;
            for (int t = 0; t < 5; ++t) expectTangents(model, bent(model, random), what);
            model.drives[0].controllers[0].limit = 2;  // less than it would give
            for (int t = 0; t < 5; ++t) {
                const State state = bent(model, random);
                expectTangents(model, state, what + " limited");
                EXPECT_LE(forceOf(model, state).norm(), 2 + 1e-12);
            }
            model.drives[0].controllers[0].limit = 1e9;
            model.drives[0].controllers[0].damping = 0;
            expectGradient(model, bent(model, random), what);
        }
}

TEST(Drives, torque_functions_have_exact_derivatives_and_energy)
{
    using Part = TorqueDescription::Part;
    Random random(52);
    for (JointType type : driven)
        for (bool reversed : {false, true})
            for (Part part : {Part::swing, Part::twist}) {
                Model model = pair(type, reversed);
                TorqueFunction function;
                const bool ball = type == JointType::spherical;
                if (!ball && part == Part::twist) continue;
                function.part = ball ? part : Part::freedom;
                function.curve = TorqueCurve::freePlay(-0.05, 0.1, 6, 4, 8, 9);
                function.center = moving(model.joints[1].freedoms());
                JointDrives drives;
                drives.functions = {function};
                model.drives = {drives};
                model.joints[1].drives = 0;
                for (int t = 0; t < 5; ++t) {
                    const State state = bent(model, random);
                    expectTangents(model, state, jointTypeName(type));
                    expectGradient(model, state, jointTypeName(type));
                }
            }
}

TEST(Drives, dry_friction_has_exact_derivatives_and_never_more_than_its_strength)
{
    Random random(53);
    for (JointType type : driven) {
        Model model = pair(type, false);
        model.joints[1].coulomb = 3;
        const State state = bent(model, random);
        expectTangents(model, state, jointTypeName(type));
        EXPECT_LT(forceOf(model, state).norm(), 3);
        EXPECT_GT(forceOf(model, state).norm(), 2.99);
    }
}

TEST(TorqueCurve, is_flat_in_free_play_steep_outside_and_saturates)
{
    const TorqueCurve curve =
        TorqueCurve::freePlay(-0.2, 0.3, 10, 20, 4, std::numeric_limits<double>::infinity());
    EXPECT_EQ(curve.torque(0), 0);
    EXPECT_EQ(curve.slope(0.1), 0);
    EXPECT_NEAR(curve.torque(0.4), -2, 1e-12);
    EXPECT_NEAR(curve.torque(-0.3), 1, 1e-12);
    EXPECT_NEAR(curve.torque(-5), 4, 1e-12);
    EXPECT_EQ(curve.slope(-5), 0);
    EXPECT_EQ(curve.energy(0.2), 0);
    EXPECT_NEAR(curve.energy(0.4), 0.5 * 20 * 0.01, 1e-12);
    EXPECT_NEAR(curve.energy(-0.7), 0.5 * 10 * 0.16 + 4 * 0.1, 1e-12);
}

}  // namespace
}  // namespace sinew::drives_test
