// How far a point is from the surface of a shape or of terrain, and which way out is: for vertices of
// spring meshes and for particles, which are points.
#pragma once

#include "sinew/geometry/shape.h"
#include "sinew/geometry/terrain.h"

namespace sinew {

struct PointDistance {
    double distance = 0;          // negative inside
    Vec3 normal = Vec3::UnitY();  // of the surface where it is nearest, out of the shape; of length one
};

// In the axes of the shape. Exact to rounding but for ellipsoids, whose nearest point is found by Newton's
// iteration (1e-12 of the size). Where several places are nearest, the first is taken.
PointDistance distanceTo(const Shape& shape, const Vec3& point);

// In the axes of the terrain. A height field ends at its border, beyond which it goes on level; a point
// under a triangle mesh is inside as far as `reach` below the face that is nearest.
PointDistance distanceTo(const Terrain& terrain, const Vec3& point, double reach);

}  // namespace sinew
