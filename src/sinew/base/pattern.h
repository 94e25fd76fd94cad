// Patterns of names, as shells have them: * is any run of characters, ? is one. Capital and small
// letters are the same.
#pragma once

#include <string_view>

namespace sinew {

inline bool matchesPattern(std::string_view pattern, std::string_view name)
{
    const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    // After a mismatch the last star takes one character more; earlier stars need not be looked at again.
    std::size_t p = 0, n = 0, star = std::string_view::npos, taken = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            taken = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || small(pattern[p]) == small(name[n]))) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++taken;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

}  // namespace sinew
