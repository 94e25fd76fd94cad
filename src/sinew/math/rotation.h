// The rotation group: exp and log, and how they change.
//
// A rotation vector φ = angle · axis. exp(φ) is the rotation; log takes it back with |φ| ≤ π.
// Turning the result by a small δ on the left (world axes) or on the right (body axes) changes φ by
//     log(exp(δ) exp(φ)) = φ + leftJacobianInverse(φ) δ + …
//     log(exp(φ) exp(δ)) = φ + rightJacobianInverse(φ) δ + …
// and, the other way round, exp(φ + δ) = exp(leftJacobian(φ) δ) exp(φ) + ….
// The right Jacobians are the transposes of the left ones.
//
//     J_l(φ)  = 1 + (1 − cos θ)/θ² φ~ + (θ − sin θ)/θ³ φ~²               θ = |φ|
//     J_l⁻¹(φ) = 1 − ½ φ~ + (1 − κ)/θ² φ~²,   κ = (θ/2) cot(θ/2)
//
// (The second line is the correct form of Hernandez' appendix A; the printed one loses the component
// along the axis.) Series are used for small θ, so that no digit is lost; log is taken from the
// quaternion by atan2, which is accurate at 0 and at π alike.
#pragma once

#include "sinew/math/types.h"

namespace sinew {

Quat expRotation(const Vec3& phi);
// |result| ≤ π. At exactly π both signs of the axis are right; one of them is returned.
Vec3 logRotation(const Quat& rotation);

Mat3 leftJacobian(const Vec3& phi);
// Defined for |φ| < 2π.
Mat3 leftJacobianInverse(const Vec3& phi);
inline Mat3 rightJacobian(const Vec3& phi)
{
    return leftJacobian(phi).transpose();
}
inline Mat3 rightJacobianInverse(const Vec3& phi)
{
    return leftJacobianInverse(phi).transpose();
}

// The smallest rotation that turns `from` into the direction of `to`; of opposite ones, any half turn.
Quat rotationBetween(const Vec3& from, const Vec3& to);

// A rotation that moves with its rotation vector φ(t): exp(φ), and its angular velocity and acceleration
// in the axes that it turns (body axes).
struct RotationMotion {
    Quat rotation = Quat::Identity();
    Vec3 velocity = Vec3::Zero(), acceleration = Vec3::Zero();
};
RotationMotion movingRotation(const Vec3& phi, const Vec3& phiRate, const Vec3& phiRate2);

// The angle of the twist about a unit axis in the split rotation = swing · twist, in [−π, π].
double twistAngle(const Quat& rotation, const Vec3& axis);

// The angle ≡ `angle` (mod 2π) that is nearest to `near`: how joint angles count full turns.
double unwrapAngle(double angle, double near);

// Two unit vectors that span the plane across a unit vector, right-handed: first × second = axis.
struct Directors {
    Vec3 first, second;
};
Directors directorsAcross(const Vec3& axis);

}  // namespace sinew
