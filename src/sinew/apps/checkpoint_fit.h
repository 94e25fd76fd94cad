// Whether a checkpoint can be what a run of its scene left: a right hash only says that it is as somebody
// wrote it.
#pragma once

#include <optional>

#include "sinew/apps/checkpoint.h"
#include "sinew/base/result.h"
#include "sinew/simulation/simulation.h"

namespace sinew {

// What of the state cannot be one of this simulation of the scene, or an empty string.
std::string unfitState(const Checkpoint& record, const Simulation& simulation,
                       const Description& description);

// What of the tables in the folder is not what the checkpoint speaks of: cut in the midst of a row, rows of
// another width, more or fewer frames.
std::optional<Diagnostic> unfitTables(const Checkpoint& record, const Model& model, bool hasContacts,
                                      const std::string& directory);

}  // namespace sinew
