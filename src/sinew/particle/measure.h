// Particles in numbers.
#pragma once

#include "sinew/state/measure.h"
#include "sinew/state/particle_state.h"

namespace sinew {

// Of motion, and in the scene's gravity as the system feels it.
Energy particleEnergy(const Model& model, const ParticleSystem& system, const ParticleState& state);

}  // namespace sinew
