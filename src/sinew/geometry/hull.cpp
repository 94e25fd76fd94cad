// The convex hull, grown from a tetrahedron by one corner at a time.
//
// What makes coplanar points, points on edges and doubles harmless is the order: a point is added only
// if it is a corner of the final hull, so that no three added points are ever on one line. For that,
// the farthest point above a face is taken, and of all that are equally far the one farthest from the
// middle. A point counts as above a face from ε on; what stays below ε of all faces is left out.
#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/geometry/mass.h"
#include "sinew/geometry/point_faults.h"
#include "sinew/geometry/scaled_points.h"

namespace sinew {
namespace {

using Points = std::vector<Vec3>;
using Face = std::array<int, 3>;

// ε in units of the extent. The first one serves exact data. Data with noise near an ε can come out
// torn; the check at the end sees it and the next ε takes that noise for flat.
constexpr double epsilons[] = {1e-10, 1e-8, 1e-6};
// What may stick out after rounding in the planes of thin triangles, in units of ε.
constexpr double slack = 10;

// What is thinner than this part of its extent counts as flat: its volume would be mostly rounding.
constexpr double thinnest = 1e-8;

struct Facet {
    Face corners;
    Vec3 normal;
    double offset;

    double above(const Vec3& p) const { return normal.dot(p) - offset; }
};

// The point with the largest measure; of those within ε of it, the one farthest from `center`. If the
// measure is convex, that is a corner of the hull: a point between two others is beaten by one of them.
template <class Measure>
int farthest(const Points& points, const Vec3& center, double epsilon, Measure measure)
{
    double most = measure(points[0]);
    for (const Vec3& p : points) most = std::max(most, measure(p));
    int best = 0;
    double bestSquare = -1;
    for (int i = 0; i < static_cast<int>(points.size()); ++i) {
        const double square = (points[i] - center).squaredNorm();
        if (measure(points[i]) >= most - epsilon && square > bestSquare) {
            best = i;
            bestSquare = square;
        }
    }
    return best;
}

// Four corners of the hull, as far apart as is easily found, the last one below the first three.
Result<std::array<int, 4>> firstTetrahedron(const Points& p, double epsilon)
{
    const double flat = std::max(thinnest, epsilon);
    const Vec3 middle = Vec3::Zero();
    const int a = farthest(p, middle, epsilon, [](const Vec3& x) { return x.norm(); });
    const int b = farthest(p, middle, epsilon, [&](const Vec3& x) { return (x - p[a]).norm(); });
    if ((p[b] - p[a]).norm() <= flat) return noHull("all points coincide");
    const Vec3 line = (p[b] - p[a]).normalized();
    const auto offLine = [&](const Vec3& x) { return line.cross(x - p[a]).norm(); };
    const int c = farthest(p, p[a], epsilon, offLine);
    if (offLine(p[c]) <= flat) return noHull("all points are on one line");
    const Vec3 normal = line.cross(p[c] - p[a]).normalized();
    const auto offPlane = [&](const Vec3& x) { return std::abs(normal.dot(x - p[a])); };
    const int d = farthest(p, p[a], epsilon, offPlane);
    if (offPlane(p[d]) <= flat) return noHull("all points are in one plane");
    if (normal.dot(p[d] - p[a]) < 0) return std::array{a, b, c, d};
    return std::array{b, a, c, d};
}

class Hull {
public:
    Hull(const Points& points, double epsilon) : points_(points), epsilon_(epsilon) {}

    // False if rounding got in the way.
    bool grow(const std::array<int, 4>& t)
    {
        added_.assign(points_.size(), false);
        for (int i : t) added_[i] = true;
        if (!add({t[0], t[1], t[2]}) || !add({t[0], t[3], t[1]}) || !add({t[1], t[3], t[2]}) ||
            !add({t[2], t[3], t[0]}))
            return false;
        // Facets before `settled` have no point above them, so no later point replaces them.
        std::size_t settled = 0;
        while (settled < facets_.size()) {
            const Facet facet = facets_[settled];
            const int top =
                farthest(points_, Vec3::Zero(), epsilon_, [&](const Vec3& x) { return facet.above(x); });
            if (facet.above(points_[top]) <= epsilon_)
                ++settled;
            else if (!insert(top, settled))
                return false;
        }
        return true;
    }

    std::vector<Face> faces() const
    {
        std::vector<Face> result;
        result.reserve(facets_.size());
        for (const Facet& f : facets_) result.push_back(f.corners);
        return result;
    }

private:
    bool add(const Face& f)
    {
        const Vec3 u = points_[f[1]] - points_[f[0]], v = points_[f[2]] - points_[f[0]];
        const Vec3 across = u.cross(v);
        const double area = across.norm();
        const double longest =
            std::sqrt(std::max({u.squaredNorm(), v.squaredNorm(), (u - v).squaredNorm()}));
        if (area <= epsilon_ * longest) return false;
        const Vec3 normal = across / area;
        facets_.push_back({f, normal, normal.dot(points_[f[0]])});
        return true;
    }

    // Takes away the facets that the point sees and joins the rim of the hole to the point.
    bool insert(int point, std::size_t settled)
    {
        if (added_[point]) return false;
        added_[point] = true;
        std::vector<std::pair<int, int>> edges;
        std::set<std::pair<int, int>> removed;
        const auto seen = [&](const Facet& f) { return f.above(points_[point]) > epsilon_; };
        const auto begin = facets_.begin() + static_cast<std::ptrdiff_t>(settled);
        for (auto f = begin; f != facets_.end(); ++f)
            if (seen(*f))
                for (int k = 0; k < 3; ++k) {
                    edges.emplace_back(f->corners[k], f->corners[(k + 1) % 3]);
                    removed.insert(edges.back());
                }
        facets_.erase(std::remove_if(begin, facets_.end(), seen), facets_.end());
        for (const auto& [a, b] : edges)
            if (!removed.contains({b, a}) && !add({a, b, point})) return false;
        return true;
    }

    const Points& points_;
    double epsilon_;
    std::vector<Facet> facets_;
    std::vector<bool> added_;
};

}  // namespace

Result<std::vector<Face>> convexHull(const Points& points)
{
    if (const auto fault = notFinite(points)) return *fault;
    if (points.size() < 4) return noHull("there are " + std::to_string(points.size()) + " points");
    const Points p = scaledPoints(points);
    for (const double epsilon : epsilons) {
        const auto start = firstTetrahedron(p, epsilon);
        if (!start) return start.error();
        Hull hull(p, epsilon);
        if (!hull.grow(start.value())) continue;
        std::vector<Face> faces = hull.faces();
        if (!convexMeshFault(p, faces, slack * epsilon)) return faces;
    }
    return noHull("the points are too close to a plane or to each other");
}

}  // namespace sinew
