// Text that may stand inside a <script> element: without `<` nothing in it can end the element.
#pragma once

#include <string>
#include <string_view>

#include "sinew/io/json/json.h"

namespace sinew {

// JSON has `<` in strings only, where the escape means the same.
inline std::string inScript(std::string_view json)
{
    std::string out;
    for (char c : json) {
        if (c == '<')
            out += "\\u003c";
        else
            out += c;
    }
    return out;
}

// A name in quotes.
inline std::string scriptText(const std::string& name)
{
    std::string out;
    for (char c : json::write(json::Value(name))) {
        if (c == '\n') continue;
        out += c == '<' ? std::string("\\u003c") : std::string(1, c);
    }
    return out;
}

}  // namespace sinew
