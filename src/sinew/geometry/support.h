// Convex shapes as support mappings: the point that lies farthest in a direction is all that the distance
// queries need to know of a shape.
//
// A sphere is a point and a capsule a line with a ball rolled around it. Queries see that core and count
// the ball's radius, the margin, apart: distances and depths of cores and of shapes differ by the margins
// exactly, and what is round needs no iterations.
#pragma once

#include "sinew/geometry/shape.h"

namespace sinew {

// The point of the shape's core that lies farthest in the direction (of any length but zero), in the
// shape's axes. Of several the same one is taken each time.
Vec3 coreSupport(const Shape& shape, const Vec3& direction);

// The radius of the ball that the core is swept with; zero for shapes that are their own cores.
double coreMargin(const Shape& shape);

// How far the shape reaches from its own origin.
double reachOf(const Shape& shape);

// The least width along its own axes.
double leastWidth(const Shape& shape);

// A point of the difference A − B of two cores, and where it comes from.
struct DifferencePoint {
    Vec3 a = Vec3::Zero(), b = Vec3::Zero();  // world axes, from the origin of A, so that places far from
                                              // the world's origin cost no digits
    Vec3 value() const { return a - b; }
};

// A − B = { a − b }: convex, and it holds the origin just if A and B meet (van den Bergen 2003, chapter 4).
class CoreDifference {
public:
    CoreDifference(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB);
    DifferencePoint support(const Vec3& direction) const;

private:
    const Shape &a_, &b_;
    Mat3 R_WA_, R_WB_;
    Vec3 offset_;  // from A's origin to B's
};

}  // namespace sinew
