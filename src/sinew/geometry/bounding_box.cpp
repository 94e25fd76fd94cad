// Boxes, along the axes and oriented.
//
// A shape's box is exact because the farthest point of a shape in a direction is known in closed form: with
// row i of the rotation, (Rᵢ₀, Rᵢ₁, Rᵢ₂), a shape reaches to ±reachᵢ about its origin along axis i,
//     sphere r;  box ½ Σ |Rᵢⱼ| sizeⱼ;  capsule ½ L |Rᵢ₁| + r;  cylinder ½ L |Rᵢ₁| + r √(Rᵢ₀² + Rᵢ₂²);
//     ellipsoid √(Σ (Rᵢⱼ rⱼ)²);  a mesh as its vertices do.
//
// Oriented boxes are apart if their shadows on one of 15 lines are: the three axes of each, and the nine
// lines across one axis of each (Gottschalk, Lin and Manocha, "OBBTree", 1996).
#include <cmath>

#include "sinew/geometry/bounding_volume.h"
#include "sinew/geometry/mass.h"
#include "sinew/geometry/point_faults.h"
#include "sinew/math/symmetric_eigen.h"

namespace sinew {
namespace {

using Points = std::vector<Vec3>;

BoundingBox boxOf(const Points& points, const Pose& pose)
{
    const Mat3 R = pose.orientation.toRotationMatrix();
    BoundingBox box;
    box.low = box.high = pose.position + R * points[0];
    for (const Vec3& p : points) {
        const Vec3 placed = pose.position + R * p;
        box.low = box.low.cwiseMin(placed);
        box.high = box.high.cwiseMax(placed);
    }
    return box;
}

BoundingBox boxAbout(const Pose& pose, const Vec3& reach)
{
    return {pose.position - reach, pose.position + reach};
}

BoundingBox placedBox(const Sphere& s, const Pose& pose)
{
    return boxAbout(pose, Vec3::Constant(s.radius));
}

BoundingBox placedBox(const Box& s, const Pose& pose)
{
    return boxAbout(pose, pose.orientation.toRotationMatrix().cwiseAbs() * (0.5 * s.size));
}

BoundingBox placedBox(const Capsule& s, const Pose& pose)
{
    const Vec3 axis = pose.orientation.toRotationMatrix().col(1);
    return boxAbout(pose, 0.5 * s.length * axis.cwiseAbs() + Vec3::Constant(s.radius));
}

BoundingBox placedBox(const Cylinder& s, const Pose& pose)
{
    const Mat3 R = pose.orientation.toRotationMatrix();
    const Vec3 across = (R.col(0).cwiseAbs2() + R.col(2).cwiseAbs2()).cwiseSqrt();
    return boxAbout(pose, 0.5 * s.length * R.col(1).cwiseAbs() + s.radius * across);
}

BoundingBox placedBox(const Ellipsoid& s, const Pose& pose)
{
    const Mat3 scaled = pose.orientation.toRotationMatrix() * s.radii.asDiagonal();
    return boxAbout(pose, scaled.rowwise().norm());
}

BoundingBox placedBox(const ConvexMesh& s, const Pose& pose)
{
    SINEW_ASSERT(!s.vertices.empty());  // the shape is checked
    return boxOf(s.vertices, pose);
}

// The axes about which a second moment is extreme, as a rotation.
Mat3 principalAxes(const Mat3& moments)
{
    Mat3 axes = SymmetricEigen3(moments).eigenvectors();
    if (axes.determinant() < 0) axes.col(2) = -axes.col(2);
    return axes;
}

// Second moments of the points themselves.
Mat3 scatter(const Points& points)
{
    Vec3 mean = Vec3::Zero();
    for (const Vec3& p : points) mean += p / static_cast<double>(points.size());
    Mat3 sum = Mat3::Zero();
    for (const Vec3& p : points) sum += (p - mean) * (p - mean).transpose();
    return sum;
}

OrientedBox boxAlong(const Mat3& axes, const Points& points)
{
    Vec3 low = axes.transpose() * points[0], high = low;
    for (const Vec3& p : points) {
        const Vec3 q = axes.transpose() * p;
        low = low.cwiseMin(q);
        high = high.cwiseMax(q);
    }
    OrientedBox box{axes * (0.5 * low + 0.5 * high), axes, Vec3::Zero()};
    // Measured as `contains` measures, so that no point is lost to rounding.
    for (const Vec3& p : points)
        box.half = box.half.cwiseMax((axes.transpose() * (p - box.center)).cwiseAbs());
    return box;
}

// Of flat boxes the volume says nothing, the surface does.
bool isSmaller(const OrientedBox& a, const OrientedBox& b)
{
    const double va = volume(a), vb = volume(b);
    if (va != vb) return va < vb;
    const auto sides = [](const Vec3& h) { return h.x() * h.y() + h.y() * h.z() + h.z() * h.x(); };
    return sides(a.half) < sides(b.half);
}

}  // namespace

Result<BoundingBox> boundingBox(const Points& points, const Pose& pose)
{
    if (const auto fault = nothingToBound(points)) return *fault;
    return boxOf(points, pose);
}

BoundingBox boundingBox(const Shape& shape, const Pose& pose)
{
    return std::visit([&](const auto& s) { return placedBox(s, pose); }, shape);
}

bool contains(const BoundingBox& box, const Vec3& point)
{
    return (box.low.array() <= point.array()).all() && (point.array() <= box.high.array()).all();
}

bool contains(const BoundingBox& outer, const BoundingBox& inner)
{
    return contains(outer, inner.low) && contains(outer, inner.high);
}

bool overlaps(const BoundingBox& a, const BoundingBox& b)
{
    return a.low.x() <= b.high.x() && b.low.x() <= a.high.x() && a.low.y() <= b.high.y() &&
           b.low.y() <= a.high.y() && a.low.z() <= b.high.z() && b.low.z() <= a.high.z();
}

double volume(const BoundingBox& box)
{
    return (box.high - box.low).prod();
}

double surface(const BoundingBox& box)
{
    const Vec3 e = box.high - box.low;
    return 2 * (e.x() * e.y() + e.y() * e.z() + e.z() * e.x());
}

BoundingBox joined(const BoundingBox& a, const BoundingBox& b)
{
    return {a.low.cwiseMin(b.low), a.high.cwiseMax(b.high)};
}

Result<OrientedBox> orientedBox(const Points& points)
{
    if (const auto fault = nothingToBound(points)) return *fault;
    const auto faces = convexHull(points);
    const Mat3 moments = faces ? meshInertia(points, faces.value()).rotational : scatter(points);
    const OrientedBox straight = boxAlong(Mat3::Identity(), points);
    if (!moments.allFinite()) return straight;  // sizes whose products overflow
    const OrientedBox principal = boxAlong(principalAxes(moments), points);
    return isSmaller(principal, straight) ? principal : straight;
}

bool contains(const OrientedBox& box, const Vec3& point)
{
    const Vec3 local = (box.axes.transpose() * (point - box.center)).cwiseAbs();
    return (local.array() <= box.half.array()).all();
}

bool overlaps(const OrientedBox& a, const OrientedBox& b)
{
    // Added to the cosines: where an axis of a is parallel to one of b, the line across both is nothing but
    // rounding and must not tell them apart.
    constexpr double parallel = 1e-12;
    const Mat3 R = a.axes.transpose() * b.axes;  // b's axes in a's
    const Vec3 t = a.axes.transpose() * (b.center - a.center);
    const Mat3 S = R.cwiseAbs() + Mat3::Constant(parallel);
    for (int i = 0; i < 3; ++i)
        if (std::abs(t[i]) > a.half[i] + S.row(i).dot(b.half)) return false;
    for (int j = 0; j < 3; ++j)
        if (std::abs(t.dot(R.col(j))) > b.half[j] + S.col(j).dot(a.half)) return false;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const double reach = a.half[i1] * S(i2, j) + a.half[i2] * S(i1, j) + b.half[j1] * S(i, j2) +
                                 b.half[j2] * S(i, j1);
            if (std::abs(t[i2] * R(i1, j) - t[i1] * R(i2, j)) > reach) return false;
        }
    return true;
}

double volume(const OrientedBox& box)
{
    return 8 * box.half.prod();
}

OrientedBox moved(const Pose& pose, const OrientedBox& box)
{
    const Mat3 R = pose.orientation.toRotationMatrix();
    return {pose.position + R * box.center, R * box.axes, box.half};
}

}  // namespace sinew
