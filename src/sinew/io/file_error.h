// What is wrong with a file, as a whole or at a line of it.
#pragma once

#include <string>

#include "sinew/base/result.h"

namespace sinew {

inline Diagnostic fileError(std::string file, std::string message, int line = 0)
{
    return {.message = std::move(message), .file = std::move(file), .line = line};
}

}  // namespace sinew
