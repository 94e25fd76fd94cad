// Bytes as text: base64 (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sinew {

std::string base64Text(std::string_view bytes);

// The bytes of such a text; nothing if it is not base64, or not whole.
std::optional<std::string> base64Bytes(std::string_view text);

}  // namespace sinew
