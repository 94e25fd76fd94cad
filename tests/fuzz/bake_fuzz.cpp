// Physics baked into whatever reads as a character: all of its bones limp, for a few frames above a floor,
// and all of its skin soft. The new clip is finite, and the file that has it reads again.
#include <cmath>
#include <cstdint>

#include "fuzz/expect.h"
#include "sinew/character/bake.h"
#include "sinew/io/gltf/add_clip.h"
#include "sinew/io/gltf/skin_surface.h"

using namespace sinew;

namespace {

constexpr std::size_t mostBones = 40;  // more only take longer
constexpr int frames = 3;
constexpr int mostPoints = 500;

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

// All of the skin, where it can be read.
void addSoftSkin(const GltfFile& file, const GltfCharacter& character, const BakePlan& plan,
                 ClipAddition& addition)
{
    const Result<GltfSkin> skin = gltfSkin(file, character);
    if (!skin || skin.value().surface.size() > mostPoints) return;
    const Result<FleshRegion> region = fleshRegion(character.rig, skin.value().surface, {"*"});
    if (!region) return;
    const FleshOptions options;
    const Result<FleshMotion> motion = simulateFlesh(character.rig, skin.value().surface, region.value(),
                                                     addition.clip, plan, options, 9.81);
    if (!motion) return;
    FleshShapes shapes = fleshShapes(motion.value(), options.targets, 0);
    if (shapes.shapes.empty()) return;
    expect(std::isfinite(shapes.error));
    MorphAddition& morphs = addition.morphs.emplace();
    const GltfSkin::Part& from = skin.value().parts.front();
    morphs.parts.push_back({from.mesh, from.primitive, {}, {}});
    for (std::size_t i = 0; i < region.value().points.size(); ++i) {
        const int vertex = region.value().points[i] - from.first;
        if (vertex < 0 || vertex >= from.count) continue;
        morphs.parts[0].vertices.push_back(vertex);
        morphs.parts[0].rows.push_back(region.value().vertexOf[i]);
    }
    morphs.shapes = std::move(shapes.shapes);
    morphs.times = motion.value().times;
    morphs.weights = std::move(shapes.weights);
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
    options.collide = size % 2 == 0 ? BakeCollision::all : BakeCollision::body;
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
    addSoftSkin(file.value(), character.value(), plan.value(), addition);
    const Result<std::string> bytes = addClip(file.value(), character.value(), addition, true);
    if (!bytes) return 0;
    expect(static_cast<bool>(parseGltf(bytes.value(), "f", nothingBeside)));
    return 0;
}
