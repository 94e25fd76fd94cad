// Points brought to one size, so that the tolerances of mesh algorithms need no units.
#pragma once

#include <vector>

#include "sinew/math/types.h"

namespace sinew {

// Coordinates from −1 to 1 about the middle of the bounding box (all zero if the points coincide).
inline std::vector<Vec3> scaledPoints(const std::vector<Vec3>& points)
{
    if (points.empty()) return {};
    Vec3 low = points[0], high = points[0];
    for (const Vec3& p : points) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    // Halved before they are added, because the largest numbers would overflow.
    const Vec3 middle = 0.5 * low + 0.5 * high;
    const double extent = (high - middle).maxCoeff();
    std::vector<Vec3> result;
    result.reserve(points.size());
    for (const Vec3& p : points) result.push_back(extent > 0 ? Vec3((p - middle) / extent) : Vec3::Zero());
    return result;
}

}  // namespace sinew
