// The tree-shaped factorisation against a dense solve and a sparse LU of the same matrix.
#include <gtest/gtest.h>

#include <Eigen/SparseLU>

#include "sinew/base/random.h"
#include "sinew/math/block_tree.h"

namespace sinew {
namespace {

template <class Matrix>
void fill(Matrix&& m, Random& random)
{
    for (int c = 0; c < m.cols(); ++c)
        for (int r = 0; r < m.rows(); ++r) m(r, c) = random.normal();
}

struct Problem {
    BlockTree tree;
    MatX dense;
    VecX right;
    std::vector<int> start;
};

// Unsymmetric, with zero joint blocks, as the implicit steps make it.
Problem randomProblem(Random& random, int count)
{
    Problem p;
    p.tree.resize(count);
    int size = 0;
    for (int i = 0; i < count; ++i) {
        p.start.push_back(size);
        p.tree.links[i].rows = random.below(7);
        size += 6 + p.tree.links[i].rows;
    }
    p.dense.setZero(size, size);
    p.right.resize(size);
    fill(p.right, random);
    for (int i = 0; i < count; ++i) {
        BlockTreeLink& link = p.tree.links[i];
        link.setZero();
        link.parent = i == 0 ? -1 : random.below(i);
        const int r = link.rows, s = p.start[i];
        fill(link.body(), random);
        link.body() += 8 * Mat6::Identity();
        fill(link.jointBody(), random);
        fill(link.bodyJoint(), random);
        p.dense.block(s, s, 6, 6) = link.body();
        p.dense.block(s, s + 6, 6, r) = link.bodyJoint();
        p.dense.block(s + 6, s, r, 6) = link.jointBody();
        if (link.parent >= 0) {
            const int q = p.start[link.parent];
            fill(link.bodyParent(), random);
            fill(link.parentBody(), random);
            link.bodyParent() *= 0.3;
            link.parentBody() *= 0.3;
            fill(link.jointParent(), random);
            fill(link.parentJoint(), random);
            p.dense.block(s, q, 6, 6) = link.bodyParent();
            p.dense.block(q, s, 6, 6) = link.parentBody();
            p.dense.block(s + 6, q, r, 6) = link.jointParent();
            p.dense.block(q, s + 6, 6, r) = link.parentJoint();
        }
        link.x.head(6 + r) = p.right.segment(s, 6 + r);
    }
    return p;
}

VecX gather(const Problem& p)
{
    VecX x(p.right.size());
    for (std::size_t i = 0; i < p.start.size(); ++i) {
        const int n = 6 + p.tree.links[i].rows;
        x.segment(p.start[i], n) = p.tree.links[i].x.head(n);
    }
    return x;
}

TEST(BlockTree, agrees_with_dense_and_sparse_solves)
{
    Random random(4);
    for (int t = 0; t < 40; ++t) {
        Problem p = randomProblem(random, 1 + random.below(25));
        const VecX truth = p.dense.partialPivLu().solve(p.right);
        ASSERT_TRUE(p.tree.factor());
        p.tree.solve();
        // Random blocks are not always well conditioned; measure by the residual as well.
        const VecX x = gather(p);
        const double scale = p.dense.cwiseAbs().maxCoeff() * x.cwiseAbs().maxCoeff();
        EXPECT_LT((p.dense * x - p.right).cwiseAbs().maxCoeff(), 1e-9 * scale) << t;
        EXPECT_LT((x - truth).norm(), 1e-7 * truth.norm()) << t;

        Eigen::SparseMatrix<double> sparse = p.dense.sparseView();
        Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(sparse);
        EXPECT_LT((lu.solve(p.right) - x).norm(), 1e-7 * truth.norm()) << t;
    }
}

TEST(BlockTree, factors_once_and_solves_many)
{
    Random random(5);
    Problem p = randomProblem(random, 12);
    const Eigen::PartialPivLU<MatX> dense(p.dense);
    ASSERT_TRUE(p.tree.factor());
    for (int t = 0; t < 5; ++t) {
        fill(p.right, random);
        for (std::size_t i = 0; i < p.start.size(); ++i) {
            const int n = 6 + p.tree.links[i].rows;
            p.tree.links[i].x.head(n) = p.right.segment(p.start[i], n);
        }
        p.tree.solve();
        const VecX truth = dense.solve(p.right);
        EXPECT_LT((gather(p) - truth).norm(), 1e-7 * truth.norm());
    }
}

TEST(BlockTree, says_when_a_pivot_vanishes)
{
    BlockTree tree;
    tree.resize(1);
    tree.links[0].setZero();
    EXPECT_FALSE(tree.factor());
}

}  // namespace
}  // namespace sinew
