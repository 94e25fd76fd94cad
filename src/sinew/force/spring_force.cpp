#include "sinew/force/spring_force.h"

namespace sinew {

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

}  // namespace sinew
