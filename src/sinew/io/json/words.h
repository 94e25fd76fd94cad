// Bytes and characters, and words as a message may show them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sinew::json {

// Bytes of the well-formed UTF-8 character that the text starts with; 0 if there is none (overlong
// forms, surrogates and everything past U+10FFFF count as malformed).
int utf8Length(std::string_view text);

void appendUtf8(std::string& out, std::uint32_t codePoint);

// Untrusted text within a message: one line, control characters escaped, long ones cut.
std::string printable(std::string_view text);
std::string quoted(std::string_view text);

// "a, b, c".
std::string joined(std::span<const std::string_view> words);

// The one of `words` that was probably meant, or empty. Case and underscores do not count.
std::string_view nearestWord(std::string_view word, std::span<const std::string_view> words);

}  // namespace sinew::json
