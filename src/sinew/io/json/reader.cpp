// What reading has in common for all types: messages, the pointer, plain values.
#include "sinew/io/json/reader.h"
#include "sinew/base/text.h"

#include <utility>

namespace sinew::reading {

bool Reader::fail(std::string message)
{
    error_.pointer = pointer_;
    error_.message = std::move(message);
    return false;
}

bool Reader::failAt(int column, std::string message)
{
    error_.column = column;
    return fail(std::move(message));
}

bool Reader::failKind(const char* expected, const Value& found)
{
    return fail(std::string(expected) + " is expected, found " + json::kindName(found.kind()));
}

bool Reader::failWord(const char* kind, std::string_view word, std::span<const std::string_view> legal)
{
    const std::string_view meant = words::nearestWord(word, legal);
    const std::string unknown = std::string("unknown ") + kind + " " + words::quoted(word) + "; ";
    if (!meant.empty()) return fail(unknown + "did you mean \"" + std::string(meant) + "\"?");
    return fail(unknown + "the " + kind + "s are " + words::joined(legal));
}

bool Reader::failKey(std::string_view key, std::span<const std::string_view> legal, const std::string& what)
{
    const std::string_view meant = words::nearestWord(key, legal);
    const std::string unknown = "unknown key " + words::quoted(key) + "; ";
    if (!meant.empty()) return fail(unknown + "did you mean \"" + std::string(meant) + "\"?");
    return fail(unknown + what + " has " + words::joined(legal));
}

bool Reader::failMissing(std::string_view key, const std::string& what)
{
    return fail(what + " needs the key \"" + std::string(key) + "\"");
}

void Reader::enter(std::string_view token)
{
    pointer_ += '/';
    for (char c : shownName(token, words::longestWord))
        pointer_ += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
}

bool Reader::read(const Value& value, double& out)
{
    if (!value.isNumber()) return failKind("a number", value);
    out = value.number();
    return true;
}

bool Reader::read(const Value& value, bool& out)
{
    if (value.kind() != Kind::boolean) return failKind("true or false", value);
    out = value.boolean();
    return true;
}

bool Reader::read(const Value& value, std::string& out)
{
    if (!text(value, out)) return false;
    for (char c : out)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            return fail("line breaks, tabs and other control characters are not allowed here");
    return true;
}

bool Reader::text(const Value& value, std::string& out)
{
    if (!value.isString()) return failKind("a string", value);
    out = value.string();
    return true;
}

std::optional<std::size_t> Reader::placeOfWord(const Value& value, const char* kind,
                                               std::span<const std::string_view> words)
{
    std::string found;
    if (!read(value, found)) return {};
    for (std::size_t i = 0; i < words.size(); ++i)
        if (found == words[i]) return i;
    failWord(kind, found, words);
    return {};
}

bool Reader::version(const Value& value)
{
    if (!value.isNumber()) return failKind("the number 1, the version of the format,", value);
    if (value.number() != sceneVersion)
        return fail("version " + json::numberText(value.number()) +
                    " of the format is not known; this program reads version " +
                    std::to_string(sceneVersion));
    return true;
}

}  // namespace sinew::reading
