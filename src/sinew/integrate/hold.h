// What an impulse at the end of a step cannot hold: places. Moves what has sunk into something within a
// step back out, around any integrator.
//
// A step between impulses is free: what rests falls into the ground by ½ g h² or g h², as the integrator
// has it, and creeps down a slope. A jump at its end sets the velocities right (integrate/impulses.h); the
// places are brought back before it by the displacements that Coulomb's law would have allowed over the
// step,
//     q⁺ = q ⊕ M⁻¹ Jᵀ μ,   0 ≤ μ_n ⟂ d_n ≥ 0,   Coulomb's law for μ_t and d_t
//     d_n = gap − target       d_t = slip of the two surfaces over the step, since they touched
// as SHAKE does for joints (Ryckaert, Ciccotti & Berendsen 1977), here with inequalities and friction. What
// sticks is put back to where it was, what slides is held back by the friction of the step: both levels
// together are a step of Moreau's, of first order where friction changes. To M the joints add h D + h² K,
// as in an implicit step: stiff figures move as a whole instead of loading their springs.
//
// Target: where it was at the start of the step if that was inside, 0 otherwise; so potential energy does
// not rise above that of the start. Depth from before fades out by a fifth, and wholly where one step of
// gravity can make it. What parts fast enough to be out after the next step is left alone. The bodies keep
// their velocities, turning with them; the joints' are those nearest to them in the sense of the masses
// (applyImpulses sees to that), so no kinetic energy comes of it.
//
// d is not linear in q: up to three corrections with the same W = J M⁻¹ Jᵀ. Cost: a solve (contact/solve.h)
// each.
#pragma once

#include "sinew/integrate/impulses.h"

namespace sinew {

// At contacts that are in touch at the end of a part of a step, of length h, which began with the poses
// `start`. Sets their gaps anew. True if anything was moved; then the joints' velocities fit the bodies' no
// more until applyImpulses.
bool holdPlaces(const Model& model, const LargeVector<BodyState>& start, double h,
                std::vector<Contact>& contacts, State& state, StepWork& work);

}  // namespace sinew
