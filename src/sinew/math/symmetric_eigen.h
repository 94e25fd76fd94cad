// Eigenvalues and eigenvectors of small symmetric matrices.
#pragma once

#include "sinew/math/types.h"

namespace sinew {

// A = V diag(values) Vᵀ; values from the least to the greatest, vectors as columns. The lower half of A is
// read.
struct SymmetricEigen3 {
    explicit SymmetricEigen3(const Mat3& A);
    const Vec3& eigenvalues() const { return values_; }
    const Mat3& eigenvectors() const { return vectors_; }

private:
    Vec3 values_;
    Mat3 vectors_;
};

struct SymmetricEigen6 {
    explicit SymmetricEigen6(const Mat6& A);
    const Vec6& eigenvalues() const { return values_; }
    const Mat6& eigenvectors() const { return vectors_; }

private:
    Vec6 values_;
    Mat6 vectors_;
};

}  // namespace sinew
