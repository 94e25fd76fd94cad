// What a file is, by its ending (and of XML files by what stands in them). A folder is a run.
#pragma once

#include <string>

namespace sinew {

enum class FileKind { scene, gltf, bvh, urdf, mjcf, mesh, trajectory, run, usd, csv, unknown };
FileKind fileKind(const std::string& path);
// For messages: "a scene", "a character (glTF)", ….
const char* fileKindName(FileKind kind);

}  // namespace sinew
