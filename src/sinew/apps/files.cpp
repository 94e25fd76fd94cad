#include "sinew/apps/files.h"

#include <fmt/core.h>

#include <cstdio>

#include "sinew/apps/text.h"

namespace sinew {

Result<SceneFile> openScene(const std::string& path, const ImportOptions& options)
{
    Result<SceneFile> scene = loadScene(path, options);
    if (scene) printNotes(scene.value().notes, path);
    return scene;
}

Diagnostic inScene(Diagnostic error, const std::string& path)
{
    if (error.file.empty() && error.setting.empty()) error.file = path;
    return error;
}

void printNotes(const std::vector<Diagnostic>& notes, const std::string& path)
{
    constexpr std::size_t shown = 12;
    for (std::size_t i = 0; i < notes.size() && i < shown; ++i)
        fmt::print(stderr, "note: {}\n", printable(notes[i].text()));
    if (notes.size() > shown)
        fmt::print(stderr, "note: and {} more; sinew info {} lists them\n", notes.size() - shown,
                   printable(path));
}

}  // namespace sinew
