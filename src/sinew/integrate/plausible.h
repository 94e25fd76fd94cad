// Whether the end that was found for an implicit step can be the one that follows.
#pragma once

#include "sinew/model/model.h"
#include "sinew/model/springs.h"
#include "sinew/state/state.h"

namespace sinew {

struct StepWork;

// Calls join(a, b) for skeletons that a loop, a coupling or a spring ties together in a step that begins
// then.
template <class Join>
void eachTiedPair(const Model& model, double time, Join&& join)
{
    for (const LoopJoint& loop : model.loops)
        if (loop.joint.parent >= 0 && loop.holds(time))
            join(model.skeletonOf[loop.child], model.skeletonOf[loop.joint.parent]);
    for (const Coupling& coupling : model.couplings)
        join(model.skeletonOf[coupling.follower], model.skeletonOf[coupling.leader]);
    for (const Spring& spring : model.springs)
        if (spring.a.body >= 0 && spring.b.body >= 0)
            join(model.skeletonOf[spring.a.body], model.skeletonOf[spring.b.body]);
}

// Whether the step that was found in work.implicit.trial can be what it seems. A turn is known by where it
// ends: one of more than half a circle, beyond the spin that the step knows of, would be taken for one the
// other way round.
// `before`: Newton's iterations before the step.
bool isPlausible(const Model& model, double h, const State& from, long before, StepWork& work);

// Whether a corner that bears while its body turns has given energy. It moves along an arc, by θ in the
// step, and is pushed along the tangent at its end: by up to ½ θ² of the arm it moves on with the push,
// which is work that no contact does. What comes out of something is pushed out, and what is round is
// followed.
bool gainsOnCorners(const Model& model, double h, const State& from, const StepWork& work);

}  // namespace sinew
