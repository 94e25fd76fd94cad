// A point along a curve: r = p − c(p), c the nearest place of the curve (model/springs.h), in the axes of
// the body that has the curve; |r| is the same in all axes. ∂r/∂p is the second derivative of ½ |r|².
#include "sinew/model/wishes/types.h"

namespace sinew {
namespace curve_wish {
namespace {

void evaluate(const Wish& wish, const WishView& view, WishRows& out)
{
    const WishPoint &a = wish.points[0], &b = wish.points[1];
    const Quat R = view.orientation(b.body);
    const Vec3 offset = view.place(a) - view.center(b.body);
    const WishPoint under{b.body, R.conjugate() * offset};
    const SpringReach reach = springReach(wish.form, under.point);
    const int row = wishes::addVector(under.point - reach.nearest, out);
    const Mat3 slopes = reach.square * R.toRotationMatrix().transpose();
    wishes::byPlace(row, view, a, slopes, out);
    wishes::byPlace(row, view, under, -slopes, out);
}

}  // namespace
}  // namespace curve_wish

const WishTypeInfo curveWish = {
    .name = "curve",
    .about = "a point of a body is on a curve",
    .needed = wish_keys::body | wish_keys::path,
    .taken = wish_keys::point | wish_keys::toBody,
    .rows = 3,
    .evaluate = curve_wish::evaluate,
};

}  // namespace sinew
