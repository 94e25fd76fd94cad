// Forces between bodies inside the matrix of an implicit step: few rows beside the factorised tree.
//
// A force between bodies that share no joint has no place in a tree-shaped matrix H. But it has few
// components (state/pair_tangent.h), so it adds a product of few columns and rows, and is solved for by
// Woodbury's formula:
//     (H + U C)⁻¹ r = y − Z (1 + C Z)⁻¹ C y         y = H⁻¹ r,   Z = H⁻¹ U
// exact, and as well conditioned as a compliant constraint: U C is nowhere added to H, so that a spring of
// any stiffness leaves the digits of the masses alone. Cost: a solve per column, and O(m³) for m rows of
// all pairs; nothing where there are none.
#pragma once

#include <span>
#include <vector>

#include "sinew/dynamics/articulated.h"
#include "sinew/state/pair_tangent.h"

namespace sinew {

// How long the step is in the equations of a body, and how its discrete angular velocity, times that,
// changes with a turn of the body, world axes.
struct BodyRate {
    double h = 0;
    Mat3 turning = Mat3::Identity();
};

class PairRows {
public:
    bool empty() const { return rows_ == 0; }
    void clear() { rows_ = 0; }

    // The rows over the freedoms, by the joints between bodies and roots as they are placed; rates are per
    // body.
    void set(const Model& model, const ArticulatedLinks& links, const LargeVector<BodyState>& bodies,
             std::span<const PairTangent> tangents, const std::vector<BodyRate>& rates);
    // After the links are factorised, whose forces and accelerations are overwritten.
    void factor(const Model& model, ArticulatedLinks& links);
    // Turns the answer of the tree alone into that of the whole matrix.
    void correct(VecX& answer) const;
    // How the force of each tangent changes along a correction.
    void changes(const VecX& correction, std::vector<Vec3>& out) const;

private:
    // Freedoms that a row is not zero in.
    struct Range {
        int start = 0, count = 0;
    };
    double timesRow(int row, const double* x) const;

    int rows_ = 0, freedoms_ = 0;
    std::vector<int> firstRow_;      // of each tangent
    std::vector<double> C_, U_, Z_;  // row-major; columns of U and Z as rows
    std::vector<double> terms_;      // memory: what addJacobian tells beside
    std::vector<Range> ranges_;      // two per row
    std::vector<int> skeletons_;     // likewise; −1: none
    MatX inverse_;                   // of 1 + C Z
    VecX row_, column_;
};

}  // namespace sinew
