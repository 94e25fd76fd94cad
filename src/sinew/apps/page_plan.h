// A planned motion and how it was found (plan.csv, iterations.csv) in the page of its run.
#pragma once

#include <string>

#include "sinew/apps/run_files.h"
#include "sinew/io/whole_file.h"

namespace sinew {

// The entry of the page's data (web/README.md) from those of the two tables that are there; nothing without
// them. Gives an empty string, or what is wrong.
std::string writePlan(WholeFile& page, const RunFiles& files);

}  // namespace sinew
