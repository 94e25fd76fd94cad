// Residuals that are linear in the places of a list of points, the same in every pose: r = Σ M_ki p_i. Not
// a public header.
#pragma once

#include "sinew/model/wishes/types.h"

namespace sinew::wishes {

// Points begin at Wish::points[1]. Three rows for each of Wish::matrix.
inline void addLinear(const Wish& wish, const WishView& view, WishRows& out)
{
    for (int k = 0; k < wish.matrix.rows(); ++k) {
        Vec3 sum = Vec3::Zero();
        for (int i = 0; i < wish.matrix.cols(); ++i)
            sum += wish.matrix(k, i) * view.place(wish.points[static_cast<std::size_t>(i) + 1]);
        const int row = addVector(sum, out);
        for (int i = 0; i < wish.matrix.cols(); ++i)
            if (wish.matrix(k, i) != 0)
                byPlace(row, view, wish.points[static_cast<std::size_t>(i) + 1],
                        wish.matrix(k, i) * Mat3::Identity(), out);
    }
}

// p_{k−1} − 2 p_k + p_{k+1}.
inline bool setSecondDifferences(const std::string& pointer, compiling::Checker& check, Wish& wish)
{
    const int n = static_cast<int>(wish.points.size()) - 1;
    check.require(n >= 3, pointer + "/points", "has fewer than 3 points");
    if (check.failed()) return false;
    wish.matrix.setZero(n - 2, n);
    for (int k = 0; k + 2 < n; ++k) {
        wish.matrix(k, k) = wish.matrix(k, k + 2) = 1;
        wish.matrix(k, k + 1) = -2;
    }
    wish.rows = 3 * (n - 2);
    return true;
}

}  // namespace sinew::wishes
