// The pose that wishes want: inverse kinematics with limits of joints, for any mixture of wishes.
//
// Damped second-order steps from the given pose (optimize/pose_problem.h), which end in a local minimum
// near it; freedoms that no wish asks for stay as they are. Wishes that are soft choose among the poses
// that the others leave: they take part in the search, and then the others alone go the last bit. A minimum
// in which a wish is not fulfilled may be a saddle, such as a straight arm that is to reach along itself,
// or not the best one: then the search begins again from poses beside the start, the same ones each time.
//
// Wishes that cannot all be fulfilled end in the compromise of least energy, and the report says of each by
// how much it is missed, and whether it could be fulfilled by itself.
//
// Loops and couplings are not held here: refuse their models (poseFault).
#pragma once

#include <string>
#include <vector>

#include "sinew/optimize/minimise.h"
#include "sinew/state/state.h"

namespace sinew {

struct PoseOptions {
    double tolerance = 1e-5;  // m or rad: a wish that is missed by less is fulfilled
    int iterations = 200;     // of a search
    int restarts = 6;         // at most
};

struct WishOutcome {
    int wish = 0;         // in Model::wishes
    double error = 0;     // |r|, m or rad
    bool isSoft = false;  // it need not be fulfilled
    bool isFulfilled = false;
    // Of one that is not fulfilled: by how much it is missed when it has the figure for itself.
    double alone = 0;
};

struct PoseReport {
    MinimiseReport minimum;  // of the last search; its energy is that of all wishes but soft ones
    int iterations = 0;      // of all searches
    int restarts = 0;
    std::vector<WishOutcome> wishes;
    bool isFulfilled = true;  // every wish but soft ones
};

// Why no pose can be searched for, or empty.
std::string poseFault(const Model& model);

// Moves the state to the pose that fulfils the wishes (by number in Model::wishes), or comes nearest; it is
// at rest then. With `explains`, unfulfilled ones are tried alone.
PoseReport solvePose(const Model& model, const std::vector<int>& wishes, const PoseOptions& options,
                     State& state, bool explains = true);

}  // namespace sinew
