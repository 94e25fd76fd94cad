// A body stays where it is at rest, or at a place and orientation: r = (p − p', l log(R Tᵀ)). `l` turns
// angles into lengths: where not given, how far the body's mass is from its centre on average, so that
// |r|² is about the mean of the squares by which its parts are off.
#include <cmath>

#include "sinew/model/wishes/types.h"

namespace sinew {
namespace pin_wish {
namespace {

void compile(const WishDescription& source, const std::string& pointer, const Model& model,
             compiling::Checker& check, Wish& wish)
{
    const WishPoint& own = wish.points[0];
    const Body& body = model.bodies[own.body];
    if (!source.to) wish.points[1] = {-1, body.rest * own.point};
    if (source.length) check.notNegative(*source.length, pointer + "/length");
    const double radius = body.mass > 0 ? std::sqrt(0.5 * body.inertia.trace() / body.mass) : 1;
    wish.length = source.length.value_or(radius);
}

void evaluate(const Wish& wish, const WishView& view, WishRows& out)
{
    const WishPoint &own = wish.points[0], &place = wish.points[1];
    const Vec3 turn = logRotation(view.orientation(own.body) * wish.orientation.conjugate());
    const int row = wishes::addVector(view.place(own) - view.place(place), out);
    wishes::addVector(wish.length * turn, out);
    wishes::byPlace(row, view, own, Mat3::Identity(), out);
    wishes::byPlace(row, view, place, -Mat3::Identity(), out);
    const Mat3 J = leftJacobianInverse(turn);
    for (int i = 0; i < 3; ++i) out.byTurn(row + 3 + i, own.body, wish.length * J.row(i).transpose());
    out.turnBends.push_back({own.body, wish.length * wish.length * (J - J.transpose() * J)});
}

}  // namespace
}  // namespace pin_wish

const WishTypeInfo pinWish = {
    .name = "pin",
    .about = "a body is at a place and turned so; as at rest where nothing is said",
    .needed = wish_keys::body,
    .taken = wish_keys::point | wish_keys::to | wish_keys::orientation | wish_keys::length,
    .compile = pin_wish::compile,
    .rows = 6,
    .evaluate = pin_wish::evaluate,
};

}  // namespace sinew
