// What is wrong with a file, as a whole or at a line of it.
#pragma once

#include <optional>
#include <string>

#include "sinew/base/result.h"

namespace sinew {

inline Diagnostic fileError(std::string file, std::string message, int line = 0)
{
    return {.message = std::move(message), .file = std::move(file), .line = line};
}

// What came of writing: nothing, or what is wrong.
inline std::optional<Diagnostic> faultOf(std::string fault)
{
    if (fault.empty()) return {};
    return Diagnostic{std::move(fault)};
}
template <class T>
std::optional<Diagnostic> faultOf(const Result<T>& result)
{
    if (result) return {};
    return result.error();
}

}  // namespace sinew
