// What explicit steps do at each of their stages: forces and accelerations, and what has to be true of a
// state before anyone asks for them.
#pragma once

#include <type_traits>

#include "sinew/dynamics/loops.h"
#include "sinew/integrate/coordinates.h"
#include "sinew/integrate/step_work.h"
#include "sinew/state/prescribed.h"

namespace sinew {

// Into work.accelerations.
inline void evaluate(const Model& model, const Method& method, ForceFunction forces, const State& state,
                     StepWork& work)
{
    forces(model, state, work.forces);
    work.accelerations.resize(model);
    work.accelerations.wanted = method.coordinates == Coordinates::body ? Accelerations::Wanted::bodies
                                                                        : Accelerations::Wanted::joints;
    method.accelerate(model, state, work.forces, work.work, work.accelerations);
    ++work.statistics.evaluations;
}

// Each step moves all joints alike; then those whose motion is given are put where that has them, at the
// end and at every inner stage.
// Joint coordinates are put back onto closed loops at the end of a step and at every inner stage: a step
// for the motion that follows the nearest closed pose is as good as one for the motion itself, on which the
// two agree. Body coordinates drift off their loops as they do off their joints.
template <class Coordinates>
void settle(const Model& model, State& state, StepWork& work)
{
    followPrescribed(model, state);
    if (std::is_same_v<Coordinates, BodyCoordinates> || model.loops.empty()) return;
    if (!closeLoops(model, state, work.work.loops)) work.statistics.failed = true;
}

// Whether settle() leaves states as they are.
template <class Coordinates>
bool settlesNothing(const Model& model)
{
    return model.prescribed.empty() &&
           (std::is_same_v<Coordinates, BodyCoordinates> || model.loops.empty());
}

}  // namespace sinew
