// What an impulse at the end of a step cannot hold: places. Moves what has sunk into something within a
// step back out, around any integrator.
//
// A step between impulses is free: what rests falls into the ground by ½ g h² or g h², as the integrator
// has it, and creeps down a slope. The velocities at its end are right after the jump
// (integrate/impulses.h); the places are brought back by the displacements that Coulomb's law would have
// allowed over the step,
//     q⁺ = q ⊕ M⁻¹ Jᵀ μ,   0 ≤ μ_n ⟂ d_n ≥ 0,   Coulomb's law for μ_t and d_t
//     d_n = gap − target       d_t = slip of the two surfaces over the step, since they touched
// as SHAKE does for joints (Ryckaert, Ciccotti & Berendsen 1977), here with inequalities and friction. It
// changes no velocity. What sticks is put back to where it was, what slides is held back by the friction of
// the step: both levels together are a step of Moreau's, of the order of the integrator or of first order,
// which is the less.
//
// Target: where it was at the start of the step if that was inside, 0 otherwise; so potential energy does
// not rise above that of the start. Of depth from before a part fades out, and all that one step of gravity
// can make. What leaves fast enough to be out after the next step is left alone.
//
// d is not linear in q: up to three corrections with the same W = J M⁻¹ Jᵀ. Cost: a solve (contact/solve.h)
// each.
#pragma once

#include "sinew/integrate/impulses.h"

namespace sinew {

// After applyImpulses at the same contacts, which are those in touch at the end of a part of a step, of
// length h, that began with the poses `start`. Sets their gaps anew. True if anything was moved.
bool holdPlaces(const Model& model, const LargeVector<BodyState>& start, double h,
                std::vector<Contact>& contacts, State& state, StepWork& work);

}  // namespace sinew
