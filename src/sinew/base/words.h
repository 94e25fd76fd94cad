// Characters, and words as a message may show them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sinew::words {

void appendUtf8(std::string& out, std::uint32_t codePoint);

// Characters that a message shows of a key or of a value: it may name both, and the key twice.
inline constexpr std::size_t longestWord = 48;

// Untrusted text within a message: one line, control characters escaped, long ones cut, in double quotes.
std::string quoted(std::string_view text);

// "a, b, c". A message need not list all clips of a file.
inline constexpr std::size_t mostWords = 100;
std::string joined(std::span<const std::string_view> words);

// The one of `words` that was probably meant, or empty. Case and underscores do not count.
std::string_view nearestWord(std::string_view word, std::span<const std::string_view> words);

}  // namespace sinew::words
