// The step of scenes with many free bodies, whose contacts are to be exact: its bound on work.
//
// Newton's method on the whole step finds what rests in two iterations. What has just been hit and is
// thrown round takes hundreds and finds no end, for contacts of the start of the step do not tell which
// corners touch at its end; and each iteration solves for thousands of forces that depend on each other. So
// the step of a large pile has a bound on work, counted in operations so that every machine takes the same
// way. Beyond it, or at once where a pile is in motion that is so large that it would be in vain, free
// bodies take the step in parts with contacts found anew in each (contact/pile.h), by more sweeps than
// "accuracy": "fast" has. What those leave open is counted (StepStatistics::contactCaps).
//
// Of up to 200 contacts everything is solved for as long as it takes, and whatever is at rest.
#pragma once

#include "sinew/integrate/integrators.h"
#include "sinew/state/state.h"

namespace sinew {

struct StepWork;

// Memory of it.
struct PileStepWork {
    State start;  // of the step
};

bool mayTakePileSteps(const Model& model, const Method& method, const Integrator& integrator,
                      const StepWork& work);
void pileStep(const Model& model, const Method& method, const Integrator& integrator, ForceFunction forces,
              double h, State& state, StepWork& work);

}  // namespace sinew
