#include "sinew/dynamics/derivatives.h"

#include "sinew/dynamics/linearization.h"

namespace sinew {
namespace {

// Body axes; what the body and the joint do now.
void placeDerivatives(const Model& model, const State& state, const LargeVector<Force>& bodyForces,
                      const VecX& acceleration, int i, DynamicsDerivatives& at)
{
    const Joint& joint = model.joints[i];
    const BodyState& body = state.bodies[i];
    const double *q = state.q.data() + joint.q, *u = state.u.data() + joint.u;
    LinkDerivatives& link = at.links[i];
    link.parent = joint.parent;
    link.freedoms = joint.freedoms();
    link.u = joint.u;
    link.mass = model.bodies[i].mass;
    link.inertia = model.bodies[i].inertia;
    link.armature = joint.armature;
    link.X = jointTransform(joint, q);
    link.R = body.orientation.toRotationMatrix();
    jointSubspace(joint, q, link.X, link.S);
    const Mat3 back = link.R.transpose();
    link.velocity = {back * body.velocity, body.angularVelocity};
    link.own = Motion::from(link.S * state.u.segment(joint.u, link.freedoms));
    link.outside = {back * bodyForces[i].force, back * bodyForces[i].torque};

    Motion given;  // X a_p
    if (joint.parent >= 0) given = link.X.toChild(at.links[joint.parent].acceleration);
    link.acceleration = given + jointBias(joint, q, u, link.X) + cross(link.velocity, link.own) +
                        Motion::from(link.S * acceleration.segment(joint.u, link.freedoms));

    const Motion givenVelocity = link.velocity - link.own;  // X v_p
    const double* rate = acceleration.data() + joint.u;
    for (Subspace* sum :
         {&link.velocityByPlace, &link.accelerationByPlace, &link.accelerationByVelocity, &link.swing})
        sum->resize(6, link.freedoms);
    for (int k = 0; k < link.freedoms; ++k) {
        const Vec6 unit = Vec6::Unit(k);
        const Motion s = Motion::from(link.S.col(k));
        const Motion ownByPlace = jointSubspaceChange(joint, q, link.X, link.S, u, unit.data());
        link.velocityByPlace.col(k) = (ownByPlace - cross(s, givenVelocity)).vector();
        link.accelerationByPlace.col(k) =
            (jointSubspaceChange(joint, q, link.X, link.S, rate, unit.data()) +
             jointBiasChange(joint, q, u, link.X, unit.data()) + cross(link.velocity, ownByPlace) -
             cross(s, given))
                .vector();
        link.accelerationByVelocity.col(k) =
            (jointBiasChangeByVelocity(joint, q, u, link.X, unit.data()) + cross(link.velocity, s))
                .vector();
    }
    const Motion &v = link.velocity, &a = link.acceleration;
    link.load = {link.mass * (a.linear + v.angular.cross(v.linear)),
                 link.inertia * a.angular + v.angular.cross(link.inertia * v.angular)};
    link.load -= link.outside;
}

// What the joint carries, and how that turns with it.
void loadJoint(const Model& model, const State& state, int i, DynamicsDerivatives& at)
{
    LinkDerivatives& link = at.links[i];
    const Joint& joint = model.joints[i];
    link.turned.setZero();
    for (int k = 0; k < link.freedoms; ++k) {
        const Vec6 unit = Vec6::Unit(k);
        link.swing.col(k) = cross(Motion::from(link.S.col(k)), link.load).vector();
        for (int l = 0; l < link.freedoms; ++l) {
            const Vec6 other = Vec6::Unit(l);
            link.turned(l, k) =
                power(link.load, jointSubspaceChange(joint, state.q.data() + joint.q, link.X, link.S,
                                                     other.data(), unit.data()));
        }
    }
    if (link.parent >= 0) at.links[link.parent].load += link.X.toParent(link.load);
}

// Adds the change of a force on its body to the change of the load.
void addLoadChange(LinkDerivatives& link)
{
    const Motion &v = link.velocity, &dv = link.velocityChange, &da = link.accelerationChange;
    const Vec3& turn = link.place.angular;
    link.rate.force += link.mass * (da.linear + dv.angular.cross(v.linear) + v.angular.cross(dv.linear)) +
                       turn.cross(link.outside.force);
    link.rate.torque += link.inertia * da.angular + dv.angular.cross(link.inertia * v.angular) +
                        v.angular.cross(link.inertia * dv.angular) + turn.cross(link.outside.torque);
}

// Weights on the change of the load → weights on the changes of the body's motion.
void weighMotion(LinkDerivatives& link, const Motion& weight)
{
    const Motion& v = link.velocity;
    link.accelerationChange = {link.mass * weight.linear, link.inertia * weight.angular};
    link.velocityChange = {link.mass * weight.linear.cross(v.angular),
                           link.mass * v.linear.cross(weight.linear) +
                               (link.inertia * v.angular).cross(weight.angular) +
                               link.inertia * weight.angular.cross(v.angular)};
    link.place = {Vec3::Zero(),
                  link.outside.force.cross(weight.linear) + link.outside.torque.cross(weight.angular)};
}

}  // namespace

std::string derivativesUnsupported(const Model& model)
{
    for (const Joint& joint : model.joints) {
        if (joint.info().bias && !joint.info().biasChange)
            return "joint '" + joint.name + "' is of type " + joint.info().name +
                   ", which does not say how its bias changes";
        if (joint.prescribed >= 0)
            return "joint '" + joint.name + "' follows a prescribed motion, which has no derivatives yet";
    }
    if (!model.loops.empty())
        return "joint '" + model.loops.front().joint.name + "' closes a loop, which has no derivatives yet";
    if (!model.couplings.empty()) return "coupled joints have no derivatives yet";
    if (model.gravityCompensation > 0) return "gravity compensation has no derivatives yet";
    return "";
}

void linearize(const Model& model, const State& state, const LargeVector<Force>& bodyForces,
               const VecX& acceleration, const ForceTangents& tangents, DynamicsDerivatives& at)
{
    at.links.resize(model.bodies.size());
    at.tangents = tangents;
    at.state = state;
    at.isFactored = false;
    for (int i = 0; i < model.size(); ++i) placeDerivatives(model, state, bodyForces, acceleration, i, at);
    for (int i = model.size() - 1; i >= 0; --i) loadJoint(model, state, i, at);
}

void bodyChanges(const Model& model, DynamicsDerivatives& at, const VecX& dq, const VecX& du,
                 const VecX& da, LargeVector<BodyChange>& changes)
{
    changes.resize(model.bodies.size());
    for (int i = 0; i < model.size(); ++i) {
        linearization::moveOut(at, i, dq, du, da);
        changes[i] = linearization::toWorld(at.links[i]);
    }
}

void adjointOfBodies(const Model& model, DynamicsDerivatives& at, const LargeVector<BodyChange>& weights,
                     VecX& dq, VecX& du, VecX& da)
{
    for (VecX* x : {&dq, &du, &da}) x->setZero(model.freedomCount);
    for (int i = 0; i < model.size(); ++i) {
        LinkDerivatives& link = at.links[i];
        link.place = link.velocityChange = link.accelerationChange = {};
        linearization::addFromWorld(weights[i], link);
    }
    for (int i = model.size() - 1; i >= 0; --i) linearization::weighIn(at, i, dq, du, da);
}

void inverseChange(const Model& model, DynamicsDerivatives& at, const VecX& dq, const VecX& du,
                   const VecX& da, VecX& dQ)
{
    dQ.resize(model.freedomCount);
    for (int i = 0; i < model.size(); ++i) {
        linearization::moveOut(at, i, dq, du, da);
        at.links[i].rate = {};
    }
    if (at.tangents.onBodies()) linearization::subtractForceChanges(at);
    for (int i = model.size() - 1; i >= 0; --i) {
        LinkDerivatives& link = at.links[i];
        addLoadChange(link);
        double* Q = dQ.data() + link.u;
        const double *q = dq.data() + link.u, *u = du.data() + link.u, *a = da.data() + link.u;
        Vec6 carried = link.rate.vector();
        for (int k = 0; k < link.freedoms; ++k) {
            Q[k] = link.S.col(k).dot(carried) + link.armature * a[k];
            for (int c = 0; c < link.freedoms; ++c) Q[k] += link.turned(k, c) * q[c];
        }
        linearization::addJointTangent(at, i, q, u, Q);
        if (link.parent < 0) continue;
        for (int k = 0; k < link.freedoms; ++k) carried += q[k] * link.swing.col(k);
        at.links[link.parent].rate += link.X.toParent(Force::from(carried));
    }
}

void adjointOfInverse(const Model& model, DynamicsDerivatives& at, const VecX& weights, VecX& dq, VecX& du,
                      VecX& da)
{
    for (VecX* x : {&dq, &du, &da}) x->setZero(model.freedomCount);
    for (int i = 0; i < model.size(); ++i) {
        LinkDerivatives& link = at.links[i];
        const double* w = weights.data() + link.u;
        Vec6 onLoad = Vec6::Zero();
        if (link.parent >= 0) {
            const Force& parents = at.links[link.parent].rate;
            onLoad = link.X.toChild({parents.force, parents.torque}).vector();
        }
        for (int k = 0; k < link.freedoms; ++k) {
            dq[link.u + k] += link.swing.col(k).dot(onLoad);
            for (int l = 0; l < link.freedoms; ++l) dq[link.u + k] += link.turned(l, k) * w[l];
            da[link.u + k] += link.armature * w[k];
        }
        linearization::addJointTangentAdjoint(at, i, w, dq.data() + link.u, du.data() + link.u);
        for (int k = 0; k < link.freedoms; ++k) onLoad += w[k] * link.S.col(k);
        link.rate = Force::from(onLoad);
        weighMotion(link, Motion::from(onLoad));
    }
    if (at.tangents.onBodies()) linearization::addForceWeights(at);
    for (int i = model.size() - 1; i >= 0; --i) linearization::weighIn(at, i, dq, du, da);
}

void forwardChange(const Model& model, DynamicsDerivatives& at, const VecX& dq, const VecX& du,
                   const VecX& dQ, VecX& da)
{
    at.still.setZero(model.freedomCount);
    inverseChange(model, at, dq, du, at.still, at.change);
    for (int k = 0; k < model.freedomCount; ++k) at.change[k] = dQ[k] - at.change[k];
    linearization::accelerate(model, at, at.change, da);
}

void adjointOfForward(const Model& model, DynamicsDerivatives& at, const VecX& weights, VecX& dq, VecX& du,
                      VecX& dQ)
{
    linearization::accelerate(model, at, weights, dQ);  // M is symmetric
    adjointOfInverse(model, at, dQ, dq, du, at.still);
    for (int k = 0; k < model.freedomCount; ++k) {
        dq[k] = -dq[k];
        du[k] = -du[k];
    }
}

}  // namespace sinew
