// Two convex shapes, and a convex shape on a half-space.
//
// Where a face has the normal, the patch that the other shape turns to it is cut along the face's edges:
// the corners that are left are where the two touch. Everywhere else there is one point, or two where
// edges or cores run beside each other.
#include "sinew/collision/manifold.h"

#include <algorithm>
#include <cmath>

#include "sinew/geometry/support.h"

namespace sinew {
namespace {

// In units of the smaller shape's reach. Faces of one size whose edges are off by less than the first keep
// the corners, and thereby the features, of one of them; a point so little beside a face does no harm.
constexpr double clipSlack = 1e-4;
constexpr double noise = 1e-9;
// A place that is deeper than all points of a face by less is not worth one of its own: it would come and
// go.
constexpr double beside = 1e-5;

void moveBy(const Vec3& offset, Manifold& manifold)
{
    for (ManifoldPoint& point : manifold) {
        point.pointA += offset;
        point.pointB += offset;
    }
}

// The face was taken for a direction slightly better, or for an octagon instead of a disc: the deepest
// place may lie beside it, and is a point of its own then.
void addDeepest(const Separation& separation, const Patch& a, const Patch& b, double reach, double extent,
                Manifold& manifold)
{
    const double gap = separation.normal.dot(separation.pointB - separation.pointA);
    for (const ManifoldPoint& point : manifold)
        if (point.gap <= gap + beside * extent) return;
    ManifoldPoint point{separation.pointA - a.round * separation.normal,
                        separation.pointB + b.round * separation.normal,
                        a.round,
                        b.round,
                        separation.normal,
                        gap,
                        featureOf(a.id, b.id, 11)};
    if (gap < reach) manifold.push_back(point);
}

// Of the corners of a mesh near a plane, those of the face that looks down most come first, then the lower
// ones: where a body that moves fast has many in reach, four that span most would miss those that it stands
// on.
void preferFace(const PlacedShape& a, const Vec3& down, Manifold& manifold)
{
    if (!std::holds_alternative<ConvexMesh>(*a.shape) || manifold.size() <= 4) return;
    const ConvexFaces& polygons = *a.faces;
    const Vec3 local = a.R.transpose() * down;
    const auto face = std::max_element(
        polygons.faces.begin(), polygons.faces.end(),
        [&](const auto& f, const auto& g) { return f.normal.dot(local) < g.normal.dot(local); });
    const auto first = polygons.corners.begin() + face->first, last = first + face->count;
    const auto isOfFace = [&](const ManifoldPoint& p) {
        return std::find(first, last, static_cast<int>(p.feature)) != last;
    };
    const auto others = std::partition(manifold.begin(), manifold.end(), isOfFace);
    std::sort(manifold.begin(), others, [](const auto& p, const auto& q) { return p.feature < q.feature; });
    std::sort(others, manifold.end(), [](const auto& p, const auto& q) {
        return p.gap != q.gap ? p.gap < q.gap : p.feature < q.feature;
    });
    manifold.resize(std::max<std::size_t>(4, static_cast<std::size_t>(others - manifold.begin())));
}

// Corners of a shape that can stand on a plane.
template <class Add>
void eachCorner(const PlacedShape& a, const Vec3& down, Patch& patch, Add add)
{
    if (const auto* box = std::get_if<Box>(a.shape)) {
        for (int i = 0; i < 8; ++i)
            add(a.pose.position + a.R * Vec3(0.5 * box->size.cwiseProduct(Vec3(
                                                       i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1))),
                0., static_cast<std::uint32_t>(i));
        return;
    }
    if (const auto* mesh = std::get_if<ConvexMesh>(a.shape)) {
        for (std::size_t i = 0; i < mesh->vertices.size(); ++i)
            add(a.pose.position + a.R * mesh->vertices[i], 0., static_cast<std::uint32_t>(i));
        return;
    }
    findPatch(a, down, patch);
    for (std::size_t i = 0; i < patch.corners.size(); ++i)
        add(patch.corners[i], patch.round, 16 * patch.id + static_cast<std::uint32_t>(i));
}

}  // namespace

void findManifold(const PlacedShape& placedA, const PlacedShape& placedB, double reach, ManifoldWork& work,
                  Manifold& manifold)
{
    manifold.clear();
    // From A's origin, so that places far from the world's cost no digits.
    PlacedShape a = placedA, b = placedB;
    a.pose.position.setZero();
    b.pose.position -= placedA.pose.position;
    if (b.pose.position.norm() - a.reach - b.reach >= reach) return;

    const Separation found = separate(a, b, reach, work);
    if (!(found.gap < reach)) return;
    findPatch(a, found.normal, work.patchA);
    findPatch(b, -found.normal, work.patchB);
    const double extent = std::min(a.reach, b.reach);
    if (found.face == Separation::Face::none) {
        touchAlong(found, work.patchA, work.patchB, reach, featureOf(work.patchA.id, work.patchB.id, 0),
                   manifold);
    } else {
        const bool faceIsA = found.face == Separation::Face::ofA;
        const Patch &face = faceIsA ? work.patchA : work.patchB,
                    &other = faceIsA ? work.patchB : work.patchA;
        const ClipRequest request{faceIsA, reach, clipSlack * extent, 0};
        clipOnto(face, other, request, work, manifold);
        addDeepest(found, work.patchA, work.patchB, reach, extent, manifold);
        keepFour(manifold, 0, noise * extent);
    }
    moveBy(placedA.pose.position, manifold);
}

void findManifold(const PlacedShape& a, const HalfSpace& ground, const Pose& groundPose, double reach,
                  ManifoldWork& work, Manifold& manifold)
{
    manifold.clear();
    const Vec3 up = groundPose.orientation * ground.normal;
    const double offset = ground.offset + up.dot(groundPose.position);
    eachCorner(a, -up, work.patchA, [&](const Vec3& corner, double round, std::uint32_t feature) {
        const double height = up.dot(corner) - offset;
        if (height - round < reach)
            manifold.push_back(
                {corner, corner - height * up, round, 0, -up, height - round, feature, Contact::Face::ofB});
    });
    preferFace(a, -up, manifold);
    keepFour(manifold, 0, noise * a.reach);
}

}  // namespace sinew
