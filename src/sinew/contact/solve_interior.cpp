// A small island that Newton's method on Coulomb's law itself does not solve: from inside the cones, by an
// interior-point method.
//
// Sources: De Saxcé & Feng 1998 for the law as complementarity of two cones; Acary, Cadoux, Lemaréchal &
// Malick 2011 for the convex problem with the slip held; Acary, Armand, Nguyen & Shpakovych, Second-order
// cone programming for frictional contact mechanics using interior point algorithm, 2022, for solving it
// from inside; Nesterov & Todd 1998 for the scaling and Mehrotra 1992 for predictor and corrector. That the
// slip is renewed each time, or is part of the equations, and when, is our own.
//
// With the rows scaled as in dense_island.h, f the scaled friction and s a guess of the length of the slip,
//     m = (f μ_n, μ_t),   z = (d_n / f + s, d_t),   K = {x : |x_t| ≤ x_n}
// Coulomb's law is m ∈ K, z ∈ K, m·z = 0 with s = |d_t|. For a given s and a W that is not negative that is
// the optimum of a convex problem. Each iteration has a point m, z inside the cones, z not yet that of m,
// and a goal on the way to the law: m ∘ z = σ ν, ν the mean of m·z. The scaling T of Nesterov & Todd makes
// T z = T⁻¹ m = λ of both, so that Newton's step is
//     (M + T⁻²) δm = −(q + M m + s − z) + T⁻¹ c,   δz = T⁻¹ (c − T⁻¹ δm),   λ ∘ c = σ ν − λ ∘ λ − (T⁻¹ δm)
//     ∘ (T δz)
// once without σ and the last term, which tells how far one gets and so what to aim for, and once with. A
// matrix M that is singular does no harm: T⁻² is positive.
//
// s is that of the point, anew each time. That does not settle where a longer slip makes for a longer one
// still; a second try has s = √(|z_t|² + ε²) − ε, ε = 0.1 √ν, as part of the equations (`linked`).
// A contact without friction is the cone of one row. A bounded block is the cone whose first entry is its
// radius and does not change; the first entry of its z is then free. An equality is d = 0.
//
// Cost: one LU factorisation an iteration, over the freedoms of the bodies where they are fewer
// (freedom_matrix.h), else of all rows; 20 to 60 iterations, from no guess. It is a rescue:
// what is warm and well posed takes solve_exact.cpp two or three steps. It finds what that one does not:
// stacks in which masses differ by 10⁶, feet on both sides of a stiff joint, much friction at corners. It
// fails where there is no answer (Painlevé, W negative along the cone) and tells by the residual.
#include <algorithm>
#include <cmath>

#include "sinew/contact/dense_island.h"
#include "sinew/contact/freedom_matrix.h"

namespace sinew {
namespace {

constexpr int mostInteriorSteps = 70;
constexpr int patienceInside = 15;  // steps in which the residual has to fall to a half
constexpr double ofTheWay = 0.99;   // to the boundary of the cones
constexpr double shortWay = 0.3;    // after which the next goal is not far
// Added to W in Newton's matrix: equalities may depend on each other.
constexpr double regularInside = 1e-13;
constexpr double near = 1e3;          // times the tolerance
constexpr double slipRounding = 0.1;  // ε over √ν

using Cone = InteriorCone;

// The first entry less and plus the length of the others.
double determinant(const Vec3& x)
{
    const double length = x.tail<2>().norm();
    return (x[0] - length) * (x[0] + length);
}

// x ∘ y
Vec3 product(const Vec3& x, const Vec3& y)
{
    Vec3 p;
    p << x.dot(y), x[0] * y.tail<2>() + y[0] * x.tail<2>();
    return p;
}

// How far along δ from x the cone ends.
double wayInside(const Vec3& x, const Vec3& delta)
{
    const double a = determinant(delta);
    const double b = x[0] * delta[0] - x.tail<2>().dot(delta.tail<2>());
    const double c = determinant(x);
    double way = HUGE_VAL;
    if (delta[0] < 0) way = -x[0] / delta[0];
    const double root = b * b - a * c;
    if (a < 0)
        way = std::min(way, (-b - std::sqrt(std::max(root, 0.))) / a);
    else if (root > 0 && b < 0)
        way = std::min(way, c / (-b + std::sqrt(root)));
    return way;
}

class InteriorPoint {
public:
    InteriorPoint(DenseIsland& p, bool isLinked) : p_(p), w_(p.w), isLinked_(isLinked), freedoms_(p) {}

    IslandResult solve(double enough)
    {
        IslandResult result;
        start();
        double atLast = HUGE_VAL;
        int sinceLast = 0;
        while (result.iterations < mostInteriorSteps && !w_.shallEnd()) {
            look();
            if (best_ <= enough) break;
            if (best_ < 0.5 * atLast) {
                atLast = best_;
                sinceLast = 0;
            } else if (++sinceLast > patienceInside) {
                break;
            }
            ++result.iterations;
            if (!step()) break;
        }
        result.residual = best_;
        return result;
    }

private:
    void start()
    {
        w_.cones.clear();
        std::fill_n(w_.center.begin(), p_.n, 1.);  // here: what turns m into μ, row by row
        double size = 0;
        for (int i = 0; i < p_.n; i += p_.width(i)) {
            if (!p_.law(i).contact) continue;
            Cone cone;
            cone.row = i;
            cone.width = p_.width(i);
            cone.isDisc = p_.law(i).bounded;
            if (!cone.isDisc && cone.width == 3) w_.center[i] = 1 / p_.friction(i);
            w_.cones.push_back(cone);
        }
        for (int i = 0; i < p_.n; ++i) size = std::max(size, w_.center[i] * std::abs(w_.offset[i]));
        std::fill_n(w_.impulse.begin(), p_.n, 0.);
        for (Cone& cone : w_.cones) {
            cone.z = {size, 0, 0};
            cone.m = {cone.isDisc ? p_.radius(cone.row) : size, 0, 0};
        }
        displaceAll();
    }

    // Where a block's rows lie in the three entries of its cone.
    static int entry(const Cone& cone, int k) { return cone.isDisc ? k + 1 : k; }

    void displaceAll()
    {
        for (const Cone& cone : w_.cones)
            for (int k = 0; k < cone.width; ++k) w_.impulse[cone.row + k] = cone.m[entry(cone, k)];
        for (int i = 0; i < p_.n; ++i) w_.trial[i] = w_.center[i] * w_.impulse[i];
        displacement(p_, w_.trial, w_.d);
    }

    // Of Coulomb's law itself, of the impulses in w_.trial; remembers the best point.
    void look()
    {
        const double now = evaluate(p_, w_.trial, w_.d, w_.residual).meters;
        if (!(now < best_)) return;
        best_ = now;
        std::copy_n(w_.trial.begin(), p_.n, w_.answer.begin());
    }

    bool hasSlip(const Cone& cone) const { return !cone.isDisc && cone.width == 3; }

    double meanProduct() const
    {
        double sum = 0;
        for (const Cone& cone : w_.cones) sum += cone.m.dot(cone.z);
        return sum / static_cast<double>(std::max<std::size_t>(w_.cones.size(), 1));
    }

    // λ, T and T⁻¹ of each cone. False if a point is no longer inside.
    bool scale()
    {
        for (Cone& cone : w_.cones) {
            const double m = std::sqrt(determinant(cone.m)), z = std::sqrt(determinant(cone.z));
            if (!(m > 0) || !(z > 0)) return false;
            const Vec3 unitM = cone.m / m, unitZ = cone.z / z;
            const double half = std::sqrt(0.5 * (1 + unitM.dot(unitZ)));
            const Vec3 mirrored(unitZ[0], -unitZ[1], -unitZ[2]);
            const Vec3 w = (unitM + mirrored) / (2 * half);
            const double size = std::sqrt(m / z);
            const auto fill = [&](const Vec2& across, double factor) {
                Mat3 T = factor * Mat3::Identity();
                T(0, 0) = factor * w[0];
                T.block<1, 2>(0, 1) = factor * across.transpose();
                T.block<2, 1>(1, 0) = factor * across;
                T.block<2, 2>(1, 1) += factor / (1 + w[0]) * across * across.transpose();
                return T;
            };
            cone.T = fill(w.tail<2>(), size);
            cone.inverse = fill(-w.tail<2>(), 1 / size);
            cone.lambda = cone.T * cone.z;
            cone.determinant = m * z;
            if (!cone.lambda.allFinite()) return false;
        }
        return true;
    }

    // s of a cone, and how it changes with z_t.
    double slip(const Cone& cone, double eps, Vec2& rate) const
    {
        rate.setZero();
        if (!hasSlip(cone)) return 0;
        const Vec2 along = cone.z.tail<2>();
        if (!isLinked_) return along.norm();
        const double length = std::sqrt(along.squaredNorm() + eps * eps);
        rate = along / length;
        return length - eps;
    }

    // What z misses, q + M m + s − z, into w_.residual, and the matrix M + T⁻².
    double assembleStep(double eps)
    {
        for (int i = 0; i < p_.n; ++i) w_.residual[i] = w_.center[i] * w_.d[i];
        double missed = 0;
        for (Cone& cone : w_.cones) {
            const double s = slip(cone, eps, cone.slipRate);
            for (int k = 0; k < cone.width; ++k)
                w_.residual[cone.row + k] -= cone.z[entry(cone, k)] - (k == 0 ? s : 0);
        }
        for (int i = 0; i < p_.n; ++i) missed = std::max(missed, std::abs(w_.residual[i]));
        for (Cone& cone : w_.cones) {
            const Mat3 stiffness = withSlip(cone, cone.inverse * cone.inverse);
            cone.D.setIdentity();
            for (int a = 0; a < cone.width; ++a)
                for (int b = 0; b < cone.width; ++b)
                    cone.D(a, b) = stiffness(entry(cone, a), entry(cone, b)) + (a == b ? regularInside : 0);
        }
        return missed;
    }

    // The matrix of the step, over the freedoms where those are fewer.
    bool factorStep()
    {
        if (freedoms_.areFew() && freedoms_.factor()) return true;
        freedoms_.giveUp();
        for (int i = 0; i < p_.n; ++i) {
            double* row = &w_.jacobian[static_cast<std::size_t>(i) * p_.n];
            for (int j = 0; j < p_.n; ++j) row[j] = w_.center[i] * p_.W(i, j) * w_.center[j];
            if (!p_.law(i).contact) row[i] += regularInside;
        }
        for (const Cone& cone : w_.cones)
            for (int a = 0; a < cone.width; ++a)
                for (int b = 0; b < cone.width; ++b)
                    w_.jacobian[static_cast<std::size_t>(cone.row + a) * p_.n + cone.row + b] +=
                        cone.D(a, b);
        w_.effort.add(solveOperations(p_.n));
        return factorise(w_.jacobian.data(), w_.pivots.data(), p_.n);
    }

    // A change of z less that of s which comes with it.
    Mat3 withSlip(const Cone& cone, Mat3 change) const
    {
        change.row(0) -= cone.slipRate.transpose() * change.bottomRows<2>();
        return change;
    }
    Vec3 withSlip(const Cone& cone, Vec3 change) const
    {
        change[0] -= cone.slipRate.dot(change.tail<2>());
        return change;
    }

    // δm and δz of all cones for their c; of equalities δm into w_.step.
    void solveStep()
    {
        for (int i = 0; i < p_.n; ++i) w_.step[i] = -w_.residual[i];
        for (const Cone& cone : w_.cones) {
            const Vec3 aim = withSlip(cone, Vec3(cone.inverse * cone.c));
            for (int k = 0; k < cone.width; ++k) w_.step[cone.row + k] += aim[entry(cone, k)];
        }
        const bool isSolved = freedoms_.areFew() && freedoms_.solve(w_.step);
        if (freedoms_.areFew() && !isSolved) {
            freedoms_.giveUp();
            factorStep();
        }
        if (!isSolved) solveFactored(w_.jacobian.data(), w_.pivots.data(), w_.step.data(), p_.n);
        for (Cone& cone : w_.cones) {
            cone.stepM.setZero();
            for (int k = 0; k < cone.width; ++k) cone.stepM[entry(cone, k)] = w_.step[cone.row + k];
            cone.stepZ = cone.inverse * Vec3(cone.c - cone.inverse * cone.stepM);
        }
    }

    double way() const
    {
        double way = HUGE_VAL;
        for (const Cone& cone : w_.cones)
            way = std::min({way, wayInside(cone.m, cone.stepM), wayInside(cone.z, cone.stepZ)});
        return way;
    }

    // c of the goal σ ν, with the part of second order or without.
    void aim(double goal, bool hasSecondOrder)
    {
        for (Cone& cone : w_.cones) {
            Vec3 r = -product(cone.lambda, cone.lambda);
            if (hasSecondOrder) r -= cone.second;
            r[0] += goal;
            const Vec3& l = cone.lambda;
            const double first = (l[0] * r[0] - l.tail<2>().dot(r.tail<2>())) / cone.determinant;
            cone.c << first, (r.tail<2>() - first * l.tail<2>()) / l[0];
        }
    }

    bool step()
    {
        const double mean = meanProduct();
        if (!scale() || !(mean >= 0)) return false;
        const double missed = assembleStep(slipRounding * std::sqrt(mean));
        if (!factorStep()) return false;
        // As far as it goes toward the law itself.
        for (Cone& cone : w_.cones) cone.c = -cone.lambda;
        solveStep();
        const double far = std::min(1., way());
        double then = 0;
        for (Cone& cone : w_.cones) {
            then += (cone.m + far * cone.stepM).dot(cone.z + far * cone.stepZ);
            cone.second = product(cone.inverse * cone.stepM, cone.T * cone.stepZ);
        }
        then /= static_cast<double>(std::max<std::size_t>(w_.cones.size(), 1));
        const double part = mean > 0 ? std::clamp(then / mean, 0., 1.) : 0;
        double share = part * part * part;
        if (lastWay_ < shortWay) share = std::max(share, 0.5);
        // Not faster than z comes to be that of m.
        if (mean > 0) share = std::max(share, std::min(1., 1e-3 * missed * missed / mean));
        aim(share * mean, true);
        solveStep();
        lastWay_ = std::min(1., ofTheWay * way());
        if (lastWay_ < 0.1) {
            const double withSecond = lastWay_;
            aim(share * mean, false);
            solveStep();
            lastWay_ = std::min(1., ofTheWay * way());
            if (lastWay_ < withSecond) {
                aim(share * mean, true);
                solveStep();
                lastWay_ = withSecond;
            }
        }
        for (Cone& cone : w_.cones) {
            cone.m += lastWay_ * cone.stepM;
            cone.z += lastWay_ * cone.stepZ;
        }
        for (int i = 0; i < p_.n; ++i)
            if (!p_.law(i).contact) w_.impulse[i] += lastWay_ * w_.step[i];
        displaceAll();
        return true;
    }

    DenseIsland& p_;
    ConstraintSolverWork& w_;
    bool isLinked_;
    FreedomMatrix freedoms_;
    double best_ = HUGE_VAL, lastWay_ = 1;
};

IslandResult solveInside(const Island& island, const ConstraintSolverSettings& settings, bool isLinked)
{
    DenseIsland p{island, island.work};
    collectRows(p);
    IslandResult result;
    if (p.n > 0) {
        assemble(p);
        // Newton's method on the step squares what is left of it.
        result = InteriorPoint(p, isLinked).solve(1e-3 * settings.tolerance);
        if (std::isfinite(result.residual)) takeImpulses(p, p.w.answer);
    }
    result.residual = islandResidual(island);
    const bool isNear = result.residual < near * settings.tolerance;
    if (result.residual <= settings.tolerance || !isNear) return result;
    // The boundary is not reached from inside: the last digits are Newton's. Not where they are not wanted:
    // of many answers it would take another one than the most central.
    std::vector<double>& found = island.work.inside;
    found.resize(3 * island.members.size());
    storeImpulses(island, found.data());
    const double last = solveExactly(island, settings).residual;
    if (last < result.residual)
        result.residual = last;
    else
        loadImpulses(island, found.data());
    return result;
}

}  // namespace

IslandResult solveFromInside(const Island& island, const ConstraintSolverSettings& settings)
{
    return solveInside(island, settings, false);
}

IslandResult solveFromInsideLinked(const Island& island, const ConstraintSolverSettings& settings)
{
    return solveInside(island, settings, true);
}

}  // namespace sinew
