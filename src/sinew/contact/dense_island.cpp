#include "sinew/contact/dense_island.h"

#include <algorithm>

namespace sinew {

void collectRows(DenseIsland& p)
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

void assemble(DenseIsland& p)
{
    const std::size_t n = static_cast<std::size_t>(p.n);
    for (std::vector<double>* m : {&p.w.W, &p.w.jacobian}) m->resize(std::max(m->size(), n * n));
    for (std::vector<double>* v : {&p.w.offset, &p.w.center, &p.w.impulse, &p.w.trial, &p.w.d, &p.w.trialD,
                                   &p.w.step, &p.w.residual, &p.w.answer})
        v->resize(std::max(v->size(), n));
    for (std::vector<int>* v : {&p.w.active, &p.w.pivots}) v->resize(std::max(v->size(), n));
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

void timesW(const DenseIsland& p, const std::vector<double>& x, std::vector<double>& product)
{
    // Several rows at a time: each sum waits for its last addition.
    constexpr int together = 4;
    for (int first = 0; first < p.n; first += together) {
        const int count = std::min(together, p.n - first);
        const double* rows[together];
        for (int k = 0; k < together; ++k)
            rows[k] = p.w.W.data() + static_cast<std::size_t>(first + std::min(k, count - 1)) * p.n;
        double sums[together] = {};
        for (int j = 0; j < p.n; ++j)
            for (int k = 0; k < together; ++k) sums[k] += rows[k][j] * x[j];
        for (int k = 0; k < count; ++k) product[first + k] = sums[k];
    }
}

void displacement(DenseIsland& p, const std::vector<double>& impulse, std::vector<double>& d)
{
    timesW(p, impulse, d);
    for (int i = 0; i < p.n; ++i) d[i] = p.w.offset[i] + d[i] + p.alpha * (impulse[i] - p.w.center[i]);
}

ContactPiece pieceOf(const DenseIsland& p, int i, const std::vector<double>& impulse,
                     const std::vector<double>& d)
{
    ContactPiece piece;
    const int t = p.tangent(i), tangents = i + p.width(i) - t;
    piece.r = p.law(i).bounded ? p.radius(i) : impulse[i] - d[i];
    const bool isForced = i == p.forced;
    if (isForced) {
        piece.r = std::max(piece.r, 0.);
        piece.kind = p.forcedKind;
        if (piece.kind != ContactPiece::Kind::slip) return piece;
    } else {
        if (!p.law(i).bounded && !(piece.r > 0)) return piece;
        piece.kind = ContactPiece::Kind::stick;
    }
    if (tangents == 0) return piece;
    double y[2] = {0, 0};
    for (int k = 0; k < tangents; ++k) y[k] = impulse[t + k] - p.slipWeight * d[t + k];
    piece.length = std::sqrt(y[0] * y[0] + y[1] * y[1]);
    if (!isForced && piece.length <= p.friction(i) * piece.r) return piece;
    if (!(piece.length > 0)) {
        piece.kind = ContactPiece::Kind::stick;  // whereto is open
        return piece;
    }
    piece.kind = ContactPiece::Kind::slip;
    for (int k = 0; k < 2; ++k) piece.e[k] = y[k] / piece.length;
    return piece;
}

ResidualSize evaluate(const DenseIsland& p, const std::vector<double>& impulse,
                      const std::vector<double>& d, std::vector<double>& F)
{
    ResidualSize size;
    for (int i = 0; i < p.n; i += p.width(i)) {
        F[i] = d[i];
        if (p.law(i).contact) {
            const ContactPiece piece = pieceOf(p, i, impulse, d);
            const bool open = piece.kind == ContactPiece::Kind::open;
            if (open) F[i] = impulse[i];
            const int t = p.tangent(i);
            for (int k = t; k < i + p.width(i); ++k) {
                F[k] = open ? impulse[k] : p.slipWeight * d[k];
                if (piece.kind == ContactPiece::Kind::slip)
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

void takeImpulses(const DenseIsland& p, const std::vector<double>& impulse)
{
    for (int i = 0; i < p.n; ++i)
        p.island.blocks[p.w.rows[i].block].impulse[p.w.rows[i].axis] = p.w.rows[i].scale * impulse[i];
    for (int c : p.island.members)
        p.island.blocks[c].impulse = insideCone(p.w.laws[c], p.island.blocks[c].impulse);
    renewMotion(p.island);
}

namespace {

// With registers as wide as the machine has them, where that can be told: the bits are the same.
#if defined(__x86_64__) && defined(__GNUC__)
#define SINEW_DENSE_WIDE __attribute__((target("avx")))
#define SINEW_DENSE_INLINE inline __attribute__((always_inline))
#else
#define SINEW_DENSE_INLINE inline
#endif

// Columns at a time. Of each entry the products are taken off one after the other, as without panels: the
// bits are the same, but each entry is loaded and stored once for all of them.
constexpr int panel = 4;

// Columns [first, end) of rows from `first` on, with row exchanges of the whole matrix.
SINEW_DENSE_INLINE bool factorisePanel(double* A, int* pivots, int n, int first, int end)
{
    for (int k = first; k < end; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i)
            if (std::abs(A[i * n + k]) > std::abs(A[p * n + k])) p = i;
        if (!(std::abs(A[p * n + k]) > 1e-300)) return false;
        pivots[k] = p;
        if (p != k) std::swap_ranges(A + k * n, A + (k + 1) * n, A + p * n);
        for (int i = k + 1; i < n; ++i) {
            const double factor = A[i * n + k] /= A[k * n + k];
            if (factor == 0) continue;
            for (int j = k + 1; j < end; ++j) A[i * n + j] -= factor * A[k * n + j];
        }
    }
    return true;
}

// What the rows of a whole panel take off the columns behind it.
SINEW_DENSE_INLINE void eliminatePanel(double* A, int n, int first)
{
    const int behind = first + panel;
    for (int k = first; k < behind; ++k)
        for (int i = k + 1; i < behind; ++i) {
            const double factor = A[i * n + k];
            for (int j = behind; j < n; ++j) A[i * n + j] -= factor * A[k * n + j];
        }
    const double *u0 = A + first * n, *u1 = u0 + n, *u2 = u1 + n, *u3 = u2 + n;
    for (int i = behind; i < n; ++i) {
        double* row = A + i * n;
        const double a = row[first], b = row[first + 1], c = row[first + 2], d = row[first + 3];
        if (a == 0 && b == 0 && c == 0 && d == 0) continue;
        for (int j = behind; j < n; ++j)
            row[j] = (((row[j] - a * u0[j]) - b * u1[j]) - c * u2[j]) - d * u3[j];
    }
}

SINEW_DENSE_INLINE bool factoriseAll(double* A, int* pivots, int n)
{
    for (int first = 0; first < n; first += panel) {
        if (!factorisePanel(A, pivots, n, first, std::min(first + panel, n))) return false;
        if (first + panel < n) eliminatePanel(A, n, first);
    }
    return true;
}

#ifdef SINEW_DENSE_WIDE
SINEW_DENSE_WIDE bool factoriseWide(double* A, int* pivots, int n)
{
    return factoriseAll(A, pivots, n);
}
#endif

}  // namespace

bool factorise(double* A, int* pivots, int n)
{
#ifdef SINEW_DENSE_WIDE
    static const bool isWide = __builtin_cpu_supports("avx");
    if (isWide) return factoriseWide(A, pivots, n);
#endif
    return factoriseAll(A, pivots, n);
}

void solveFactored(const double* A, const int* pivots, double* b, int n)
{
    for (int k = 0; k < n; ++k) std::swap(b[k], b[pivots[k]]);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) b[i] -= A[i * n + j] * b[j];
    for (int i = n; i-- > 0;) {
        for (int j = i + 1; j < n; ++j) b[i] -= A[i * n + j] * b[j];
        b[i] /= A[i * n + i];
    }
}

}  // namespace sinew
