#include "sinew/io/json/words.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace sinew::json {

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

void appendUtf8(std::string& out, std::uint32_t c)
{
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (c < 0x80) {
        put(c);
        return;
    }
    if (c < 0x800) {
        put(0xc0 | (c >> 6));
    } else {
        if (c < 0x10000) {
            put(0xe0 | (c >> 12));
        } else {
            put(0xf0 | (c >> 18));
            put(0x80 | ((c >> 12) & 0x3f));
        }
        put(0x80 | ((c >> 6) & 0x3f));
    }
    put(0x80 | (c & 0x3f));
}

std::string printable(std::string_view text)
{
    constexpr int limit = 48;  // characters
    std::string out;
    for (int shown = 0; !text.empty(); ++shown) {
        if (shown == limit) return out + "…";
        const auto length = static_cast<std::size_t>(std::max(1, utf8Length(text)));
        const auto byte = static_cast<unsigned char>(text[0]);
        if (byte < 0x20 || byte == 0x7f) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
            out += escaped;
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return out;
}

std::string quoted(std::string_view text)
{
    return '"' + printable(text) + '"';
}

std::string joined(std::span<const std::string_view> words)
{
    std::string out;
    for (std::string_view word : words) out.append(out.empty() ? "" : ", ").append(word);
    return out;
}

namespace {

// Letters and digits only, in lower case: angularVelocity is angular_velocity.
std::string bare(std::string_view word)
{
    std::string out;
    for (char c : word) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (c != '_' && c != '-' && c != ' ') out += c;
    }
    return out;
}

// Levenshtein: letters to put in, take out or change.
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

}  // namespace

std::string_view nearestWord(std::string_view word, std::span<const std::string_view> words)
{
    if (word.size() > 64) return {};  // nobody mistyped that
    const std::string meant = bare(word);
    std::string_view best;
    std::size_t bestDistance = std::max<std::size_t>(1, meant.size() / 3) + 1;
    for (std::string_view candidate : words) {
        const std::string other = bare(candidate);
        std::size_t distance = editDistance(meant, other);
        // An abbreviation ("pos") or a longer form ("gravity_vector") is as good as one wrong letter.
        const bool begins = meant.size() >= 3 && (other.starts_with(meant) || meant.starts_with(other));
        if (begins) distance = std::min<std::size_t>(distance, 1);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = candidate;
        }
    }
    return best;
}

}  // namespace sinew::json
