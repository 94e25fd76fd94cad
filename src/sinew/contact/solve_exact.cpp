// A small island solved to rounding: semi-smooth Newton on the dense operator, made safe by proximal
// points.
//
// Sources: Alart & Curnier, A mixed formulation for frictional contact problems prone to Newton like
// solution methods, 1991; De Saxcé & Feng 1998 for the law as one projection; Acary, Cadoux, Lemaréchal &
// Malick 2011 and Acary, Brémond & Huber 2018 on what such solvers meet in practice; Rockafellar 1976 for
// the proximal point.
//
// Rows are scaled by √W_ii (both tangents of a contact alike), so that W has ones on its diagonal as
// far as contacts go and impulse, displacement and residual are square roots of energies. With d = d0 + W μ
// + α (μ − c):
//     contact    r = max(0, μ_n − d_n),  y = μ_t − d_t,  F_n = μ_n − r,  F_t = μ_t − y min(1, f r / |y|)
//     equality   F = d
//     bounded    y = μ − d,  F = μ − y min(1, radius / |y|)
// F = 0 is Coulomb's law. Its pieces are linear but for the direction of slip:
//     open   r = 0:          F = μ, left out of the matrix
//     stick  |y| ≤ f r:      F = d
//     slip   e = y / |y|:    δF_t = δμ_t − f e (δμ_n − δd_n) − (f r/|y|) (1 − e eᵀ) (δμ_t − δd_t)
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
#include <algorithm>
#include <cmath>

#include "sinew/contact/island.h"

namespace sinew {
namespace {

constexpr double firstAlpha = 1e-9, leastAlpha = 1e-11;
constexpr int mostSteps = 60;  // of Newton, in all; where they are asked for, five times as many
// What few rows take to come near an answer if they have one; who is near gets all the steps.
constexpr int fewRows = 15, stepsOfFewRows = 10, stepsOfPatience = 10 * mostSteps;
constexpr int mostStepsOfPoint = 25;  // and until c moves
constexpr int mostSweepPhases = 4;    // likewise
constexpr double goal = 1e-13;        // residual over the displacements at hand: rounding

// The scaled problem. Vectors have an entry per row that can move.
struct Dense {
    const Island& island;
    ConstraintSolverWork& w;
    int n = 0;
    double alpha = firstAlpha;
    int activeCount = 0;  // of w.active: rows that are not open

    double& W(int i, int j) { return w.W[static_cast<std::size_t>(i) * n + j]; }
    const ConstraintLaw& law(int i) const { return w.laws[w.rows[i].block]; }
    // Rows that belong together with row i: three of a contact with friction, all of a bounded block.
    int width(int i) const
    {
        if (law(i).bounded) return law(i).rows;
        return law(i).contact && law(i).friction > 0 ? 3 : 1;
    }
    // The first of them that slips.
    int tangent(int i) const { return law(i).bounded ? i : i + 1; }
    double radius(int i) const { return law(i).radius * std::sqrt(law(i).tangentScale); }
    double friction(int i) const
    {
        if (law(i).bounded) return 1;  // of its radius
        return law(i).friction * std::sqrt(law(i).tangentScale / law(i).normalScale);
    }
};

void collectRows(Dense& p)
{
    p.w.rows.clear();
    for (int c : p.island.members) {
        const ConstraintLaw& law = p.w.laws[c];
        if (!law.contact) {
            for (int r = 0; r < p.island.blocks[c].rows; ++r)
                if (!law.redundant[r] && law.W(r, r) > 0)
                    p.w.rows.push_back({c, r, 1 / std::sqrt(law.W(r, r))});
        } else if (law.bounded) {
            for (int r = 0; r < law.rows && law.tangentScale > 0; ++r)
                p.w.rows.push_back({c, r, 1 / std::sqrt(law.tangentScale)});
        } else if (law.normalScale > 0) {
            p.w.rows.push_back({c, 0, 1 / std::sqrt(law.normalScale)});
            if (!(law.friction > 0)) continue;
            for (int r = 1; r < 3; ++r) p.w.rows.push_back({c, r, 1 / std::sqrt(law.tangentScale)});
        }
    }
    p.n = static_cast<int>(p.w.rows.size());
}

void assemble(Dense& p)
{
    const std::size_t n = static_cast<std::size_t>(p.n);
    for (std::vector<double>* m : {&p.w.W, &p.w.jacobian}) m->resize(std::max(m->size(), n * n));
    for (std::vector<double>* v : {&p.w.offset, &p.w.center, &p.w.impulse, &p.w.trial, &p.w.d, &p.w.trialD,
                                   &p.w.step, &p.w.residual, &p.w.answer})
        v->resize(std::max(v->size(), n));
    p.w.active.resize(std::max(p.w.active.size(), n));
    Mat3 between = Mat3::Zero();
    for (int i = 0; i < p.n; ++i) {
        const auto& row = p.w.rows[i];
        const ConstraintBlock& block = p.island.blocks[row.block];
        p.w.offset[i] = row.scale * block.offset[row.axis];
        p.w.impulse[i] = block.impulse[row.axis] / row.scale;
        if (i > 0 && p.w.rows[i - 1].block == row.block) continue;
        int last = i;
        while (last + 1 < p.n && p.w.rows[last + 1].block == row.block) ++last;
        for (int j = 0; j < p.n; ++j) {
            const auto& column = p.w.rows[j];
            if (j == 0 || p.w.rows[j - 1].block != column.block) {
                between = p.island.delassus.coupling(row.block, column.block);
                if (row.block == column.block) between = p.w.laws[row.block].W;
            }
            for (int k = i; k <= last; ++k)
                p.W(k, j) = p.w.rows[k].scale * column.scale * between(p.w.rows[k].axis, column.axis);
        }
    }
}

void displacement(Dense& p, const std::vector<double>& impulse, std::vector<double>& d)
{
    for (int i = 0; i < p.n; ++i) {
        double sum = 0;
        for (int j = 0; j < p.n; ++j) sum += p.W(i, j) * impulse[j];
        d[i] = p.w.offset[i] + sum + p.alpha * (impulse[i] - p.w.center[i]);
    }
}

// What piece of F a contact is on, with what the slipping one needs.
struct Piece {
    enum class Kind { open, stick, slip } kind = Kind::open;
    double r = 0, length = 0, e[2] = {0, 0};
};

Piece pieceOf(const Dense& p, int i, const std::vector<double>& impulse, const std::vector<double>& d)
{
    Piece piece;
    const int t = p.tangent(i), tangents = i + p.width(i) - t;
    piece.r = p.law(i).bounded ? p.radius(i) : impulse[i] - d[i];
    if (!p.law(i).bounded && !(piece.r > 0)) return piece;
    piece.kind = Piece::Kind::stick;
    if (tangents == 0) return piece;
    double y[2] = {0, 0};
    for (int k = 0; k < tangents; ++k) y[k] = impulse[t + k] - d[t + k];
    piece.length = std::sqrt(y[0] * y[0] + y[1] * y[1]);
    if (piece.length <= p.friction(i) * piece.r) return piece;
    piece.kind = Piece::Kind::slip;
    for (int k = 0; k < 2; ++k) piece.e[k] = y[k] / piece.length;
    return piece;
}

struct Size {
    double energy = 0;  // |F|²
    double meters = 0;  // the largest entry, unscaled
};

Size evaluate(Dense& p, const std::vector<double>& impulse, const std::vector<double>& d,
              std::vector<double>& F)
{
    Size size;
    for (int i = 0; i < p.n; i += p.width(i)) {
        F[i] = d[i];
        if (p.law(i).contact) {
            const Piece piece = pieceOf(p, i, impulse, d);
            const bool open = piece.kind == Piece::Kind::open;
            if (open) F[i] = impulse[i];
            const int t = p.tangent(i);
            for (int k = t; k < i + p.width(i); ++k) {
                F[k] = open ? impulse[k] : d[k];
                if (piece.kind == Piece::Kind::slip)
                    F[k] = impulse[k] - p.friction(i) * piece.r * piece.e[k - t];
            }
        }
        for (int k = i; k < i + p.width(i); ++k) {
            size.energy += F[k] * F[k];
            size.meters = std::max(size.meters, std::abs(F[k]) / p.w.rows[k].scale);
        }
    }
    if (!std::isfinite(size.energy)) size.meters = HUGE_VAL;
    return size;
}

// Row k of the matrix of the pieces at hand for the active columns, and what open contacts, which go to
// zero, bring to its right-hand side.
double fillRow(Dense& p, int first, int k, const Piece& piece, double* row)
{
    const int tangent = p.tangent(first), tangents = first + p.width(first) - tangent;
    const double f = p.friction(first);
    const double q = piece.kind == Piece::Kind::slip ? f * piece.r / piece.length : 0;
    const auto entry = [&](int j) {
        const auto full = [&](int i) { return p.W(i, j) + (i == j ? p.alpha : 0); };
        if (k < tangent || piece.kind != Piece::Kind::slip) return full(k);
        const double e = piece.e[k - tangent];
        double value = k == j;
        if (tangent > first) value -= f * e * ((first == j) - full(first));
        for (int b = 0; b < tangents; ++b) {
            const int t = tangent + b;
            value -= q * ((t == k) - e * piece.e[b]) * ((t == j) - full(t));
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

// A x = b by LU with row exchanges, in place; false for a singular A.
bool solveLinear(double* A, double* b, int n)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i)
            if (std::abs(A[i * n + k]) > std::abs(A[p * n + k])) p = i;
        if (!(std::abs(A[p * n + k]) > 1e-300)) return false;
        if (p != k) {
            std::swap_ranges(A + k * n, A + (k + 1) * n, A + p * n);
            std::swap(b[k], b[p]);
        }
        for (int i = k + 1; i < n; ++i) {
            const double factor = A[i * n + k] / A[k * n + k];
            if (factor == 0) continue;
            for (int j = k + 1; j < n; ++j) A[i * n + j] -= factor * A[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = n; i-- > 0;) {
        for (int j = i + 1; j < n; ++j) b[i] -= A[i * n + j] * b[j];
        b[i] /= A[i * n + i];
    }
    return true;
}

// w.step from w.impulse, w.d and w.residual.
bool newtonStep(Dense& p)
{
    p.activeCount = 0;
    for (int i = 0; i < p.n; i += p.width(i)) {
        if (p.law(i).contact && pieceOf(p, i, p.w.impulse, p.w.d).kind == Piece::Kind::open) continue;
        for (int k = i; k < i + p.width(i); ++k) p.w.active[p.activeCount++] = k;
    }
    for (int a = 0; a < p.activeCount;) {
        const int i = p.w.active[a];
        Piece piece;
        if (p.law(i).contact) piece = pieceOf(p, i, p.w.impulse, p.w.d);
        for (int k = i; k < i + p.width(i); ++k, ++a)
            p.w.trial[a] = -p.w.residual[k] + fillRow(p, i, k, piece, &p.w.jacobian[a * p.activeCount]);
    }
    if (!solveLinear(p.w.jacobian.data(), p.w.trial.data(), p.activeCount)) return false;
    for (int i = 0; i < p.n; ++i) p.w.step[i] = -p.w.impulse[i];
    for (int a = 0; a < p.activeCount; ++a) p.w.step[p.w.active[a]] = p.w.trial[a];
    return true;
}

// The longest of the step and its halves that makes F smaller. Leaves impulse, d and residual there.
bool lineSearch(Dense& p, Size& size)
{
    for (double t = 1; t > 0.02; t *= 0.5) {
        for (int i = 0; i < p.n; ++i) p.w.trial[i] = p.w.impulse[i] + t * p.w.step[i];
        displacement(p, p.w.trial, p.w.trialD);
        const Size there = evaluate(p, p.w.trial, p.w.trialD, p.w.residual);
        if (there.energy < (1 - 0.1 * t) * size.energy) {
            std::swap(p.w.impulse, p.w.trial);
            std::swap(p.w.d, p.w.trialD);
            size = there;
            return true;
        }
    }
    return false;
}

void sweep(Dense& p)
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

    double look(Dense& p)
    {
        for (int i = 0; i < p.n; ++i) p.w.trialD[i] = p.w.d[i] - p.alpha * (p.w.impulse[i] - p.w.center[i]);
        const double now = evaluate(p, p.w.impulse, p.w.trialD, p.w.trial).meters;
        if (now < meters) {
            meters = now;
            std::copy_n(p.w.impulse.begin(), p.n, p.w.answer.begin());
        }
        return now;
    }
};

// Of Newton's steps.
struct Limit {
    int most = mostSteps;
    int mostNear = mostSteps;  // for who is within `near` of the answer by then
    double near = 0;

    bool isReached(int steps, double residual) const
    {
        return steps >= (residual <= near ? mostNear : most);
    }
};

// Solves with α and c as they are, until what is left is mostly α's. False where that fails. Where
// `acceptable` is reached, or nearly, sweeps are made only as long as they help.
bool solvePoint(Dense& p, Best& best, double enough, double acceptable, const Limit& limit, int& steps)
{
    displacement(p, p.w.impulse, p.w.d);
    Size size = evaluate(p, p.w.impulse, p.w.d, p.w.residual);
    int sweepPhases = 0;
    double atLastSweeps = HUGE_VAL;
    for (int i = 0; i < mostStepsOfPoint && !limit.isReached(steps, best.meters); ++i) {
        const double whole = best.look(p);
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

IslandResult solveExactly(const Island& island, const ConstraintSolverSettings& settings)
{
    IslandResult result;
    Dense p{island, island.work};
    collectRows(p);
    if (p.n > 0) assemble(p);
    double length = 0;
    for (int i = 0; i < p.n; ++i) length = std::max(length, std::abs(p.w.offset[i]) / p.w.rows[i].scale);
    // Newton's last step squares what is left: who did not ask for rounding gets nearly that all the same.
    const bool isAsked = settings.choice == ConstraintSolverSettings::Choice::exact;
    const bool isFew = p.n <= fewRows && !isAsked;
    Limit limit;
    if (isAsked) limit.most = limit.mostNear = 5 * mostSteps;
    if (isFew) limit = {stepsOfFewRows, stepsOfPatience, nearAnAnswer * settings.tolerance};
    // Of single rows: the law measures both tangents of a contact together.
    const double tolerance = 0.5 * settings.tolerance;
    const double acceptable = isFew ? tolerance : 0;
    const double enough = std::min(tolerance, std::max(goal * length, isAsked ? 0 : 1e-4 * tolerance));

    Best best;
    double before = HUGE_VAL;
    std::copy_n(p.w.impulse.begin(), p.n, p.w.center.begin());
    while (p.n > 0 && !limit.isReached(result.iterations, best.meters)) {
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
    if (std::isfinite(best.meters)) {
        for (int i = 0; i < p.n; ++i)
            island.blocks[p.w.rows[i].block].impulse[p.w.rows[i].axis] = p.w.rows[i].scale * p.w.answer[i];
        for (int c : island.members)
            island.blocks[c].impulse = insideCone(p.w.laws[c], island.blocks[c].impulse);
        renewMotion(island);
    }
    result.residual = islandResidual(island);
    return result;
}

}  // namespace sinew
