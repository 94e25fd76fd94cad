#include "sinew/io/format.h"
#include "sinew/io/character_file.h"
#include "sinew/io/file_error.h"
#include "sinew/io/gltf/export_run.h"
#include "sinew/io/whole_file.h"

namespace sinew {
namespace {

constexpr std::string_view gltfEndings[] = {".glb", ".gltf"};

Result<CharacterFile> readGltfCharacter(const std::string& path)
{
    Result<GltfFile> gltf = readGltf(path);
    if (!gltf) return gltf.error();
    Result<GltfCharacter> character = gltfCharacter(gltf.value());
    if (!character) return character.error();
    CharacterFile file;
    file.rig = character.value().rig;
    file.notes = character.value().notes;
    file.gltf = std::move(gltf.value());
    file.character = std::move(character.value());
    return file;
}

FileFormat::Outcome writeGltfMotion(const std::string& path, const Description& scene,
                                    const Trajectory& motion, const WriteOptions& options)
{
    GlbRunOptions glb;
    glb.skeleton = options.skeleton;
    if (options.everyFrame) glb.bounds = {};
    glb.meshes = options.meshes;
    Result<Glb> made = runGlb(scene, motion, glb);
    if (!made) return made.error();
    Result<std::string> bytes = glbBytes(made.value());
    if (!bytes) return bytes.error();
    return faultOf(writeWhole(path, bytes.value()));
}

}  // namespace

const FileFormat gltfFormat = {
    .name = "a character (glTF)",
    .endings = gltfEndings,
    .hasMeshes = true,
    .readCharacter = readGltfCharacter,
    .writeMotion = writeGltfMotion,
};

}  // namespace sinew
