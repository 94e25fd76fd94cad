// The energy of a state: of motion, gravity and all that is elastic, over all force laws (force/law.h).
#pragma once

#include <vector>

#include "sinew/state/measure.h"

namespace sinew {

Energy energy(const Model& model, const State& state);
// Of each skeleton by itself.
void skeletonEnergies(const Model& model, const State& state, std::vector<Energy>& energies);

}  // namespace sinew
