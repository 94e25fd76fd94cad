#include "sinew/io/load_scene.h"

#include <utility>

#include "sinew/io/file_error.h"
#include "sinew/io/format.h"
#include "sinew/io/json/scene.h"

namespace sinew {

Result<SceneFile> loadScene(const std::string& path)
{
    const FileFormat* format = formatOf(path);
    if (format && format->readCharacter && !format->readScene)
        return fileError(path,
                         "is a character without masses; sinew bake simulates it, sinew convert makes "
                         "a scene of it");
    // What says nothing of itself may be a scene.
    if (!format || !format->readScene) format = &sceneFormat;
    Result<Imported> read = format->readScene(path);
    if (!read) return read.error();
    Imported& file = read.value();
    if (file.text.empty()) file.text = writeScene(file.scene);
    return SceneFile{path, std::move(file.text), std::move(file.scene), std::move(file.notes)};
}

}  // namespace sinew
