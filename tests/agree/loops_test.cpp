// Closed loops: the recursive methods against the dense oracle, and steps in joint coordinates against
// steps in maximal ones.
#include <gtest/gtest.h>

#include "sinew/dynamics/loops.h"
#include "sinew/dynamics/methods.h"
#include "sinew/dynamics/work.h"
#include "support/loops.h"
#include "support/random_tree.h"

namespace sinew::test::loops_test {
namespace {

constexpr double agreementTolerance = 1e-9;

// A tree with further joints between bodies that it holds already, closed in the rest pose.
Description randomLoops(Random& random, const std::vector<JointType>& types,
                        const std::vector<JointType>& closing)
{
    TreeOptions options;
    options.bodies = 4 + random.below(12);
    options.joints = types;
    options.rootJoints = types;
    Description d = randomTree(random, options);
    const int loops = 1 + random.below(2);
    for (int l = 0; l < loops; ++l) {
        const int a = random.below(options.bodies), b = random.below(options.bodies);
        if (a == b) continue;
        const auto type = closing[random.below(static_cast<int>(closing.size()))];
        d.joints.push_back(randomJoint(random, type, d.bodies[a].name, d.bodies[b].name,
                                       0.5 * (d.bodies[a].pose.position + d.bodies[b].pose.position)));
        d.joints.back().name += "_again" + std::to_string(l);
    }
    return d;
}

class LoopsAgree : public testing::TestWithParam<const char*> {};

TEST_P(LoopsAgree, in_accelerations_on_random_loops)
{
    const Method& method = *findMethod(GetParam());
    const Method& oracle = *findMethod("kkt");
    const bool balls =
        method.knows(jointTypeInfo(JointType::spherical)) && !method.knows(jointTypeInfo(JointType::hinge));
    const std::vector<JointType> types =
        balls ? std::vector{JointType::spherical}
              : std::vector{JointType::hinge, JointType::spherical, JointType::universal, JointType::slide};
    // What has most rows goes into the tree.
    const std::vector<JointType> closing =
        balls ? types
              : std::vector{JointType::spherical, JointType::hinge, JointType::universal, JointType::weld};
    Random random(77);
    Work work, oracleWork;
    Accelerations a, truth;
    double worst = 0, open = 0;
    int compared = 0;
    for (int t = 0; t < 150; ++t) {
        const Model model = mustCompile(randomLoops(random, types, closing));
        if (model.loops.empty() || !unsupportedReason(method, model).empty()) continue;
        State state = restState(model);
        for (const Joint& joint : model.joints)
            for (int i = 0; i < joint.freedoms(); ++i) state.u[joint.u + i] = random.normal();
        // Off the rest pose by a little, and back onto the loops.
        for (const Joint& joint : model.joints) {
            Vec6 delta;
            for (double& x : delta) x = 0.1 * random.normal();
            double* q = state.q.data() + joint.q;
            const std::vector<double> from(q, q + joint.coordinates());
            jointRetract(joint, from.data(), delta.data(), q);
        }
        bodiesFromJoints(model, state);
        if (!closeLoops(model, state, work.loops)) continue;
        for (const LoopJoint& loop : model.loops) open = std::max(open, loopGap(loop, state));
        const Forces forces = randomForces(random, model);
        a.resize(model);
        truth.resize(model);
        oracle.accelerate(model, state, forces, oracleWork, truth);
        method.accelerate(model, state, forces, work, a);
        // Lengths are of one metre: what turns and what shifts can be compared.
        RelativeError body, joint;
        for (std::size_t i = 0; i < truth.body.size(); ++i)
            body.add(a.body[i].vector(), truth.body[i].vector());
        joint.add(a.joint, truth.joint);
        worst = std::max({worst, body.value(), joint.value()});
        ++compared;
    }
    std::printf("%s: %d scenes, worst %.1e, loops open by %.1e\n", method.name, compared, worst, open);
    EXPECT_GT(compared, 100);
    EXPECT_LT(worst, agreementTolerance);
    EXPECT_LT(open, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Methods, LoopsAgree, testing::Values("featherstone", "armstrong_green"),
                         [](const auto& info) { return std::string(info.param); });

struct Linkage {
    const char* name;
    Description scene;
};

std::vector<Linkage> linkages()
{
    Description fourBar = shippedScene("fourbar");
    return {{"four-bar", fourBar},
            {"four-bar turned", turned(fourBar, oblique())},
            {"four-bar sprung", sprung(turned(fourBar, oblique()), 3, 0.1)},
            {"in space", turned(spatialFourBar(), oblique())},
            {"in space, sprung", sprung(spatialFourBar(), 3, 0.1)}};
}

TEST(Loops, joint_and_maximal_coordinates_make_the_same_steps)
{
    for (const Linkage& linkage : linkages()) {
        Settings settings = stepping("implicit", 0.01), maximal = settings;
        maximal.coordinates = "maximal";
        Simulation a = started(linkage.scene, settings), b = started(linkage.scene, maximal);
        double worst = 0, gap = 0;
        long iterations = 0;
        int steps = 0;
        runFor(b, 1, [&](const StepReport& report) {
            iterations += report.statistics.newtonIterations;
            ++steps;
            ASSERT_TRUE(a.step().ok);
            worst = std::max(worst, drift(a.state.bodies, b.state));
            gap = std::max(gap, largestJointError(b.model(), b.state).gap);
        });
        std::printf("%s: apart by %.1e m after %d steps, gap %.1e m, %.1f iterations\n", linkage.name,
                    worst, steps, gap, double(iterations) / steps);
        EXPECT_EQ(steps, 100) << linkage.name;
        EXPECT_LT(worst, 1e-6) << linkage.name;
        EXPECT_LT(gap, 1e-9) << linkage.name;
    }
}

TEST(Loops, all_integrators_tend_to_the_same_motion)
{
    for (const Linkage& linkage : linkages()) {
        Simulation truth = started(linkage.scene, stepping("rk4", 5e-4));
        ASSERT_TRUE(runFor(truth, 0.5)) << linkage.name;
        for (const char* integrator : {"implicit", "conservative"}) {
            double errors[2];
            for (int k = 0; k < 2; ++k) {
                Simulation s = started(linkage.scene, stepping(integrator, k ? 2.5e-3 : 5e-3));
                ASSERT_TRUE(runFor(s, 0.5)) << linkage.name;
                errors[k] = drift(truth.state.bodies, s.state);
            }
            std::printf("%s, %s: %.1e m off, %.1e with half the step\n", linkage.name, integrator,
                        errors[0], errors[1]);
            // Of second order; the first step of the implicit one, backward Euler, is of first.
            const bool startsLate = std::string_view(integrator) == "implicit";
            EXPECT_LT(errors[1], startsLate ? 5e-4 : 0.3 * errors[0]) << linkage.name << " " << integrator;
        }
    }
}

}  // namespace
}  // namespace sinew::test::loops_test
