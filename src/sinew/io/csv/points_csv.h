// Particles as a table, for small runs: a row per particle and frame.
#pragma once

#include <cstdint>
#include <string>

#include "sinew/io/binary/points_file.h"

namespace sinew {

// time, system, id, x, y, z, vx, vy, vz (where the file has them), radius, red, green, blue, opacity. Gives
// the size of the file, which is whole or not there.
Result<std::uint64_t> writePointsCsv(const std::string& path, PointsReader& points);

}  // namespace sinew
