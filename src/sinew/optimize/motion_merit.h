// What rows of a motion count for in the merit (optimize/motion_solver.h).
//
// With v = scale · value, multipliers λ and a weight μ:
//     cost     ½ costs v²
//     equal    λ v + ½ μ v²
//     below    (max(0, λ + μ v)² − λ²) / 2μ
//     cone     −ν log(along² − |across|²), from inside only: forces at contacts are variables, so that no
//              step has to leave their cones, and of the many ways to share a load among places one is best
// with ν → 0 from round to round. It does not depend on the axes across.
#pragma once

#include <vector>

#include "sinew/optimize/motion_problem.h"

namespace sinew {

struct MeritWeights {
    double conditions = 1;  // μ
    double costs = 1;       // what costs are counted by
    double barrier = 1e-3;  // ν, per part of the duration
};

// ½ residual² of a residual that has this slope by up to three rows, one after the other.
struct MeritTerm {
    int row = 0, count = 1;
    double slope[3] = {};
    double residual = 0;
};
// The merit near where it is: its gradient is exact, its curvature is that of the rows as they are now.
void meritTerms(const MotionRows& rows, const std::vector<double>& multipliers, const MeritWeights& weights,
                std::vector<MeritTerm>& terms);
double meritOf(const MotionRows& rows, const std::vector<double>& multipliers, const MeritWeights& weights);
void updateMultipliers(const MotionRows& rows, const MeritWeights& weights,
                       std::vector<double>& multipliers);
// In SI units, or times its scale.
double violationOf(const MotionRows& rows, std::size_t row, bool scaled);
// How hard a condition pulls against the others.
double pullOf(const MotionRows& rows, std::size_t row, const std::vector<double>& multipliers,
              const MeritWeights& weights);

}  // namespace sinew
