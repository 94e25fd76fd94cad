// The step of scenes whose contact has "accuracy": "fast": a fixed budget of work.
//
// Contacts are found once, where bodies may come within the step. Skeletons that bear on each other,
// directly or through others, form islands. Islands of free bodies that nothing but weights and explicit
// forces push are piles (contact/pile.h), solved apart from each other on all threads. Islands with
// figures, and bodies with targets, have steps of their own beside them (fast_figures.h); where there are
// loops, couplings and springs between bodies it is the integrator's exact one. What sweeps leave open is
// taken as it is, and counted (StepStatistics::contactCaps).
//
// Where a body comes on fast, the blow will throw it round, and its corners touch where they are not known
// to: contacts of its island are then found anew several times in the step.
#pragma once

#include <vector>

#include "sinew/contact/pile.h"
#include "sinew/integrate/fast_figures.h"
#include "sinew/integrate/integrators.h"
#include "sinew/state/state.h"

namespace sinew {

struct StepWork;

// Memory of it.
struct FastWork {
    int thoroughness = 1;  // times the sweeps
    Pile pile;
    FastFigureWork figureStep;
    std::vector<char> isLone;     // per skeleton: a free body
    std::vector<char> isPiled;    // likewise: a body of the pile
    std::vector<char> isRough;    // per body of a pile: it is about to be hit
    std::vector<char> mark;       // per skeleton
    std::vector<int> island;      // likewise: the tree of a union of sets
    std::vector<int> numberOf;    // per root: its island in the pile
    std::vector<int> bodyOf;      // per skeleton: its body in the pile; −1: none
    std::vector<int> skeletonOf;  // per body of the pile
    std::vector<char> leftOut;    // per body: of a pile
    std::vector<Contact> found, over, piles, figures, asleep;
    std::vector<BodyTangent> tangents;
    LargeVector<BodyState> start;  // of the step
    LargeVector<Force> pushes;     // likewise: what pushes beside contacts
    LargeVector<Quat> turn;        // per body, in the last look
};

bool takesFastSteps(const Model& model);
void fastStep(const Model& model, const Method& method, const Integrator& integrator, ForceFunction forces,
              double h, State& state, StepWork& work);

}  // namespace sinew
