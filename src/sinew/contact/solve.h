// Impulses that hold contacts and closed loops: d = d0 + W μ under Coulomb's law (contact/delassus.h).
//
// Blocks that share a unit, directly or through others, form an island; islands are solved one by one, in
// the order of their first blocks. Small ones exactly (solve_exact.cpp) or, where Newton's method cycles,
// from other pieces or from inside the cones (solve_interior.cpp), larger ones by a few sweeps
// (solve_iterative.cpp) and, where those do not get there, over the freedoms of their units
// (solve_sparse.cpp) or as a whole; the largest by sweeps alone. Where one way fails another tries, and the
// better answer stays.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "sinew/base/stop.h"
#include "sinew/contact/coulomb.h"
#include "sinew/contact/delassus.h"
#include "sinew/contact/report.h"

namespace sinew {

struct ConstraintSolverSettings {
    enum class Choice { automatic, exact, iterative };
    Choice choice = Choice::automatic;
    int sweeps = 200;         // of the iterative one, at most
    double tolerance = 1e-8;  // m
    // How far loops are open where their rows were taken, over their lengths: rows that are independent
    // only because of that do not count as such (redundant.cpp).
    double loopGap = 0;
    // Of many bodies, most of which rest. What a solve leaves open there shakes the tops of towers by much
    // more, and the next step has to find all forces again: so it is solved beyond the tolerance where that
    // costs little, and nothing more is done where what is left is near to it.
    bool isPile = false;
    // m: what may be left where to find less takes long; less than the tolerance: nothing more than that.
    double enough = 0;
};

// Whether loops that are so far open have rows left out that would count if they were closed.
bool leavesRowsOut(double loopGap);

// Freedoms of a unit that the sparse solver takes.
inline constexpr int largestSparseUnit = 96;

// A row of a block, and what scales it.
struct SolverRow {
    int block, axis;
    double scale;
};

// Which rows of the equalities of an island depend on others (redundant.cpp).
struct Redundance {
    std::vector<SolverRow> rows;  // of the equalities that can move
    std::vector<int> order;       // the independent ones first
    int rank = 0;                 // how many those are
    MatX factor;
    std::vector<int> columns;  // of each unit: where its freedoms begin in `motions`
    MatX motions;
};

// A contact or bounded block as solve_interior.cpp has it: m and z inside their cones, and the step at
// hand.
struct InteriorCone {
    int row = 0, width = 0;
    bool isDisc = false;
    Vec3 m, z, stepM, stepZ, lambda, c, second;
    Mat3 T, inverse;
    Mat3 D, overD;  // of the matrix of the step, and its inverse
    Vec2 slipRate;
    double determinant = 0;  // of λ, its root
};

// What an island may take after the step has spent its work: a blow between a few bodies is not to fail
// because of a hard problem elsewhere, and what follows from hardly solved contacts is harder still.
inline constexpr double operationsOfIsland = 1e8;

// What factorisations have taken since the step began: operations that are counted, not timed, so that a
// scene takes the same way on every machine. Whoever begins a step sets it to zero.
struct SolverEffort {
    double operations = 0;
    int factorisations = 0;
    double begunAt = 0;  // operations, when the island at hand was begun
    // Roughly, of all that is done for contacts: sweeps and rows too.
    double work = 0;
    // Contacts in the tree led nowhere (tree_contacts.h): what is left of the step is done with rows.
    bool needsRows = false;

    void add(double ofOne)
    {
        operations += ofOne;
        work += ofOne;
        ++factorisations;
    }
    void beginIsland() { begunAt = operations; }
    // The step has had all that one may have: what is left of it gets little, and is taken as it is.
    bool isSpent() const;
    // Nor is there anything left of what every island may have.
    bool isSpentForIsland() const;
};

// Memory for solving, kept from call to call.
struct SparseWork;
struct ConstraintSolverWork {
    ConstraintSolverWork();
    ~ConstraintSolverWork();
    ConstraintSolverWork(const ConstraintSolverWork&);
    ConstraintSolverWork(ConstraintSolverWork&&) noexcept;
    ConstraintSolverWork& operator=(const ConstraintSolverWork&);
    ConstraintSolverWork& operator=(ConstraintSolverWork&&) noexcept;

    Stop stop;                           // asked between iterations; what is found then is of no use
    SolverEffort effort;                 // of the step, so far
    std::unique_ptr<SparseWork> sparse;  // of solve_sparse.cpp; a copy begins without it
    std::vector<ConstraintLaw> laws;     // per block

    // Whether whoever factorises shall go on no longer.
    bool shallEnd() const { return stop() || effort.isSpentForIsland(); }

    // Blocks sorted by island: island i has blocks[begin[i]] … blocks[begin[i + 1] − 1].
    std::vector<int> parent, islandOfUnit, islandOfBlock, begin, next, blocks;
    std::vector<double> left;  // per island: its residual after solving, m

    // Sweeps: impulses of an island as one vector, now, at the best time, and the differences of the last
    // times that the acceleration looks back on.
    std::vector<double> start, change, lastChange, lastResult, best, weights, changeSteps, resultSteps;

    // The exact solver: one entry per row of an island, and dense matrices.
    using Row = SolverRow;
    std::vector<Row> rows;
    Redundance redundance;  // of the island at hand
    std::vector<int> active, pivots;
    std::vector<InteriorCone> cones;
    std::vector<double> W, jacobian, offset, center, impulse, trial, d, trialD, step, residual, answer,
        before, inside;
};

// Starts from the impulses in the blocks and leaves the answer there; the motion of delassus is then
// that of the answer.
ConstraintReport solveConstraints(Delassus& delassus, std::vector<ConstraintBlock>& blocks,
                                  const ConstraintSolverSettings& settings, ConstraintSolverWork& work);

// What the impulses of all blocks leave open of a block's displacement because they are rounded, m: where
// what they do all but cancels, as beside a joint of a body that is light beside its figure, they would
// have to be known better than numbers are.
double roundingOf(const Delassus& delassus, const std::vector<ConstraintBlock>& blocks, int block);

// The same where W is not positive because loops would buckle if they were open (solve_closed.cpp). False
// if no solution was found; the impulses are of no use then.
bool solveLoopsFirst(Delassus& delassus, std::vector<ConstraintBlock>& blocks,
                     const ConstraintSolverSettings& settings, ConstraintSolverWork& work,
                     ConstraintReport& report);

}  // namespace sinew
