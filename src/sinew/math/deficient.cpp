#include "sinew/math/deficient.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "sinew/math/eigen.h"

namespace sinew {

struct DeficientSystem::Factors {
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
    VecX solve(const VecX& b) const { return fromEigen(decomposition.solve(eigen(b))); }
};

DeficientSystem::DeficientSystem() : factors_(std::make_unique<Factors>()) {}
DeficientSystem::~DeficientSystem() = default;
DeficientSystem::DeficientSystem(const DeficientSystem&) : DeficientSystem() {}
DeficientSystem& DeficientSystem::operator=(const DeficientSystem&)
{
    kept_.clear();
    rank_ = 0;
    return *this;
}
namespace {

constexpr double rounding = 1e-13;        // of an entry, in parts of its reference
constexpr double leastThreshold = 1e-12;  // what counts as dependent among rows of length one
constexpr double mostThreshold = 1e-7;

}  // namespace

void DeficientSystem::factor(const MatX& A, const VecX& reference, const std::vector<int>& vectors)
{
    kept_.clear();
    rank_ = 0;
    double noise = 0;
    for (int i = 0; i < A.rows(); ++i) {
        const double own = std::abs(A(i, i));
        if (!(own > rounding * reference[i])) continue;
        kept_.push_back(i);
        noise = std::max(noise, rounding * reference[i] / own);
    }
    const int n = static_cast<int>(kept_.size());
    if (n == 0) return;
    scale_.resize(n);
    for (int i = 0; i < n; ++i) {
        double own = std::abs(A(kept_[i], kept_[i]));
        for (int j = 0; j < n && !vectors.empty(); ++j)
            if (vectors[kept_[j]] == vectors[kept_[i]])
                own = std::max(own, std::abs(A(kept_[j], kept_[j])));
        scale_[i] = 1 / std::sqrt(own);
    }
    scaled_.resize(n, n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) scaled_(i, j) = scale_[i] * A(kept_[i], kept_[j]) * scale_[j];
    auto& decomposition = factors_->decomposition;
    decomposition.setThreshold(std::clamp(noise, leastThreshold, mostThreshold));
    decomposition.compute(eigen(scaled_));
    rank_ = static_cast<int>(decomposition.rank());
}

void DeficientSystem::solve(const VecX& b, VecX& x) const
{
    x.setZero(b.size());
    const int n = static_cast<int>(kept_.size());
    if (n == 0) return;
    VecX right(n);
    for (int i = 0; i < n; ++i) right[i] = scale_[i] * b[kept_[i]];
    VecX y = factors_->solve(right);
    y += factors_->solve(right - scaled_ * y);
    for (int i = 0; i < n; ++i) x[kept_[i]] = scale_[i] * y[i];
}

VecX leastSolution(const MatX& A, const VecX& b, double dependent, int* rank)
{
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors;
    factors.setThreshold(dependent);
    factors.compute(eigen(A));
    if (rank) *rank = static_cast<int>(factors.rank());
    VecX x = fromEigen(factors.solve(eigen(b)));
    const VecX rest = b - A * x;
    x += fromEigen(factors.solve(eigen(rest)));
    return x;
}

MatX leastInverseOf(const MatX& A, double dependent)
{
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors;
    factors.setThreshold(dependent);
    factors.compute(eigen(A));
    const Eigen::MatrixXd inverse = factors.pseudoInverse();
    MatX result(A.cols(), A.rows());
    for (int c = 0; c < A.rows(); ++c)
        for (int r = 0; r < A.cols(); ++r) result(r, c) = inverse(r, c);
    return result;
}

}  // namespace sinew
