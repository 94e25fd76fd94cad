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
// A direction that is not allowed is the neighbour's business; the face keeps what has its own normal, or
// one nearly as good, and what has sunk in below it with its middle.
#include <algorithm>
#include <cmath>

#include "sinew/collision/manifold.h"

namespace sinew {
namespace {

constexpr double triangleSlack = 1e-6, triangleNoise = 1e-9, sameTrianglePlace = 1e-6, samePlane = 1e-4,
                 sameRidgePlace = 1e-3;          // in units of the shape's reach
constexpr double leaning = 1e-4;                 // sine: how exactly a normal is known
constexpr double sameTriangleNormal = 1 - 1e-6;  // cosine

// Whether the edge from corner k on stands out, so that it can be touched itself.
bool isRidge(const TerrainTriangle& t, int k)
{
    if (!t.hasNeighbour[k]) return true;
    const Vec3 beyond = t.beyond[k] - t.corners[k];
    return beyond.dot(t.normal) < -leaning * beyond.norm();
}

// Whether what is over the edge from corner k on may be touched in the direction n.
bool edgeAllows(const TerrainTriangle& t, int k, const Vec3& n)
{
    const Vec3 &from = t.corners[k], edge = t.corners[(k + 1) % 3] - from;
    const Vec3 outwards = edge.cross(t.normal);
    if (n.dot(outwards) <= leaning * edge.norm()) return true;  // does not lean over it
    if (!t.hasNeighbour[k]) return n.dot(t.normal) >= -leaning;
    if (!isRidge(t, k)) return false;
    const Vec3 neighbour = (t.beyond[k] - from).cross(edge).normalized();  // corners k + 1, k, beyond
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
        if ((point - t.corners[k]).dot(edge.cross(t.solid)) < 0) return false;
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

// The edge that is nearest to a place, or the corner that is there.
Ridge ridgeAt(const TerrainTriangle& t, const Vec3& place, double noise)
{
    Ridge nearest;
    double least = HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        const Vec3 &from = t.corners[k], &to = t.corners[(k + 1) % 3], along = to - from;
        if ((place - from).norm() <= noise) return {from, from};
        const double s = std::clamp(along.dot(place - from) / along.squaredNorm(), 0., 1.);
        const double off = (place - from - s * along).norm();
        if (off >= least) continue;
        least = off;
        nearest = {from, to};
    }
    return nearest;
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
            clipOnto(work.patchA, work.patchB, {true, reach, triangleSlack * a.reach, salt}, work,
                     manifold);
            for (std::size_t i = before; i < manifold.size(); ++i)  // corners are this triangle's
                manifold[i].feature = featureOf(manifold[i].feature, salt, 5);
            if (manifold.size() > before) return;
        }
    }
    const std::size_t before = manifold.size();
    touchAlong(found, work.patchA, work.patchB, reach, featureOf(work.patchA.id, salt, 3), manifold);
    for (std::size_t i = before; i < manifold.size(); ++i) {
        manifold[i].isOnRidge = true;
        manifold[i].ridge = ridgeAt(t, manifold[i].pointB, triangleNoise * a.reach);
    }
}

void moveTail(Manifold& from, std::size_t first, Manifold& to)
{
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first), from.end());
    from.resize(first);
}

// How far the shape is beyond the side of the prism that it is least deep in.
double sideGap(const PlacedShape& a, const TerrainTriangle& t)
{
    double gap = -HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        const Vec3 outwards = (t.corners[(k + 1) % 3] - t.corners[k]).cross(-t.solid).normalized();
        gap = std::max(gap, -a.along(-outwards) - outwards.dot(t.corners[k]));
    }
    return gap;
}

// Whether points of the shape that reach as deep as any lie over the triangle, farther from its edges than
// they are deep: then no way out is shorter than along the normal, and nothing else need be asked.
bool isFaceBest(const TerrainTriangle& t, const Manifold& manifold, std::size_t first, double faceGap,
                double slack)
{
    if (manifold.size() == first) return false;
    Vec3 foot = Vec3::Zero();
    double gap = 0;
    for (std::size_t i = first; i < manifold.size(); ++i) {
        foot += manifold[i].pointB;
        gap += manifold[i].gap;
    }
    const double count = static_cast<double>(manifold.size() - first);
    foot /= count;
    gap /= count;
    // The sides of a column on a slope lean towards the point.
    const double margin = (t.isColumn ? 3 : 1) * std::max(0., -gap);
    if (gap > faceGap + slack) return false;
    for (int k = 0; k < 3; ++k) {
        const Vec3 edge = t.corners[(k + 1) % 3] - t.corners[k];
        if ((foot - t.corners[k]).dot(t.normal.cross(edge)) < margin * edge.norm()) return false;
    }
    return true;
}

void touchTriangle(const PlacedShape& a, const TerrainTriangle& t, double reach, std::uint32_t salt,
                   ManifoldWork& work, Manifold& manifold)
{
    const double offset = t.normal.dot(t.corners[0]);
    const double faceGap = -a.along(-t.normal) - offset;
    if (faceGap >= reach) return;
    if (!t.isColumn && a.along(t.normal) <= offset) return;  // all of it is behind
    setPatch(t, work.patchB);
    findPatch(a, -t.normal, work.patchA);
    // What is but a point rolls over ridges: there the direction counts, however near to the normal it is.
    const bool isPoint = work.patchA.corners.size() == 1;
    const std::size_t first = manifold.size();
    clipOnto(work.patchB, work.patchA, {false, reach, triangleSlack * a.reach, salt}, work, manifold);
    if (isFaceBest(t, manifold, first, faceGap,
                   isPoint ? triangleNoise * a.reach : facePreference(faceGap, a.reach)))
        return;
    // Sunk in so far that its middle is below: up is the way out, whatever is shorter.
    const bool isSunk = t.normal.dot(a.pose.position) < offset && isOver(t, a.pose.position);
    if (!isRidge(t, 0) && !isRidge(t, 1) && !isRidge(t, 2)) {
        if (!isSunk && faceGap < sideGap(a, t) - facePreference(faceGap, a.reach))
            moveTail(manifold, first, work.doubtful);
        return;
    }

    setPrism(t, 2 * a.reach + reach, work.prism);
    const Proximity p = distance(*a.shape, a.pose, work.prism, {}, work.distance);
    const double slack = isPoint ? triangleNoise * a.reach + p.gap : facePreference(p.distance, a.reach);
    if (isSunk || (faceGap >= p.distance - slack && p.normal.dot(t.normal) < 0)) return;
    if (p.distance >= reach || p.normal.dot(t.normal) > leaning || !allows(t, -p.normal)) {
        moveTail(manifold, first, work.doubtful);
        return;
    }
    manifold.resize(first);
    const Separation found{p.normal, p.distance, p.pointA, p.pointB, Separation::Face::none};
    touchRidge(a, t, found, reach, salt, work, manifold);
}

// Adds the doubtful points that lie in a plane with sure ones, or with the least deep of them.
void addDoubtful(const Manifold& doubtful, double extent, Manifold& found)
{
    if (doubtful.empty()) return;
    if (found.empty())
        found.push_back(*std::max_element(doubtful.begin(), doubtful.end(),
                                          [](const auto& p, const auto& q) { return p.gap < q.gap; }));
    const std::size_t sure = found.size();
    for (const ManifoldPoint& point : doubtful)
        for (std::size_t i = 0; i < sure; ++i)
            if (point.normal.dot(found[i].normal) > sameTriangleNormal &&
                std::abs(point.normal.dot(point.pointB - found[i].pointB)) < samePlane * extent) {
                found.push_back(point);
                break;
            }
}

// Four points to each normal. Corners that lie on an edge were found on both sides of it; what is known of
// a face is better known than what a ridge has at the same place.
void gather(Manifold& found, double extent, Manifold& manifold)
{
    while (!found.empty()) {
        const Vec3 normal = found.front().normal;
        const std::size_t first = manifold.size();
        std::size_t left = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            // The first is of its own kind, even if its normal has no length.
            if (i > 0 && found[i].normal.dot(normal) < sameTriangleNormal) {
                found[left++] = found[i];
                continue;
            }
            const auto known = std::find_if(
                manifold.begin() + static_cast<std::ptrdiff_t>(first), manifold.end(), [&](const auto& p) {
                    const double near =
                        (p.isOnRidge || found[i].isOnRidge ? sameRidgePlace : sameTrianglePlace) * extent;
                    return p.feature == found[i].feature ||
                           (p.pointA - found[i].pointA).squaredNorm() < near * near;
                });
            if (known == manifold.end())
                manifold.push_back(found[i]);
            else if (known->isOnRidge && !found[i].isOnRidge)
                *known = found[i];
        }
        found.resize(left);
        keepFour(manifold, first, triangleNoise * extent);
    }
}

}  // namespace

void findManifold(const PlacedShape& placed, TerrainTriangles& ground, const Pose& groundPose, double reach,
                  ManifoldWork& work, Manifold& manifold)
{
    manifold.clear();
    work.found.clear();
    work.doubtful.clear();
    const PlacedShape a(*placed.shape, placed.faces, groundPose.inverse() * placed.pose);
    BoundingBox box = boundingBox(*a.shape, a.pose);
    box.low.array() -= reach;
    box.high.array() += reach;
    ground.query(box, work.triangles);
    for (const int index : work.triangles)
        touchTriangle(a, ground.triangle(index), reach, static_cast<std::uint32_t>(index), work,
                      work.found);
    addDoubtful(work.doubtful, a.reach, work.found);
    gather(work.found, a.reach, manifold);
    for (ManifoldPoint& point : manifold) {
        point.pointA = groundPose * point.pointA;
        point.pointB = groundPose * point.pointB;
        point.normal = groundPose.orientation * point.normal;
        if (point.isOnRidge) point.ridge = {groundPose * point.ridge.from, groundPose * point.ridge.to};
    }
}

}  // namespace sinew
