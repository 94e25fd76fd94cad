// Values out of attributes.
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "sinew/base/text.h"
#include "sinew/base/words.h"
#include "sinew/io/xml/xml.h"

namespace sinew::xml {
namespace {

// The numbers of a value. False where a word is none; `word` is then that word.
bool parseNumbers(std::string_view value, std::vector<double>& out, std::string_view& word)
{
    std::size_t i = 0;
    for (;;) {
        while (i < value.size() && isBlank(value[i])) ++i;
        if (i == value.size()) return true;
        const std::size_t start = i;
        while (i < value.size() && !isBlank(value[i])) ++i;
        word = value.substr(start, i - start);
        // A plus, which people write and from_chars does not take.
        const std::size_t sign = word[0] == '+' && word.size() > 1 && word[1] != '-' ? 1 : 0;
        double number = 0;
        const char* last = word.data() + word.size();
        const auto [end, problem] = std::from_chars(word.data() + sign, last, number);
        if (end != last || end == word.data() + sign) return false;
        // Out of range: too small for a double is as good as zero, too large is not.
        if (problem == std::errc::result_out_of_range)
            number = std::strtod(std::string(word).c_str(), nullptr);
        constexpr double largest = 1e30;  // as compile() has it
        if (!(std::abs(number) <= largest)) return false;
        out.push_back(number);
    }
}

}  // namespace

Diagnostic at(const Element& element, std::string message)
{
    Diagnostic found;
    if (element.file) found.file = *element.file;
    found.line = element.line;
    found.column = element.column;
    found.message = "<" + shownName(element.name) + ">: " + std::move(message);
    return found;
}

Diagnostic at(const Element& element, const Attribute& attribute, const std::string& message)
{
    Diagnostic found =
        at(element, shownName(attribute.name) + "=" + words::quoted(attribute.value) + " " + message);
    found.line = attribute.line;
    found.column = attribute.column;
    return found;
}

void Reader::fail(const Element& element, std::string_view attribute, const std::string& message)
{
    const Attribute* found = element.find(attribute);
    fail(found ? at(element, *found, message) : at(element, std::string(attribute) + " " + message));
}

std::optional<double> Reader::number(const Element& element, std::string_view attribute)
{
    const std::vector<double> found = numbers(element, attribute, 1, 1);
    return found.empty() ? std::optional<double>() : found[0];
}

std::vector<double> Reader::numbers(const Element& element, std::string_view attribute, std::size_t least,
                                    std::size_t most)
{
    const Attribute* found = element.find(attribute);
    if (!found || failed()) return {};
    std::vector<double> out;
    std::string_view word;
    if (!parseNumbers(found->value, out, word)) {
        fail(at(element, *found,
                "has " + words::quoted(word) + ", which is not a number, or one beyond 1e30"));
        return {};
    }
    if (out.size() < least || out.size() > most) {
        const std::string wanted =
            least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
        fail(at(element, *found,
                "has " + std::to_string(out.size()) + (out.size() == 1 ? " number; " : " numbers; ") +
                    wanted + (wanted == "1" ? " is expected" : " are expected")));
        return {};
    }
    return out;
}

std::optional<Vec3> Reader::vector(const Element& element, std::string_view attribute)
{
    const std::vector<double> found = numbers(element, attribute, 3, 3);
    return found.empty() ? std::optional<Vec3>() : Vec3(found[0], found[1], found[2]);
}

std::optional<int> Reader::integer(const Element& element, std::string_view attribute)
{
    const std::optional<double> found = number(element, attribute);
    if (!found) return {};
    if (std::abs(*found) > 2147483647 || *found != std::floor(*found)) {
        fail(element, attribute, "is not a whole number of at most 2147483647");
        return {};
    }
    return static_cast<int>(*found);
}

std::optional<bool> Reader::boolean(const Element& element, std::string_view attribute)
{
    const Attribute* found = element.find(attribute);
    if (!found || failed()) return {};
    if (found->value == "true") return true;
    if (found->value == "false") return false;
    fail(at(element, *found, "is neither true nor false"));
    return {};
}

std::optional<std::string> Reader::name(const Element& element, std::string_view attribute)
{
    const Attribute* found = element.find(attribute);
    if (!found || failed()) return {};
    const auto isControl = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    for (char c : found->value)
        if (isControl(c)) return fail(at(element, *found, "has a control character")), std::nullopt;
    if (found->value.size() > longestName)
        return fail(at(element, *found, "has more than 1000 bytes")), std::nullopt;
    return found->value;
}

std::string Reader::requiredName(const Element& element, std::string_view attribute)
{
    const std::optional<std::string> found = name(element, attribute);
    if (!found || found->empty()) fail(element, attribute, "is missing or empty; it is required");
    return found.value_or(std::string());
}

}  // namespace sinew::xml
