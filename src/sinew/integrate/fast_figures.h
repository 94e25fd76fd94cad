// The step of figures in scenes whose contact has "accuracy": "fast": a fixed budget of work.
//
// The equations are those of an implicit step (integrate/implicit.h), contacts those of constraints.h. What
// exact steps solve for in each of Newton's iterations until all holds, is looked at a few times here:
//
//     look      H δ = −h² r,  and on W = J H⁻¹ Jᵀ of that H a few sweeps (contact/figure_sweeps.h) that
//     start
//               from the impulses of the last step; the second look corrects for what has turned
//     then      Newton's method on the step with the impulses as they are, to its end
//
// so that joints, momenta and the energy of a step are those of an implicit step that is given forces, and
// only Coulomb's law is met as well as sweeps can. What bounces gets its velocity in a look of its own.
// Depth is taken back after the step by moves that are no velocities.
//
// Figures that touch nothing in a step may look back (BDF2); the others are backward Euler. A step in which
// Newton's method does not come to an end is taken in halves, four parts at most.
//
// Kept: joints, linear momentum, Coulomb's cone; energy never rises by contact. Missed: the laws of
// contacts as far as sweeps did not converge, which is counted (StepStatistics::contactCaps); places that
// are touched later in the step than they were looked for. Cost: O(bones) per iteration, some four a step,
// and the sweeps.
#pragma once

#include <string>
#include <vector>

#include "sinew/contact/figure_sweeps.h"
#include "sinew/integrate/figure_energy.h"
#include "sinew/integrate/integrators.h"
#include "sinew/state/state.h"

namespace sinew {

struct StepWork;

// Memory of it.
struct FastFigureWork {
    FigureSweeps sweeps;
    std::vector<Contact> guessed;  // as the part of the step begins
    std::vector<double> aims;      // per contact: how far what bounces is to come, m
    std::vector<int> numberOf;     // per block of the constraints: among those of the sweeps; −1: none
    std::vector<double> gaps;      // per contact, as the step began
    std::vector<Vec3> impulses;    // per block, while the wrenches are in their place
    LargeVector<Force> wrenches;   // per body
    std::vector<double> sizes;     // per skeleton
    FigureEnergyWork energy;
    VecX next, searchStart;
    LargeVector<BodyState> start;
    VecX startCoordinates, startVelocities;
    double startTime = 0;
};

// What keeps the figures of a model from fast steps, as messages call it; empty: nothing.
std::string keepsFromFastFigures(const Model& model);

// Of all bodies of the model, with the contacts that are in work.constraints, into whose impulses it goes.
// `roots`: per skeleton, its island. False if no end was found.
bool stepFiguresFast(const Model& model, const Integrator& integrator, ForceFunction forces, double h,
                     const std::vector<int>& roots, State& state, StepWork& work, FastFigureWork& own);

}  // namespace sinew
