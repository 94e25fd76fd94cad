// Vectors and matrices of double: small ones of fixed size, which is most of mechanics, and those whose
// size is known when the program runs.
//
//     Matrix<3, 3>                        its numbers lie inside it, by columns
//     Matrix<6, dynamic, 6, 6>            at most 6 × 6: inside it too
//     Matrix<dynamic, 1>                  on the heap
//     View                                a block, a row, a transpose of one, or numbers of someone else
//
// Members are named as in Eigen. But sums, products and the like of matrices whose size is bounded are
// computed at once and are plain matrices: no types of expressions. Eigen makes a type of each expression,
// and tens of functions of each type; these were two thirds of the time to compile the engine. Sums of
// matrices on the heap are computed where they are assigned (`Lazy`), so that they need no memory of their
// own. Factorisations are Eigen's (math/eigen.h).
//
// Sums run in the order of their indices. So every compiler and WebAssembly come to the same bits.
//
// A view does not own its numbers: do not keep one of a temporary.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "sinew/math/dense.h"

namespace sinew {

namespace detail {

// The numbers of a matrix: of fixed size,
template <int R, int C, int MaxR, int MaxC>
struct Storage {
    static constexpr int rows() { return R; }
    static constexpr int cols() { return C; }
    void resize(int r, int c) { SINEW_ASSERT(r == R && c == C); }
    double* data() { return numbers; }
    const double* data() const { return numbers; }

    double numbers[R * C > 0 ? R* C : 1];
};

// of bounded size,
template <int R, int C, int MaxR, int MaxC>
requires((R == dynamic || C == dynamic) && MaxR != dynamic &&
         MaxC != dynamic) struct Storage<R, C, MaxR, MaxC> {
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
requires(MaxR == dynamic || MaxC == dynamic) struct Storage<R, C, MaxR, MaxC> {
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

    Storage() = default;
    Storage(const Storage&) = default;
    Storage& operator=(const Storage&) = default;
    // What was moved away is empty.
    Storage(Storage&& o) noexcept { *this = std::move(o); }
    Storage& operator=(Storage&& o) noexcept
    {
        height = std::exchange(o.height, R == dynamic ? 0 : R);
        width = std::exchange(o.width, C == dynamic ? 0 : C);
        numbers = std::exchange(o.numbers, {});
        return *this;
    }

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
    explicit Matrix(int n) requires(!isFixed && isVector) { resize(n); }
    Matrix(int r, int c) requires(!isFixed && !isVector) { resize(r, c); }
    // Its entries.
    template <class... Numbers>
    requires(isFixed&& isVector && sizeof...(Numbers) == R * C && sizeof...(Numbers) > 1 &&
             (std::is_arithmetic_v<Numbers> && ...)) Matrix(Numbers... numbers)
        : store_{{static_cast<double>(numbers)...}}
    {
    }
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
    operator double() const requires(R == 1 && C == 1) { return at(0, 0); }

    int rows() const { return store_.rows(); }
    int cols() const { return store_.cols(); }
    double* data() { return store_.data(); }
    const double* data() const { return store_.data(); }
    double* begin() { return data(); }
    double* end() { return data() + this->size(); }
    const double* begin() const { return data(); }
    const double* end() const { return data() + this->size(); }
    double& at(int r, int c)
    {
        SINEW_CHECK_PLACE(r < rows() && c < cols());
        return data()[place(r, c)];
    }
    const double& at(int r, int c) const
    {
        SINEW_CHECK_PLACE(r < rows() && c < cols());
        return data()[place(r, c)];
    }
    Matrix& noalias() { return *this; }

    // Entries keep their places in a vector, and in a matrix that keeps its number of rows.
    void resize(int r, int c) { store_.resize(r, c); }
    void resize(int n) requires isVector { store_.resize(C == 1 ? n : 1, C == 1 ? 1 : n); }
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
        SINEW_CHECK_PLACE(rows >= 0 && r + rows <= this->rows() && cols >= 0 && c + cols <= this->cols());
        return {data() + place(r, c), rows, cols, rowStep(), colStep()};
    }
    template <int BR, int BC, int BMR, int BMC>
    View<const double, BR, BC, BMR, BMC> viewOf(int r, int c, int rows, int cols) const
    {
        SINEW_CHECK_PLACE(rows >= 0 && r + rows <= this->rows() && cols >= 0 && c + cols <= this->cols());
        return {data() + place(r, c), rows, cols, rowStep(), colStep()};
    }

private:
    int rowStep() const { return ByRows ? cols() : 1; }
    int colStep() const { return ByRows ? 1 : rows(); }
    int place(int r, int c) const
    {
        SINEW_CHECK_PLACE(r >= 0 && r <= rows() && c >= 0 &&
                          c <= cols());  // an empty block may begin at the end
        return ByRows ? r * cols() + c : r + c * rows();
    }
    template <class B>
    void assign(const Dense<B>& other)
    {
        if constexpr (C == 1 && R != 1 && B::Rows == 1 && B::Cols != 1)
            return assign(other.transpose());  // a column from a row
        else
            assignAlike(other);
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

// Rows and columns of numbers that lie elsewhere. Copying a view names the same numbers; assigning to it
// changes them.
template <class Number, int R, int C, int MaxR, int MaxC>
class View : public Dense<View<Number, R, C, MaxR, MaxC>> {
public:
    static constexpr int Rows = R, Cols = C, MaxRows = MaxR, MaxCols = MaxC;

    View(Number* data, int rows, int cols, int rowStep, int colStep)
        : data_(data), rows_(rows), cols_(cols), rowStep_(rowStep), colStep_(colStep)
    {
    }
    View(const View&) = default;
    // Whoever may change the numbers may look at them.
    template <class Other>
    requires(std::is_same_v<const Other, Number>) View(const View<Other, R, C, MaxR, MaxC>& o)
        : View(o.data(), o.rows(), o.cols(), o.rowStep(), o.colStep())
    {
    }
    // A whole vector.
    template <int N, int MaxN>
    requires(R == dynamic && C == 1) View(Matrix<N, 1, MaxN, 1>& vector)
        : View(vector.data(), vector.rows(), 1, 1, vector.rows())
    {
    }
    // As much of one as a function takes.
    template <int N, int MaxN>
    requires(R == dynamic && N != dynamic && C == 1) View(const View<Number, N, 1, MaxN, 1>& part)
        : View(part.data(), part.rows(), 1, part.rowStep(), part.colStep())
    {
    }
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
    operator double() const requires(R == 1 && C == 1) { return at(0, 0); }

    int rows() const { return R == dynamic ? rows_ : R; }
    int cols() const { return C == dynamic ? cols_ : C; }
    int rowStep() const { return rowStep_; }
    int colStep() const { return colStep_; }
    Number* data() const { return data_; }
    Number& at(int r, int c) const
    {
        SINEW_CHECK_PLACE(r >= 0 && r < rows() && c >= 0 && c < cols());
        return data_[r * rowStep_ + c * colStep_];
    }
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
        SINEW_CHECK_PLACE(r >= 0 && rows >= 0 && r + rows <= this->rows());
        SINEW_CHECK_PLACE(c >= 0 && cols >= 0 && c + cols <= this->cols());
        return {data_ + (r * rowStep_ + c * colStep_), rows, cols, rowStep_, colStep_};
    }

private:
    template <class B>
    View& assign(const Dense<B>& other)
    {
        if constexpr ((R == 1 && C != 1 && B::Cols == 1 && B::Rows != 1) ||
                      (C == 1 && R != 1 && B::Rows == 1 && B::Cols != 1)) {
            turned() = other;  // a row from a column, or a column from a row
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
