// Simple volumes about sets of points: if two of them do not overlap, neither do the things inside. They
// differ in how well they fit and in what a test costs (docs/collision.md has the figures).
//
//     BoundingSphere  turns and moves with its object for one point's cost
//     BoundingBox     along the world's axes; is fitted anew when its object turns
//     OrientedBox     turns and moves with its object
//     BoundingSlabs   between pairs of planes of given directions; is fitted anew when its object turns
//     BoundingHull    the best convex fit; a test costs as much as one of polyhedra
//
// All are closed: what touches overlaps. Every point that a volume was built from is inside it, without a
// tolerance. Tests never reject what overlaps; within rounding of touching they may keep what does not.
//
// Builders need at least one finite point and say what is wrong otherwise; all but the hull take points in
// one plane, on one line or in one place.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/geometry/shape.h"
#include "sinew/math/types.h"

namespace sinew {

// ---- spheres ------------------------------------------------------------------------------------

struct BoundingSphere {
    Vec3 center = Vec3::Zero();
    double radius = 0;
};

// In two passes over the points (Ritter 1990): the farther of the pairs of extreme points in x, y and z
// is a diameter to begin with, and each point that is outside makes the sphere grow to it. O(n).
Result<BoundingSphere> quickSphere(const std::vector<Vec3>& points);

// The smallest one (Welzl 1991), in a shuffled order that is the same every time. O(n) on average.
Result<BoundingSphere> smallestSphere(const std::vector<Vec3>& points);

bool contains(const BoundingSphere& sphere, const Vec3& point);
bool overlaps(const BoundingSphere& a, const BoundingSphere& b);
double volume(const BoundingSphere& sphere);
BoundingSphere moved(const Pose& pose, const BoundingSphere& sphere);

// ---- boxes --------------------------------------------------------------------------------------

struct BoundingBox {
    Vec3 low = Vec3::Zero(), high = Vec3::Zero();
};

// Of points that are placed by a pose.
Result<BoundingBox> boundingBox(const std::vector<Vec3>& points, const Pose& pose = {});

// Of a checked shape that is placed by a pose; each side touches the shape, to rounding.
BoundingBox boundingBox(const Shape& shape, const Pose& pose);

bool contains(const BoundingBox& box, const Vec3& point);
bool contains(const BoundingBox& outer, const BoundingBox& inner);
bool overlaps(const BoundingBox& a, const BoundingBox& b);
double volume(const BoundingBox& box);
double surface(const BoundingBox& box);
// The smallest box about both.
BoundingBox joined(const BoundingBox& a, const BoundingBox& b);

struct OrientedBox {
    Vec3 center = Vec3::Zero();
    Mat3 axes = Mat3::Identity();  // columns: a rotation
    Vec3 half = Vec3::Zero();      // half the edges
};

// The smaller of two boxes: the one along the principal axes of the hull's inertia, taken as a solid, so
// that it does not matter how densely its faces are strewn with points; and the one along the axes of the
// coordinates, which is the better one where moments are nearly equal and their axes thus arbitrary, as
// for a cube. Points that have no hull with a volume lend their own second moments. O(n²), for the hull.
Result<OrientedBox> orientedBox(const std::vector<Vec3>& points);

bool contains(const OrientedBox& box, const Vec3& point);
bool overlaps(const OrientedBox& a, const OrientedBox& b);
double volume(const OrientedBox& box);
OrientedBox moved(const Pose& pose, const OrientedBox& box);

// ---- slabs --------------------------------------------------------------------------------------

// Between pairs of planes, low ≤ n · p ≤ high: a discrete-orientation polytope (Klosowski et al. 1998).
struct BoundingSlabs {
    std::span<const Vec3> directions;  // n, of any length; the caller's, who keeps them
    std::vector<double> low, high;     // one each
};

// The usual ones, by the number of planes: 6 (the axes), 14 (and the cube's diagonals), 18 (the axes and
// the diagonals of its faces) or 26 (all of these). Others are a programmer's mistake.
std::span<const Vec3> slabDirections(int planes);

Result<BoundingSlabs> boundingSlabs(const std::vector<Vec3>& points, std::span<const Vec3> directions,
                                    const Pose& pose = {});
// The same for directions known to be good and points known to be finite, into memory that is kept.
void fitSlabs(const std::vector<Vec3>& points, const Pose& pose, BoundingSlabs& slabs);

bool contains(const BoundingSlabs& slabs, const Vec3& point);
// Both must have the same directions (the same span).
bool overlaps(const BoundingSlabs& a, const BoundingSlabs& b);
// Infinite if the directions leave a way out.
double volume(const BoundingSlabs& slabs);

// ---- hulls --------------------------------------------------------------------------------------

struct BoundingHull {
    struct Plane {
        Vec3 normal;
        double offset;  // inside: normal · p ≤ offset
    };
    std::vector<Vec3> corners;
    std::vector<std::array<int, 3>> faces;  // counter-clockwise from outside
    std::vector<Plane> planes;              // one per face
};

// Or why there is none: all points in one plane, on one line, in one place.
Result<BoundingHull> boundingHull(const std::vector<Vec3>& points);

bool contains(const BoundingHull& hull, const Vec3& point);
bool overlaps(const BoundingHull& a, const Pose& poseA, const BoundingHull& b, const Pose& poseB);
double volume(const BoundingHull& hull);

// The hull by gift wrapping: slow, O(n · faces), and easy to follow. It checks `convexHull` (mass.h), whose
// interface it shares.
Result<std::vector<std::array<int, 3>>> giftWrappedHull(const std::vector<Vec3>& points);

}  // namespace sinew
