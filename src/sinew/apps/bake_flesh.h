// The soft parts of sinew bake: from a glTF character to morph targets.
#pragma once

#include "sinew/character/bake.h"
#include "sinew/io/character_file.h"
#include "sinew/io/gltf/add_clip.h"
#include "sinew/io/gltf/skin_surface.h"

namespace sinew {

struct BakedFlesh {
    FleshMotion motion;
    std::optional<MorphAddition> morphs;  // none where nothing moves
    double error = 0;                     // as in FleshShapes
    double seconds = 0;                   // it took
};

// What is soft. Known before anything is simulated.
struct FleshChoice {
    GltfSkin skin;
    FleshRegion region;
};
Result<FleshChoice> chooseFlesh(const CharacterFile& file, const BakeOptions& options);

// `clip` is the new clip as a whole.
Result<BakedFlesh> bakeFlesh(const CharacterFile& file, const FleshChoice& choice, const BakePlan& plan,
                             const Clip& clip, const BakeOptions& options);

}  // namespace sinew
