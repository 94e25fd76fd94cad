// Derivatives of kinematics, inverse and forward dynamics against central differences of fourth order, on
// random trees of all types of joints, under forces that change with the state; and adjoint against
// forward.
#include <gtest/gtest.h>

#include "derivatives/random_cases.h"
#include "sinew/dynamics/derivatives.h"
#include "sinew/dynamics/inverse.h"
#include "sinew/dynamics/methods.h"
#include "sinew/force/laws.h"
#include "sinew/model/springs.h"
#include "sinew/state/jacobian.h"
#include "support/random_tree.h"

namespace sinew::derivatives_test {
namespace {

constexpr double differenceStep = 2e-4;  // error of fourth order, rounding 1e-12: both below 1e-9
constexpr double tolerance = 1e-7;
constexpr double rounding = 1e-11;  // adjoint against forward: sums of the same products in another order

const std::vector<JointType> allJoints = {JointType::hinge,     JointType::spherical,  JointType::slide,
                                          JointType::universal, JointType::weld,       JointType::free,
                                          JointType::planar,    JointType::cylindrical};

// A tree with springs and dampers in its joints, and springs between bodies.
Description randomScene(Random& random, int bodies)
{
    Description d = test::sprungTree(random, bodies, allJoints);
    test::addRandomSprings(random, 20, 1, d);
    return d;
}

VecX randomTangent(Random& random, const Model& model)
{
    VecX x(model.freedomCount);
    for (double& value : x) value = random.normal();
    return x;
}

// (8 (f(e) − f(−e)) − (f(2e) − f(−2e))) / 12 e
template <class F>
VecX difference(F&& f)
{
    const double e = differenceStep;
    const VecX near = f(e) - f(-e), far = f(2 * e) - f(-2 * e);
    return (8 * near - far) / (12 * e);
}

double relativeError(const VecX& a, const VecX& truth)
{
    double worst = 0, scale = 1e-3;
    for (int i = 0; i < truth.size(); ++i) {
        worst = std::max(worst, std::abs(a[i] - truth[i]));
        scale = std::max(scale, std::abs(truth[i]));
    }
    return worst / scale;
}

// What the joints need beside the forces of the scene.
VecX needed(const Model& model, const State& state, const VecX& acceleration)
{
    Forces forces;
    sceneForces(model, state, forces);
    Work work;
    VecX Q;
    inverseDynamics(model, state, forces.body, acceleration, work, Q);
    return Q - forces.joint;
}

VecX accelerated(const Model& model, const State& state, const VecX& Q)
{
    Forces forces;
    sceneForces(model, state, forces);
    for (int i = 0; i < Q.size(); ++i) forces.joint[i] += Q[i];
    Work work;
    Accelerations a;
    a.resize(model);
    findMethod("featherstone")->accelerate(model, state, forces, work, a);
    return a.joint;
}

struct Case {
    Model model;
    State state;
    VecX acceleration, Q;
    DynamicsDerivatives at;

    Case(Random& random, int bodies) : model(test::mustCompile(randomScene(random, bodies)))
    {
        // A load that stays where it is on its body, and does not turn with it.
        model.loads.push_back({random.below(model.size()), test::randomVector(random, 5),
                               test::randomVector(random), test::randomVector(random, 0.3)});
        state = test::randomState(random, model);
        acceleration = randomTangent(random, model);
        Forces forces;
        sceneForces(model, state, forces);
        ForceTangents tangents;
        sceneTangents(model, state, forces, tangents);
        linearize(model, state, forces.body, acceleration, tangents, at);
        Q = needed(model, state, acceleration);
    }
};

constexpr int trees = 60;

TEST(Derivatives, of_inverse_dynamics_are_those_of_differences)
{
    Random random(11);
    for (int t = 0; t < trees; ++t) {
        Case c(random, 1 + random.below(8));
        const VecX dq = randomTangent(random, c.model), du = randomTangent(random, c.model),
                   da = randomTangent(random, c.model);
        VecX change;
        inverseChange(c.model, c.at, dq, du, da, change);
        const VecX truth = difference([&](double e) {
            return needed(c.model, test::moved(c.model, c.state, dq, du, e), VecX(c.acceleration + e * da));
        });
        EXPECT_LT(relativeError(change, truth), tolerance) << "tree " << t;
    }
}

TEST(Derivatives, of_forward_dynamics_are_those_of_differences)
{
    Random random(12);
    for (int t = 0; t < trees; ++t) {
        Case c(random, 1 + random.below(8));
        const VecX dq = randomTangent(random, c.model), du = randomTangent(random, c.model),
                   dQ = randomTangent(random, c.model);
        VecX change;
        forwardChange(c.model, c.at, dq, du, dQ, change);
        const VecX truth = difference([&](double e) {
            return accelerated(c.model, test::moved(c.model, c.state, dq, du, e), VecX(c.Q + e * dQ));
        });
        EXPECT_LT(relativeError(change, truth), tolerance) << "tree " << t;
    }
}

TEST(Derivatives, of_the_motion_of_bodies_are_those_of_differences)
{
    Random random(13);
    for (int t = 0; t < trees; ++t) {
        Case c(random, 1 + random.below(8));
        const VecX dq = randomTangent(random, c.model), du = randomTangent(random, c.model),
                   da = randomTangent(random, c.model);
        LargeVector<BodyChange> changes;
        bodyChanges(c.model, c.at, dq, du, da, changes);
        for (int i = 0; i < c.model.size(); ++i) {
            // Place, velocity, angular velocity, both accelerations; turns are seen in the velocities.
            const VecX truth = difference([&](double e) {
                const State s = test::moved(c.model, c.state, dq, du, e);
                Accelerations a;
                a.resize(c.model);
                const VecX joint = c.acceleration + e * da;
                const VecX Q = needed(c.model, s, joint);
                Forces forces;
                sceneForces(c.model, s, forces);
                forces.joint = forces.joint + Q;
                Work work;
                findMethod("featherstone")->accelerate(c.model, s, forces, work, a);
                VecX all(15);
                all.segment<3>(0) = s.bodies[i].position;
                all.segment<3>(3) = s.bodies[i].velocity;
                all.segment<3>(6) = s.bodies[i].angularVelocityWorld();
                all.segment<3>(9) = a.body[i].linear;
                all.segment<3>(12) = a.body[i].angular;
                return all;
            });
            VecX change(15);
            change.segment<3>(0) = changes[i].place.linear;
            change.segment<3>(3) = changes[i].velocity.linear;
            change.segment<3>(6) = changes[i].velocity.angular;
            change.segment<3>(9) = changes[i].acceleration.linear;
            change.segment<3>(12) = changes[i].acceleration.angular;
            EXPECT_LT(relativeError(change, truth), tolerance) << "tree " << t << " body " << i;
        }
        LargeVector<Motion> moves;
        bodyMoves(c.model, c.state, dq, moves);
        for (int i = 0; i < c.model.size(); ++i)
            EXPECT_LT((moves[i].vector() - changes[i].place.vector()).norm(), rounding * (1 + dq.norm()));
    }
}

TEST(Derivatives, adjoints_are_the_transposes)
{
    Random random(14);
    for (int t = 0; t < trees; ++t) {
        Case c(random, 1 + random.below(12));
        const VecX dq = randomTangent(random, c.model), du = randomTangent(random, c.model),
                   da = randomTangent(random, c.model), w = randomTangent(random, c.model);
        VecX change, q, u, a;
        inverseChange(c.model, c.at, dq, du, da, change);
        adjointOfInverse(c.model, c.at, w, q, u, a);
        const auto agree = [&](double one, double other, double size) {
            EXPECT_NEAR(one, other, rounding * (1 + size)) << "tree " << t;
        };
        agree(w.dot(change), q.dot(dq) + u.dot(du) + a.dot(da), w.norm() * change.norm());

        forwardChange(c.model, c.at, dq, du, da, change);
        adjointOfForward(c.model, c.at, w, q, u, a);
        agree(w.dot(change), q.dot(dq) + u.dot(du) + a.dot(da), w.norm() * change.norm() * 100);

        LargeVector<BodyChange> changes, weights(c.model.bodies.size());
        bodyChanges(c.model, c.at, dq, du, da, changes);
        double sum = 0, size = 0;
        for (int i = 0; i < c.model.size(); ++i) {
            for (Motion BodyChange::*part :
                 {&BodyChange::place, &BodyChange::velocity, &BodyChange::acceleration}) {
                Motion& weight = weights[i].*part;
                weight = {test::randomVector(random), test::randomVector(random)};
                sum += weight.vector().dot((changes[i].*part).vector());
                size += (changes[i].*part).vector().norm();
            }
        }
        adjointOfBodies(c.model, c.at, weights, q, u, a);
        agree(sum, q.dot(dq) + u.dot(du) + a.dot(da), size);
    }
}

TEST(Derivatives, Jacobians_of_points_are_those_of_differences)
{
    Random random(15);
    for (int t = 0; t < trees; ++t) {
        Case c(random, 1 + random.below(8));
        const int body = random.below(c.model.size());
        const Vec3 point = test::randomVector(random);
        MatX J, turning;
        pointJacobian(c.model, c.state, body, point, J);
        turnJacobian(c.model, c.state, body, turning);
        const VecX dq = randomTangent(random, c.model), still = VecX::Zero(dq.size());
        const VecX truth = difference([&](double e) {
            const BodyState b = test::moved(c.model, c.state, dq, still, e).bodies[body];
            VecX place(6);
            place.segment<3>(0) = b.position + b.orientation * point;
            place.segment<3>(3) = logRotation(b.orientation * c.state.bodies[body].orientation.conjugate());
            return place;
        });
        VecX change(6);
        change.segment<3>(0) = J * dq;
        change.segment<3>(3) = turning * dq;
        EXPECT_LT(relativeError(change, truth), tolerance);

        LargeVector<Force> forces(c.model.bodies.size());
        const Vec3 f = test::randomVector(random);
        forces[body] = {f, (c.state.bodies[body].orientation * point).cross(f)};
        VecX Q;
        jointForcesOf(c.model, c.state, forces, Q);
        EXPECT_NEAR(Q.dot(dq), f.dot(Vec3(J * dq)), rounding * (1 + dq.norm() * f.norm()));
    }
}

}  // namespace
}  // namespace sinew::derivatives_test
