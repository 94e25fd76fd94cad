// Physics baked into whatever reads as a character: all of its bones limp, for a few frames above a floor.
// The new clip is finite, and the file that has it reads again.
#include <cmath>
#include <cstdint>

#include "fuzz/expect.h"
#include "sinew/character/bake.h"
#include "sinew/io/gltf/add_clip.h"

using namespace sinew;

namespace {

constexpr std::size_t mostBones = 40;  // more only take longer
constexpr int frames = 3;

bool isFinite(const Clip& clip)
{
    for (const Track& track : clip.tracks) {
        for (const double time : track.times)
            if (!std::isfinite(time)) return false;
        for (const auto& value : track.values)
            if (!value.allFinite()) return false;
    }
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const Result<GltfFile> file = parseGltf(textOf(data, size), "f", nothingBeside);
    if (!file) return 0;
    const Result<GltfCharacter> character = gltfCharacter(file.value());
    if (!character || character.value().rig.bones.size() > mostBones) return 0;
    const Rig& rig = character.value().rig;
    BakeOptions options;
    options.dynamic = {"*"};
    options.duration = frames / options.fps;
    options.collide = size % 2 == 0;
    options.ground = 0;
    const Result<BakePlan> plan = planBake(rig, options);
    if (!plan) {
        expect(!plan.error().message.empty());
        return 0;
    }
    const Result<Trajectory> motion = simulatePlan(plan.value());
    if (!motion) {
        expect(!motion.error().message.empty());
        return 0;
    }
    ClipAddition addition;
    BakedClip baked = bakedClip(rig, plan.value(), motion.value());
    expect(isFinite(baked.clip));
    addition.clip = std::move(baked.clip);
    const Result<std::string> bytes = addClip(file.value(), character.value(), addition, true);
    if (!bytes) return 0;
    expect(static_cast<bool>(parseGltf(bytes.value(), "f", nothingBeside)));
    return 0;
}
