#include "sinew/io/load_scene.h"

#include <utility>

#include "sinew/io/file_error.h"
#include "sinew/io/format.h"
#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"

namespace sinew {

Result<SceneFile> loadScene(const std::string& path)
{
    const FileFormat* format = formatOf(path);
    if (format && format->readCharacter && !format->readScene)
        return fileError(path,
                         "is a character without masses; sinew bake simulates it, sinew convert makes "
                         "a scene of it");
    if (format && format->readScene && format != &sceneFormat) {
        Result<Imported> scene = format->readScene(path);
        if (!scene) return scene.error();
        std::string text = writeScene(scene.value().scene);
        return SceneFile{path, std::move(text), std::move(scene.value().scene),
                         std::move(scene.value().notes)};
    }
    Result<std::string> text = json::readFile(path);
    if (!text) return text.error();
    Result<Description> description = parseScene(text.value(), path);
    if (!description) return description.error();
    return SceneFile{path, std::move(text.value()), std::move(description.value()), {}};
}

}  // namespace sinew
