// A small island that Newton's method on Coulomb's law itself does not solve: along a smooth path that
// leads to the answer.
//
// Sources: De Saxcé & Feng 1998 for the law as complementarity of two cones; Acary, Cadoux, Lemaréchal &
// Malick 2011 for the convex problem with the slip held; Chen, Harker, Kanzow & Smale's smoothing in the
// form of Fukushima, Luo & Tseng (Smoothing functions for second-order-cone complementarity problems,
// 2002). How the pieces are put together is our own.
//
// With the rows scaled as in dense_island.h, f the scaled friction and s a guess of the length of the slip,
//     m = (f μ_n, μ_t),   z = (d_n / f + s, d_t),   K = {x : |x_t| ≤ x_n}
// Coulomb's law is m ∈ K, z ∈ K, m·z = 0 with s = |d_t|. For a given s and a W that is not negative that is
// the optimum of a convex problem, so nothing can cycle. Its projection on the cone, m = [m − z]₊, is
// smoothed: with the eigenvalues λ = x_n ± |x_t| of x = m − z,
//     λ₊ → ½ (λ + √(λ² + 4 ε²))
// whose solutions are the path m ∘ z = ε². Newton's method with a line search follows it: ε falls by
// five when the residual is below it and s, renewed as often, has settled. Where it does not settle,
// because a longer slip makes for a longer one still, a second try has s = √(|d_t|² + ε²) − ε as part of
// the equations (`linked`): they are no longer those of a convex problem, but nothing goes round. A contact
// without friction is the cone of one row, a bounded block the disc
//     μ = y (g(|y|) − g(0)) / |y|,  y = μ − d,  g(ρ) = ½ (ρ + r − √((ρ − r)² + 4 ε²))
// and an equality d = 0.
//
// Cost: one LU factorisation of all rows a step, 15 to 60 steps, from no guess. It is a rescue: what is
// warm and well posed takes solve_exact.cpp two or three steps. It finds what that one does not: contacts
// whose mobilities differ by 10⁹, such as feet on both sides of a stiff joint, and much friction at
// corners. It fails where there is no answer (Painlevé, W negative along the cone) and tells by the
// residual.
#include <algorithm>
#include <cmath>

#include "sinew/contact/dense_island.h"

namespace sinew {
namespace {

constexpr int mostPathSteps = 150;
constexpr int mostPathStepsOfPoint = 30;  // until ε or s changes
constexpr double regular = 1e-11;         // added to W in Newton's matrix: W may be singular
constexpr double shortestStep = 1e-3;     // of the line search

using Block = Matrix<3, 3>;

double smoothPositive(double x, double eps)
{
    return 0.5 * (x + std::sqrt(x * x + 4 * eps * eps));
}

double smoothStep(double x, double eps)
{
    return 0.5 * (1 + x / std::sqrt(x * x + 4 * eps * eps));
}

// The smoothed projection on the cone |x_t| ≤ x_n, and its derivative.
Vec3 projectOnCone(const Vec3& x, double eps, Block& D)
{
    const double length = x.tail<2>().norm();
    const Vec2 e = length > 0 ? Vec2(x.tail<2>() / length) : Vec2(1, 0);
    const double low = x[0] - length, high = x[0] + length;
    const double pLow = smoothPositive(low, eps), pHigh = smoothPositive(high, eps);
    const double dLow = smoothStep(low, eps), dHigh = smoothStep(high, eps);
    const double mean = 0.5 * (dLow + dHigh), half = 0.5 * (dHigh - dLow);
    const double across = length > 1e-12 * eps ? (pHigh - pLow) / (high - low) : mean;
    D(0, 0) = mean;
    D.block<1, 2>(0, 1) = half * e.transpose();
    D.block<2, 1>(1, 0) = half * e;
    D.block<2, 2>(1, 1) = across * Mat2::Identity() + (mean - across) * e * e.transpose();
    Vec3 p;
    p << 0.5 * (pLow + pHigh), 0.5 * (pHigh - pLow) * e;
    return p;
}

// The same on the disc of radius r in the first `rows` entries; the others stay zero.
Vec3 projectOnDisc(const Vec3& y, double r, double eps, Block& D)
{
    D.setZero();
    if (!(r > 0)) return Vec3::Zero();
    const double length = y.norm();
    const double root = std::sqrt((length - r) * (length - r) + 4 * eps * eps);
    const double rootAtZero = std::sqrt(r * r + 4 * eps * eps);
    const double slope = 0.5 * (1 - (length - r) / root);
    const double ratio = length > 1e-12 * r ? 0.5 * (length - root + rootAtZero) / length : slope;
    const Vec3 e = length > 0 ? Vec3(y / length) : Vec3(Vec3::Zero());
    D = ratio * Block::Identity() + (slope - ratio) * e * e.transpose();
    return ratio * y;
}

class SmoothPath {
public:
    SmoothPath(DenseIsland& p, bool isLinked) : p_(p), w_(p.w), isLinked_(isLinked) {}

    IslandResult follow(double enough)
    {
        IslandResult result;
        start();
        double norm = residual(w_.impulse, w_.d, w_.residual);
        int ofPoint = 0;
        while (result.iterations < mostPathSteps && ofPoint < mostPathStepsOfPoint && best_ > enough &&
               !w_.shallEnd()) {
            ++result.iterations;
            ++ofPoint;
            fillMatrix();
            for (int i = 0; i < p_.n; ++i) w_.step[i] = -w_.residual[i];
            w_.effort.add(solveOperations(p_.n));
            if (!solveLinear(w_.jacobian.data(), w_.step.data(), p_.n)) break;
            if (!search(norm)) break;
            look();
            if (norm > 0.3 * eps_) continue;
            if (isLinked_ || renewSlips() <= 10 * eps_) eps_ *= 0.2;
            norm = residual(w_.impulse, w_.d, w_.residual);
            ofPoint = 0;
        }
        result.residual = best_;
        return result;
    }

private:
    bool hasCone(int i) const { return p_.law(i).contact && !p_.law(i).bounded && p_.width(i) == 3; }

    void start()
    {
        for (int i = 0; i < p_.n; ++i) eps_ = std::max(eps_, std::abs(w_.offset[i]));
        std::fill_n(w_.impulse.begin(), p_.n, 0.);
        std::fill_n(w_.center.begin(), p_.n, 0.);  // here: s of each contact, at its normal's row
        for (int i = 0; i < p_.n; i += p_.width(i))
            if (p_.law(i).contact && !p_.law(i).bounded) w_.impulse[i] = eps_;
        displacement(p_, w_.impulse, w_.d);
    }

    // x of the block at row i, and the smoothed projection of it.
    Vec3 project(int i, const std::vector<double>& impulse, const std::vector<double>& d, Vec3& m,
                 Block& D) const
    {
        const int width = p_.width(i);
        Vec3 x = Vec3::Zero();
        m.setZero();
        for (int k = 0; k < width; ++k) {
            m[k] = impulse[i + k];
            x[k] = m[k] - d[i + k];
        }
        if (p_.law(i).bounded) return projectOnDisc(x, p_.radius(i), eps_, D);
        if (width == 1) {
            D = smoothStep(x[0], eps_) * Block::Identity();
            return {smoothPositive(x[0], eps_), 0, 0};
        }
        const double f = p_.friction(i);
        m[0] *= f;
        x[0] = m[0] - d[i] / f - (isLinked_ ? slipLength(i, d) - eps_ : w_.center[i]);
        return projectOnCone(x, eps_, D);
    }

    // √(|d_t|² + ε²)
    double slipLength(int i, const std::vector<double>& d) const
    {
        return std::sqrt(d[i + 1] * d[i + 1] + d[i + 2] * d[i + 2] + eps_ * eps_);
    }

    double residual(const std::vector<double>& impulse, const std::vector<double>& d,
                    std::vector<double>& F) const
    {
        double sum = 0;
        for (int i = 0; i < p_.n; i += p_.width(i)) {
            if (p_.law(i).contact) {
                Vec3 m;
                Block D;
                const Vec3 projected = project(i, impulse, d, m, D);
                for (int k = 0; k < p_.width(i); ++k) F[i + k] = m[k] - projected[k];
            } else {
                F[i] = d[i];
            }
            for (int k = 0; k < p_.width(i); ++k) sum += F[i + k] * F[i + k];
        }
        return std::sqrt(sum);
    }

    void fillMatrix()
    {
        const auto W = [this](int i, int j) { return p_.W(i, j) + (i == j ? regular : 0); };
        for (int i = 0; i < p_.n; i += p_.width(i)) {
            const int width = p_.width(i);
            double* rows = &w_.jacobian[static_cast<std::size_t>(i) * p_.n];
            if (!p_.law(i).contact) {
                for (int j = 0; j < p_.n; ++j) rows[j] = W(i, j);
                continue;
            }
            Vec3 m;
            Block D;
            project(i, w_.impulse, w_.d, m, D);
            const double f = hasCone(i) ? p_.friction(i) : 1;
            for (int j = 0; j < p_.n; ++j) {
                Vec3 dm = Vec3::Zero(), dx = Vec3::Zero();
                for (int k = 0; k < width; ++k) {
                    const double scale = k == 0 ? f : 1;
                    dm[k] = i + k == j ? scale : 0;
                    dx[k] = dm[k] - W(i + k, j) / scale;
                }
                if (isLinked_ && hasCone(i))
                    dx[0] -= (w_.d[i + 1] * W(i + 1, j) + w_.d[i + 2] * W(i + 2, j)) / slipLength(i, w_.d);
                const Vec3 change = dm - D * dx;
                for (int k = 0; k < width; ++k) rows[static_cast<std::size_t>(k) * p_.n + j] = change[k];
            }
        }
    }

    bool search(double& norm)
    {
        for (double t = 1; t > shortestStep; t *= 0.5) {
            for (int i = 0; i < p_.n; ++i) w_.trial[i] = w_.impulse[i] + t * w_.step[i];
            displacement(p_, w_.trial, w_.trialD);
            const double there = residual(w_.trial, w_.trialD, w_.residual);
            if (!(there < (1 - 0.01 * t) * norm) && !(there <= 1e-16 * eps_)) continue;
            std::swap(w_.impulse, w_.trial);
            std::swap(w_.d, w_.trialD);
            norm = there;
            return true;
        }
        return false;
    }

    // Of Coulomb's law itself; remembers the best point.
    void look()
    {
        const double now = evaluate(p_, w_.impulse, w_.d, w_.trial).meters;
        if (!(now < best_)) return;
        best_ = now;
        std::copy_n(w_.impulse.begin(), p_.n, w_.answer.begin());
    }

    // By how much the largest changes.
    double renewSlips()
    {
        double change = 0;
        for (int i = 0; i < p_.n; i += p_.width(i)) {
            if (!hasCone(i)) continue;
            const double slip = std::hypot(w_.d[i + 1], w_.d[i + 2]);
            change = std::max(change, std::abs(slip - w_.center[i]));
            w_.center[i] = slip;
        }
        return change;
    }

    DenseIsland& p_;
    ConstraintSolverWork& w_;
    bool isLinked_;
    double eps_ = 0, best_ = HUGE_VAL;
};

}  // namespace

namespace {

IslandResult solveOnPath(const Island& island, const ConstraintSolverSettings& settings, bool isLinked)
{
    DenseIsland p{island, island.work};
    collectRows(p);
    IslandResult result;
    if (p.n > 0) {
        assemble(p);
        // Newton's method on the step squares what is left of it.
        result = SmoothPath(p, isLinked).follow(1e-3 * settings.tolerance);
        if (std::isfinite(result.residual)) takeImpulses(p, p.w.answer);
    }
    result.residual = islandResidual(island);
    return result;
}

}  // namespace

IslandResult solveAlongPath(const Island& island, const ConstraintSolverSettings& settings)
{
    return solveOnPath(island, settings, false);
}

IslandResult solveAlongLinkedPath(const Island& island, const ConstraintSolverSettings& settings)
{
    return solveOnPath(island, settings, true);
}

}  // namespace sinew
