#include "sinew/math/positive_part.h"

#include <Eigen/Eigenvalues>

#include "sinew/math/eigen.h"

namespace sinew {

Mat3 nearPositivePart(const Mat3& symmetric)
{
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
    solver.computeDirect(eigen(symmetric));
    const Eigen::Vector3d kept = solver.eigenvalues().cwiseMax(0);
    const Eigen::Matrix3d& V = solver.eigenvectors();
    return fromEigen(Eigen::Matrix3d(V * kept.asDiagonal() * V.transpose()));
}

}  // namespace sinew
