// A small dense system whose rows may repeat each other: the solution of least size.
//
// What holds closed loops is such a system: a planar linkage of hinges says three things twice. Rows and
// columns are scaled to ones on the diagonal, so that units do not count; those that are components of one
// vector are scaled alike, so that its axes do not count either. What cannot be told from dependent is left
// out (complete orthogonal decomposition, Golub & Van Loan, section 5.5). What rounding
// is, each row says itself: `reference` is what its diagonal entry would be if nothing else held back what
// the row moves, so that rounding in it is some 1e-16 of that, however small the entry itself has become.
//
// Cost O(n³), once; O(n²) for each solution.
#pragma once

#include <memory>
#include <vector>

#include "sinew/math/types.h"

namespace sinew {

class DeficientSystem {
public:
    // Rows with the same number in `vectors` are components of one vector; empty: each by itself.
    void factor(const MatX& A, const VecX& reference, const std::vector<int>& vectors = {});
    // As near to A x = b as the rows allow; zero in unknowns that move nothing.
    void solve(const VecX& b, VecX& x) const;
    int rank() const { return rank_; }

    DeficientSystem();
    ~DeficientSystem();
    // Copies factor anew.
    DeficientSystem(const DeficientSystem&);
    DeficientSystem& operator=(const DeficientSystem&);

private:
    std::vector<int> kept_;  // rows that move at all
    VecX scale_;             // per kept row
    MatX scaled_;
    int rank_ = 0;
    struct Factors;  // Eigen's
    std::unique_ptr<Factors> factors_;
};

// A x = b of least size, for a matrix that comes scaled: what is dependent to within `dependent` is left
// out. Sets the rank if asked to.
VecX leastSolution(const MatX& A, const VecX& b, double dependent, int* rank = nullptr);
// The matrix that gives these solutions (Moore and Penrose's), for such an A.
MatX leastInverseOf(const MatX& A, double dependent);

}  // namespace sinew
