// The convex hull by gift wrapping, in five steps:
//
//     1. V₁: the highest point.
//     2. The point V₂ whose direction from V₁ makes the least angle with the horizontal plane; L = V₁V₂.
//     3. The plane of L and the horizontal line across L at V₁. No point is above it.
//     4. Turn this plane about L until it meets a point: a face of the hull.
//     5. Turn the plane of a face about each of its edges that has no face on its other side yet.
//
// All points in the plane found, within ε, become one face: their hull in that plane, cut into triangles.
// So four points in a plane, as on a box, are one face and not two that disagree on a diagonal.
//
//     Chand and Kapur, "An algorithm for convex polytopes", 1970
#include <algorithm>
#include <map>

#include "sinew/geometry/bounding_volume.h"
#include "sinew/geometry/mass.h"
#include "sinew/geometry/point_faults.h"
#include "sinew/geometry/scaled_points.h"

namespace sinew {
namespace {

using Points = std::vector<Vec3>;
using Triangle = std::array<int, 3>;
using Polygon = std::vector<int>;  // counter-clockwise from outside

// ε in units of the extent. Points nearer than this are one; this far from a plane they are in it.
constexpr double epsilon = 1e-9;
// What may stick out of a thin triangle's plane, in units of ε.
constexpr double wrapSlack = 10;

// One index for each place.
std::vector<int> distinctPoints(const Points& p)
{
    std::vector<int> kept;
    for (int i = 0; i < static_cast<int>(p.size()); ++i)
        if (std::none_of(kept.begin(), kept.end(), [&](int k) { return (p[k] - p[i]).norm() <= epsilon; }))
            kept.push_back(i);
    return kept;
}

struct WrapPlane {
    Vec3 point, normal;  // outwards

    double below(const Vec3& p) const { return normal.dot(point - p); }
};

// The plane through the edge `from` → `along` and the point that it meets first when it turns about this
// edge. `ahead`: where in the old plane the new face is to be looked for. False if all points are on the
// edge.
bool turn(const Points& p, const std::vector<int>& indices, const Vec3& along, const Vec3& ahead,
          WrapPlane& plane)
{
    // A point is seen at (x, y) in the plane across the edge, and y ≥ 0: the one of least angle is the one
    // that has all others on its left.
    double x = 0, y = 0;
    bool found = false;
    for (int i : indices) {
        const Vec3 offset = p[i] - plane.point;
        const double xi = ahead.dot(offset), yi = std::max(0., plane.below(p[i]));
        if (xi * xi + yi * yi <= epsilon * epsilon) continue;  // on the edge
        // Straight ahead and straight behind are on one line; ahead is the least angle, behind the
        // greatest.
        const double left = xi * y - yi * x;
        if (!found || left > 0 || (left == 0 && xi > 0 && x < 0)) {
            x = xi;
            y = yi;
            found = true;
        }
    }
    if (!found) return false;
    const Vec3 direction = (x * ahead - y * plane.normal).normalized();
    plane.normal = along.cross(direction).normalized();
    return true;
}

// The corners of the hull of those points that are in the plane: the same idea with one dimension less,
// from a corner on to the point that has no other on its right, until the first comes round again.
Polygon faceIn(const Points& p, const std::vector<int>& indices, const WrapPlane& plane)
{
    std::vector<int> inPlane;
    for (int i : indices)
        if (plane.below(p[i]) <= epsilon) inPlane.push_back(i);
    int current = inPlane[0];  // the farthest out is a corner
    for (int i : inPlane)
        if (p[i].squaredNorm() > p[current].squaredNorm()) current = i;
    Polygon corners;
    while (corners.size() <= inPlane.size()) {
        corners.push_back(current);
        int next = current;
        for (int i : inPlane) {
            if (i == current) continue;
            const Vec3 u = p[next] - p[current], v = p[i] - p[current];
            const double left = plane.normal.dot(u.cross(v)), tolerance = epsilon * v.norm();
            const bool isFarther = std::abs(left) <= tolerance && v.squaredNorm() > u.squaredNorm();
            if (next == current || left < -tolerance || isFarther) next = i;
        }
        current = next;
        if (current == corners[0]) return corners;
    }
    return {};  // rounding led it astray
}

class Wrapping {
public:
    explicit Wrapping(const Points& points) : p_(points), indices_(distinctPoints(points)) {}

    Result<std::vector<Triangle>> wrap()
    {
        if (indices_.size() < 2) return noHull("all points coincide");
        // 1. Of equally high ones that farthest out, which is a corner.
        int first = indices_[0];
        for (int i : indices_) {
            const double higher = p_[i].y() - p_[first].y();
            if (higher > 0 || (higher == 0 && p_[i].squaredNorm() > p_[first].squaredNorm())) first = i;
        }
        // 2.
        Vec3 along = Vec3::Zero();
        for (int i : indices_) {
            if (i == first) continue;
            const Vec3 direction = (p_[i] - p_[first]).normalized();
            if (along.isZero(0) || direction.y() > along.y()) along = direction;
        }
        // 3. Where L is vertical, all points are on it and any horizontal line will do.
        Vec3 across = Vec3::UnitY().cross(along);
        if (across.norm() <= epsilon) across = Vec3::UnitX();
        across.normalize();
        WrapPlane plane{p_[first], along.cross(across).normalized()};
        // 4.
        if (!turn(p_, indices_, along, plane.normal.cross(along), plane))
            return noHull("all points are on one line");
        if (std::all_of(indices_.begin(), indices_.end(),
                        [&](int i) { return std::abs(plane.below(p_[i])) <= epsilon; }))
            return noHull("all points are in one plane");
        bool isWhole = add(faceIn(p_, indices_, plane));
        // 5. Faces come in at the end; a closed surface has no more edges than 3 n.
        for (std::size_t i = 0; isWhole && i < faces_.size(); ++i)
            for (std::size_t k = 0; isWhole && k < faces_[i].size(); ++k)
                isWhole = match(faces_[i][k], faces_[i][(k + 1) % faces_[i].size()], normals_[i]);
        if (!isWhole) return noHull("the points are too close to a plane or to each other");
        return triangles();
    }

private:
    // False if the face or one of its edges cannot be: rounding got in the way.
    bool add(const Polygon& face)
    {
        if (face.size() < 3) return false;
        const Vec3 &a = p_[face[0]], &b = p_[face[1]], &c = p_[face[2]];
        faces_.push_back(face);
        normals_.push_back((b - a).cross(c - a).normalized());
        for (std::size_t k = 0; k < face.size(); ++k)
            if (!owner_.emplace(std::pair(face[k], face[(k + 1) % face.size()]), faces_.size() - 1).second)
                return false;
        return true;
    }

    // Finds the face on the other side of an edge, if there is none yet.
    bool match(int from, int to, const Vec3& normal)
    {
        if (owner_.contains({to, from})) return true;
        const Vec3 along = (p_[from] - p_[to]).normalized();  // as the new face runs
        WrapPlane plane{p_[from], normal};
        if (!turn(p_, indices_, along, plane.normal.cross(along), plane)) return false;
        return add(faceIn(p_, indices_, plane)) && owner_.contains({to, from});
    }

    std::vector<Triangle> triangles() const
    {
        std::vector<Triangle> result;
        for (const Polygon& face : faces_)
            for (std::size_t k = 2; k < face.size(); ++k) result.push_back({face[0], face[k - 1], face[k]});
        return result;
    }

    const Points& p_;
    std::vector<int> indices_;
    std::vector<Polygon> faces_;
    std::vector<Vec3> normals_;
    std::map<std::pair<int, int>, std::size_t> owner_;  // which face runs along an edge
};

}  // namespace

Result<std::vector<Triangle>> giftWrappedHull(const Points& points)
{
    if (const auto fault = notFinite(points)) return *fault;
    if (points.size() < 4) return noHull("there are " + std::to_string(points.size()) + " points");
    const Points p = scaledPoints(points);
    Result<std::vector<Triangle>> faces = Wrapping(p).wrap();
    if (faces && convexMeshFault(p, faces.value(), wrapSlack * epsilon))
        return noHull("the points are too close to a plane or to each other");
    return faces;
}

}  // namespace sinew
