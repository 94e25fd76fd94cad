// Whether the checkpoint of a run can be what a run of its scene left.
#pragma once

#include <optional>

#include "sinew/apps/checkpoint.h"
#include "sinew/base/result.h"
#include "sinew/simulation/live.h"

namespace sinew {

// The scene of a checkpoint, and a simulation of it that goes on where the checkpoint was made.
struct RestoredRun {
    Description description;
    LiveSimulation live;
};
// `path` of the checkpoint is for messages only.
Result<RestoredRun> restoredRun(const RunRecord& record, const std::string& path);

// What of the tables in the folder is not what the checkpoint speaks of: cut in the midst of a row, rows of
// another width, more or fewer frames.
std::optional<Diagnostic> unfitTables(const RunRecord& record, const Model& model, bool hasContacts,
                                      const std::string& directory);

}  // namespace sinew
