// A = L Lᵀ of a sparse symmetric positive definite matrix whose pattern is a graph in space, such as the
// one of a spring mesh: analysed once, factorised as often as its numbers change.
//
// Sources: nested dissection, A. George 1973; multifrontal factorisation, I. Duff and J. Reid 1983.
//
// The nodes are split in two by the widest extent of their places; those of one half that touch the other
// are the separator, and both halves are split again. The tree of separators is the order of elimination
// and the tree of the fronts at once: a front is the small dense matrix of a separator's nodes and of those
// of its ancestors that they see. Its first columns are eliminated, and what is left is added into the
// parent's front.
//
// Cost for a mesh of n nodes on a surface: O(n log n) numbers in L, O(n^1.5) work. Memory is taken in
// analyze() alone. The order of all sums is fixed: same numbers, same bits.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "sinew/math/types.h"

namespace sinew {

class SparseCholesky {
public:
    using Edge = std::array<int, 2>;

    // Nodes i and j of an edge share a block of `blockSize`² numbers. No edge twice, and i ≠ j.
    void analyze(std::span<const Vec3> places, std::span<const Edge> edges, int blockSize);
    bool isAnalyzed() const { return !fronts_.empty(); }

    // With a block per node, and a block (i, j) per edge {i, j}, column by column. False if the matrix is
    // not positive definite; then there is no factor.
    bool factorize(std::span<const double> diagonal, std::span<const double> off);

    // x ← A⁻¹ x, of `columns` right-hand sides (1 or 3) that lie interleaved: number r of unknown k is
    // x[k · columns + r].
    void solve(std::span<double> x, int columns) const;

    std::size_t factorSize() const { return panels_.size(); }  // numbers
    double operations() const { return operations_; }          // multiplications of one factorisation

private:
    // Rows that stand one after the other in a front and in its parent, in nodes.
    struct Run {
        int from = 0, to = 0, count = 0;
    };
    struct Front {
        int first = 0, columns = 0;  // nodes that are eliminated here, in the order of elimination
        std::vector<int> rows;       // and those above that they touch: rising
        int parent = -1;
        std::vector<int> children;
        std::vector<Run> runs;  // where its rows are in the parent
        std::size_t panel = 0;  // where its columns of L begin
        std::size_t rest = 0;   // and where, while it factorises, what is left for the parent
        int restSide = 0;       // on which of the two stacks
        int size() const { return columns + static_cast<int>(rows.size()); }
    };
    // An entry of the matrix that goes into a front.
    struct Entry {
        int row = 0, column = 0;  // in the front, in nodes
        int edge = -1;            // −1: the diagonal of `node`
        int node = 0;
        bool turned = false;  // the block is to be transposed
    };

    void placeRests();
    void takeIn(const Front& front, const Front& child);
    int split(std::vector<int>& nodes, std::span<const Vec3> places, int depth);
    template <int columns>
    void solveInPlace(double* x) const;

    int block_ = 1;
    std::vector<std::vector<int>> neighbours_;  // while it analyses
    std::vector<int> side_;
    std::vector<int> order_;  // order_[k]: the node that is eliminated as number k
    std::vector<int> place_;  // and the other way round
    std::vector<Front> fronts_;
    std::vector<std::vector<Entry>> entries_;  // per front
    std::vector<double> panels_;
    std::array<std::vector<double>, 2> rests_;
    std::vector<double> packed_;
    double operations_ = 0;
    mutable std::vector<double> gathered_;  // scratch of solve()
};

}  // namespace sinew
