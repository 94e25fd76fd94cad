// Unit quaternions as rotations: q = (w, v), v = axis · sin(θ/2), w = cos(θ/2).
#pragma once

#include "sinew/math/matrix.h"
#include "sinew/math/trigonometry.h"

namespace sinew {

class Quaternion {
public:
    Quaternion() = default;  // unset
    Quaternion(double w, double x, double y, double z) : coeffs_(x, y, z, w) {}
    // x, y, z, w: the order in which it is stored and written.
    explicit Quaternion(const Matrix<4, 1>& xyzw) : coeffs_(xyzw) {}
    // Of a rotation matrix.
    explicit Quaternion(const Matrix<3, 3>& R);
    static Quaternion Identity() { return {1, 0, 0, 0}; }

    double& x() { return coeffs_[0]; }
    double& y() { return coeffs_[1]; }
    double& z() { return coeffs_[2]; }
    double& w() { return coeffs_[3]; }
    double x() const { return coeffs_[0]; }
    double y() const { return coeffs_[1]; }
    double z() const { return coeffs_[2]; }
    double w() const { return coeffs_[3]; }
    Matrix<4, 1>& coeffs() { return coeffs_; }
    const Matrix<4, 1>& coeffs() const { return coeffs_; }
    auto vec() { return coeffs_.head<3>(); }
    auto vec() const { return coeffs_.head<3>(); }

    double dot(const Quaternion& o) const { return coeffs_.dot(o.coeffs_); }
    double squaredNorm() const { return coeffs_.squaredNorm(); }
    double norm() const { return coeffs_.norm(); }
    void normalize() { coeffs_.normalize(); }
    Quaternion normalized() const { return Quaternion(coeffs_.normalized()); }
    Quaternion& setIdentity() { return *this = Identity(); }
    Quaternion conjugate() const { return {w(), -x(), -y(), -z()}; }
    Quaternion inverse() const
    {
        const double square = squaredNorm();
        return {w() / square, -x() / square, -y() / square, -z() / square};
    }
    bool operator==(const Quaternion& o) const { return coeffs_ == o.coeffs_; }
    bool isApprox(const Quaternion& o, double tolerance = 1e-12) const
    {
        return coeffs_.isApprox(o.coeffs_, tolerance);
    }

    // First the right one.
    Quaternion operator*(const Quaternion& b) const
    {
        const Quaternion& a = *this;
        return {a.w() * b.w() - a.x() * b.x() - a.y() * b.y() - a.z() * b.z(),
                a.w() * b.x() + a.x() * b.w() + a.y() * b.z() - a.z() * b.y(),
                a.w() * b.y() + a.y() * b.w() + a.z() * b.x() - a.x() * b.z(),
                a.w() * b.z() + a.z() * b.w() + a.x() * b.y() - a.y() * b.x()};
    }
    Quaternion& operator*=(const Quaternion& b) { return *this = *this * b; }
    // v + 2 w (u × v) + 2 u × (u × v), u the vector part.
    Matrix<3, 1> operator*(const Matrix<3, 1>& v) const
    {
        const Matrix<3, 1> u(x(), y(), z());
        Matrix<3, 1> across = u.cross(v);
        across += across;
        return v + w() * across + u.cross(across);
    }
    Matrix<3, 3> toRotationMatrix() const
    {
        const double tx = 2 * x(), ty = 2 * y(), tz = 2 * z();
        const double twx = tx * w(), twy = ty * w(), twz = tz * w();
        const double txx = tx * x(), txy = ty * x(), txz = tz * x();
        const double tyy = ty * y(), tyz = tz * y(), tzz = tz * z();
        Matrix<3, 3> R;
        R << 1 - (tyy + tzz), txy - twz, txz + twy,  //
            txy + twz, 1 - (txx + tzz), tyz - twx,   //
            txz - twy, tyz + twx, 1 - (txx + tyy);
        return R;
    }
    // In rad, at most π.
    double angularDistance(const Quaternion& o) const
    {
        const Quaternion d = *this * o.conjugate();
        return 2 * angleOf(std::sqrt(d.x() * d.x() + d.y() * d.y() + d.z() * d.z()), std::abs(d.w()));
    }
    // From this one (t = 0) to the other (t = 1) at an even rate, the shorter way.
    Quaternion slerp(double t, const Quaternion& o) const;

private:
    Matrix<4, 1> coeffs_;
};

// A rotation by an angle about a unit axis.
struct AngleAxis {
    double angle = 0;
    Matrix<3, 1> axis = Matrix<3, 1>::UnitX();

    operator Quaternion() const
    {
        const SineCosine half = sineAndCosine(angle / 2);
        const Matrix<3, 1> v = half.sine * axis;
        return {half.cosine, v.x(), v.y(), v.z()};
    }
    Quaternion operator*(const Quaternion& q) const { return Quaternion(*this) * q; }
    Quaternion operator*(const AngleAxis& o) const { return Quaternion(*this) * Quaternion(o); }
    Matrix<3, 1> operator*(const Matrix<3, 1>& v) const { return Quaternion(*this) * v; }
    Matrix<3, 3> toRotationMatrix() const { return Quaternion(*this).toRotationMatrix(); }
};

}  // namespace sinew
