// How far the joint that carries a bone bends: by the bone's name, by rules, and at least as far as its
// animation bends it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/character/embody.h"

namespace sinew {

// Of a ball joint with an axis, in the bone's own frame. Along the bone, so that swing bends it and twist
// turns it; or, of knees and elbows, the axis they bend about, which the animation tells: then twist bends
// and swing is the little play such joints have. A ball joint it is all the same, since animations turn
// knees about other axes as well, if only a little.
struct JointRange {
    Vec3 axis = Vec3::UnitY();
    double swing = 0, lower = 0, upper = 0;  // rad; of the cone, of the twist
};

// `turns`: rotation vectors of the animation since the bind pose.
JointRange jointRange(const std::string& bone, const BoneBody& body, const std::vector<Vec3>& turns,
                      const std::vector<BoneRule>& rules);

// What the last rule for this bone says.
std::optional<double> ruledValue(const std::vector<BoneRule>& rules, const std::string& bone,
                                 std::optional<double> BoneRule::*what);

}  // namespace sinew
