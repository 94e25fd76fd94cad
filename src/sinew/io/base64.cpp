#include "sinew/io/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace sinew {
namespace {

constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The value of every character; -1 for those that are none of the alphabet.
constexpr std::array<int, 256> makeValues()
{
    std::array<int, 256> values{};
    values.fill(-1);
    for (int i = 0; i < 64; ++i) values[static_cast<unsigned char>(alphabet[i])] = i;
    return values;
}
constexpr std::array<int, 256> valueOf = makeValues();

}  // namespace

std::string base64Text(std::string_view bytes)
{
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t present = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j)
            group = group << 8 | (j < present ? static_cast<unsigned char>(bytes[i + j]) : 0u);
        for (std::size_t j = 0; j < 4; ++j)
            text += j <= present ? alphabet[group >> (18 - 6 * j) & 63] : '=';
    }
    return text;
}

std::optional<std::string> base64Bytes(std::string_view text)
{
    if (text.size() % 4 != 0) return {};
    std::size_t padding = 0;
    while (padding < 2 && text.ends_with('=')) {
        text.remove_suffix(1);
        ++padding;
    }
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t bits = 0;
    int count = 0;
    for (char c : text) {
        const int value = valueOf[static_cast<unsigned char>(c)];
        if (value < 0) return {};
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += static_cast<char>(bits >> count & 0xffu);
    }
    return bytes;
}

}  // namespace sinew
