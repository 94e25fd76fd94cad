// A rotation as a swing and a twist about a unit axis, and forces from energies of the two angles.
//
// rotation = swing · twist, the twist about the axis a, the swing about an axis across it. With the
// quaternion (w, v), p = v·a and s = v − p a:
//     swing   σ = 2 atan2(|s|, N),  N = √(w² + p²)       in [0, π]: how far the axis has tilted
//     twist   τ = 2 atan2(p, w)                          in [−π, π]; undefined where σ = π
// and a small turn δ on the right (body axes) changes them by
//     ∇σ = (w s − p a×s)/(|s| N)        ∇τ = a + (w a×s + p s)/N²
// An energy E(σ) + G(τ) thus has the gradient E' ∇σ + G' ∇τ, which is smooth at σ = 0 if E'(0) = 0.
#pragma once

#include "sinew/math/types.h"

namespace sinew {

struct SwingTwist {
    double swing = 0;
    double twist = 0;
};
SwingTwist swingTwist(const Quat& rotation, const Vec3& axis);

// First and second derivatives of an energy by swing and by twist.
struct SwingTwistSlope {
    double swing = 0, swing2 = 0;
    double twist = 0, twist2 = 0;
};
// By a small turn on the right.
Vec3 swingTwistGradient(const Quat& rotation, const Vec3& axis, const SwingTwistSlope& slope);
// How that gradient changes with such a turn. Not symmetric: turns do not commute. At a half turn of swing
// both would be infinite; the last degree before it is treated as its edge.
Mat3 swingTwistHessian(const Quat& rotation, const Vec3& axis, const SwingTwistSlope& slope);

}  // namespace sinew
