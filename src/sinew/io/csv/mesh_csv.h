// Spring meshes over time as a table, for small runs: a row per vertex and frame.
#pragma once

#include <cstdint>
#include <string>

#include "sinew/io/binary/mesh_file.h"

namespace sinew {

// time, mesh, vertex, x, y, z. Gives the size of the file, which is whole or not there.
Result<std::uint64_t> writeMeshesCsv(const std::string& path, MeshFileReader& meshes);

}  // namespace sinew
