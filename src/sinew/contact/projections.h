// The laws of contact as projections: μ = P(z), z = m − ρ d (solve_sparse.cpp).
#pragma once

#include "sinew/math/types.h"

namespace sinew {

// The nearest point of the cone of friction f, normal first, and the derivative of that.
Vec3 projectOnCone(const Vec3& z, double f, Mat3* derivative);
// Alart & Curnier's: the normal by itself, friction on the disc that it allows.
Vec3 projectByNormal(const Vec3& z, double f, Mat3* derivative);
// On a disc or a ball. Rows that a block does not have are zero.
Vec3 projectOnDisc(const Vec3& z, double radius, Mat3* derivative);

}  // namespace sinew
