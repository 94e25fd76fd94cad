#include "sinew/dynamics/linearization.h"

namespace sinew::linearization {
namespace {

// The part of six numbers from `first` on, as a motion or a force has it.
Vec6 six(const Motion& m)
{
    return m.vector();
}

void subtractTurned(const Vec6& worldForce, LinkDerivatives& link)
{
    const Vec3 force = worldForce.head<3>(), torque = worldForce.tail<3>();
    link.rate -= Force{link.R.transpose() * force, link.R.transpose() * torque};
}

// The weights on the force on a body, minus those on its load, in world axes.
Vec6 weightOnForce(const LinkDerivatives& link)
{
    const Vec3 force = link.R * link.rate.force, torque = link.R * link.rate.torque;
    return -(Vec6() << force, torque).finished();
}

}  // namespace

void moveOut(DynamicsDerivatives& at, int i, const VecX& dq, const VecX& du, const VecX& da)
{
    LinkDerivatives& link = at.links[i];
    const double *q = dq.data() + link.u, *u = du.data() + link.u, *a = da.data() + link.u;
    Vec6 place = Vec6::Zero(), velocity = place, acceleration = place;
    for (int k = 0; k < link.freedoms; ++k) {
        place += q[k] * link.S.col(k);
        velocity += q[k] * link.velocityByPlace.col(k) + u[k] * link.S.col(k);
        acceleration += q[k] * link.accelerationByPlace.col(k) + u[k] * link.accelerationByVelocity.col(k) +
                        a[k] * link.S.col(k);
    }
    link.place = Motion::from(place);
    link.velocityChange = Motion::from(velocity);
    link.accelerationChange = Motion::from(acceleration);
    if (link.parent >= 0) {
        const LinkDerivatives& parent = at.links[link.parent];
        link.place = link.place + link.X.toChild(parent.place);
        link.velocityChange = link.velocityChange + link.X.toChild(parent.velocityChange);
        link.accelerationChange = link.accelerationChange + link.X.toChild(parent.accelerationChange);
    }
    link.accelerationChange = link.accelerationChange + cross(link.velocityChange, link.own);
}

void weighIn(DynamicsDerivatives& at, int i, VecX& dq, VecX& du, VecX& da)
{
    LinkDerivatives& link = at.links[i];
    const Vec3 &aLinear = link.accelerationChange.linear, &aAngular = link.accelerationChange.angular;
    link.velocityChange.linear += link.own.angular.cross(aLinear);
    link.velocityChange.angular += link.own.linear.cross(aLinear) + link.own.angular.cross(aAngular);
    const Vec6 place = six(link.place), velocity = six(link.velocityChange);
    const Vec6 acceleration = six(link.accelerationChange);
    for (int k = 0; k < link.freedoms; ++k) {
        dq[link.u + k] += link.S.col(k).dot(place) + link.velocityByPlace.col(k).dot(velocity) +
                          link.accelerationByPlace.col(k).dot(acceleration);
        du[link.u + k] +=
            link.S.col(k).dot(velocity) + link.accelerationByVelocity.col(k).dot(acceleration);
        da[link.u + k] += link.S.col(k).dot(acceleration);
    }
    if (link.parent < 0) return;
    LinkDerivatives& parent = at.links[link.parent];
    const auto pass = [&link](const Motion& weight, Motion& sum) {
        const Force f = link.X.toParent({weight.linear, weight.angular});
        sum = sum + Motion{f.force, f.torque};
    };
    pass(link.place, parent.place);
    pass(link.velocityChange, parent.velocityChange);
    pass(link.accelerationChange, parent.accelerationChange);
}

BodyChange toWorld(const LinkDerivatives& link)
{
    const Motion &v = link.velocity, &dv = link.velocityChange, &da = link.accelerationChange;
    const Vec3& turn = link.place.angular;
    const Vec3 a = link.acceleration.linear + v.angular.cross(v.linear);
    const Vec3 change = da.linear + dv.angular.cross(v.linear) + v.angular.cross(dv.linear);
    return {
        {link.R * link.place.linear, link.R * turn},
        {link.R * (turn.cross(v.linear) + dv.linear), link.R * (turn.cross(v.angular) + dv.angular)},
        {link.R * (turn.cross(a) + change), link.R * (turn.cross(link.acceleration.angular) + da.angular)}};
}

void addFromWorld(const BodyChange& weights, LinkDerivatives& link)
{
    const Mat3 back = link.R.transpose();
    const Motion place{back * weights.place.linear, back * weights.place.angular};
    const Motion velocity{back * weights.velocity.linear, back * weights.velocity.angular};
    const Motion acceleration{back * weights.acceleration.linear, back * weights.acceleration.angular};
    const Motion& v = link.velocity;
    const Vec3 a = link.acceleration.linear + v.angular.cross(v.linear);
    const Vec3 turn = place.angular + v.linear.cross(velocity.linear) + v.angular.cross(velocity.angular) +
                      a.cross(acceleration.linear) + link.acceleration.angular.cross(acceleration.angular);
    link.place = link.place + Motion{place.linear, turn};
    link.velocityChange =
        link.velocityChange + Motion{velocity.linear + acceleration.linear.cross(v.angular),
                                     velocity.angular + v.linear.cross(acceleration.linear)};
    link.accelerationChange = link.accelerationChange + acceleration;
}

void subtractForceChanges(DynamicsDerivatives& at)
{
    const auto motion = [&at](int body) { return body < 0 ? BodyChange{} : toWorld(at.links[body]); };
    for (const BodyTangent& tangent : at.tangents.bodies) {
        const BodyChange m = motion(tangent.body);
        subtractTurned(-(tangent.stiffness * six(m.place) + tangent.damping * six(m.velocity)),
                       at.links[tangent.body]);
    }
    for (const PairTangent& tangent : at.tangents.pairs) {
        Vec6 rows = Vec6::Zero();
        BodyChange m[2];
        for (int side = 0; side < 2; ++side) {
            m[side] = motion(tangent.body[side]);
            rows += tangent.stiffness[side] * six(m[side].place) +
                    tangent.damping[side] * six(m[side].velocity);
        }
        for (int side = 0; side < 2; ++side) {
            if (tangent.body[side] < 0) continue;
            Vec6 change = -(tangent.own[side] * six(m[side].place));
            for (int k = 0; k < tangent.rank; ++k) change -= rows[k] * tangent.U[side].col(k);
            subtractTurned(change, at.links[tangent.body[side]]);
        }
    }
}

void addForceWeights(DynamicsDerivatives& at)
{
    const auto add = [&at](int body, const Vec6& place, const Vec6& velocity) {
        addFromWorld({Motion::from(place), Motion::from(velocity), {}}, at.links[body]);
    };
    for (const BodyTangent& tangent : at.tangents.bodies) {
        const Vec6 weight = -weightOnForce(at.links[tangent.body]);
        add(tangent.body, tangent.stiffness.transpose() * weight, tangent.damping.transpose() * weight);
    }
    for (const PairTangent& tangent : at.tangents.pairs) {
        Vec6 rows = Vec6::Zero();
        Vec6 weight[2] = {Vec6::Zero(), Vec6::Zero()};
        for (int side = 0; side < 2; ++side) {
            if (tangent.body[side] < 0) continue;
            weight[side] = -weightOnForce(at.links[tangent.body[side]]);
            for (int k = 0; k < tangent.rank; ++k) rows[k] += tangent.U[side].col(k).dot(weight[side]);
        }
        for (int side = 0; side < 2; ++side) {
            if (tangent.body[side] < 0) continue;
            add(tangent.body[side],
                tangent.stiffness[side].transpose() * rows + tangent.own[side].transpose() * weight[side],
                tangent.damping[side].transpose() * rows);
        }
    }
}

void addJointTangent(const DynamicsDerivatives& at, int i, const double* q, const double* u, double* Q)
{
    const int freedoms = at.links[i].freedoms;
    if (at.tangents.joints.empty() || freedoms > 3) return;
    const JointTangent& tangent = at.tangents.joints[i];
    for (int r = 0; r < freedoms; ++r)
        for (int c = 0; c < freedoms; ++c)
            Q[r] += tangent.stiffness(r, c) * q[c] + tangent.damping(r, c) * u[c];
}

void addJointTangentAdjoint(const DynamicsDerivatives& at, int i, const double* weights, double* dq,
                            double* du)
{
    const int freedoms = at.links[i].freedoms;
    if (at.tangents.joints.empty() || freedoms > 3) return;
    const JointTangent& tangent = at.tangents.joints[i];
    for (int r = 0; r < freedoms; ++r)
        for (int c = 0; c < freedoms; ++c) {
            dq[c] += tangent.stiffness(r, c) * weights[r];
            du[c] += tangent.damping(r, c) * weights[r];
        }
}

void accelerate(const Model& model, DynamicsDerivatives& at, const VecX& Q, VecX& result)
{
    result.resize(model.freedomCount);
    if (at.isFactored) {
        solveIncrement(at.inertias, Q, result);
        return;
    }
    at.inertias.resize(model.bodies.size());
    for (int i = 0; i < model.size(); ++i) {
        placeLink(model, at.state.q, at.state.bodies[i], i, false, at.inertias);
        setRigidInertia(model, i, at.inertias[i]);
    }
    factorAndSolveIncrement(model, at.inertias, Q, result);
    at.isFactored = true;
}

}  // namespace sinew::linearization
