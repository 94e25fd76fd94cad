// What solveConstraints and its ways of solving an island share.
#pragma once

#include <span>

#include "sinew/contact/solve.h"

namespace sinew {

struct Island {
    Delassus& delassus;
    std::vector<ConstraintBlock>& blocks;
    std::span<const int> members;  // numbers of blocks
    ConstraintSolverWork& work;
};

struct IslandResult {
    double residual = 0;  // m, the largest of all laws
    int iterations = 0;
};

// The largest residual of the impulses in the blocks; the motion must be theirs.
double islandResidual(const Island& island);
// Motion of the island's units anew from the impulses in the blocks.
void renewMotion(const Island& island);
// The impulses of all members one after the other, three each. Loading moves them into their cones and
// renews the motion.
void storeImpulses(const Island& island, double* to);
void loadImpulses(const Island& island, const double* from);

// Of the equalities, finds the rows that say what others say, and drops them from their laws, with their
// impulses (redundant.cpp).
void dropRedundantRows(const Island& island, double gap);
// Rows with a W_ii below this part of the largest one cannot be moved: what is left of them is rounding.
inline constexpr double immobileRow = 1e-27;
// What a row is scaled by, given its W_ii and the largest one: to W_ii = 1, unless its rounding would then
// be taken for an independent row.
double rowScale(double own, double largest);
// Pivots below this, of rows scaled to W_ii = 1, are of rows that depend on others.
double leastIndependence(double loopGap);
// After solving: of all impulses of the equalities that do the same, the least.
void preferLeastImpulses(const Island& island, double tolerance);
// What the squares of a row's impulses are weighed by in that: by how it moves, so that units do not count,
// and alike in all rows of a vector, so that its axes do not. W is the block's.
double impulseWeight(const ConstraintBlock& block, const Mat3& W, int row);
// Takes out of impulses what does nothing, any sum of the columns of `idle`.
void dropIdle(const MatX& idle, const VecX& weights, VecX& impulses);

// All start from the impulses in the blocks, with the motion that belongs to them, and leave answer and
// motion there. They stop at the tolerance or at their caps.
IslandResult solveIteratively(const Island& island, const ConstraintSolverSettings& settings);
IslandResult solveExactly(const Island& island, const ConstraintSolverSettings& settings);
// Like solveExactly, for slips that are tiny beside what else moves.
IslandResult solveBySlips(const Island& island, const ConstraintSolverSettings& settings);
// From where the others got stuck: each contact in turn is opened, held or let slip, and Newton's method
// goes on from there.
IslandResult solveByFlips(const Island& island, const ConstraintSolverSettings& settings);
// Without regard to the impulses in the blocks.
IslandResult solveFromInside(const Island& island, const ConstraintSolverSettings& settings);
IslandResult solveFromInsideLinked(const Island& island, const ConstraintSolverSettings& settings);
IslandResult solveSparsely(const Island& island, const ConstraintSolverSettings& settings);
// Whether the sparse solver can take an island on, and would not take too long.
bool suitsSparse(const Island& island);

// Rows that solveExactly takes: its memory grows with their square.
inline constexpr int exactRowsAtMost = 1500;

}  // namespace sinew
