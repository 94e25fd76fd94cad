// The orientation of a body, in the world or against another body: r = log(R Tᵀ), T what is wished, world
// axes. With θ a turn of the body and θ' one of the other,
//     dr = J_l⁻¹(r) θ − J_r⁻¹(r) θ'.
// The torque is −r itself, as J_l⁻ᵀ(r) r = r; its derivative is that of r.
#include "sinew/model/wishes/types.h"

namespace sinew {
namespace orientation_wish {
namespace {

void compile(const WishDescription&, const std::string&, const Model& model, compiling::Checker&,
             Wish& wish)
{
    // Against the other body, as the rest pose has that one.
    const int other = wish.points[1].body;
    if (other >= 0) wish.orientation = model.bodies[other].rest.orientation.conjugate() * wish.orientation;
}

void evaluate(const Wish& wish, const WishView& view, WishRows& out)
{
    const int body = wish.points[0].body, other = wish.points[1].body;
    const Quat wished = view.orientation(other) * wish.orientation;
    const Vec3 r = logRotation(view.orientation(body) * wished.conjugate());
    const int row = wishes::addVector(r, out);
    const Mat3 J = leftJacobianInverse(r);
    for (int i = 0; i < 3; ++i) {
        out.byTurn(row + i, body, J.row(i).transpose());
        out.byTurn(row + i, other, -J.col(i));
    }
    if (other < 0) out.turnBends.push_back({body, J - J.transpose() * J});
}

}  // namespace
}  // namespace orientation_wish

const WishTypeInfo orientationWish = {
    .name = "orientation",
    .about = "a body is turned so, in the world or against another body",
    .needed = wish_keys::body,
    .taken = wish_keys::toBody | wish_keys::orientation,
    .compile = orientation_wish::compile,
    .rows = 3,
    .evaluate = orientation_wish::evaluate,
    .isOfAngles = true,
};

}  // namespace sinew
