// Joints whose motion is given: the recursion against inverse dynamics and the oracle, the steps against
// their curves and each other.
#include <gtest/gtest.h>

#include "sinew/dynamics/inverse.h"
#include "support/prescribed_scene.h"

namespace sinew::test::prescribed_test {
namespace {

constexpr double agreementTolerance = 1e-9;

// About half of the joints of a random tree, its root too where it floats.
Description randomlyPrescribed(Random& random)
{
    TreeOptions options;
    options.bodies = 1 + random.below(20);
    options.joints = {JointType::hinge,     JointType::spherical, JointType::slide,
                      JointType::universal, JointType::weld,      JointType::free};
    options.rootJoints = options.joints;
    Description d = randomTree(random, options);
    bool floats = true;
    for (JointDescription& joint : d.joints) {
        floats = floats && joint.first != "world" && joint.second != "world";
        const int k = jointTypeInfo(joint.type).freedoms;
        if (k == 0 || k == 6) continue;
        if (random.below(3) == 0) joint.armature = random.uniform(0.01, 1);
        if (random.below(2) == 0) continue;
        std::vector<Signal> motion;
        for (int i = 0; i < k; ++i) motion.push_back(sine(random.normal(), 1, random.normal()));
        d.prescribed.push_back(prescribedJoint(joint.name, motion));
        d.prescribed.back().blend = 0.5 * random.below(2);
    }
    if (floats && random.below(2)) {
        PrescribedDescription root;
        root.body = "body0";
        root.path = {{0, randomVector(random), expRotation(randomVector(random))},
                     {1, randomVector(random), expRotation(randomVector(random))}};
        d.prescribed.push_back(root);
    }
    return d;
}

TEST(Prescribed, accelerations_and_drives_agree_with_inverse_dynamics_and_the_oracle_on_random_trees)
{
    const Method& featherstone = *findMethod("featherstone");
    const Method& oracle = *findMethod("kkt");
    Random random(4711);
    Work work, otherWork;
    Accelerations a, truth;
    double worstForce = 0, worstMotion = 0;
    int prescribed = 0, roots = 0;
    for (int t = 0; t < 200; ++t) {
        const Model model = mustCompile(randomlyPrescribed(random));
        State state = randomState(random, model);
        handOver(model, state);
        state.time = 0.2;
        const Forces forces = randomForces(random, model);
        a.resize(model);
        featherstone.accelerate(model, state, forces, work, a);
        VecX Q, expected = forces.joint;
        if (!model.prescribed.empty()) expected += a.drive;
        inverseDynamics(model, state, forces.body, a.joint, work, Q);
        RelativeError force;
        force.add(Q, expected);
        worstForce = std::max(worstForce, force.value());
        for (int i = 0; i < model.size(); ++i) {
            const Joint& joint = model.joints[i];
            const int k = joint.freedoms();
            if (k == 0 || model.prescribed.empty()) continue;
            if (!isPrescribed(model, state, i)) {
                EXPECT_TRUE(a.drive.segment(joint.u, k).isZero(0));
                continue;
            }
            ++prescribed;
            roots += k == 6;
            const JointMotion given = prescribedMotion(model, state, i, state.time);
            for (int f = 0; f < k; ++f) EXPECT_EQ(a.joint[joint.u + f], given.acceleration[f]);
        }
        // The same figure, driven by these forces and nothing else.
        Model driven = model;
        for (Joint& joint : driven.joints) joint.prescribed = -1;
        driven.prescribed.clear();
        Forces all = forces;
        all.joint = expected;
        truth.resize(driven);
        oracle.accelerate(driven, state, all, otherWork, truth);
        worstMotion = std::max(worstMotion, disagreement(a, truth));
    }
    std::printf("%d prescribed joints, %d of them roots: forces %.1e, motion %.1e\n", prescribed, roots,
                worstForce, worstMotion);
    EXPECT_GT(prescribed, 500);
    EXPECT_GT(roots, 10);
    EXPECT_LT(worstForce, agreementTolerance);
    EXPECT_LT(worstMotion, agreementTolerance);
}

class PrescribedStep : public testing::TestWithParam<Stepper> {};

TEST_P(PrescribedStep, keeps_every_prescribed_joint_on_its_curve)
{
    for (bool smooth : {true, false}) {
        const Description d = prescribedFigure(smooth);
        Simulation s = mustCreate(d, GetParam(), 5e-3);
        double worst = offCurve(d, s);
        for (int i = 0; i < 80; ++i) {
            ASSERT_TRUE(s.step().ok);
            worst = std::max(worst, offCurve(d, s));
        }
        std::printf("%s: %.1e off the curve\n", nameOf(GetParam()).c_str(), worst);
        EXPECT_LT(worst, 1e-9);  // Newton's tolerance in maximal coordinates; elsewhere rounding
        EXPECT_LT(largestJointError(s.model(), s.state).gap, 1e-9);
    }
}

Vec3 shinAfter(const Stepper& stepper, double h, double duration)
{
    Simulation s = mustCreate(prescribedFigure(true), stepper, h);
    const int steps = static_cast<int>(std::lround(duration / h));
    for (int i = 0; i < steps; ++i) EXPECT_TRUE(s.step().ok);
    Vec3 sum = Vec3::Zero();
    for (const char* name : {"shin", "hand", "hat", "flap"})
        sum += s.state.bodies[s.model().findBody(name)].position;
    return sum;
}

TEST_P(PrescribedStep, keeps_its_order)
{
    constexpr double duration = 0.4;
    static const Vec3 exact = shinAfter({"rk4", "joint", 4}, 5e-4, duration);
    // Errors of RK4 reach rounding soon.
    const bool isFine = GetParam().order == 4;
    const double coarse = isFine ? 2e-2 : 4e-3, fine = coarse / 4;
    const double first = (shinAfter(GetParam(), coarse, duration) - exact).norm();
    const double last = (shinAfter(GetParam(), fine, duration) - exact).norm();
    const double slope = std::log(first / last) / std::log(4.);
    std::printf("%s: %.2e at %g s, %.2e at %g s, slope %.2f\n", nameOf(GetParam()).c_str(), first, coarse,
                last, fine, slope);
    EXPECT_NEAR(slope, GetParam().order, 0.25);
    EXPECT_LT(first, 0.05);
}

INSTANTIATE_TEST_SUITE_P(All, PrescribedStep, testing::ValuesIn(prescribedSteppers),
                         [](const auto& info) { return nameOf(info.param); });

TEST(Prescribed, implicit_steps_agree_in_both_coordinates)
{
    for (const char* integrator : {"implicit_euler", "implicit_bdf2"}) {
        const Description d = prescribedFigure(false);
        Simulation joint = mustCreate(d, {integrator, "joint", 0}, 1. / 60),
                   maximal = mustCreate(d, {integrator, "maximal", 0}, 1. / 60);
        double worst = 0;
        for (int i = 0; i < 30; ++i) {
            ASSERT_TRUE(joint.step().ok);
            ASSERT_TRUE(maximal.step().ok);
            for (int b = 0; b < joint.model().size(); ++b)
                worst = std::max(
                    worst, (joint.state.bodies[b].position - maximal.state.bodies[b].position).norm());
        }
        std::printf("%s: %.1e m apart\n", integrator, worst);
        EXPECT_LT(worst, 1e-8);  // both end within Newton's tolerance
    }
}

// Nothing outside holds this pair: a drive between its bodies leaves the momenta alone.
TEST(Prescribed, a_drive_inside_a_figure_keeps_both_momenta_in_the_conservative_step)
{
    Description d;
    d.gravity.setZero();
    BodyDescription hub;
    hub.name = "hub";
    hub.mass = 2;
    hub.inertia = Vec3(0.1, 0.12, 0.08).asDiagonal();
    hub.velocity = Vec3(0.3, 0, 0.1);
    hub.angularVelocity = Vec3(0.5, 1, -0.3);
    d.bodies.push_back(hub);
    addBone(d, "hub", "wheel", JointType::spherical, Vec3(0.3, 0, 0.1));
    addBone(d, "wheel", "rim", JointType::hinge, Vec3(0.2, 0.1, 0));
    addBone(d, "hub", "rod", JointType::slide, Vec3(-0.2, 0.1, 0), true);
    d.prescribed.push_back(prescribedJoint("to_wheel", {sine(1, 1), sine(0.5, 2, 1), sine(0.3, 1)}));
    d.prescribed.push_back(prescribedJoint("to_rod", {sine(0.1, 1.5)}));
    Simulation s = mustCreate(d, {"conservative", "maximal", 2}, 1e-2);
    const Momentum start = momentum(s.model(), s.state);
    const double energyStart = energy(s.model(), s.state).total();
    double worst = 0, energyMoved = 0;
    for (int i = 0; i < 200; ++i) {
        ASSERT_TRUE(s.step().ok);
        const Momentum now = momentum(s.model(), s.state);
        worst = std::max({worst, (now.linear - start.linear).norm(), (now.angular - start.angular).norm()});
        energyMoved = std::max(energyMoved, std::abs(energy(s.model(), s.state).total() - energyStart));
    }
    std::printf("momenta to %.1e, energy moved by %.2g J\n", worst, energyMoved);
    EXPECT_LT(worst, 1e-11);  // rounding over 200 steps
    EXPECT_GT(energyMoved, 0.1);
}

}  // namespace
}  // namespace sinew::test::prescribed_test
