// A scene out of a file of any kind that describes one.
#pragma once

#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/imported.h"
#include "sinew/model/description.h"

namespace sinew {

struct SceneFile {
    std::string path;
    std::string text;  // of a scene in JSON, as it stands in the file; of others, as writeScene() has it
    Description description;
    std::vector<Diagnostic> notes;  // what no scene can hold, or should be written in another way
};

// Scene JSON, URDF, MJCF, and meshes (STL, OBJ) as one body of their hull. Options that the file's format
// has no use for are refused.
Result<SceneFile> loadScene(const std::string& path, const ImportOptions& options = {});

}  // namespace sinew
