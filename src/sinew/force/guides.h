// Motions without forces, which tracked bodies are drawn to.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// Puts every motion of the model where it is at this time. Does nothing if they are there.
void placeGuides(const Model& model, double time, Guides& guides);

}  // namespace sinew
