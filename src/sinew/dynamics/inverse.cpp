#include "sinew/dynamics/inverse.h"

namespace sinew {
namespace {

Mat6 rigidInertia(const Body& body)
{
    Mat6 I = Mat6::Zero();
    I.topLeftCorner<3, 3>() = body.mass * Mat3::Identity();
    I.bottomRightCorner<3, 3>() = body.inertia;
    return I;
}

// X and S at the coordinates, velocity and bias from the state.
void place(const Model& model, const State& state, int i, InverseLink& link)
{
    const Joint& joint = model.joints[i];
    const BodyState& body = state.bodies[i];
    const double* q = state.q.data() + joint.q;
    link.parent = joint.parent;
    link.freedoms = joint.freedoms();
    link.u = joint.u;
    link.X = jointTransform(joint, q);
    jointSubspace(joint, q, link.X, link.S);
    link.velocity = {body.orientation.conjugate() * body.velocity, body.angularVelocity};
    const Motion own = Motion::from(link.S * state.u.segment(joint.u, link.freedoms));
    link.bias = jointBias(joint, q, state.u.data() + joint.u, link.X) + cross(link.velocity, own);
}

// Xᵀ I X: a child's inertia seen at the parent's centre of mass, in parent axes.
Mat6 seenFromParent(const Transform& X, const Mat6& I)
{
    Mat6 motions, seen;  // of the child, for each of the parent's; and the forces of that
    for (int c = 0; c < 6; ++c) motions.col(c) = X.toChild(Motion::from(Mat6::Identity().col(c))).vector();
    for (int c = 0; c < 6; ++c) seen.col(c) = X.toParent(Force::from(I * motions.col(c))).vector();
    return seen;
}

}  // namespace

void inverseDynamics(const Model& model, const State& state, const LargeVector<Force>& bodyForces,
                     const VecX& acceleration, Work& work, VecX& Q)
{
    LargeVector<InverseLink>& links = work.links;
    links.resize(model.bodies.size());
    Q.resize(model.freedomCount);
    // Outward: accelerations, and the force each body needs for its own.
    for (int i = 0; i < model.size(); ++i) {
        InverseLink& link = links[i];
        place(model, state, i, link);
        const Body& body = model.bodies[i];
        link.acceleration = link.bias.vector() + link.S * acceleration.segment(link.u, link.freedoms);
        if (link.parent >= 0)
            link.acceleration += link.X.toChild(Motion::from(links[link.parent].acceleration)).vector();
        const Quat toBody = state.bodies[i].orientation.conjugate();
        const Motion& v = link.velocity;
        link.force = rigidInertia(body) * link.acceleration;
        link.force.head<3>() += body.mass * v.angular.cross(v.linear) - toBody * bodyForces[i].force;
        link.force.tail<3>() += v.angular.cross(body.inertia * v.angular) - toBody * bodyForces[i].torque;
    }
    // Inward: each joint carries what lies beyond it.
    for (int i = model.size() - 1; i >= 0; --i) {
        InverseLink& link = links[i];
        Q.segment(link.u, link.freedoms) = link.S.transpose() * link.force;
        if (model.joints[i].armature > 0)
            Q.segment(link.u, link.freedoms) +=
                model.joints[i].armature * acceleration.segment(link.u, link.freedoms);
        if (link.parent >= 0) links[link.parent].force += link.X.toParent(Force::from(link.force)).vector();
    }
}

void biasForces(const Model& model, const State& state, const LargeVector<Force>& bodyForces, Work& work,
                VecX& bias)
{
    const VecX still = VecX::Zero(model.freedomCount);
    inverseDynamics(model, state, bodyForces, still, work, bias);
}

void massMatrix(const Model& model, const State& state, Work& work, MatX& M)
{
    LargeVector<InverseLink>& links = work.links;
    links.resize(model.bodies.size());
    M.setZero(model.freedomCount, model.freedomCount);
    for (int i = 0; i < model.size(); ++i) {
        place(model, state, i, links[i]);
        links[i].inertia = rigidInertia(model.bodies[i]);
    }
    for (int i = model.size() - 1; i >= 0; --i) {
        InverseLink& link = links[i];
        if (link.parent >= 0) links[link.parent].inertia += seenFromParent(link.X, link.inertia);
        // The force that moves all beyond the joint, carried down to every joint before it.
        Subspace F = link.inertia * link.S;
        M.block(link.u, link.u, link.freedoms, link.freedoms) = link.S.transpose() * F;
        M.diagonal().segment(link.u, link.freedoms).array() += model.joints[i].armature;
        for (int j = i; links[j].parent >= 0; j = links[j].parent) {
            for (int c = 0; c < link.freedoms; ++c)
                F.col(c) = links[j].X.toParent(Force::from(F.col(c))).vector();
            const InverseLink& p = links[links[j].parent];
            M.block(p.u, link.u, p.freedoms, link.freedoms) = p.S.transpose() * F;
            M.block(link.u, p.u, link.freedoms, p.freedoms) =
                M.block(p.u, link.u, p.freedoms, link.freedoms).transpose();
        }
    }
}

}  // namespace sinew
