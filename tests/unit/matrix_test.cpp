// Our vectors and matrices against Eigen's, on random numbers of all sizes that the engine uses.
#include "sinew/math/matrix.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <sstream>

#include "sinew/base/random.h"
#include "sinew/math/dense_solve.h"
#include "sinew/math/eigen.h"
#include "sinew/math/symmetric_eigen.h"
#include "sinew/math/types.h"

namespace sinew::matrix_test {
namespace {

constexpr double rounding = 1e-14;  // of entries of size one, sums of a dozen

template <class M>
M filled(M m, Random& random)
{
    for (double& x : m) x = random.normal();
    return m;
}

template <class Ours, class Theirs>
void expectSame(const Dense<Ours>& ours, const Eigen::MatrixBase<Theirs>& theirs,
                double tolerance = rounding)
{
    const auto copy = ours.eval();
    const Eigen::MatrixXd expected = theirs;
    ASSERT_EQ(copy.rows(), expected.rows());
    ASSERT_EQ(copy.cols(), expected.cols());
    for (int r = 0; r < copy.rows(); ++r)
        for (int c = 0; c < copy.cols(); ++c)
            EXPECT_NEAR(copy(r, c), expected(r, c), tolerance * (1 + std::abs(expected(r, c))));
}

TEST(Matrix, products_and_sums_are_those_of_eigen)
{
    Random random(1);
    const Mat6 A = filled(Mat6(), random);
    const Matrix<6, 3> B = filled(Matrix<6, 3>(), random);
    const Vec6 v = filled(Vec6(), random);
    const MatX X = filled(MatX(5, 6), random), Y = filled(MatX(5, 4), random);
    expectSame(A * B, eigen(A) * eigen(B));
    expectSame(A * v, eigen(A) * eigen(v));
    expectSame(A.transpose() * B, eigen(A).transpose() * eigen(B));
    expectSame(B.transpose() * A * B, eigen(B).transpose() * eigen(A) * eigen(B), 1e-13);
    expectSame(X * v, eigen(X) * eigen(v));
    expectSame(X.transpose() * Y, eigen(X).transpose() * eigen(Y));
    expectSame(2 * A - v * v.transpose() / 3 + (-A),
               2 * eigen(A) - eigen(v) * eigen(v).transpose() / 3 - eigen(A));
    EXPECT_NEAR(v.dot(A * v), eigen(v).dot(eigen(A) * eigen(v)), 1e-13);
    EXPECT_NEAR(A.norm(), eigen(A).norm(), 1e-13);
    EXPECT_NEAR(A.trace(), eigen(A).trace(), rounding);
    EXPECT_EQ(A.maxCoeff(), eigen(A).maxCoeff());
    EXPECT_EQ(A.cwiseAbs().minCoeff(), eigen(A).cwiseAbs().minCoeff());
    int place = -1;
    const double largest = v.maxCoeff(&place);
    EXPECT_EQ(largest, v[place]);
    expectSame(v.cwiseMax(0.1).cwiseProduct(v), eigen(v).cwiseMax(0.1).cwiseProduct(eigen(v)));
    expectSame(v.head<3>().cross(v.tail<3>()), eigen(v).head<3>().cross(eigen(v).tail<3>()));
    expectSame(v.asDiagonal() * A * v.asDiagonal(),
               eigen(v).asDiagonal() * eigen(A) * eigen(v).asDiagonal());
}

TEST(Matrix, blocks_are_the_numbers_themselves)
{
    Random random(2);
    Mat6 A = filled(Mat6(), random);
    Eigen::Matrix<double, 6, 6> E = eigen(A);
    A.topRightCorner<3, 3>() += A.bottomLeftCorner<3, 3>().transpose();
    E.topRightCorner<3, 3>() += E.bottomLeftCorner<3, 3>().transpose().eval();
    A.row(4) *= 2;
    E.row(4) *= 2;
    A.col(1).segment(2, 3) = A.row(0).tail<3>();  // a column from a row
    E.col(1).segment(2, 3) = E.row(0).tail<3>().transpose().eval();
    A.diagonal().array() -= 0.5;
    E.diagonal().array() -= 0.5;
    A.leftCols<2>().setZero();
    E.leftCols<2>().setZero();
    A.block(3, 3, 2, 3) = A.block<2, 3>(0, 1) * 3;
    E.block(3, 3, 2, 3) = E.block<2, 3>(0, 1).eval() * 3;
    expectSame(A, E);
    A.transposeInPlace();
    expectSame(A, E.transpose());

    Matrix<4, 5, 4, 5, true> byRows;
    byRows << Matrix<4, 2>::Constant(1), Matrix<4, 3>::Constant(2);
    EXPECT_EQ(byRows.data()[1], 1);
    EXPECT_EQ(byRows.data()[2], 2);
    EXPECT_EQ(byRows.rightCols<3>().sum(), 24);
}

TEST(Matrix, sums_on_the_heap_are_computed_where_they_are_assigned)
{
    Random random(3);
    VecX a = filled(VecX(7), random), b = filled(VecX(7), random);
    const Eigen::VectorXd A = eigen(a), B = eigen(b);
    const double* memory = a.data();
    a = 2 * a - b / 3 + b;  // reads what it writes, entry by entry
    expectSame(a, 2 * A - B / 3 + B);
    EXPECT_EQ(a.data(), memory);
    EXPECT_NEAR((a - b).norm(), (eigen(a) - B).norm(), rounding);
    a.segment(2, 3) = b.head(3) + b.tail(3);
    expectSame(a.segment<3>(2), B.head(3) + B.tail(3));
    expectSame((a - b).tail<2>(), (eigen(a) - B).tail(2));
}

TEST(Matrix, what_was_moved_away_is_empty_and_can_be_filled_again)
{
    VecX a = VecX::Ones(4);
    const VecX b = std::move(a);
    EXPECT_EQ(b.sum(), 4);
    EXPECT_EQ(a.size(), 0);  // NOLINT(bugprone-use-after-move): what is meant
    a = b + b;
    EXPECT_EQ(a.sum(), 8);
    MatX m = MatX::Identity(3, 3), n;
    n = std::move(m);
    m.setZero(2, 2);
    EXPECT_EQ(m.sum() + n.sum(), 3);
}

TEST(Matrix, of_bounded_size_lies_where_it_stands)
{
    using Bounded = Matrix<6, dynamic, 6, 6>;
    Bounded S;
    S.setZero(6, 2);
    S.col(1) = Vec6::Ones();
    const Matrix<dynamic, dynamic, 6, 6> gram = S.transpose() * S;
    EXPECT_EQ(gram.rows(), 2);
    EXPECT_EQ(gram(1, 1), 6);
    EXPECT_GE(reinterpret_cast<const char*>(S.data()), reinterpret_cast<const char*>(&S));
    EXPECT_LT(reinterpret_cast<const char*>(S.data()), reinterpret_cast<const char*>(&S + 1));
    EXPECT_EQ(Vec3(S.topRows<3>().rowwise().norm()), Vec3::Ones());
    EXPECT_EQ(S.colwise().norm().size(), 2);
}

template <int N>
void expectInverse(Random& random)
{
    const auto A = filled(Matrix<N, N>(), random);
    const auto symmetric = (A * A.transpose() + Matrix<N, N>::Identity()).eval();
    expectSame(A.inverse(), eigen(A).inverse(), 1e-9);
    EXPECT_NEAR(A.determinant(), eigen(A).determinant(), 1e-11 * (1 + std::abs(A.determinant())));
    expectSame(SmallLdlt<N>(symmetric).solve(Matrix<N, N>::Identity()), eigen(symmetric).inverse(), 1e-9);
    expectSame(solveCholesky(symmetric, Matrix<N, 1>(A.col(0))),
               eigen(symmetric).llt().solve(eigen(A).col(0)), 1e-9);
    const auto view = A.col(0);
    const Matrix<N, 1> before = view;
    solveLower(choleskyFactor(symmetric), view);
    EXPECT_TRUE(before == A.col(0)) << "the right-hand side was overwritten";
}
TEST(Matrix, small_systems_are_solved_as_by_eigen)
{
    Random random(4);
    for (int t = 0; t < 50; ++t) {
        expectInverse<1>(random);
        expectInverse<2>(random);
        expectInverse<3>(random);
        expectInverse<4>(random);
        expectInverse<6>(random);
    }
    EXPECT_EQ(Mat6(Mat6::Zero()).determinant(), 0);
    // Singular: nothing where the matrix sees nothing.
    const Vec6 half = SmallLdlt<6>(Mat6(Vec6(1, 0, 2, 0, 4, 0).asDiagonal())).solve(Vec6(Vec6::Ones()));
    EXPECT_EQ(half, Vec6(1, 0, 0.5, 0, 0.25, 0));
    const MatX A = filled(MatX(9, 9), random);
    expectSame(inverseDense(A) * A, Eigen::MatrixXd::Identity(9, 9), 1e-10);
}

TEST(Matrix, symmetric_ones_are_what_their_eigenvectors_say)
{
    Random random(5);
    const Mat3 A = filled(Mat3(), random);
    const Mat3 S = A + A.transpose();
    const SymmetricEigen3 of(S);
    expectSame(of.eigenvectors() * of.eigenvalues().asDiagonal() * of.eigenvectors().transpose(), eigen(S),
               1e-13);
    EXPECT_LE(of.eigenvalues()[0], of.eigenvalues()[1]);
}

TEST(Matrix, quaternions_are_those_of_eigen)
{
    Random random(6);
    for (int t = 0; t < 200; ++t) {
        const Vec4 a = filled(Vec4(), random).normalized(), b = filled(Vec4(), random).normalized();
        const Quat p(a), q(b);
        const Eigen::Quaterniond P(eigen(a)), Q(eigen(b));
        const Vec3 v = filled(Vec3(), random);
        expectSame((p * q).coeffs(), (P * Q).coeffs());
        expectSame(p * v, P * Eigen::Vector3d(eigen(v)));
        expectSame(p.toRotationMatrix(), P.toRotationMatrix());
        expectSame(Quat(p.toRotationMatrix()).coeffs(), Eigen::Quaterniond(P.toRotationMatrix()).coeffs(),
                   1e-12);
        expectSame(p.slerp(0.3, q).coeffs(), P.slerp(0.3, Q).coeffs(), 1e-12);
        EXPECT_NEAR(p.angularDistance(q), P.angularDistance(Q), 1e-7);
        expectSame(
            Quat(AngleAxis(0.7, v.normalized())).coeffs(),
            Eigen::Quaterniond(Eigen::AngleAxisd(0.7, Eigen::Vector3d(eigen(v)).normalized())).coeffs());
    }
}

TEST(Matrix, not_a_number_is_not_finite_and_prints)
{
    Vec3 v(1, std::nan(""), 3);
    EXPECT_FALSE(v.allFinite());
    EXPECT_FALSE(v.isZero());
    EXPECT_FALSE(v == v);
    std::ostringstream out;
    out << Vec3(1, 2, 3).transpose();
    EXPECT_EQ(out.str(), "1 2 3");
}

TEST(MatrixDeathTest, sizes_that_do_not_fit_are_a_mistake)
{
    const VecX a = VecX::Ones(3), b = VecX::Ones(4);
    EXPECT_DEATH(static_cast<void>(a.dot(b)), "assertion");
    EXPECT_DEATH(static_cast<void>(VecX(a + b)), "assertion");
    EXPECT_DEATH(static_cast<void>(VecX(MatX::Identity(3, 3) * b)), "assertion");
    EXPECT_DEATH(static_cast<void>(VecX().maxCoeff()), "assertion");
}

}  // namespace
}  // namespace sinew::matrix_test
