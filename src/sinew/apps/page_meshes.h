// The spring meshes of a run in its page: packed, and one frame in so many where they would be too much.
#pragma once

#include <cstdint>
#include <string>

#include "sinew/io/whole_file.h"

namespace sinew {

struct MeshExtent {
    std::uint64_t every = 1;  // frames of the page, one in so many
};

// The entry of the page's data (web/README.md) from the file of meshes, which has as many frames as the
// tables; of one in `every` of them the page has poses. Gives an empty string, or what is wrong.
std::string writeMeshes(WholeFile& page, const std::string& path, std::uint64_t frames, std::uint64_t every,
                        MeshExtent& extent);

}  // namespace sinew
