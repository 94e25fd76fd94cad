#include "sinew/io/format.h"
#include "sinew/io/json/json.h"
#include "sinew/io/json/motion_files.h"
#include "sinew/io/json/scene.h"

namespace sinew {
namespace {

constexpr std::string_view sceneEndings[] = {".json"};

Result<Imported> readSceneFile(const std::string& path, const ImportOptions&)
{
    Result<std::string> text = json::readFile(path);
    if (!text) return text.error();
    std::vector<Diagnostic> notes;
    std::vector<MotionFile> motions;
    Result<Description> scene = parseSceneBesideFiles(text.value(), path, &notes, motions);
    if (!scene) return scene.error();
    const Result<bool> hasFiles = readMeshFiles(scene.value(), path, &notes);
    if (!hasFiles) return hasFiles.error();
    const Result<bool> hasMotions = readMotionFiles(motions, scene.value(), path);
    if (!hasMotions) return hasMotions.error();
    if (hasFiles.value() || hasMotions.value())
        text = writeScene(scene.value());  // from here on it needs no file beside it
    return Imported{std::move(scene.value()), std::move(text.value()), std::move(notes)};
}

}  // namespace

const FileFormat sceneFormat = {.name = "a scene", .endings = sceneEndings, .readScene = readSceneFile};

}  // namespace sinew
