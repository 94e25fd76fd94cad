#include "sinew/geometry/point_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {
namespace {

PointDistance along(const Vec3& way, double radius, const Vec3& fallback)
{
    const double length = way.norm();
    return {length - radius, length > 0 ? Vec3(way / length) : fallback};
}

// Nearest point of a triangle (C. Ericson, Real-Time Collision Detection, 5.1.5, by regions of its corners
// and edges).
Vec3 nearestOfTriangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c)
{
    const Vec3 ab = b - a, ac = c - a, ap = p - a;
    const double d1 = ab.dot(ap), d2 = ac.dot(ap);
    if (d1 <= 0 && d2 <= 0) return a;
    const Vec3 bp = p - b;
    const double d3 = ab.dot(bp), d4 = ac.dot(bp);
    if (d3 >= 0 && d4 <= d3) return b;
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return a + d1 / (d1 - d3) * ab;
    const Vec3 cp = p - c;
    const double d5 = ab.dot(cp), d6 = ac.dot(cp);
    if (d6 >= 0 && d5 <= d6) return c;
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return a + d2 / (d2 - d6) * ac;
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * Vec3(c - b);
    const double sum = va + vb + vc;
    return a + vb / sum * ab + vc / sum * ac;
}

struct PointToShape {
    const Vec3& p;

    PointDistance operator()(const Sphere& s) const { return along(p, s.radius, Vec3::UnitY()); }
    PointDistance operator()(const Box& box) const
    {
        const Vec3 half = 0.5 * box.size;
        Vec3 beyond;
        int nearest = 0;
        double depth = -std::numeric_limits<double>::infinity();
        bool outside = false;
        for (int i = 0; i < 3; ++i) {
            const double over = std::fabs(p[i]) - half[i];
            beyond[i] = over > 0 ? std::copysign(over, p[i]) : 0;
            outside = outside || over > 0;
            if (over > depth) {
                depth = over;
                nearest = i;
            }
        }
        if (outside) return along(beyond, 0, Vec3::UnitY());
        Vec3 normal = Vec3::Zero();
        normal[nearest] = std::copysign(1.0, p[nearest]);
        return {depth, normal};
    }
    PointDistance operator()(const Capsule& c) const
    {
        const double y = std::clamp(p.y(), -0.5 * c.length, 0.5 * c.length);
        return along(p - Vec3(0, y, 0), c.radius, Vec3::UnitX());
    }
    PointDistance operator()(const Cylinder& c) const
    {
        const double radial = std::sqrt(p.x() * p.x() + p.z() * p.z());
        const Vec3 out = radial > 0 ? Vec3(p.x() / radial, 0, p.z() / radial) : Vec3::UnitX();
        const Vec3 up(0, p.y() < 0 ? -1 : 1, 0);
        const double side = radial - c.radius, end = std::fabs(p.y()) - 0.5 * c.length;
        if (side > 0 && end > 0) return along(side * out + end * up, 0, out);
        return side > end ? PointDistance{side, out} : PointDistance{end, up};
    }
    // The nearest point is x_i = r_i² p_i / (r_i² + t), where t is the largest root of
    // Σ (r_i p_i / (r_i² + t))² = 1, which falls and is convex there: Newton from the left stays on its
    // side (D. Eberly, Distance from a Point to an Ellipsoid).
    PointDistance operator()(const Ellipsoid& e) const
    {
        const Vec3& r = e.radii;
        int thin = 0;
        const double least = r.minCoeff(&thin);
        double t = -std::numeric_limits<double>::infinity();
        for (int i = 0; i < 3; ++i) t = std::max(t, r[i] * std::fabs(p[i]) - r[i] * r[i]);
        // At the centre, or on the middle plane across the thinnest axis near it, straight out along that
        // axis.
        const double lowest = -least * least;
        Vec3 nearest;
        const auto sumAt = [&](double at, double* slope) {
            double sum = 0;
            *slope = 0;
            for (int i = 0; i < 3; ++i) {
                const double d = r[i] * r[i] + at, q = r[i] * p[i] / d;
                if (p[i] == 0) continue;
                sum += q * q;
                *slope -= 2 * q * q / d;
            }
            return sum - 1;
        };
        if (!(t > lowest)) {
            nearest = Vec3::Zero();
            nearest[thin] = least;
            // Other coordinates that are not zero: their part at t = lowest.
            double rest = 1;
            for (int i = 0; i < 3; ++i) {
                if (i == thin || p[i] == 0) continue;
                nearest[i] = r[i] * r[i] * p[i] / (r[i] * r[i] + lowest);
                rest -= nearest[i] * nearest[i] / (r[i] * r[i]);
            }
            nearest[thin] = std::copysign(least * std::sqrt(std::max(0.0, rest)), p[thin]);
        } else {
            for (int i = 0; i < 60; ++i) {
                double slope = 0;
                const double value = sumAt(t, &slope);
                const double change = slope != 0 ? value / slope : 0;
                t -= change;
                if (!(std::fabs(change) > 1e-15 * (std::fabs(t) + least * least))) break;
            }
            for (int i = 0; i < 3; ++i) nearest[i] = r[i] * r[i] * p[i] / (r[i] * r[i] + t);
        }
        Vec3 normal;
        for (int i = 0; i < 3; ++i) normal[i] = nearest[i] / (r[i] * r[i]);
        normal.normalize();
        return {normal.dot(p - nearest), normal};
    }
    PointDistance operator()(const ConvexMesh& mesh) const
    {
        PointDistance inside{-std::numeric_limits<double>::infinity(), Vec3::UnitY()};
        for (const auto& face : mesh.faces) {
            const Vec3 &a = mesh.vertices[face[0]], &b = mesh.vertices[face[1]],
                       &c = mesh.vertices[face[2]];
            const Vec3 normal = (b - a).cross(c - a).normalized();
            const double height = normal.dot(p - a);
            if (height > inside.distance) inside = {height, normal};
        }
        if (inside.distance <= 0) return inside;
        double best = std::numeric_limits<double>::infinity();
        Vec3 way = inside.normal;
        for (const auto& face : mesh.faces) {
            const Vec3 from = p - nearestOfTriangle(p, mesh.vertices[face[0]], mesh.vertices[face[1]],
                                                    mesh.vertices[face[2]]);
            const double squared = from.squaredNorm();
            if (squared < best) {
                best = squared;
                way = from;
            }
        }
        return along(way, 0, inside.normal);
    }
};

struct PointToTerrain {
    const Vec3& p;
    double reach;

    PointDistance operator()(const HalfSpace& half) const
    {
        return {half.normal.dot(p) - half.offset, half.normal};
    }
    // Along the normal of the triangle that is above or below the point, which is the nearest one as long
    // as the point is near.
    PointDistance operator()(const HeightField& field) const
    {
        const double x = std::clamp(p.x() / field.spacing, 0.0, field.columns - 1.0);
        const double z = std::clamp(p.z() / field.spacing, 0.0, field.rows - 1.0);
        const int i = std::min(static_cast<int>(x), field.columns - 2);
        const int k = std::min(static_cast<int>(z), field.rows - 2);
        const auto height = [&](int di, int dk) {
            return field.heights[static_cast<std::size_t>(k + dk) * field.columns + i + di];
        };
        const double fx = x - i, fz = z - k;
        const double h00 = height(0, 0), h10 = height(1, 0), h01 = height(0, 1), h11 = height(1, 1);
        double dx, dz, ground;
        if (fx + fz <= 1) {
            dx = h10 - h00;
            dz = h01 - h00;
            ground = h00 + dx * fx + dz * fz;
        } else {
            dx = h11 - h01;
            dz = h11 - h10;
            ground = h11 - dx * (1 - fx) - dz * (1 - fz);
        }
        const Vec3 normal = Vec3(-dx / field.spacing, 1, -dz / field.spacing).normalized();
        return {(p.y() - ground) * normal.y(), normal};
    }
    PointDistance operator()(const TriangleMesh& mesh) const
    {
        double best = std::numeric_limits<double>::infinity();
        PointDistance result{best, Vec3::UnitY()};
        for (const auto& face : mesh.faces) {
            const Vec3 &a = mesh.vertices[face[0]], &b = mesh.vertices[face[1]],
                       &c = mesh.vertices[face[2]];
            const Vec3 from = p - nearestOfTriangle(p, a, b, c);
            const double squared = from.squaredNorm();
            if (!(squared < best)) continue;
            best = squared;
            const Vec3 normal = (b - a).cross(c - a).normalized();
            const double length = std::sqrt(squared), height = normal.dot(from);
            if (height >= 0)
                result = {length, length > 0 ? Vec3(from / length) : normal};
            else
                result = {length <= reach ? -length : length,
                          length <= reach ? normal : Vec3(from / length)};
        }
        return result;
    }
};

}  // namespace

PointDistance distanceTo(const Shape& shape, const Vec3& point)
{
    return std::visit(PointToShape{point}, shape);
}

PointDistance distanceTo(const Terrain& terrain, const Vec3& point, double reach)
{
    return std::visit(PointToTerrain{point, reach}, terrain);
}

}  // namespace sinew
