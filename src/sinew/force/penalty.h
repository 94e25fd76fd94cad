// Springs and dampers at contacts: the slides' second response, for steps that take forces as they come.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// f_n = k · depth − c · rate, never a pull; f_t against the slip, by the damper until it reaches friction ·
// f_n. At the contacts in the state, with normals as they were found; those whose impulse is known already
// are left out.
void addPenaltyForces(const Model& model, const State& state, Forces& forces);

// On B, world axes.
Vec3 penaltyForce(const Model& model, const Contact& contact, const State& state);

}  // namespace sinew
