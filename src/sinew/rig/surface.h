// Bodies and obstacles of a scene as triangles to look at.
#pragma once

#include "sinew/geometry/surface.h"
#include "sinew/model/description.h"
#include "sinew/state/trajectory.h"

namespace sinew {

// All shapes of a body in its frame.
Surface surfaceOf(const BodyDescription& body);
// In the obstacle's own frame (frameOf); `planeReach` as for terrain.
Surface surfaceOf(const ObstacleDescription& obstacle, double planeReach);
Pose frameOf(const ObstacleDescription& obstacle);
// Enough of a plane for all that moves on it.
double planeReach(const Trajectory& motion);

}  // namespace sinew
