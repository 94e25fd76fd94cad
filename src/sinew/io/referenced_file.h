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

// The same of parts of a robot or a model, which collections keep beside each other (../meshes/arm.stl): up
// to two folders above that of the file, for files that are named as such parts are (.xml, .obj, .stl,
// .dae, .png, .bin), and nothing hidden. `reference` is in its normal form, with ".." at its beginning
// alone.
std::string partReferenceFault(std::string_view reference);
Result<std::string> referencedPart(const std::string& from, std::string_view reference);

}  // namespace sinew
