// glTF syntax → a rig with its clips.
//
// Every node of the default scene becomes a bone, also those that only place others; joints of skins are
// marked. Where a file has no skin, nodes that carry a mesh or that a clip moves count as joints. Names
// that are missing or not unique are made up ("node_7", "arm_2"). Every animation becomes a clip of the
// same index. Vertices go to the bone with the largest weight, as points in its own frame (Bone::flesh).
#pragma once

#include <vector>

#include "sinew/base/result.h"
#include "sinew/io/gltf/gltf.h"
#include "sinew/rig/rig.h"

namespace sinew {

struct GltfCharacter {
    Rig rig;
    std::vector<int> nodeOfBone;
    std::vector<int> boneOfNode;  // -1: not in the default scene
    // Which channel of animation c the track t of clip c came from: channelOfTrack[c][t].
    std::vector<std::vector<int>> channelOfTrack;
    // One line each, with the place: what was left out or changed.
    std::vector<Diagnostic> notes;
};

Result<GltfCharacter> gltfCharacter(const GltfFile& file);

}  // namespace sinew
