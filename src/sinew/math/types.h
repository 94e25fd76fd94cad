// The names we use for vectors, matrices and rotations. Everything is double; see docs/architecture.md.
#pragma once

#include <numbers>

#include "sinew/math/matrix.h"
#include "sinew/math/quaternion.h"

namespace sinew {

using Vec2 = Matrix<2, 1>;
using Vec3 = Matrix<3, 1>;
using Vec4 = Matrix<4, 1>;
using Vec6 = Matrix<6, 1>;
using VecX = Matrix<dynamic, 1>;
using Mat2 = Matrix<2, 2>;
using Mat3 = Matrix<3, 3>;
using Mat4 = Matrix<4, 4>;
using Mat6 = Matrix<6, 6>;
using MatX = Matrix<dynamic, dynamic>;
using Quat = Quaternion;  // stored and written as x, y, z, w

inline constexpr double pi = std::numbers::pi;

// The matrix x~ with x~ y = x × y.
inline Mat3 tilde(const Vec3& x)
{
    Mat3 m;
    m << 0, -x.z(), x.y(), x.z(), 0, -x.x(), -x.y(), x.x(), 0;
    return m;
}

// A place and an orientation: X_WB turns points of B into points of W.
struct Pose {
    Vec3 position = Vec3::Zero();
    Quat orientation = Quat::Identity();

    Vec3 operator*(const Vec3& point) const { return position + orientation * point; }
    Pose operator*(const Pose& other) const
    {
        return {position + orientation * other.position, orientation * other.orientation};
    }
    Pose inverse() const
    {
        const Quat back = orientation.conjugate();
        return {-(back * position), back};
    }
};

}  // namespace sinew
