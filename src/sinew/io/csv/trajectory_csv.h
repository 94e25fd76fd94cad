// trajectory.csv as a value: read back, and written at whatever frames it has.
#pragma once

#include <cstdint>
#include <string>

#include "sinew/base/result.h"
#include "sinew/state/trajectory.h"

namespace sinew {

// The table of a run of this model. Times must rise, and all numbers be finite.
Result<Trajectory> readTrajectory(const std::string& path, const Model& model);

// In the form of the command's own table (docs/cli.md). Gives its size.
Result<std::uint64_t> writeTrajectory(const std::string& path, const Model& model,
                                      const Trajectory& motion);

}  // namespace sinew
