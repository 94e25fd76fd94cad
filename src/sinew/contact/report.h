// How well impulses were found.
#pragma once

#include <algorithm>

namespace sinew {

// How far the answer is from being one, over all blocks, each as a displacement in metres.
struct ConstraintReport {
    double complementarity = 0;  // of normal impulse and gap, and of slip and friction
    double cone = 0;             // friction beyond what the normal impulse allows
    double penetration = 0;      // the largest d_n below zero
    double equality = 0;         // the largest |d| of an equality row
    int sweeps = 0;              // the most that any island took; of the exact solver, its iterations
    bool reachedCap = false;     // an island stopped there, not at the tolerance

    // Depth is part of the complementarity where it is against the law; beside compliance it is not.
    double largest() const { return std::max({complementarity, cone, equality}); }
};

}  // namespace sinew
