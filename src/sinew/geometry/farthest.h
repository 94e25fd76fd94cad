// Which of many points lie farthest along many directions. Not a public header.
#pragma once

#include <vector>

#include "sinew/math/types.h"

namespace sinew {

// For each direction the index of a point that is farthest along it, to within 1e-13 of the points' extent.
// About n log n for n points and directions, where trying all takes n².
std::vector<int> farthestPoints(const std::vector<Vec3>& points, const std::vector<Vec3>& directions);

}  // namespace sinew
