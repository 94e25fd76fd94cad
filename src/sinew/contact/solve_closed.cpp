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
// on others (redundant.cpp says when): of all impulses that do the same, the least come out.
// Cost: O(n³) for n rows of equalities, beside the contacts' own.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/contact/island.h"
#include "sinew/math/eigen.h"

namespace sinew {
namespace {

class ClosedLoops {
public:
    ClosedLoops(Delassus& delassus, std::vector<ConstraintBlock>& blocks, double tolerance)
        : delassus_(delassus), blocks_(blocks), tolerance_(tolerance)
    {
    }

    // False if there are none.
    bool factor(double loopGap)
    {
        constexpr int mostRows = 300;
        double largest = 0;
        for (int c = 0; c < delassus_.size(); ++c)
            if (isEquality(c))
                largest = std::max(largest, delassus_.diagonal(c).diagonal().cwiseAbs().maxCoeff());
        for (int c = 0; c < delassus_.size(); ++c)
            for (int r = 0; isEquality(c) && r < blocks_[c].rows; ++r) {
                const double own = std::abs(delassus_.diagonal(c)(r, r));
                if (own > immobileRow * largest) rows_.push_back({c, r, rowScale(own, largest)});
            }
        const int n = size();
        if (n == 0 || n > mostRows) return false;
        weights_.resize(n);
        for (int i = 0; i < n; ++i) {
            const auto& [block, axis, scale] = rows_[i];
            weights_[i] = impulseWeight(blocks_[block], delassus_.diagonal(block), axis) * scale * scale;
        }
        MatX W(n, n);
        for (int j = 0; j < n; ++j)
            W.col(j) = couplings(rows_[j].block).col(rows_[j].axis) * rows_[j].scale;
        lu_.setThreshold(leastIndependence(loopGap));
        lu_.compute(eigen(W));
        return true;
    }

    // Impulses of the equalities, for those that the other blocks have now. The motion is then that of all.
    bool hold()
    {
        push();
        VecX right(size());
        for (int i = 0; i < size(); ++i) right[i] = -rows_[i].scale * gap(i);
        const VecX change = fromEigen(lu_.solve(eigen(right)));
        if (!change.allFinite()) return false;
        VecX impulses(size());
        for (int i = 0; i < size(); ++i)
            impulses[i] = blocks_[rows_[i].block].impulse[rows_[i].axis] / rows_[i].scale + change[i];
        setImpulses(impulses);
        if (lu_.rank() == size()) return true;
        const double before = residual();
        VecX least = impulses;
        dropIdle(fromEigen(lu_.kernel().eval()), weights_, least);
        setImpulses(least);
        // Rows that depend on others only nearly move by that.
        if (!(residual() <= std::max(before, 0.1 * tolerance_))) setImpulses(impulses);
        return true;
    }

    // The other blocks, as they move while the loops stay closed. Their impulses here are zero then.
    void reduce(Delassus& closed, std::vector<ConstraintBlock>& others, std::vector<int>& numbers)
    {
        mergeUnits();
        closed.clear(freedoms_);
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
    bool isEquality(int c) const { return blocks_[c].kind == ConstraintBlock::Kind::equality; }
    double gap(int i) const
    {
        return (blocks_[rows_[i].block].offset + delassus_.motion(rows_[i].block))[rows_[i].axis];
    }

    // Of the equalities, scaled. The motion is then that of all.
    void setImpulses(const VecX& impulses)
    {
        for (int i = 0; i < size(); ++i)
            blocks_[rows_[i].block].impulse[rows_[i].axis] = rows_[i].scale * impulses[i];
        push();
    }

    void push()
    {
        delassus_.clearMotion();
        for (int c = 0; c < delassus_.size(); ++c) delassus_.push(c, blocks_[c].impulse);
    }

    // How the rows of the equalities, scaled, move by a block.
    Matrix<dynamic, 3> couplings(int block) const
    {
        Matrix<dynamic, 3> W(size(), 3);
        for (int i = 0; i < size(); ++i)
            W.row(i) = rows_[i].scale * delassus_.coupling(rows_[i].block, block).row(rows_[i].axis);
        return W;
    }

    // Units that a loop ties together move as one, each with its freedoms somewhere in the whole.
    void mergeUnits()
    {
        const int units = delassus_.unitCount();
        whole_.resize(static_cast<std::size_t>(units));
        std::iota(whole_.begin(), whole_.end(), 0);
        for (int c = 0; c < delassus_.size(); ++c) {
            const int a = delassus_.side(c, 0).unit, b = delassus_.side(c, 1).unit;
            if (!isEquality(c) || a < 0 || b < 0 || whole_[a] == whole_[b]) continue;
            const int from = std::max(whole_[a], whole_[b]), to = std::min(whole_[a], whole_[b]);
            std::replace(whole_.begin(), whole_.end(), from, to);
        }
        freedoms_.assign(static_cast<std::size_t>(units), 0);
        at_.assign(static_cast<std::size_t>(units), 0);
        for (int u = 0; u < units; ++u) {
            at_[u] = freedoms_[whole_[u]];
            freedoms_[whole_[u]] += delassus_.freedoms(u);
        }
    }
    int wholeOf(int unit) const { return unit < 0 ? -1 : whole_[unit]; }

    // Adds rows of three, of one unit, times a factor, to where its freedoms are in the whole.
    void addRow(const double* row, int unit, double factor, double* whole) const
    {
        for (int k = 0; k < delassus_.freedoms(unit); ++k) whole[at_[unit] + k] += factor * row[k];
    }

    void addReduced(int c, Delassus& closed) const
    {
        const int units[2] = {delassus_.side(c, 0).unit, delassus_.side(c, 1).unit};
        const int block = closed.add(wholeOf(units[0]), wholeOf(units[1]));
        const Matrix<dynamic, 3> wanted = couplings(c);
        const Matrix<dynamic, 3> held = fromEigen(lu_.solve(eigen(wanted)));
        for (int s = 0; s < 2; ++s) {
            if (units[s] < 0) continue;
            const int n = delassus_.freedoms(units[s]), all = freedoms_[whole_[units[s]]];
            double* Y = closed.response(block, s);
            for (int r = 0; r < 3; ++r) {
                addRow(delassus_.jacobian(c, s) + r * n, units[s], 1, closed.jacobian(block, s) + r * all);
                addRow(delassus_.terms(c, s) + r * n, units[s], 1, closed.terms(block, s) + r * all);
                addRow(delassus_.response(c, s) + r * n, units[s], 1, Y + r * all);
            }
            if (s == 1 && wholeOf(units[0]) == wholeOf(units[1])) continue;  // the first has it all
            for (int i = 0; i < size(); ++i)
                for (int side = 0; side < 2; ++side) {
                    const int unit = delassus_.side(rows_[i].block, side).unit;
                    if (wholeOf(unit) != wholeOf(units[s])) continue;
                    const double* own =
                        delassus_.response(rows_[i].block, side) + rows_[i].axis * delassus_.freedoms(unit);
                    for (int r = 0; r < 3; ++r)
                        addRow(own, unit, -rows_[i].scale * held(i, r), Y + r * all);
                }
        }
    }

    Delassus& delassus_;
    std::vector<ConstraintBlock>& blocks_;
    double tolerance_;
    std::vector<SolverRow> rows_;
    std::vector<int> whole_, at_,
        freedoms_;  // of each unit: its whole, where it is in it; and of each whole
    VecX weights_;  // of the rows' impulses, scaled
    Eigen::FullPivLU<Eigen::MatrixXd> lu_;
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
    ClosedLoops loops(delassus, blocks, settings.tolerance);
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
