#include "sinew/state/joint_drives.h"

#include "sinew/math/rotation.h"
#include "sinew/model/joint_curve.h"

namespace sinew {
FromCenter fromCenter(const Joint& joint, const TorqueFunction& function, const double* q, double time)
{
    const Quat center = rotationIn(jointMotionAt(joint, function.center, time).q);
    FromCenter from;
    from.rotation = center.conjugate() * rotationIn(q);
    from.axis = joint.childIsFirst ? Vec3(center.conjugate() * joint.axis) : joint.axis;
    from.angles = swingTwist(from.rotation, from.axis);
    return from;
}

double angleFromCenter(const Joint& joint, const TorqueFunction& function, const double* q, double time)
{
    if (joint.isBall()) {
        const FromCenter from = fromCenter(joint, function, q, time);
        return function.part == TorqueDescription::Part::swing ? from.angles.swing : from.angles.twist;
    }
    return q[function.freedom] - jointMotionAt(joint, function.center, time).q[function.freedom];
}

TrackingError trackingError(const Controller& controller, const Joint& joint, const double* q,
                            const double* u, double time)
{
    TrackingError error;
    const JointMotion wanted = jointMotionAt(joint, controller.target, time);
    if (joint.isBall()) {
        const Quat turn = rotationIn(wanted.q).conjugate() * rotationIn(q);
        const Vec3 wantedVelocity = turn.conjugate() * Vec3(wanted.u[0], wanted.u[1], wanted.u[2]);
        error.position = logRotation(turn);
        error.velocity = Vec3(u[0], u[1], u[2]) - wantedVelocity;
        error.positionSlope = rightJacobianInverse(error.position);
        error.velocitySlope = -tilde(wantedVelocity);
        return error;
    }
    for (int i = 0; i < joint.freedoms(); ++i) {
        error.position[i] = q[i] - wanted.q[i];
        error.velocity[i] = u[i] - wanted.u[i];
    }
    return error;
}

double weightAt(const std::optional<Signal>& weight, double time)
{
    return weight ? weight->at(time).value : 1;
}

double driveEnergy(const Model& model, const State& state, int link)
{
    const Joint& joint = model.joints[link];
    if (joint.drives < 0 || !model.isActive(link, state.time)) return 0;
    const double *q = state.q.data() + joint.q, *u = state.u.data() + joint.u;
    const JointDrives& drives = model.drives[joint.drives];
    double sum = 0;
    for (const TorqueFunction& function : drives.functions)
        sum += function.curve.energy(angleFromCenter(joint, function, q, state.time));
    for (const Controller& controller : drives.controllers) {
        const TrackingError error = trackingError(controller, joint, q, u, state.time);
        sum += 0.5 * weightAt(controller.weight, state.time) * controller.stiffness *
               error.position.squaredNorm();
    }
    return sum;
}

}  // namespace sinew
