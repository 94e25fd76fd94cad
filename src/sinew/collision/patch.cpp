#include "sinew/collision/patch.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/geometry/support.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

// A cylinder touches with its side where the direction is within 30° of it.
constexpr double sideSlope = 0.5;
// A lid that lies this flat has no lowest point of its rim worth the name: which it is would be noise.
constexpr double flatRim = 1e-4;
// Eighths of a turn.
constexpr double half = 0.70710678118654752440;
constexpr double eighths[8][2] = {{1, 0},  {half, half},   {0, 1},  {-half, half},
                                  {-1, 0}, {-half, -half}, {0, -1}, {half, -half}};

void fill(const PlacedShape& placed, const Sphere& s, const Vec3&, Patch& patch)
{
    patch.corners.push_back(placed.pose.position);
    patch.round = s.radius;
}

void fill(const PlacedShape& placed, const Capsule& s, const Vec3&, Patch& patch)
{
    const Vec3 toEnd = 0.5 * s.length * placed.R.col(1);
    patch.corners.push_back(placed.pose.position - toEnd);
    if (s.length > 0) patch.corners.push_back(placed.pose.position + toEnd);
    patch.round = s.radius;
}

// On its side, tilted by θ: the rim's lowest point x = c + r u, c the lid's centre, u across the axis a.
// The line from x against the direction d = sin θ a + cos θ u meets the axis at c − r tan θ a after r/cos
// θ. An anchor there does not move when the cylinder rolls, and has x where it is.
void fill(const PlacedShape& placed, const Cylinder& s, const Vec3& d, Patch& patch)
{
    const Vec3 axis = placed.R.col(1);
    const double slope = d.dot(axis);
    const Vec3 across = d - slope * axis;
    const double length = across.norm();
    if (std::abs(slope) < sideSlope) {
        const Vec3 middle = placed.pose.position - s.radius * slope / length * axis;
        patch.corners = {middle - 0.5 * s.length * axis, middle + 0.5 * s.length * axis};
        patch.round = s.radius / length;
        return;
    }
    patch.id = slope < 0 ? 1 : 2;
    patch.normal = slope < 0 ? Vec3(-axis) : axis;
    patch.area = pi * s.radius * s.radius;
    const Vec3 first = length > flatRim ? Vec3(across / length) : directorsAcross(axis).first;
    const Vec3 second = patch.normal.cross(first);
    const Vec3 center = placed.pose.position + 0.5 * s.length * patch.normal;
    for (const auto& [c, n] : eighths)
        patch.corners.push_back(center + s.radius * (c * first + n * second));
}

void fill(const PlacedShape& placed, const Ellipsoid&, const Vec3& d, Patch& patch)
{
    patch.round = coreMargin(*placed.shape);
    patch.corners.push_back(placed.pose.position +
                            placed.R * coreSupport(*placed.shape, placed.R.transpose() * d));
}

void fill(const PlacedShape& placed, const Box& s, const Vec3& d, Patch& patch)
{
    const Vec3 local = placed.R.transpose() * d;
    int axis = 0;
    local.cwiseAbs().maxCoeff(&axis);
    const double sign = local[axis] < 0 ? -1 : 1;
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    patch.id = static_cast<std::uint32_t>(2 * axis + (sign > 0));
    patch.normal = sign * placed.R.col(axis);
    patch.area = s.size[u] * s.size[v];
    const Vec3 center = placed.pose.position + 0.5 * s.size[axis] * patch.normal;
    const Vec3 toU = 0.5 * sign * s.size[u] * placed.R.col(u), toV = 0.5 * s.size[v] * placed.R.col(v);
    patch.corners = {center - toU - toV, center + toU - toV, center + toU + toV, center - toU + toV};
}

void fill(const PlacedShape& placed, const ConvexMesh& s, const Vec3& d, Patch& patch)
{
    const Vec3 local = placed.R.transpose() * d;
    const std::vector<ConvexFaces::Face>& faces = placed.faces->faces;
    const auto facing = [&](std::size_t i) { return faces[i].normal.dot(local); };
    std::size_t best = 0;
    for (std::size_t i = 1; i < faces.size(); ++i)
        if (facing(i) > facing(best)) best = i;
    // On a sharp tip none of the faces may look there as much as some face behind it does.
    const auto reachOf = [&](std::size_t i) {
        double farthest = -HUGE_VAL;
        for (int k = 0; k < faces[i].count; ++k)
            farthest = std::max(farthest, local.dot(s.vertices[placed.faces->corners[faces[i].first + k]]));
        return farthest;
    };
    constexpr double rounding = 1e-12;
    const double tip = local.dot(coreSupport(*placed.shape, local)) - rounding * placed.reach;
    if (reachOf(best) < tip) {
        std::size_t atTip = faces.size();
        for (std::size_t i = 0; i < faces.size(); ++i)
            if (reachOf(i) >= tip && (atTip == faces.size() || facing(i) > facing(atTip))) atTip = i;
        if (atTip < faces.size()) best = atTip;
    }
    patch.id = static_cast<std::uint32_t>(best);
    patch.normal = placed.R * faces[best].normal;
    patch.area = faces[best].area;
    for (int k = 0; k < faces[best].count; ++k)
        patch.corners.push_back(placed.pose.position +
                                placed.R * s.vertices[placed.faces->corners[faces[best].first + k]]);
}

// ---- polygons of a mesh -------------------------------------------------------------------------

// Meshes come from text files with six or seven digits, so flat polygons arrive slightly bent.
constexpr double flat = 1e-6;

struct HalfEdge {
    int from = 0, to = 0, face = 0;
    bool operator<(const HalfEdge& o) const { return from != o.from ? from < o.from : to < o.to; }
};

// The way around a set of faces: edges whose other side is not among them. Empty where it is not one loop.
std::vector<int> outline(const std::vector<HalfEdge>& edges)
{
    std::vector<int> loop{edges[0].from, edges[0].to};
    while (loop.size() <= edges.size() && loop.back() != loop.front()) {
        const auto next = std::find_if(edges.begin(), edges.end(),
                                       [&](const HalfEdge& e) { return e.from == loop.back(); });
        if (next == edges.end()) return {};
        loop.push_back(next->to);
    }
    loop.pop_back();
    return loop.size() == edges.size() ? loop : std::vector<int>{};
}

}  // namespace

ConvexFaces convexFaces(const ConvexMesh& mesh)
{
    const std::vector<Vec3>& x = mesh.vertices;
    double extent = 0;
    for (const Vec3& vertex : x) extent = std::max(extent, (vertex - x[0]).norm());
    std::vector<HalfEdge> edges;
    for (int f = 0; f < static_cast<int>(mesh.faces.size()); ++f)
        for (int k = 0; k < 3; ++k) edges.push_back({mesh.faces[f][k], mesh.faces[f][(k + 1) % 3], f});
    std::sort(edges.begin(), edges.end());
    const auto neighbour = [&](int from, int to) {
        const auto found = std::lower_bound(edges.begin(), edges.end(), HalfEdge{to, from, 0});
        return found != edges.end() && found->from == to && found->to == from ? found->face : -1;
    };
    const auto doubleArea = [&](int f) {
        const auto& [a, b, c] = mesh.faces[f];
        return Vec3((x[b] - x[a]).cross(x[c] - x[a]));
    };

    // The widest triangles first: their planes are the best known.
    std::vector<int> order(mesh.faces.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::stable_sort(order.begin(), order.end(), [&](int f, int g) {
        return doubleArea(f).squaredNorm() > doubleArea(g).squaredNorm();
    });
    ConvexFaces result;
    std::vector<int> groupOf(mesh.faces.size(), -1);
    for (const int seed : order) {
        if (groupOf[seed] >= 0) continue;
        const int group = static_cast<int>(result.faces.size());
        const Vec3 n = doubleArea(seed).normalized();
        const double offset = n.dot(x[mesh.faces[seed][0]]);
        std::vector<int> members{seed};
        groupOf[seed] = group;
        for (std::size_t i = 0; i < members.size(); ++i)
            for (int k = 0; k < 3; ++k) {
                const auto& corners = mesh.faces[members[i]];
                const int next = neighbour(corners[k], corners[(k + 1) % 3]);
                if (next < 0 || groupOf[next] >= 0 || !(doubleArea(next).dot(n) > 0)) continue;
                const bool isInPlane = std::ranges::all_of(mesh.faces[next], [&](int corner) {
                    return std::abs(n.dot(x[corner]) - offset) <= flat * extent;
                });
                if (!isInPlane) continue;
                groupOf[next] = group;
                members.push_back(next);
            }
        std::vector<HalfEdge> rim;
        Vec3 sum = Vec3::Zero();
        for (const int f : members) {
            sum += doubleArea(f);
            for (int k = 0; k < 3; ++k) {
                const int from = mesh.faces[f][k], to = mesh.faces[f][(k + 1) % 3];
                const int beyond = neighbour(from, to);
                if (beyond < 0 || groupOf[beyond] != group) rim.push_back({from, to, f});
            }
        }
        std::vector<int> loop = outline(rim);
        if (loop.empty()) {  // not a disc: let its triangles stand alone
            for (const int f : members) groupOf[f] = f == seed ? group : -1;
            loop.assign(mesh.faces[seed].begin(), mesh.faces[seed].end());
            sum = doubleArea(seed);
        }
        result.faces.push_back({sum.normalized(), 0.5 * sum.norm(), static_cast<int>(result.corners.size()),
                                static_cast<int>(loop.size())});
        result.corners.insert(result.corners.end(), loop.begin(), loop.end());
    }
    return result;
}

PlacedShape::PlacedShape(const Shape& form, const ConvexFaces* polygons, const Pose& place)
    : shape(&form),
      faces(polygons),
      pose(place),
      R(place.orientation.toRotationMatrix()),
      reach(reachOf(form))
{
}

double PlacedShape::along(const Vec3& d) const
{
    const Vec3 local = R.transpose() * d;
    return d.dot(pose.position) + local.dot(coreSupport(*shape, local)) + coreMargin(*shape);
}

void findPatch(const PlacedShape& shape, const Vec3& direction, Patch& patch)
{
    patch.corners.clear();
    patch.round = patch.area = 0;
    patch.id = 0;
    std::visit([&](const auto& s) { fill(shape, s, direction, patch); }, *shape.shape);
}

}  // namespace sinew
