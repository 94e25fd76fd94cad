// An axis of a body along a direction of the world: r = d − e, |r| = 2 sin(angle/2). Without a direction,
// against gravity; without an axis, the one that lies along the direction at rest.
#include "sinew/model/wishes/types.h"

namespace sinew {
namespace upright_wish {
namespace {

void compile(const WishDescription& source, const std::string& pointer, const Model& model,
             compiling::Checker& check, Wish& wish)
{
    if (!source.direction) {
        check.require(model.gravity.norm() > 0, pointer + "/direction",
                      "is missing; there is no gravity that would say what is up");
        wish.direction = check.direction(Vec3(-model.gravity), pointer + "/direction");
    }
    if (!source.axis && !check.failed())
        wish.axis = model.bodies[wish.points[0].body].rest.orientation.conjugate() * wish.direction;
}

void evaluate(const Wish& wish, const WishView& view, WishRows& out)
{
    const int body = wish.points[0].body;
    const Vec3 d = view.orientation(body) * wish.axis;
    const int row = wishes::addVector(d - wish.direction, out);
    for (int i = 0; i < 3; ++i) out.byDirection(row + i, body, d, Vec3::Unit(i));
}

}  // namespace
}  // namespace upright_wish

const WishTypeInfo uprightWish = {
    .name = "upright",
    .about = "an axis of a body points up, or along a direction",
    .needed = wish_keys::body,
    .taken = wish_keys::axis | wish_keys::direction,
    .compile = upright_wish::compile,
    .rows = 3,
    .evaluate = upright_wish::evaluate,
    .isOfAngles = true,
};

}  // namespace sinew
