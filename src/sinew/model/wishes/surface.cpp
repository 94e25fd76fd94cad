// A point on a surface, in front of it or behind it: r = distance − length, the distance with a sign
// (model/springs.h), in the axes of the body that has the surface.
#include "sinew/model/wishes/types.h"

namespace sinew {
namespace surface_wish {
namespace {

void compile(const WishDescription& source, const std::string& pointer, const Model&,
             compiling::Checker& check, Wish& wish)
{
    if (source.length) check.finite(*source.length, pointer + "/length");
    wish.length = source.length.value_or(0);
}

void evaluate(const Wish& wish, const WishView& view, WishRows& out)
{
    const WishPoint &a = wish.points[0], &b = wish.points[1];
    const Quat R = view.orientation(b.body);
    const Vec3 offset = view.place(a) - view.center(b.body);
    // Where the point is on the body that has the surface.
    const WishPoint under{b.body, R.conjugate() * offset};
    const SpringReach reach = springReach(wish.form, under.point);
    const double error = reach.distance - wish.length;
    if (!wishes::counts(wish.side, error)) {
        out.add(0);
        return;
    }
    const int row = out.add(error);
    const Vec3 n = R * reach.normal;
    out.byPoint(row, view, a, n);
    out.byPoint(row, view, under, -n);
    const Mat3 r = R.toRotationMatrix();
    out.bends.push_back(
        {{a.body, b.body}, {view.arm(a), offset}, error * (r * reach.curvature * r.transpose())});
}

}  // namespace
}  // namespace surface_wish

const WishTypeInfo surfaceWish = {
    .name = "surface",
    .about = "a point of a body is on a surface, or on one side of it",
    .needed = wish_keys::body | wish_keys::surface,
    .taken = wish_keys::point | wish_keys::toBody | wish_keys::length | wish_keys::side,
    .compile = surface_wish::compile,
    .rows = 1,
    .evaluate = surface_wish::evaluate,
};

}  // namespace sinew
