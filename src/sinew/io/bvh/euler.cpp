// With the axes i, j, k of the order and e = 1 if they are cyclic, −1 if not, the product
// R = R_i(x) R_j(y) R_k(z) has
//     R_ik = e sin y,   R_jk = −e sin x cos y,   R_kk = cos x cos y,
// and R_i(x)ᵀ R = R_j(y) R_k(z) has
//     row i: … , e sin y at k;   row j: e sin z at i, cos z at j;   row k: cos y at k.
#include "sinew/io/bvh/euler.h"

#include <cmath>

#include "sinew/math/rotation.h"
#include "sinew/math/trigonometry.h"

namespace sinew::bvh {
namespace {

// Below this cosine x moves freely: what an error of x leaves, cos y · x, is less than what is written.
constexpr double lockedCosine = 1e-9;

// The remaining two angles when the first is given.
Vec3 withFirst(const Mat3& R, const AxisOrder& order, double e, double x)
{
    const auto [i, j, k] = order;
    const Mat3 rest = turn(i, -x).toRotationMatrix() * R;
    return {x, angleOf(e * rest(i, k), rest(k, k)), angleOf(e * rest(j, i), rest(j, j))};
}

Vec3 unwrapped(const Vec3& angles, const Vec3& near)
{
    return {unwrapAngle(angles[0], near[0]), unwrapAngle(angles[1], near[1]),
            unwrapAngle(angles[2], near[2])};
}

}  // namespace

Quat turn(int axis, double angle)
{
    Quat result(cosine(angle / 2), 0, 0, 0);
    result.vec()[axis] = sine(angle / 2);
    return result;
}

Vec3 eulerAngles(const Quat& rotation, const AxisOrder& order, const Vec3& near)
{
    const auto [i, j, k] = order;
    const double e = (j - i + 3) % 3 == 1 ? 1 : -1;
    const Mat3 R = rotation.normalized().toRotationMatrix();
    if (std::hypot(R(j, k), R(k, k)) < lockedCosine)
        return unwrapped(withFirst(R, order, e, near[0]), near);
    const double x = angleOf(-e * R(j, k), R(k, k));
    const Vec3 one = unwrapped(withFirst(R, order, e, x), near);
    const Vec3 other = unwrapped({one[0] + pi, pi - one[1], one[2] + pi}, near);
    return (one - near).cwiseAbs().sum() <= (other - near).cwiseAbs().sum() ? one : other;
}

}  // namespace sinew::bvh
