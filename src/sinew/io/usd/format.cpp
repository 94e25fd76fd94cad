#include "sinew/io/format.h"
#include "sinew/io/character_file.h"
#include "sinew/io/file_error.h"
#include "sinew/io/usd/export_usd.h"

namespace sinew {
namespace {

constexpr std::string_view usdEndings[] = {".usda", ".usd"};

FileFormat::Outcome writeUsdMotion(const std::string& path, const Description& scene,
                                   const Trajectory& motion, const WriteOptions& options)
{
    UsdRunOptions usd;
    usd.skeleton = options.skeleton;
    usd.particles = options.particles;
    usd.meshes = options.meshes;
    if (options.rate > 0) usd.fps = options.rate;
    return faultOf(writeRunUsd(path, scene, motion, usd));
}

FileFormat::Outcome writeUsdCharacter(const std::string& path, const CharacterFile& character, int clip,
                                      const WriteOptions& options)
{
    return faultOf(writeRigUsd(path, character.rig, clip, options.rate > 0 ? options.rate : 60,
                               options.unit.value_or(1)));
}

}  // namespace

const FileFormat usdFormat = {
    .name = "USD",
    .endings = usdEndings,
    .saysUnit = true,
    .hasParticles = true,
    .hasMeshes = true,
    .writeMotion = writeUsdMotion,
    .writeCharacter = writeUsdCharacter,
};

}  // namespace sinew
