// Motors of joints:  Q = β, given on the second body: constant, by a script, or while a condition holds.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// The torque of a joint's motors in the description's terms, one per freedom.
Vec6 motorTorque(const Model& model, const State& state, int link);

}  // namespace sinew
