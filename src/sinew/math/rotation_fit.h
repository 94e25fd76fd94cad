// The rotation that brings vectors nearest to others, and among equals the smallest one.
//
// Minimises Σ w |R a − b|². With S = Σ w a bᵀ and d = Σ w a × b the unit quaternion (w, x, y, z) of R is
// the eigenvector of the largest eigenvalue of
//     N = ( tr S        dᵀ         )
//         (  d    S + Sᵀ − tr S·1  )
// (B. K. P. Horn, Closed-form solution of absolute orientation using unit quaternions, J. Opt. Soc. Am. A
// 4(4), 1987). Vectors on one line leave the turn about it open: their largest eigenvalue is a double one.
// A little is added to N for the identity, which chooses the smallest turn out of its eigenspace and bends
// the others by about as little.
#pragma once

#include "sinew/math/types.h"

namespace sinew {

class RotationFit {
public:
    void add(const Vec3& from, const Vec3& to, double weight);
    // The identity where nothing was added.
    Quat rotation() const;
    // The same among the turns about a unit axis: the angle in [−π, π], zero where all are as good.
    double angleAbout(const Vec3& axis) const;

private:
    Mat3 S_ = Mat3::Zero();
    double scale_ = 0;  // Σ w |a| |b|
};

}  // namespace sinew
