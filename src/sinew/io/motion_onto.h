// Motions of one file for the character of another (rig/retarget.h), with the map that says which bone
// leads which.
//
// A map is text, a line for each pair: `BONE OF THE MOTION = BONE OF THE CHARACTER`. Nothing after the
// sign: the bone leads none. What follows a # is a remark; lines may be empty. One bone may lead several.
#pragma once

#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/rig/retarget.h"

namespace sinew {

Result<std::vector<BonePair>> parseBoneMap(std::string_view text, const std::string& fileName);

struct MotionChoice {
    std::string file;  // .bvh, .glb, .gltf
    std::string clip;  // of it; empty: the first
    std::string map;   // a file; empty: names alone
    double fps = 0;    // as in RetargetOptions
};

struct MotionOnto {
    Retargeted made;  // its clip has a name that no clip of the target has
    BoneMatch match;

    // For people: what was led, what was not.
    std::vector<std::string> notes() const;
};

// An error names the file, or the setting that is wrong: clip, map.
Result<MotionOnto> motionOnto(const MotionChoice& choice, const Rig& target);

}  // namespace sinew
