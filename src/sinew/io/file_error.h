// What is wrong with a file as a whole.
#pragma once

#include <string>

#include "sinew/base/result.h"

namespace sinew {

inline Diagnostic fileError(std::string file, std::string message)
{
    Diagnostic error;
    error.message = std::move(message);
    error.file = std::move(file);
    return error;
}

}  // namespace sinew
