// Conditions of the scene, and what hangs on them.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// Looks at the conditions of the scene, as a step ends or before the first one.
void updateTriggers(const Model& model, State& state);

// How much of a load, or of what else hangs on a trigger, acts now: its signal, which starts with the
// trigger; nothing while the trigger is off.
struct TriggerState {
    bool on = true;
    double since = 0;  // the time that signals start from
};
TriggerState triggerState(const Model& model, const State& state, int trigger);
double loadFactor(const Model& model, const State& state, const BodyLoad& load);

}  // namespace sinew
