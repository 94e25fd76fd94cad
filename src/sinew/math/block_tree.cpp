#include "sinew/math/block_tree.h"

#include <cmath>
#include <utility>

#include "sinew/base/assert.h"

namespace sinew {
namespace {

// Calls f.operator()<6 + rows>(), so that the small loops know their bounds.
template <class F>
void withSize(int rows, F&& f)
{
    switch (rows) {
        case 0:
            f.template operator()<6>();
            break;
        case 1:
            f.template operator()<7>();
            break;
        case 2:
            f.template operator()<8>();
            break;
        case 3:
            f.template operator()<9>();
            break;
        case 4:
            f.template operator()<10>();
            break;
        case 5:
            f.template operator()<11>();
            break;
        case 6:
            f.template operator()<12>();
            break;
        default:
            SINEW_ASSERT(false);
    }
}

}  // namespace

void BlockTreeLink::setZero()
{
    for (Mat6* block :
         {&body, &bodyParent, &parentBody, &jointBody, &jointParent, &bodyJoint, &parentJoint, &joint})
        block->setZero();
    x.setZero();
}

void BlockTree::resize(int count)
{
    links.resize(count);
    factors_.resize(count);
}

template <int N>
bool BlockTree::factorLink(int i)
{
    constexpr int R = N - 6;
    BlockTreeLink& link = links[i];
    Factor& f = factors_[i];
    auto& lu = f.lu;
    lu.template topLeftCorner<6, 6>() = link.body;
    lu.template block<6, R>(0, 6) = link.bodyJoint.template leftCols<R>();
    lu.template block<R, 6>(6, 0) = link.jointBody.template topRows<R>();
    lu.template block<R, R>(6, 6) = link.joint.template topLeftCorner<R, R>();

    // Gaussian elimination with partial pivoting.
    for (int k = 0; k < N; ++k) f.permutation[k] = k;
    for (int k = 0; k < N; ++k) {
        int pivot = k;
        for (int r = k + 1; r < N; ++r)
            if (std::abs(lu(r, k)) > std::abs(lu(pivot, k))) pivot = r;
        if (!(std::abs(lu(pivot, k)) > 0)) return false;  // NaN too
        if (pivot != k) {
            for (int c = 0; c < N; ++c) std::swap(lu(k, c), lu(pivot, c));
            std::swap(f.permutation[k], f.permutation[pivot]);
        }
        const double inverse = 1 / lu(k, k);
        for (int r = k + 1; r < N; ++r) {
            const double factor = lu(r, k) *= inverse;
            for (int c = k + 1; c < N; ++c) lu(r, c) -= factor * lu(k, c);
        }
    }
    if (link.parent < 0) return true;

    auto& up = f.up;
    for (int r = 0; r < N; ++r) {
        const int from = f.permutation[r];
        if (from < 6)
            up.row(r) = link.bodyParent.row(from);
        else
            up.row(r) = link.jointParent.row(from - 6);
    }
    for (int r = 1; r < N; ++r)
        for (int k = 0; k < r; ++k) up.row(r) -= lu(r, k) * up.row(k);
    for (int r = N - 1; r >= 0; --r) {
        for (int k = r + 1; k < N; ++k) up.row(r) -= lu(r, k) * up.row(k);
        up.row(r) /= lu(r, r);
    }
    Mat6& parent = links[link.parent].body;
    parent.noalias() -= link.parentBody * up.template topRows<6>();
    if constexpr (R > 0)
        parent.noalias() -= link.parentJoint.template leftCols<R>() * up.template middleRows<R>(6);
    return true;
}

template <int N>
void BlockTree::reduceLink(int i)
{
    constexpr int R = N - 6;
    BlockTreeLink& link = links[i];
    const Factor& f = factors_[i];
    Eigen::Matrix<double, N, 1> y;
    for (int r = 0; r < N; ++r) y[r] = link.x[f.permutation[r]];
    for (int r = 1; r < N; ++r)
        for (int k = 0; k < r; ++k) y[r] -= f.lu(r, k) * y[k];
    for (int r = N - 1; r >= 0; --r) {
        for (int k = r + 1; k < N; ++k) y[r] -= f.lu(r, k) * y[k];
        y[r] /= f.lu(r, r);
    }
    link.x.template head<N>() = y;
    if (link.parent < 0) return;
    auto parent = links[link.parent].x.template head<6>();
    parent -= link.parentBody * y.template head<6>();
    if constexpr (R > 0) parent -= link.parentJoint.template leftCols<R>() * y.template tail<R>();
}

template <int N>
void BlockTree::substituteLink(int i)
{
    BlockTreeLink& link = links[i];
    if (link.parent < 0) return;
    link.x.template head<N>() -=
        factors_[i].up.template topRows<N>() * links[link.parent].x.template head<6>();
}

bool BlockTree::factor()
{
    bool good = true;
    for (int i = static_cast<int>(links.size()) - 1; i >= 0 && good; --i)
        withSize(links[i].rows, [&]<int N>() { good = factorLink<N>(i); });
    return good;
}

void BlockTree::solve()
{
    for (int i = static_cast<int>(links.size()) - 1; i >= 0; --i)
        withSize(links[i].rows, [&]<int N>() { reduceLink<N>(i); });
    for (int i = 0; i < static_cast<int>(links.size()); ++i)
        withSize(links[i].rows, [&]<int N>() { substituteLink<N>(i); });
}

}  // namespace sinew
