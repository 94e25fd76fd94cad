// Opens a table to be read back.
#pragma once

#include <cstdio>
#include <string>

#include "sinew/base/result.h"

namespace sinew {

// The caller closes it. A pipe is refused: it would keep us waiting.
Result<std::FILE*> openRegular(const std::string& path);

}  // namespace sinew
