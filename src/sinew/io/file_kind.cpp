#include "sinew/io/file_kind.h"

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace sinew {
namespace {

std::string ending(const std::string& path)
{
    std::string text = std::filesystem::path(path).extension().string();
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

// XML files of robots share their ending; the name of the first element tells them apart.
bool beginsAsRobot(const std::string& path)
{
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (!file) return false;
    char text[4096];
    const std::string_view start(text, std::fread(text, 1, sizeof text, file));
    std::fclose(file);
    const std::size_t robot = start.find("<robot"), mujoco = start.find("<mujoco");
    return robot != std::string_view::npos && robot < mujoco;
}

}  // namespace

FileKind fileKind(const std::string& path)
{
    std::error_code fault;
    if (std::filesystem::is_directory(path, fault)) return FileKind::run;
    const std::string end = ending(path);
    if (end == ".json") return FileKind::scene;
    if (end == ".glb" || end == ".gltf") return FileKind::gltf;
    if (end == ".bvh") return FileKind::bvh;
    if (end == ".urdf") return FileKind::urdf;
    if (end == ".xml" || end == ".mjcf") return beginsAsRobot(path) ? FileKind::urdf : FileKind::mjcf;
    if (end == ".obj" || end == ".stl") return FileKind::mesh;
    if (end == ".sinewt") return FileKind::trajectory;
    if (end == ".usda" || end == ".usd") return FileKind::usd;
    if (end == ".csv") return FileKind::csv;
    return FileKind::unknown;
}

const char* fileKindName(FileKind kind)
{
    switch (kind) {
        case FileKind::scene:
            return "a scene";
        case FileKind::gltf:
            return "a character (glTF)";
        case FileKind::bvh:
            return "a motion capture (BVH)";
        case FileKind::urdf:
            return "a robot (URDF)";
        case FileKind::mjcf:
            return "a model (MJCF)";
        case FileKind::mesh:
            return "a mesh";
        case FileKind::trajectory:
            return "a recorded motion";
        case FileKind::run:
            return "the folder of a run";
        case FileKind::usd:
            return "USD";
        case FileKind::csv:
            return "a table (CSV)";
        case FileKind::unknown:
            break;
    }
    return "of an unknown kind";
}

}  // namespace sinew
