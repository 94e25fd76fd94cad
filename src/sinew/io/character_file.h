// A character as a file: glTF, GLB or BVH, with what is needed to write it back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/bvh/rig.h"
#include "sinew/io/gltf/character.h"

namespace sinew {

struct CharacterFile {
    std::string path;
    Rig rig;
    std::vector<Diagnostic> notes;
    // Whichever it is.
    std::optional<GltfFile> gltf;
    std::optional<GltfCharacter> character;
    std::optional<bvh::Document> document;
};
Result<CharacterFile> readCharacter(const std::string& path);

}  // namespace sinew
