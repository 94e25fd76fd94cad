// The skins of a glTF file as one surface: all points that follow bones, and which of them is which vertex
// of the file.
#pragma once

#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/gltf/character.h"
#include "sinew/rig/skin.h"

namespace sinew {

struct GltfSkin {
    // A primitive: its vertex v is point first + v of the surface. Primitives that share their vertices
    // share the points.
    struct Part {
        int mesh = 0, primitive = 0, first = 0, count = 0;
    };
    SkinSurface surface;
    std::vector<Part> parts;
};

// Of the nodes of the default scene that have a mesh and a skin. A file without any gives an empty surface.
Result<GltfSkin> gltfSkin(const GltfFile& file, const GltfCharacter& character);

}  // namespace sinew
