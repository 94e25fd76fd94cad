#include "sinew/model/joint_offset.h"

#include "sinew/math/rotation.h"

namespace sinew {
namespace {

// The first `straight` freedoms are plain numbers; then comes a rotation, or nothing.
struct Parts {
    int straight;
    bool turns;
};
Parts partsOf(const Joint& joint)
{
    return {joint.info().plain(), joint.info().hasRotation};
}

}  // namespace

JointOffset jointOffsetFrom(const Joint& joint, const JointMotion& curve, const double* q, const double* u)
{
    const auto [straight, turns] = partsOf(joint);
    JointOffset offset;
    for (int i = 0; i < straight; ++i) {
        offset.value[i] = q[i] - curve.q[i];
        offset.rate[i] = u[i] - curve.u[i];
    }
    if (!turns) return offset;
    const Vec3 phi = logRotation(rotationIn(curve.q + straight).conjugate() * rotationIn(q + straight));
    const Vec3 carried = expRotation(phi).conjugate() * Vec3(view<3>(curve.u + straight));
    offset.value.segment<3>(straight) = phi;
    offset.rate.segment<3>(straight) = rightJacobianInverse(phi) * (view<3>(u + straight) - carried);
    return offset;
}

void addJointOffset(const Joint& joint, const JointOffset& offset, JointMotion& motion)
{
    const auto [straight, turns] = partsOf(joint);
    for (int i = 0; i < straight; ++i) {
        motion.q[i] += offset.value[i];
        motion.u[i] += offset.rate[i];
        motion.acceleration[i] += offset.rate2[i];
    }
    if (!turns) return;
    const RotationMotion turning =
        movingRotation(offset.value.segment<3>(straight), offset.rate.segment<3>(straight),
                       offset.rate2.segment<3>(straight));
    const Quat rotation = (rotationIn(motion.q + straight) * turning.rotation).normalized();
    for (int i = 0; i < 4; ++i) motion.q[straight + i] = rotation.coeffs()[i];  // x, y, z, w
    auto u = view<3>(motion.u + straight), acceleration = view<3>(motion.acceleration + straight);
    // The curve's part, seen from axes that turn with the offset.
    const Quat toOwn = turning.rotation.conjugate();
    const Vec3 carried = toOwn * Vec3(u);
    acceleration =
        (toOwn * Vec3(acceleration) - turning.velocity.cross(carried) + turning.acceleration).eval();
    u = carried + turning.velocity;
}

}  // namespace sinew
