// Particles as prims of the type Points (UsdGeomPoints).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/binary/points_file.h"
#include "sinew/io/usd/usd_text.h"

namespace sinew {

// One prim for each system, with places, widths, colours, opacities and ids over time: frame k is at
// codes[k]. Gives nothing, or what is wrong with the file of particles.
std::optional<Diagnostic> writePoints(UsdText& text, const std::vector<std::string>& names,
                                      PointsReader& points, const std::vector<double>& codes);

}  // namespace sinew
