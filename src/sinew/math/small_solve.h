// Inverses, determinants and linear systems of small fixed size, by plain loops.
#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "sinew/math/matrix.h"

namespace sinew {

// Gaussian elimination with partial pivoting: P A = L U. Golub & Van Loan, Matrix Computations,
// section 3.4.
template <int N>
class SmallLu {
public:
    explicit SmallLu(const Matrix<N, N>& A) : lu_(A)
    {
        for (int k = 0; k < N; ++k) order_[k] = k;
        for (int k = 0; k < N; ++k) {
            int pivot = k;
            for (int r = k + 1; r < N; ++r)
                if (std::abs(lu_(r, k)) > std::abs(lu_(pivot, k))) pivot = r;
            if (pivot != k) {
                for (int c = 0; c < N; ++c) std::swap(lu_(k, c), lu_(pivot, c));
                std::swap(order_[k], order_[pivot]);
                sign_ = -sign_;
            }
            if (lu_(k, k) == 0) continue;  // singular: as it is below
            for (int r = k + 1; r < N; ++r) lu_(r, k) /= lu_(k, k);
            for (int c = k + 1; c < N; ++c)
                for (int r = k + 1; r < N; ++r) lu_(r, c) -= lu_(r, k) * lu_(k, c);
        }
    }
    template <int C>
    Matrix<N, C> solve(const Matrix<N, C>& b) const
    {
        Matrix<N, C> x;
        for (int c = 0; c < C; ++c) {
            for (int r = 0; r < N; ++r) x(r, c) = b(order_[r], c);
            for (int k = 0; k < N; ++k)
                for (int r = k + 1; r < N; ++r) x(r, c) -= lu_(r, k) * x(k, c);
            for (int k = N - 1; k >= 0; --k) {
                x(k, c) /= lu_(k, k);
                for (int r = 0; r < k; ++r) x(r, c) -= lu_(r, k) * x(k, c);
            }
        }
        return x;
    }
    double determinant() const
    {
        double product = sign_;
        for (int k = 0; k < N; ++k) product *= lu_(k, k);
        return product;
    }

private:
    Matrix<N, N> lu_;
    int order_[N];
    double sign_ = 1;
};

// P A Pᵀ = L D Lᵀ of a symmetric matrix, the largest entry of the diagonal first; the lower half is read.
// What lies in directions that A does not see is left out of solutions. Golub & Van Loan, section 4.2.8.
template <int N>
class SmallLdlt {
public:
    explicit SmallLdlt(const Matrix<N, N>& A) : ldlt_(A)
    {
        for (int k = 0; k < N; ++k) order_[k] = k;
        for (int k = 0; k < N; ++k) {
            int pivot = k;
            for (int r = k + 1; r < N; ++r)
                if (std::abs(ldlt_(r, r)) > std::abs(ldlt_(pivot, pivot))) pivot = r;
            if (pivot != k) exchange(k, pivot);
            const double d = ldlt_(k, k);
            if (d == 0) continue;
            for (int c = k + 1; c < N; ++c) {
                const double factor = ldlt_(c, k) / d;
                for (int r = c; r < N; ++r) ldlt_(r, c) -= ldlt_(r, k) * factor;
            }
            for (int r = k + 1; r < N; ++r) ldlt_(r, k) /= d;
        }
    }
    template <int C>
    Matrix<N, C> solve(const Matrix<N, C>& b) const
    {
        Matrix<N, C> result;
        for (int c = 0; c < C; ++c) {
            double x[N];
            for (int r = 0; r < N; ++r) x[r] = b(order_[r], c);
            for (int k = 0; k < N; ++k)
                for (int r = k + 1; r < N; ++r) x[r] -= ldlt_(r, k) * x[k];
            for (int k = 0; k < N; ++k) {
                const double d = ldlt_(k, k);
                x[k] = std::abs(d) > std::numeric_limits<double>::min() ? x[k] / d : 0;
            }
            for (int k = N - 1; k >= 0; --k)
                for (int r = k + 1; r < N; ++r) x[k] -= ldlt_(r, k) * x[r];
            for (int r = 0; r < N; ++r) result(order_[r], c) = x[r];
        }
        return result;
    }
    bool isPositive() const
    {
        bool positive = true;
        for (int k = 0; k < N; ++k) positive &= ldlt_(k, k) > 0;
        return positive;
    }

private:
    // Row and column k with row and column p > k, in the lower half.
    void exchange(int k, int p)
    {
        for (int c = 0; c < k; ++c) std::swap(ldlt_(k, c), ldlt_(p, c));
        for (int r = p + 1; r < N; ++r) std::swap(ldlt_(r, k), ldlt_(r, p));
        for (int i = k + 1; i < p; ++i) std::swap(ldlt_(i, k), ldlt_(p, i));
        std::swap(ldlt_(k, k), ldlt_(p, p));
        std::swap(order_[k], order_[p]);
    }

    Matrix<N, N> ldlt_;
    int order_[N];
};

// L of A = L Lᵀ, A symmetric and definite, of bounded size.
template <int R, int C, int MaxR, int MaxC>
Matrix<R, C, MaxR, MaxC> choleskyFactor(Matrix<R, C, MaxR, MaxC> A)
{
    const int n = A.rows();
    for (int k = 0; k < n; ++k) {
        A(k, k) = std::sqrt(A(k, k));
        for (int r = k + 1; r < n; ++r) A(r, k) /= A(k, k);
        for (int c = k + 1; c < n; ++c)
            for (int r = c; r < n; ++r) A(r, c) -= A(r, k) * A(c, k);
        for (int r = 0; r < k; ++r) A(r, k) = 0;
    }
    return A;
}
// L x = b.
template <class M, class V>
auto solveLower(const M& L, const V& b)
{
    auto x = b.eval();
    for (int k = 0; k < L.rows(); ++k) {
        x[k] /= L(k, k);
        for (int r = k + 1; r < L.rows(); ++r) x[r] -= L(r, k) * x[k];
    }
    return x;
}
// A x = b, A symmetric and definite.
template <class M, class V>
auto solveCholesky(const M& A, const V& b)
{
    const auto L = choleskyFactor(A);
    auto x = solveLower(L, b);
    for (int k = L.rows() - 1; k >= 0; --k) {
        for (int r = k + 1; r < L.rows(); ++r) x[k] -= L(r, k) * x[r];
        x[k] /= L(k, k);
    }
    return x;
}

template <class D>
double Dense<D>::determinant() const
{
    static_assert(D::Rows == D::Cols && D::Rows != dynamic);
    const auto& m = *this;
    if constexpr (D::Rows == 1)
        return m(0, 0);
    else if constexpr (D::Rows == 2)
        return m(0, 0) * m(1, 1) - m(1, 0) * m(0, 1);
    else if constexpr (D::Rows == 3)
        return m(0, 0) * (m(1, 1) * m(2, 2) - m(1, 2) * m(2, 1)) -
               m(0, 1) * (m(1, 0) * m(2, 2) - m(1, 2) * m(2, 0)) +
               m(0, 2) * (m(1, 0) * m(2, 1) - m(1, 1) * m(2, 0));
    else
        return SmallLu<D::Rows>(self()).determinant();
}

template <class D>
auto Dense<D>::inverse() const
{
    static_assert(D::Rows == D::Cols && D::Rows != dynamic);
    constexpr int N = D::Rows;
    const auto& m = *this;
    Matrix<N, N> inverse;
    if constexpr (N == 1) {
        inverse(0, 0) = 1 / m(0, 0);
    } else if constexpr (N == 2) {
        const double scale = 1 / m.determinant();
        inverse(0, 0) = m(1, 1) * scale;
        inverse(1, 0) = -m(1, 0) * scale;
        inverse(0, 1) = -m(0, 1) * scale;
        inverse(1, 1) = m(0, 0) * scale;
    } else if constexpr (N == 3) {
        const auto cofactor = [&](int r, int c) {
            const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            return m(r1, c1) * m(r2, c2) - m(r1, c2) * m(r2, c1);
        };
        const double first[3] = {cofactor(0, 0), cofactor(1, 0), cofactor(2, 0)};
        const double scale = 1 / (first[0] * m(0, 0) + first[1] * m(1, 0) + first[2] * m(2, 0));
        for (int c = 0; c < 3; ++c) {
            inverse(0, c) = first[c] * scale;
            inverse(1, c) = cofactor(c, 1) * scale;
            inverse(2, c) = cofactor(c, 2) * scale;
        }
    } else {
        inverse = SmallLu<N>(self()).solve(Matrix<N, N>::Identity());
    }
    return inverse;
}

}  // namespace sinew
