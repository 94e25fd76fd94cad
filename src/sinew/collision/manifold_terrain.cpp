// A convex shape on the triangles of a height field or a mesh.
//
// Each triangle is a prism that goes down into the ground as far as the shape is large, so that there is a
// way out when the shape has sunk in. Its sides and its floor are not there: the way out must be the
// triangle's normal, or lean over an edge or a corner no farther than the neighbour beyond it allows.
//
//     convex edge          normals between those of both faces
//     flat, hollow edge    none but those of the faces: what slides over it does not catch
//     open edge            all that the face's side can see
//
// A direction that is not allowed is the neighbour's business. The face takes it on where its own normal is
// nearly as good a way out, or where the shape's middle is over it.
#include <algorithm>
#include <cmath>

#include "sinew/collision/manifold.h"

namespace sinew {
namespace {

constexpr double clipSlack = 1e-6, noise = 1e-9, samePlace = 1e-6;  // in units of the shape's reach
constexpr double leaning = 1e-4;                                    // sine: how exactly a normal is known
constexpr double sameNormal = 1 - 1e-6;                             // cosine
// How much longer the way out along the face's normal may be than one that is not allowed.
constexpr double detour = 4, detourSlack = 1e-3;

// Whether what is over the edge from corner k on may be touched in the direction n.
bool edgeAllows(const TerrainTriangle& t, int k, const Vec3& n)
{
    const Vec3 &from = t.corners[k], edge = t.corners[(k + 1) % 3] - from;
    const Vec3 outwards = edge.cross(t.normal);
    if (n.dot(outwards) <= leaning * edge.norm()) return true;  // does not lean over it
    if (!t.hasNeighbour[k]) return n.dot(t.normal) >= -leaning;
    const Vec3 beyond = t.beyond[k] - from;
    if (beyond.dot(t.normal) >= -leaning * beyond.norm()) return false;
    const Vec3 neighbour = beyond.cross(edge).normalized();  // its normal: corners k + 1, k, beyond
    return n.dot(neighbour.cross(edge)) >= -leaning * edge.norm();
}

// The part of the triangle that reaches farthest along n is an edge or a corner: its edges must allow n.
bool allows(const TerrainTriangle& t, const Vec3& n)
{
    double most = -HUGE_VAL, longest = 0;
    for (int k = 0; k < 3; ++k) {
        most = std::max(most, n.dot(t.corners[k]));
        longest = std::max(longest, (t.corners[(k + 1) % 3] - t.corners[k]).norm());
    }
    const auto isFar = [&](int k) { return n.dot(t.corners[k]) >= most - leaning * longest; };
    for (int k = 0; k < 3; ++k)
        if (isFar(k) && isFar((k + 1) % 3)) return edgeAllows(t, k, n);
    for (int k = 0; k < 3; ++k)
        if (isFar(k)) return edgeAllows(t, k, n) && edgeAllows(t, (k + 2) % 3, n);
    return false;
}

// Seen against the solid direction.
bool isOver(const TerrainTriangle& t, const Vec3& point)
{
    for (int k = 0; k < 3; ++k) {
        const Vec3 edge = t.corners[(k + 1) % 3] - t.corners[k];
        if ((point - t.corners[k]).dot(t.solid.cross(edge)) < 0) return false;
    }
    return true;
}

void setPrism(const TerrainTriangle& t, double depth, Shape& prism)
{
    std::vector<Vec3>& vertices = std::get<ConvexMesh>(prism).vertices;
    vertices.resize(6);
    for (int k = 0; k < 3; ++k) {
        vertices[k] = t.corners[k];
        vertices[k + 3] = t.corners[k] + depth * t.solid;
    }
}

void setPatch(const TerrainTriangle& t, Patch& patch)
{
    patch.corners.assign(t.corners.begin(), t.corners.end());
    patch.normal = t.normal;
    patch.round = patch.area = 0;
    patch.id = 0;
}

// Touches along a direction that leans over an edge or a corner: on a face of the shape's, or at a point.
void touchRidge(const PlacedShape& a, const TerrainTriangle& t, const Separation& found, double reach,
                std::uint32_t salt, ManifoldWork& work, Manifold& manifold)
{
    findPatch(a, found.normal, work.patchA);
    const Vec3& m = work.patchA.normal;
    if (work.patchA.isFace() && allows(t, -m)) {
        double low = HUGE_VAL;
        for (const Vec3& corner : t.corners) low = std::min(low, m.dot(corner));
        if (low - a.along(m) >= found.gap - facePreference(found.gap, a.reach)) {
            const std::size_t before = manifold.size();
            clipOnto(work.patchA, work.patchB, {true, reach, clipSlack * a.reach, salt}, work, manifold);
            for (std::size_t i = before; i < manifold.size(); ++i)  // corners are this triangle's
                manifold[i].feature = featureOf(manifold[i].feature, salt, 5);
            if (manifold.size() > before) return;
        }
    }
    touchAlong(found, work.patchA, work.patchB, reach, featureOf(work.patchA.id, salt, 3), manifold);
}

void touchTriangle(const PlacedShape& a, const TerrainTriangle& t, double reach, std::uint32_t salt,
                   ManifoldWork& work, Manifold& manifold)
{
    const double offset = t.normal.dot(t.corners[0]);
    const double faceGap = -a.along(-t.normal) - offset;
    if (faceGap >= reach) return;
    if (!t.isColumn && a.along(t.normal) <= offset) return;  // all of it is behind
    setPrism(t, 2 * a.reach + reach, work.prism);
    const Proximity p = distance(*a.shape, a.pose, work.prism, {}, work.distance);
    const bool isAbove = isOver(t, a.pose.position);
    if (p.distance >= reach && !isAbove) return;
    setPatch(t, work.patchB);

    const double best = faceGap - p.distance;  // ≤ 0 but for rounding
    if (best < -facePreference(p.distance, a.reach) || p.normal.dot(t.normal) > 0) {
        if (p.distance < reach && p.normal.dot(t.normal) <= leaning && allows(t, -p.normal)) {
            const Separation found{p.normal, p.distance, p.pointA, p.pointB, Separation::Face::none};
            touchRidge(a, t, found, reach, salt, work, manifold);
            return;
        }
        if (!isAbove && faceGap < -detour * std::abs(p.distance) - detourSlack * a.reach) return;
    }
    findPatch(a, -t.normal, work.patchA);
    // What is but a point rolls over ridges: there the direction counts, however near to the normal it is.
    if (work.patchA.corners.size() == 1 && best < -noise * a.reach - p.gap && p.distance < reach &&
        p.normal.dot(t.normal) < 0 && allows(t, -p.normal)) {
        const Separation found{p.normal, p.distance, p.pointA, p.pointB, Separation::Face::none};
        touchRidge(a, t, found, reach, salt, work, manifold);
        return;
    }
    clipOnto(work.patchB, work.patchA, {false, reach, clipSlack * a.reach, salt}, work, manifold);
}

// Four points to each normal. Corners that lie on an edge were found on both sides of it.
void gather(Manifold& found, double extent, Manifold& manifold)
{
    while (!found.empty()) {
        const Vec3 normal = found.front().normal;
        const std::size_t first = manifold.size();
        std::size_t left = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (found[i].normal.dot(normal) < sameNormal) {
                found[left++] = found[i];
                continue;
            }
            const bool isKnown = std::any_of(
                manifold.begin() + static_cast<std::ptrdiff_t>(first), manifold.end(), [&](const auto& p) {
                    return p.feature == found[i].feature || (p.pointA - found[i].pointA).squaredNorm() <
                                                                samePlace * samePlace * extent * extent;
                });
            if (!isKnown) manifold.push_back(found[i]);
        }
        found.resize(left);
        keepFour(manifold, first, noise * extent);
    }
}

}  // namespace

void findManifold(const PlacedShape& placed, TerrainTriangles& ground, const Pose& groundPose, double reach,
                  ManifoldWork& work, Manifold& manifold)
{
    manifold.clear();
    work.found.clear();
    const PlacedShape a(*placed.shape, placed.faces, groundPose.inverse() * placed.pose);
    BoundingBox box = boundingBox(*a.shape, a.pose);
    box.low.array() -= reach;
    box.high.array() += reach;
    ground.query(box, work.triangles);
    for (const int index : work.triangles)
        touchTriangle(a, ground.triangle(index), reach, static_cast<std::uint32_t>(index), work,
                      work.found);
    gather(work.found, a.reach, manifold);
    for (ManifoldPoint& point : manifold) {
        point.pointA = groundPose * point.pointA;
        point.pointB = groundPose * point.pointB;
        point.normal = groundPose.orientation * point.normal;
    }
}

}  // namespace sinew
