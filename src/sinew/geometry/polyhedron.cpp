// Source: Parent's slides, chapter 4, "Collision detection: polyhedra" and "swept volume"; the tests run in
// their order, the cheap ones first.
//
//     1. bounding boxes            no overlap: they do not meet
//     2. vertex inside the other   of either: they meet
//     3. edge through a face       of either: they meet; otherwise not
//
// Rays through edges and vertices. A ray along x meets a triangle if the signs of the areas that the point
// makes with its three edges, seen along x, are equal. The sign of each area is exact (products of two
// doubles are compared with their rounding errors), so that two faces that share an edge never both miss or
// both claim a ray. Where it is zero, the ray meets the edge, and the sign is that of a point moved by (ε,
// ε²) in the plane (y, z) (Edelsbrunner and Mücke, "Simulation of simplicity", 1990). All faces see the
// same moved point, which is on no edge.
//
// Cost: vertices · faces + edges · faces; edges outside of the other's bounding box are passed over.
#include "sinew/geometry/polyhedron.h"

#include <algorithm>
#include <cmath>

#include "sinew/geometry/bounding_volume.h"
#include "sinew/geometry/mass.h"

namespace sinew {
namespace {

using Face = std::array<int, 3>;

// As for shapes: how far vertices may stick out of faces that are meant to be flat, over the extent.
constexpr double convexTolerance = 1e-6;
// How far from a face, over the extent, an edge still counts as passing through it: rounding of the point
// where it crosses the plane, so that nothing slips through between two faces.
constexpr double crackTolerance = 1e-12;

// The sign of a b − c d, exactly (but for underflow): rounding keeps the order of the products, and where
// it makes them equal, what it took away decides.
int signOfDifference(double a, double b, double c, double d)
{
    const double p = a * b, q = c * d;
    if (p != q) return p > q ? 1 : -1;
    const double lostP = std::fma(a, b, -p), lostQ = std::fma(c, d, -q);
    return lostP > lostQ ? 1 : lostP < lostQ ? -1 : 0;
}

// On which side of the edge from a to b, seen along x, the origin moved by (ε, ε²) lies. Zero if the edge
// itself runs along x.
int sideOfEdge(const Vec3& a, const Vec3& b)
{
    if (const int sign = signOfDifference(a.y(), b.z(), a.z(), b.y())) return sign;
    if (a.z() != b.z()) return a.z() > b.z() ? 1 : -1;
    if (a.y() != b.y()) return b.y() > a.y() ? 1 : -1;
    return 0;
}

// Does a ray from the origin along x meet the triangle?
bool rayMeets(const Vec3& a, const Vec3& b, const Vec3& c)
{
    const int side = sideOfEdge(a, b);
    if (side == 0 || sideOfEdge(b, c) != side || sideOfEdge(c, a) != side) return false;
    // The line does; it leaves the surface (side > 0) ahead of the origin if that is behind the plane.
    return (b - a).cross(c - a).dot(a) * side > 0;
}

bool isInsideConvex(const Polyhedron& polyhedron, const Vec3& point)
{
    const auto& v = polyhedron.vertices;
    return std::all_of(polyhedron.faces.begin(), polyhedron.faces.end(), [&](const Face& f) {
        return (v[f[1]] - v[f[0]]).cross(v[f[2]] - v[f[0]]).dot(point - v[f[0]]) <= 0;
    });
}

bool isInsideByParity(const Polyhedron& polyhedron, const Vec3& point)
{
    const auto& v = polyhedron.vertices;
    bool isOdd = false;
    for (const Face& f : polyhedron.faces)
        if (rayMeets(v[f[0]] - point, v[f[1]] - point, v[f[2]] - point)) isOdd = !isOdd;
    return isOdd;
}

bool anyVertexInside(const Polyhedron& a, const Polyhedron& b, const BoundingBox& boundsB)
{
    return std::any_of(a.vertices.begin(), a.vertices.end(), [&](const Vec3& vertex) {
        return contains(boundsB, vertex) && isInside(b, vertex);
    });
}

// The slides' test: ends on both sides of the plane, and the point between them in the face, looked at
// along the axis nearest to the normal.
bool passesThrough(const Vec3& from, const Vec3& to, const std::array<Vec3, 3>& corners, double extent)
{
    const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    const double before = normal.dot(from - corners[0]), after = normal.dot(to - corners[0]);
    if ((before > 0) == (after > 0) && before != 0 && after != 0) return false;
    if (before == after) return false;  // in the plane: other faces and edges have the ends
    const Vec3 point = from + before / (before - after) * (to - from);
    int across = 0;
    normal.cwiseAbs().maxCoeff(&across);
    const int i = (across + 1) % 3, j = (across + 2) % 3;
    const double sign = normal[across] > 0 ? 1 : -1;
    for (int k = 0; k < 3; ++k) {
        const Vec3 edge = corners[(k + 1) % 3] - corners[k], offset = point - corners[k];
        const double area = sign * (edge[i] * offset[j] - edge[j] * offset[i]);
        if (area < -crackTolerance * extent * (std::abs(edge[i]) + std::abs(edge[j]))) return false;
    }
    return true;
}

bool anyEdgeThroughFace(const Polyhedron& a, const Polyhedron& b, const BoundingBox& boundsB)
{
    const double extent = (boundsB.high - boundsB.low).maxCoeff();
    for (const auto& [i, j] : a.edges) {
        const BoundingBox edge = joined({a.vertices[i], a.vertices[i]}, {a.vertices[j], a.vertices[j]});
        if (!overlaps(boundsB, edge)) continue;
        for (const Face& f : b.faces)
            if (passesThrough(a.vertices[i], a.vertices[j],
                              {b.vertices[f[0]], b.vertices[f[1]], b.vertices[f[2]]}, extent))
                return true;
    }
    return false;
}

std::vector<std::pair<int, int>> edgesOf(const std::vector<Face>& faces)
{
    std::vector<std::pair<int, int>> edges;
    for (const Face& f : faces)
        for (int k = 0; k < 3; ++k)  // the neighbour runs along it the other way
            if (f[k] < f[(k + 1) % 3]) edges.emplace_back(f[k], f[(k + 1) % 3]);
    return edges;
}

}  // namespace

Result<Polyhedron> makePolyhedron(std::vector<Vec3> vertices, std::vector<Face> faces)
{
    if (const auto fault = closedMeshFault(vertices, faces)) return *fault;
    Polyhedron result;
    result.isConvex = !convexMeshFault(vertices, faces, convexTolerance);
    result.edges = edgesOf(faces);
    result.vertices = std::move(vertices);
    result.faces = std::move(faces);
    return result;
}

bool isInside(const Polyhedron& polyhedron, const Vec3& point)
{
    return polyhedron.isConvex ? isInsideConvex(polyhedron, point) : isInsideByParity(polyhedron, point);
}

PolyhedronVerdict polyhedraMeet(const Polyhedron& a, const Pose& poseA, const Polyhedron& b,
                                const Pose& poseB, PolyhedronWork& work)
{
    Polyhedron& moved = work.moved;  // A in the axes of B
    moved = a;
    const Pose X_BA = poseB.inverse() * poseA;
    const Mat3 R_BA = X_BA.orientation.toRotationMatrix();
    for (Vec3& vertex : moved.vertices) vertex = X_BA.position + R_BA * vertex;
    const BoundingBox boundsA = boundingBox(moved.vertices).value(),
                      boundsB = boundingBox(b.vertices).value();
    if (!overlaps(boundsA, boundsB)) return {false, PolyhedronTest::boundingVolumes};
    if (anyVertexInside(moved, b, boundsB) || anyVertexInside(b, moved, boundsA))
        return {true, PolyhedronTest::vertexInside};
    const bool meet = anyEdgeThroughFace(moved, b, boundsB) || anyEdgeThroughFace(b, moved, boundsA);
    return {meet, PolyhedronTest::edgeThroughFace};
}

Polyhedron sweptVolume(const Polyhedron& polyhedron, const Vec3& travel)
{
    SINEW_ASSERT(polyhedron.isConvex);  // the front of a dented one would run through its own back
    const int count = static_cast<int>(polyhedron.vertices.size());
    const auto& v = polyhedron.vertices;
    Polyhedron swept;
    swept.isConvex = true;
    swept.vertices = v;  // those at the front are inside now; no face has them
    for (const Vec3& vertex : v) swept.vertices.push_back(vertex + travel);
    const auto isFront = [&](const Face& f) {
        return (v[f[1]] - v[f[0]]).cross(v[f[2]] - v[f[0]]).dot(travel) > 0;
    };
    // Edges of the front that have the back on their other side stay in the end.
    std::vector<std::pair<int, int>> rim;
    for (const Face& f : polyhedron.faces) {
        if (!isFront(f)) {
            swept.faces.push_back(f);
            continue;
        }
        swept.faces.push_back({f[0] + count, f[1] + count, f[2] + count});
        for (int k = 0; k < 3; ++k) {
            const std::pair<int, int> edge(f[k], f[(k + 1) % 3]), back(edge.second, edge.first);
            const auto inner = std::find(rim.begin(), rim.end(), back);
            if (inner == rim.end())
                rim.push_back(edge);
            else
                rim.erase(inner);
        }
    }
    for (const auto& [from, to] : rim) {
        swept.faces.push_back({from, to, to + count});
        swept.faces.push_back({from, to + count, from + count});
    }
    swept.edges = edgesOf(swept.faces);
    return swept;
}

}  // namespace sinew
