// Value → text.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "sinew/io/json/json.h"

namespace sinew::json {
namespace {

constexpr std::size_t lineWidth = 100;

enum class Objects { outside, inside };

// Appends the value to `line` if it fits and holds no objects where they shall stay outside (but
// it may be one). Scalars always fit.
bool onOneLine(const Value& value, std::string& line, std::size_t room, bool isOuter, Objects objects)
{
    const char* comma = "";
    switch (value.kind()) {
        case Kind::null:
            line += "null";
            break;
        case Kind::boolean:
            line += value.boolean() ? "true" : "false";
            break;
        case Kind::number:
            line += numberText(value.number());
            break;
        case Kind::string:
            line += stringText(value.string());
            break;
        case Kind::array:
            line += '[';
            for (const Value& item : value.items()) {
                line += comma;
                if (!onOneLine(item, line, room, false, objects)) return false;
                comma = ", ";
            }
            line += ']';
            break;
        case Kind::object:
            if (!isOuter && objects == Objects::outside) return false;
            line += '{';
            for (const Member& member : value.members()) {
                line.append(comma).append(stringText(member.key)).append(": ");
                if (!onOneLine(member.value, line, room, false, objects)) return false;
                comma = ", ";
            }
            line += '}';
            break;
    }
    const bool isScalar = !value.isArray() && !value.isObject();
    return line.size() <= room || (isOuter && isScalar);
}

class Writer {
public:
    std::string out;

    void write(const Value& value, std::size_t indent, std::size_t used)
    {
        const bool isRoot = indent == 0 && used == 0;
        std::string line;
        if ((isRoot && value.isObject()) ||
            !onOneLine(value, line, lineWidth - std::min(lineWidth, used), true, Objects::outside))
            block(value, indent + 2);
        else
            out += line;
    }

private:
    void block(const Value& value, std::size_t indent)
    {
        const char* comma = "";
        const auto next = [&] {
            out += comma;
            out += '\n';
            out.append(indent, ' ');
            comma = ",";
        };
        out += value.isObject() ? '{' : '[';
        if (value.isObject()) {
            for (const Member& member : value.members()) {
                next();
                const std::string key = stringText(member.key) + ": ";
                out += key;
                write(member.value, indent, indent + key.size() + 1);
            }
        } else {
            for (const Value& item : value.items()) {
                next();
                write(item, indent, indent + 1);
            }
        }
        if (*comma != '\0') out.append("\n").append(indent - 2, ' ');
        out += value.isObject() ? '}' : ']';
    }
};

}  // namespace

std::string numberText(double number)
{
    if (!std::isfinite(number)) return "null";
    char text[40];
    // Whole numbers without an exponent, so that every reader takes counts for integers.
    if (number == std::trunc(number) && std::abs(number) < 0x1p53 &&
        !(number == 0 && std::signbit(number))) {
        const int length = std::snprintf(text, sizeof text, "%.0f", number);
        return {text, static_cast<std::size_t>(length)};
    }
#ifdef __cpp_lib_to_chars
    const auto [end, problem] = std::to_chars(text, text + sizeof text, number);
    return {text, end};
#else
    const int length = std::snprintf(text, sizeof text, "%.17g", number);
    return {text, static_cast<std::size_t>(length)};
#endif
}

std::string stringText(std::string_view text)
{
    std::string out = "\"";
    for (char c : text) {
        static constexpr std::string_view special = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
        const std::size_t which = special.find(c);
        if (which != std::string_view::npos) {
            out += '\\';
            out += letters[which];
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
            out += escaped;
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string write(const Value& value)
{
    Writer writer;
    writer.write(value, 0, 0);
    return writer.out + "\n";
}

std::string writeLine(const Value& value)
{
    std::string line;
    onOneLine(value, line, std::numeric_limits<std::size_t>::max(), true, Objects::inside);
    return line + "\n";
}

}  // namespace sinew::json
