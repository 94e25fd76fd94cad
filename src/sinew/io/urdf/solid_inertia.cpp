// Inertias in robot files are often not those of any solid: guessed, rounded, or left at zero. Principal
// moments a ≤ b ≤ c of mass at places x are sums of squares, so c ≤ a + b, and equal only for a flat thing.

#include "sinew/geometry/mass.h"
#include "sinew/io/urdf/parts.h"
#include "sinew/math/symmetric_eigen.h"

namespace sinew::urdf {

Mat3 solidInertia(const Mat3& inertia, double mass, std::string& change)
{
    change.clear();
    if (inertiaFault(inertia).empty()) return inertia;
    if (inertia.isZero(0)) {
        constexpr double radius = 0.01;  // m
        change = "an inertia of zero is taken for that of a ball of 1 cm radius";
        return 0.4 * mass * radius * radius * Mat3::Identity();
    }
    const SymmetricEigen3 principal(0.5 * (inertia + inertia.transpose()));
    Vec3 moments = principal.eigenvalues();  // rising
    // Beyond rounding, which numbers written with six digits have, what is negative stays an error; see
    // whoever calls.
    constexpr double digits = 1e-6;
    if (moments[0] < -digits * moments[2] || !moments.allFinite()) return inertia;
    moments = moments.cwiseMax(0);
    constexpr double margin = 1e-6;
    const double least = (1 + margin) * moments[2];
    if (const double missing = least - moments[0] - moments[1]; missing > 0) {
        // Both smaller ones by the same amount: then neither becomes the largest.
        moments[0] += missing / 2;
        moments[1] += missing / 2;
    }
    moments[0] = std::max(moments[0], margin * moments[2]);
    change =
        "no solid has this inertia, whose largest principal moment exceeds the sum of the others; the "
        "others are raised";
    const Mat3& axes = principal.eigenvectors();
    const Mat3 raised = axes * moments.asDiagonal() * axes.transpose();
    return 0.5 * (raised + raised.transpose());
}

}  // namespace sinew::urdf
