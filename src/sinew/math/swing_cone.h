// A cone that an axis stays in, wider to one side than to the other: how far the axis is beyond it.
//
// The axis points to b, a unit vector in the axes that the cone is fixed in. From the cone's centre c it
// has tilted by σ, in the direction φ counted from `toward`:
//     σ = atan2(s, b·c),  (x, y) = (b·t, b·(c × t)) = s (cos φ, sin φ)
// and may tilt by ρ(φ), which is an ellipse in each quarter, with the reaches of its two sides as
// half-axes:
//     1/ρ² = cos² φ/α² + sin² φ/β²,   α, β of the sides that x and y lead to
// The quarters meet without a kink. Beyond is g = σ − ρ(φ), in rad; a round cone gives σ − α. Of g as a
// function of b, which does not depend on the length of b, n is the gradient and H the second derivative.
//
// With a rotation Q and a small turn δ on its right (body axes of Q):
//     b = Q a     δb = Q (δ × a)     ∇g = a × Qᵀn       a fixed in Q's body, the cone outside
//     b = Qᵀ a    δb = b × δ         ∇g = n × b         the other way round
#pragma once

#include <array>

#include "sinew/math/types.h"

namespace sinew {

struct SwingCone {
    Vec3 axis = Vec3::UnitZ();      // a
    Mat3 axes = Mat3::Identity();   // columns t, c × t, c; both in the axes of Q's body while Q is none
    std::array<double, 4> reach{};  // rad: toward t and against it, toward c × t and against it
    bool isOfBody = false;          // the cone turns with Q's body, and the axis stays
};

struct ConeReach {
    double beyond = 0;             // rad; negative within
    Vec3 gradient = Vec3::Zero();  // by a small turn on the right
    Mat3 hessian = Mat3::Zero();   // how that changes with such a turn; not symmetric
};
double beyondCone(const SwingCone& cone, const Quat& rotation);
ConeReach coneReach(const SwingCone& cone, const Quat& rotation);
// The same for an energy of how far beyond, told by its two derivatives.
Vec3 coneGradient(const ConeReach& reach, double first);
Mat3 coneHessian(const ConeReach& reach, double first, double second);

}  // namespace sinew
