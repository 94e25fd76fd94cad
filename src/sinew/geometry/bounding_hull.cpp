// The convex hull as a bounding volume.
//
// Whether two hulls overlap is asked of their difference A − B = {a − b}: they do if it holds the origin.
// Its point v nearest to the origin is approached by simplices of its corners (Gilbert, Johnson and Keerthi
// 1988; simplex.h). A corner w farthest against v with v · w > 0 proves that a plane across v parts the
// hulls: only that proof rejects a pair, so that rounding can keep a pair too many but never lose one. The
// distance (distance.h) is not asked for.
#include <algorithm>

#include "sinew/geometry/bounding_volume.h"
#include "sinew/geometry/mass.h"
#include "sinew/geometry/simplex.h"

namespace sinew {
namespace {

// A gap below this part of the hulls' size and distance counts as touchingHulls.
constexpr double touchingHulls = 1e-13;
// Far more than it takes (about ten); a pair that is not decided by then touches as well as not.
constexpr int mostCorners = 100;

const Vec3& farthestAlong(const std::vector<Vec3>& corners, const Vec3& direction)
{
    const Vec3* best = &corners[0];
    double most = direction.dot(*best);
    for (const Vec3& p : corners)
        if (const double along = direction.dot(p); along > most) {
            most = along;
            best = &p;
        }
    return *best;
}

}  // namespace

Result<BoundingHull> boundingHull(const std::vector<Vec3>& points)
{
    const auto faces = convexHull(points);
    if (!faces) return faces.error();
    BoundingHull hull;
    std::vector<int> index(points.size(), -1);
    for (const auto& face : faces.value()) {
        std::array<int, 3> renamed;
        for (int k = 0; k < 3; ++k) {
            int& corner = index[face[k]];
            if (corner < 0) {
                corner = static_cast<int>(hull.corners.size());
                hull.corners.push_back(points[face[k]]);
            }
            renamed[k] = corner;
        }
        hull.faces.push_back(renamed);
    }
    for (const auto& f : hull.faces) {
        const Vec3& a = hull.corners[f[0]];
        const Vec3 normal = (hull.corners[f[1]] - a).cross(hull.corners[f[2]] - a).normalized();
        // As far out as the outermost of all points, so that none is lost to rounding.
        hull.planes.push_back({normal, normal.dot(farthestAlong(points, normal))});
    }
    return hull;
}

bool contains(const BoundingHull& hull, const Vec3& point)
{
    for (const BoundingHull::Plane& plane : hull.planes)
        if (!(plane.normal.dot(point) <= plane.offset)) return false;
    return true;
}

bool overlaps(const BoundingHull& a, const Pose& poseA, const BoundingHull& b, const Pose& poseB)
{
    const Pose pose = poseA.inverse() * poseB;  // b's place in a
    const Mat3 R = pose.orientation.toRotationMatrix();
    const auto differenceAgainst = [&](const Vec3& v) -> DifferencePoint {
        return {farthestAlong(a.corners, -v),
                pose.position + R * farthestAlong(b.corners, R.transpose() * v)};
    };
    Simplex simplex;
    addPoint(simplex, differenceAgainst(Vec3::UnitX()));
    double size = simplex.nearest.norm();
    for (int round = 0; round < mostCorners; ++round) {
        const Vec3 v = simplex.nearest;
        const double length = v.norm();
        if (simplex.holdsOrigin || length <= touchingHulls * size) return true;
        const DifferencePoint corner = differenceAgainst(v);
        const Vec3 w = corner.value();
        size = std::max(size, w.norm());
        if (v.dot(w) > touchingHulls * size * length) return false;
        addPoint(simplex, corner);
        if (!(simplex.nearest.norm() < length)) return true;  // rounding: as near as it gets
    }
    return true;
}

double volume(const BoundingHull& hull)
{
    return meshInertia(hull.corners, hull.faces).mass;
}

}  // namespace sinew
