// What a figure does of its own: its joints are led through keyed poses, each with its strength, while the
// action has weight. Each joint gets a controller; what is added up, and what takes over from what, their
// weights say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/model/signal.h"
#include "sinew/model/strength.h"

namespace sinew {

struct ActionDescription {
    struct Key {
        double time = 0;                         // s
        std::vector<JointPoseDescription> pose;  // of joints that it says something of
    };

    std::string name;
    std::vector<StrengthDescription> joints;
    std::vector<Key> keys;         // times rising
    bool smooth = true;            // through the keys by cubics that never leave them; else straight
    std::optional<Signal> weight;  // of all: 0 lets go
};

}  // namespace sinew
