#include "sinew/math/symmetric_eigen.h"

#include <Eigen/Eigenvalues>

#include "sinew/math/eigen.h"

namespace sinew {

SymmetricEigen3::SymmetricEigen3(const Mat3& A)
{
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(eigen(A));
    values_ = fromEigen(solver.eigenvalues());
    vectors_ = fromEigen(solver.eigenvectors());
}

SymmetricEigen6::SymmetricEigen6(const Mat6& A)
{
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>> solver(eigen(A));
    values_ = fromEigen(solver.eigenvalues());
    vectors_ = fromEigen(solver.eigenvectors());
}

}  // namespace sinew
