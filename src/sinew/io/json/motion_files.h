// Motions whose curves stand in a file beside the scene: what a scene says of them, and the way from there
// to curves. Not a public header.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/model/description.h"

namespace sinew {

// Of /motions/<motion>.
struct MotionFile {
    std::size_t motion = 0;
    std::string file, clip;  // clip: the first where it is empty
    double scale = 1;        // m: the unit of the file
    std::string onto, map;   // a character to put it onto; which bone leads which
    std::vector<std::pair<std::string, std::string>> bones;  // bodies and what leads them; none: by name
};

// As parseScene, with what is to be read from files told apart.
Result<Description> parseSceneBesideFiles(std::string_view text, const std::string& fileName,
                                          std::vector<Diagnostic>* notes, std::vector<MotionFile>& files);

// Puts the curves into the scene, which is in the file `path`.
Result<bool> readMotionFiles(const std::vector<MotionFile>& files, Description& scene,
                             const std::string& path);

}  // namespace sinew
