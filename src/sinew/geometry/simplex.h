// Up to four points of a difference of shapes, and the point of their hull that is nearest to the origin.
#pragma once

#include <array>

#include "sinew/geometry/support.h"

namespace sinew {

struct Simplex {
    std::array<DifferencePoint, 4> points;
    std::array<double, 4> weights{};  // of the nearest point; positive, with the sum one
    int count = 0;
    Vec3 nearest = Vec3::Zero();  // to the origin
    bool holdsOrigin = false;     // a tetrahedron around the origin

    // The parts of the nearest point on A and on B.
    DifferencePoint nearestPair() const;
};

// Adds a point and keeps the corners of the smallest part whose hull has the nearest point. What the
// simplex was must be the result of such a step (or empty), and the point must lie nearer to the origin
// than the plane through the nearest point across its direction: then the new nearest point needs the new
// corner, and eight parts are looked at instead of fifteen (van den Bergen 2003, section 4.3).
//
// Every part's nearest point is taken as a weighted mean of corners with weights between 0 and 1. It may be
// off by rounding, in flat parts by much, but it is a point of the hull for sure, so that the least of all
// is never too small. Parts too flat for their weights are left out; their edges stand for them.
void addPoint(Simplex& simplex, const DifferencePoint& point);

}  // namespace sinew
