// Joint coordinates and body coordinates say the same; so do the description's terms, either way round.
#include <gtest/gtest.h>

#include "sinew/state/measure.h"
#include "support/random_tree.h"

namespace sinew::test {
namespace {

std::vector<JointType> allJoints()
{
    return {JointType::hinge, JointType::spherical, JointType::slide,  JointType::universal,
            JointType::weld,  JointType::free,      JointType::planar, JointType::cylindrical};
}

TEST(Kinematics, joints_from_bodies_undoes_bodies_from_joints)
{
    Random random(1);
    for (int t = 0; t < 100; ++t) {
        TreeOptions options;
        options.bodies = 1 + random.below(30);
        options.joints = options.rootJoints = allJoints();
        const Model model = mustCompile(randomTree(random, options));
        const State state = randomState(random, model);
        State back = state;
        jointsFromBodies(model, back);
        // q and −q are the same rotation; compare what they do.
        EXPECT_LT((back.u - state.u).norm(), 1e-10) << t;
        State again = back;
        bodiesFromJoints(model, again);
        for (int i = 0; i < model.size(); ++i) {
            EXPECT_LT((again.bodies[i].position - state.bodies[i].position).norm(), 1e-11);
            EXPECT_LT(again.bodies[i].orientation.angularDistance(state.bodies[i].orientation), 1e-7);
            EXPECT_LT((again.bodies[i].velocity - state.bodies[i].velocity).norm(), 1e-9);
        }
        const JointError error = largestJointError(model, state);
        EXPECT_LT(error.gap, 1e-12);
        EXPECT_LT(error.misalignment, 1e-7);
    }
}

TEST(Kinematics, velocities_are_the_rates_of_poses)
{
    Random random(2);
    for (int t = 0; t < 60; ++t) {
        TreeOptions options;
        options.bodies = 1 + random.below(6);
        options.joints = options.rootJoints = allJoints();
        const Model model = mustCompile(randomTree(random, options));
        const State state = randomState(random, model);
        const double h = 1e-6;
        State plus = state, minus = state;
        for (const Joint& joint : model.joints) {
            const VecX delta = h * state.u.segment(joint.u, joint.freedoms()), back = -delta;
            jointRetract(joint, state.q.data() + joint.q, delta.data(), plus.q.data() + joint.q);
            jointRetract(joint, state.q.data() + joint.q, back.data(), minus.q.data() + joint.q);
        }
        bodiesFromJoints(model, plus);
        bodiesFromJoints(model, minus);
        for (int i = 0; i < model.size(); ++i) {
            const Vec3 v = (plus.bodies[i].position - minus.bodies[i].position) / (2 * h);
            const Vec3 w =
                logRotation(minus.bodies[i].orientation.conjugate() * plus.bodies[i].orientation) / (2 * h);
            EXPECT_LT((v - state.bodies[i].velocity).norm(), 1e-7);
            EXPECT_LT((w - state.bodies[i].angularVelocity).norm(), 1e-7);
        }
    }
}

TEST(Kinematics, constraint_rows_are_the_rates_of_the_violation)
{
    Random random(3);
    for (int t = 0; t < 100; ++t) {
        TreeOptions options;
        options.bodies = 2 + random.below(4);
        options.joints = options.rootJoints = allJoints();
        const Model model = mustCompile(randomTree(random, options));
        State state = randomState(random, model);
        // Off the joints a little, and moving anyhow.
        for (BodyState& b : state.bodies) {
            b.position += randomVector(random, 1e-3);
            b.velocity = randomVector(random);
            b.angularVelocity = randomVector(random);
        }
        const double h = 1e-6;
        const auto moved = [&](double time) {
            State m = state;
            for (BodyState& b : m.bodies) {
                b.position += time * b.velocity;
                b.orientation = b.orientation * expRotation(time * b.angularVelocity);
            }
            return m;
        };
        const State plus = moved(h), minus = moved(-h);
        for (int i = 0; i < model.size(); ++i) {
            ConstraintRows rows, after, before;
            const Joint& joint = model.joints[i];
            constraintRows(joint, parentState(model, state, i), state.bodies[i], rows);
            constraintRows(joint, parentState(model, plus, i), plus.bodies[i], after);
            constraintRows(joint, parentState(model, minus, i), minus.bodies[i], before);
            const auto velocity = [&](int body) {
                const BodyState& b = state.bodies[body];
                return (Vec6() << b.velocity, b.angularVelocityWorld()).finished();
            };
            for (int r = 0; r < rows.count; ++r) {
                double rate = rows.child.row(r).dot(velocity(i));
                if (joint.parent >= 0) rate += rows.parent.row(r).dot(velocity(joint.parent));
                const double measured = (after.violation[r] - before.violation[r]) / (2 * h);
                EXPECT_NEAR(rate, measured, 1e-7) << jointTypeName(joint.type) << " row " << r;
            }
        }
    }
}

// Coordinates of a joint mean the same whichever body is the tree's parent.
TEST(DescribedCoordinates, do_not_depend_on_the_root)
{
    Random random(4);
    for (JointType type : {JointType::hinge, JointType::spherical, JointType::slide, JointType::universal,
                           JointType::planar, JointType::cylindrical}) {
        TreeOptions options;
        options.bodies = 2;
        options.joints = {type};
        Description d = randomTree(random, options);
        const int k = jointTypeInfo(type).freedoms;
        for (int i = 0; i < k; ++i) {
            d.joints[0].coordinate.push_back(random.normal());
            d.joints[0].velocity.push_back(random.normal());
            d.joints[0].motor.push_back(random.normal());
        }
        Description reversed = d;
        d.roots = {d.joints[0].first};
        reversed.roots = {d.joints[0].second};
        const Description* both[2] = {&d, &reversed};
        Pose relative[2];
        for (int r = 0; r < 2; ++r) {
            const Model model = mustCompile(*both[r]);
            const Result<State> made = initialState(model, *both[r]);
            ASSERT_TRUE(made);
            const State& state = made.value();
            const int link = model.jointOrder[0];
            EXPECT_EQ(model.joints[link].childIsFirst, r == 1);
            Vec6 coordinate, velocity, Q;
            describedCoordinate(model, state, link, coordinate.data());
            describedVelocity(model, state, link, velocity.data());
            motorForce(model, state, link, d.joints[0].motor.data(), Q.data());
            double power = 0, expected = 0;
            for (int i = 0; i < k; ++i) {
                EXPECT_NEAR(coordinate[i], d.joints[0].coordinate[i], 1e-12) << jointTypeName(type);
                EXPECT_NEAR(velocity[i], d.joints[0].velocity[i], 1e-12) << jointTypeName(type);
                power += Q[i] * state.u[model.joints[link].u + i];
                expected += d.joints[0].motor[i] * d.joints[0].velocity[i];
            }
            EXPECT_NEAR(power, expected, 1e-12) << jointTypeName(type);
            const auto pose = [&](const std::string& name) {
                const BodyState& b = state.bodies[model.findBody(name)];
                return Pose{b.position, b.orientation};
            };
            relative[r] = pose(d.joints[0].first).inverse() * pose(d.joints[0].second);
        }
        EXPECT_LT((relative[0].position - relative[1].position).norm(), 1e-12) << jointTypeName(type);
        EXPECT_LT(relative[0].orientation.angularDistance(relative[1].orientation), 1e-7)
            << jointTypeName(type);
    }
}

TEST(Momenta, can_be_read_and_set)
{
    Random random(5);
    const Model model = mustCompile(randomTree(random, {}));
    State state = randomState(random, model);
    const Vec3 P(1, 2, 3), L(0.1, -0.2, 0.3);
    setMomenta(model, state, 2, P, L);
    EXPECT_LT((linearMomentum(model, state, 2) - P).norm(), 1e-13);
    EXPECT_LT((angularMomentum(model, state, 2) - L).norm(), 1e-13);
    const Mat3 R = state.bodies[2].orientation.toRotationMatrix();
    EXPECT_LT(
        (R * model.bodies[2].inertia * R.transpose() * state.bodies[2].angularVelocityWorld() - L).norm(),
        1e-12);
}

}  // namespace
}  // namespace sinew::test
