// What figures that balance themselves give in their joints: a torque that is set before the step, and a
// spring and a damper toward a pose that is,
//
//     Q = τ − k (q − q_d) − d (u − u_d),   no longer than the limit of the joint,
//
// taken at the end of the step with its derivatives, as all springs are: this is the "stable PD" of J. Tan,
// K. Liu and G. Turk, Stable proportional-derivative controllers, IEEE Computer Graphics and Applications
// 31(4), 2011, carried to the whole figure: gains bound no step. What is wanted stands in State::memory
// (Servo), so that every stage of a step, a halved step, a checkpoint and a replay see the same.
#include "sinew/force/laws/types.h"
#include "sinew/force/spring_force.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace servos {
namespace {

bool isInJoint(const Model& model, const Joint& joint)
{
    return joint.drives >= 0 && !model.drives[joint.drives].servos.empty();
}

SpringForce servoForce(const JointAt& at, const Servo& servo)
{
    const int n = at.freedoms();
    const double* q = at.state.memory.data() + servo.slot;
    const double* u = q + at.joint.coordinates();
    const double* torque = u + n;
    const double k = servo.stiffness * torque[n], d = servo.damping * torque[n + 1];
    SpringForce drive{Vec3::Zero(), Mat3::Zero(), d * Mat3::Identity()};
    if (at.joint.isBall()) {
        const Vec3 error = logRotation(rotationIn(q).conjugate() * rotationIn(at.q));
        drive.force = -k * error;
        drive.stiffness = k * rightJacobianInverse(error);
    } else {
        for (int i = 0; i < n; ++i) drive.force[i] = -k * (at.q[i] - q[i]);
        drive.stiffness = k * Mat3::Identity();
    }
    for (int i = 0; i < n; ++i) drive.force[i] += torque[i] - d * (at.u[i] - u[i]);
    drive.limit(servo.limit);
    if (servo.bounds) drive.limit(*servo.bounds, n);
    return drive;
}

void addForce(const JointAt& at, double* Q)
{
    if (at.joint.drives < 0 || !at.active) return;
    for (const Servo& servo : at.model.drives[at.joint.drives].servos)
        servoForce(at, servo).addTo(at.freedoms(), Q);
}

void addTangent(const JointAt& at, JointTangent& tangent)
{
    if (at.joint.drives < 0 || !at.active) return;
    for (const Servo& servo : at.model.drives[at.joint.drives].servos) servoForce(at, servo).addTo(tangent);
}

}  // namespace
}  // namespace servos

// It stores no energy: what it wants moves with the figure, so all that it does counts as work of a drive.
const ForceLawInfo servoLaw = {
    .name = "servo",
    .noun = "the balance",
    .kind = ForceKind::drive,
    .isIn = isInAnyJoint<servos::isInJoint>,
    .markDriven = markInJoints<servos::isInJoint>,
    .isInJoint = servos::isInJoint,
    .isOfJoints = true,
    .addJointForce = servos::addForce,
    .addJointTangent = servos::addTangent,
};

}  // namespace sinew
