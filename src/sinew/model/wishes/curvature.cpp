// The spline through points, bent as little as possible: |r|² = ∫ |x''|² ds of the natural cubic spline
// through them, one unit of s from point to point. With D the second differences and T the matrix of ones
// beside fours,
//     ∫ |x''|² ds = 6 (D p)ᵀ T⁻¹ (D p),   r = √6 L⁻¹ D p,   T = L Lᵀ.
// Source: de Boor, A Practical Guide to Splines (1978), chapter IV.
#include <cmath>

#include "sinew/model/wishes/along.h"

namespace sinew {
namespace curvature_wish {
namespace {

void compile(const WishDescription&, const std::string& pointer, const Model&, compiling::Checker& check,
             Wish& wish)
{
    if (!wishes::setSecondDifferences(pointer, check, wish)) return;
    double above = 0;  // the entry of L on the diagonal, a row before
    for (int k = 0; k < wish.matrix.rows(); ++k) {
        const double beside = k > 0 ? 1 / above : 0, diagonal = std::sqrt(4 - beside * beside);
        for (int i = 0; i < wish.matrix.cols(); ++i) {
            const double before = k > 0 ? wish.matrix(k - 1, i) : 0;
            wish.matrix(k, i) = (std::sqrt(6.) * wish.matrix(k, i) - beside * before) / diagonal;
        }
        above = diagonal;
    }
}

}  // namespace
}  // namespace curvature_wish

const WishTypeInfo curvatureWish = {
    .name = "curvature",
    .about = "the spline through points is bent little",
    .needed = wish_keys::points,
    .compile = curvature_wish::compile,
    .evaluate = wishes::addLinear,
};

}  // namespace sinew
