// Broad and narrow phase together: the contacts of a scene at a state.
#pragma once

#include <utility>
#include <vector>

#include "sinew/collision/box_tree.h"
#include "sinew/geometry/distance.h"
#include "sinew/state/state.h"

namespace sinew {

// Memory from step to step. It changes how long an answer takes, not the answer.
class Collisions {
public:
    // Replaces `contacts` by those at state.bodies, of all pairs that may collide: what is in touch, and
    // what is nearer than it can get within h at its present velocity, or than `nearby`. At most four to a
    // pair of convex shapes. Sorted by colliders and feature; the same state gives the same bits.
    void detect(const Model& model, const State& state, double h, std::vector<Contact>& contacts);

    static constexpr double nearby = 0.005;  // m

private:
    std::vector<int> ids_;
};

// Gives contacts that were there before their impulses: by place, or else the nearest of the pair. Both are in
// the order of detect().
void carryImpulses(const std::vector<Contact>& before, std::vector<Contact>& now);

}  // namespace sinew
