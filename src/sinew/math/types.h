// The names we use for Eigen's types. Everything is double; see docs/architecture.md.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <numbers>

namespace sinew {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;  // stored and written as x, y, z, w
using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;
using VecX = Eigen::VectorXd;
using MatX = Eigen::MatrixXd;

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
