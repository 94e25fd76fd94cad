// Where a shape can touch something flat or much larger than itself: balls and corners that stand for its
// surface.
#pragma once

#include <vector>

#include "sinew/geometry/shape.h"

namespace sinew {

struct Ball {
    Vec3 center = Vec3::Zero();
    double radius = 0;  // zero: a corner
};

// Of a checked shape, in its own axes. All of them lie inside the shape and touch its surface. Exact
// against a plane for spheres, capsules, boxes and meshes:
//     sphere      itself
//     capsule     its two caps
//     box, mesh   the corners
//     cylinder    8 points on each rim
//     ellipsoid   14 points: the ends of its axes and the eight directions between them; a ball if round
std::vector<Ball> contactBalls(const Shape& shape);

}  // namespace sinew
