#include "sinew/math/quaternion.h"

#include <algorithm>

namespace sinew {

// The largest of the four numbers is taken from the diagonal, and the others from what is off it, so that
// no root of a small difference is divided by (S. W. Shepperd, Quaternion from rotation matrix, J. Guidance
// and Control 1(3), 1978).
Quaternion::Quaternion(const Matrix<3, 3>& R)
{
    double t = R.trace();
    if (t > 0) {
        t = std::sqrt(t + 1);
        w() = 0.5 * t;
        t = 0.5 / t;
        x() = (R(2, 1) - R(1, 2)) * t;
        y() = (R(0, 2) - R(2, 0)) * t;
        z() = (R(1, 0) - R(0, 1)) * t;
        return;
    }
    int i = 0;
    if (R(1, 1) > R(0, 0)) i = 1;
    if (R(2, 2) > R(i, i)) i = 2;
    const int j = (i + 1) % 3, k = (j + 1) % 3;
    t = std::sqrt(R(i, i) - R(j, j) - R(k, k) + 1);
    coeffs_[i] = 0.5 * t;
    t = 0.5 / t;
    w() = (R(k, j) - R(j, k)) * t;
    coeffs_[j] = (R(j, i) + R(i, j)) * t;
    coeffs_[k] = (R(k, i) + R(i, k)) * t;
}

Quaternion Quaternion::slerp(double t, const Quaternion& o) const
{
    const double cosine = dot(o), along = std::abs(cosine);
    double from = 1 - t, to = t;
    if (along < 1 - 1e-15) {
        const double across = std::sqrt((1 - along) * (1 + along)), angle = angleOf(across, along);
        from = sine((1 - t) * angle) / across;
        to = sine(t * angle) / across;
    }
    if (cosine < 0) to = -to;
    return Quaternion(Matrix<4, 1>(from * coeffs_ + to * o.coeffs_));
}

}  // namespace sinew
