// Turns of more than half a circle, as what rolls or spins fast makes them in a step.
#pragma once

#include "sinew/math/rotation.h"

namespace sinew {

// The rotation vector of R near `expected`, which is that of a velocity times a time. The logarithm alone
// goes the shorter way round: what turns by more than π in a step would turn backward. Exact where both
// have one axis, elsewhere to second order in how far they are apart.
inline Vec3 turnNear(const Vec3& expected, const Quat& R)
{
    constexpr double surelyShorter = 2;  // rad; the two ways round meet at π
    if (!(expected.norm() > surelyShorter)) return logRotation(R);
    return expected + logRotation(expRotation(expected).conjugate() * R);
}

}  // namespace sinew
