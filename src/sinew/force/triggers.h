// Conditions of the scene, and what hangs on them.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// Looks at the conditions of the scene, as a step ends or before the first one.
void updateTriggers(const Model& model, State& state);

// Whether what hangs on a trigger acts now. −1: on none, it always does.
struct TriggerState {
    bool on = true;
    double since = 0;  // the time that signals start from
};
TriggerState triggerState(const Model& model, const State& state, int trigger);

}  // namespace sinew
