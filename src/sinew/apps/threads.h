// The option --threads.
#pragma once

#include <optional>

#include "sinew/base/result.h"

namespace sinew {

// How many threads to use, or what is wrong with the wish. More than can run at a time are not used, which
// is said on stderr.
Result<int> chosenThreads(std::optional<int> wish, int fallback);

}  // namespace sinew
