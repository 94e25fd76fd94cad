#include "sinew/io/character_file.h"

#include <algorithm>
#include <filesystem>

#include "sinew/io/file_error.h"
#include "sinew/io/file_kind.h"

namespace sinew {

Result<CharacterFile> readCharacter(const std::string& path)
{
    CharacterFile file;
    file.path = path;
    switch (fileKind(path)) {
        case FileKind::gltf: {
            Result<GltfFile> gltf = readGltf(path);
            if (!gltf) return gltf.error();
            Result<GltfCharacter> character = gltfCharacter(gltf.value());
            if (!character) return character.error();
            file.rig = character.value().rig;
            file.notes = character.value().notes;
            file.gltf = std::move(gltf.value());
            file.character = std::move(character.value());
            break;
        }
        case FileKind::bvh: {
            Result<bvh::Document> document = bvh::read(path);
            if (!document) return document.error();
            file.rig = bvh::toRig(document.value(), std::filesystem::path(path).stem().string());
            file.document = std::move(document.value());
            break;
        }
        default:
            return fileError(path, "is not a character; known are .glb, .gltf and .bvh");
    }
    if (std::none_of(file.rig.bones.begin(), file.rig.bones.end(),
                     [](const Bone& bone) { return bone.joint; }))
        return fileError(path, "has no bones");
    return file;
}

}  // namespace sinew
