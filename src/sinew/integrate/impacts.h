// Collisions as jumps of the velocity, around any integrator.
//
// Sources: Parent's slides (kinematic response, impulse; erratum on their impulse formula: what B gets has
// the opposite sign everywhere), Moreau 1988 for many contacts at once. With J the contacts' rows, M the
// inertia:
//     u⁺ = u⁻ + M⁻¹ Jᵀ p,   0 ≤ p_n ⟂ v_n⁺ + ε v_n⁻ ≥ 0,   Coulomb's law for p_t and v_t⁺
// For one contact of two free bodies without friction this is the slides' j. It keeps linear and angular
// momentum of what collides to rounding, since both bodies are pushed in one place, and with ε = 1, without
// friction, the kinetic energy. Where ε together with friction would bring energy (Kane & Levinson 1985), ε
// is taken smaller until it does not. A step that ends with velocities which the joints do not quite allow,
// as `conservative` does, keeps that part of them through a blow: it has no momentum, and its energy is its
// own.
//
// Fractional time: the step is cut where the gap of a collision closes (regula falsi on the integrator's
// own motion), the velocities jump, and what is left of the step goes on from there. Otherwise the
// collision counts at the end of the step it happens in, as deep as bodies are then.
//
// Responses:
//     kinematic  the root's velocity along the normal is negated and multiplied by k; no masses
//     penalty    forces, explicit here (force/penalty.h), implicit in implicit steps
//     impulse    all contacts as above, after every step: many small ones hold what rests
//     resting    impulses for what bounces; the step itself holds the rest (constraints.h)
//
// `conservative` with ε = 1: its flight is exact in energy and momenta whatever the moment of the
// collision, the jump too; it needs no restart since it does not look back. BDF2 does and starts afresh.
#pragma once

#include "sinew/integrate/integrators.h"

namespace sinew {

// One step of a model with contact.
void stepWithImpacts(const Model& model, const Method& method, const Integrator& integrator,
                     ForceFunction forces, double h, State& state, StepWork& work);

// A gap that counts as closed, m.
inline double touching(const Model& model)
{
    return 1e-6 * model.contactLength;
}

// Whether a contact comes on fast enough to get an impulse rather than to be held.
bool bounces(const Model& model, const Contact& contact, const State& state);

// The velocities after the impulses at `contacts`, whose impulse is set; `h` turns speeds into the metres
// of the solver's tolerance. True if any velocity changed.
bool applyImpulses(const Model& model, std::vector<Contact>& contacts, double h, State& state,
                   StepWork& work);

}  // namespace sinew
