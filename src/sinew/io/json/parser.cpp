// Text → Value, by recursive descent. The depth limit bounds both the parser's stack and that of the
// tree's destructor.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "sinew/base/text.h"
#include "sinew/base/words.h"
#include "sinew/io/json/json.h"

namespace sinew::json {
namespace {

struct Place {
    int line = 1;
    int column = 1;

    std::string text() const { return std::to_string(line) + ":" + std::to_string(column); }
};

enum class Range { inside, tooLarge, tooSmall };

// The double nearest to a number that is already known to follow JSON's grammar.
Range toDouble(std::string_view digits, double& number)
{
#ifdef __cpp_lib_to_chars
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    // Out of range: from_chars leaves the number alone and does not say which way.
    if (problem != std::errc()) number = std::strtod(std::string(digits).c_str(), nullptr);
#else
    number = std::strtod(std::string(digits).c_str(), nullptr);
#endif
    if (std::isinf(number)) return Range::tooLarge;
    const std::string_view mantissa = digits.substr(0, digits.find_first_of("eE"));
    const bool isZero = mantissa.find_first_of("123456789") == std::string_view::npos;
    return number == 0 && !isZero ? Range::tooSmall : Range::inside;
}

class Parser {
public:
    Parser(std::string_view text, const std::string& file) : text_(text) { error_.file = file; }

    Result<Value> run()
    {
        if (text_.substr(0, 3) == "\xEF\xBB\xBF") lineStart_ = at_ = 3;  // byte order mark
        Value root;
        if (!skipBlank()) return error_;
        if (atEnd()) return fail("the file is empty; a JSON object is expected"), error_;
        if (!value(root) || !skipBlank()) return error_;
        if (!atEnd()) return fail("the file goes on after its value has ended; found " + found()), error_;
        return root;
    }

private:
    struct Open {
        char bracket;
        Place start;
    };

    bool atEnd() const { return at_ >= text_.size(); }
    char peek() const { return atEnd() ? '\0' : text_[at_]; }
    Place place() const { return {line_, static_cast<int>(at_ - lineStart_ - continuationBytes_) + 1}; }

    bool fail(std::string message) { return failAt(place(), std::move(message)); }
    bool failAt(const Place& where, std::string message)
    {
        error_.line = where.line;
        error_.column = where.column;
        error_.message = std::move(message);
        return false;
    }
    // The same mistake reads differently where the text has run out.
    bool failExpecting(const std::string& expected)
    {
        if (!atEnd()) return fail(expected + " is expected" + within() + ", found " + found());
        return fail("the file ends" + (open_.empty() ? ", but " + expected + " is expected" : within()));
    }
    // Where in the tree we are, for people: the innermost bracket that is open.
    std::string within() const
    {
        if (open_.empty()) return "";
        const Open& last = open_.back();
        return std::string(" inside the ") + (last.bracket == '{' ? "object" : "list") +
               " that starts at " + last.start.text();
    }
    // What stands here, printable.
    std::string found() const
    {
        if (atEnd()) return "the end of the file";
        const int length = utf8Length(text_.substr(at_));
        const auto byte = static_cast<unsigned char>(text_[at_]);
        if (length > 0 && byte >= 0x20 && byte != 0x7f)
            return "'" + std::string(text_.substr(at_, static_cast<std::size_t>(length))) + "'";
        char name[16];
        std::snprintf(name, sizeof name, "byte 0x%02x", byte);
        return name;
    }

    void newLine()
    {
        ++line_;
        lineStart_ = at_;
        continuationBytes_ = 0;
    }
    // Steps over one character of a string or comment.
    bool character()
    {
        const int length = utf8Length(text_.substr(at_));
        if (length == 0) return fail("this is not valid UTF-8: found " + found());
        const bool isBreak = text_[at_] == '\n';
        at_ += static_cast<std::size_t>(length);
        continuationBytes_ += static_cast<std::size_t>(length - 1);
        if (isBreak) newLine();
        return true;
    }

    bool skipBlank()
    {
        while (!atEnd()) {
            const char c = text_[at_];
            if (c == ' ' || c == '\t' || c == '\r') {
                ++at_;
            } else if (c == '\n') {
                ++at_;
                newLine();
            } else if (c == '/') {
                if (!comment()) return false;
            } else {
                break;
            }
        }
        return true;
    }

    bool comment()
    {
        const Place start = place();
        const std::string_view opening = text_.substr(at_, 2);
        if (opening != "//" && opening != "/*")
            return fail("a lone '/' means nothing; comments are // to the end of the line or /* */");
        at_ += 2;
        if (opening == "//") {
            while (!atEnd() && peek() != '\n')
                if (!character()) return false;
            return true;
        }
        while (text_.substr(at_, 2) != "*/") {
            if (atEnd()) return fail("the file ends inside the comment that starts at " + start.text());
            if (!character()) return false;
        }
        at_ += 2;
        return true;
    }

    bool value(Value& out)
    {
        const Place start = place();
        if (++count_ > maxValues)
            return fail("the file holds more than " + std::to_string(maxValues) + " values");
        const char c = peek();
        bool good = false;
        if (c == '{' || c == '[') {
            good = bracketed(out);
        } else if (c == '"') {
            std::string text;
            good = string(text);
            out = Value(std::move(text));
        } else if (c == '-' || (c >= '0' && c <= '9')) {
            good = number(out);
        } else {
            good = word(out);
        }
        out.line = start.line;
        out.column = start.column;
        return good;
    }

    bool bracketed(Value& out)
    {
        if (open_.size() >= maxDepth)
            return fail("brackets are nested deeper than " + std::to_string(maxDepth) + " levels");
        open_.push_back({peek(), place()});
        ++at_;
        if (open_.back().bracket == '{' ? !object(out) : !list(out)) return false;
        open_.pop_back();
        return true;
    }

    bool list(Value& out)
    {
        out = Value::array();
        if (!skipBlank()) return false;
        while (peek() != ']') {
            Value item;
            if (!value(item) || !separator(']')) return false;
            out.add(std::move(item));
        }
        ++at_;
        return true;
    }

    bool object(Value& out)
    {
        out = Value::object();
        std::vector<Place> places;
        if (!skipBlank()) return false;
        while (peek() != '}') {
            places.push_back(place());
            std::string key;
            if (peek() != '"') return failExpecting("a key in double quotes");
            if (!string(key) || !skipBlank()) return false;
            if (peek() != ':') return failExpecting("':' after the key");
            ++at_;
            Value item;
            if (!skipBlank() || !value(item) || !separator('}')) return false;
            out.add(std::move(key), std::move(item));
        }
        ++at_;
        return keysDiffer(out, places);
    }

    // After an item: a comma and another item, or the closing bracket.
    bool separator(char closing)
    {
        if (!skipBlank()) return false;
        if (peek() == closing) return true;
        if (peek() != ',') return failExpecting(std::string("',' or '") + closing + "'");
        const Place comma = place();
        ++at_;
        if (!skipBlank()) return false;
        if (peek() == closing)
            return failAt(
                comma, std::string("a trailing comma before '") + closing + "' is not allowed; remove it");
        return !atEnd() || failExpecting("another item");
    }

    bool keysDiffer(const Value& object, const std::vector<Place>& places)
    {
        const std::vector<Member>& members = object.members();
        std::vector<int> order(members.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
        std::sort(order.begin(), order.end(), [&](int a, int b) {
            const int sign = members[a].key.compare(members[b].key);
            return sign != 0 ? sign < 0 : a < b;
        });
        for (std::size_t i = 1; i < order.size(); ++i)
            if (members[order[i - 1]].key == members[order[i]].key)
                return failAt(places[order[i]], "the key " + words::quoted(members[order[i]].key) +
                                                    " is here twice; the first is at " +
                                                    places[order[i - 1]].text());
        return true;
    }

    bool string(std::string& out)
    {
        const Place start = place();
        ++at_;
        while (peek() != '"' || atEnd()) {
            if (atEnd()) return fail("the file ends inside the string that starts at " + start.text());
            const char c = peek();
            if (c == '\n' || c == '\r')
                return fail("the line ends inside the string that starts at " + start.text() +
                            "; close it with '\"', or write \\n for a line break");
            if (static_cast<unsigned char>(c) < 0x20)
                return fail("a control character inside a string must be written as \\u00XX: found " +
                            found());
            if (c == '\\') {
                if (!escape(out, start)) return false;
                continue;
            }
            const std::size_t before = at_;
            if (!character()) return false;
            out.append(text_.substr(before, at_ - before));
        }
        ++at_;
        return true;
    }

    bool escape(std::string& out, const Place& stringStart)
    {
        const Place start = place();
        ++at_;
        if (atEnd()) return fail("the file ends inside the string that starts at " + stringStart.text());
        static constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        const std::size_t which = letters.find(peek());
        if (which != std::string_view::npos) {
            out += meanings[which];
            ++at_;
            return true;
        }
        if (peek() != 'u')
            return failAt(start,
                          "unknown escape; the legal ones are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
        std::uint32_t code = 0;
        if (!hexDigits(start, code)) return false;
        if (code >= 0xd800 && code <= 0xdfff) {
            std::uint32_t low = 0;
            const bool pair = code <= 0xdbff && text_.substr(at_, 2) == "\\u";
            if (pair) {
                ++at_;
                if (!hexDigits(start, low)) return false;
            }
            if (low < 0xdc00 || low > 0xdfff)
                return failAt(
                    start, "half of a surrogate pair; write \\uD800-\\uDBFF and \\uDC00-\\uDFFF together");
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        words::appendUtf8(out, code);
        return true;
    }

    // The four digits after "\u", from the u on.
    bool hexDigits(const Place& start, std::uint32_t& code)
    {
        ++at_;
        const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
        const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (digits.size() < 4 || problem != std::errc() || end != digits.data() + 4)
            return failAt(start, "\\u needs four hexadecimal digits");
        at_ += 4;
        return true;
    }

    static bool isWordCharacter(char c)
    {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '.' || c == '+' || c == '-';
    }
    // All that hangs together here, so that a message can show it whole.
    std::string_view wordHere() const
    {
        std::size_t end = at_;
        while (end < text_.size() && isWordCharacter(text_[end])) ++end;
        return text_.substr(at_, end - at_);
    }

    bool word(Value& out)
    {
        const std::string_view word = wordHere();
        if (word == "true" || word == "false") {
            out = Value(word == "true");
        } else if (word != "null") {
            return unknownWord(word);
        }
        at_ += word.size();
        return true;
    }

    bool unknownWord(std::string_view word)
    {
        if (peek() == '\'') return fail("strings stand in double quotes, not in single ones");
        if (word.empty()) return failExpecting("a value");
        std::string lower(word);
        for (char& c : lower)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        const std::string_view bare =
            std::string_view(lower).substr(lower.find_first_not_of("+-") == 1 ? 1 : 0);
        if (bare == "nan" || bare == "inf" || bare == "infinity")
            return fail(words::quoted(word) + " is not allowed; every number must be finite");
        if (word[0] == '+' || word[0] == '.' || word[0] == '-' || (word[0] >= '0' && word[0] <= '9'))
            return fail(words::quoted(word) + " is not a number; write it like 12, -0.5 or 1.5e-3");
        return fail(words::quoted(word) + " is not a value; strings stand in double quotes");
    }

    bool number(Value& out)
    {
        const std::string_view word = wordHere();
        if (!isNumber(word)) return unknownWord(word);
        double number = 0;
        const Range range = toDouble(word, number);
        if (range == Range::tooLarge)
            return fail(words::quoted(word) + " is too large; numbers reach up to 1.797e308");
        if (range == Range::tooSmall)
            return fail(words::quoted(word) + " is too close to zero for a number of 64 bits; write 0");
        at_ += word.size();
        out = Value(number);
        return true;
    }

    // JSON's grammar: -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
    static bool isNumber(std::string_view s)
    {
        std::size_t i = 0;
        const auto next = [&] { return i < s.size() ? s[i] : '\0'; };
        const auto digits = [&] {
            const std::size_t start = i;
            while (next() >= '0' && next() <= '9') ++i;
            return i - start;
        };
        if (next() == '-') ++i;
        const bool zero = next() == '0';
        const std::size_t whole = digits();
        if (whole == 0 || (zero && whole > 1)) return false;
        if (next() == '.') {
            ++i;
            if (digits() == 0) return false;
        }
        if (next() == 'e' || next() == 'E') {
            ++i;
            if (next() == '+' || next() == '-') ++i;
            if (digits() == 0) return false;
        }
        return i == s.size();
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1;
    std::size_t lineStart_ = 0;
    std::size_t continuationBytes_ = 0;  // of this line, since columns count characters
    int count_ = 0;
    std::vector<Open> open_;
    Diagnostic error_;
};

}  // namespace

Result<Value> parse(std::string_view text, const std::string& fileName)
{
    return Parser(text, fileName).run();
}

}  // namespace sinew::json
