// The nearest symmetric matrix without negative eigenvalues, in closed form: quicker than SymmetricEigen3,
// and to the root of its digits where eigenvalues are all but the same.
#pragma once

#include "sinew/math/types.h"

namespace sinew {

Mat3 nearPositivePart(const Mat3& symmetric);

}  // namespace sinew
