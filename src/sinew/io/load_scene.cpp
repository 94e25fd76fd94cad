#include "sinew/io/load_scene.h"

#include <utility>

#include "sinew/io/file_error.h"
#include "sinew/io/format.h"
#include "sinew/io/ground.h"
#include "sinew/io/json/scene.h"

namespace sinew {
namespace {

std::optional<Diagnostic> uselessOption(const FileFormat& format, const ImportOptions& options)
{
    const bool both = format.isRobot || format.isModel;
    const auto isFor = [](const char* option, const char* kinds) {
        return Diagnostic{.message = std::string("is for ") + kinds, .setting = option};
    };
    if (options.fixedBase && !format.isRobot)
        return isFor(*options.fixedBase ? "--fixed-base" : "--floating-base", "robots (URDF)");
    if (options.limp && !format.isRobot) return isFor("--limp", "robots (URDF)");
    if (!options.keyframe.empty() && !format.isModel) return isFor("--key", "models (MJCF)");
    if (options.ground && !both) return isFor("--ground", "robots (URDF) and models (MJCF)");
    if (!options.meshPaths.empty() && !both) return isFor("--mesh-path", "robots (URDF) and models (MJCF)");
    return {};
}

}  // namespace

Result<SceneFile> loadScene(const std::string& path, const ImportOptions& options)
{
    const FileFormat* format = formatOf(path);
    if (format && format->readCharacter && !format->readScene)
        return fileError(path,
                         "is a character without masses; sinew bake simulates it, sinew convert makes "
                         "a scene of it");
    // What says nothing of itself may be a scene.
    if (!format || !format->readScene) format = &sceneFormat;
    if (std::optional<Diagnostic> fault = uselessOption(*format, options)) return *fault;
    Result<Imported> read = format->readScene(path, options);
    if (!read) return read.error();
    Imported& file = read.value();
    if (options.ground) putOnGround(*options.ground, file);
    if (file.text.empty()) file.text = writeScene(file.scene);
    return SceneFile{path, std::move(file.text), std::move(file.scene), std::move(file.notes)};
}

}  // namespace sinew
