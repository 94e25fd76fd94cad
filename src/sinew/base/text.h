// Text of others in lines of ours: names out of files can hold anything, and lines go to terminals.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

// Bytes of the well-formed UTF-8 character that the text starts with; 0 if there is none (overlong
// forms, surrogates and everything past U+10FFFF count as malformed).
int utf8Length(std::string_view text);

// The same text without what a terminal would obey or could not show: control characters (C0, DEL and C1,
// the ends of lines, those that turn the direction of writing) as \u001b, bytes that are not UTF-8 as \xff.
std::string printable(std::string_view text);

// A name as messages have it: so many characters of it, and printable.
std::string shownName(std::string_view name, std::size_t most = 80);

// The same in single quotes.
std::string quotedName(std::string_view name);

// "a, b, c", and an ellipsis after so many.
std::string listedNames(std::span<const std::string_view> names, std::size_t most);
std::string listedNames(const std::vector<std::string>& names, std::size_t most);

}  // namespace sinew
