#include "sinew/base/words.h"

#include <algorithm>
#include <vector>

#include "sinew/base/text.h"

namespace sinew::words {

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

std::string quoted(std::string_view text)
{
    return '"' + shownName(text, longestWord) + '"';
}

std::string joined(std::span<const std::string_view> words)
{
    return listedNames(words, mostWords);
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

}  // namespace sinew::words
