// Random convex polyhedra and, by trying everything, their distance and depth: what the queries of
// geometry/distance.h are held against. Slow and plain on purpose.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/geometry/shape.h"

namespace sinew {

inline Vec3 randomDirection(Random& random)
{
    return Vec3(random.normal(), random.normal(), random.normal()).normalized();
}

inline Pose randomPose(Random& random, double offset)
{
    Pose pose;
    pose.position = offset * randomDirection(random);
    pose.orientation =
        Quat(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
    return pose;
}

// The hull of points in a box of random sides, 4 to `most` of them.
inline ConvexMesh randomHull(Random& random, int most)
{
    const Vec3 sides(random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(0.2, 1));
    for (;;) {
        ConvexMesh mesh;
        const int count = 4 + random.below(most - 3);
        for (int i = 0; i < count; ++i)
            mesh.vertices.push_back(sides.cwiseProduct(random.uniform(0.7, 1) * randomDirection(random)));
        const Result<Shape> checked = checkedShape(mesh);
        if (checked) return std::get<ConvexMesh>(checked.value());
    }
}

// Vertices in the world, faces and edges (each once).
struct PlacedMesh {
    std::vector<Vec3> vertices;
    std::vector<std::array<int, 3>> faces;
    std::vector<std::pair<int, int>> edges;

    PlacedMesh(const ConvexMesh& mesh, const Pose& pose) : faces(mesh.faces)
    {
        for (const Vec3& vertex : mesh.vertices) vertices.push_back(pose * vertex);
        for (const auto& f : faces)
            for (int k = 0; k < 3; ++k)
                if (f[k] < f[(k + 1) % 3]) edges.emplace_back(f[k], f[(k + 1) % 3]);
    }
};

inline double pointSegmentDistance(const Vec3& p, const Vec3& a, const Vec3& b)
{
    const double t = std::clamp((p - a).dot(b - a) / (b - a).squaredNorm(), 0., 1.);
    return (p - a - t * (b - a)).norm();
}

// Of a point whose foot is on the triangle; infinite where an edge is nearer.
inline double pointFaceDistance(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c)
{
    const Vec3 n = (b - a).cross(c - a).normalized();
    const bool isOver = n.dot((b - a).cross(p - a)) >= 0 && n.dot((c - b).cross(p - b)) >= 0 &&
                        n.dot((a - c).cross(p - c)) >= 0;
    return isOver ? std::abs(n.dot(p - a)) : HUGE_VAL;
}

// Of two lines where their feet are on both segments; elsewhere an end is nearest.
inline double segmentDistance(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d)
{
    const Vec3 u = b - a, v = d - c, n = u.cross(v);
    const double square = n.squaredNorm();
    if (square > 0) {
        const double s = (c - a).cross(v).dot(n) / square, t = (c - a).cross(u).dot(n) / square;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1) return std::abs(n.dot(c - a)) / std::sqrt(square);
    }
    return std::min({pointSegmentDistance(a, c, d), pointSegmentDistance(b, c, d),
                     pointSegmentDistance(c, a, b), pointSegmentDistance(d, a, b)});
}

// Of polyhedra that do not meet: the least over all pairs of vertex and face, edge and edge.
inline double featureDistance(const PlacedMesh& a, const PlacedMesh& b)
{
    double least = HUGE_VAL;
    const auto vertexFace = [&](const PlacedMesh& p, const PlacedMesh& q) {
        for (const Vec3& vertex : p.vertices)
            for (const auto& f : q.faces)
                least = std::min(
                    least, pointFaceDistance(vertex, q.vertices[f[0]], q.vertices[f[1]], q.vertices[f[2]]));
    };
    vertexFace(a, b);
    vertexFace(b, a);
    for (const auto& [i, j] : a.edges)
        for (const auto& [k, l] : b.edges)
            least = std::min(least,
                             segmentDistance(a.vertices[i], a.vertices[j], b.vertices[k], b.vertices[l]));
    return least;
}

// max over A of n·x − min over B of n·x: how far B must be moved along n to lose touch with A.
inline double overlapAlong(const PlacedMesh& a, const PlacedMesh& b, const Vec3& n)
{
    double high = -HUGE_VAL, low = HUGE_VAL;
    for (const Vec3& p : a.vertices) high = std::max(high, n.dot(p));
    for (const Vec3& p : b.vertices) low = std::min(low, n.dot(p));
    return high - low;
}

// The least overlap over all normals that a face of the difference of the two can have: those of the faces
// of both, and across an edge of each. Negative if they do not meet.
inline double axisDepth(const PlacedMesh& a, const PlacedMesh& b)
{
    double least = HUGE_VAL;
    const auto faces = [&](const PlacedMesh& p, double sign) {
        for (const auto& f : p.faces) {
            const Vec3 n = (p.vertices[f[1]] - p.vertices[f[0]]).cross(p.vertices[f[2]] - p.vertices[f[0]]);
            least = std::min(least, overlapAlong(a, b, sign * n.normalized()));
        }
    };
    faces(a, 1);
    faces(b, -1);
    for (const auto& [i, j] : a.edges)
        for (const auto& [k, l] : b.edges) {
            const Vec3 n = (a.vertices[j] - a.vertices[i]).cross(b.vertices[l] - b.vertices[k]);
            if (n.norm() < 1e-9) continue;  // parallel edges: the faces have it
            least =
                std::min({least, overlapAlong(a, b, n.normalized()), overlapAlong(a, b, -n.normalized())});
        }
    return least;
}

}  // namespace sinew
