// Deflate (RFC 1951) in a zlib stream (RFC 1950): bytes that were made smaller → what they were.
//
// The caller says how many there are to be; more than that is refused before memory is taken.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sinew {

// Nothing, where the stream is no such stream, is cut short, or does not give exactly so many bytes.
std::optional<std::string> inflated(std::string_view zlib, std::size_t size);

}  // namespace sinew
