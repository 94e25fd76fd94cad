// Shapes and terrain as triangles to look at, with a normal at every point.
#pragma once

#include <array>
#include <vector>

#include "sinew/geometry/shape.h"
#include "sinew/geometry/terrain.h"

namespace sinew {

struct Surface {
    std::vector<Vec3> points, normals;      // as many of the one as of the other
    std::vector<std::array<int, 3>> faces;  // counter-clockwise from outside
};

// What is round has 24 corners to a turn, all of them on the shape, and smooth normals; edges are sharp.
Surface surfaceOf(const Shape& shape);
// A plane goes on forever: of it there is a square, this far from its middle to the sides.
Surface surfaceOf(const Terrain& terrain, double planeReach);
// Facing up.
Surface squareSurface(double reach);

void append(Surface& to, const Surface& part, const Pose& pose);

}  // namespace sinew
