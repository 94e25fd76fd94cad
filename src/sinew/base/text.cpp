#include "sinew/base/text.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace sinew {
namespace {

std::uint32_t codePoint(std::string_view character)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
    if (character.size() == 1) return byte(0);
    std::uint32_t code = byte(0) & (0x7fu >> character.size());
    for (std::size_t i = 1; i < character.size(); ++i) code = code << 6 | (byte(i) & 0x3fu);
    return code;
}

bool isControl(std::uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

// All of it, or so many characters and then an ellipsis.
std::string escaped(std::string_view text, std::size_t most)
{
    std::string out;
    for (std::size_t shown = 0; !text.empty(); ++shown) {
        if (shown == most) return out + "…";
        const int known = utf8Length(text);
        const std::string_view character = text.substr(0, static_cast<std::size_t>(std::max(1, known)));
        const std::uint32_t code = codePoint(character);
        char escape[16];
        if (known == 0)
            std::snprintf(escape, sizeof escape, "\\x%02x", code);
        else
            std::snprintf(escape, sizeof escape, "\\u%04x", code);
        if (known == 0 || isControl(code))
            out += escape;
        else
            out += character;
        text.remove_prefix(character.size());
    }
    return out;
}

}  // namespace

int utf8Length(std::string_view text)
{
    if (text.empty()) return 0;
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : static_cast<unsigned char>(0);
    };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4) return 0;  // a continuation, overlong, or too large
    const int length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    // The second byte's range rules out overlong forms, surrogates and what lies past U+10FFFF.
    const unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (byte(1) < low || byte(1) > high) return 0;
    for (int i = 2; i < length; ++i)
        if (byte(static_cast<std::size_t>(i)) < 0x80 || byte(static_cast<std::size_t>(i)) > 0xbf) return 0;
    return length;
}

std::string printable(std::string_view text)
{
    return escaped(text, text.npos);
}

std::string shownName(std::string_view name, std::size_t most)
{
    return escaped(name, most);
}

std::string quotedName(std::string_view name)
{
    return "'" + shownName(name) + "'";
}

std::string listedNames(std::span<const std::string_view> names, std::size_t most)
{
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i == most) return out + ", …";
        out += (i == 0 ? "" : ", ") + shownName(names[i]);
    }
    return out;
}

std::string listedNames(const std::vector<std::string>& names, std::size_t most)
{
    const std::vector<std::string_view> views(names.begin(), names.end());
    return listedNames(std::span(views), most);
}

}  // namespace sinew
