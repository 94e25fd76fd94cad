// Springs and dampers at contacts: the slides' second response, for steps that take forces as they come.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// f_n = k · depth − c · rate, never a pull; f_t against the slip, by the damper until it reaches friction ·
// f_n. On B, world axes, at a contact of the state with its normal as it was found.
Vec3 penaltyForce(const Model& model, const Contact& contact, const State& state);

}  // namespace sinew
