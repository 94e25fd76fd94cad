// Files that a file names: only those in its own folder and below it are opened, whatever it says.
#pragma once

#include <string>
#include <string_view>

#include "sinew/base/result.h"

namespace sinew {

// Where the file `reference`, as written in the file `from`, lies. Refused are absolute paths, URLs, "..",
// backslashes, links that lead out of the folder, and what is not there.
Result<std::string> referencedFile(const std::string& from, std::string_view reference);

}  // namespace sinew
