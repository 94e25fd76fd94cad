#include "sinew/force/laws/springs.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sinew/force/laws/types.h"
#include "sinew/math/rotation.h"
#include "sinew/math/swing_twist.h"

namespace sinew {
namespace springs {
namespace {

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
    const double swing = std::max(angles.swing - joint.swingLimit, 0.);  // none where there is a cone
    const double twist = beyondLimits(angles.twist, joint.lower[0], joint.upper[0]);
    const double k = joint.limitStiffness;
    return {Q, joint.axis, {k * swing, swing > 0 ? k : 0, k * twist, twist != 0 ? k : 0}};
}

// Null within it.
std::optional<ConeReach> coneSpring(const Joint& joint, const Quat& Q)
{
    if (!joint.cone || !(beyondCone(*joint.cone, Q) > 0)) return {};
    return coneReach(*joint.cone, Q);
}

bool isInJoint(const Model&, const Joint& joint)
{
    return joint.hasSpring();
}

void addForce(const JointAt& at, double* Q)
{
    double own[6];
    jointSpringForce(at.joint, at.q, at.active, own);
    for (int i = 0; i < at.freedoms(); ++i) Q[i] += own[i];
}

void addTangent(const JointAt& at, JointTangent& tangent)
{
    addSpringTangent(at.joint, at.q, at.active, tangent, at.limits);
}

void addEnergy(const JointAt& at, double& sum)
{
    sum += jointElasticEnergy(at.joint, at.q, at.active);
}

}  // namespace
}  // namespace springs

const ForceLawInfo springLaw = {
    .name = "spring",
    .noun = "the spring",
    .kind = ForceKind::spring,
    .isIn = isInAnyJoint<springs::isInJoint>,
    .isPassive = laws::always,
    .ofPlacesOnly = true,
    .isInJoint = springs::isInJoint,
    .isOfJoints = true,
    .addJointForce = springs::addForce,
    .addJointTangent = springs::addTangent,
    .addJointEnergy = springs::addEnergy,
};

void jointSpringForce(const Joint& joint, const double* q, bool active, double* Q)
{
    for (int i = 0; i < joint.freedoms(); ++i) Q[i] = 0;
    if (!joint.hasSpring()) return;
    if (joint.isBall()) {
        const Quat rotation = rotationIn(q);
        Vec3 torque = Vec3::Zero();
        // J_rᵀ⁻¹ φ = φ: the gradient of ½ k φ² is as plain as a hinge's.
        if (active && !joint.hasTwist)
            torque = -joint.stiffness * logRotation(joint.restRotation.conjugate() * rotation);
        const auto subtract = [&](const springs::BallSpring& spring) {
            torque -= swingTwistGradient(spring.rotation, spring.axis, spring.slope);
        };
        if (active && joint.hasTwist) subtract(springs::restSpring(joint, rotation));
        if (joint.limitStiffness > 0) subtract(springs::limitSpring(joint, rotation));
        if (const auto cone = springs::coneSpring(joint, rotation))
            torque -= coneGradient(*cone, joint.limitStiffness * cone->beyond);
        for (int i = 0; i < 3; ++i) Q[i] = torque[i];
        return;
    }
    for (int i = 0; i < joint.freedoms(); ++i) {
        if (active) Q[i] -= joint.stiffness * (q[i] - joint.rest[i]);
        if (joint.limitStiffness > 0)
            Q[i] -= joint.limitStiffnessOf(i) * beyondLimits(q[i], joint.lower[i], joint.upper[i]);
    }
}

void addSpringTangent(const Joint& joint, const double* q, bool active, JointTangent& tangent, bool limits)
{
    if (!joint.hasSpring()) return;
    if (joint.isBall()) {
        const Quat rotation = rotationIn(q);
        if (active && !joint.hasTwist)
            tangent.stiffness +=
                joint.stiffness *
                rightJacobianInverse(logRotation(joint.restRotation.conjugate() * rotation));
        const auto add = [&](const springs::BallSpring& spring) {
            tangent.stiffness += swingTwistHessian(spring.rotation, spring.axis, spring.slope);
        };
        if (active && joint.hasTwist) add(springs::restSpring(joint, rotation));
        if (!limits || !(joint.limitStiffness > 0)) return;
        add(springs::limitSpring(joint, rotation));
        if (const auto cone = springs::coneSpring(joint, rotation))
            tangent.stiffness +=
                coneHessian(*cone, joint.limitStiffness * cone->beyond, joint.limitStiffness);
        return;
    }
    for (int i = 0; i < joint.freedoms(); ++i) {
        if (active) tangent.stiffness(i, i) += joint.stiffness;
        if (limits && joint.limitStiffness > 0 && beyondLimits(q[i], joint.lower[i], joint.upper[i]) != 0)
            tangent.stiffness(i, i) += joint.limitStiffnessOf(i);
    }
}

double jointElasticEnergy(const Joint& joint, const double* q, bool active)
{
    if (!joint.hasSpring()) return 0;
    const JointStretch s = jointStretch(joint, q, active);
    double sum = 0;
    for (int i = 0; i < s.count; ++i) sum += 0.5 * s.stiffness[i] * s.amount[i] * s.amount[i];
    return sum;
}

double jointElasticWork(const Joint& joint, const double* from, const double* to, bool active)
{
    const JointStretch a = jointStretch(joint, from, active), b = jointStretch(joint, to, active);
    double sum = 0;
    for (int i = 0; i < a.count; ++i)
        sum += 0.5 * a.stiffness[i] * (a.amount[i] - b.amount[i]) * (a.amount[i] + b.amount[i]);
    return sum;
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
    if (joint.cone) {
        const ConeReach reach = coneReach(*joint.cone, rotation);
        add(reach.beyond, reach.gradient);
    } else {
        add(angles.swing - joint.swingLimit, swingTwistGradient(rotation, joint.axis, {1, 0, 0, 0}));
    }
    add(angles.twist - joint.upper[0], twists);
    add(joint.lower[0] - angles.twist, -twists);
    return count;
}

Mat3 limitCurvature(const Joint& joint, const double* q, const double (&loads)[mostLimits])
{
    int next = 0;
    SwingTwistSlope slope;
    Mat3 ofCone = Mat3::Zero();
    if (joint.cone)
        ofCone = coneHessian(coneReach(*joint.cone, rotationIn(q)), loads[next++], 0);
    else if (joint.limitsSwing())
        slope.swing = loads[next++];
    if (std::isfinite(joint.upper[0])) slope.twist += loads[next++];
    if (std::isfinite(joint.lower[0])) slope.twist -= loads[next++];
    return ofCone + swingTwistHessian(rotationIn(q), joint.axis, slope);
}

}  // namespace sinew
