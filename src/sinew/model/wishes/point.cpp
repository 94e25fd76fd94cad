// Point to point: r = p − p', world axes; p' a point of the world or of another body.
#include "sinew/model/wishes/types.h"

namespace sinew {
namespace point_wish {
namespace {

void evaluate(const Wish& wish, const WishView& view, WishRows& out)
{
    const WishPoint &a = wish.points[0], &b = wish.points[1];
    const int row = wishes::addVector(view.place(a) - view.place(b), out);
    wishes::byPlace(row, view, a, Mat3::Identity(), out);
    wishes::byPlace(row, view, b, -Mat3::Identity(), out);
}

}  // namespace
}  // namespace point_wish

const WishTypeInfo pointWish = {
    .name = "point",
    .about = "a point of a body is where another point is",
    .needed = wish_keys::body | wish_keys::to,
    .taken = wish_keys::point,
    .rows = 3,
    .evaluate = point_wish::evaluate,
};

}  // namespace sinew
