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
// by more than a part of its extent. True if there is any. Another end may show others; few steps take more
// than two looks. What takes more turns too far to be known from its ends: a shorter step will do.
constexpr int mostLooks = 3;
bool lookAgain(const Model& model, int look, StepWork& work);

// Contacts that were to hold and slip at the end of the solved step. True if there are new ones.
// Those may load others, which break loose in turn; after so many rounds those left do so in the next step.
constexpr int mostBreaks = 8;
bool breakLoose(ConstraintWork& work);

// Faces of piles take their normals along as their bodies turn, for those who keep them in the next step.
void turnFaces(const LargeVector<BodyState>& from, const LargeVector<BodyState>& to, ConstraintWork& work);

// For a part of another length.
void scaleImpulses(ConstraintWork& work, double by);

// The impulses are those of the last part of the step, of length `part`; they are kept as if it had all
// been like that.
void keepContacts(State& state, ConstraintWork& work, double step, double part);

}  // namespace sinew
