// Points that follow each other evenly: the residuals are their second differences.
#include "sinew/model/wishes/along.h"

namespace sinew {
namespace smooth_wish {
namespace {

void compile(const WishDescription&, const std::string& pointer, const Model&, compiling::Checker& check,
             Wish& wish)
{
    wishes::setSecondDifferences(pointer, check, wish);
}

}  // namespace
}  // namespace smooth_wish

const WishTypeInfo smoothWish = {
    .name = "smooth",
    .about = "points follow each other evenly, on a line",
    .needed = wish_keys::points,
    .compile = smooth_wish::compile,
    .evaluate = wishes::addLinear,
};

}  // namespace sinew
