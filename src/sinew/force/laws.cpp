#include "sinew/force/laws.h"

#include <algorithm>
#include <cmath>

#include "sinew/force/drives.h"
#include "sinew/force/limited.h"
#include "sinew/force/penalty.h"
#include "sinew/math/rotation.h"
#include "sinew/math/swing_twist.h"
#include "sinew/state/body_springs.h"
#include "sinew/state/guides.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/prescribed.h"
#include "sinew/state/triggers.h"

namespace sinew {
namespace {

void addJointForce(const Model& model, const State& state, int link, Forces& forces)
{
    const Joint& joint = model.joints[link];
    const int k = joint.freedoms();
    auto Q = forces.joint.segment(joint.u, k);
    const bool active = model.isActive(link, state.time);

    Q.setZero();
    if (joint.hasMotor && active)
        motorForce(model, state, link, motorTorque(model, state, link).data(), Q.data());
    Q -= (joint.damping + joint.friction) * state.u.segment(joint.u, k);
    if (joint.hasDrives()) addDriveForce(model, state, link, active, Q.data());
    if (!joint.hasSpring()) return;
    double spring[6] = {};
    jointSpringForce(joint, state.q.data() + joint.q, active, spring);
    for (int i = 0; i < k; ++i) Q[i] += spring[i];
}

// What the springs of a ball joint with an axis have, at a rotation and as slopes there.
struct BallSpring {
    Quat rotation;
    Vec3 axis;
    SwingTwistSlope slope;
};
BallSpring restSpring(const Joint& joint, const Quat& Q)
{
    const Quat fromRest = joint.restRotation.conjugate() * Q;
    const SwingTwist angles = swingTwist(fromRest, joint.springAxis());
    return {fromRest,
            joint.springAxis(),
            {joint.stiffness * angles.swing, joint.stiffness, joint.twistStiffness * angles.twist,
             joint.twistStiffness}};
}
BallSpring limitSpring(const Joint& joint, const Quat& Q)
{
    const SwingTwist angles = swingTwist(Q, joint.axis);
    const double swing = std::max(angles.swing - joint.swingLimit, 0.);
    const double twist = beyondLimits(angles.twist, joint.lower[0], joint.upper[0]);
    const double k = joint.limitStiffness;
    return {Q, joint.axis, {k * swing, swing > 0 ? k : 0, k * twist, twist != 0 ? k : 0}};
}

// The linear part of a target's force.
SpringForce targetPull(const Target& target, const TargetStretch& s)
{
    const double k = s.weight * target.stiffness, c = s.weight * target.damping;
    SpringForce pull{-k * s.offset - c * s.offsetRate, k * Mat3::Identity(), c * Mat3::Identity()};
    pull.limit(target.limit);
    return pull;
}

// Joints bear the weight of what lies beyond them, as far as their freedoms can. What floats has nothing to
// hold on to: "beyond" would depend on which of its bodies was called the root, and in a free fall the
// joints would throw limbs up that weigh nothing there.
void addGravityCompensation(const Model& model, const State& state, Forces& forces)
{
    LargeVector<Force>& carried = forces.weights;
    carried.resize(model.bodies.size());
    for (int i = 0; i < model.size(); ++i) {
        const int root = model.skeletons[model.skeletonOf[i]].first;
        const bool floats = model.joints[root].isFree() && !isPrescribed(model, state, root);
        const double borne = floats ? 0 : model.gravityCompensation * model.bodies[i].mass;
        carried[i] = {-borne * model.gravity, Vec3::Zero()};
    }
    for (int i = model.size() - 1; i >= 0; --i) {
        const Joint& joint = model.joints[i];
        if (joint.isFree()) continue;
        const double* q = state.q.data() + joint.q;
        const Quat toChild = state.bodies[i].orientation.conjugate();
        Subspace S;
        jointSubspace(joint, q, jointTransform(joint, q), S);
        Vec6 own;
        own << toChild * carried[i].force, toChild * carried[i].torque;
        forces.joint.segment(joint.u, joint.freedoms()) += S.transpose() * own;
        if (joint.parent < 0) continue;
        const Vec3 arm = state.bodies[i].position - state.bodies[joint.parent].position;
        carried[joint.parent] += {carried[i].force, carried[i].torque + arm.cross(carried[i].force)};
    }
}

}  // namespace

void jointSpringForce(const Joint& joint, const double* q, bool active, double* Q)
{
    for (int i = 0; i < joint.freedoms(); ++i) Q[i] = 0;
    if (!joint.hasSpring()) return;
    if (joint.isBall()) {
        const Quat rotation = rotationIn(q);
        auto torque = view<3>(Q);
        // J_rᵀ⁻¹ φ = φ: the gradient of ½ k φ² is as plain as a hinge's.
        if (active && !joint.hasTwist)
            torque = -joint.stiffness * logRotation(joint.restRotation.conjugate() * rotation);
        const auto subtract = [&](const BallSpring& spring) {
            torque -= swingTwistGradient(spring.rotation, spring.axis, spring.slope);
        };
        if (active && joint.hasTwist) subtract(restSpring(joint, rotation));
        if (joint.limitStiffness > 0) subtract(limitSpring(joint, rotation));
        return;
    }
    for (int i = 0; i < joint.freedoms(); ++i) {
        if (active) Q[i] -= joint.stiffness * (q[i] - joint.rest[i]);
        if (joint.limitStiffness > 0)
            Q[i] -= joint.limitStiffnessOf(i) * beyondLimits(q[i], joint.lower[i], joint.upper[i]);
    }
}

void jointForceTangent(const Model& model, const State& state, int link, JointTangent& tangent, bool limits)
{
    const Joint& joint = model.joints[link];
    const bool active = model.isActive(link, state.time);
    jointSpringTangent(joint, state.q.data() + joint.q, active, tangent, limits);
    if (joint.hasDrives()) addDriveTangent(model, state, link, active, tangent);
}

void jointSpringTangent(const Joint& joint, const double* q, bool active, JointTangent& tangent,
                        bool limits)
{
    tangent.damping = (joint.damping + joint.friction) * Mat3::Identity();
    tangent.stiffness.setZero();
    if (!joint.hasSpring()) return;
    if (joint.isBall()) {
        const Quat rotation = rotationIn(q);
        if (active && !joint.hasTwist)
            tangent.stiffness =
                joint.stiffness *
                rightJacobianInverse(logRotation(joint.restRotation.conjugate() * rotation));
        const auto add = [&](const BallSpring& spring) {
            tangent.stiffness += swingTwistHessian(spring.rotation, spring.axis, spring.slope);
        };
        if (active && joint.hasTwist) add(restSpring(joint, rotation));
        if (limits && joint.limitStiffness > 0) add(limitSpring(joint, rotation));
        return;
    }
    for (int i = 0; i < joint.freedoms(); ++i) {
        if (active) tangent.stiffness(i, i) += joint.stiffness;
        if (limits && joint.limitStiffness > 0 && beyondLimits(q[i], joint.lower[i], joint.upper[i]) != 0)
            tangent.stiffness(i, i) += joint.limitStiffnessOf(i);
    }
}

int findLimits(const Joint& joint, const double* q, LimitReach (&limits)[mostLimits])
{
    int count = 0;
    double stiffness = joint.limitStiffness;
    const auto add = [&](double beyond, const Vec3& grows) {
        if (std::isfinite(beyond)) limits[count++] = {beyond, grows, stiffness};
    };
    if (!joint.isBall()) {
        for (int i = 0; i < joint.freedoms(); ++i) {
            stiffness = joint.limitStiffnessOf(i);
            add(q[i] - joint.upper[i], Vec3::Unit(i));
            add(joint.lower[i] - q[i], -Vec3::Unit(i));
        }
        return count;
    }
    const Quat rotation = rotationIn(q);
    const SwingTwist angles = swingTwist(rotation, joint.axis);
    const Vec3 twists = swingTwistGradient(rotation, joint.axis, {0, 0, 1, 0});
    add(angles.swing - joint.swingLimit, swingTwistGradient(rotation, joint.axis, {1, 0, 0, 0}));
    add(angles.twist - joint.upper[0], twists);
    add(joint.lower[0] - angles.twist, -twists);
    return count;
}

Mat3 limitCurvature(const Joint& joint, const double* q, const double (&loads)[mostLimits])
{
    int next = 0;
    SwingTwistSlope slope;
    if (std::isfinite(joint.swingLimit)) slope.swing = loads[next++];
    if (std::isfinite(joint.upper[0])) slope.twist += loads[next++];
    if (std::isfinite(joint.lower[0])) slope.twist -= loads[next++];
    return swingTwistHessian(rotationIn(q), joint.axis, slope);
}

void sceneForces(const Model& model, const State& state, Forces& forces)
{
    forces.body.resize(model.bodies.size());
    forces.joint.resize(model.freedomCount);
    for (int i = 0; i < model.size(); ++i) {
        forces.body[i] = {model.bodies[i].mass * model.gravity, Vec3::Zero()};
        addJointForce(model, state, i, forces);
    }
    for (const BodyLoad& load : model.loads) {
        const double factor = loadFactor(model, state, load);
        if (factor == 0) continue;
        const Vec3 arm = state.bodies[load.body].orientation * load.point;
        forces.body[load.body] += {factor * load.force, factor * (load.torque + arm.cross(load.force))};
    }
    forEachTouch(model, state, forces.span,
                 [&](const ContactPoint& point, const Obstacle&, const Touch& touch) {
                     const Vec3 f = touch.force * touch.normal;
                     forces.body[point.body] += {f, touch.arm.cross(f)};
                 });
    addPenaltyForces(model, state, forces);
    placeGuides(model, state.time, forces.guides);
    for (const Target& target : model.targets)
        forces.body[target.body] += targetForce(target, targetStretch(target, state, forces.guides));
    if (model.gravityCompensation > 0) addGravityCompensation(model, state, forces);
}

Force targetForce(const Target& target, const TargetStretch& s)
{
    const Vec3 force = targetPull(target, s).force;
    return {force, s.arm.cross(force) -
                       s.weight * (target.turnStiffness * s.turn + target.turnDamping * s.turnRate)};
}

void addPointTangent(const Vec3& arm, const Vec3& spin, const Vec3& f, const Mat3& K, const Mat3& D,
                     BodyTangent& tangent)
{
    Matrix<3, 6> G;  // of the point, by the body
    G << Mat3::Identity(), -tilde(arm);
    tangent.stiffness += G.transpose() * K * G;
    tangent.damping += G.transpose() * D * G;
    // The arm turns with the body: the torque arm × f, and the point's velocity spin × arm.
    tangent.stiffness.bottomRightCorner<3, 3>() -= tilde(f) * tilde(arm);
    const Mat3 turned = -tilde(spin) * tilde(arm);
    tangent.stiffness.topRightCorner<3, 3>() += D * turned;
    tangent.stiffness.bottomRightCorner<3, 3>() += tilde(arm) * D * turned;
}

void bodyForceTangents(const Model& model, const State& state, const Forces& forces,
                       std::vector<BodyTangent>& tangents)
{
    tangents.clear();
    // For all that may ever touch, so that a step never has to ask for more.
    tangents.reserve(model.loads.size() + model.contactPoints.size() * model.obstacles.size() +
                     model.targets.size() + forces.outside.bodies.size());
    const auto next = [&](int body) -> BodyTangent& {
        tangents.emplace_back();
        tangents.back().body = body;
        return tangents.back();
    };
    for (const BodyLoad& load : model.loads) {
        const Vec3 arm = state.bodies[load.body].orientation * load.point;
        if (!arm.isZero(0))
            addPointTangent(arm, Vec3::Zero(), loadFactor(model, state, load) * load.force, Mat3::Zero(),
                            Mat3::Zero(), next(load.body));
    }
    forEachTouch(
        model, state, forces.span, [&](const ContactPoint& point, const Obstacle&, const Touch& touch) {
            if (touch.force == 0) return;
            const Mat3 along = touch.normal * touch.normal.transpose();
            Mat3 K = touch.stiffness * along;
            const Vec3 spin = state.bodies[point.body].angularVelocityWorld();
            // A sphere's normal turns as the body slides over it.
            if (touch.distance > 0) {
                const Mat3 turning = (Mat3::Identity() - along) / touch.distance;
                const Vec3 v = state.bodies[point.body].velocity + spin.cross(touch.arm);
                K += touch.damping * touch.normal * (turning * v).transpose() - touch.force * turning;
            }
            addPointTangent(touch.arm, spin, touch.force * touch.normal, K, touch.damping * along,
                            next(point.body));
        });
    for (const Target& target : model.targets) {
        const TargetStretch s = targetStretch(target, state, forces.guides);
        const SpringForce pull = targetPull(target, s);
        BodyTangent& tangent = next(target.body);
        addPointTangent(s.arm, state.bodies[target.body].angularVelocityWorld(), pull.force, pull.stiffness,
                        pull.damping, tangent);
        tangent.stiffness.bottomRightCorner<3, 3>() +=
            s.weight * target.turnStiffness * leftJacobianInverse(s.turn);
        tangent.damping.bottomRightCorner<3, 3>() += s.weight * target.turnDamping * Mat3::Identity();
    }
    tangents.insert(tangents.end(), forces.outside.bodies.begin(), forces.outside.bodies.end());
}

bool isPassive(const Model& model)
{
    if (!model.loads.empty() || !model.switches.empty() || !model.prescribed.empty()) return false;
    if (model.contact) return false;  // what is inside something is pushed out
    for (const Target& target : model.targets)
        if (target.path.keys.size() > 1 || target.motion >= 0 || target.weight ||
            std::isfinite(target.limit))
            return false;
    for (const Joint& joint : model.joints)
        if (joint.hasMotor) return false;
    for (const JointDrives& drives : model.drives)
        if (!isPassive(drives)) return false;
    return model.gravityCompensation == 0;
}

bool switchesBetween(const Model& model, double from, double to)
{
    for (const JointSwitch& s : model.switches)
        if (s.time > from + JointSwitch::slack && s.time <= to + JointSwitch::slack) return true;
    return false;
}

}  // namespace sinew
