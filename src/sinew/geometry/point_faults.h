// What can be wrong with a set of points before any geometry starts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/math/types.h"

namespace sinew {

// The first point that is not finite.
inline std::optional<Diagnostic> notFinite(const std::vector<Vec3>& points)
{
    for (std::size_t i = 0; i < points.size(); ++i)
        if (!points[i].allFinite())
            return Diagnostic{"point is not finite, it must be three numbers", "/" + std::to_string(i), {}};
    return {};
}

// Points that have no hull with a volume.
inline Diagnostic noHull(const std::string& how)
{
    return {how + ", a convex hull needs four points that span a volume", {}, {}};
}

// What a bounding volume cannot be built about.
inline std::optional<Diagnostic> nothingToBound(const std::vector<Vec3>& points)
{
    if (points.empty()) return Diagnostic{"there are no points, a bounding volume needs one", {}, {}};
    return notFinite(points);
}

}  // namespace sinew
