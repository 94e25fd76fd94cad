// The distance of two points: r = |p − p'| − length. Points that coincide have no direction; then nothing
// changes to first order.
#include "sinew/model/wishes/types.h"

namespace sinew {
namespace distance_wish {
namespace {

void compile(const WishDescription& source, const std::string& pointer, const Model& model,
             compiling::Checker& check, Wish& wish)
{
    const auto atRest = [&](const WishPoint& p) {
        return p.body < 0 ? p.point : model.bodies[p.body].rest * p.point;
    };
    if (source.length) check.notNegative(*source.length, pointer + "/length");
    check.require(!source.length || *source.length > 0 || source.side == WishDescription::Side::atMost,
                  pointer + "/length", "is 0; a wish of type point brings points together");
    wish.length = source.length.value_or((atRest(wish.points[0]) - atRest(wish.points[1])).norm());
}

void evaluate(const Wish& wish, const WishView& view, WishRows& out)
{
    const WishPoint &a = wish.points[0], &b = wish.points[1];
    const Vec3 d = view.place(a) - view.place(b);
    const double distance = d.norm(), error = distance - wish.length;
    if (!wishes::counts(wish.side, error)) {
        out.add(0);
        return;
    }
    const int row = out.add(error);
    if (!(distance > 0)) return;
    const Vec3 n = d / distance;
    out.byPoint(row, view, a, n);
    out.byPoint(row, view, b, -n);
    out.bends.push_back({{a.body, b.body},
                         {view.arm(a), view.arm(b)},
                         (error / distance) * (Mat3::Identity() - n * n.transpose())});
}

}  // namespace
}  // namespace distance_wish

const WishTypeInfo distanceWish = {
    .name = "distance",
    .about = "two points are so far from each other",
    .needed = wish_keys::body | wish_keys::to,
    .taken = wish_keys::point | wish_keys::length | wish_keys::side,
    .compile = distance_wish::compile,
    .rows = 1,
    .evaluate = distance_wish::evaluate,
};

}  // namespace sinew
