#include "sinew/apps/files.h"

#include <utility>

#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"

namespace sinew {

Result<SceneFile> loadScene(const std::string& path)
{
    Result<std::string> text = json::readFile(path);
    if (!text) return text.error();
    Result<Description> description = parseScene(text.value(), path);
    if (!description) return description.error();
    return SceneFile{path, std::move(text.value()), std::move(description.value())};
}

Diagnostic inScene(Diagnostic error, const std::string& path)
{
    if (error.file.empty() && !error.pointer.starts_with("--")) error.file = path;
    return error;
}

}  // namespace sinew
