// One mesh of a glTF file as triangles, as it stands in the file's default scene before anything moves.
#pragma once

#include <string>

#include "sinew/base/result.h"
#include "sinew/io/gltf/gltf.h"
#include "sinew/io/mesh/mesh.h"

namespace sinew {

// By its name, else by its number from 0; empty: the only one. All of its triangles; vertices at one place
// become one, and those without a triangle go. It is placed by the first node that shows it: with a skin as
// the bones have it at rest. A mesh that no node shows is taken as it was drawn.
Result<MeshFile> gltfMesh(const GltfFile& file, const std::string& which);
Result<MeshFile> readGltfMesh(const std::string& path, const std::string& which);

}  // namespace sinew
