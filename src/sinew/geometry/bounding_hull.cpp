// The convex hull as a bounding volume.
//
// Whether two hulls overlap is asked of their difference A − B = {a − b}: they do if it holds the origin.
// Its point v nearest to the origin is approached by simplices of its corners (Gilbert, Johnson and Keerthi
// 1988). A corner w farthest against v with v · w > 0 proves that a plane across v parts the hulls: only
// that proof rejects a pair, so that rounding can keep a pair too many but never lose one.
//
// The nearest point of a simplex is found by looking at all of its corners, edges, faces and itself.
#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>

#include "sinew/geometry/bounding_volume.h"
#include "sinew/geometry/mass.h"

namespace sinew {
namespace {

// A gap below this part of the hulls' size and distance counts as touching.
constexpr double touching = 1e-13;
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

struct Simplex {
    std::array<Vec3, 4> corner{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    int size = 0;
};

using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1>;

// The point nearest to the origin in the plane, line or point of a simplex, if it is inside the simplex.
bool nearestInside(const Simplex& s, Vec3& nearest)
{
    nearest = s.corner[0];
    if (s.size == 1) return true;
    const int n = s.size - 1;
    SmallMatrix gram(n, n);
    SmallVector right(n);
    for (int i = 0; i < n; ++i) {
        const Vec3 edge = s.corner[i + 1] - s.corner[0];
        right[i] = -edge.dot(s.corner[0]);
        for (int j = 0; j < n; ++j) gram(i, j) = edge.dot(s.corner[j + 1] - s.corner[0]);
    }
    const Eigen::LDLT<SmallMatrix> factors(gram);
    if (!(factors.vectorD().minCoeff() > 0)) return false;  // flat: one of its sides will do
    const SmallVector weight = factors.solve(right);
    if (!(weight.minCoeff() >= 0) || !(weight.sum() <= 1)) return false;
    for (int i = 0; i < n; ++i) nearest += weight[i] * (s.corner[i + 1] - s.corner[0]);
    return true;
}

// Replaces the simplex by its smallest part that holds its nearest point, which is returned.
Vec3 reduceToNearest(Simplex& s)
{
    Simplex best;
    Vec3 nearest = Vec3::Zero();
    double least = std::numeric_limits<double>::infinity();
    for (int part = 1; part < 1 << s.size; ++part) {
        Simplex candidate;
        for (int i = 0; i < s.size; ++i)
            if (part >> i & 1) candidate.corner[candidate.size++] = s.corner[i];
        Vec3 point = Vec3::Zero();
        if (nearestInside(candidate, point) && point.squaredNorm() < least) {
            least = point.squaredNorm();
            nearest = point;
            best = candidate;
        }
    }
    s = best;
    return nearest;
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
    const auto differenceAgainst = [&](const Vec3& v) -> Vec3 {
        return farthestAlong(a.corners, -v) -
               (pose.position + R * farthestAlong(b.corners, R.transpose() * v));
    };
    Simplex simplex;
    Vec3 v = a.corners[0] - (pose.position + R * b.corners[0]);
    double size = 0;
    for (int round = 0; round < mostCorners; ++round) {
        const Vec3 w = differenceAgainst(v);
        size = std::max({size, v.norm(), w.norm()});
        if (v.dot(w) > touching * size * v.norm()) return false;
        const auto end = simplex.corner.begin() + simplex.size;
        if (std::find(simplex.corner.begin(), end, w) != end) return true;  // rounding: as near as it gets
        simplex.corner[simplex.size++] = w;
        v = reduceToNearest(simplex);
        if (simplex.size == 4 || v.norm() <= touching * size) return true;
    }
    return true;
}

double volume(const BoundingHull& hull)
{
    return meshInertia(hull.corners, hull.faces).mass;
}

}  // namespace sinew
