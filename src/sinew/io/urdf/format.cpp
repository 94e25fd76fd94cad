#include <cstdio>

#include "sinew/io/file_stream.h"
#include "sinew/io/format.h"
#include "sinew/io/urdf/scene.h"

namespace sinew {
namespace {

constexpr std::string_view urdfEndings[] = {".urdf", ".xml"};

// XML files of robots share their ending with MJCF; the name of the first element tells them apart.
bool beginsAsRobot(const std::string& path)
{
    const FileStream file(std::fopen(path.c_str(), "rb"));
    if (!file) return false;
    char text[4096];
    const std::string_view start(text, std::fread(text, 1, sizeof text, file.get()));
    const std::size_t robot = start.find("<robot"), mujoco = start.find("<mujoco");
    return robot != std::string_view::npos && robot < mujoco;
}

}  // namespace

const FileFormat urdfFormat = {
    .name = "a robot (URDF)",
    .endings = urdfEndings,
    .isMeant = beginsAsRobot,
    .isRobot = true,
    .readScene =
        [](const std::string& path, const ImportOptions& options) {
            return readUrdf(path, {options.fixedBase, !options.limp, options.meshPaths});
        },
};

}  // namespace sinew
