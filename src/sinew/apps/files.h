// Files as wholes.
#pragma once

#include <string>
#include <string_view>

#include "sinew/base/result.h"
#include "sinew/model/description.h"

namespace sinew {

// Writes the file beside its place and moves it there, so that it is whole or not there at all. Gives an
// empty string, or the line that says why not.
std::string writeWhole(const std::string& path, std::string_view bytes);

// A scene together with its text, which a checkpoint keeps.
struct SceneFile {
    std::string path;
    std::string text;
    Description description;
};
Result<SceneFile> loadScene(const std::string& path);

// Puts the scene's name into an error about its content; errors about the command line stay as they are.
Diagnostic inScene(Diagnostic error, const std::string& path);

}  // namespace sinew
