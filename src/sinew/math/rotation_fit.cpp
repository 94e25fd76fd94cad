#include "sinew/math/rotation_fit.h"

#include <cmath>

#include "sinew/math/trigonometry.h"

namespace sinew {
namespace {

// Weight of the identity against that of the vectors: leaves 1e-10 of rounding in the choice among equals.
constexpr double identityWeight = 1e-6;

Vec3 axialPart(const Mat3& S)
{
    return {S(1, 2) - S(2, 1), S(2, 0) - S(0, 2), S(0, 1) - S(1, 0)};
}

// The eigenvector of the largest eigenvalue of a symmetric matrix, by Jacobi's turns: small eigenvalues
// that lie close together do them no harm, and a 4 × 4 matrix is diagonal to rounding after a few rounds.
Vec4 topEigenvector(Mat4 N)
{
    constexpr int mostRounds = 20;
    Mat4 V = Mat4::Identity();
    for (int round = 0; round < mostRounds; ++round) {
        bool isDiagonal = true;
        for (int p = 0; p < 3; ++p) {
            for (int q = p + 1; q < 4; ++q) {
                if (std::abs(N(p, q)) <= 1e-17) continue;  // of entries of size one
                isDiagonal = false;
                const double theta = (N(q, q) - N(p, p)) / (2 * N(p, q));
                const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                const auto turn = [c, s](auto&& one, auto&& other) {
                    const Vec4 before = one;
                    for (int i = 0; i < 4; ++i) {
                        one[i] = c * before[i] - s * other[i];
                        other[i] = s * before[i] + c * other[i];
                    }
                };
                turn(N.col(p), N.col(q));
                turn(N.row(p).transpose(), N.row(q).transpose());
                turn(V.col(p), V.col(q));
            }
        }
        if (isDiagonal) break;
    }
    int top = 0;
    for (int i = 1; i < 4; ++i)
        if (N(i, i) > N(top, top)) top = i;
    return V.col(top);
}

}  // namespace

void RotationFit::add(const Vec3& from, const Vec3& to, double weight)
{
    S_ += weight * from * to.transpose();
    scale_ += weight * from.norm() * to.norm();
}

Quat RotationFit::rotation() const
{
    if (!(scale_ > 0)) return Quat::Identity();
    const Vec3 d = axialPart(S_) / scale_;
    const double trace = S_.trace() / scale_;
    Mat4 N;
    N(0, 0) = trace + identityWeight;
    N.block<3, 1>(1, 0) = d;
    N.block<1, 3>(0, 1) = d.transpose();
    N.block<3, 3>(1, 1) = (S_ + S_.transpose()) / scale_ - trace * Mat3::Identity();
    const Vec4 q = topEigenvector(N);
    const Quat rotation(q[0], q[1], q[2], q[3]);
    return q[0] < 0 ? Quat(-rotation.coeffs()).normalized() : rotation.normalized();
}

double RotationFit::angleAbout(const Vec3& axis) const
{
    const double across = axis.dot(axialPart(S_));
    const double along = S_.trace() - axis.dot(S_ * axis);
    if (!(across * across + along * along > 0)) return 0;
    return angleOf(across, along);
}

}  // namespace sinew
