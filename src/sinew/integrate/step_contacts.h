// The contacts of an implicit step: which may touch, what its end shows besides, which slip, and what is
// kept of them (integrate/implicit.h).
#pragma once

#include "sinew/model/model.h"
#include "sinew/state/state.h"

namespace sinew {

struct ConstraintWork;
struct StepWork;

// What may touch during the step, or during a later part of it, with the impulses of the last one to start
// from. True if anything may.
bool findContacts(const Model& model, State& state, double h, bool isLater, ConstraintWork& work);

// Contacts are found at the start of a step; a bone that whips round may end it inside something all the
// same. Adds what the end of the step, in work.implicit.trial, shows to be deeper than the contacts know,
// by more than a part of its extent. Another end may show others; few steps take more than two looks. What
// takes more, or swings round a corner to the other side of what it touches, turns too far to be known from
// the ends of the step: a shorter one will do. What speeds up by much may go through something within the
// step, and be outside of it at its end: then the way there is looked along.
enum class Seen { nothing, more, tooMuch };
constexpr int mostLooks = 3;
Seen lookAgain(const Model& model, const State& start, int look, StepWork& work);

// Contacts that were to hold and slip at the end of the solved step. True if there are new ones.
// Those may load others, which break loose in turn; after so many rounds those left do so in the next step.
constexpr int mostBreaks = 8;
bool breakLoose(ConstraintWork& work);

// J: what contacts that hold or slide bring through a step, or a part of one, by the impulses that they
// have in it: impulse · (v₀ + v₁)/2, with the arms of its end, at which they push.
double contactWork(const std::vector<Contact>& contacts, const State& from, const State& to);

// Faces of piles take their normals along as their bodies turn, for those who keep them in the next step.
void turnFaces(const LargeVector<BodyState>& from, const LargeVector<BodyState>& to, ConstraintWork& work);

// For a part of another length.
void scaleImpulses(ConstraintWork& work, double by);

// The impulses are those of the last part of the step, of length `part`; they are kept as if it had all
// been like that.
void keepContacts(State& state, ConstraintWork& work, double step, double part);

}  // namespace sinew
