// The tree-shaped factorisation against a dense solve and a sparse LU of the same matrix.
#include <gtest/gtest.h>

#include <Eigen/SparseLU>

#include "sinew/base/random.h"
#include "sinew/math/block_tree.h"
#include "sinew/math/bordered_tree.h"
#include "sinew/math/dense_solve.h"
#include "sinew/math/eigen.h"

namespace sinew::block_tree_test {
namespace {

template <class M>
void fill(M&& m, Random& random)
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
        const VecX truth = solveDense(p.dense, p.right);
        ASSERT_TRUE(p.tree.factor());
        p.tree.solve();
        // Random blocks are not always well conditioned; measure by the residual as well.
        const VecX x = gather(p);
        const double scale = p.dense.cwiseAbs().maxCoeff() * x.cwiseAbs().maxCoeff();
        EXPECT_LT((p.dense * x - p.right).cwiseAbs().maxCoeff(), 1e-9 * scale) << t;
        EXPECT_LT((x - truth).norm(), 1e-7 * truth.norm()) << t;

        const Eigen::SparseMatrix<double> sparse = eigen(p.dense).sparseView();
        Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(sparse);
        EXPECT_LT((lu.solve(eigen(p.right)) - eigen(x)).norm(), 1e-7 * truth.norm()) << t;
    }
}

TEST(BlockTree, factors_once_and_solves_many)
{
    Random random(5);
    Problem p = randomProblem(random, 12);
    ASSERT_TRUE(p.tree.factor());
    for (int t = 0; t < 5; ++t) {
        fill(p.right, random);
        for (std::size_t i = 0; i < p.start.size(); ++i) {
            const int n = 6 + p.tree.links[i].rows;
            p.tree.links[i].x.head(n) = p.right.segment(p.start[i], n);
        }
        p.tree.solve();
        const VecX truth = solveDense(p.dense, p.right);
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

// Rows and columns beside the tree, some of them twice, and a block between bodies that are not parent and
// child.
TEST(BorderedTree, agrees_with_a_dense_solve_whatever_its_lines_repeat)
{
    Random random(9);
    for (int t = 0; t < 20; ++t) {
        const int count = 3 + random.below(12), lines = 2 + random.below(5);
        Problem p = randomProblem(random, count);
        const int size = static_cast<int>(p.right.size());
        const int rowBody = random.below(count), columnBody = random.below(count);
        Mat6 block;
        fill(block, random);
        block *= 0.1;
        p.dense.block<6, 6>(p.start[rowBody], p.start[columnBody]) += block;
        BorderedTree border;
        MatX A = MatX::Zero(size + lines, size + lines);
        A.topLeftCorner(size, size) = p.dense;
        VecX b = VecX::Zero(size + lines);
        b.head(size) = p.right;
        for (int l = 0; l < lines; ++l) {
            BorderedTree::Line line;
            for (int s = 0; s < 2; ++s) {
                line.body[s] = (random.below(count) + s) % count;
                fill(line.column[s], random);
                line.row[s] = line.column[s];
            }
            if (line.body[0] == line.body[1]) line.body[1] = -1;
            line.value = random.normal();
            line.reference = 1;
            border.lines.push_back(line);
            for (int s = 0; s < 2; ++s) {
                if (line.body[s] < 0) continue;
                A.block<6, 1>(p.start[line.body[s]], size + l) += line.column[s];
                A.block<1, 6>(size + l, p.start[line.body[s]]) += line.row[s].transpose();
            }
            b[size + l] = line.value;
        }
        const VecX truth = solveDense(A, b);
        for (bool twice : {false, true}) {
            BorderedTree repeated = border;
            if (twice)
                repeated.lines.insert(repeated.lines.end(), border.lines.begin(), border.lines.end());
            repeated.addBlock(rowBody, columnBody, block);
            BlockTree tree = p.tree;
            ASSERT_TRUE(tree.factor());
            repeated.solve(tree);
            Problem solved = p;
            solved.tree = tree;
            const double scale = 1 + truth.cwiseAbs().maxCoeff();
            EXPECT_LT((gather(solved) - truth.head(size)).cwiseAbs().maxCoeff(), 1e-7 * scale);
            for (int l = 0; l < lines; ++l) {
                double z = repeated.answer()[l];
                if (twice) z += repeated.answer()[lines + l];
                EXPECT_NEAR(z, truth[size + l], 1e-7 * scale);
            }
        }
    }
}

}  // namespace
}  // namespace sinew::block_tree_test
