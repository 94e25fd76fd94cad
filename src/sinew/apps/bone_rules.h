// What the command line says about bones: rules such as '*Ear*:stiffness=5,damping=0.5', and units of
// length.
#pragma once

#include <string>

#include "sinew/base/result.h"
#include "sinew/character/bake.h"

namespace sinew {

// PATTERN:KEY=VALUE,KEY=VALUE…. Angles are in degrees here.
Result<BoneRule> parseBoneRule(const std::string& text);

// [PATTERN:]TIME=WEIGHT,…; BONE,TIME,X,Y,Z; CLIP,TIME[,BLEND].
Result<BakeWeight> parseWeight(const std::string& text);
Result<BakeHit> parseHit(const std::string& text);
Result<BakeNext> parseNext(const std::string& text);

// Metres in a unit: m, cm, mm, inch, foot, cmu (of the motion captures of Carnegie Mellon University), or a
// number.
Result<double> parseUnit(const std::string& text);

// How a character that has no masses gets them.
struct BodyChoice {
    std::string unit;              // empty: guessed from the height
    std::optional<double> height;  // m: instead of a unit
    std::optional<double> mass, density;
    std::string table;
    std::vector<std::string> rules;
};
// `note` is set where a unit was guessed.
Result<EmbodyOptions> embodyOptions(const BodyChoice& choice, const Rig& rig, std::string& note);

}  // namespace sinew
