// Loops first, whatever the sign of W.
//
// A loop in compression is held in shape by its closing joint: cut open there it would buckle, so that the
// inertia of the open tree is not positive along some rows, and neither is W = J H⁻¹ Jᵀ. Inequalities have
// no meaning then; equalities need no more than W μ = −d0 to have a solution, and Newton's method converges
// quadratically with it where a matrix that is made positive crawls. So the equalities E are eliminated,
// and contacts C see the inertia of the closed loops:
//     W_EE μ_E = −d0_E − W_EC μ_C       by LU with complete pivoting, rows and columns scaled to |W_ii| = 1
//     W' = W_CC − W_CE W_EE⁻¹ W_EC      d0' = d0_C − W_CE W_EE⁻¹ d0_E
// where W' = J_C Y' comes from Y' = Y_C − Y_E W_EE⁻¹ W_EC. Rows whose pivot is below the least one depend
// on others (redundant.cpp says when): they are left out, and their impulses stay at the guess.
// Cost: O(n³) for n rows of equalities, beside the contacts' own.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/contact/island.h"

namespace sinew {
namespace {

using Kind = ConstraintBlock::Kind;

class ClosedLoops {
public:
    ClosedLoops(Delassus& delassus, std::vector<ConstraintBlock>& blocks)
        : delassus_(delassus), blocks_(blocks)
    {
    }

    // False if there are none, or some that join units: those would not be blocks of one.
    bool factor(double loopGap)
    {
        constexpr int mostRows = 300;
        double largest = 0;
        for (int c = 0; c < delassus_.size(); ++c) {
            if (!isEquality(c)) continue;
            const int a = delassus_.side(c, 0).unit, b = delassus_.side(c, 1).unit;
            if (a >= 0 && b >= 0 && a != b) return false;
            largest = std::max(largest, delassus_.diagonal(c).diagonal().cwiseAbs().maxCoeff());
        }
        for (int c = 0; c < delassus_.size(); ++c)
            for (int r = 0; isEquality(c) && r < blocks_[c].rows; ++r) {
                const double own = std::abs(delassus_.diagonal(c)(r, r));
                if (own > immobileRow * largest) rows_.push_back({c, r, 1 / std::sqrt(own)});
            }
        const int n = size();
        if (n == 0 || n > mostRows) return false;
        MatX W(n, n);
        for (int j = 0; j < n; ++j)
            W.col(j) = couplings(rows_[j].block).col(rows_[j].axis) * rows_[j].scale;
        lu_.setThreshold(leastIndependence(loopGap));
        lu_.compute(W);
        return true;
    }

    // Impulses of the equalities, for those that the other blocks have now. The motion is then that of all.
    bool hold()
    {
        push();
        VecX right(size());
        for (int i = 0; i < size(); ++i) right[i] = -rows_[i].scale * gap(i);
        const VecX change = lu_.solve(right);
        if (!change.allFinite()) return false;
        for (int i = 0; i < size(); ++i)
            blocks_[rows_[i].block].impulse[rows_[i].axis] += rows_[i].scale * change[i];
        push();
        return true;
    }

    // The other blocks, as they move while the loops stay closed.
    void reduce(Delassus& closed, std::vector<ConstraintBlock>& others, std::vector<int>& numbers)
    {
        std::vector<int> freedoms;
        for (int u = 0; u < delassus_.unitCount(); ++u) freedoms.push_back(delassus_.freedoms(u));
        closed.clear(freedoms);
        for (int c = 0; c < delassus_.size(); ++c) {
            if (isEquality(c)) continue;
            numbers.push_back(c);
            others.push_back(blocks_[c]);
            blocks_[c].impulse.setZero();
            addReduced(c, closed);
        }
        closed.finish();
    }

    // Where the other blocks would be without their impulses, after hold() with none.
    Vec3 offset(int c) const { return blocks_[c].offset + delassus_.motion(c); }

    double residual() const
    {
        double largest = 0;
        for (int i = 0; i < size(); ++i)
            if (lu_.permutationP().indices()[i] < lu_.rank()) largest = std::max(largest, std::abs(gap(i)));
        return largest;
    }

private:
    int size() const { return static_cast<int>(rows_.size()); }
    bool isEquality(int c) const { return blocks_[c].kind == Kind::equality; }
    double gap(int i) const
    {
        return (blocks_[rows_[i].block].offset + delassus_.motion(rows_[i].block))[rows_[i].axis];
    }

    void push()
    {
        delassus_.clearMotion();
        for (int c = 0; c < delassus_.size(); ++c) delassus_.push(c, blocks_[c].impulse);
    }

    // How the rows of the equalities, scaled, move by a block.
    Eigen::Matrix<double, Eigen::Dynamic, 3> couplings(int block) const
    {
        Eigen::Matrix<double, Eigen::Dynamic, 3> W(size(), 3);
        for (int i = 0; i < size(); ++i)
            W.row(i) = rows_[i].scale * delassus_.coupling(rows_[i].block, block).row(rows_[i].axis);
        return W;
    }

    void addReduced(int c, Delassus& closed) const
    {
        const Delassus::Side sides[2] = {delassus_.side(c, 0), delassus_.side(c, 1)};
        const int block = closed.add(sides[0].unit, sides[1].unit);
        const Eigen::Matrix<double, Eigen::Dynamic, 3> held = lu_.solve(couplings(c));
        for (int s = 0; s < 2; ++s) {
            const int n = sides[s].freedoms, entries = 3 * n;
            if (sides[s].unit < 0) continue;
            std::copy_n(delassus_.jacobian(c, s), entries, closed.jacobian(block, s));
            std::copy_n(delassus_.terms(c, s), entries, closed.terms(block, s));
            double* Y = closed.response(block, s);
            std::copy_n(delassus_.response(c, s), entries, Y);
            if (s == 1 && sides[1].unit == sides[0].unit) continue;  // the first has it all
            for (int i = 0; i < size(); ++i)
                for (int side = 0; side < 2; ++side) {
                    if (delassus_.side(rows_[i].block, side).unit != sides[s].unit) continue;
                    const double* own = delassus_.response(rows_[i].block, side) + rows_[i].axis * n;
                    for (int r = 0; r < 3; ++r)
                        for (int k = 0; k < n; ++k) Y[r * n + k] -= rows_[i].scale * held(i, r) * own[k];
                }
        }
    }

    Delassus& delassus_;
    std::vector<ConstraintBlock>& blocks_;
    std::vector<SolverRow> rows_;
    Eigen::FullPivLU<MatX> lu_;
};

// Whether a block yields to a push by going against it, by more than rounding beside the largest.
bool hasNegativeRow(const Delassus& delassus)
{
    constexpr double rounding = 1e-10;
    double largest = 0, least = 0;
    for (int c = 0; c < delassus.size(); ++c) {
        largest = std::max(largest, delassus.diagonal(c).diagonal().maxCoeff());
        least = std::min(least, delassus.diagonal(c).diagonal().minCoeff());
    }
    return !(least >= -rounding * largest);
}

}  // namespace

bool solveLoopsFirst(Delassus& delassus, std::vector<ConstraintBlock>& blocks,
                     const ConstraintSolverSettings& settings, ConstraintSolverWork& work,
                     ConstraintReport& report)
{
    ClosedLoops loops(delassus, blocks);
    if (!loops.factor(settings.loopGap)) return false;
    Delassus closed;
    std::vector<ConstraintBlock> others;
    std::vector<int> numbers;
    loops.reduce(closed, others, numbers);
    report = ConstraintReport();
    report.sweeps = 1;
    if (!others.empty()) {
        if (hasNegativeRow(closed) || !loops.hold()) return false;
        for (std::size_t c = 0; c < others.size(); ++c) others[c].offset = loops.offset(numbers[c]);
        report = solveConstraints(closed, others, settings, work);
        for (std::size_t c = 0; c < others.size(); ++c) blocks[numbers[c]].impulse = others[c].impulse;
    }
    if (!loops.hold()) return false;
    report.equality = std::max(report.equality, loops.residual());
    report.reachedCap |= report.equality > settings.tolerance;
    return true;
}

}  // namespace sinew
