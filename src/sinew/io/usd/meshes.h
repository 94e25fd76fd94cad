// Spring meshes as prims of the type Mesh (UsdGeomMesh).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/binary/mesh_file.h"
#include "sinew/io/usd/usd_text.h"

namespace sinew {

// One prim for each mesh, its faces once and its points over time: frame k is at codes[k]. Gives nothing,
// or what is wrong with the file of meshes.
std::optional<Diagnostic> writeMeshPrims(UsdText& text, const std::vector<std::string>& names,
                                         MeshFileReader& meshes, const std::vector<double>& codes);

}  // namespace sinew
