// What a reader of somebody else's format brings: a scene, and what it met on the way and could not bring.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/model/description.h"

namespace sinew {

// What a file of somebody else's format leaves open, decided by whoever reads it. `limp` and `fixedBase`
// are of robots (URDF), `keyframe` is of models (MJCF), the others are of both.
struct ImportOptions {
    std::optional<bool> fixedBase = {};  // whether the root is bolted to the world
    bool limp = false;                   // joints do not hold the pose that they start in
    std::optional<double> ground = {};   // m: a floor at this height, and what floats stands on it at least
    std::vector<std::string> meshPaths = {};  // folders in which meshes are looked for too
    std::string keyframe = {};                // the <key> to start from, by name or number
};

struct Imported {
    Description scene;
    std::string text = {};  // of our own format, as it stands in the file
    // One line each, with the place: what was left out or changed, so that nothing is dropped in silence.
    std::vector<Diagnostic> notes;
};

}  // namespace sinew
