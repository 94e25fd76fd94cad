// How a discrete angular velocity changes as its body turns: with φ = h (ω' − ŝ) the turn of the step,
//
//     h ∂ω'/∂θ' = J_r⁻¹(φ) = 1 + ½ φ~ + (1 − κ)/θ² φ~²,     κ = (θ/2) cot(θ/2),  θ = |φ|
#pragma once

#include "sinew/math/rotation.h"
#include "sinew/math/small.h"

namespace sinew::recursion {

SINEW_INLINE Matrix3<double> turningRate(const Vector3<double>& phi)
{
    const double square = dot(phi, phi), c = curvatureOfTurn(square);
    // φ~² = φ φᵀ − θ² 1.
    return diagonal3(1 - c * square) + crossMatrix(0.5 * phi) + product(c * phi, phi);
}

}  // namespace sinew::recursion
