// XML as a syntax tree: text → Element. What the elements mean is decided elsewhere (urdf, mjcf).
//
// Read are elements, attributes, text, comments, CDATA, processing instructions (skipped), the five named
// entities and numeric ones. Document types and with them entities of one's own are refused: nothing in a
// file can make the reader open another or grow beyond it. Names are taken as they stand, prefix and all.
// The text is UTF-8. Faults are told with the line and column (counted in characters, from 1).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/math/types.h"

namespace sinew::xml {

inline constexpr std::size_t longestName = 1000;

inline bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct Attribute {
    std::string name;
    std::string value;  // entities replaced, line breaks and tabs made spaces
    int line = 0;       // where the name starts
    int column = 0;
};

struct Element {
    std::string name;
    std::vector<Attribute> attributes;  // in the order of the file
    std::vector<Element> children;
    std::string text;  // what stands directly inside, children left out
    int line = 0;      // where its '<' stands
    int column = 0;
    std::shared_ptr<const std::string> file;  // whose name messages give

    const Attribute* find(std::string_view attribute) const;
    // The first child of that name, or null.
    const Element* child(std::string_view name) const;
};

inline constexpr int maxDepth = 200;  // bounds the stack of the parser and of the tree's destructor
inline constexpr int maxElements = 1'000'000;  // these two bound the memory that a small file can take
inline constexpr int maxAttributes = 4'000'000;
inline constexpr std::size_t maxAttributesOfOne = 1000;
inline constexpr std::size_t maxFileSize = std::size_t{64} << 20;

// The root element. `fileName` is for messages only.
Result<Element> parse(std::string_view text, const std::string& fileName);

// A finding at an element, or at one of its attributes.
Diagnostic at(const Element& element, std::string message);
Diagnostic at(const Element& element, const Attribute& attribute, const std::string& message);

// Reads values out of attributes and keeps the first fault; every call after it gives nothing, so that a
// converter can ask once in a while instead of after every number. An attribute that is not there gives
// nothing and is no fault, unless it is required.
class Reader {
public:
    bool failed() const { return error_.has_value(); }
    const Diagnostic& error() const { return *error_; }
    void fail(Diagnostic fault)
    {
        if (!error_) error_ = std::move(fault);
    }
    void fail(const Element& element, const std::string& message) { fail(at(element, message)); }
    // At the attribute where it is there, otherwise at the element.
    void fail(const Element& element, std::string_view attribute, const std::string& message);

    // Finite, and no larger than 1e30, as everywhere in a scene.
    std::optional<double> number(const Element& element, std::string_view attribute);
    // From `least` to `most` numbers, separated by blanks; empty where the attribute is not there.
    std::vector<double> numbers(const Element& element, std::string_view attribute, std::size_t least,
                                std::size_t most);
    std::optional<Vec3> vector(const Element& element, std::string_view attribute);
    std::optional<int> integer(const Element& element, std::string_view attribute);
    // "true" or "false".
    std::optional<bool> boolean(const Element& element, std::string_view attribute);
    // On one line, and not longer than a name should be.
    std::optional<std::string> name(const Element& element, std::string_view attribute);
    std::string requiredName(const Element& element, std::string_view attribute);

private:
    std::optional<Diagnostic> error_;
};

}  // namespace sinew::xml
