// The velocity of a point of a body: r = v + ω × a − v'. Of poses it says nothing.
#include "sinew/model/wishes/types.h"

namespace sinew {
namespace velocity_wish {
namespace {

void evaluate(const Wish& wish, const WishView& view, WishRows& out)
{
    const WishPoint& own = wish.points[0];
    const int row = wishes::addVector(view.velocity(own) - wish.velocity, out);
    const Vec3 arm = view.arm(own), spin = view.bodies[own.body].angularVelocityWorld();
    for (int i = 0; i < 3; ++i) {
        const Vec3 along = Vec3::Unit(i);
        out.byVelocity(row + i, view, own, along);
        // The arm turns with the body; the angular velocity, as one in the world, does not.
        out.byDirection(row + i, own.body, arm, along.cross(spin));
    }
}

}  // namespace
}  // namespace velocity_wish

const WishTypeInfo velocityWish = {
    .name = "velocity",
    .about = "a point of a body has a velocity",
    .needed = wish_keys::body | wish_keys::velocity,
    .taken = wish_keys::point,
    .rows = 3,
    .evaluate = velocity_wish::evaluate,
    .isOfVelocities = true,
};

}  // namespace sinew
