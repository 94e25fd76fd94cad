// An axis of a body, from a point of it, toward another point: r = d − (g − p)/|g − p|. Without an axis the
// one that does so at rest. A target in the eye has no direction: then nothing is wished.
#include "sinew/model/wishes/types.h"

namespace sinew {
namespace look_at_wish {
namespace {

void compile(const WishDescription& source, const std::string& pointer, const Model& model,
             compiling::Checker& check, Wish& wish)
{
    if (source.axis) return;
    const Pose& rest = model.bodies[wish.points[0].body].rest;
    const WishPoint& to = wish.points[1];
    const Vec3 goal = to.body < 0 ? to.point : model.bodies[to.body].rest * to.point;
    const Vec3 line = check.direction(Vec3(goal - rest * wish.points[0].point), pointer + "/to");
    wish.axis = rest.orientation.conjugate() * line;
}

void evaluate(const Wish& wish, const WishView& view, WishRows& out)
{
    const WishPoint &eye = wish.points[0], &goal = wish.points[1];
    const Vec3 d = view.orientation(eye.body) * wish.axis, line = view.place(goal) - view.place(eye);
    const double distance = line.norm();
    if (!(distance > 0)) {
        wishes::addVector(Vec3::Zero(), out);
        return;
    }
    const Vec3 n = line / distance;
    const int row = wishes::addVector(d - n, out);
    const Mat3 across = (Mat3::Identity() - n * n.transpose()) / distance;
    for (int i = 0; i < 3; ++i) out.byDirection(row + i, eye.body, d, Vec3::Unit(i));
    wishes::byPlace(row, view, eye, across, out);
    wishes::byPlace(row, view, goal, -across, out);
}

}  // namespace
}  // namespace look_at_wish

const WishTypeInfo lookAtWish = {
    .name = "look_at",
    .about = "an axis of a body points at a point",
    .needed = wish_keys::body | wish_keys::to,
    .taken = wish_keys::point | wish_keys::axis,
    .compile = look_at_wish::compile,
    .rows = 3,
    .evaluate = look_at_wish::evaluate,
    .isOfAngles = true,
};

}  // namespace sinew
