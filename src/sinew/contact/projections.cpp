#include "sinew/contact/projections.h"

#include <cmath>

namespace sinew {

Vec3 projectOnCone(const Vec3& z, double f, Mat3* derivative)
{
    const double slip = z.tail<2>().norm();
    if (slip <= f * z[0]) {
        if (derivative) derivative->setIdentity();
        return z;
    }
    if (f * slip <= -z[0]) {
        if (derivative) derivative->setZero();
        return Vec3::Zero();
    }
    const Vec3 along = slip > 0 ? Vec3(1, f * z[1] / slip, f * z[2] / slip) : Vec3(1, 0, 0);
    const double a = (z[0] + f * slip) / (1 + f * f);
    if (derivative) {
        *derivative = along * along.transpose() / (1 + f * f);
        if (f > 0) {
            const Vec2 across(-z[2] / slip, z[1] / slip);
            derivative->bottomRightCorner<2, 2>() += f * a / slip * across * across.transpose();
        }
    }
    return a * along;
}

Vec3 projectByNormal(const Vec3& z, double f, Mat3* derivative)
{
    if (derivative) derivative->setZero();
    if (!(z[0] > 0)) return Vec3::Zero();
    const double most = f * z[0], length = z.tail<2>().norm();
    if (f > 0 && length <= most) {
        if (derivative) derivative->setIdentity();
        return z;
    }
    const Vec2 e = length > 0 ? Vec2(z.tail<2>() / length) : Vec2(0, 0);
    if (derivative) {
        (*derivative)(0, 0) = 1;
        derivative->block<2, 1>(1, 0) = f * e;
        if (length > 0)
            derivative->bottomRightCorner<2, 2>() = most / length * (Mat2::Identity() - e * e.transpose());
    }
    return {z[0], most * e[0], most * e[1]};
}

Vec3 projectOnDisc(const Vec3& z, double radius, Mat3* derivative)
{
    const double length = z.norm();
    if (derivative) derivative->setIdentity();
    if (length <= radius) return z;
    const Vec3 e = z / length;
    if (derivative) *derivative = radius / length * (Mat3::Identity() - e * e.transpose());
    return radius * e;
}

}  // namespace sinew
