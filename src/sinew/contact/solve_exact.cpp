// A small island solved to rounding: semi-smooth Newton on the dense operator, made safe by proximal
// points.
//
// Sources: Alart & Curnier, A mixed formulation for frictional contact problems prone to Newton like
// solution methods, 1991; De Saxcé & Feng 1998 for the law as one projection; Acary, Cadoux, Lemaréchal &
// Malick 2011 and Acary, Brémond & Huber 2018 on what such solvers meet in practice; Rockafellar 1976 for
// the proximal point.
//
// The scaled problem F = 0 is that of dense_island.h; it is Coulomb's law. Its pieces are linear but for
// the direction of slip:
//     open   r = 0:          F = μ, left out of the matrix
//     stick  |y| ≤ f r:      F_n = d_n, F_t = ρ d_t
//     slip   e = y / |y|:    δF_t = δμ_t − f e (δμ_n − δd_n) − (f r/|y|) (1 − e eᵀ) (δμ_t − ρ δd_t)
// ρ = 1 as long as that will do. A linkage of one freedom that is held at a corner hardly slips, whatever
// the friction: its direction is then told by displacements far smaller than what they are weighed against,
// and a larger ρ makes it heard.
// Each step solves the linear system of the pieces at hand (LU, partial pivoting) and is halved until |F|
// falls; where it does not, Gauss-Seidel sweeps look for better pieces.
// W is singular where feet are more than freedoms or loops say a thing twice. The term α (μ − c) makes
// it regular, and vanishes as c is moved to each answer: α = 1e-9 at first, which leaves an
// error 1e-9 of that part of μ which W hardly feels, again and again until nothing is left. Where Newton
// fails, α grows, up to 1, which is easy, and shrinks again on the way.
//
// Cost: O(n³) a step for n closed rows, 3–10 steps when warm, O(n²) memory. Against sweeps it pays up to
// about 100 rows (boxes in a stack of 8, 96 rows: 0.6 ms for all of it against 1.1 ms of 200 sweeps that
// are not there yet; a pyramid of 10, 192 rows: 2.3 ms against 0.7). Fails, after a bounded number of steps
// and with the best point seen, where there is no answer (Painlevé), where equalities contradict each
// other, or on a cycle between pieces that no α breaks. Of many answers it takes the one near the start.
//
// What is stuck that way may be on the wrong pieces: a box that slips on four corners where it should slip
// on three and leave the fourth, say. solveByFlips puts one contact after the other on each of its other
// pieces, takes the step of the linear system there, whatever it does to F, and goes on from there.
#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/contact/dense_island.h"

namespace sinew {
namespace {

constexpr double firstAlpha = 1e-9, leastAlpha = 1e-11;
// Of Newton, in all: what takes more is left to another way (solve_interior.cpp), unless this one is asked
// for.
constexpr int mostSteps = 25, mostStepsAsked = 300;
constexpr int fewRows = 15, stepsOfFewRows = 7;
constexpr int mostStepsOfPoint = 25;  // and until c moves
constexpr int mostSweepPhases = 1;    // likewise; other ways help better than more of them
constexpr double goal = 1e-13;        // residual over the displacements at hand: rounding

// Row k of the matrix of the pieces at hand for the active columns, and what open contacts, which go to
// zero, bring to its right-hand side.
double fillRow(DenseIsland& p, int first, int k, const ContactPiece& piece, double* row)
{
    const int tangent = p.tangent(first), tangents = first + p.width(first) - tangent;
    const double f = p.friction(first);
    const double q = piece.kind == ContactPiece::Kind::slip ? f * piece.r / piece.length : 0;
    const auto entry = [&](int j) {
        const auto full = [&](int i) { return p.W(i, j) + (i == j ? p.alpha : 0); };
        if (k < tangent) return full(k);
        if (piece.kind != ContactPiece::Kind::slip) return p.slipWeight * full(k);
        const double e = piece.e[k - tangent];
        double value = k == j;
        if (tangent > first) value -= f * e * ((first == j) - full(first));
        for (int b = 0; b < tangents; ++b) {
            const int t = tangent + b;
            value -= q * ((t == k) - e * piece.e[b]) * ((t == j) - p.slipWeight * full(t));
        }
        return value;
    };
    for (int a = 0; a < p.activeCount; ++a) row[a] = entry(p.w.active[a]);
    double toOpen = 0;
    for (int j = 0, a = 0; j < p.n; ++j) {
        if (a < p.activeCount && p.w.active[a] == j)
            ++a;
        else if (p.w.impulse[j] != 0)
            toOpen += entry(j) * p.w.impulse[j];
    }
    return toOpen;
}

// w.step from w.impulse, w.d and w.residual.
bool newtonStep(DenseIsland& p)
{
    p.activeCount = 0;
    for (int i = 0; i < p.n; i += p.width(i)) {
        if (p.law(i).contact && pieceOf(p, i, p.w.impulse, p.w.d).kind == ContactPiece::Kind::open)
            continue;
        for (int k = i; k < i + p.width(i); ++k) p.w.active[p.activeCount++] = k;
    }
    for (int a = 0; a < p.activeCount;) {
        const int i = p.w.active[a];
        ContactPiece piece;
        if (p.law(i).contact) piece = pieceOf(p, i, p.w.impulse, p.w.d);
        for (int k = i; k < i + p.width(i); ++k, ++a)
            p.w.trial[a] = -p.w.residual[k] + fillRow(p, i, k, piece, &p.w.jacobian[a * p.activeCount]);
    }
    p.w.effort.add(solveOperations(p.activeCount));
    if (!factorise(p.w.jacobian.data(), p.w.pivots.data(), p.activeCount)) return false;
    solveFactored(p.w.jacobian.data(), p.w.pivots.data(), p.w.trial.data(), p.activeCount);
    for (int i = 0; i < p.n; ++i) p.w.step[i] = -p.w.impulse[i];
    for (int a = 0; a < p.activeCount; ++a) p.w.step[p.w.active[a]] = p.w.trial[a];
    return true;
}

// The longest of the step and its halves that makes F smaller. Leaves impulse, d and residual there.
bool lineSearch(DenseIsland& p, ResidualSize& size)
{
    for (double t = 1; t > 0.02; t *= 0.5) {
        for (int i = 0; i < p.n; ++i) p.w.trial[i] = p.w.impulse[i] + t * p.w.step[i];
        displacement(p, p.w.trial, p.w.trialD);
        const ResidualSize there = evaluate(p, p.w.trial, p.w.trialD, p.w.residual);
        if (there.energy < (1 - 0.1 * t) * size.energy) {
            std::swap(p.w.impulse, p.w.trial);
            std::swap(p.w.d, p.w.trialD);
            size = there;
            return true;
        }
    }
    return false;
}

void sweep(DenseIsland& p)
{
    for (int i = 0; i < p.n; i += p.width(i)) {
        double change[3] = {0, 0, 0};
        const int width = p.width(i);
        if (width == 3 || p.law(i).bounded) {
            ConstraintLaw law = p.law(i);
            law.W.setZero();
            for (int r = 0; r < width; ++r)
                for (int c = 0; c < width; ++c) law.W(r, c) = p.W(i + r, i + c) + (r == c ? p.alpha : 0);
            law.friction = p.friction(i);
            law.radius = p.radius(i);
            Vec3 now = Vec3::Zero(), d = Vec3::Zero();
            for (int k = 0; k < width; ++k) {
                now[k] = p.w.impulse[i + k];
                d[k] = p.w.d[i + k];
            }
            const Vec3 next = lawfulImpulse(law, d - law.W * now, now);
            for (int k = 0; k < width; ++k) change[k] = next[k] - now[k];
        } else {
            change[0] = -p.w.d[i] / (p.W(i, i) + p.alpha);
            if (p.law(i).contact) change[0] = std::max(change[0], -p.w.impulse[i]);
        }
        for (int k = 0; k < p.width(i); ++k) {
            if (change[k] == 0) continue;
            p.w.impulse[i + k] += change[k];
            p.w.d[i + k] += p.alpha * change[k];
            for (int j = 0; j < p.n; ++j) p.w.d[j] += p.W(j, i + k) * change[k];
        }
    }
}

// Residual of the problem itself, without α; remembers the best point.
class Best {
public:
    double meters = HUGE_VAL;

    double look(DenseIsland& p)
    {
        for (int i = 0; i < p.n; ++i) p.w.trialD[i] = p.w.d[i] - p.alpha * (p.w.impulse[i] - p.w.center[i]);
        const double weight = std::exchange(p.slipWeight, 1);
        const double now = evaluate(p, p.w.impulse, p.w.trialD, p.w.trial).meters;
        p.slipWeight = weight;
        if (now < meters) {
            meters = now;
            std::copy_n(p.w.impulse.begin(), p.n, p.w.answer.begin());
        }
        return now;
    }
};

// Solves with α and c as they are, until what is left is mostly α's. False where that fails. Where
// `acceptable` is reached, or nearly, sweeps are made only as long as they help.
bool solvePoint(DenseIsland& p, Best& best, double enough, double acceptable, int limit, int& steps)
{
    displacement(p, p.w.impulse, p.w.d);
    ResidualSize size = evaluate(p, p.w.impulse, p.w.d, p.w.residual);
    int sweepPhases = 0;
    double atLastSweeps = HUGE_VAL;
    for (int i = 0; i < mostStepsOfPoint && steps < limit && !p.w.shallEnd(); ++i) {
        const double whole = best.look(p);
        if (!std::isfinite(whole)) return false;
        if (best.meters <= enough || size.meters <= 0.1 * whole) return true;
        ++steps;
        if (newtonStep(p) && lineSearch(p, size)) continue;
        if (best.meters <= 100 * acceptable && best.meters > 0.9 * atLastSweeps) return false;
        if (++sweepPhases > mostSweepPhases) return false;
        atLastSweeps = best.meters;
        displacement(p, p.w.impulse, p.w.d);
        for (int s = 0; s < 5 * sweepPhases; ++s) sweep(p);
        displacement(p, p.w.impulse, p.w.d);
        size = evaluate(p, p.w.impulse, p.w.d, p.w.residual);
    }
    return false;
}

}  // namespace

namespace {

IslandResult solveDense(const Island& island, const ConstraintSolverSettings& settings, double slipWeight,
                        int limit)
{
    IslandResult result;
    DenseIsland p{island, island.work};
    p.alpha = firstAlpha;
    p.slipWeight = slipWeight;
    collectRows(p);
    if (p.n > 0) assemble(p);
    double length = 0;
    for (int i = 0; i < p.n; ++i) length = std::max(length, std::abs(p.w.offset[i]) / p.w.rows[i].scale);
    // Newton's last step squares what is left: who did not ask for rounding gets nearly that all the same.
    const bool isAsked = settings.choice == ConstraintSolverSettings::Choice::exact;
    const bool isFew = p.n <= fewRows && !isAsked;
    if (isFew && slipWeight == 1) limit = std::min(limit, stepsOfFewRows);
    // Of single rows: the law measures both tangents of a contact together.
    const double tolerance = 0.5 * settings.tolerance;
    const double acceptable = isFew ? tolerance : 0;
    const double enough = std::min(tolerance, std::max(goal * length, isAsked ? 0 : 1e-4 * tolerance));

    Best best;
    double before = HUGE_VAL;
    std::copy_n(p.w.impulse.begin(), p.n, p.w.center.begin());
    for (int points = 0; p.n > 0 && result.iterations < limit && points < limit; ++points) {
        const bool solved = solvePoint(p, best, enough, acceptable, limit, result.iterations);
        if (best.meters <= enough || (!solved && best.meters <= acceptable)) break;
        // Rounding: a point more does not help.
        const double last = best.meters <= tolerance ? firstAlpha : leastAlpha;
        if (solved && p.alpha <= last && best.meters > 0.5 * before) break;
        before = best.meters;
        if (!solved && p.alpha >= 1) break;
        if (solved)
            p.alpha = std::max(p.alpha / 30, leastAlpha);
        else {
            p.alpha = std::min(std::max(100 * p.alpha, 1e-6), 1.0);
            std::copy_n(p.w.answer.begin(), p.n, p.w.impulse.begin());
        }
        std::copy_n(p.w.impulse.begin(), p.n, p.w.center.begin());
    }
    if (std::isfinite(best.meters)) takeImpulses(p, p.w.answer);
    result.residual = islandResidual(island);
    return result;
}

using PieceKind = ContactPiece::Kind;

// Newton's steps with the contact at row i put on another piece at first. Leaves the best point in
// w.answer.
void solveFlipped(DenseIsland& p, int i, PieceKind kind, Best& best, double enough)
{
    constexpr int mostStepsFlipped = 15;
    p.forced = i;
    p.forcedKind = kind;
    displacement(p, p.w.impulse, p.w.d);
    evaluate(p, p.w.impulse, p.w.d, p.w.residual);
    const bool moved = newtonStep(p);
    p.forced = -1;
    if (!moved) return;
    for (int k = 0; k < p.n; ++k) p.w.impulse[k] += p.w.step[k];
    int steps = 0;
    solvePoint(p, best, enough, 0, mostStepsFlipped, steps);
}

}  // namespace

IslandResult solveByFlips(const Island& island, const ConstraintSolverSettings& settings)
{
    IslandResult result;
    DenseIsland p{island, island.work};
    p.alpha = firstAlpha;
    collectRows(p);
    if (p.n == 0) return result;
    assemble(p);
    const double tolerance = 0.5 * settings.tolerance, enough = 1e-2 * tolerance;
    const std::vector<double> start(p.w.impulse.begin(), p.w.impulse.begin() + p.n);
    std::copy_n(start.begin(), p.n, p.w.center.begin());
    displacement(p, start, p.w.d);
    Best best;
    best.look(p);
    const auto begin = [&] {
        std::copy_n(start.begin(), p.n, p.w.impulse.begin());
        displacement(p, p.w.impulse, p.w.d);
    };
    // Each takes some n³ operations a step.
    const double n = p.n;
    const int mostFlips = static_cast<int>(std::min(1e3, 1 + 2e7 / (n * n * n)));
    for (int i = 0; i < p.n && best.meters > tolerance; i += p.width(i)) {
        if (result.iterations >= mostFlips || p.w.shallEnd()) break;
        if (!p.law(i).contact || p.law(i).bounded) continue;
        begin();
        const PieceKind now = pieceOf(p, i, p.w.impulse, p.w.d).kind;
        if (now == PieceKind::open && p.w.d[i] / p.w.rows[i].scale > 10 * best.meters) continue;
        for (const PieceKind kind : {PieceKind::open, PieceKind::stick, PieceKind::slip}) {
            if (kind == now || (kind == PieceKind::slip && p.width(i) == 1) || best.meters <= tolerance)
                continue;
            begin();
            ++result.iterations;
            solveFlipped(p, i, kind, best, enough);
        }
    }
    takeImpulses(p, p.w.answer);
    result.residual = islandResidual(island);
    return result;
}

IslandResult solveExactly(const Island& island, const ConstraintSolverSettings& settings)
{
    const bool isAsked = settings.choice == ConstraintSolverSettings::Choice::exact;
    return solveDense(island, settings, 1, isAsked ? mostStepsAsked : mostSteps);
}

IslandResult solveBySlips(const Island& island, const ConstraintSolverSettings& settings)
{
    IslandResult result;
    for (const double weight : {1e2, 1e4, 1e7}) {
        result = solveDense(island, settings, weight, mostSteps);
        if (result.residual <= settings.tolerance) break;
    }
    return result;
}

}  // namespace sinew
