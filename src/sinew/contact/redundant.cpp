// Loops that say a thing twice: a planar four-bar of hinges has five rows in its closing joint and needs
// two.
//
// W of the equalities of an island is then singular, and what is worse, away from the solution their
// linearised rows contradict each other to second order: no impulse can obey all of them, and an impulse
// that tries is as large as the contradiction over the rounding of W. So a largest independent set of rows
// is chosen, once per solve, and only that is held. Where those rows hold, the others do.
//
//     W_EE = P L Lᵀ Pᵀ with the largest pivot first, rows scaled to W_ii = 1
// Rows whose pivot falls below 1e-10 depend on those before them, W_2 = X W_1 with X = L_2 L_1⁻¹. Impulses
// N z with N = [−Xᵀ; 1] do nothing; of all answers the least one has Nᵀ M μ = 0 with the weights M.
//
// Linkages that move only because of their proportions (Bennett's, parallelograms) are redundant where they
// are closed; open by a gap g, as Newton's iterates are, their rows are independent by a pivot of the order
// g². To heed those would throw the iterate as far as it is off. So the least pivot is 100 g² until the gap
// closes; of J Jᵀ, because W knows of masses, which may make a row that is independent all but dependent.
//
// Cost: O(r² n) for n rows of rank r. Rows of which W itself is rounding, as those across a planar loop
// that is turned in space, are told by their size beside the largest of the island: what masses and
// stiffnesses can make of a row that moves stays far above. A row a little larger, as across a loop that
// lies all but square to an axis, is rounding to a part of itself; so rows below 1e-18 of the largest are
// scaled by that instead of their own size, and what is left of them after the others is no pivot.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "sinew/contact/island.h"
#include "sinew/math/eigen.h"

namespace sinew {
namespace {

constexpr double leastPivot = 1e-10;    // of rows scaled to W_ii = 1
constexpr double rowRounding = 1e-28;   // of rows, squared, beside what they can be
constexpr double bend = 100;            // how a pivot grows with the square of the gap over the length
constexpr std::size_t mostRows = 1500;  // more are left to the sweeps, which bear redundance

using RowList = std::vector<SolverRow>;

void drop(const Island& island, int block, int row)
{
    island.work.laws[block].dropRow(row);
    island.blocks[block].impulse[row] = 0;
}

void collectEqualities(const Island& island, RowList& rows)
{
    rows.clear();
    double largest = 0;
    for (int c : island.members)
        if (!island.work.laws[c].contact)
            largest = std::max(largest, island.work.laws[c].W.diagonal().maxCoeff());
    for (int c : island.members) {
        const ConstraintLaw& law = island.work.laws[c];
        if (law.contact) continue;
        for (int r = 0; r < island.blocks[c].rows; ++r) {
            const double w = law.W(r, r);
            if (w > immobileRow * largest)
                rows.push_back({c, r, rowScale(w, largest)});
            else
                drop(island, c, r);
        }
    }
}

// The scaled W between rows, symmetric part.
void assemble(const Island& island, const RowList& rows, MatX& W)
{
    const int n = static_cast<int>(rows.size());
    W.resize(n, n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const bool isFirstOfBlock = j == 0 || rows[j - 1].block != rows[j].block;
            if (!isFirstOfBlock || (i > 0 && rows[i - 1].block == rows[i].block)) continue;
            const Mat3 between = rows[i].block == rows[j].block
                                     ? island.work.laws[rows[i].block].W
                                     : island.delassus.coupling(rows[i].block, rows[j].block);
            for (int k = i; k < n && rows[k].block == rows[i].block; ++k)
                for (int l = j; l < n && rows[l].block == rows[j].block; ++l)
                    W(k, l) = rows[k].scale * rows[l].scale * between(rows[k].axis, rows[l].axis);
        }
    W = (0.5 * (W + W.transpose())).eval();
}

// Left-looking Cholesky with the largest pivot first, in place: the lower triangle of the leading columns
// is L. Returns the rank, `most` at most; `order` are the rows as they come.
int factorPivoted(MatX& A, double least, int most, std::vector<int>& order)
{
    const int n = static_cast<int>(A.rows());
    order.resize(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) order[i] = i;
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i)
            if (A(i, i) > A(p, p)) p = i;
        if (k == most || !(A(p, p) > least)) return k;
        if (p != k) {
            A.row(k).swap(A.row(p));
            A.col(k).swap(A.col(p));
            std::swap(order[k], order[p]);
        }
        const double pivot = std::sqrt(A(k, k));
        A(k, k) = pivot;
        for (int i = k + 1; i < n; ++i) A(i, k) /= pivot;
        for (int j = k + 1; j < n; ++j) {
            const double f = A(j, k);
            if (f == 0) continue;
            for (int i = j; i < n; ++i) A(i, j) -= A(i, k) * f;
            for (int i = k + 1; i < j; ++i) A(i, j) = A(j, i);  // keeps both triangles for the exchanges
        }
    }
    return n;
}

// How many rows are independent by what the freedoms do to them, whatever masses make of that: a light link
// in a loop of heavy ones would make them depend on each other all but.
int independentRows(const Island& island, Redundance& found, double gap)
{
    const Delassus& delassus = island.delassus;
    found.columns.assign(delassus.unitCount(), -1);
    int columns = 0;
    for (const SolverRow& row : found.rows)
        for (int side = 0; side < 2; ++side) {
            const Delassus::Side& s = delassus.side(row.block, side);
            if (s.unit < 0 || found.columns[s.unit] >= 0) continue;
            found.columns[s.unit] = columns;
            columns += s.freedoms;
        }
    const int n = static_cast<int>(found.rows.size());
    MatX& J = found.motions;
    J.setZero(n, columns);
    for (int i = 0; i < n; ++i) {
        const auto& [block, axis, scale] = found.rows[i];
        for (int side = 0; side < 2; ++side) {
            const Delassus::Side& s = delassus.side(block, side);
            if (s.unit < 0) continue;
            const double* row = delassus.jacobian(block, side) + axis * s.freedoms;
            for (int k = 0; k < s.freedoms; ++k)
                J(i, found.columns[s.unit] + k) += row[k] * delassus.sizes(s.unit)[k];
        }
        const double length = J.row(i).norm();
        if (length > 0) J.row(i) /= length;
    }
    found.factor = J * J.transpose();
    return factorPivoted(found.factor, leastIndependence(gap), n, found.order);
}

// What the rows that will be dropped bear goes to those that stay and do the same, Xᵀ μ_2: a guess that was
// good stays good.
void handOver(const Island& island, const Redundance& found)
{
    const int n = static_cast<int>(found.rows.size()), r = found.rank;
    VecX impulse(n - r);
    for (int i = r; i < n; ++i) {
        const auto& row = found.rows[found.order[i]];
        impulse[i - r] = island.blocks[row.block].impulse[row.axis] / row.scale;
    }
    VecX share = found.factor.bottomLeftCorner(n - r, r).transpose() * impulse;
    auto inShare = eigen(share);
    const auto factor = eigen(found.factor);
    const auto L = factor.topLeftCorner(r, r).triangularView<Eigen::Lower>();
    L.transpose().solveInPlace(inShare);
    for (int i = 0; i < r; ++i) {
        const auto& row = found.rows[found.order[i]];
        island.blocks[row.block].impulse[row.axis] += row.scale * share[i];
    }
}

}  // namespace

double rowScale(double own, double largest)
{
    return 1 / std::sqrt(own + rowRounding / leastPivot * largest);
}

bool leavesRowsOut(double loopGap)
{
    return bend * loopGap * loopGap > leastPivot;
}

double leastIndependence(double loopGap)
{
    return std::max(leastPivot, std::min(bend * loopGap * loopGap, 0.1));
}

void dropRedundantRows(const Island& island, double gap)
{
    Redundance& found = island.work.redundance;
    found.rank = 0;
    collectEqualities(island, found.rows);
    if (found.rows.empty() || found.rows.size() > mostRows) {
        found.rows.clear();
        return;
    }
    const int all = static_cast<int>(found.rows.size());
    const int independent = leavesRowsOut(gap) ? independentRows(island, found, gap) : all;
    assemble(island, found.rows, found.factor);
    found.rank = factorPivoted(found.factor, leastPivot, independent, found.order);
    const int n = static_cast<int>(found.rows.size()), r = found.rank;
    if (r < n) handOver(island, found);
    for (int i = r; i < n; ++i) {
        const auto& row = found.rows[found.order[i]];
        drop(island, row.block, row.axis);
    }
    renewMotion(island);
}

double impulseWeight(const ConstraintBlock& block, const Mat3& W, int row)
{
    return block.isVector ? W.norm() : std::abs(W(row, row));
}

void dropIdle(const MatX& idle, const VecX& weights, VecX& impulses)
{
    const MatX weighed = weights.asDiagonal() * idle;
    const MatX system = idle.transpose() * weighed;
    const VecX right = weighed.transpose() * impulses;
    const VecX share = fromEigen(eigen(system).ldlt().solve(eigen(right)));
    impulses -= idle * share;
}

void preferLeastImpulses(const Island& island, double tolerance)
{
    const Redundance& found = island.work.redundance;
    const int n = static_cast<int>(found.rows.size()), r = found.rank;
    if (r == n) return;
    // All scaled, in the order of the factor.
    VecX impulses(n), weights(n);
    for (int i = 0; i < n; ++i) {
        const auto& [block, axis, scale] = found.rows[found.order[i]];
        impulses[i] = island.blocks[block].impulse[axis] / scale;
        weights[i] =
            impulseWeight(island.blocks[block], island.delassus.diagonal(block), axis) * scale * scale;
    }
    // X = L_2 L_1⁻¹
    MatX X = found.factor.bottomLeftCorner(n - r, r);
    auto inX = eigen(X);
    const auto factor = eigen(found.factor);
    factor.topLeftCorner(r, r).triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(inX);
    MatX N(n, n - r);
    N << -X.transpose(), MatX::Identity(n - r, n - r);
    dropIdle(N, weights, impulses);
    std::vector<double>& solved = island.work.before;
    solved.resize(std::max(solved.size(), 3 * island.members.size()));
    storeImpulses(island, solved.data());
    const double residual = islandResidual(island);
    for (int i = 0; i < n; ++i) {
        const auto& [block, axis, scale] = found.rows[found.order[i]];
        island.blocks[block].impulse[axis] = scale * impulses[i];
    }
    renewMotion(island);
    // Rows that depend on others only nearly move by that.
    if (islandResidual(island) > std::max(residual, 0.1 * tolerance)) loadImpulses(island, solved.data());
}

}  // namespace sinew
