// A tree-shaped matrix with a few dense rows and columns beside it, as closed loops add them:
//     [T  B] [x]   [r]        T   a BlockTree, factorised
//     [C  D] [z] = [s]        D   diagonal
// by the Schur complement C T⁻¹ B − D, whose rows may repeat each other (math/deficient.h).
//
// A line is an unknown z and an equation, on at most two bodies. Those with a corner, an entry of D, stand
// for something beside the tree's pattern: y = δ_p, for instance, where a loop's matrix has a block between
// bodies that are not parent and child; they are regular and eliminated first.
//
// Cost: two passes over the tree per line, O(lines³), 12 n numbers of memory per line.
#pragma once

#include <vector>

#include "sinew/math/block_tree.h"
#include "sinew/math/deficient.h"

namespace sinew {

class BorderedTree {
public:
    struct Line {
        int body[2] = {-1, -1};  // tree indices; −1: none
        Vec6 column[2] = {Vec6::Zero(), Vec6::Zero()};
        Vec6 row[2] = {Vec6::Zero(), Vec6::Zero()};
        double corner = 0;
        double value = 0;      // s
        double reference = 0;  // of its Schur complement (math/deficient.h); without a corner only
    };
    std::vector<Line> lines;

    // Adds `block`, in the rows of one body and the columns of another.
    void addBlock(int rowBody, int columnBody, const Mat6& block);
    // After factoring the tree, whose right-hand sides are set: x into the tree, z into `answer`.
    void solve(BlockTree& tree);
    const VecX& answer() const { return z_; }

private:
    MatX X_, schur_, regular_;
    VecX x0_, right_, z_, reference_;
    DeficientSystem system_;
};

}  // namespace sinew
