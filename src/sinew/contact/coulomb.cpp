// Sources: the law as in Jean & Moreau (Unilaterality and dry friction in the dynamics of rigid body
// collections, 1992) and the block-wise solution of Jourdan, Alart & Jean (A Gauss-Seidel like algorithm to
// solve frictional contact problems, 1998). The search for the slipping direction is our own.
//
//     d' = b + W μ,   d'_n = d_n + compliance μ_n,   n: normal, t: the two tangents, f: friction
// open   b_n ≥ 0: μ = 0.
// stick  d' = 0, where that μ lies in the cone |μ_t| ≤ f μ_n.
// slip   d'_n = 0 and d_t = −κ μ_t with κ > 0 and |μ_t| = f μ_n. With the normal eliminated,
//            W~ = W_tt − W_tn W_nt / W_nn,   b~ = b_t − W_tn b_n / W_nn
//            μ_t(κ) = −(W~ + κ)⁻¹ b~,   μ_n(κ) = −(b_n + W_nt μ_t) / W_nn
//        what is left is one unknown, f μ_n(κ) − |μ_t(κ)| = 0. It is positive as κ → ∞ (b_n < 0) and
//        negative at κ = 0, where it is the sticking answer outside the cone: there is a root between.
//        Newton's method on f μ_n/|μ_t| − 1, which is nearly straight in κ, kept inside the bracket.
//
// bounded  d = b + W μ, |μ| ≤ r: stick where that μ is short enough, else d = −κ μ with |μ| = r. |μ(κ)|
//        falls with κ, so there is one root; Newton's method on 1/|μ| − 1/r, which is nearly straight in κ
//        (Hebden 1973), kept inside the bracket.
//
// Cost: some 100 operations, a few times that when slipping. A symmetric positive definite W always has
// an answer. A singular one may have none (Painlevé: friction drives the contact together faster than the
// normal impulse parts it); then the answer given holds the normal and leaves friction out, which is
// finite, and its residual tells.
#include "sinew/contact/coulomb.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

constexpr double rounding = 1e-14;       // relative; smaller entries and pivots of W are noise
constexpr double immobile = 1e-24;       // W_nn beside the largest: masses and springs never go as far
constexpr double blockRounding = 1e-12;  // likewise of the pivots of a single block

Vec2 solve2(const Mat2& A, double determinant, const Vec2& b)
{
    return Vec2(A(1, 1) * b[0] - A(0, 1) * b[1], A(0, 0) * b[1] - A(1, 0) * b[0]) / determinant;
}

struct Slip {
    const ConstraintLaw& law;
    const Vec3& b;
    Mat2 W;   // W~
    Vec2 bt;  // b~
    Vec2 coupling;

    Slip(const ConstraintLaw& l, const Vec3& free) : law(l), b(free)
    {
        const double Wnn = law.W(0, 0);
        coupling = Vec2(law.W(0, 1), law.W(0, 2));
        const Vec2 back(law.W(1, 0), law.W(2, 0));
        W = law.W.bottomRightCorner<2, 2>() - back * coupling.transpose() / Wnn;
        bt = b.tail<2>() - back * (b[0] / Wnn);
    }
    double normal(const Vec2& mt) const { return -(b[0] + coupling.dot(mt)) / law.W(0, 0); }
    Vec3 whole(const Vec2& mt) const { return {normal(mt), mt[0], mt[1]}; }
};

// Exactly on the cone and exactly at d'_n = 0, in the direction found.
Vec3 onCone(const Slip& slip, const Vec2& mt)
{
    const Vec2 u = mt / mt.norm();
    const double denominator = slip.law.W(0, 0) + slip.law.friction * slip.coupling.dot(u);
    const double mn = denominator > 0 ? -slip.b[0] / denominator : slip.normal(mt);
    const Vec2 t = slip.law.friction * mn * u;
    return {mn, t[0], t[1]};
}

Vec3 slipping(const Slip& slip, bool sticksOutside)
{
    const double f = slip.law.friction, held = -slip.b[0] / slip.law.W(0, 0);
    const double size = slip.W.cwiseAbs().maxCoeff() + rounding * slip.law.W(0, 0);
    const Vec3 frictionless(held, 0, 0);
    if (!(slip.bt.squaredNorm() > 0)) return frictionless;
    double low = 0, high = -1;  // high < 0: not yet found
    double k = std::max(slip.bt.norm() / (f * held) - 0.5 * slip.W.trace(), 1e-3 * size);
    bool bracketed = sticksOutside;
    Vec2 mt = Vec2::Zero();
    for (int i = 0; i < 80; ++i) {
        const Mat2 A = slip.W + k * Mat2::Identity();
        const double determinant = A.determinant();
        double next = -1;
        bool below = true;
        if (std::abs(determinant) > 0) {
            mt = solve2(A, determinant, -slip.bt);
            const Vec2 rate = -solve2(A, determinant, mt);
            const double length = mt.norm(), mn = slip.normal(mt);
            const double excess = f * mn - length;
            if (std::abs(excess) <= 1e-15 * length) return onCone(slip, mt);
            below = excess < 0;
            const double slope = (-f * slip.coupling.dot(rate) / slip.law.W(0, 0)) / length -
                                 f * mn * mt.dot(rate) / (length * length * length);
            next = k - (excess / length) / slope;
        }
        (below ? low : high) = k;
        bracketed = bracketed || below;
        if (high >= 0 && high - low <= 4e-16 * high) break;
        if (!bracketed && k < rounding * size) return frictionless;
        const bool inside = next > low && (high < 0 || next < high);
        if (inside)
            k = next;
        else if (high < 0)
            k = 4 * k + size;
        else
            k = low > 0 || bracketed ? 0.5 * (low + high) : high / 64;
    }
    return bracketed ? onCone(slip, mt) : frictionless;
}

// One row, or two in a disc.
Vec3 boundedImpulse(const ConstraintLaw& law, const Vec3& free)
{
    const double r = law.radius;
    if (!(r > 0) || !(law.tangentScale > 0)) return Vec3::Zero();
    if (law.rows == 1) {
        if (!(law.W(0, 0) > 0)) return Vec3::Zero();
        return {std::clamp(-free[0] / law.W(0, 0), -r, r), 0, 0};
    }
    const Mat2 W = law.W.topLeftCorner<2, 2>();
    const Vec2 b = free.head<2>();
    const double size = b.norm(), trace = W.trace();
    if (!(size > 0)) return Vec3::Zero();
    const double determinant = W.determinant();
    const bool regular = std::abs(determinant) > rounding * trace * trace;
    if (regular) {
        const Vec2 stick = solve2(W, determinant, -b);
        if (stick.norm() <= r) return {stick[0], stick[1], 0};
    }
    double low = 0, high = size / r;
    double k = std::max(high - trace, rounding * trace);
    Vec2 m = Vec2::Zero();
    for (int i = 0; i < 80; ++i) {
        const Mat2 A = W + k * Mat2::Identity();
        m = solve2(A, A.determinant(), -b);
        const double length = m.norm();
        if (std::abs(length - r) <= 1e-15 * r) break;
        (length > r ? low : high) = k;
        if (high - low <= 4e-16 * high) break;
        const Vec2 rate = solve2(A, A.determinant(), m);  // −dm/dk
        const double next = k + length * length / m.dot(rate) * (length - r) / r;
        k = next > low && next < high ? next : 0.5 * (low + high);
        if (!regular && k <= rounding * trace) return {m[0], m[1], 0};  // short enough: it sticks
    }
    m *= r / m.norm();
    return {m[0], m[1], 0};
}

}  // namespace

Mat3 generalizedInverse(const Mat3& W, double smallest)
{
    // Gauss-Jordan with the largest diagonal first: a rank that W does not have is left at zero.
    Mat3 A = W, X = Mat3::Identity();
    bool done[3] = {false, false, false};
    for (int step = 0; step < 3; ++step) {
        int p = -1;
        for (int i = 0; i < 3; ++i)
            if (!done[i] && (p < 0 || A(i, i) > A(p, p))) p = i;
        if (!(A(p, p) > smallest)) break;
        done[p] = true;
        const double pivot = A(p, p);
        A.row(p) /= pivot;
        X.row(p) /= pivot;
        for (int i = 0; i < 3; ++i) {
            if (i == p) continue;
            const double factor = A(i, p);
            A.row(i) -= factor * A.row(p);
            X.row(i) -= factor * X.row(p);
        }
    }
    for (int i = 0; i < 3; ++i) {
        if (done[i]) continue;
        X.row(i).setZero();
        X.col(i).setZero();
    }
    return X;
}

ConstraintLaw constraintLaw(const ConstraintBlock& block, const Mat3& W, double reference)
{
    ConstraintLaw law;
    law.contact = block.kind != ConstraintBlock::Kind::equality;
    law.bounded = block.kind == ConstraintBlock::Kind::bounded;
    law.rows = block.rows;
    law.W = W;
    if (law.contact) law.W(0, 0) += block.compliance;
    for (int r = block.rows; r < 3; ++r) {
        law.W.row(r).setZero();
        law.W.col(r).setZero();
    }
    const double smallest = immobile * std::max(reference, law.W.diagonal().maxCoeff());
    // A block's own pivots carry the rounding of its largest entry, and rows of a loop may repeat others.
    law.inverse =
        generalizedInverse(law.W, std::max(smallest, blockRounding * law.W.diagonal().maxCoeff()));
    if (law.bounded) {
        const double mean = law.W.diagonal().sum() / law.rows;
        if (mean > smallest) law.tangentScale = mean;
        law.radius = block.radius;
        return law;
    }
    if (law.W(0, 0) > smallest) law.normalScale = law.W(0, 0);
    if (block.rows == 3 && law.normalScale > 0) {
        law.friction = block.friction;
        const double half = 0.5 * (law.W(1, 1) + law.W(2, 2));
        // Where no tangent can move, the normal's measure serves.
        law.tangentScale = half > smallest ? half : law.normalScale;
    }
    return law;
}

void ConstraintLaw::dropRow(int row)
{
    redundant[row] = true;
    W.row(row).setZero();
    W.col(row).setZero();
    inverse = generalizedInverse(W, blockRounding * W.diagonal().maxCoeff());
}

Vec3 lawfulImpulse(const ConstraintLaw& law, const Vec3& free, const Vec3& previous)
{
    if (law.bounded) return boundedImpulse(law, free);
    if (!law.contact) return previous - law.inverse * (free + law.W * previous);
    if (free[0] >= 0 || !(law.normalScale > 0)) return Vec3::Zero();
    if (!(law.friction > 0)) return {-free[0] / law.W(0, 0), 0, 0};
    const Slip slip(law, free);
    const double determinant = slip.W.determinant(), size = slip.W.cwiseAbs().maxCoeff();
    const bool regular = std::abs(determinant) > rounding * size * size && size > rounding * law.W(0, 0);
    if (regular) {
        const Vec3 stick = slip.whole(solve2(slip.W, determinant, -slip.bt));
        if (stick.tail<2>().norm() <= law.friction * stick[0]) return stick;
    }
    return slipping(slip, regular);
}

Vec3 insideCone(const ConstraintLaw& law, const Vec3& impulse)
{
    if (!impulse.allFinite()) return Vec3::Zero();
    if (law.bounded) {
        const double length = impulse.norm();
        if (!(law.tangentScale > 0)) return Vec3::Zero();
        return length <= law.radius ? impulse : Vec3(impulse * (law.radius / length));
    }
    if (!law.contact) return impulse;
    if (!(impulse[0] > 0) || !(law.normalScale > 0)) return Vec3::Zero();
    const double length = impulse.tail<2>().norm(), most = law.friction * impulse[0];
    if (length <= most) return impulse;
    return {impulse[0], impulse[1] * (most / length), impulse[2] * (most / length)};
}

namespace {

// The natural map of a disc: zero just where `held` opposes d with all it has, or holds.
template <class Vec>
void setDiscResidual(const Vec& held, const Vec& d, double radius, LawResidual& residual)
{
    Vec target = held - d;
    const double length = target.norm();
    if (length > radius) target *= radius / length;
    residual.complementarity = std::max(residual.complementarity, (held - target).norm());
    residual.cone = std::max(0.0, held.norm() - radius);
}

}  // namespace

double LawResidual::largest() const
{
    return std::max({complementarity, cone, equality});
}

LawResidual lawResidual(const ConstraintLaw& law, const ConstraintBlock& block, const Vec3& d)
{
    LawResidual residual;
    if (!law.contact) {
        for (int r = 0; r < block.rows; ++r)
            if (!law.redundant[r]) residual.equality = std::max(residual.equality, std::abs(d[r]));
        return residual;
    }
    const Vec3& m = block.impulse;
    if (law.bounded) {
        setDiscResidual<Vec3>(law.tangentScale * m, d, law.tangentScale * law.radius, residual);
        return residual;
    }
    residual.penetration = std::max(0.0, -d[0]);
    if (!(law.normalScale > 0)) return residual;  // nothing here can move: nothing can be done
    residual.complementarity = std::abs(std::min(law.normalScale * m[0], d[0] + block.compliance * m[0]));
    if (block.rows < 3) return residual;
    const double radius = law.tangentScale * law.friction * std::max(0.0, m[0]);
    setDiscResidual<Vec2>(law.tangentScale * m.tail<2>(), d.tail<2>(), radius, residual);
    return residual;
}

}  // namespace sinew
