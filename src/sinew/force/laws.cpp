#include "sinew/force/laws.h"

#include "sinew/math/rotation.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

void addJointForce(const Model& model, const State& state, int link, Forces& forces)
{
    const Joint& joint = model.joints[link];
    const int k = joint.freedoms();
    auto Q = forces.joint.segment(joint.u, k);

    Q.setZero();
    if (joint.hasMotor) motorForce(model, state, link, joint.motor.data(), Q.data());
    Q -= (joint.damping + joint.friction) * state.u.segment(joint.u, k);
    if (joint.stiffness == 0 && joint.limitStiffness == 0) return;
    double spring[6] = {};
    jointSpringForce(joint, state.q.data() + joint.q, spring);
    for (int i = 0; i < k; ++i) Q[i] += spring[i];
}

}  // namespace

void jointSpringForce(const Joint& joint, const double* q, double* Q)
{
    for (int i = 0; i < joint.freedoms(); ++i) Q[i] = 0;
    if (joint.stiffness == 0 && joint.limitStiffness == 0) return;
    // The gradient of the energy; for a ball joint J_rᵀ⁻¹ φ = φ, so it is as plain as a hinge's.
    const JointStretch s = jointStretch(joint, q);
    for (int i = 0; i < joint.freedoms(); ++i)
        Q[i] = -joint.stiffness * s.stretch[i] - joint.limitStiffness * s.excess[i];
}

void jointForceTangent(const Joint& joint, const double* q, const double*, JointTangent& tangent)
{
    tangent.damping = (joint.damping + joint.friction) * Mat3::Identity();
    tangent.stiffness = joint.stiffness * Mat3::Identity();
    if (joint.stiffness == 0 && joint.limitStiffness == 0) return;
    const JointStretch s = jointStretch(joint, q);
    if (joint.type == JointType::spherical) {
        const Mat3 J = rightJacobianInverse(s.stretch);
        tangent.stiffness = 0.5 * joint.stiffness * (J + J.transpose());
        return;
    }
    for (int i = 0; i < 3; ++i)
        if (s.excess[i] != 0) tangent.stiffness(i, i) += joint.limitStiffness;
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
        const Vec3 arm = state.bodies[load.body].orientation * load.point;
        forces.body[load.body] += {load.force, load.torque + arm.cross(load.force)};
    }
}

}  // namespace sinew
