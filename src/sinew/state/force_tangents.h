// Minus the derivatives of all forces of a scene at a state, as lists (force/laws.h fills them).
#pragma once

#include <vector>

#include "sinew/state/pair_tangent.h"
#include "sinew/state/state.h"

namespace sinew {

struct ForceTangents {
    std::vector<JointTangent> joints;  // per link; empty: forces in joints are constant
    std::vector<BodyTangent> bodies;
    std::vector<PairTangent> pairs;

    bool onBodies() const { return !bodies.empty() || !pairs.empty(); }
};

}  // namespace sinew
