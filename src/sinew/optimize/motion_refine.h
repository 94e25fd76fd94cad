// Space-time constraints on a mesh that is refined until the forward simulation comes off as planned.
#pragma once

#include "sinew/optimize/motion_replay.h"
#include "sinew/optimize/motion_solver.h"

namespace sinew {

struct RefineOptions {
    // Of the error of one piece (pieceErrors()); errors of pieces grow on the way to the end.
    double pieceError = 1e-7;
    int rounds = 8;  // of refinement
    int mostPieces = 2000;
};

struct RefinedMotion {
    MotionResult result;         // of the last mesh
    int iterations = 0;          // of all meshes
    std::vector<double> errors;  // of each mesh, the largest
    std::vector<int> pieces;     // of each mesh
    bool isFineEnough = false;
};

// Solves, cuts the pieces that are too coarse in two, and solves again from what was found.
RefinedMotion solveRefined(const MotionProblem& problem, const MotionOptions& options,
                           const RefineOptions& refine, MotionPlan& plan);

}  // namespace sinew
