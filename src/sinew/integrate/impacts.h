// Collisions as jumps of the velocity, around any integrator.
//
// Sources: Parent's slides (kinematic response, impulse; erratum on their impulse formula: what B gets has
// the opposite sign everywhere). The jump itself is in integrate/impulses.h, the places of what rests are
// in integrate/hold.h; this is when they happen.
//
// Fractional time: the step is cut where the gap of a collision closes, the velocities jump, also of what
// collides within a thousandth of the step, and what is left of the step goes on from there. The moment is
// found by regula falsi on a curve between the start and a solved end; the step to it is solved, and is the
// next such end until it fits. After eight cuts what collides is held, as if it had bounced itself to rest.
// Otherwise the collision counts at the end of the step it happens in, as deep as bodies are then. What was
// in touch and quiet at the start of a step is held, not a collision, however fast the step has made it;
// what was inside at the start has no moment of touch and counts at the end. What was let through and ends
// inside has one, though it may not come on any more. No integrator looks back across a cut.
//
// Responses:
//     kinematic  the root's velocity along the normal is negated and multiplied by k; no masses
//     penalty    forces, explicit here (force/laws/penalty.h), implicit in implicit steps
//     impulse    jumps after every step, and places brought back: what rests does not sink
//     resting    impulses for what bounces; the step itself holds the rest (constraints.h)
//
// `conservative` with ε = 1: its flight is exact in energy and momenta whatever the moment of the
// collision, the jump too; it needs no restart since it does not look back. BDF2 does and starts afresh.
#pragma once

#include <vector>

#include "sinew/integrate/integrators.h"

namespace sinew {

struct ImpactWork {
    std::vector<Contact> found, predicted, sunken, blows;
    double wholeStep = 0;  // s, where a collision cuts it; zero elsewhere
    State start, between;  // where a part of the step begins, and on the way from there
};

// One step of a model with contact.
void stepWithImpacts(const Model& model, const Method& method, const Integrator& integrator,
                     ForceFunction forces, double h, State& state, StepWork& work);
// Whatever the scene's accuracy is.
void stepExactly(const Model& model, const Method& method, const Integrator& integrator,
                 ForceFunction forces, double h, State& state, StepWork& work);

}  // namespace sinew
