#include "sinew/io/gltf/splice.h"

#include <algorithm>

#include "sinew/io/json/json.h"

namespace sinew::gltf {
namespace {

// Steps over an accepted text. Bounds are kept even so: what they would hide is then a wrong edit, not a
// read past the end.
class Scanner {
public:
    Scanner(std::string_view text, std::size_t at) : text_(text), at_(at) {}

    std::size_t at() const { return at_; }
    bool atEnd() const { return at_ >= text_.size(); }
    char peek() const { return atEnd() ? '\0' : text_[at_]; }
    void step() { ++at_; }

    void blank()
    {
        while (!atEnd()) {
            if (text_.substr(at_, 2) == "//") {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (text_.substr(at_, 2) == "/*") {
                at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
            } else if (std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
                ++at_;
            } else {
                break;
            }
        }
    }

    Span string()
    {
        const std::size_t begin = at_++;
        while (!atEnd() && peek() != '"') at_ += peek() == '\\' ? 2 : 1;
        ++at_;
        return {begin, std::min(at_, text_.size())};
    }

    Span value()
    {
        const std::size_t begin = at_;
        int depth = 0;
        do {
            const char c = peek();
            if (c == '"') {
                string();
            } else if (c == '{' || c == '[') {
                ++depth;
                ++at_;
            } else if (c == '}' || c == ']') {
                --depth;
                ++at_;
            } else if (c == ',' || c == ':') {
                ++at_;
            } else {  // a number or a word
                while (!atEnd() && std::string_view(",:]} \t\r\n/").find(peek()) == std::string_view::npos)
                    ++at_;
            }
            if (depth > 0) blank();
        } while (depth > 0 && !atEnd());
        return {begin, std::min(at_, text_.size())};
    }

private:
    std::string_view text_;
    std::size_t at_;
};

// Goes over what stands between brackets: each(scanner) steps over one item.
template <class Function>
void insideBrackets(std::string_view text, Span bracketed, Function each)
{
    Scanner scanner(text.substr(0, bracketed.end), bracketed.begin + 1);
    for (scanner.blank(); scanner.at() + 1 < bracketed.end; scanner.blank()) {
        if (scanner.peek() == ',')
            scanner.step();
        else
            each(scanner);
    }
}

}  // namespace

Span rootSpan(std::string_view text)
{
    Scanner scanner(text, text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
    scanner.blank();
    return scanner.value();
}

std::vector<Span> itemSpans(std::string_view text, Span list)
{
    std::vector<Span> items;
    insideBrackets(text, list, [&](Scanner& scanner) { items.push_back(scanner.value()); });
    return items;
}

std::vector<MemberSpan> memberSpans(std::string_view text, Span object)
{
    std::vector<MemberSpan> members;
    insideBrackets(text, object, [&](Scanner& scanner) {
        const Span key = scanner.string();
        scanner.blank();
        scanner.step();  // the colon
        scanner.blank();
        const Span value = scanner.value();
        // The parser knows the escapes.
        const Result<json::Value> parsed = json::parse(key.of(text), "");
        members.push_back({parsed ? parsed.value().string() : "", {key.begin, value.end}, value});
    });
    return members;
}

std::optional<Span> memberValue(std::string_view text, Span object, std::string_view key)
{
    for (const MemberSpan& member : memberSpans(text, object))
        if (member.key == key) return member.value;
    return {};
}

Edit appended(std::string_view text, Span bracketed, std::string item)
{
    std::size_t last = bracketed.begin + 1;
    const bool isObject = text[bracketed.begin] == '{';
    if (isObject) {
        const std::vector<MemberSpan> members = memberSpans(text, bracketed);
        if (!members.empty()) last = members.back().all.end;
    } else {
        const std::vector<Span> items = itemSpans(text, bracketed);
        if (!items.empty()) last = items.back().end;
    }
    const bool first = last == bracketed.begin + 1;
    return {{last, last}, (first ? "" : ",") + std::move(item)};
}

std::string edited(std::string_view text, std::vector<Edit> edits)
{
    std::stable_sort(edits.begin(), edits.end(),
                     [](const Edit& a, const Edit& b) { return a.replaced.begin < b.replaced.begin; });
    std::string out;
    std::size_t at = 0;
    for (const Edit& edit : edits) {
        out += text.substr(at, edit.replaced.begin - at);
        out += edit.text;
        at = edit.replaced.end;
    }
    return out += text.substr(at);
}

}  // namespace sinew::gltf
