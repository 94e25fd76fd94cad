// Files that another file names: only such as lie beside it or below, whoever wrote the name.
#pragma once

#include <string>
#include <string_view>

namespace sinew {

// Why a path is not a plain relative one that stays below the folder it starts in; empty if it is one.
// Absolute paths, drive letters, URLs, "..", backslashes and control characters are refused.
std::string whyNotBelow(std::string_view path);

// The path of a file that `file` names, from where `file` itself is named.
std::string besideFile(const std::string& file, const std::string& relative);

}  // namespace sinew
