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

#include <cmath>

#include "sinew/math/types.h"

namespace sinew {

// Steps hardly turn anything further than this: so far series have all digits, for a part of the time of
// sines and angles, and where they are used. Even and odd terms are summed apart, which takes half the
// time.
constexpr double shortTurn = 0.25;

// asin(s)/s of x = s² ≤ 1/64: (2n)! / (4ⁿ n!² (2n + 1)) xⁿ.
inline double arcSineOverSine(double x)
{
    const double y = x * x;
    const double even = 1 + y * (3. / 40 + y * (35. / 1152 + y * (231. / 13312 + y * (6435. / 557056))));
    const double odd = 1. / 6 + y * (5. / 112 + y * (63. / 2816 + y * (143. / 10240)));
    return even + x * odd;
}

// Of longer turns. `angleFactor`: θ/sin(θ/2) of the sine and cosine of half the angle.
Quat expLongRotation(const Vec3& phi);
double angleFactor(double s, double c);
double curvatureOfLongTurn(double square);

inline Quat expRotation(const Vec3& phi)
{
    const double square = phi.squaredNorm();
    if (!(square < shortTurn * shortTurn)) return expLongRotation(phi);
    const double x = 0.25 * square;  // of the half angle
    const double factor = 0.5 + x * (-1. / 12 + x * (1. / 240 + x * (-1. / 10080 + x / 725760)));
    const double w = 1 + x * (-0.5 + x * (1. / 24 + x * (-1. / 720 + x * (1. / 40320 - x / 3628800))));
    return {w, factor * phi.x(), factor * phi.y(), factor * phi.z()};
}
// |result| ≤ π. At exactly π both signs of the axis are right; one of them is returned.
inline Vec3 logRotation(const Quat& rotation)
{
    // q and −q are the same rotation: take the one with |φ| ≤ π.
    const double sign = rotation.w() < 0 ? -1 : 1;
    const Vec3 v = sign * rotation.vec();
    const double square = v.squaredNorm();
    if (square < shortTurn * shortTurn / 4) return 2 * arcSineOverSine(square) * v;
    return angleFactor(std::sqrt(square), sign * rotation.w()) * v;
}

Mat3 leftJacobian(const Vec3& phi);
// Defined for |φ| < 2π.
Mat3 leftJacobianInverse(const Vec3& phi);
// (1 − κ)/θ² of x = θ²: Σ |B₂ₙ|/(2n)! θ²ⁿ⁻², Bernoulli's numbers.
inline double curvatureOfTurn(double x)
{
    if (!(x < 4 * shortTurn * shortTurn)) return curvatureOfLongTurn(x);
    const double y = x * x;
    const double even = 1. / 12 + y * (1. / 30240 + y * (1. / 47900160 + y * (1. / 74724249600)));
    const double odd =
        1. / 720 + y * (1. / 1209600 + y * (691. / 1307674368000 + y * (3617. / 10670622842880000)));
    return even + x * odd;
}
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
// How that changes: exp(φ) turns by `turn`, in the axes that it turns.
struct RotationMotionChange {
    Vec3 turn = Vec3::Zero(), velocity = Vec3::Zero(), acceleration = Vec3::Zero();
};
RotationMotionChange movingRotationChange(const Vec3& phi, const Vec3& phiRate, const Vec3& phiRate2,
                                          const Vec3& dPhi, const Vec3& dPhiRate, const Vec3& dPhiRate2);
// The other way round: φ = log of `rotation` and its rates, for this angular velocity and acceleration.
struct RotationChart {
    Vec3 phi = Vec3::Zero(), rate = Vec3::Zero(), rate2 = Vec3::Zero();
};
RotationChart chartOf(const Quat& rotation, const Vec3& velocity, const Vec3& acceleration);

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
