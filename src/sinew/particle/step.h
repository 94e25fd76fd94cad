// Particle systems over a step of the scene: they fly, bounce, die and are born.
#pragma once

#include "sinew/particle/work.h"
#include "sinew/state/particle_state.h"
#include "sinew/state/state.h"

namespace sinew {

// From `start`, the bodies before the step, and `state`, which is at its end but for the particles. Takes
// no memory but in the first step. Particles cannot fail.
void stepParticles(const Model& model, const LargeVector<BodyState>& start, double h, State& state,
                   ParticleWork& work);

}  // namespace sinew
