#include "sinew/base/result.h"

namespace sinew {

std::string Diagnostic::text() const
{
    std::string out = file;
    if (line > 0) out += ":" + std::to_string(line);
    if (line > 0 && column > 0) out += ":" + std::to_string(column);
    if (!pointer.empty()) out += (out.empty() ? "" : ": ") + pointer;
    return out.empty() ? message : out + ": " + message;
}

}  // namespace sinew
