#include "sinew/math/swing_cone.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/rotation.h"
#include "sinew/math/trigonometry.h"

namespace sinew {
namespace {

// Where the axis points to against the centre, or straight away from it, φ has no derivatives; so near to
// either they are those of the edge. It is the sine of an angle.
constexpr double smallestSine = 0.01;

// ρ(φ) and its derivatives, at (cos φ, sin φ).
struct Edge {
    double value, slope, bend;

    Edge(const SwingCone& cone, double cosine, double sine)
    {
        const double alpha = cone.reach[cosine < 0 ? 1 : 0], beta = cone.reach[sine < 0 ? 3 : 2];
        const double A = 1 / (alpha * alpha), B = 1 / (beta * beta);
        // f = A cos² + B sin², ρ = f^(−1/2).
        const double f = A * cosine * cosine + B * sine * sine;
        const double f1 = 2 * (B - A) * sine * cosine;
        const double f2 = 2 * (B - A) * (cosine * cosine - sine * sine);
        value = 1 / std::sqrt(f);
        slope = -0.5 * f1 * value / f;
        bend = (0.75 * f1 * f1 / f - 0.5 * f2) * value / f;
    }
};

// b in the cone's own axes, told by σ and φ.
struct Tilt {
    Vec3 b;
    double s, cosine, sine;

    Tilt(const SwingCone& cone, const Quat& rotation)
    {
        const Quat turn = cone.isOfBody ? Quat(rotation.conjugate()) : rotation;
        const Vec3 to = turn * cone.axis;
        b = cone.axes.transpose() * to;
        s = std::sqrt(b.x() * b.x() + b.y() * b.y());
        cosine = s > 0 ? b.x() / s : 1;
        sine = s > 0 ? b.y() / s : 0;
    }
    double angle() const { return angleOf(s, b.z()); }
};

}  // namespace

double beyondCone(const SwingCone& cone, const Quat& rotation)
{
    const Tilt tilt(cone, rotation);
    return tilt.angle() - Edge(cone, tilt.cosine, tilt.sine).value;
}

ConeReach coneReach(const SwingCone& cone, const Quat& rotation)
{
    const Tilt tilt(cone, rotation);
    const Edge edge(cone, tilt.cosine, tilt.sine);
    const double s = tilt.s, z = tilt.b.z(), across = std::max(s, smallestSine);
    const Vec3 outward(tilt.cosine, tilt.sine, 0), round(-tilt.sine, tilt.cosine, 0), up = Vec3::UnitZ();
    // σ by s and z, where s² + z² = 1; φ by round/s.
    Vec3 n = z * outward - s * up - edge.slope / across * round;
    Mat3 H = -2 * s * z * outward * outward.transpose() + z / across * round * round.transpose() +
             (s * s - z * z) * (outward * up.transpose() + up * outward.transpose()) +
             2 * s * z * up * up.transpose();
    H += (edge.slope * (round * outward.transpose() + outward * round.transpose()) -
          edge.bend * round * round.transpose()) /
         (across * across);
    n = cone.axes * n;
    H = cone.axes * H * cone.axes.transpose();

    ConeReach out;
    out.beyond = tilt.angle() - edge.value;
    if (cone.isOfBody) {
        const Vec3 b = cone.axes * tilt.b;
        out.gradient = n.cross(b);
        out.hessian = (tilde(n) - tilde(b) * H) * tilde(b);
    } else {
        const Mat3 Q = rotation.toRotationMatrix();
        n = Q.transpose() * n;
        out.gradient = cone.axis.cross(n);
        out.hessian = tilde(cone.axis) * (tilde(n) - Q.transpose() * H * Q * tilde(cone.axis));
    }
    return out;
}

Vec3 coneGradient(const ConeReach& reach, double first)
{
    return first * reach.gradient;
}

Mat3 coneHessian(const ConeReach& reach, double first, double second)
{
    return second * reach.gradient * reach.gradient.transpose() + first * reach.hessian;
}

}  // namespace sinew
