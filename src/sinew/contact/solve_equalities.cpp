// Equalities alone, whatever the sign of W.
//
// A loop in compression is held in shape by its closing joint: cut open there it would buckle, so that the
// inertia of the open tree is not positive along some of the rows, and neither is W = J H⁻¹ Jᵀ. Under
// inequalities that has no meaning; equalities need no more than W μ = −d0 to have a solution, and Newton's
// method converges quadratically with it where a matrix that is made positive crawls.
//
//     W_EE (μ − guess) = −d(guess)      by LU with complete pivoting, rows and columns scaled to |W_ii| = 1
// Rows whose pivot is below the least one depend on others (redundant.cpp says when): they are left out,
// and their impulses stay at the guess. Cost: O(n³).
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/contact/island.h"

namespace sinew {

bool solveEqualities(Delassus& delassus, std::vector<ConstraintBlock>& blocks, double loopGap,
                     ConstraintReport& report)
{
    constexpr int mostRows = 300;
    double largest = 0;
    for (int c = 0; c < delassus.size(); ++c) {
        if (blocks[static_cast<std::size_t>(c)].kind != ConstraintBlock::Kind::equality) return false;
        largest = std::max(largest, delassus.diagonal(c).diagonal().cwiseAbs().maxCoeff());
    }
    std::vector<SolverRow> rows;
    for (int c = 0; c < delassus.size(); ++c)
        for (int r = 0; r < blocks[static_cast<std::size_t>(c)].rows; ++r) {
            const double own = std::abs(delassus.diagonal(c)(r, r));
            if (own > immobileRow * largest) rows.push_back({c, r, 1 / std::sqrt(own)});
        }
    const int n = static_cast<int>(rows.size());
    if (n == 0 || n > mostRows) return false;

    delassus.clearMotion();
    for (int c = 0; c < delassus.size(); ++c) delassus.push(c, blocks[static_cast<std::size_t>(c)].impulse);
    MatX W(n, n);
    VecX right(n);
    for (int i = 0; i < n; ++i) {
        const SolverRow& row = rows[static_cast<std::size_t>(i)];
        const ConstraintBlock& block = blocks[static_cast<std::size_t>(row.block)];
        right[i] = -row.scale * (block.offset + delassus.motion(row.block))[row.axis];
        for (int j = 0; j < n; ++j) {
            const SolverRow& column = rows[static_cast<std::size_t>(j)];
            W(i, j) = row.scale * column.scale *
                      delassus.coupling(row.block, column.block)(row.axis, column.axis);
        }
    }
    Eigen::FullPivLU<MatX> lu(W);
    lu.setThreshold(leastIndependence(loopGap));
    const VecX change = lu.solve(right);
    if (!change.allFinite()) return false;
    for (int i = 0; i < n; ++i) {
        const SolverRow& row = rows[static_cast<std::size_t>(i)];
        blocks[static_cast<std::size_t>(row.block)].impulse[row.axis] += row.scale * change[i];
    }
    const auto rank = lu.rank();
    report = ConstraintReport();
    report.sweeps = 1;
    delassus.clearMotion();
    for (int c = 0; c < delassus.size(); ++c) delassus.push(c, blocks[static_cast<std::size_t>(c)].impulse);
    for (int i = 0; i < n; ++i) {
        const SolverRow& row = rows[static_cast<std::size_t>(i)];
        const bool isHeld = lu.permutationP().indices()[i] < rank;
        const double off =
            (blocks[static_cast<std::size_t>(row.block)].offset + delassus.motion(row.block))[row.axis];
        if (isHeld) report.equality = std::max(report.equality, std::abs(off));
    }
    return true;
}

}  // namespace sinew
