#include "sinew/apps/bake_flesh.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "sinew/base/words.h"
#include "sinew/rig/timeline.h"

namespace sinew {
namespace {

// The parts of the file that the soft points are, in the order of its vertices.
std::vector<MorphAddition::Part> softParts(const FleshChoice& choice)
{
    std::vector<int> rowOf(choice.skin.surface.points.size(), -1);
    for (std::size_t i = 0; i < choice.region.points.size(); ++i)
        rowOf[static_cast<std::size_t>(choice.region.points[i])] = choice.region.vertexOf[i];
    std::vector<MorphAddition::Part> parts;
    for (const GltfSkin::Part& from : choice.skin.parts) {
        MorphAddition::Part part{from.mesh, from.primitive, {}, {}};
        for (int v = 0; v < from.count; ++v) {
            const int row = rowOf[static_cast<std::size_t>(from.first + v)];
            if (row < 0) continue;
            part.vertices.push_back(v);
            part.rows.push_back(row);
        }
        if (!part.vertices.empty()) parts.push_back(std::move(part));
    }
    return parts;
}

}  // namespace

Result<FleshChoice> chooseFlesh(const CharacterFile& file, const BakeOptions& options)
{
    if (!file.gltf) return settingFault("flesh", "needs a character with a skin, which a .bvh has not");
    if (Diagnostic fault = fleshFault(options.flesh); !fault.message.empty()) return fault;
    Result<GltfSkin> skin = gltfSkin(*file.gltf, *file.character);
    if (!skin) return skin.error();
    Result<FleshRegion> region = fleshRegion(file.rig, skin.value().surface, options.flesh.bones);
    if (!region) return region.error();
    FleshChoice choice{std::move(skin.value()), std::move(region.value())};
    // Targets belong to a mesh, and their shapes to one skin.
    std::set<std::pair<int, int>> seen;
    for (const MorphAddition::Part& part : softParts(choice))
        if (!seen.insert({part.mesh, part.primitive}).second)
            return settingFault(
                "flesh",
                "several nodes show the mesh " +
                    words::quoted(file.gltf->document.meshNames[static_cast<std::size_t>(part.mesh)]) +
                    ", which is soft; give each a mesh of its own");
    return choice;
}

Result<BakedFlesh> bakeFlesh(const CharacterFile& file, const FleshChoice& choice, const BakePlan& plan,
                             const Clip& clip, const BakeOptions& options)
{
    const auto begin = std::chrono::steady_clock::now();
    FleshOptions flesh = options.flesh;
    flesh.weight = 1 - options.hold.value_or(1);
    Result<FleshMotion> motion =
        simulateFlesh(file.rig, choice.skin.surface, choice.region, clip, plan, flesh, options.gravity);
    if (!motion) return motion.error();
    BakedFlesh out{std::move(motion.value()), {}, 0, 0};
    FleshShapes shapes = fleshShapes(out.motion, flesh.targets, flesh.error * out.motion.size);
    out.error = shapes.error;
    if (!shapes.shapes.empty()) {
        MorphAddition& morphs = out.morphs.emplace();
        morphs.parts = softParts(choice);
        const std::size_t count = shapes.shapes.size();
        morphs.shapes = std::move(shapes.shapes);
        // Until physics begins there is nothing but what the mesh did by itself.
        for (int k = 0; k / plan.fps < plan.from - 0.5 / plan.fps; ++k) {
            morphs.times.push_back(k / plan.fps);
            morphs.weights.emplace_back(count, 0.0);
        }
        morphs.times.insert(morphs.times.end(), out.motion.times.begin(), out.motion.times.end());
        std::move(shapes.weights.begin(), shapes.weights.end(), std::back_inserter(morphs.weights));
        for (std::size_t c = 0; c < file.character->channelOfTrack.size(); ++c)
            if (file.rig.clips[c].name == plan.source.name) morphs.source = static_cast<int>(c);
        for (const double time : morphs.times)
            morphs.sourceTimes.push_back(
                plan.warmUp > 0 ? time : sourceTime(plan.source.duration(), plan.repeat, time));
    }
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return out;
}

}  // namespace sinew
