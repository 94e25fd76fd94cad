#include "sinew/dynamics/inverse.h"

namespace sinew {
namespace {

// S with all its columns, a free joint's too.
Subspace subspace(const ArticulatedLink& link)
{
    if (link.freedoms < 6) return link.S.leftCols(link.freedoms);
    Subspace S = Mat6::Identity();
    S.topLeftCorner<3, 3>() = link.X.R.transpose();
    return S;
}

}  // namespace

void inverseDynamics(const Model& model, const State& state, const LargeVector<Force>& bodyForces,
                     const VecX& acceleration, Work& work, VecX& Q)
{
    LargeVector<ArticulatedLink>& links = work.links;
    links.resize(model.bodies.size());
    Q.resize(model.freedomCount);
    // Outward: accelerations, and the force each body needs for its own.
    for (int i = 0; i < model.size(); ++i) {
        ArticulatedLink& link = links[i];
        placeLink(model, state, i, link);
        const Body& body = model.bodies[i];
        link.acceleration = link.bias.vector() + link.along(acceleration.segment(link.u, link.freedoms));
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
        ArticulatedLink& link = links[i];
        Q.segment(link.u, link.freedoms) = subspace(link).transpose() * link.force;
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
    LargeVector<ArticulatedLink>& links = work.links;
    links.resize(model.bodies.size());
    M.setZero(model.freedomCount, model.freedomCount);
    for (int i = 0; i < model.size(); ++i) {
        placeLink(model, state, i, links[i]);
        links[i].inertia = rigidInertia(model.bodies[i]);
    }
    for (int i = model.size() - 1; i >= 0; --i) {
        ArticulatedLink& link = links[i];
        if (link.parent >= 0) addInertiaToParent(link.X, link.inertia, links[link.parent].inertia);
        // The force that moves all beyond the joint, carried down to every joint before it.
        Subspace F = link.inertia * subspace(link);
        M.block(link.u, link.u, link.freedoms, link.freedoms) = subspace(link).transpose() * F;
        M.diagonal().segment(link.u, link.freedoms).array() += model.joints[i].armature;
        for (int j = i; links[j].parent >= 0; j = links[j].parent) {
            for (int c = 0; c < link.freedoms; ++c)
                F.col(c) = links[j].X.toParent(Force::from(F.col(c))).vector();
            const ArticulatedLink& p = links[links[j].parent];
            M.block(p.u, link.u, p.freedoms, link.freedoms) = subspace(p).transpose() * F;
            M.block(link.u, p.u, link.freedoms, p.freedoms) =
                M.block(p.u, link.u, p.freedoms, link.freedoms).transpose();
        }
    }
}

}  // namespace sinew
