#include "sinew/base/result.h"

namespace sinew {

std::string Diagnostic::text() const
{
    std::string out = file;
    if (line > 0) out += ":" + std::to_string(line);
    if (line > 0 && column > 0) out += ":" + std::to_string(column);
    for (const std::string& place : {pointer, setting})
        if (!place.empty()) out += (out.empty() ? "" : ": ") + place;
    return out.empty() ? message : out + ": " + message;
}

Diagnostic faultAt(std::string pointer, std::string message)
{
    return {.message = std::move(message), .pointer = std::move(pointer)};
}

Diagnostic settingFault(std::string setting, std::string message)
{
    return {.message = std::move(message), .setting = std::move(setting)};
}

}  // namespace sinew
