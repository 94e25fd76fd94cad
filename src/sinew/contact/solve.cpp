#include "sinew/contact/solve.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <numeric>

#include "sinew/base/assert.h"
#include "sinew/contact/island.h"

namespace sinew {
namespace {

// Islands up to this many rows are solved exactly first: measured, see solve_exact.cpp.
constexpr int exactRows = 96;

constexpr int fewIslandRows = 15, sweepsOfFewRows = 10;
// Sweeps that a large island gets, in case it is at rest and warm, before the sparse solver is asked.
constexpr int sweepsBeforeSparse = 10;
// Islands up to this many rows are solved exactly where nothing else gets there: seconds, but an answer.
constexpr int exactRowsAtLast = 600;
// And up to this many in all ways that look at all rows at once.
constexpr int pathRows = 200;

// Of a step. Large problems may have a number of factorisations all the same.
constexpr double mostOperations = 1e10;
constexpr int mostFactorisations = 1000;
// What all islands of a step may take together after that: a pile has hundreds of them.
constexpr double mostAfterwards = 5e9;

int find(std::vector<int>& parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// Blocks on no unit are islands of their own.
int splitIntoIslands(const Delassus& delassus, ConstraintSolverWork& work)
{
    const int count = delassus.size();
    work.parent.resize(delassus.unitCount());
    std::iota(work.parent.begin(), work.parent.end(), 0);
    for (int c = 0; c < count; ++c) {
        const int a = delassus.side(c, 0).unit, b = delassus.side(c, 1).unit;
        if (a < 0 || b < 0) continue;
        const int rootA = find(work.parent, a), rootB = find(work.parent, b);
        work.parent[std::max(rootA, rootB)] = std::min(rootA, rootB);
    }
    work.islandOfUnit.assign(delassus.unitCount(), -1);
    work.islandOfBlock.resize(count);
    work.begin.assign(1, 0);
    for (int c = 0; c < count; ++c) {
        const int unit = std::max(delassus.side(c, 0).unit, delassus.side(c, 1).unit);
        const int fresh = static_cast<int>(work.begin.size()) - 1;
        int island = fresh;
        if (unit >= 0) {
            int& known = work.islandOfUnit[find(work.parent, unit)];
            if (known < 0) known = fresh;
            island = known;
        }
        if (island == fresh) work.begin.push_back(0);
        work.islandOfBlock[c] = island;
        ++work.begin[island + 1];
    }
    std::partial_sum(work.begin.begin(), work.begin.end(), work.begin.begin());
    work.next = work.begin;
    work.blocks.resize(count);
    for (int c = 0; c < count; ++c) work.blocks[work.next[work.islandOfBlock[c]]++] = c;
    return static_cast<int>(work.begin.size()) - 1;
}

void prepareLaws(const Delassus& delassus, std::vector<ConstraintBlock>& blocks, ConstraintSolverWork& work)
{
    double reference = 0;
    for (int c = 0; c < delassus.size(); ++c)
        reference = std::max(reference, delassus.diagonal(c).diagonal().maxCoeff());
    work.laws.resize(blocks.size());
    for (std::size_t c = 0; c < blocks.size(); ++c) {
        work.laws[c] = constraintLaw(blocks[c], delassus.diagonal(static_cast<int>(c)), reference);
        blocks[c].impulse = insideCone(work.laws[c], blocks[c].impulse);
        for (int r = blocks[c].rows; r < 3; ++r) blocks[c].impulse[r] = 0;
    }
}

// Not in large islands: sparse solvers and sweeps do without. Nor under others: what is light would yield
// far to a weight a million times its own.
void shareLoads(const Delassus& delassus, int islands, std::vector<ConstraintBlock>& blocks,
                const ConstraintSolverWork& work)
{
    for (int i = 0; i < islands; ++i) {
        const std::span<const int> members(work.blocks.data() + work.begin[i],
                                           work.blocks.data() + work.begin[i + 1]);
        int rows = 0;
        bool isAlone = true;
        for (const int c : members) {
            rows += blocks[c].rows;
            isAlone &= delassus.side(c, 0).unit < 0 || delassus.side(c, 1).unit < 0;
        }
        if (rows > exactRows || !isAlone) continue;
        for (const int c : members)
            blocks[c].compliance = std::max(blocks[c].compliance, blocks[c].sharing);
    }
}

using Solve = IslandResult (*)(const Island&, const ConstraintSolverSettings&);

// The first way of those who shall not make matters worse.
IslandResult leaveAsItIs(const Island& island, const ConstraintSolverSettings&)
{
    IslandResult result;
    result.residual = islandResidual(island);
    return result;
}

// Each way starts from the best that the ones before it found, as long as none has found the answer.
IslandResult solveWithRescue(const Island& island, const ConstraintSolverSettings& settings,
                             std::initializer_list<Solve> ways)
{
    IslandResult best;
    best.residual = std::numeric_limits<double>::infinity();
    std::vector<double>& kept = island.work.before;
    kept.resize(3 * island.members.size());
    storeImpulses(island, kept.data());
    for (const Solve solve : ways) {
        const IslandResult result = solve(island, settings);
        best.iterations = std::max(best.iterations, result.iterations);
        if (result.residual < best.residual) {
            best.residual = result.residual;
            storeImpulses(island, kept.data());
        } else {
            loadImpulses(island, kept.data());
        }
        if (best.residual <= settings.tolerance || island.work.shallEnd()) break;
    }
    return best;
}

// Of the small heaps that a large pile is made of. What rests is a step of Newton's method away from the
// answer, or two.
IslandResult solveOfPile(const Island& island, const ConstraintSolverSettings& settings)
{
    constexpr double nearby = 1e4, near = 10, beyond = 1e-2;  // times the tolerance
    IslandResult result;
    result.residual = islandResidual(island);
    if (result.residual <= settings.tolerance) return result;
    ConstraintSolverSettings few = settings, fine = settings;
    few.sweeps = std::min(settings.sweeps, sweepsBeforeSparse);
    fine.tolerance = beyond * settings.tolerance;
    fine.enough = near * settings.tolerance;
    if (result.residual > nearby * settings.tolerance) result = solveIteratively(island, few);
    result = solveWithRescue(island, fine, {leaveAsItIs, solveSparsely});
    if (result.residual <= fine.enough) return result;
    return solveWithRescue(island, settings, {leaveAsItIs, solveIteratively});
}

// Sweeps first. They do not get there under a weight that is large against what bears it, and what they
// leave open then would throw a tower apart: so whoever finds the answer has the last word.
IslandResult solveLarge(const Island& island, const ConstraintSolverSettings& settings, int rows,
                        int sweepsFirst)
{
    ConstraintSolverSettings few = settings;
    few.sweeps = std::min(settings.sweeps, sweepsFirst);
    const bool isSparse = island.delassus.hasInertiaSource() && suitsSparse(island);
    if (isSparse && settings.isPile && rows <= exactRowsAtLast) return solveOfPile(island, settings);
    if (!isSparse && rows > exactRowsAtLast) return solveIteratively(island, settings);
    const IslandResult result = isSparse ? solveWithRescue(island, few, {solveIteratively, solveSparsely})
                                         : solveIteratively(island, few);
    if (result.residual <= settings.tolerance) return result;
    // From inside is the quickest way over the freedoms of bodies (freedom_matrix.h); beside loops the
    // answer near the start is wanted first.
    const bool hasLoops = std::any_of(island.members.begin(), island.members.end(),
                                      [&](int c) { return !island.work.laws[c].contact; });
    if (rows <= pathRows && !hasLoops)
        return solveWithRescue(island, settings,
                               {leaveAsItIs, solveFromInside, solveBySlips, solveFromInsideLinked,
                                solveExactly, solveByFlips, solveIteratively});
    if (rows <= pathRows)
        return solveWithRescue(island, settings,
                               {leaveAsItIs, solveExactly, solveBySlips, solveByFlips, solveFromInside,
                                solveFromInsideLinked, solveIteratively});
    if (rows <= exactRowsAtLast)
        return solveWithRescue(island, settings, {leaveAsItIs, solveExactly, solveIteratively});
    return solveWithRescue(island, settings, {leaveAsItIs, solveIteratively});
}

IslandResult solveIsland(const Island& island, const ConstraintSolverSettings& settings)
{
    int rows = 0;
    for (int c : island.members) rows += island.blocks[c].rows;
    if (rows > pathRows && island.work.effort.isSpent()) return solveIteratively(island, settings);
    switch (settings.choice) {
        case ConstraintSolverSettings::Choice::exact:
            if (rows <= exactRowsAtMost)
                return solveWithRescue(island, settings,
                                       {solveExactly, solveFromInside, solveFromInsideLinked});
            return solveIteratively(island, settings);
        case ConstraintSolverSettings::Choice::iterative:
            return solveLarge(island, settings, rows, settings.sweeps);
        case ConstraintSolverSettings::Choice::automatic:
            break;
    }
    if (rows <= fewIslandRows) {
        // What fails in all of these ways has no answer, as a rod that jams: more sweeps would not help.
        ConstraintSolverSettings few = settings;
        few.sweeps = std::min(settings.sweeps, sweepsOfFewRows);
        return solveWithRescue(island, few,
                               {solveExactly, solveBySlips, solveByFlips, solveFromInside,
                                solveFromInsideLinked, solveIteratively});
    }
    if (rows <= exactRows)
        return solveWithRescue(island, settings,
                               {solveExactly, solveBySlips, solveByFlips, solveFromInside,
                                solveFromInsideLinked, solveSparsely, solveIteratively});
    return solveLarge(island, settings, rows, sweepsBeforeSparse);
}

}  // namespace

bool SolverEffort::isSpent() const
{
    return operations > mostOperations && factorisations > mostFactorisations;
}

bool SolverEffort::isSpentForIsland() const
{
    if (!isSpent()) return false;
    return operations - begunAt > operationsOfIsland || operations > mostOperations + mostAfterwards;
}

double islandResidual(const Island& island)
{
    double largest = 0;
    for (int c : island.members) {
        const Vec3 d = island.blocks[c].offset + island.delassus.motion(c);
        largest = std::max(largest, lawResidual(island.work.laws[c], island.blocks[c], d).largest());
    }
    return largest;
}

double roundingOf(const Delassus& delassus, const std::vector<ConstraintBlock>& blocks, int block)
{
    constexpr double rounding = 16 * 0x1p-52;
    Vec3 terms = blocks[block].offset.cwiseAbs();
    for (int c = 0; c < delassus.size(); ++c)
        terms += delassus.coupling(block, c).cwiseAbs() * blocks[c].impulse.cwiseAbs();
    return rounding * terms.maxCoeff();
}

void renewMotion(const Island& island)
{
    for (int c : island.members)
        for (int which = 0; which < 2; ++which)
            island.delassus.clearUnit(island.delassus.side(c, which).unit);
    for (int c : island.members) island.delassus.push(c, island.blocks[c].impulse);
}

void storeImpulses(const Island& island, double* to)
{
    for (int c : island.members)
        for (int r = 0; r < 3; ++r) *to++ = island.blocks[c].impulse[r];
}

void loadImpulses(const Island& island, const double* from)
{
    for (int c : island.members) {
        island.blocks[c].impulse = insideCone(island.work.laws[c], view<3>(from));
        from += 3;
    }
    renewMotion(island);
}

ConstraintReport solveConstraints(Delassus& delassus, std::vector<ConstraintBlock>& blocks,
                                  const ConstraintSolverSettings& settings, ConstraintSolverWork& work)
{
    SINEW_ASSERT(static_cast<int>(blocks.size()) == delassus.size());
    const int islands = splitIntoIslands(delassus, work);
    shareLoads(delassus, islands, blocks, work);
    prepareLaws(delassus, blocks, work);
    delassus.clearMotion();
    for (int c = 0; c < delassus.size(); ++c) delassus.push(c, blocks[c].impulse);

    ConstraintReport report;
    for (int i = 0; i < islands && !work.stop(); ++i) {
        const std::span<const int> members(work.blocks.data() + work.begin[i],
                                           work.blocks.data() + work.begin[i + 1]);
        const Island island{delassus, blocks, members, work};
        work.effort.beginIsland();
        dropRedundantRows(island, settings.loopGap);
        const IslandResult result = solveIsland(island, settings);
        preferLeastImpulses(island, settings.tolerance);
        report.sweeps = std::max(report.sweeps, result.iterations);
    }
    // Sums of many small pushes carry rounding: the motion that is reported and used is a fresh one.
    delassus.clearMotion();
    for (int c = 0; c < delassus.size(); ++c) delassus.push(c, blocks[c].impulse);
    work.left.assign(static_cast<std::size_t>(islands), 0);
    for (int c = 0; c < delassus.size(); ++c) {
        const LawResidual residual =
            lawResidual(work.laws[c], blocks[c], blocks[c].offset + delassus.motion(c));
        double& left = work.left[work.islandOfBlock[c]];
        left = std::max(left, residual.largest());
        report.complementarity = std::max(report.complementarity, residual.complementarity);
        report.cone = std::max(report.cone, residual.cone);
        report.penetration = std::max(report.penetration, residual.penetration);
        report.equality = std::max(report.equality, residual.equality);
        report.reachedCap = report.reachedCap || residual.largest() > settings.tolerance;
    }
    return report;
}

}  // namespace sinew
