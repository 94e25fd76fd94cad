// Dense systems of any size by Gaussian elimination with partial pivoting (Eigen's), compiled once.
#pragma once

#include "sinew/math/types.h"

namespace sinew {

VecX solveDense(const MatX& A, const VecX& b);
MatX inverseDense(const MatX& A);

}  // namespace sinew
