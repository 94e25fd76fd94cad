// Every method against the dense oracle, on random trees drawn from the joints and roots it supports.
#include <gtest/gtest.h>

#include "sinew/dynamics/inverse.h"
#include "sinew/dynamics/methods.h"
#include "sinew/dynamics/work.h"
#include "sinew/figure/chain.h"
#include "support/random_tree.h"

namespace sinew::test::methods_test {
namespace {

// Conditioning of 60-body systems costs the dense solve a few digits of its sixteen.
constexpr double agreementTolerance = 1e-9;
constexpr int treesPerMethod = 260;  // four methods besides the oracle: over 1,000 in all

std::vector<JointType> jointsOf(const Method& method)
{
    std::vector<JointType> types;
    for (int t = 0; t < jointTypeCount(); ++t)
        if (const auto type = static_cast<JointType>(t); method.knows(jointTypeInfo(type)))
            types.push_back(type);
    return types;
}

Description treeFor(const Method& method, Random& random)
{
    TreeOptions options;
    // Sizes 1 to 60, smaller ones more often: the oracle is cubic.
    options.bodies = 1 + static_cast<int>(59.999 * std::pow(random.unit(), 2));
    options.joints = jointsOf(method);
    options.rootJoints = jointsOf(method);
    Description d = randomTree(random, options);
    if (method.hasArmature)
        for (JointDescription& joint : d.joints) {
            const int k = jointTypeInfo(joint.type).freedoms;
            if (k > 0 && k < 6 && random.below(3) == 0) joint.armature = random.uniform(0.01, 1);
        }
    return d;
}

class AgreesWithOracle : public testing::TestWithParam<const char*> {};

TEST_P(AgreesWithOracle, in_accelerations_and_joint_loads_on_random_trees)
{
    const Method& method = *findMethod(GetParam());
    const Method& oracle = *findMethod("kkt");
    Random random(20260 + GetParam()[0]);
    Work work, oracleWork;
    Accelerations a, truth;
    double worst = 0;
    int largest = 0;
    for (int t = 0; t < treesPerMethod; ++t) {
        const Model model = mustCompile(treeFor(method, random));
        ASSERT_EQ(unsupportedReason(method, model), "");
        const State state = randomState(random, model);
        const Forces forces = randomForces(random, model);
        a.resize(model);
        truth.resize(model);
        oracle.accelerate(model, state, forces, oracleWork, truth);
        method.accelerate(model, state, forces, work, a);
        const double error = disagreement(a, truth);
        EXPECT_LT(error, agreementTolerance) << "tree " << t << " of " << model.size() << " bodies";
        worst = std::max(worst, error);
        largest = std::max(largest, model.size());
    }
    RecordProperty("worst", std::to_string(worst));
    std::printf("%s: worst disagreement %.2e over %d trees of up to %d bodies\n", method.name, worst,
                treesPerMethod, largest);
}

INSTANTIATE_TEST_SUITE_P(Method, AgreesWithOracle,
                         testing::Values("hakenberg", "baraff", "armstrong_green", "featherstone"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Oracle, satisfies_newton_euler_and_the_joints)
{
    // Independent of the system it solved: what the joints say they do must give the accelerations, and
    // these must keep the joints closed (second difference of the gap along the motion).
    Random random(7);
    const Method& oracle = *findMethod("kkt");
    Work work;
    for (int t = 0; t < 50; ++t) {
        TreeOptions options;
        options.bodies = 1 + random.below(12);
        options.joints = jointsOf(oracle);
        options.rootJoints = jointsOf(oracle);
        const Model model = mustCompile(randomTree(random, options));
        const State state = randomState(random, model);
        const Forces forces = randomForces(random, model);
        Accelerations a;
        a.resize(model);
        oracle.accelerate(model, state, forces, work, a);

        LargeVector<Force> total = forces.body;
        for (int i = 0; i < model.size(); ++i) {
            const Joint& joint = model.joints[i];
            const BodyState* parent = parentState(model, state, i);
            const Vec3 place =
                joint.childIsFirst ? anchorOnChild(joint, state.bodies[i]) : anchorOnParent(joint, parent);
            const auto push = [&](int body, const Force& load) {
                if (body >= 0) total[body] += load.at(state.bodies[body].position - place);
            };
            push(joint.childIsFirst ? i : joint.parent, a.load[i]);
            push(joint.childIsFirst ? joint.parent : i, -a.load[i]);
        }
        for (int i = 0; i < model.size(); ++i) {
            const Mat3 R = state.bodies[i].orientation.toRotationMatrix();
            const Mat3 I = R * model.bodies[i].inertia * R.transpose();
            const Vec3 w = state.bodies[i].angularVelocityWorld();
            EXPECT_LT((model.bodies[i].mass * a.body[i].linear - total[i].force).norm(), 1e-8);
            EXPECT_LT((I * a.body[i].angular + w.cross(I * w) - total[i].torque).norm(), 1e-8);
        }
    }
}

TEST(Oracle, keeps_joints_closed_to_second_order)
{
    Random random(11);
    const Method& oracle = *findMethod("kkt");
    Work work;
    for (int t = 0; t < 30; ++t) {
        TreeOptions options;
        options.bodies = 2 + random.below(6);
        options.joints = jointsOf(oracle);
        options.rootJoints = jointsOf(oracle);
        const Model model = mustCompile(randomTree(random, options));
        const State state = randomState(random, model);
        const Forces forces = randomForces(random, model);
        Accelerations a;
        a.resize(model);
        oracle.accelerate(model, state, forces, work, a);
        // C(x(h)) along the parabola of the motion must be O(h³): a factor of 8 when h is halved, 4 if the
        // constraint were only met in velocity.
        const auto violationAt = [&](double h) {
            State moved = state;
            for (int i = 0; i < model.size(); ++i) {
                BodyState& b = moved.bodies[i];
                const Vec3 w = state.bodies[i].angularVelocityWorld();
                b.position += h * b.velocity + 0.5 * h * h * a.body[i].linear;
                b.orientation = expRotation(h * w + 0.5 * h * h * a.body[i].angular) * b.orientation;
            }
            double worst = 0;
            ConstraintRows rows;
            for (int i = 0; i < model.size(); ++i) {
                constraintRows(model.joints[i], parentState(model, moved, i), moved.bodies[i], rows);
                if (rows.count > 0)
                    worst = std::max(worst, rows.violation.head(rows.count).cwiseAbs().maxCoeff());
            }
            return worst;
        };
        const double coarse = violationAt(2e-3), fine = violationAt(1e-3);
        if (coarse > 1e-12) EXPECT_GT(coarse / fine, 5) << "not third order: " << coarse << " " << fine;
    }
}

TEST(Featherstone, stays_accurate_along_a_taut_chain_of_thousands)
{
    // Unsymmetric rounding in the articulated inertia once doubled with every link here.
    ChainOptions options;
    options.links = 3000;
    options.horizontal = true;
    const Model model = mustCompile(makeChain(options));
    const State state = restState(model);
    Random random(3);
    Forces forces;
    forces.setZero(model);
    for (int i = 0; i < model.size(); ++i) forces.body[i].force = model.bodies[i].mass * model.gravity;
    for (double& Q : forces.joint) Q = 0.01 * random.normal();
    Work work;
    Accelerations a, truth;
    a.resize(model);
    truth.resize(model);
    findMethod("featherstone")->accelerate(model, state, forces, work, a);
    findMethod("armstrong_green")->accelerate(model, state, forces, work, truth);
    EXPECT_LT(disagreement(a, truth), agreementTolerance);
}

TEST(InverseDynamics, undoes_forward_dynamics)
{
    Random random(5);
    const Method& forward = *findMethod("featherstone");
    Work work;
    VecX Q;
    double worst = 0;
    for (int t = 0; t < 200; ++t) {
        const Model model = mustCompile(treeFor(forward, random));
        const State state = randomState(random, model);
        const Forces forces = randomForces(random, model);
        Accelerations a;
        a.resize(model);
        forward.accelerate(model, state, forces, work, a);
        inverseDynamics(model, state, forces.body, a.joint, work, Q);
        RelativeError error;
        error.add(Q, forces.joint);
        worst = std::max(worst, error.value());
    }
    EXPECT_LT(worst, agreementTolerance);
}

TEST(MassMatrix, and_bias_forces_give_the_same_equations_of_motion)
{
    Random random(6);
    const Method& forward = *findMethod("featherstone");
    Work work;
    MatX M;
    VecX bias;
    double worst = 0;
    for (int t = 0; t < 100; ++t) {
        const Model model = mustCompile(treeFor(forward, random));
        if (model.freedomCount == 0) continue;
        const State state = randomState(random, model);
        const Forces forces = randomForces(random, model);
        Accelerations a;
        a.resize(model);
        forward.accelerate(model, state, forces, work, a);
        massMatrix(model, state, work, M);
        biasForces(model, state, forces.body, work, bias);
        EXPECT_LT((M - M.transpose()).cwiseAbs().maxCoeff(), 1e-12 * M.cwiseAbs().maxCoeff());
        RelativeError error;
        error.add(VecX(M * a.joint + bias), forces.joint);
        worst = std::max(worst, error.value());
    }
    EXPECT_LT(worst, agreementTolerance);
}

}  // namespace
}  // namespace sinew::test::methods_test
