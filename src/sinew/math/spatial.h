// Spatial vectors: what a rigid body does (Motion) and what is done to it (Force), as distinct types
// with named parts. Where six numbers stand in a row the order is linear, angular.
//
// Each value is taken at a stated point in stated axes; the names in the code say which. Moving to
// another point and turning to other axes is done by `Transform`.
#pragma once

#include "sinew/math/types.h"

namespace sinew {

// A velocity or an acceleration.
struct Motion {
    Vec3 linear = Vec3::Zero();
    Vec3 angular = Vec3::Zero();

    Vec6 vector() const { return (Vec6() << linear, angular).finished(); }
    static Motion from(const Vec6& v) { return {v.head<3>(), v.tail<3>()}; }
    Motion operator+(const Motion& o) const { return {linear + o.linear, angular + o.angular}; }
    Motion operator-(const Motion& o) const { return {linear - o.linear, angular - o.angular}; }
    Motion operator*(double s) const { return {linear * s, angular * s}; }
};

// A force and a torque.
struct Force {
    Vec3 force = Vec3::Zero();
    Vec3 torque = Vec3::Zero();

    Vec6 vector() const { return (Vec6() << force, torque).finished(); }
    static Force from(const Vec6& v) { return {v.head<3>(), v.tail<3>()}; }
    Force operator+(const Force& o) const { return {force + o.force, torque + o.torque}; }
    Force operator-(const Force& o) const { return {force - o.force, torque - o.torque}; }
    Force operator-() const { return {-force, -torque}; }
    Force operator*(double s) const { return {force * s, torque * s}; }
    Force& operator+=(const Force& o)
    {
        force += o.force;
        torque += o.torque;
        return *this;
    }
    Force& operator-=(const Force& o)
    {
        force -= o.force;
        torque -= o.torque;
        return *this;
    }
    // The same wrench, with its torque taken about another point: from `here` to `here + offset`.
    Force at(const Vec3& offset) const { return {force, torque - offset.cross(force)}; }
};

inline double power(const Force& f, const Motion& v)
{
    return f.force.dot(v.linear) + f.torque.dot(v.angular);
}

// v × m: how a motion fixed in a moving body changes, seen from outside.
inline Motion cross(const Motion& v, const Motion& m)
{
    return {v.angular.cross(m.linear) + v.linear.cross(m.angular), v.angular.cross(m.angular)};
}
// v ×* f: the same for a force.
inline Force cross(const Motion& v, const Force& f)
{
    return {v.angular.cross(f.force), v.linear.cross(f.force) + v.angular.cross(f.torque)};
}

// Mass, centre of mass and rotational inertia about the centre of mass, in some axes.
struct Inertia {
    double mass = 0;
    Vec3 center = Vec3::Zero();
    Mat3 rotational = Mat3::Zero();  // about the centre of mass

    // The rotational inertia about another point of the same axes (parallel axis).
    Mat3 about(const Vec3& point) const
    {
        const Vec3 d = center - point;
        return rotational + mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
    }
    // The same mass seen from axes in which this one's frame has the given pose.
    Inertia placed(const Pose& pose) const
    {
        const Mat3 R = pose.orientation.toRotationMatrix();
        return {mass, pose * center, R * rotational * R.transpose()};
    }
    // Two bodies welded together.
    Inertia operator+(const Inertia& o) const
    {
        const double m = mass + o.mass;
        if (m == 0) return {};
        Inertia sum{m, (mass * center + o.mass * o.center) / m, Mat3::Zero()};
        sum.rotational = about(sum.center) + o.about(sum.center);
        return sum;
    }
};

// Where a child frame is, seen from its parent: R turns child vectors into parent vectors, r is the
// child's origin in parent axes. In child axes, at the child's origin, a parent's motion is
// `toChild`; a child's force, in parent axes at the parent's origin, is `toParent`.
struct Transform {
    Mat3 R = Mat3::Identity();
    Vec3 r = Vec3::Zero();

    Motion toChild(const Motion& m) const
    {
        return {R.transpose() * (m.linear + m.angular.cross(r)), R.transpose() * m.angular};
    }
    Force toParent(const Force& f) const
    {
        const Vec3 force = R * f.force;
        return {force, R * f.torque + r.cross(force)};
    }
};

}  // namespace sinew
