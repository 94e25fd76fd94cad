// A character as a file: glTF, GLB or BVH, with what is needed to write it back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/bvh/rig.h"
#include "sinew/io/gltf/character.h"

namespace sinew {

// What a file is, by its ending (and of XML files by what stands in them). A folder is a run.
enum class FileKind { scene, gltf, bvh, urdf, mjcf, mesh, trajectory, run, usd, csv, unknown };
FileKind fileKind(const std::string& path);
// For messages: "a scene", "a character (glTF)", ….
const char* fileKindName(FileKind kind);

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

// Notes as lines on stderr, at most some; how many are left out is said.
void printNotes(const std::vector<Diagnostic>& notes, const std::string& path);

}  // namespace sinew
