// Vectors and matrices of double: small ones of fixed size, which is most of mechanics, and those whose size is known
// when the program runs.
//
//     Matrix<3, 3>                        its numbers lie inside it, by columns
//     Matrix<6, dynamic, 6, 6>            at most 6 × 6: inside it too
//     Matrix<dynamic, 1>                  on the heap
//     View                                a block, a row, a transpose of one, or numbers of someone else
//
// Members are named as in Eigen. But sums, products and the like of matrices whose size is bounded are computed at once
// and are plain matrices: no types of expressions. Eigen makes a type of each expression, and tens of functions of each
// type; these were two thirds of the time to compile the engine. Sums of matrices on the heap are computed where they
// are assigned (`Lazy`), so that they need no memory of their own. Factorisations are Eigen's (math/eigen.h).
//
// Sums run in the order of their indices. So every compiler and WebAssembly come to the same bits.
//
// A view does not own its numbers: do not keep one of a temporary.
#pragma once

#include <cmath>
#include <cstddef>
#include <iosfwd>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinew/base/assert.h"

namespace sinew {

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
    decltype(auto) operator()(Index r, Index c) const { return self().at(static_cast<int>(r), static_cast<int>(c)); }
    decltype(auto) operator()(Index r, Index c) { return self().at(static_cast<int>(r), static_cast<int>(c)); }
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
    auto bottomRightCorner(int r, int c) const
    {
        return block(self().rows() - r, self().cols() - c, r, c);
    }
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
        double most = (*this)(0, 0);
        forEach([&](double x) { most = x > most ? x : most; });
        return most;
    }
    double minCoeff() const
    {
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
        return self.template viewOf<D::Rows, D::Cols, D::MaxRows, D::MaxCols>(0, 0, self.rows(), self.cols())
            .turned();
    }
    template <class Self>
    static auto diagonalOf(Self& self)
    {
        return self.template viewOf<D::Rows, D::Cols, D::MaxRows, D::MaxCols>(0, 0, self.rows(), self.cols())
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

namespace detail {

// The numbers of a matrix: of fixed size,
template <int R, int C, int MaxR, int MaxC>
struct Storage {
    static constexpr int rows() { return R; }
    static constexpr int cols() { return C; }
    void resize(int r, int c) { SINEW_ASSERT(r == R && c == C); }
    double* data() { return numbers; }
    const double* data() const { return numbers; }

    double numbers[R * C > 0 ? R * C : 1];
};

// of bounded size,
template <int R, int C, int MaxR, int MaxC>
    requires((R == dynamic || C == dynamic) && MaxR != dynamic && MaxC != dynamic)
struct Storage<R, C, MaxR, MaxC> {
    int rows() const { return R != dynamic ? R : height; }
    int cols() const { return C != dynamic ? C : width; }
    void resize(int r, int c)
    {
        SINEW_ASSERT(r >= 0 && r <= MaxR && c >= 0 && c <= MaxC);
        height = r;
        width = c;
    }
    double* data() { return numbers; }
    const double* data() const { return numbers; }

    int height = R == dynamic ? 0 : R, width = C == dynamic ? 0 : C;
    double numbers[MaxR * MaxC];
};

// on the heap.
template <int R, int C, int MaxR, int MaxC>
    requires(MaxR == dynamic || MaxC == dynamic)
struct Storage<R, C, MaxR, MaxC> {
    int rows() const { return R != dynamic ? R : height; }
    int cols() const { return C != dynamic ? C : width; }
    void resize(int r, int c)
    {
        height = r;
        width = c;
        numbers.resize(static_cast<std::size_t>(r) * c);
    }
    double* data() { return numbers.data(); }
    const double* data() const { return numbers.data(); }

    int height = R == dynamic ? 0 : R, width = C == dynamic ? 0 : C;
    std::vector<double> numbers;
};

}  // namespace detail

template <int R, int C, int MaxR, int MaxC, bool ByRows>
class Matrix : public Dense<Matrix<R, C, MaxR, MaxC, ByRows>> {
    using Base = Dense<Matrix>;

public:
    static constexpr int Rows = R, Cols = C, MaxRows = MaxR, MaxCols = MaxC;
    static constexpr bool isFixed = R != dynamic && C != dynamic;
    static constexpr bool isVector = R == 1 || C == 1;

    Matrix() = default;
    // Of size n, unset.
    explicit Matrix(int n)
        requires(!isFixed && isVector)
    {
        resize(n);
    }
    Matrix(int r, int c)
        requires(!isFixed && !isVector)
    {
        resize(r, c);
    }
    // Its entries.
    template <class... Numbers>
        requires(isFixed && isVector && sizeof...(Numbers) == R * C && sizeof...(Numbers) > 1 &&
                 (std::is_arithmetic_v<Numbers> && ...))
    Matrix(Numbers... numbers)
        : store_{{static_cast<double>(numbers)...}}
    {}
    template <class B>
    Matrix(const Dense<B>& other)
    {
        assign(other);
    }
    template <class B>
    Matrix(const Diagonal<B>& other)
    {
        assign(other.dense());
    }
    template <class B>
    Matrix& operator=(const Dense<B>& other)
    {
        assign(other);
        return *this;
    }
    template <class B>
    Matrix& operator=(const Diagonal<B>& other)
    {
        assign(other.dense());
        return *this;
    }
    operator double() const
        requires(R == 1 && C == 1)
    {
        return at(0, 0);
    }

    int rows() const { return store_.rows(); }
    int cols() const { return store_.cols(); }
    double* data() { return store_.data(); }
    const double* data() const { return store_.data(); }
    double* begin() { return data(); }
    double* end() { return data() + this->size(); }
    const double* begin() const { return data(); }
    const double* end() const { return data() + this->size(); }
    double& at(int r, int c) { return data()[place(r, c)]; }
    const double& at(int r, int c) const { return data()[place(r, c)]; }
    Matrix& noalias() { return *this; }

    // Entries keep their places in a vector, and in a matrix that keeps its number of rows.
    void resize(int r, int c) { store_.resize(r, c); }
    void resize(int n)
        requires isVector
    {
        store_.resize(C == 1 ? n : 1, C == 1 ? 1 : n);
    }
    using Base::setConstant;
    using Base::setIdentity;
    using Base::setZero;
    Matrix& setZero(int n)
    {
        resize(n);
        return Base::setZero();
    }
    Matrix& setZero(int r, int c)
    {
        resize(r, c);
        return Base::setZero();
    }
    Matrix& setConstant(int n, double value)
    {
        resize(n);
        return Base::setConstant(value);
    }
    Matrix& setIdentity(int r, int c)
    {
        resize(r, c);
        return Base::setIdentity();
    }

    static Matrix Constant(double value)
    {
        Matrix m;
        m.setConstant(value);
        return m;
    }
    static Matrix Zero() { return Constant(0); }
    static Matrix Ones() { return Constant(1); }
    static Matrix Identity()
    {
        Matrix m;
        m.setIdentity();
        return m;
    }
    static Matrix Unit(int i)
    {
        Matrix m = Zero();
        m[i] = 1;
        return m;
    }
    static Matrix UnitX() { return Unit(0); }
    static Matrix UnitY() { return Unit(1); }
    static Matrix UnitZ() { return Unit(2); }
    static Matrix Constant(int n, double value)
    {
        Matrix m(n);
        m.setConstant(value);
        return m;
    }
    static Matrix Zero(int n) { return Constant(n, 0); }
    static Matrix Ones(int n) { return Constant(n, 1); }
    static Matrix Unit(int n, int i)
    {
        Matrix m = Zero(n);
        m[i] = 1;
        return m;
    }
    static Matrix Zero(int r, int c)
    {
        Matrix m(r, c);
        m.setZero();
        return m;
    }
    static Matrix Identity(int r, int c)
    {
        Matrix m(r, c);
        m.setIdentity();
        return m;
    }

    template <int BR, int BC, int BMR, int BMC>
    View<double, BR, BC, BMR, BMC> viewOf(int r, int c, int rows, int cols)
    {
        return {data() + place(r, c), rows, cols, rowStep(), colStep()};
    }
    template <int BR, int BC, int BMR, int BMC>
    View<const double, BR, BC, BMR, BMC> viewOf(int r, int c, int rows, int cols) const
    {
        return {data() + place(r, c), rows, cols, rowStep(), colStep()};
    }

private:
    int rowStep() const { return ByRows ? cols() : 1; }
    int colStep() const { return ByRows ? 1 : rows(); }
    int place(int r, int c) const { return ByRows ? r * cols() + c : r + c * rows(); }
    template <class B>
    void assign(const Dense<B>& other)
    {
        if constexpr (C == 1 && R != 1 && B::Rows == 1) return assign(other.transpose());  // a column from a row
        else assignAlike(other);
    }
    template <class B>
    void assignAlike(const Dense<B>& other)
    {
        if constexpr (!isFixed) {
            const int r = other.self().rows(), c = other.self().cols();
            if (r != rows() || c != cols()) resize(r, c);
        }
        this->checkSize(other);
        this->forEachPlace([&](int r, int c) { at(r, c) = other(r, c); });
    }

    detail::Storage<R, C, MaxR, MaxC> store_;
};

// Rows and columns of numbers that lie elsewhere. Copying a view names the same numbers; assigning to it changes them.
template <class Number, int R, int C, int MaxR, int MaxC>
class View : public Dense<View<Number, R, C, MaxR, MaxC>> {
public:
    static constexpr int Rows = R, Cols = C, MaxRows = MaxR, MaxCols = MaxC;

    View(Number* data, int rows, int cols, int rowStep, int colStep)
        : data_(data), rows_(rows), cols_(cols), rowStep_(rowStep), colStep_(colStep)
    {}
    View(const View&) = default;
    // Whoever may change the numbers may look at them.
    template <class Other>
        requires(std::is_same_v<const Other, Number>)
    View(const View<Other, R, C, MaxR, MaxC>& o)
        : View(o.data(), o.rows(), o.cols(), o.rowStep(), o.colStep())
    {}
    // A whole vector, or as much of one as a function takes.
    template <class M>
        requires(R == dynamic && C == 1 && M::Cols == 1)
    View(Dense<M>& vector)
        : View(&vector.self().at(0, 0), vector.self().rows(), 1, 1, vector.self().rows())
    {}
    View& operator=(const View& other) { return assign(other); }
    template <class B>
    View& operator=(const Dense<B>& other)
    {
        return assign(other);
    }
    template <class B>
    View& operator=(const Diagonal<B>& other)
    {
        return assign(other.dense());
    }
    operator double() const
        requires(R == 1 && C == 1)
    {
        return at(0, 0);
    }

    int rows() const { return R == dynamic ? rows_ : R; }
    int cols() const { return C == dynamic ? cols_ : C; }
    int rowStep() const { return rowStep_; }
    int colStep() const { return colStep_; }
    Number* data() const { return data_; }
    Number& at(int r, int c) const { return data_[r * rowStep_ + c * colStep_]; }
    View& noalias() { return *this; }

    View<Number, C, R, MaxC, MaxR> turned() const { return {data_, cols(), rows(), colStep_, rowStep_}; }
    auto onDiagonal() const
    {
        constexpr int N = R == dynamic ? C : C == dynamic || R < C ? R : C;
        constexpr int MaxN = MaxR == dynamic ? MaxC : MaxC == dynamic || MaxR < MaxC ? MaxR : MaxC;
        const int n = rows() < cols() ? rows() : cols();
        return View<Number, N, 1, MaxN, 1>(data_, n, 1, rowStep_ + colStep_, n);
    }
    template <int BR, int BC, int BMR, int BMC>
    View<Number, BR, BC, BMR, BMC> viewOf(int r, int c, int rows, int cols) const
    {
        return {data_ + (r * rowStep_ + c * colStep_), rows, cols, rowStep_, colStep_};
    }

private:
    template <class B>
    View& assign(const Dense<B>& other)
    {
        if constexpr (R == 1 && C != 1 && B::Cols == 1) {
            turned() = other;  // a row from a column
        } else {
            this->checkSize(other);
            this->forEachPlace([&](int r, int c) { at(r, c) = other(r, c); });
        }
        return *this;
    }

    Number* data_;
    int rows_, cols_, rowStep_, colStep_;
};

// Numbers that are computed when they are asked for: sums and multiples of what lies on the heap.
template <class Function, int R, int C>
class Lazy : public Dense<Lazy<Function, R, C>> {
public:
    static constexpr int Rows = R, Cols = C, MaxRows = R, MaxCols = C;

    Lazy(int rows, int cols, Function f) : rows_(rows), cols_(cols), f_(std::move(f)) {}
    int rows() const { return rows_; }
    int cols() const { return cols_; }
    double at(int r, int c) const { return f_(r, c); }
    // Blocks of it are computed.
    template <int BR, int BC, int BMR, int BMC>
    auto viewOf(int r, int c, int rows, int cols) const
    {
        const auto inside = [*this, r, c](int i, int j) { return at(r + i, c + j); };
        return Lazy<decltype(inside), BR, BC>(rows, cols, inside);
    }
    auto turned() const
    {
        const auto other = [*this](int i, int j) { return at(j, i); };
        return Lazy<decltype(other), C, R>(cols_, rows_, other);
    }

private:
    int rows_, cols_;
    Function f_;
};

// Numbers that lie elsewhere, as a vector.
template <int N>
View<double, N, 1> view(double* numbers)
{
    return {numbers, N, 1, 1, N};
}
template <int N>
View<const double, N, 1> view(const double* numbers)
{
    return {numbers, N, 1, 1, N};
}
inline View<double, dynamic, 1> view(double* numbers, int n)
{
    return {numbers, n, 1, 1, n};
}
inline View<const double, dynamic, 1> view(const double* numbers, int n)
{
    return {numbers, n, 1, 1, n};
}
// As a matrix by columns.
inline View<double, dynamic, dynamic> view(double* numbers, int rows, int cols)
{
    return {numbers, rows, cols, 1, rows};
}
inline View<const double, dynamic, dynamic> view(const double* numbers, int rows, int cols)
{
    return {numbers, rows, cols, 1, rows};
}

}  // namespace sinew

#include "sinew/math/matrix_operators.h"
