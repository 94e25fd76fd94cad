// The step of figures in scenes whose contact has "accuracy": "fast": a fixed budget of work.
//
// The equations are those of an implicit step (integrate/implicit.h), contacts those of constraints.h. What
// exact steps solve for in each of Newton's iterations until all holds, is looked at a few times here:
//
//     look      H δ = −h² r,  H made positive, and on W = J H⁻¹ Jᵀ of that a few sweeps
//               (contact/figure_sweeps.h) from the impulses of the last step on; what has turned by then is
//               corrected in the next look
//     settle    Newton's method with the wrenches of the last look as they are, each skeleton as far as
//               that brings it nearer; where it does not, the whole is moved so that linear momentum holds
//
// The positive H is that of light bodies which bear much: with what it leaves out, a chain of them that is
// pressed buckles in the matrix, and sweeps do not converge. What bounces gets its velocity in a look of
// its own. What energy and rest ask of the velocities at the end is in figure_energy.h. Depth is taken back
// after the step by moves that are no velocities.
//
// Figures that touch nothing in a step may look back (BDF2); the others are backward Euler. A step in which
// a body turns too far is taken in halves, four parts at most.
//
// Kept: the joints, exactly; linear momentum, to the tolerance of Newton's method; Coulomb's cone; energy
// never rises by contact. Missed: the laws of contacts as far as sweeps did not converge, which is counted
// (StepStatistics::contactCaps). Cost: O(bones) per look and correction, three of these where figures lie,
// up to a dozen in a blow; and the sweeps.
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
