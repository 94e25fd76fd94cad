// Changes a JSON text in a few places and leaves every other byte as it is. For texts that json::parse has
// accepted, so that nothing here can fail. Not a public header.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sinew::gltf {

// Bytes of a text.
struct Span {
    std::size_t begin = 0, end = 0;

    std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

// The value of the whole text, without blanks and comments around it.
Span rootSpan(std::string_view text);
// Values of the items of a list.
std::vector<Span> itemSpans(std::string_view text, Span list);

struct MemberSpan {
    std::string key;
    Span all;  // from the key to the end of the value
    Span value;
};
std::vector<MemberSpan> memberSpans(std::string_view text, Span object);
std::optional<Span> memberValue(std::string_view text, Span object, std::string_view key);

struct Edit {
    Span replaced;  // empty: something is put in before its place
    std::string text;
};
// At the end of a list or an object; `item` has no comma.
Edit appended(std::string_view text, Span bracketed, std::string item);

// All edits at once; they must not overlap. Those in one place go in the order that they have.
std::string edited(std::string_view text, std::vector<Edit> edits);

}  // namespace sinew::gltf
