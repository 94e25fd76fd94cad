// The convex hull, grown from a tetrahedron by one corner at a time.
//
// What makes coplanar points, points on edges and doubles harmless is the order: a point is added only
// if it is a corner of the final hull, so that no three added points are ever on one line. For that,
// the farthest point above a face is taken, and of all that are equally far the one farthest from the
// middle. A point counts as above a face from ε on; what stays below ε of all faces is left out.
//
// Each face keeps a list of the points above it (Clarkson and Shor 1989). A new face joins an edge to the
// added point, and whatever is above it was above one of the two faces that had met in that edge: only
// their lists are looked through, which makes it about n log n.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <unordered_map>

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

// Points from this part of ε on are kept in the lists. Where two faces meet sharply, a point a little below
// ε of both can be above ε of the one that comes between them.
constexpr double listed = 0.1;

// The looks at points in lists that a hull of n points may take: many times what it takes, some 50 n log n.
// Only noise between `listed` and ε on a flat face with many corners needs more; the next ε is above it.
std::size_t mostLooks(std::size_t points)
{
    return 10'000'000 + 2'000 * points;
}

struct Facet {
    Face corners;
    Vec3 normal;
    double offset;
    std::vector<int> points{};  // above it, in their order
    bool isGone = false;

    double above(const Vec3& p) const { return normal.dot(p) - offset; }
};

// The point with the largest measure; of those within ε of it, the one farthest from `center`. If the
// measure is convex, that is a corner of the hull: a point between two others is beaten by one of them.
template <class Measure>
int farthest(const Points& points, const std::vector<int>& among, const Vec3& center, double epsilon,
             Measure measure)
{
    double most = measure(points[among[0]]);
    for (const int i : among) most = std::max(most, measure(points[i]));
    int best = among[0];
    double bestSquare = -1;
    for (const int i : among) {
        const double square = (points[i] - center).squaredNorm();
        if (measure(points[i]) >= most - epsilon && square > bestSquare) {
            best = i;
            bestSquare = square;
        }
    }
    return best;
}

// Four corners of the hull, as far apart as is easily found, the last one below the first three.
Result<std::array<int, 4>> firstTetrahedron(const Points& p, const std::vector<int>& all, double epsilon)
{
    const double flat = std::max(thinnest, epsilon);
    const Vec3 middle = Vec3::Zero();
    const int a = farthest(p, all, middle, epsilon, [](const Vec3& x) { return x.norm(); });
    const int b = farthest(p, all, middle, epsilon, [&](const Vec3& x) { return (x - p[a]).norm(); });
    if ((p[b] - p[a]).norm() <= flat) return noHull("all points coincide");
    const Vec3 line = (p[b] - p[a]).normalized();
    const auto offLine = [&](const Vec3& x) { return line.cross(x - p[a]).norm(); };
    const int c = farthest(p, all, p[a], epsilon, offLine);
    if (offLine(p[c]) <= flat) return noHull("all points are on one line");
    const Vec3 normal = line.cross(p[c] - p[a]).normalized();
    const auto offPlane = [&](const Vec3& x) { return std::abs(normal.dot(x - p[a])); };
    const int d = farthest(p, all, p[a], epsilon, offPlane);
    if (offPlane(p[d]) <= flat) return noHull("all points are in one plane");
    if (normal.dot(p[d] - p[a]) < 0) return std::array{a, b, c, d};
    return std::array{b, a, c, d};
}

class Hull {
public:
    Hull(const Points& points, double epsilon) : points_(points), epsilon_(epsilon) {}

    // False if rounding got in the way.
    bool grow(const std::array<int, 4>& t, const std::vector<int>& all)
    {
        added_.assign(points_.size(), false);
        for (int i : t) added_[i] = true;
        if (!add({t[0], t[1], t[2]}, all) || !add({t[0], t[3], t[1]}, all) ||
            !add({t[1], t[3], t[2]}, all) || !add({t[2], t[3], t[0]}, all))
            return false;
        // Facets before `settled` are gone or have no point above them, so no later point replaces them.
        std::size_t settled = 0;
        while (settled < facets_.size()) {
            const int top = facets_[settled].isGone ? -1 : topOf(facets_[settled]);
            if (top < 0)
                ++settled;
            else if (!insert(top, static_cast<int>(settled)))
                return false;
        }
        return true;
    }

    std::vector<Face> faces() const
    {
        std::vector<Face> result;
        for (const Facet& f : facets_)
            if (!f.isGone) result.push_back(f.corners);
        return result;
    }

private:
    static std::uint64_t edge(int from, int to)
    {
        return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
    }

    bool sees(int point, const Facet& facet) const { return facet.above(points_[point]) > epsilon_; }

    // The next corner above a facet, or -1.
    int topOf(const Facet& facet) const
    {
        if (facet.points.empty()) return -1;
        const int top = farthest(points_, facet.points, Vec3::Zero(), epsilon_,
                                 [&](const Vec3& x) { return facet.above(x); });
        return sees(top, facet) ? top : -1;
    }

    // `among`: where the points above it are to be looked for.
    bool add(const Face& f, const std::vector<int>& among)
    {
        const Vec3 u = points_[f[1]] - points_[f[0]], v = points_[f[2]] - points_[f[0]];
        const Vec3 across = u.cross(v);
        const double area = across.norm();
        const double longest =
            std::sqrt(std::max({u.squaredNorm(), v.squaredNorm(), (u - v).squaredNorm()}));
        if (area <= epsilon_ * longest) return false;
        const Vec3 normal = across / area;
        Facet facet{f, normal, normal.dot(points_[f[0]])};
        for (const int i : among)
            if (!added_[i] && facet.above(points_[i]) > listed * epsilon_) facet.points.push_back(i);
        looks_ += among.size();
        for (int k = 0; k < 3; ++k)
            if (!owner_.emplace(edge(f[k], f[(k + 1) % 3]), static_cast<int>(facets_.size())).second)
                return false;
        facets_.push_back(std::move(facet));
        return looks_ <= mostLooks(points_.size());
    }

    // The facet on the other side of a facet's k-th edge, or -1.
    int neighbour(const Facet& facet, int k) const
    {
        const auto found = owner_.find(edge(facet.corners[(k + 1) % 3], facet.corners[k]));
        return found == owner_.end() ? -1 : found->second;
    }

    // Takes away the facets that the point sees, one of which is `start`, and joins the rim of the hole to
    // the point.
    bool insert(int point, int start)
    {
        added_[point] = true;
        std::vector<int> seen = {start};
        facets_[start].isGone = true;
        for (std::size_t i = 0; i < seen.size(); ++i)
            for (int k = 0; k < 3; ++k) {
                const int next = neighbour(facets_[seen[i]], k);
                if (next < 0) return false;
                if (facets_[next].isGone || !sees(point, facets_[next])) continue;
                facets_[next].isGone = true;
                seen.push_back(next);
            }
        std::sort(seen.begin(), seen.end());  // in the order of their age
        struct RimEdge {
            int from, to, inner, outer;
        };
        std::vector<RimEdge> rim;
        for (const int f : seen)
            for (int k = 0; k < 3; ++k)
                if (const int outer = neighbour(facets_[f], k); !facets_[outer].isGone)
                    rim.push_back({facets_[f].corners[k], facets_[f].corners[(k + 1) % 3], f, outer});
        for (const int f : seen)
            for (int k = 0; k < 3; ++k)
                owner_.erase(edge(facets_[f].corners[k], facets_[f].corners[(k + 1) % 3]));
        std::vector<int> among;
        for (const RimEdge& e : rim) {
            const std::vector<int>&inner = facets_[e.inner].points, &outer = facets_[e.outer].points;
            among.clear();
            std::set_union(inner.begin(), inner.end(), outer.begin(), outer.end(),
                           std::back_inserter(among));
            if (!add({e.from, e.to, point}, among)) return false;
        }
        for (const int f : seen) facets_[f].points = {};
        return true;
    }

    const Points& points_;
    double epsilon_;
    std::vector<Facet> facets_;
    std::unordered_map<std::uint64_t, int> owner_;  // the facet that runs along an edge
    std::vector<bool> added_;
    std::size_t looks_ = 0;
};

}  // namespace

Result<std::vector<Face>> convexHull(const Points& points)
{
    if (const auto fault = notFinite(points)) return *fault;
    if (points.size() < 4) return noHull("there are " + std::to_string(points.size()) + " points");
    const Points p = scaledPoints(points);
    std::vector<int> all(p.size());
    std::iota(all.begin(), all.end(), 0);
    for (const double epsilon : epsilons) {
        const auto start = firstTetrahedron(p, all, epsilon);
        if (!start) return start.error();
        Hull hull(p, epsilon);
        if (!hull.grow(start.value(), all)) continue;
        std::vector<Face> faces = hull.faces();
        if (!convexMeshFault(p, faces, slack * epsilon)) return faces;
    }
    return noHull("the points are too close to a plane or to each other");
}

}  // namespace sinew
