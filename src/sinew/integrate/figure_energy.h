// What a step with a fixed budget does about the velocities it ends with (fast_figures.h).
//
// Energy: where looks at the contacts came to no end an island may have more energy than it had. With v, ω
// of a figure that floats split into those of its momenta, v₀ + ω₀ × r and ω₀, and what moves within it,
//     E = E₀ + E_within,   v = v₀ + ω₀ × r + s v_within,  ω = ω₀ + s ω_within
// keeps linear and angular momentum for any s, and joints. s² = 1 − gain/E_within of the island, not below
// zero. Of what is tied to the world all motion is within.
//
// Rest: sweeps that have not converged leave velocities that mean nothing. What stands on what does not
// move, and goes no farther in a step than ten times what they left open, has none.
#pragma once

#include <vector>

#include "sinew/contact/figure_sweeps.h"
#include "sinew/measure/energy.h"
#include "sinew/state/state.h"

namespace sinew {

struct FigureEnergyWork {
    std::vector<char> isJudged;         // per root of an island
    std::vector<double> sum, within;    // likewise
    std::vector<Energy> before, after;  // per skeleton
};

// `roots`: per skeleton, its island. Of islands that are judged.
void limitEnergyOfIslands(const Model& model, const State& before, const std::vector<int>& roots,
                          State& end, FigureEnergyWork& work);
void restIslands(const Model& model, const std::vector<SweptIsland>& swept, const std::vector<int>& roots,
                 double h, State& end, FigureEnergyWork& work);

}  // namespace sinew
