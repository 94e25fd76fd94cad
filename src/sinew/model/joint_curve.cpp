#include "sinew/model/joint_curve.h"

#include "sinew/base/assert.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

void write(const Quat& rotation, double* q)
{
    q[0] = rotation.x();
    q[1] = rotation.y();
    q[2] = rotation.z();
    q[3] = rotation.w();
}

}  // namespace

JointMotion jointMotionAt(const Joint& joint, const std::vector<Signal>& coordinates, double time)
{
    SINEW_ASSERT(!joint.isFree());
    JointMotion motion;
    jointRest(joint, motion.q);
    if (coordinates.empty()) return motion;
    const int k = joint.freedoms();
    SignalValue x[6];
    for (int i = 0; i < k; ++i) x[i] = coordinates[static_cast<std::size_t>(i)].at(time);
    if (joint.isBall()) {
        Vec3 phi(x[0].value, x[1].value, x[2].value), rate(x[0].rate, x[1].rate, x[2].rate);
        Vec3 rate2(x[0].rate2, x[1].rate2, x[2].rate2);
        if (joint.childIsFirst) {
            // Seen from the second body, here the parent, the child turns the other way.
            const Mat3 back = -joint.R_PC_rest.transpose();
            phi = back * phi;
            rate = back * rate;
            rate2 = back * rate2;
        }
        const RotationMotion turning = movingRotation(phi, rate, rate2);
        write(turning.rotation, motion.q);
        for (int i = 0; i < 3; ++i) {
            motion.u[i] = turning.velocity[i];
            motion.acceleration[i] = turning.acceleration[i];
        }
        return motion;
    }
    for (int i = 0; i < k; ++i) {
        const SignalValue& from = x[joint.described(i)];
        motion.q[i] = from.value;
        motion.u[i] = from.rate;
        motion.acceleration[i] = from.rate2;
    }
    return motion;
}

JointMotion freeMotionAt(const Joint& joint, const Vec3& point, const PathPoint& path)
{
    SINEW_ASSERT(joint.isFree() && joint.parent < 0);
    JointMotion motion;
    const Quat toChild = path.orientation.conjugate();
    const Vec3 arm = path.orientation * point;
    const Vec3 position = path.position - arm, velocity = path.velocity - path.spin.cross(arm);
    const Vec3 acceleration =
        path.acceleration - path.spinRate.cross(arm) - path.spin.cross(path.spin.cross(arm));
    const Vec3 w = toChild * path.spin, wRate = toChild * path.spinRate;
    for (int i = 0; i < 3; ++i) {
        motion.q[i] = position[i];
        motion.u[i] = velocity[i];
        motion.u[3 + i] = w[i];
        motion.acceleration[i] = acceleration[i];
        motion.acceleration[3 + i] = wRate[i];
    }
    write((Quat(joint.R_PC_rest).conjugate() * path.orientation).normalized(), motion.q + 3);
    return motion;
}

}  // namespace sinew
