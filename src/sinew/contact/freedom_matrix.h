// The matrix of a step from inside the cones (solve_interior.cpp), over the freedoms x of the units instead
// of the rows.
//
// It is M + D with M = J H⁻¹ Jᵀ and a block of D = T⁻² for each cone. The same by Woodbury's identity:
//     (M + D) m = b   ⇔   (H + Jᵀ D⁻¹ J) x = Jᵀ D⁻¹ b,   m = D⁻¹ (b − J x)
// A body stands on four corners of three rows each and has six freedoms, so that is an eighth of the
// operations. Where D is all but zero, as of what holds, digits are lost; the residual of (M + D) m = b
// itself gives them back, or tells that too many are.
#pragma once

#include <vector>

#include "sinew/contact/dense_island.h"

namespace sinew {

class FreedomMatrix {
public:
    // The cones must be known when it is asked for anything.
    explicit FreedomMatrix(DenseIsland& p);

    // Whether it is worth while, as long as it has not been given up.
    bool areFew() const { return areFew_; }
    void giveUp() { areFew_ = false; }

    // With the D of the cones. False if there is no factor.
    bool factor();
    // In place. False, and nothing is changed, if too many digits are lost.
    bool solve(std::vector<double>& b);

private:
    int blockOf(const InteriorCone& cone) const { return w_.rows[cone.row].block; }
    int axis(const InteriorCone& cone, int a) const { return w_.rows[cone.row + a].axis; }
    double scale(int row) const { return w_.center[row] * w_.rows[row].scale; }
    // Calls f(J, its freedoms, where they begin) for both sides of a cone's block.
    template <class F>
    void eachSide(const InteriorCone& cone, F&& f) const
    {
        for (int side = 0; side < 2; ++side) {
            const Delassus::Side& s = delassus_.side(blockOf(cone), side);
            if (s.unit >= 0) f(delassus_.jacobian(blockOf(cone), side), s.freedoms, at_[s.unit]);
        }
    }
    void setInertia();
    void addProduct(const InteriorCone& cone);
    void addSolution();
    void setResidual(const std::vector<double>& b);

    DenseIsland& p_;
    ConstraintSolverWork& w_;
    Delassus& delassus_;
    bool areFew_ = false;
    int count_ = 0;  // of freedoms
    std::vector<int> at_, pivots_;
    std::vector<double> matrix_, right_, solution_, scaled_, motion_;
};

}  // namespace sinew
