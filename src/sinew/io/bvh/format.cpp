#include <filesystem>

#include "sinew/io/character_file.h"
#include "sinew/io/file_error.h"
#include "sinew/io/format.h"
#include "sinew/io/whole_file.h"
#include "sinew/rig/run_rig.h"

namespace sinew {
namespace {

constexpr std::string_view bvhEndings[] = {".bvh"};

Result<CharacterFile> readBvhCharacter(const std::string& path)
{
    Result<bvh::Document> document = bvh::read(path);
    if (!document) return document.error();
    CharacterFile file;
    file.rig = bvh::toRig(document.value(), std::filesystem::path(path).stem().string());
    file.document = std::move(document.value());
    return file;
}

FileFormat::Outcome writeBvh(const std::string& path, const Rig& rig, int clip,
                             const bvh::WriteOptions& options)
{
    const Clip still;
    Result<bvh::Document> document =
        bvh::fromRig(rig, clip < 0 ? still : rig.clips[static_cast<std::size_t>(clip)], options);
    if (!document) return document.error();
    return faultOf(writeWhole(path, bvh::write(document.value())));
}

FileFormat::Outcome writeBvhMotion(const std::string& path, const Description& scene,
                                   const Trajectory& motion, const WriteOptions& options)
{
    Result<Rig> rig = rigOf(scene, motion);
    if (!rig) return rig.error();
    if (options.unit) rig = inUnit(std::move(rig.value()), 1 / *options.unit);
    bvh::WriteOptions write;
    write.framesPerSecond = options.rate > 0 ? options.rate : 60;
    return writeBvh(path, rig.value(), rig.value().clips.empty() ? -1 : 0, write);
}

FileFormat::Outcome writeBvhCharacter(const std::string& path, const CharacterFile& character, int clip,
                                      const WriteOptions& options)
{
    bvh::WriteOptions write;
    if (options.rate > 0) write.framesPerSecond = options.rate;
    write.like = character.document ? &*character.document : nullptr;
    return writeBvh(path, character.rig, clip, write);
}

}  // namespace

const FileFormat bvhFormat = {
    .name = "a motion capture (BVH)",
    .endings = bvhEndings,
    .readCharacter = readBvhCharacter,
    .writeMotion = writeBvhMotion,
    .writeCharacter = writeBvhCharacter,
};

}  // namespace sinew
