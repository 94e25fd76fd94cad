// Meshes as the engine's own forms.
#include <algorithm>
#include <cmath>

#include "sinew/geometry/mass.h"
#include "sinew/io/mesh/mesh.h"
#include "sinew/math/trigonometry.h"

namespace sinew {
namespace {

bool isScale(const Vec3& scale)
{
    return scale.allFinite() && scale.cwiseAbs().minCoeff() > 0;
}

// The outermost points in evenly spread directions (a spiral from pole to pole), each once.
std::vector<Vec3> outermost(const std::vector<Vec3>& points, int directions)
{
    const double golden = pi * (3 - std::sqrt(5.0));
    std::vector<char> taken(points.size(), 0);
    std::vector<Vec3> result;
    for (int k = 0; k < directions; ++k) {
        const double y = 1 - 2 * (k + 0.5) / directions, r = std::sqrt(1 - y * y);
        const Vec3 direction(r * cosine(golden * k), y, r * sine(golden * k));
        std::size_t best = 0;
        double most = direction.dot(points[0]);
        for (std::size_t i = 1; i < points.size(); ++i)
            if (const double along = direction.dot(points[i]); along > most) {
                most = along;
                best = i;
            }
        if (!taken[best]) result.push_back(points[best]);
        taken[best] = 1;
    }
    return result;
}

double farthestOutside(const ConvexMesh& hull, const std::vector<Vec3>& points)
{
    double farthest = 0;
    for (const auto& [a, b, c] : hull.faces) {
        const Vec3& corner = hull.vertices[a];
        const Vec3 normal = (hull.vertices[b] - corner).cross(hull.vertices[c] - corner).normalized();
        for (const Vec3& p : points) farthest = std::max(farthest, normal.dot(p - corner));
    }
    return farthest;
}

// Only the vertices that its faces use.
ConvexMesh compacted(const std::vector<Vec3>& points, const std::vector<std::array<int, 3>>& faces)
{
    ConvexMesh mesh;
    std::vector<int> place(points.size(), -1);
    for (const std::array<int, 3>& face : faces) {
        std::array<int, 3> corners{};
        for (int k = 0; k < 3; ++k) {
            int& at = place[face[k]];
            if (at < 0) {
                at = static_cast<int>(mesh.vertices.size());
                mesh.vertices.push_back(points[face[k]]);
            }
            corners[k] = at;
        }
        mesh.faces.push_back(corners);
    }
    return mesh;
}

}  // namespace

Result<HullShape> hullShape(const TriangleMesh& mesh, const Vec3& scale)
{
    if (!isScale(scale)) return Diagnostic{"the scale has a factor that is zero or not finite"};
    std::vector<char> used(mesh.vertices.size(), mesh.faces.empty());
    for (const std::array<int, 3>& face : mesh.faces)
        for (int corner : face) used[corner] = 1;
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < used.size(); ++i)
        if (used[i]) points.push_back(mesh.vertices[i].cwiseProduct(scale));

    const bool many = points.size() > static_cast<std::size_t>(maxHullVertices);
    const std::vector<Vec3> few = many ? outermost(points, maxHullVertices) : points;
    const Result<std::vector<std::array<int, 3>>> faces = convexHull(few);
    if (!faces) return faces.error();
    HullShape hull{compacted(few, faces.value()), 0};
    if (many) hull.leftOut = farthestOutside(hull.shape, points);
    return hull;
}

Result<Terrain> meshTerrain(TriangleMesh mesh, const Vec3& scale)
{
    if (!isScale(scale)) return Diagnostic{"the scale has a factor that is zero or not finite"};
    for (Vec3& v : mesh.vertices) v = v.cwiseProduct(scale);
    if (scale.prod() < 0)
        for (auto& [a, b, c] : mesh.faces) std::swap(b, c);
    return checkedTerrain(std::move(mesh));
}

}  // namespace sinew
