// Which bone of one skeleton is which of another: by a map, by equal names, and by what names commonly say.
//
// Names are taken apart at separators, digits and capitals: mixamorig:LeftUpLeg, thigh_l, Bip01 L Thigh and
// upper_leg.L are all the left thigh. Spines and necks of different counts are shared out from below to
// above, so that the top follows the top.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/rig/rig.h"

namespace sinew {

// What a bone is in a body with limbs.
enum class BonePart {
    hips,
    spine,
    neck,
    head,
    clavicle,
    upperArm,
    forearm,
    hand,
    thigh,
    shin,
    foot,
    toe,
    finger
};
enum class BoneSide { none, left, right };

struct BoneRole {
    BonePart part;
    BoneSide side = BoneSide::none;
    std::string finger = {};  // which, such as "index2"

    bool operator==(const BoneRole&) const = default;
};

// Of every bone of a rig; none where its name says nothing that is known.
std::vector<std::optional<BoneRole>> boneRoles(const Rig& rig);

// A line of a map: which bone of the source leads which of the target. An empty target: it leads none.
struct BonePair {
    std::string source, target;
    int line = 0;  // of the map
};

struct BoneMatch {
    std::vector<int> sourceOf;      // of each bone of the target; -1: none
    std::vector<std::string> idle;  // joints of the source that lead none
    std::vector<std::string> left;  // joints of the target that are not led
};

// The map goes before names. An error has the line of the map that is wrong.
Result<BoneMatch> matchBones(const Rig& source, const Rig& target, const std::vector<BonePair>& map);

}  // namespace sinew
