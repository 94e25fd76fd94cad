#include "sinew/math/rotation.h"

#include <cmath>

#include "sinew/math/trigonometry.h"

namespace sinew {
namespace {

// Below this angle the closed forms lose digits and four terms of the series have them all.
constexpr double seriesAngle = 0.1;
// a 1 + b φ~ + c φ φᵀ, where φ φᵀ = φ~² + θ² 1.
Mat3 combined(double a, double b, double c, const Vec3& phi)
{
    const double bx = b * phi.x(), by = b * phi.y(), bz = b * phi.z();
    const Vec3 scaled = c * phi;
    const double xy = scaled.x() * phi.y(), xz = scaled.x() * phi.z(), yz = scaled.y() * phi.z();
    Mat3 m;
    m << a + scaled.x() * phi.x(), xy - bz, xz + by,  //
        xy + bz, a + scaled.y() * phi.y(), yz - bx,   //
        xz - by, yz + bx, a + scaled.z() * phi.z();
    return m;
}

}  // namespace

Quat expLongRotation(const Vec3& phi)
{
    const double half = 0.5 * phi.norm();
    // sin(θ/2)/θ
    const double factor = sine(half) / (2 * half);
    return {cosine(half), factor * phi.x(), factor * phi.y(), factor * phi.z()};
}

double angleFactor(double s, double c)
{
    return 2 * angleOf(s, c) / s;
}

Mat3 leftJacobian(const Vec3& phi)
{
    const double t2 = phi.squaredNorm();
    double a, b;  // (1 − cos θ)/θ², (θ − sin θ)/θ³
    if (t2 < seriesAngle * seriesAngle) {
        a = 0.5 - t2 / 24 * (1 - t2 / 30 * (1 - t2 / 56));
        b = 1.0 / 6 - t2 / 120 * (1 - t2 / 42 * (1 - t2 / 72));
    } else {
        const double t = std::sqrt(t2);
        const double half = sine(t / 2);
        a = 2 * half * half / t2;
        b = (t - sine(t)) / (t2 * t);
    }
    return combined(1 - b * t2, a, b, phi);
}

double curvatureOfLongTurn(double t2)
{
    const double half = 0.5 * std::sqrt(t2);
    return (1 - half * cosine(half) / sine(half)) / t2;
}

Mat3 leftJacobianInverse(const Vec3& phi)
{
    const double t2 = phi.squaredNorm(), c = curvatureOfTurn(t2);
    return combined(1 - c * t2, -0.5, c, phi);
}

Quat rotationBetween(const Vec3& from, const Vec3& to)
{
    constexpr double opposite = 1e-12;
    const Vec3 a = from.normalized(), b = to.normalized();
    // Twice the cosine of half the angle. The root of 2 (1 + a·b) would be the same, with half of its
    // digits lost where the two are nearly opposite.
    const double s = (a + b).norm();
    if (s < opposite) {
        const Vec3 axis = directorsAcross(a).second;  // from z about x
        return {0, axis.x(), axis.y(), axis.z()};
    }
    const Vec3 v = a.cross(b) / s;
    return Quat(0.5 * s, v.x(), v.y(), v.z()).normalized();
}

namespace {

// The quaternion of a rotation vector is (c, k φ), both functions of s = θ²: c = cos(θ/2),
// k = sin(θ/2)/θ, with
//     c' = −k/4      k' = (c/2 − k)/(2s)      k″ = −(k/8 + 3k')/(2s)      k‴ = −(k'/8 + 5k″)/(2s).
struct QuaternionSeries {
    double c, k, k1, k2, k3;

    explicit QuaternionSeries(double s)
    {
        if (s < 1e-2) {
            c = 1 - s / 8 * (1 - s / 48 * (1 - s / 120 * (1 - s / 224)));
            k = 0.5 - s / 48 * (1 - s / 80 * (1 - s / 168 * (1 - s / 288)));
        } else {
            const double angle = std::sqrt(s);
            c = cosine(0.5 * angle);
            k = sine(0.5 * angle) / angle;
        }
        if (s < 0.25) {  // where the differences above lose digits
            k1 = -1. / 48 * (1 - s / 40 * (1 - s / 112 * (1 - s / 216 * (1 - s / 352))));
            k2 = 1. / 1920 * (1 - s / 56 * (1 - s / 144 * (1 - s / 264 * (1 - s / 416))));
            k3 = -1. / 107520 * (1 - s / 72 * (1 - s / 176 * (1 - s / 312 * (1 - s / 480))));
        } else {
            k1 = (0.5 * c - k) / (2 * s);
            k2 = -(k / 8 + 3 * k1) / (2 * s);
            k3 = -(k1 / 8 + 5 * k2) / (2 * s);
        }
    }
};

Quat quaternionOf(double w, const Vec3& v)
{
    return Quat(w, v.x(), v.y(), v.z());
}

// Of a moving rotation, with its first two rates.
struct QuaternionMotion {
    Quat q, rate, rate2;
};

QuaternionMotion quaternionMotion(const QuaternionSeries& f, const Vec3& phi, const Vec3& phiRate,
                                  const Vec3& phiRate2)
{
    const double s1 = 2 * phi.dot(phiRate);
    const double s2 = 2 * (phiRate.squaredNorm() + phi.dot(phiRate2));
    const double kRate = f.k1 * s1, kRate2 = f.k2 * s1 * s1 + f.k1 * s2;
    return {
        quaternionOf(f.c, f.k * phi), quaternionOf(-0.25 * f.k * s1, kRate * phi + f.k * phiRate),
        quaternionOf(-0.25 * (kRate * s1 + f.k * s2), kRate2 * phi + 2 * kRate * phiRate + f.k * phiRate2)};
}

}  // namespace

RotationMotion movingRotation(const Vec3& phi, const Vec3& phiRate, const Vec3& phiRate2)
{
    const QuaternionMotion m =
        quaternionMotion(QuaternionSeries(phi.squaredNorm()), phi, phiRate, phiRate2);
    // ω = 2 q̄ q', and 2 q̄' q' has no vector part.
    return {m.q, 2 * (m.q.conjugate() * m.rate).vec(), 2 * (m.q.conjugate() * m.rate2).vec()};
}

RotationMotionChange movingRotationChange(const Vec3& phi, const Vec3& phiRate, const Vec3& phiRate2,
                                          const Vec3& dPhi, const Vec3& dPhiRate, const Vec3& dPhiRate2)
{
    const QuaternionSeries f(phi.squaredNorm());
    const QuaternionMotion m = quaternionMotion(f, phi, phiRate, phiRate2);
    const double s1 = 2 * phi.dot(phiRate);
    const double s2 = 2 * (phiRate.squaredNorm() + phi.dot(phiRate2));
    const double kRate = f.k1 * s1, kRate2 = f.k2 * s1 * s1 + f.k1 * s2;
    const double ds = 2 * phi.dot(dPhi), ds1 = 2 * (dPhi.dot(phiRate) + phi.dot(dPhiRate));
    const double ds2 = 2 * (2 * phiRate.dot(dPhiRate) + dPhi.dot(phiRate2) + phi.dot(dPhiRate2));
    const double dk = f.k1 * ds, dkRate = f.k2 * ds * s1 + f.k1 * ds1;
    const double dkRate2 = f.k3 * ds * s1 * s1 + 2 * f.k2 * s1 * ds1 + f.k2 * ds * s2 + f.k1 * ds2;
    const Quat q = quaternionOf(-0.25 * f.k * ds, dk * phi + f.k * dPhi);
    const Quat rate = quaternionOf(-0.25 * (dk * s1 + f.k * ds1),
                                   dkRate * phi + kRate * dPhi + dk * phiRate + f.k * dPhiRate);
    const Quat rate2 = quaternionOf(-0.25 * (dkRate * s1 + kRate * ds1 + dk * s2 + f.k * ds2),
                                    dkRate2 * phi + kRate2 * dPhi + 2 * dkRate * phiRate +
                                        2 * kRate * dPhiRate + dk * phiRate2 + f.k * dPhiRate2);
    const Quat back = m.q.conjugate(), backChange = q.conjugate();
    return {2 * (back * q).vec(), 2 * ((backChange * m.rate).vec() + (back * rate).vec()),
            2 * ((backChange * m.rate2).vec() + (back * rate2).vec())};
}

RotationChart chartOf(const Quat& rotation, const Vec3& velocity, const Vec3& acceleration)
{
    RotationChart chart;
    chart.phi = logRotation(rotation);
    const Mat3 toRate = rightJacobianInverse(chart.phi);
    chart.rate = toRate * velocity;
    // What the acceleration would be at constant rate; it grows with φ″ as the velocity with φ'.
    const Vec3 steady = movingRotation(chart.phi, chart.rate, Vec3::Zero()).acceleration;
    chart.rate2 = toRate * (acceleration - steady);
    return chart;
}

double twistAngle(const Quat& rotation, const Vec3& axis)
{
    double along = rotation.vec().dot(axis);
    double w = rotation.w();
    if (w < 0) {
        along = -along;
        w = -w;
    }
    return 2 * angleOf(along, w);
}

double unwrapAngle(double angle, double near)
{
    return angle + 2 * pi * std::round((near - angle) / (2 * pi));
}

Directors directorsAcross(const Vec3& axis)
{
    // Start from the coordinate axis that is farthest from `axis`.
    int smallest = 0;
    axis.cwiseAbs().minCoeff(&smallest);
    const Vec3 first = axis.cross(Vec3::Unit(smallest)).normalized();
    return {first, axis.cross(first)};
}

}  // namespace sinew
