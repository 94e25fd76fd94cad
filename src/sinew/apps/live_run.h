// Runs with hands on them: live, by the clock and by lines from standard input; or replayed from a
// recording. docs/cli.md has the form of the lines.
#pragma once

#include <string>

#include "sinew/apps/run_record.h"

namespace sinew {

// Each gives an empty string, or the line that says why the run cannot go on.
std::string stepLive(Run& run);
std::string stepReplayed(Run& run);

}  // namespace sinew
