// Every Jacobian of the implicit steps against finite differences: forces of joints on their two bodies,
// constraint rows, forces on single bodies, joint tangents; at rest, far from it and near a half turn.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/force/laws.h"
#include "sinew/force/laws/springs.h"
#include "sinew/integrate/body_blocks.h"
#include "sinew/integrate/pair_force.h"
#include "support/random_tree.h"

namespace sinew::tangent_test {
namespace {

constexpr double e = 1e-6;
constexpr double tolerance = 1e-6;  // of the largest entry

// Moves a body by six small numbers: linear in world axes, angular in body axes.
State moved(const Model& model, State state, int body, int component, double amount)
{
    BodyState& b = state.bodies[body];
    if (component < 3)
        b.position[component] += amount;
    else
        b.orientation = b.orientation * expRotation(amount * Vec3::Unit(component - 3));
    jointsFromBodies(model, state);
    return state;
}
State pushed(const Model& model, State state, int body, int component, double amount)
{
    BodyState& b = state.bodies[body];
    (component < 3 ? b.velocity[component] : b.angularVelocity[component - 3]) += amount;
    jointsFromBodies(model, state);
    return state;
}

// One joint of each kind and one way round or the other, between two bodies that both move.
Description pairOf(Random& random, JointType type, bool reversed)
{
    Description d;
    for (int i = 0; i < 2; ++i) {
        BodyDescription body;
        body.name = i ? "b" : "a";
        body.pose = {test::randomVector(random, 0.5), expRotation(test::randomVector(random))};
        body.mass = random.uniform(0.5, 2);
        body.inertia = test::randomInertia(random, *body.mass);
        d.bodies.push_back(body);
    }
    JointDescription joint = test::randomJoint(random, type, "a", "b", Vec3(0.1, 0.2, 0.3));
    joint.first = reversed ? "b" : "a";
    joint.second = reversed ? "a" : "b";
    joint.stiffness = 7;
    joint.damping = 0.6;
    if (type != JointType::spherical) {
        joint.motor.assign(jointTypeInfo(type).freedoms, 0.4);
        joint.lower.assign(jointTypeInfo(type).freedoms, -0.2);
        joint.upper.assign(jointTypeInfo(type).freedoms, 0.1);
        joint.limitStiffness = 30;
    }
    d.joints = {joint};
    d.roots = {"a"};
    return d;
}

void checkPairForce(const Model& model, const State& state, const char* what)
{
    const auto forceAt = [&](const State& s, PairForce& pair) {
        Forces forces;
        sceneForces(model, s, forces);
        return jointPairForce(model, s, 1, forces, 0, pair);
    };
    PairForce pair, plus, minus;
    ASSERT_TRUE(forceAt(state, pair)) << what;
    double scale = 1, worst = 0;
    for (int c = 0; c < 2; ++c)
        for (int k = 0; k < 6; ++k) {
            const int body = c == 0 ? 1 : 0;
            for (bool velocity : {false, true}) {
                const auto shift = velocity ? pushed : moved;
                forceAt(shift(model, state, body, k, e), plus);
                forceAt(shift(model, state, body, k, -e), minus);
                const PairMatrix& matrix = velocity ? pair.damping : pair.stiffness;
                const Vec6 child = -(plus.child - minus.child) / (2 * e);
                const Vec6 parent = -(plus.parent - minus.parent) / (2 * e);
                scale = std::max({scale, child.cwiseAbs().maxCoeff(), parent.cwiseAbs().maxCoeff()});
                worst = std::max({worst, (matrix.block[0][c].col(k) - child).cwiseAbs().maxCoeff(),
                                  (matrix.block[1][c].col(k) - parent).cwiseAbs().maxCoeff()});
            }
        }
    EXPECT_LT(worst, tolerance * scale) << what;
}

constexpr JointType movable[] = {JointType::hinge, JointType::slide, JointType::universal,
                                 JointType::spherical};

TEST(Tangents, of_joint_forces_on_both_bodies)
{
    Random random(21);
    for (JointType type : movable)
        for (bool reversed : {false, true})
            for (int t = 0; t < 5; ++t) {
                const Model model = test::mustCompile(pairOf(random, type, reversed));
                const State state = t == 0 ? restState(model) : test::randomState(random, model);
                checkPairForce(model, state, jointTypeName(type));
            }
}

TEST(Tangents, of_ball_joints_from_no_turn_to_nearly_half_a_turn)
{
    Random random(22);
    for (bool split : {false, true})
        for (double turn : {0., 1e-9, 1e-4, 1., 3., std::numbers::pi - 1e-3}) {
            Description d = pairOf(random, JointType::spherical, turn == 1 || turn == 1e-4);
            Model model = test::mustCompile(d);
            Joint& joint = model.joints[1];
            if (split) {
                joint.hasTwist = true;
                joint.axis = test::randomVector(random).normalized();
                joint.twistStiffness = 3;
                joint.limitStiffness = 30;
                joint.swingLimit = 0.5;
                joint.lower[0] = -0.1;
                joint.upper[0] = 0.2;
            }
            State state = test::randomState(random, model);
            // Swing alone for the split one, where the twist is best defined.
            const Vec3 axis =
                split ? directorsAcross(joint.axis).first : test::randomVector(random).normalized();
            const Quat Q = expRotation(turn * axis);
            double* q = state.q.data() + joint.q;
            q[0] = Q.x(), q[1] = Q.y(), q[2] = Q.z(), q[3] = Q.w();
            bodiesFromJoints(model, state);
            if (split && turn > 3.1) continue;  // within its last degree: treated as its edge
            checkPairForce(model, state, split ? "swing and twist" : "ball");
        }
}

TEST(Tangents, of_constraint_rows)
{
    Random random(23);
    for (JointType type :
         {JointType::hinge, JointType::slide, JointType::universal, JointType::spherical, JointType::weld})
        for (int t = 0; t < 5; ++t) {
            Description d = pairOf(random, type == JointType::weld ? JointType::hinge : type, t % 2);
            if (type == JointType::weld) {
                d.joints[0] = test::randomJoint(random, type, "a", "b", Vec3(0.1, 0, 0));
            }
            const Model model = test::mustCompile(d);
            const Joint& joint = model.joints[1];
            // Also off the joint: Newton comes from there.
            State state = test::randomState(random, model);
            state.bodies[1].position += test::randomVector(random, 0.1);
            state.bodies[1].orientation =
                state.bodies[1].orientation * expRotation(test::randomVector(random, 0.2));
            const auto gradient = [&](const State& s, const Row& row) {
                return rowGradient(row, joint, placeOf(s.bodies[1]), parentPlace(model, s, 1));
            };
            Row rows[6];
            rowsOf(joint, rows);
            for (int r = 0; r < joint.rows(); ++r) {
                const PairGradient g = gradient(state, rows[r]);
                PairMatrix H;
                H.setZero();
                addRowCurvature(rows[r], joint, placeOf(state.bodies[1]), parentPlace(model, state, 1), 1,
                                H);
                for (int c = 0; c < 2; ++c)
                    for (int k = 0; k < 6; ++k) {
                        const int body = c == 0 ? 1 : 0;
                        const PairGradient plus = gradient(moved(model, state, body, k, e), rows[r]);
                        const PairGradient minus = gradient(moved(model, state, body, k, -e), rows[r]);
                        EXPECT_NEAR((c ? g.parent : g.child)[k], (plus.value - minus.value) / (2 * e),
                                    tolerance)
                            << jointTypeName(type) << " row " << r;
                        const Vec6 child = (plus.child - minus.child) / (2 * e);
                        const Vec6 parent = (plus.parent - minus.parent) / (2 * e);
                        EXPECT_LT((H.block[0][c].col(k) - child).norm(), tolerance * (1 + child.norm()))
                            << jointTypeName(type) << " row " << r << " " << c << k;
                        EXPECT_LT((H.block[1][c].col(k) - parent).norm(), tolerance * (1 + parent.norm()))
                            << jointTypeName(type) << " row " << r << " " << c << k;
                    }
            }
        }
}

TEST(Tangents, of_loads_obstacles_and_targets)
{
    Random random(24);
    Description d = pairOf(random, JointType::spherical, false);
    for (int what = 0; what < 4; ++what) {
        Model model = test::mustCompile(d);
        const State state = test::randomState(random, model);
        const BodyState& body = state.bodies[1];
        if (what == 0) model.loads.push_back({1, Vec3(3, 1, -2), Vec3(0.3, 0.2, 1), Vec3(0.1, -0.2, 0.3)});
        if (what == 1 || what == 2) {
            Obstacle obstacle;
            obstacle.type =
                what == 1 ? ObstacleDescription::Type::plane : ObstacleDescription::Type::sphere;
            obstacle.normal = test::randomVector(random).normalized();
            obstacle.radius = 0.5;
            obstacle.stiffness = 50;
            obstacle.damping = 0.8;
            model.contactPoints.push_back({1, Vec3(0.2, 0.1, -0.1), 0.1});
            const Vec3 center = body.position + body.orientation * Vec3(0.2, 0.1, -0.1);
            obstacle.position = center - (what == 1 ? 0.02 : 0.4) * obstacle.normal;
            model.obstacles.push_back(obstacle);
        }
        if (what == 3) {
            Target target;
            target.body = 1;
            target.point = Vec3(0.2, 0.1, -0.1);
            target.stiffness = 20;
            target.damping = 0.7;
            target.turnStiffness = 5;
            target.turnDamping = 0.3;
            target.path.keys = {{0, Vec3(0.3, 0, 0), Quat::Identity()},
                                {2, Vec3(1, 0.5, 0), expRotation(Vec3(0.3, 0.5, 1))}};
            model.targets.push_back(target);
        }
        // In body axes and for velocities in them, as the steps use it.
        const auto forceAt = [&](const State& s) -> Vec6 {
            Forces forces;
            sceneForces(model, s, forces);
            Vec6 f;
            f << forces.body[1].force, s.bodies[1].orientation.conjugate() * forces.body[1].torque;
            return f;
        };
        std::vector<BodyTangent> tangents;
        Forces forces;
        sceneForces(model, state, forces);
        bodyForceTangents(model, state, forces, tangents);
        ASSERT_EQ(tangents.size(), 1u) << what;
        const BodyBlocks own = inBodyAxes(tangents[0], body);
        Mat6 K = own.stiffness;
        K.bottomRightCorner<3, 3>() -= tilde(Vec3(forceAt(state).tail<3>()));
        for (int k = 0; k < 6; ++k) {
            const Vec6 byPlace =
                -(forceAt(moved(model, state, 1, k, e)) - forceAt(moved(model, state, 1, k, -e))) / (2 * e);
            const Vec6 byVelocity =
                -(forceAt(pushed(model, state, 1, k, e)) - forceAt(pushed(model, state, 1, k, -e))) /
                (2 * e);
            EXPECT_LT((K.col(k) - byPlace).norm(), tolerance * (1 + byPlace.norm())) << what << " " << k;
            EXPECT_LT((own.damping.col(k) - byVelocity).norm(), tolerance * (1 + byVelocity.norm()))
                << what << " " << k;
        }
    }
}

TEST(Tangents, of_joint_forces_along_the_freedoms)
{
    Random random(25);
    for (JointType type : movable)
        for (int t = 0; t < 5; ++t) {
            const Model model = test::mustCompile(pairOf(random, type, t % 2));
            const State state = test::randomState(random, model);
            const Joint& joint = model.joints[1];
            const double* q = state.q.data() + joint.q;
            JointTangent tangent;
            addSpringTangent(joint, q, true, tangent);
            for (int k = 0; k < joint.freedoms(); ++k) {
                double plus[4], minus[4], Qplus[3], Qminus[3];
                Vec3 d = e * Vec3::Unit(k);
                jointRetract(joint, q, d.data(), plus);
                d = -d;
                jointRetract(joint, q, d.data(), minus);
                jointSpringForce(joint, plus, true, Qplus);
                jointSpringForce(joint, minus, true, Qminus);
                for (int r = 0; r < joint.freedoms(); ++r)
                    EXPECT_NEAR(tangent.stiffness(r, k), -(Qplus[r] - Qminus[r]) / (2 * e), 1e-5)
                        << jointTypeName(type);
            }
        }
}

}  // namespace
}  // namespace sinew::tangent_test
