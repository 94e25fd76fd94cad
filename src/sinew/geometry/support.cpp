#include "sinew/geometry/support.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

bool isRound(const Ellipsoid& s)
{
    return s.radii.x() == s.radii.y() && s.radii.y() == s.radii.z();
}

double withSign(double size, double sign)
{
    return sign < 0 ? -size : size;
}

Vec3 supportOf(const Sphere&, const Vec3&)
{
    return Vec3::Zero();
}

Vec3 supportOf(const Box& s, const Vec3& d)
{
    return 0.5 *
           Vec3(withSign(s.size.x(), d.x()), withSign(s.size.y(), d.y()), withSign(s.size.z(), d.z()));
}

Vec3 supportOf(const Capsule& s, const Vec3& d)
{
    return {0, withSign(0.5 * s.length, d.y()), 0};
}

Vec3 supportOf(const Cylinder& s, const Vec3& d)
{
    const double across = std::sqrt(d.x() * d.x() + d.z() * d.z());
    const double scale = across > 0 ? s.radius / across : 0;  // along the axis: the middle of the lid
    return {scale * d.x(), withSign(0.5 * s.length, d.y()), scale * d.z()};
}

Vec3 supportOf(const Ellipsoid& s, const Vec3& d)
{
    if (isRound(s)) return Vec3::Zero();
    const Vec3 stretched = s.radii.cwiseProduct(d);
    const double length = stretched.norm();
    return length > 0 ? Vec3(s.radii.cwiseProduct(stretched) / length) : Vec3(s.radii.x(), 0, 0);
}

Vec3 supportOf(const ConvexMesh& s, const Vec3& d)
{
    const Vec3* best = &s.vertices[0];
    double most = best->dot(d);
    for (const Vec3& vertex : s.vertices)
        if (const double here = vertex.dot(d); here > most) {
            most = here;
            best = &vertex;
        }
    return *best;
}

double reach(const Sphere& s)
{
    return s.radius;
}
double reach(const Box& s)
{
    return 0.5 * s.size.norm();
}
double reach(const Capsule& s)
{
    return s.radius + 0.5 * s.length;
}
double reach(const Cylinder& s)
{
    return std::sqrt(s.radius * s.radius + 0.25 * s.length * s.length);
}
double reach(const Ellipsoid& s)
{
    return s.radii.maxCoeff();
}
double reach(const ConvexMesh& s)
{
    double most = 0;
    for (const Vec3& vertex : s.vertices) most = std::max(most, vertex.norm());
    return most;
}

}  // namespace

Vec3 coreSupport(const Shape& shape, const Vec3& direction)
{
    return std::visit([&](const auto& s) { return supportOf(s, direction); }, shape);
}

double coreMargin(const Shape& shape)
{
    if (const auto* sphere = std::get_if<Sphere>(&shape)) return sphere->radius;
    if (const auto* capsule = std::get_if<Capsule>(&shape)) return capsule->radius;
    if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape); ellipsoid && isRound(*ellipsoid))
        return ellipsoid->radii.x();
    return 0;
}

double reachOf(const Shape& shape)
{
    return std::visit([](const auto& s) { return reach(s); }, shape);
}

double leastWidth(const Shape& shape)
{
    double least = HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        const Vec3 axis = Vec3::Unit(k);
        const double width = (coreSupport(shape, axis) - coreSupport(shape, -axis)).dot(axis);
        least = std::min(least, width + 2 * coreMargin(shape));
    }
    return least;
}

CoreDifference::CoreDifference(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB)
    : a_(a),
      b_(b),
      R_WA_(poseA.orientation.toRotationMatrix()),
      R_WB_(poseB.orientation.toRotationMatrix()),
      offset_(poseB.position - poseA.position)
{
}

DifferencePoint CoreDifference::support(const Vec3& direction) const
{
    return {R_WA_ * coreSupport(a_, R_WA_.transpose() * direction),
            offset_ + R_WB_ * coreSupport(b_, -(R_WB_.transpose() * direction))};
}

}  // namespace sinew
