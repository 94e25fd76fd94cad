// Text → Element, by recursive descent.
#include "sinew/io/xml/xml.h"

#include <charconv>
#include <cmath>
#include <cstdint>

#include "sinew/base/text.h"
#include "sinew/base/words.h"
#include "sinew/io/file_error.h"

namespace sinew::xml {
namespace {

bool startsName(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool isInName(char c)
{
    return startsName(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

struct Place {
    int line = 1;
    int column = 1;
};

class Parser {
public:
    Parser(std::string_view text, const std::string& file)
        : text_(text), file_(std::make_shared<const std::string>(file))
    {
        error_.file = file;
    }

    Result<Element> run()
    {
        if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;  // byte order mark
        if (!checkCharacters()) return error_;
        Element root;
        if (!skipAround("before the first element")) return error_;
        if (atEnd()) return fail("the file is empty; an XML element is expected"), error_;
        if (!element(root, 1) || !skipAround("after the root element has ended")) return error_;
        if (!atEnd()) return fail("a second root element; a file has one"), error_;
        return root;
    }

private:
    bool atEnd() const { return at_ >= text_.size(); }
    char peek() const { return atEnd() ? '\0' : text_[at_]; }
    bool isAt(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

    // Where a byte stands. Asked for in rising order, as the parser goes, so that the whole costs one pass.
    Place place(std::size_t byte)
    {
        if (byte < counted_) counted_ = 0, place_ = {};
        for (; counted_ < byte; ++counted_) {
            const auto c = static_cast<unsigned char>(text_[counted_]);
            if (c == '\n')
                place_ = {place_.line + 1, 1};
            else if ((c & 0xC0) != 0x80 && !(counted_ == 0 && c == 0xEF && at_ >= 3))
                ++place_.column;
        }
        return place_;
    }

    bool failAt(std::size_t byte, std::string message)
    {
        const Place where = place(byte);
        error_.line = where.line;
        error_.column = where.column;
        error_.message = std::move(message);
        return false;
    }
    bool fail(std::string message) { return failAt(at_, std::move(message)); }
    bool failExpecting(const std::string& expected)
    {
        if (atEnd()) return fail("the file ends, but " + expected + " is expected");
        const auto length = static_cast<std::size_t>(utf8Length(text_.substr(at_)));
        return fail(expected + " is expected, found " + words::quoted(text_.substr(at_, length)));
    }

    bool checkCharacters()
    {
        for (std::size_t i = at_; i < text_.size();) {
            const auto c = static_cast<unsigned char>(text_[i]);
            const int length = c < 0x20 && !isBlank(text_[i]) ? 0 : utf8Length(text_.substr(i, 4));
            if (length == 0) return failAt(i, "a byte that is not text in UTF-8, or a control character");
            i += static_cast<std::size_t>(length);
        }
        return true;
    }

    void skipBlank()
    {
        while (!atEnd() && isBlank(text_[at_])) ++at_;
    }

    // Past `opening` and everything up to `closing`.
    bool skipTo(std::string_view opening, std::string_view closing, const char* what)
    {
        const std::size_t start = at_;
        const std::size_t end = text_.find(closing, at_ + opening.size());
        if (end == std::string_view::npos)
            return failAt(start, std::string(what) + " that begins here is never closed by " +
                                     words::quoted(closing));
        at_ = end + closing.size();
        return true;
    }

    // A comment or a processing instruction, if there is one; `good` turns false if it does not end.
    bool skipAside(bool& good)
    {
        if (isAt("<!--"))
            good = skipTo("<!--", "-->", "a comment");
        else if (isAt("<?"))
            good = skipTo("<?", "?>", "a processing instruction");
        else
            return false;
        return true;
    }

    // What may stand outside the root element.
    bool skipAround(const char* where)
    {
        for (bool good = true; good;) {
            skipBlank();
            if (atEnd()) return true;
            if (skipAside(good)) continue;
            if (isAt("<!"))
                return fail("document types and entities of one's own are not read; leave them out");
            if (peek() != '<') return fail(std::string("there is text ") + where);
            return true;
        }
        return false;
    }

    bool name(std::string& out, const char* what)
    {
        if (atEnd() || !startsName(peek())) return failExpecting(what);
        const std::size_t start = at_;
        while (!atEnd() && isInName(text_[at_])) ++at_;
        if (at_ - start > longestName)
            return failAt(start, std::string(what) + " has more than 1000 bytes");
        out = text_.substr(start, at_ - start);
        return true;
    }

    // &lt; and the like; at the '&'.
    bool entity(std::string& out)
    {
        const std::size_t start = at_;
        const std::size_t end = text_.find(';', at_);
        constexpr std::size_t longest = 12;
        if (end == std::string_view::npos || end - start > longest)
            return fail(
                "'&' begins an entity such as &amp; that ends in ';'; for the sign itself write &amp;");
        const std::string_view word = text_.substr(start + 1, end - start - 1);
        at_ = end + 1;
        struct Named {
            std::string_view name;
            char character;
        };
        for (const Named& named : {Named{"lt", '<'}, Named{"gt", '>'}, Named{"amp", '&'},
                                   Named{"quot", '"'}, Named{"apos", '\''}})
            if (word == named.name) return out += named.character, true;
        if (word.substr(0, 1) != "#")
            return failAt(start, "unknown entity " + words::quoted(word) +
                                     "; only lt, gt, amp, quot, apos and numbers are read");
        const bool isHex = word.substr(1, 1) == "x";
        const std::string_view digits = word.substr(isHex ? 2 : 1);
        std::uint32_t code = 0;
        const auto [last, problem] =
            std::from_chars(digits.data(), digits.data() + digits.size(), code, isHex ? 16 : 10);
        const bool isNumber =
            problem == std::errc() && last == digits.data() + digits.size() && !digits.empty();
        const bool isCharacter = (code >= 0x20 || code == '\t' || code == '\n' || code == '\r') &&
                                 code <= 0x10FFFF && !(code >= 0xD800 && code < 0xE000);
        if (!isNumber || !isCharacter)
            return failAt(start, words::quoted(word) + " is not the number of a character");
        words::appendUtf8(out, code);
        return true;
    }

    bool attribute(Element& into)
    {
        const std::size_t start = at_;
        if (++attributes_ > maxAttributes)
            return fail("more than 4000000 attributes; the limit is reached");
        if (into.attributes.size() == maxAttributesOfOne)
            return fail("more than 1000 attributes in one element; the limit is reached");
        Attribute attribute;
        if (!name(attribute.name, "the name of an attribute")) return false;
        if (into.find(attribute.name))
            return failAt(start,
                          "attribute " + words::quoted(attribute.name) + " stands twice in this element");
        const Place where = place(start);
        attribute.line = where.line;
        attribute.column = where.column;
        skipBlank();
        if (peek() != '=') return failExpecting("'=' after the name of an attribute");
        ++at_;
        skipBlank();
        const char quote = peek();
        if (quote != '"' && quote != '\'') return failExpecting("a value in quotes");
        const std::size_t opening = at_++;
        while (!atEnd() && peek() != quote) {
            if (peek() == '<')
                return fail("'<' in the value of an attribute; write &lt;, or close the quotes");
            if (peek() == '&') {
                if (!entity(attribute.value)) return false;
                continue;
            }
            attribute.value += isBlank(peek()) ? ' ' : peek();
            ++at_;
        }
        if (atEnd()) return failAt(opening, "the quotes that begin here are never closed");
        ++at_;
        into.attributes.push_back(std::move(attribute));
        return true;
    }

    // At its '<'.
    bool element(Element& out, int depth)
    {
        const std::size_t start = at_;
        if (depth > maxDepth) return fail("more than 200 elements inside each other; the limit is reached");
        if (++elements_ > maxElements) return fail("more than 1000000 elements; the limit is reached");
        const Place where = place(at_);
        out.line = where.line;
        out.column = where.column;
        out.file = file_;
        ++at_;
        if (!name(out.name, "the name of an element")) return false;
        for (;;) {
            const bool isApart = isBlank(peek());
            skipBlank();
            if (isAt("/>")) return at_ += 2, true;
            if (peek() == '>') break;
            if (atEnd())
                return failAt(start, "the tag " + words::quoted(out.name) +
                                         " that begins here is never closed by '>'");
            if (!isApart) return failExpecting("a blank, '>' or '/>'");
            if (!attribute(out)) return false;
        }
        ++at_;
        return content(out, start, depth);
    }

    // After the start tag, through the end tag.
    bool content(Element& out, std::size_t start, int depth)
    {
        for (;;) {
            if (atEnd())
                return failAt(
                    start, "the element " + words::quoted(out.name) + " that begins here is never closed");
            bool good = true;
            if (skipAside(good)) {
                if (!good) return false;
            } else if (isAt("<![CDATA[")) {
                const std::size_t inside = at_ + 9;
                if (!skipTo("<![CDATA[", "]]>", "a CDATA part")) return false;
                out.text += text_.substr(inside, at_ - 3 - inside);
            } else if (isAt("</")) {
                return endTag(out);
            } else if (isAt("<!")) {
                return fail("declarations are not read inside an element");
            } else if (peek() == '<') {
                out.children.emplace_back();
                if (!element(out.children.back(), depth + 1)) return false;
            } else if (peek() == '&') {
                if (!entity(out.text)) return false;
            } else {
                out.text += text_[at_++];
            }
        }
    }

    bool endTag(const Element& element)
    {
        const std::size_t start = at_;
        at_ += 2;
        std::string closed;
        if (!name(closed, "the name of an element")) return false;
        if (closed != element.name)
            return failAt(start, words::quoted(closed) + " is closed, but the open element is " +
                                     words::quoted(element.name) + " of line " +
                                     std::to_string(element.line));
        skipBlank();
        if (peek() != '>') return failExpecting("'>'");
        ++at_;
        return true;
    }

    std::string_view text_;
    std::shared_ptr<const std::string> file_;
    std::size_t at_ = 0;
    std::size_t counted_ = 0;  // bytes before place_
    Place place_;
    int elements_ = 0, attributes_ = 0;
    Diagnostic error_;
};

}  // namespace

const Attribute* Element::find(std::string_view attribute) const
{
    for (const Attribute& a : attributes)
        if (a.name == attribute) return &a;
    return nullptr;
}

const Element* Element::child(std::string_view wanted) const
{
    for (const Element& c : children)
        if (c.name == wanted) return &c;
    return nullptr;
}

Result<Element> parse(std::string_view text, const std::string& fileName)
{
    if (text.size() > maxFileSize)
        return fileError(fileName, "is larger than 64 MiB, the most that is read");
    // Some writers end their files with the zero of their string.
    while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
    return Parser(text, fileName).run();
}

}  // namespace sinew::xml
