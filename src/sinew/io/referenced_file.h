// Files that a file names: only those in its own folder and below it are opened, whatever it says.
#pragma once

#include <string>
#include <string_view>

#include "sinew/base/result.h"

namespace sinew {

// What is wrong with a reference as it is written, such as "is an absolute path; …", or nothing. Refused
// are absolute paths, URLs, "..", backslashes and control characters.
std::string referenceFault(std::string_view reference);

// Where the file `reference`, as written in the file `from`, lies. Refused are the above, links that lead
// out of the folder, and what is not there.
Result<std::string> referencedFile(const std::string& from, std::string_view reference);

}  // namespace sinew
