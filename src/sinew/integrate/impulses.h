// Jumps of the velocity at contacts: blows that bounce, in sequence, and what ends an approach.
//
// With J the contacts' rows, M the plain inertia (a jump takes no time, in which springs could act):
//     u⁺ = u⁻ + M⁻¹ Jᵀ p,   0 ≤ p_n ⟂ v_n⁺ + ε v_n⁻ ≥ 0,   Coulomb's law for p_t and v_t⁺
// For one contact of two free bodies without friction this is the slides' j.
//
// Many contacts at once: solved all together, Newton's law gives every ball of a cradle a share. So blows
// go in passes, the generalized reflections of Smith, Kaufman, Vouga, Tamstorf & Grinspun (Reflections on
// simultaneous impact, 2012): each pass solves the law for just those contacts that come on, and the next
// one for those that come on then, until none does. What comes on at once is reflected at once, so symmetry
// is kept; a row of balls passes the blow on, and one leaves for each that came. Contacts with ε = 0 take
// part in every pass: what does not bounce stays together. Approaches slower than bounce_speed do not
// bounce; a last pass with ε = 0 for all contacts ends them, and likewise what is left after 8 + 2 passes
// per contact.
//
// Energy: with one ε a pass changes it by ½ (1 − ε²) Σ λ v_n⁻ ≤ 0, λ the impulse that ε = 0 would take.
// With friction, or with several ε, the law may bring energy (Kane & Levinson 1985). Impulses without
// restitution never do, and all between the two obey Coulomb's cone: each island then takes the one which
// brings none.
//
// Rest: what is held is held over a step, in which springs do act, and a foot on a stiff leg is as hard to
// stop as the figure. So where nothing collides the last pass takes M + h D + h² K of the joints for M; if
// that brings kinetic energy, M again.
//
// Momentum: both bodies are pushed in one place, so linear and angular momentum are kept to rounding. A
// step that ends with velocities which the joints do not quite allow, as `conservative` does, may keep that
// part of them: it has no momentum, and its energy is its own.
//
// Cost: a factorisation, then a solve (contact/solve.h) for each pass.
#pragma once

#include <vector>

#include "sinew/integrate/integrators.h"

namespace sinew {

// Of one island of contacts in a jump, times h²: the kinetic energy that its impulses bring with
// restitution and without, and how it curves between.
struct ImpulseGain {
    double whole = 0, none = 0, curve = 0, scale = 0;
    // The part of the restitution that brings none.
    double part() const;
};

struct ImpulseWork {
    std::vector<char> bouncing;      // per contact
    std::vector<Vec3> guesses;       // likewise: impulses
    std::vector<int> inPass;         // contacts of a pass
    std::vector<ImpulseGain> gains;  // islands of a pass
    // Bodies with velocities that their joints need not allow, with the part that they do, and the momenta
    // of the rest.
    LargeVector<BodyState> whole, fitting;
    LargeVector<Vec6> momenta;
    VecX velocities;  // of the joints, before the last pass
};

// m: a gap that counts as closed.
double closedGap(const Model& model);

// Whether a contact comes on fast enough to get an impulse rather than to be held.
bool bounces(const Model& model, const Contact& contact, const State& state);

// Sets the velocities after the jump, and the contacts' impulses, whose present values are a guess for the
// last pass. `h` turns speeds into the metres of the solver's tolerance. `over`: the time over which the
// last pass holds what rests, zero for a blow. `keepsRest`: velocities that the joints do not allow stay as
// they are; otherwise they are dropped. True if any impulse is not zero; then nothing may look back any
// more.
bool applyImpulses(const Model& model, std::vector<Contact>& contacts, double h, double over,
                   bool keepsRest, State& state, StepWork& work);

// The inertia at the state, factorised in work.joint.links: the plain one, and what the springs and dampers
// of the joints add to it over a time, M + h D + h² K. True if they add anything.
bool factorInertia(const Model& model, const State& state, double over, StepWork& work);
inline void factorPlainInertia(const Model& model, const State& state, StepWork& work)
{
    factorInertia(model, state, 0, work);
}

// Solves for the impulses of the blocks in work.constraints, `largest` being the largest displacement there
// is to begin with, and notes how that went.
void solveAndNote(const Model& model, double largest, StepWork& work);

}  // namespace sinew
