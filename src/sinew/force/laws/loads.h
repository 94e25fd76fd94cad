// Loads of the scene on single bodies: constant, by a script, while a condition holds, or the figure's
// weight shared among those that bear it.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// How much of a load acts now: its signal, which starts with its trigger; nothing while that is off.
double loadFactor(const Model& model, const State& state, const BodyLoad& load);

}  // namespace sinew
