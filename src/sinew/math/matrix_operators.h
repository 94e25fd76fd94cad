// Sums, products and the like of math/matrix.h, which includes this file.
#pragma once

#include <iosfwd>

#include "sinew/math/matrix.h"

namespace sinew {
namespace detail {

// How an operand is kept until it is asked for: matrices where they are, views and what is computed by
// value.
template <class D>
struct Operand {
    D kept;
    explicit Operand(const D& d) : kept(d) {}
    double operator()(int r, int c) const { return kept.at(r, c); }
};
template <int R, int C, int MaxR, int MaxC, bool ByRows>
struct Operand<Matrix<R, C, MaxR, MaxC, ByRows>> {
    const Matrix<R, C, MaxR, MaxC, ByRows>* kept;
    explicit Operand(const Matrix<R, C, MaxR, MaxC, ByRows>& m) : kept(&m) {}
    double operator()(int r, int c) const { return kept->at(r, c); }
};

// f of each entry: at once where there is room for the result, else when it is asked for.
template <int R, int C, int MaxR, int MaxC, class F>
auto entries(int rows, int cols, F f)
{
    if constexpr (MaxR != dynamic && MaxC != dynamic) {
        Matrix<R, C, MaxR, MaxC> result;
        if constexpr (R == dynamic || C == dynamic) result.resize(rows, cols);
        result.forEachPlace([&](int r, int c) { result.at(r, c) = f(r, c); });
        return result;
    } else {
        return Lazy<F, R, C>(rows, cols, std::move(f));
    }
}
template <class D, class F>
auto each(const Dense<D>& a, F f)
{
    const D& m = a.self();
    return entries<D::Rows, D::Cols, D::MaxRows, D::MaxCols>(
        m.rows(), m.cols(), [a = Operand<D>(m), f](int r, int c) { return f(a(r, c)); });
}
template <class A, class B, class F>
auto eachPair(const Dense<A>& a, const Dense<B>& b, F f)
{
    a.checkSize(b);
    const A& m = a.self();
    return entries<either(A::Rows, B::Rows), either(A::Cols, B::Cols), either(A::MaxRows, B::MaxRows),
                   either(A::MaxCols, B::MaxCols)>(
        m.rows(), m.cols(),
        [a = Operand<A>(m), b = Operand<B>(b.self()), f](int r, int c) { return f(a(r, c), b(r, c)); });
}

template <int R, int C, int MaxR, int MaxC>
Matrix<R, C, MaxR, MaxC> sized(int rows, int cols)
{
    Matrix<R, C, MaxR, MaxC> m;
    if constexpr (R == dynamic || C == dynamic) m.resize(rows, cols);
    return m;
}

}  // namespace detail

template <class A, class B>
auto operator+(const Dense<A>& a, const Dense<B>& b)
{
    return detail::eachPair(a, b, [](double x, double y) { return x + y; });
}
template <class A, class B>
auto operator-(const Dense<A>& a, const Dense<B>& b)
{
    return detail::eachPair(a, b, [](double x, double y) { return x - y; });
}
template <class A>
auto operator-(const Dense<A>& a)
{
    return detail::each(a, [](double x) { return -x; });
}
template <class A>
auto operator*(const Dense<A>& a, double s)
{
    return detail::each(a, [s](double x) { return x * s; });
}
template <class A>
auto operator*(double s, const Dense<A>& a)
{
    return detail::each(a, [s](double x) { return s * x; });
}
template <class A>
auto operator/(const Dense<A>& a, double s)
{
    return detail::each(a, [s](double x) { return x / s; });
}

// The sum over k runs from the first to the last, with whole columns of the result at a time.
template <class A, class B>
auto operator*(const Dense<A>& left, const Dense<B>& right)
{
    const A& a = left.self();
    const B& b = right.self();
    if constexpr (A::Cols != dynamic && B::Rows != dynamic)
        static_assert(A::Cols == B::Rows);
    else
        SINEW_ASSERT(a.cols() == b.rows());
    const int rows = a.rows(), cols = b.cols(), inner = a.cols();
    auto product = detail::sized<A::Rows, B::Cols, A::MaxRows, B::MaxCols>(rows, cols);
    if constexpr (A::MaxRows == dynamic && requires { a.rowStep(); }) {
        // A transpose lies in memory by its rows: the same sums, entry by entry.
        if (a.rowStep() != 1) {
            for (int c = 0; c < cols; ++c)
                for (int r = 0; r < rows; ++r) {
                    double sum = inner > 0 ? a.at(r, 0) * b.at(0, c) : 0;
                    for (int k = 1; k < inner; ++k) sum += a.at(r, k) * b.at(k, c);
                    product.at(r, c) = sum;
                }
            return product;
        }
    }
    for (int c = 0; c < cols; ++c) {
        if (inner == 0) {
            for (int r = 0; r < rows; ++r) product.at(r, c) = 0;
            continue;
        }
        const double first = b.at(0, c);
        for (int r = 0; r < rows; ++r) product.at(r, c) = a.at(r, 0) * first;
        for (int k = 1; k < inner; ++k) {
            const double factor = b.at(k, c);
            for (int r = 0; r < rows; ++r) product.at(r, c) += a.at(r, k) * factor;
        }
    }
    return product;
}

template <class D>
template <class B>
D& Dense<D>::operator*=(const Dense<B>& factor)
{
    const auto product = *this * factor;
    forEachPlace([&](int r, int c) { (*this)(r, c) = product(r, c); });
    return self();
}
template <class D>
auto Dense<D>::eval() const
{
    return Matrix<D::Rows, D::Cols, D::MaxRows, D::MaxCols>(self());
}
template <class D>
template <class B>
Matrix<3, 1> Dense<D>::cross(const Dense<B>& other) const
{
    static_assert((D::Rows == dynamic || D::Cols == dynamic || D::Rows * D::Cols == 3) &&
                  (B::Rows == dynamic || B::Cols == dynamic || B::Rows * B::Cols == 3));
    SINEW_ASSERT(size() == 3 && other.size() == 3);
    const double ax = (*this)[0], ay = (*this)[1], az = (*this)[2];
    const double bx = other[0], by = other[1], bz = other[2];
    return {ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx};
}
template <class D>
auto Dense<D>::normalized() const
{
    auto copy = eval();
    copy.normalize();
    return copy;
}
template <class D>
auto Dense<D>::cwiseAbs() const
{
    return detail::each(*this, [](double x) { return std::abs(x); });
}
template <class D>
auto Dense<D>::cwiseAbs2() const
{
    return detail::each(*this, [](double x) { return x * x; });
}
template <class D>
auto Dense<D>::cwiseSqrt() const
{
    return detail::each(*this, [](double x) { return std::sqrt(x); });
}
template <class D>
auto Dense<D>::cwiseInverse() const
{
    return detail::each(*this, [](double x) { return 1 / x; });
}
template <class D>
template <class B>
auto Dense<D>::cwiseProduct(const Dense<B>& other) const
{
    return detail::eachPair(*this, other, [](double x, double y) { return x * y; });
}
template <class D>
template <class B>
auto Dense<D>::cwiseQuotient(const Dense<B>& other) const
{
    return detail::eachPair(*this, other, [](double x, double y) { return x / y; });
}
template <class D>
template <class B>
auto Dense<D>::cwiseMax(const Dense<B>& other) const
{
    return detail::eachPair(*this, other, [](double x, double y) { return x < y ? y : x; });
}
template <class D>
template <class B>
auto Dense<D>::cwiseMin(const Dense<B>& other) const
{
    return detail::eachPair(*this, other, [](double x, double y) { return y < x ? y : x; });
}
template <class D>
auto Dense<D>::cwiseMax(double bound) const
{
    return detail::each(*this, [bound](double x) { return x < bound ? bound : x; });
}
template <class D>
auto Dense<D>::cwiseMin(double bound) const
{
    return detail::each(*this, [bound](double x) { return bound < x ? bound : x; });
}

// A diagonal matrix.
template <class D>
struct Diagonal {
    const D& vector;

    auto dense() const
    {
        auto m = detail::sized<D::Rows, D::Rows, D::MaxRows, D::MaxRows>(vector.rows(), vector.rows());
        m.setZero();
        for (int i = 0; i < m.rows(); ++i) m.at(i, i) = vector[i];
        return m;
    }
};
template <class D, class B>
auto operator*(const Diagonal<D>& diagonal, const Dense<B>& b)
{
    auto product = b.eval();
    product.forEachPlace([&](int r, int c) { product.at(r, c) *= diagonal.vector[r]; });
    return product;
}
template <class D, class A>
auto operator*(const Dense<A>& a, const Diagonal<D>& diagonal)
{
    auto product = a.eval();
    product.forEachPlace([&](int r, int c) { product.at(r, c) *= diagonal.vector[c]; });
    return product;
}

// Entries one by one.
template <class D>
class Coefficients {
public:
    explicit Coefficients(D& m) : m_(m) {}
    void operator+=(double s)
    {
        m_.forEachPlace([&](int r, int c) { m_(r, c) += s; });
    }
    void operator-=(double s)
    {
        m_.forEachPlace([&](int r, int c) { m_(r, c) -= s; });
    }
    // Whether it is so everywhere.
    struct Everywhere {
        bool holds;
        bool all() const { return holds; }
    };
    template <class B>
    Everywhere operator<=(const Coefficients<B>& other) const
    {
        bool holds = true;
        m_.forEachPlace([&](int r, int c) { holds &= m_(r, c) <= other(r, c); });
        return {holds};
    }
    double operator()(int r, int c) const { return m_(r, c); }

private:
    D& m_;
};

// All rows, or all columns.
template <class D>
class Lines {
public:
    Lines(D& m, bool rows) : m_(m), rows_(rows) {}
    // One for each line, as a column.
    auto norm() const
    {
        constexpr int atMost = D::MaxRows == dynamic || D::MaxCols == dynamic ? dynamic
                               : D::MaxRows > D::MaxCols                      ? D::MaxRows
                                                                              : D::MaxCols;
        Matrix<dynamic, 1, atMost, 1> norms;
        norms.resize(rows_ ? m_.rows() : m_.cols());
        for (int i = 0; i < norms.rows(); ++i) norms[i] = rows_ ? m_.row(i).norm() : m_.col(i).norm();
        return norms;
    }
    void normalize()
    {
        for (int i = 0; i < (rows_ ? m_.rows() : m_.cols()); ++i) {
            if (rows_)
                m_.row(i).normalize();
            else
                m_.col(i).normalize();
        }
    }

private:
    D& m_;
    bool rows_;
};
template <class D>
Lines<const D> Dense<D>::rowwise() const
{
    return {self(), true};
}
template <class D>
Lines<const D> Dense<D>::colwise() const
{
    return {self(), false};
}
template <class D>
Lines<D> Dense<D>::colwise()
{
    return {self(), false};
}

// m << a, b, c: numbers, or blocks as high as their neighbours.
template <class Target>
class Filler {
public:
    explicit Filler(Target& target) : target_(target) {}
    Filler& operator,(double number)
    {
        startOf(1);
        target_.at(row_, col_++) = number;
        return *this;
    }
    template <class B>
    Filler& operator,(const Dense<B>& given)
    {
        const B& block = given.self();
        startOf(block.rows());
        block.forEachPlace([&](int r, int c) { target_.at(row_ + r, col_ + c) = block.at(r, c); });
        col_ += block.cols();
        return *this;
    }
    auto finished() const { return target_.eval(); }

private:
    void startOf(int height)
    {
        if (col_ == target_.cols()) {
            row_ += height_;
            col_ = 0;
        }
        height_ = height;
    }

    Target& target_;
    int row_ = 0, col_ = 0, height_ = 0;
};
template <class D>
template <class First>
Filler<D> Dense<D>::operator<<(const First& first)
{
    Filler<D> filler(self());
    filler, first;
    return filler;
}

// As Eigen prints them: rows on lines of their own.
template <class Traits, class D>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream, const Dense<D>& m)
{
    for (int r = 0; r < m.self().rows(); ++r) {
        if (r > 0) stream << '\n';
        for (int c = 0; c < m.self().cols(); ++c) stream << (c > 0 ? " " : "") << m(r, c);
    }
    return stream;
}

}  // namespace sinew

#include "sinew/math/small_solve.h"
