#include "sinew/state/jacobian.h"

#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

// S of a joint in world axes, at the centre of mass of its child.
void worldSubspace(const Model& model, const State& state, int i, Subspace& S)
{
    const Joint& joint = model.joints[i];
    const double* q = state.q.data() + joint.q;
    jointSubspace(joint, q, jointTransform(joint, q), S);
    const Mat3 R = state.bodies[i].orientation.toRotationMatrix();
    for (int k = 0; k < joint.freedoms(); ++k) {
        const Vec3 linear = R * S.col(k).head<3>(), angular = R * S.col(k).tail<3>();
        S.col(k).head<3>() = linear;
        S.col(k).tail<3>() = angular;
    }
}

// Of a place that moves with a body: how far it is from a body between it and the root, column by column.
void fillJacobian(const Model& model, const State& state, int body, const Vec3* place, MatX& J)
{
    J.setZero(3, model.freedomCount);
    Subspace S;
    for (int i = body; i >= 0; i = model.joints[i].parent) {
        worldSubspace(model, state, i, S);
        for (int k = 0; k < S.cols(); ++k) {
            const Vec3 linear = S.col(k).head<3>(), angular = S.col(k).tail<3>();
            J.col(model.joints[i].u + k) =
                place ? Vec3(linear + angular.cross(*place - state.bodies[i].position)) : angular;
        }
    }
}

}  // namespace

void bodyMoves(const Model& model, const State& state, const VecX& delta, LargeVector<Motion>& moves)
{
    moves.resize(model.bodies.size());
    Subspace S;
    for (int i = 0; i < model.size(); ++i) {
        const Joint& joint = model.joints[i];
        worldSubspace(model, state, i, S);
        moves[i] = Motion::from(S * delta.segment(joint.u, joint.freedoms()));
        if (joint.parent < 0) continue;
        const Motion& parent = moves[joint.parent];
        moves[i].linear += parent.linear + parent.angular.cross(state.bodies[i].position -
                                                                state.bodies[joint.parent].position);
        moves[i].angular += parent.angular;
    }
}

void jointForcesOf(const Model& model, const State& state, LargeVector<Force>& forces, VecX& result)
{
    result.resize(model.freedomCount);
    Subspace S;
    for (int i = model.size() - 1; i >= 0; --i) {
        const Joint& joint = model.joints[i];
        worldSubspace(model, state, i, S);
        result.segment(joint.u, joint.freedoms()) = S.transpose() * forces[i].vector();
        if (joint.parent >= 0)
            forces[joint.parent] +=
                forces[i].at(state.bodies[joint.parent].position - state.bodies[i].position);
    }
}

void pointJacobian(const Model& model, const State& state, int body, const Vec3& point, MatX& J)
{
    const Vec3 place = state.bodies[body].position + state.bodies[body].orientation * point;
    fillJacobian(model, state, body, &place, J);
}

void turnJacobian(const Model& model, const State& state, int body, MatX& J)
{
    fillJacobian(model, state, body, nullptr, J);
}

}  // namespace sinew
