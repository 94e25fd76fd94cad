// How a crowd varies, as a file (docs/crowd.md).
#pragma once

#include <string>
#include <string_view>

#include "sinew/crowd/variation.h"

namespace sinew {

// `fileName` is for messages only.
Result<Variation> parseVariation(std::string_view text, const std::string& fileName);

}  // namespace sinew
