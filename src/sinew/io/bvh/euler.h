// Rotations as three turns about the coordinate axes, and back.
#pragma once

#include <array>

#include "sinew/math/types.h"

namespace sinew::bvh {

// R = R_a(x) R_b(y) R_c(z) for the axes a, b, c (0, 1, 2 in some order); angles x, y, z in radians.
using AxisOrder = std::array<int, 3>;

Quat turn(int axis, double angle);

// The angles of a rotation that are nearest to `near`. Every rotation has two sets of them, (x, y, z) and
// (x + π, π − y, z + π), each up to full turns: the one is taken that changes less. At y = ±90° (gimbal
// lock) only x ± z is known; x stays as it was.
Vec3 eulerAngles(const Quat& rotation, const AxisOrder& order, const Vec3& near);

}  // namespace sinew::bvh
