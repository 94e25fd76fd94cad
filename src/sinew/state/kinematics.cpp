#include "sinew/state/kinematics.h"

#include "sinew/math/rotation.h"

namespace sinew {
namespace {

// Velocity at the centre of mass in body axes.
Motion bodyMotion(const BodyState& body)
{
    return {body.orientation.conjugate() * body.velocity, body.angularVelocity};
}

// (SᵀS)⁻¹ Sᵀ x: the joint motion that comes nearest to a motion of the child.
using JointVector = Matrix<dynamic, 1, 6, 1>;
using Gram = Matrix<dynamic, dynamic, 6, 6>;
JointVector alongJoint(const Subspace& S, const Vec6& x)
{
    return solveCholesky(Gram(S.transpose() * S), JointVector(S.transpose() * x));
}

}  // namespace

void bodyFromJoint(const Model& model, State& state, int link)
{
    const Joint& joint = model.joints[link];
    const double* q = state.q.data() + joint.q;
    const Transform X = jointTransform(joint, q);
    Subspace S;
    jointSubspace(joint, q, X, S);

    BodyState& body = state.bodies[link];
    Motion inherited;  // the parent's motion at the child's centre of mass, child axes
    if (const BodyState* parent = parentState(model, state, link)) {
        body.position = parent->position + parent->orientation * X.r;
        body.orientation = (parent->orientation * Quat(X.R)).normalized();
        inherited = X.toChild(bodyMotion(*parent));
    } else {
        body.position = X.r;
        body.orientation = Quat(X.R).normalized();
    }
    const Vec6 v = inherited.vector() + S * state.u.segment(joint.u, joint.freedoms());
    body.velocity = body.orientation * v.head<3>();
    body.angularVelocity = v.tail<3>();
}

void bodiesFromJoints(const Model& model, State& state)
{
    for (int i = 0; i < model.size(); ++i) bodyFromJoint(model, state, i);
}

void jointsFromBodies(const Model& model, State& state, double since)
{
    for (int link = 0; link < model.size(); ++link) {
        const Joint& joint = model.joints[link];
        double *q = state.q.data() + joint.q, *u = state.u.data() + joint.u;
        const int first = joint.slides(), end = joint.info().plain();  // the angles
        double near[3] = {};
        for (int i = first; i < end; ++i) near[i] = q[i] + 0.5 * since * u[i];
        jointCoordinatesOf(joint, parentState(model, state, link), state.bodies[link], q, u);
        // The mean of both velocities leads to the right turn, unless they differ by a whole one.
        for (int i = first; i < end; ++i) q[i] = unwrapAngle(q[i], near[i] + 0.5 * since * u[i]);
    }
}

void jointAccelerationFromBodies(const Model& model, const State& state, int link,
                                 Accelerations& accelerations)
{
    // Spatial acceleration at the centre of mass in body axes, from the true one in world axes.
    const auto spatial = [&](int i) {
        const BodyState& body = state.bodies[i];
        const Motion& a = accelerations.body[i];
        const Motion v = bodyMotion(body);
        return Motion{body.orientation.conjugate() * a.linear - v.angular.cross(v.linear),
                      body.orientation.conjugate() * a.angular};
    };
    const Joint& joint = model.joints[link];
    const int k = joint.freedoms();
    const double* q = state.q.data() + joint.q;
    const double* u = state.u.data() + joint.u;
    const Transform X = jointTransform(joint, q);
    Subspace S;
    jointSubspace(joint, q, X, S);
    const Motion own = Motion::from(S * state.u.segment(joint.u, k));
    Motion relative =
        spatial(link) - jointBias(joint, q, u, X) - cross(bodyMotion(state.bodies[link]), own);
    if (joint.parent >= 0) relative = relative - X.toChild(spatial(joint.parent));
    accelerations.joint.segment(joint.u, k) = alongJoint(S, relative.vector());
}

void jointAccelerationsFromBodies(const Model& model, const State& state, Accelerations& accelerations)
{
    for (int i = 0; i < model.size(); ++i) jointAccelerationFromBodies(model, state, i, accelerations);
}

Force jointForceOnChild(const Model& model, const State& state, int link, const double* Q)
{
    const Joint& joint = model.joints[link];
    const double* q = state.q.data() + joint.q;
    const Force f = jointForce(joint, q, Q, jointTransform(joint, q));
    const Quat& R = state.bodies[link].orientation;
    return {R * f.force, R * f.torque};
}

Force atParentCenter(const Model& model, const State& state, int link, const Force& onChild)
{
    return onChild.at(state.bodies[model.joints[link].parent].position - state.bodies[link].position);
}

Force loadOnFirst(const Model& model, const State& state, int link, const Force& onChild)
{
    const Joint& joint = model.joints[link];
    const Vec3 center = state.bodies[link].position;
    if (joint.childIsFirst) return onChild.at(anchorOnChild(joint, state.bodies[link]) - center);
    return -onChild.at(anchorOnParent(joint, parentState(model, state, link)) - center);
}

// ---- the description's terms ---------------------------------------------------------------------

void describedCoordinate(const Model& model, const State& state, int link, double* coordinate)
{
    const Joint& joint = model.joints[link];
    const double* q = state.q.data() + joint.q;
    const int plain = joint.info().plain();
    for (int i = 0; i < plain; ++i) coordinate[i] = q[joint.described(i)];
    if (!joint.info().hasRotation) return;
    Vec3 phi = logRotation(rotationIn(q + plain));
    if (joint.isBall() && joint.childIsFirst) phi = -(joint.R_PC_rest * phi);
    view<3>(coordinate + plain) = phi;
}

void describedVelocity(const Model& model, const State& state, int link, double* velocity)
{
    const Joint& joint = model.joints[link];
    const auto u = state.u.segment(joint.u, joint.freedoms());
    for (int i = 0; i < joint.freedoms(); ++i) velocity[i] = u[joint.described(i)];
    if (joint.isBall() && joint.childIsFirst) {
        const Transform X = jointTransform(joint, state.q.data() + joint.q);
        view<3>(velocity) = -(X.R * Vec3(u));
    }
}

void motorForce(const Model& model, const State& state, int link, const double* motor, double* Q)
{
    const Joint& joint = model.joints[link];
    for (int i = 0; i < joint.freedoms(); ++i) Q[i] = motor[joint.described(i)];
    if (joint.isBall() && joint.childIsFirst) {
        // Given on the second body, here the parent, in its axes; Q is on the child in the child's.
        const Transform X = jointTransform(joint, state.q.data() + joint.q);
        const Vec3 onParent(motor[0], motor[1], motor[2]);
        view<3>(Q) = -(X.R.transpose() * onParent);
    }
}

void setDescribed(const Joint& joint, const double* coordinate, const double* velocity, double* q,
                  double* u)
{
    SINEW_ASSERT(!joint.isFree());
    const int k = joint.freedoms();
    const bool reversed = joint.childIsFirst;
    if (joint.isBall()) {
        Vec3 phi(coordinate[0], coordinate[1], coordinate[2]), w(velocity[0], velocity[1], velocity[2]);
        if (reversed) phi = -(joint.R_PC_rest.transpose() * phi);
        const Quat Q = expRotation(phi);
        if (reversed) w = -((joint.R_PC_rest * Q.toRotationMatrix()).transpose() * w);
        for (int i = 0; i < 3; ++i) {
            q[i] = Q.vec()[i];
            u[i] = w[i];
        }
        q[3] = Q.w();
        return;
    }
    for (int i = 0; i < k; ++i) {
        q[i] = coordinate[joint.described(i)];
        u[i] = velocity[joint.described(i)];
    }
}

// ---- momenta --------------------------------------------------------------------------------------

Vec3 linearMomentum(const Model& model, const State& state, int body)
{
    return model.bodies[body].mass * state.bodies[body].velocity;
}

Vec3 angularMomentum(const Model& model, const State& state, int body)
{
    const BodyState& b = state.bodies[body];
    return b.orientation * (model.bodies[body].inertia * b.angularVelocity);
}

void setMomenta(const Model& model, State& state, int body, const Vec3& P, const Vec3& L)
{
    BodyState& b = state.bodies[body];
    b.velocity = P / model.bodies[body].mass;
    b.angularVelocity = model.bodies[body].inverseInertia * (b.orientation.conjugate() * L);
}

}  // namespace sinew
