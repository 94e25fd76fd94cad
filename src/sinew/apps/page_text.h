// Text in quotes that may stand inside a <script> element.
#pragma once

#include <string>

#include "sinew/io/json/json.h"

namespace sinew {

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
