#include "sinew/math/swing_twist.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/trigonometry.h"

namespace sinew {
namespace {

// ∇τ grows as 1/cos(σ/2). Within the last degree before a half turn of swing all is taken as at its edge.
constexpr double smallestCosine = 0.01;  // of σ/2
constexpr double smallAngle = 1e-7;

struct Split {
    double w, p, S, N;
    Vec3 v, s, across;  // across = a × s

    Split(const Quat& q, const Vec3& a)
    {
        const double sign = q.w() < 0 ? -1 : 1;
        w = sign * q.w();
        v = sign * q.vec();
        p = v.dot(a);
        s = v - p * a;
        across = a.cross(s);
        S = s.norm();
        N = std::sqrt(w * w + p * p);
        if (N < smallestCosine) {
            const bool isLost = N < 1e-12;  // the twist: any will do
            w = isLost ? smallestCosine : w / N * smallestCosine;
            p = isLost ? 0 : p / N * smallestCosine;
            N = smallestCosine;
        }
    }
    double swing() const { return 2 * angleOf(S, N); }
    double twist() const { return 2 * angleOf(p, w); }
    // E' ∇σ = swingFactor · swingVector, finite at σ = 0.
    Vec3 swingVector() const { return w * s - p * across; }
    double swingFactor(const SwingTwistSlope& slope) const
    {
        return swing() < smallAngle ? 2 * slope.swing2 : slope.swing / (S * N);
    }
    Vec3 twistGradient(const Vec3& a) const { return a + (w * across + p * s) / (N * N); }
};

}  // namespace

SwingTwist swingTwist(const Quat& rotation, const Vec3& axis)
{
    const Split split(rotation, axis);
    return {split.swing(), split.twist()};
}

Vec3 swingTwistGradient(const Quat& rotation, const Vec3& axis, const SwingTwistSlope& slope)
{
    const Split x(rotation, axis);
    return x.swingFactor(slope) * x.swingVector() + slope.twist * x.twistGradient(axis);
}

Mat3 swingTwistHessian(const Quat& rotation, const Vec3& a, const SwingTwistSlope& slope)
{
    const Split x(rotation, a);
    // How w, p, s and a × s change with the turn.
    const Vec3 dw = -0.5 * x.v, dp = 0.5 * (x.w * a + x.across);
    const Mat3 dv = 0.5 * (x.w * Mat3::Identity() + tilde(x.v));
    const Mat3 ds = dv - a * (a.transpose() * dv);
    const Mat3 dAcross = tilde(a) * ds;
    const double N2 = x.N * x.N;

    Mat3 H = x.swingFactor(slope) *
             (x.s * dw.transpose() + x.w * ds - x.across * dp.transpose() - x.p * dAcross);
    const double swing = x.swing();
    if (swing >= smallAngle) {
        const Vec3 direction = x.swingVector() / (x.S * x.N);  // ∇σ
        const double cotangent = (x.N * x.N - x.S * x.S) / (2 * x.S * x.N);
        H += (slope.swing2 - slope.swing * cotangent) * direction * direction.transpose();
    }
    const Vec3 twistGradient = x.twistGradient(a);
    H += slope.twist2 * twistGradient * twistGradient.transpose();
    const Vec3 dN2 = -(x.w * x.s - x.p * x.across);  // of N²
    H += slope.twist / N2 *
         (x.across * dw.transpose() + x.w * dAcross + x.s * dp.transpose() + x.p * ds -
          (x.w * x.across + x.p * x.s) / N2 * dN2.transpose());
    return H;
}

}  // namespace sinew
