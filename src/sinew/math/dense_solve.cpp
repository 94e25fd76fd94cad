#include "sinew/math/dense_solve.h"

#include <Eigen/LU>

#include "sinew/math/eigen.h"

namespace sinew {

VecX solveDense(const MatX& A, const VecX& b)
{
    return fromEigen(eigen(A).partialPivLu().solve(eigen(b)));
}

MatX inverseDense(const MatX& A)
{
    return fromEigen(eigen(A).partialPivLu().inverse());
}

}  // namespace sinew
