// What fuzz targets have in common.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sinew/base/result.h"

namespace sinew {

inline void expect(bool holds)
{
    if (!holds) std::abort();
}

inline bool isOneLine(const std::string& text)
{
    return !text.empty() && text.find('\n') == std::string::npos;
}

inline std::string_view textOf(const std::uint8_t* data, std::size_t size)
{
    return {reinterpret_cast<const char*>(data), size};
}

// No file lies beside the one that is read.
inline Result<std::string> nothingBeside(const std::string&, std::size_t)
{
    Diagnostic error;
    error.message = "not there";
    return error;
}

}  // namespace sinew
