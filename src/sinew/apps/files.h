// Scenes as files of the command.
#pragma once

#include <string>

#include "sinew/base/result.h"
#include "sinew/io/whole_file.h"
#include "sinew/model/description.h"

namespace sinew {

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
