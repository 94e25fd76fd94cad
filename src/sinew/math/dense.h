// What vectors, matrices and views of them have in common: the base of the classes of math/matrix.h, which
// say how they are used. Include that one.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>

#include "sinew/base/assert.h"

namespace sinew {

// Only in builds for debugging: entries are asked for in every inner loop.
#ifdef NDEBUG
#define SINEW_CHECK_PLACE(condition) static_cast<void>(0)
#else
#define SINEW_CHECK_PLACE(condition) SINEW_ASSERT(condition)
#endif

inline constexpr int dynamic = -1;

template <int R, int C, int MaxR = R, int MaxC = C, bool ByRows = false>
class Matrix;
template <class Number, int R, int C, int MaxR = R, int MaxC = C>
class View;
template <class Function, int R, int C>
class Lazy;
template <class Target>
class Filler;
template <class D>
class Coefficients;
template <class D>
class Lines;
template <class D>
struct Diagonal;

namespace detail {

constexpr int either(int a, int b)
{
    return a == dynamic ? b : a;
}

// Of a block of known or unknown size.
constexpr int most(int size, int maximum)
{
    return size == dynamic ? maximum : size;
}

}  // namespace detail

// What everything with rows and columns can do. D gives rows(), cols() and at(r, c).
template <class D>
class Dense {
public:
    using Index = std::ptrdiff_t;  // takes the sizes of the standard library's containers too
    const D& self() const { return static_cast<const D&>(*this); }
    D& self() { return static_cast<D&>(*this); }

    int size() const { return self().rows() * self().cols(); }
    decltype(auto) operator()(Index r, Index c) const
    {
        return self().at(static_cast<int>(r), static_cast<int>(c));
    }
    decltype(auto) operator()(Index r, Index c)
    {
        return self().at(static_cast<int>(r), static_cast<int>(c));
    }
    decltype(auto) operator[](Index i) const { return entry(self(), static_cast<int>(i)); }
    decltype(auto) operator[](Index i) { return entry(self(), static_cast<int>(i)); }
    decltype(auto) operator()(Index i) const { return entry(self(), static_cast<int>(i)); }
    decltype(auto) operator()(Index i) { return entry(self(), static_cast<int>(i)); }
    decltype(auto) x() const { return entry(self(), 0); }
    decltype(auto) x() { return entry(self(), 0); }
    decltype(auto) y() const { return entry(self(), 1); }
    decltype(auto) y() { return entry(self(), 1); }
    decltype(auto) z() const { return entry(self(), 2); }
    decltype(auto) z() { return entry(self(), 2); }
    decltype(auto) w() const { return entry(self(), 3); }
    decltype(auto) w() { return entry(self(), 3); }

    auto eval() const;

    // Blocks: size known to the compiler, or not.
    template <int R, int C>
    auto block(int r, int c) const
    {
        return part<R, C>(self(), r, c, R, C);
    }
    template <int R, int C>
    auto block(int r, int c)
    {
        return part<R, C>(self(), r, c, R, C);
    }
    auto block(int r, int c, int rows, int cols) const
    {
        return part<dynamic, dynamic>(self(), r, c, rows, cols);
    }
    auto block(int r, int c, int rows, int cols)
    {
        return part<dynamic, dynamic>(self(), r, c, rows, cols);
    }
    auto col(int c) const { return part<D::Rows, 1>(self(), 0, c, self().rows(), 1); }
    auto col(int c) { return part<D::Rows, 1>(self(), 0, c, self().rows(), 1); }
    auto row(int r) const { return part<1, D::Cols>(self(), r, 0, 1, self().cols()); }
    auto row(int r) { return part<1, D::Cols>(self(), r, 0, 1, self().cols()); }

    template <int N>
    auto segment(int i) const
    {
        return run<N>(self(), i, N);
    }
    template <int N>
    auto segment(int i)
    {
        return run<N>(self(), i, N);
    }
    auto segment(int i, int n) const { return run<dynamic>(self(), i, n); }
    auto segment(int i, int n) { return run<dynamic>(self(), i, n); }
    template <int N>
    auto head() const
    {
        return run<N>(self(), 0, N);
    }
    template <int N>
    auto head()
    {
        return run<N>(self(), 0, N);
    }
    auto head(int n) const { return run<dynamic>(self(), 0, n); }
    auto head(int n) { return run<dynamic>(self(), 0, n); }
    template <int N>
    auto tail() const
    {
        return run<N>(self(), size() - N, N);
    }
    template <int N>
    auto tail()
    {
        return run<N>(self(), size() - N, N);
    }
    auto tail(int n) const { return run<dynamic>(self(), size() - n, n); }
    auto tail(int n) { return run<dynamic>(self(), size() - n, n); }

    template <int N>
    auto middleRows(int r) const
    {
        return part<N, D::Cols>(self(), r, 0, N, self().cols());
    }
    template <int N>
    auto middleRows(int r)
    {
        return part<N, D::Cols>(self(), r, 0, N, self().cols());
    }
    auto middleRows(int r, int n) const { return part<dynamic, D::Cols>(self(), r, 0, n, self().cols()); }
    auto middleRows(int r, int n) { return part<dynamic, D::Cols>(self(), r, 0, n, self().cols()); }
    template <int N>
    auto topRows() const
    {
        return middleRows<N>(0);
    }
    template <int N>
    auto topRows()
    {
        return middleRows<N>(0);
    }
    auto topRows(int n) const { return middleRows(0, n); }
    auto topRows(int n) { return middleRows(0, n); }
    template <int N>
    auto bottomRows() const
    {
        return middleRows<N>(self().rows() - N);
    }
    template <int N>
    auto bottomRows()
    {
        return middleRows<N>(self().rows() - N);
    }
    auto bottomRows(int n) const { return middleRows(self().rows() - n, n); }
    auto bottomRows(int n) { return middleRows(self().rows() - n, n); }

    template <int N>
    auto middleCols(int c) const
    {
        return part<D::Rows, N>(self(), 0, c, self().rows(), N);
    }
    template <int N>
    auto middleCols(int c)
    {
        return part<D::Rows, N>(self(), 0, c, self().rows(), N);
    }
    auto middleCols(int c, int n) const { return part<D::Rows, dynamic>(self(), 0, c, self().rows(), n); }
    auto middleCols(int c, int n) { return part<D::Rows, dynamic>(self(), 0, c, self().rows(), n); }
    template <int N>
    auto leftCols() const
    {
        return middleCols<N>(0);
    }
    template <int N>
    auto leftCols()
    {
        return middleCols<N>(0);
    }
    auto leftCols(int n) const { return middleCols(0, n); }
    auto leftCols(int n) { return middleCols(0, n); }
    template <int N>
    auto rightCols() const
    {
        return middleCols<N>(self().cols() - N);
    }
    template <int N>
    auto rightCols()
    {
        return middleCols<N>(self().cols() - N);
    }
    auto rightCols(int n) const { return middleCols(self().cols() - n, n); }
    auto rightCols(int n) { return middleCols(self().cols() - n, n); }

    template <int R, int C>
    auto topLeftCorner() const
    {
        return block<R, C>(0, 0);
    }
    template <int R, int C>
    auto topLeftCorner()
    {
        return block<R, C>(0, 0);
    }
    auto topLeftCorner(int r, int c) const { return block(0, 0, r, c); }
    auto topLeftCorner(int r, int c) { return block(0, 0, r, c); }
    template <int R, int C>
    auto topRightCorner() const
    {
        return block<R, C>(0, self().cols() - C);
    }
    template <int R, int C>
    auto topRightCorner()
    {
        return block<R, C>(0, self().cols() - C);
    }
    auto topRightCorner(int r, int c) const { return block(0, self().cols() - c, r, c); }
    auto topRightCorner(int r, int c) { return block(0, self().cols() - c, r, c); }
    template <int R, int C>
    auto bottomLeftCorner() const
    {
        return block<R, C>(self().rows() - R, 0);
    }
    template <int R, int C>
    auto bottomLeftCorner()
    {
        return block<R, C>(self().rows() - R, 0);
    }
    auto bottomLeftCorner(int r, int c) const { return block(self().rows() - r, 0, r, c); }
    auto bottomLeftCorner(int r, int c) { return block(self().rows() - r, 0, r, c); }
    template <int R, int C>
    auto bottomRightCorner() const
    {
        return block<R, C>(self().rows() - R, self().cols() - C);
    }
    template <int R, int C>
    auto bottomRightCorner()
    {
        return block<R, C>(self().rows() - R, self().cols() - C);
    }
    auto bottomRightCorner(int r, int c) const { return block(self().rows() - r, self().cols() - c, r, c); }
    auto bottomRightCorner(int r, int c) { return block(self().rows() - r, self().cols() - c, r, c); }

    auto transpose() const { return transposed(self()); }
    auto transpose() { return transposed(self()); }
    auto diagonal() const { return diagonalOf(self()); }
    auto diagonal() { return diagonalOf(self()); }

    // Numbers made of all entries.
    template <class B>
    double dot(const Dense<B>& other) const
    {
        double sum = 0;
        const int n = size();
        if constexpr (D::Rows == dynamic || D::Cols == dynamic || B::Rows == dynamic || B::Cols == dynamic)
            SINEW_ASSERT(n == other.size());
        else
            static_assert(D::Rows * D::Cols == B::Rows * B::Cols);
        for (int i = 0; i < n; ++i) sum += (*this)[i] * other[i];
        return sum;
    }
    double squaredNorm() const
    {
        double sum = 0;
        forEach([&](double x) { sum += x * x; });
        return sum;
    }
    double norm() const { return std::sqrt(squaredNorm()); }
    double sum() const
    {
        double sum = 0;
        forEach([&](double x) { sum += x; });
        return sum;
    }
    double mean() const { return sum() / size(); }
    double prod() const
    {
        double product = 1;
        forEach([&](double x) { product *= x; });
        return product;
    }
    double trace() const
    {
        double sum = 0;
        for (int i = 0; i < self().rows() && i < self().cols(); ++i) sum += (*this)(i, i);
        return sum;
    }
    double maxCoeff() const
    {
        SINEW_ASSERT(size() > 0);
        double most = (*this)(0, 0);
        forEach([&](double x) { most = x > most ? x : most; });
        return most;
    }
    double minCoeff() const
    {
        SINEW_ASSERT(size() > 0);
        double least = (*this)(0, 0);
        forEach([&](double x) { least = x < least ? x : least; });
        return least;
    }
    // And where it stands, in a vector.
    template <class Index>
    double maxCoeff(Index* where) const
    {
        return extreme(where, [](double x, double y) { return x > y; });
    }
    template <class Index>
    double minCoeff(Index* where) const
    {
        return extreme(where, [](double x, double y) { return x < y; });
    }
    bool isZero(double tolerance = 1e-12) const
    {
        bool zero = true;
        forEach([&](double x) { zero &= std::abs(x) <= tolerance; });
        return zero;
    }
    bool allFinite() const
    {
        bool finite = true;
        forEach([&](double x) { finite &= std::isfinite(x); });
        return finite;
    }
    template <class B>
    bool isApprox(const Dense<B>& other, double tolerance = 1e-12) const
    {
        checkSize(other);
        double difference = 0;
        forEachPlace([&](int r, int c) {
            const double d = (*this)(r, c) - other(r, c);
            difference += d * d;
        });
        const double own = squaredNorm(), its = other.squaredNorm();
        return difference <= tolerance * tolerance * (own < its ? own : its);
    }
    template <class B>
    bool operator==(const Dense<B>& other) const
    {
        if (self().rows() != other.self().rows() || self().cols() != other.self().cols()) return false;
        bool equal = true;
        forEachPlace([&](int r, int c) { equal &= (*this)(r, c) == other(r, c); });
        return equal;
    }

    // Vectors and matrices made of it.
    template <class B>
    Matrix<3, 1> cross(const Dense<B>& other) const;
    auto normalized() const;
    auto cwiseAbs() const;
    auto cwiseAbs2() const;
    auto cwiseSqrt() const;
    auto cwiseInverse() const;
    template <class B>
    auto cwiseProduct(const Dense<B>& other) const;
    template <class B>
    auto cwiseQuotient(const Dense<B>& other) const;
    template <class B>
    auto cwiseMax(const Dense<B>& other) const;
    template <class B>
    auto cwiseMin(const Dense<B>& other) const;
    auto cwiseMax(double bound) const;
    auto cwiseMin(double bound) const;
    Diagonal<D> asDiagonal() const { return {self()}; }
    Lines<const D> rowwise() const;
    Lines<const D> colwise() const;
    Lines<D> colwise();
    // Of square matrices up to 3 × 3 (math/small_solve.h).
    auto inverse() const;
    double determinant() const;

    // Changes. A view can be changed even where it is a temporary.
    D& setZero() { return setConstant(0); }
    D& setOnes() { return setConstant(1); }
    D& setConstant(double value)
    {
        forEachPlace([&](int r, int c) { (*this)(r, c) = value; });
        return self();
    }
    D& setIdentity()
    {
        forEachPlace([&](int r, int c) { (*this)(r, c) = r == c ? 1 : 0; });
        return self();
    }
    template <class B>
    D& operator+=(const Dense<B>& other)
    {
        checkSize(other);
        forEachPlace([&](int r, int c) { (*this)(r, c) += other(r, c); });
        return self();
    }
    template <class B>
    D& operator-=(const Dense<B>& other)
    {
        checkSize(other);
        forEachPlace([&](int r, int c) { (*this)(r, c) -= other(r, c); });
        return self();
    }
    D& operator*=(double factor)
    {
        forEachPlace([&](int r, int c) { (*this)(r, c) *= factor; });
        return self();
    }
    template <class B>
    D& operator*=(const Dense<B>& factor);
    D& operator/=(double divisor)
    {
        forEachPlace([&](int r, int c) { (*this)(r, c) /= divisor; });
        return self();
    }
    void normalize()
    {
        const double square = squaredNorm();
        if (square > 0) *this /= std::sqrt(square);
    }
    void transposeInPlace()
    {
        for (int c = 1; c < self().cols(); ++c)
            for (int r = 0; r < c; ++r) std::swap((*this)(r, c), (*this)(c, r));
    }
    template <class B>
    void swap(Dense<B>&& other)
    {
        checkSize(other);
        forEachPlace([&](int r, int c) { std::swap((*this)(r, c), other(r, c)); });
    }
    Coefficients<D> array() { return Coefficients<D>{self()}; }
    Coefficients<const D> array() const { return Coefficients<const D>{self()}; }
    // Entries in the order in which one reads them, or blocks: m << 1, 2, 3.
    template <class First>
    Filler<D> operator<<(const First& first);

    template <class F>
    void forEachPlace(F&& f) const
    {
        const int rows = self().rows(), cols = self().cols();
        for (int c = 0; c < cols; ++c)
            for (int r = 0; r < rows; ++r) f(r, c);
    }
    template <class F>
    void forEach(F&& f) const
    {
        forEachPlace([&](int r, int c) { f(static_cast<double>((*this)(r, c))); });
    }
    template <class B>
    void checkSize(const Dense<B>& other) const
    {
        if constexpr (D::Rows != dynamic && B::Rows != dynamic)
            static_assert(D::Rows == B::Rows);
        else
            SINEW_ASSERT(self().rows() == other.self().rows());
        if constexpr (D::Cols != dynamic && B::Cols != dynamic)
            static_assert(D::Cols == B::Cols);
        else
            SINEW_ASSERT(self().cols() == other.self().cols());
    }

private:
    template <class Self>
    static decltype(auto) entry(Self& self, int i)
    {
        if constexpr (D::Cols == 1)
            return self.at(i, 0);
        else if constexpr (D::Rows == 1)
            return self.at(0, i);
        else
            return self.at(i % self.rows(), i / self.rows());
    }
    template <int R, int C, class Self>
    static auto part(Self& self, int r, int c, int rows, int cols)
    {
        return self.template viewOf<R, C, detail::most(R, D::MaxRows), detail::most(C, D::MaxCols)>(
            r, c, rows, cols);
    }
    template <int N, class Self>
    static auto run(Self& self, int i, int n)
    {
        if constexpr (D::Rows == 1)
            return part<1, N>(self, 0, i, 1, n);
        else
            return part<N, 1>(self, i, 0, n, 1);
    }
    template <class Self>
    static auto transposed(Self& self)
    {
        return self
            .template viewOf<D::Rows, D::Cols, D::MaxRows, D::MaxCols>(0, 0, self.rows(), self.cols())
            .turned();
    }
    template <class Self>
    static auto diagonalOf(Self& self)
    {
        return self
            .template viewOf<D::Rows, D::Cols, D::MaxRows, D::MaxCols>(0, 0, self.rows(), self.cols())
            .onDiagonal();
    }
    template <class Index, class IsBeyond>
    double extreme(Index* where, IsBeyond isBeyond) const
    {
        *where = 0;
        for (int i = 1; i < size(); ++i)
            if (isBeyond((*this)[i], (*this)[static_cast<int>(*where)])) *where = i;
        return (*this)[static_cast<int>(*where)];
    }
};

}  // namespace sinew
