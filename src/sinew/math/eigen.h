// Our matrices as Eigen's, for its factorisations. Only .cpp files include this: Eigen takes long to
// compile.
#pragma once

#include <Eigen/Core>

#include "sinew/math/matrix.h"

namespace sinew {

namespace detail {

template <class D>
using EigenMatrix = Eigen::Matrix<double, D::Rows == dynamic ? Eigen::Dynamic : D::Rows,
                                  D::Cols == dynamic ? Eigen::Dynamic : D::Cols, Eigen::ColMajor>;

}  // namespace detail

// The same numbers, seen by Eigen.
template <int R, int C, int MaxR, int MaxC>
auto eigen(const Matrix<R, C, MaxR, MaxC>& m)
{
    using M = Matrix<R, C, MaxR, MaxC>;
    return Eigen::Map<const detail::EigenMatrix<M>>(m.data(), m.rows(), m.cols());
}
template <int R, int C, int MaxR, int MaxC>
auto eigen(Matrix<R, C, MaxR, MaxC>& m)
{
    using M = Matrix<R, C, MaxR, MaxC>;
    return Eigen::Map<detail::EigenMatrix<M>>(m.data(), m.rows(), m.cols());
}
template <int R, int C, int MaxR, int MaxC>
auto eigen(const View<double, R, C, MaxR, MaxC>& m)
{
    using M = View<double, R, C, MaxR, MaxC>;
    using Step = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
    return Eigen::Map<detail::EigenMatrix<M>, 0, Step>(m.data(), m.rows(), m.cols(),
                                                       Step(m.colStep(), m.rowStep()));
}
template <int R, int C, int MaxR, int MaxC>
auto eigen(const View<const double, R, C, MaxR, MaxC>& m)
{
    using M = View<const double, R, C, MaxR, MaxC>;
    using Step = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
    return Eigen::Map<const detail::EigenMatrix<M>, 0, Step>(m.data(), m.rows(), m.cols(),
                                                             Step(m.colStep(), m.rowStep()));
}

// A copy of what Eigen computed.
template <class E>
auto fromEigen(const Eigen::MatrixBase<E>& given)
{
    constexpr int R = E::RowsAtCompileTime == Eigen::Dynamic ? dynamic : int{E::RowsAtCompileTime};
    constexpr int C = E::ColsAtCompileTime == Eigen::Dynamic ? dynamic : int{E::ColsAtCompileTime};
    auto m = detail::sized<R, C, R, C>(static_cast<int>(given.rows()), static_cast<int>(given.cols()));
    eigen(m) = given;
    return m;
}

}  // namespace sinew
