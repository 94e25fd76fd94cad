#include "sinew/math/block_tree.h"

#include <algorithm>
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
    // The rows in use come first.
    std::fill_n(own.data(), 12 * (6 + rows), 0.);
    std::fill_n(right.data(), 6 * (6 + rows), 0.);
    below.setZero();
    x.setZero();
}

template <int N>
bool BlockTree::factorLink(BlockTreeLink& link)
{
    // Gaussian elimination with partial pivoting.
    auto& lu = link.own;
    for (int k = 0; k < N; ++k) link.permutation[k] = k;
    for (int k = 0; k < N; ++k) {
        int pivot = k;
        for (int r = k + 1; r < N; ++r)
            if (std::abs(lu(r, k)) > std::abs(lu(pivot, k))) pivot = r;
        if (!(std::abs(lu(pivot, k)) > 0)) return false;  // NaN too
        if (pivot != k) {
            for (int c = 0; c < N; ++c) std::swap(lu(k, c), lu(pivot, c));
            for (int c = 0; c < 6; ++c) std::swap(link.right(k, c), link.right(pivot, c));
            std::swap(link.permutation[k], link.permutation[pivot]);
        }
        const double inverse = 1 / lu(k, k);
        for (int r = k + 1; r < N; ++r) {
            const double factor = lu(r, k) *= inverse;
            for (int c = k + 1; c < N; ++c) lu(r, c) -= factor * lu(k, c);
        }
    }
    if (link.parent < 0) return true;

    // right := own⁻¹ right, and what is left of the parent's block.
    auto& right = link.right;
    for (int r = 1; r < N; ++r)
        for (int k = 0; k < r; ++k) right.row(r) -= lu(r, k) * right.row(k);
    for (int r = N - 1; r >= 0; --r) {
        for (int k = r + 1; k < N; ++k) right.row(r) -= lu(r, k) * right.row(k);
        right.row(r) /= lu(r, r);
    }
    links[link.parent].body().noalias() -= link.below.leftCols<N>() * right.topRows<N>();
    return true;
}

template <int N>
void BlockTree::reduceLink(BlockTreeLink& link)
{
    const auto& lu = link.own;
    Matrix<N, 1> y;
    for (int r = 0; r < N; ++r) y[r] = link.x[link.permutation[r]];
    for (int r = 1; r < N; ++r)
        for (int k = 0; k < r; ++k) y[r] -= lu(r, k) * y[k];
    for (int r = N - 1; r >= 0; --r) {
        for (int k = r + 1; k < N; ++k) y[r] -= lu(r, k) * y[k];
        y[r] /= lu(r, r);
    }
    link.x.head<N>() = y;
    if (link.parent >= 0) links[link.parent].x.head<6>() -= link.below.leftCols<N>() * y;
}

template <int N>
void BlockTree::substituteLink(BlockTreeLink& link)
{
    if (link.parent >= 0) link.x.head<N>() -= link.right.topRows<N>() * links[link.parent].x.head<6>();
}

bool BlockTree::factor()
{
    bool good = true;
    for (int i = static_cast<int>(links.size()) - 1; i >= 0 && good; --i) {
        prefetch(links, i - passAhead);
        withSize(links[i].rows, [&]<int N>() { good = factorLink<N>(links[i]); });
    }
    return good;
}

void BlockTree::solve()
{
    const int count = static_cast<int>(links.size());
    for (int i = count - 1; i >= 0; --i) {
        prefetch(links, i - passAhead);
        withSize(links[i].rows, [&]<int N>() { reduceLink<N>(links[i]); });
    }
    for (int i = 0; i < count; ++i) {
        prefetch(links, i + passAhead);
        withSize(links[i].rows, [&]<int N>() { substituteLink<N>(links[i]); });
    }
}

}  // namespace sinew
