// Dense systems within bounds, and damped steps on them.
#include <algorithm>
#include <cmath>
#include <vector>

#include "sinew/optimize/minimise.h"

namespace sinew {
namespace {

// (A restricted to the free unknowns) s = −g − A s of those that are held.
bool solveFree(const MatX& A, const VecX& g, const std::vector<char>& isHeld, VecX& s)
{
    std::vector<int> free;
    for (int i = 0; i < g.size(); ++i)
        if (!isHeld[static_cast<std::size_t>(i)]) free.push_back(i);
    const int n = static_cast<int>(free.size());
    MatX reduced(n, n);
    VecX right(n);
    for (int r = 0; r < n; ++r) {
        const int i = free[static_cast<std::size_t>(r)];
        right[r] = -g[i];
        for (int k = 0; k < g.size(); ++k)
            if (isHeld[static_cast<std::size_t>(k)]) right[r] -= A(i, k) * s[k];
        for (int c = 0; c <= r; ++c) reduced(r, c) = A(i, free[static_cast<std::size_t>(c)]);
    }
    if (!solvePositive(reduced, right)) return false;
    for (int r = 0; r < n; ++r) s[free[static_cast<std::size_t>(r)]] = right[r];
    return true;
}

struct DenseSquares {
    const LeastSquares& problem;
    VecX& x;
    VecX residual, tried, gradient, lower, upper;
    MatX jacobian, normal;
    double scale = 0;

    bool isBounded() const { return problem.lower.size() > 0; }
    // What is free to fall: not against a bound that −g pushes at.
    bool isPressed(int i) const
    {
        return isBounded() && ((x[i] <= problem.lower[i] && gradient[i] > 0) ||
                               (x[i] >= problem.upper[i] && gradient[i] < 0));
    }
    DampedProblem::Linear linearise()
    {
        problem.at(x, residual, &jacobian);
        gradient = jacobian.transpose() * residual;
        normal = jacobian.transpose() * jacobian;
        DampedProblem::Linear now;
        now.energy = 0.5 * residual.squaredNorm();
        scale = 0;
        for (int i = 0; i < x.size(); ++i) {
            scale = std::max(scale, normal(i, i));
            if (!isPressed(i)) now.gradient = std::max(now.gradient, std::abs(gradient[i]));
        }
        if (!(scale > 0)) scale = 1;
        return now;
    }
    bool solve(double lambda, VecX& step, double& foretold)
    {
        MatX damped = normal;
        for (int i = 0; i < x.size(); ++i) damped(i, i) += lambda * std::max(normal(i, i), 1e-6 * scale);
        lower.resize(x.size());
        upper.resize(x.size());
        for (int i = 0; i < x.size(); ++i) {
            lower[i] = isBounded() ? problem.lower[i] - x[i] : -HUGE_VAL;
            upper[i] = isBounded() ? problem.upper[i] - x[i] : HUGE_VAL;
        }
        if (!solveBounded(damped, gradient, lower, upper, step)) return false;
        foretold = -gradient.dot(step) - 0.5 * step.dot(normal * step);
        return true;
    }
    double attempt(const VecX& step)
    {
        tried = x + step;
        for (int i = 0; i < x.size() && isBounded(); ++i)
            tried[i] = std::clamp(tried[i], problem.lower[i], problem.upper[i]);
        problem.at(tried, residual, nullptr);
        return 0.5 * residual.squaredNorm();
    }
};

}  // namespace

// By columns, as the matrix is stored.
bool solvePositive(MatX& A, VecX& b)
{
    const int n = static_cast<int>(b.size());
    double* const entries = A.data();
    const auto column = [&](int k) { return entries + static_cast<std::ptrdiff_t>(k) * n; };
    for (int k = 0; k < n; ++k) {
        double* const own = column(k);
        if (!(own[k] > 0) || !std::isfinite(own[k])) return false;
        const double root = std::sqrt(own[k]), over = 1 / root;
        own[k] = root;
        for (int r = k + 1; r < n; ++r) own[r] *= over;
        for (int c = k + 1; c < n; ++c) {
            const double factor = own[c];
            if (factor == 0) continue;
            double* const other = column(c);
            for (int r = c; r < n; ++r) other[r] -= factor * own[r];
        }
    }
    for (int k = 0; k < n; ++k) {
        const double* const own = column(k);
        b[k] /= own[k];
        for (int r = k + 1; r < n; ++r) b[r] -= own[r] * b[k];
    }
    for (int k = n - 1; k >= 0; --k) {
        const double* const own = column(k);
        for (int r = k + 1; r < n; ++r) b[k] -= own[r] * b[r];
        b[k] /= own[k];
    }
    return true;
}

namespace {

// A guess: all that the minimum over the free ones would take over its bounds is put there at once, a few
// times. Good in most steps; what it holds wrongly is let go after.
bool guessHeld(const MatX& A, const VecX& g, const VecX& lower, const VecX& upper,
               std::vector<char>& isHeld, VecX& s, bool& isWithin)
{
    constexpr int guesses = 4;
    const int n = static_cast<int>(g.size());
    isWithin = false;
    for (int round = 0; round < guesses && !isWithin; ++round) {
        if (!solveFree(A, g, isHeld, s)) return false;
        isWithin = true;
        for (int i = 0; i < n; ++i) {
            if (s[i] >= lower[i] && s[i] <= upper[i]) continue;
            s[i] = std::clamp(s[i], lower[i], upper[i]);
            isHeld[static_cast<std::size_t>(i)] = 1;
            isWithin = false;
        }
    }
    return true;
}

}  // namespace

// The primal active set method: from a point within the bounds toward the minimum over those that are free,
// as far as the first bound in the way, which then holds. Nocedal & Wright, algorithm 16.3.
bool solveBounded(const MatX& A, const VecX& g, const VecX& lower, const VecX& upper, VecX& s)
{
    const int n = static_cast<int>(g.size());
    std::vector<char> isHeld(static_cast<std::size_t>(n), 0);
    s.resize(n);
    for (int i = 0; i < n; ++i) {
        s[i] = std::clamp(0., lower[i], upper[i]);
        const bool isPressed = g[i] > 0 ? s[i] <= lower[i] : s[i] >= upper[i];
        isHeld[static_cast<std::size_t>(i)] = isPressed || lower[i] == upper[i];
    }
    bool isSolved = false;  // s is the minimum over those that are free
    if (!guessHeld(A, g, lower, upper, isHeld, s, isSolved)) return false;
    VecX next = s;
    for (int round = 0; round < 4 * n + 4; ++round) {
        next = s;
        if (!isSolved && !solveFree(A, g, isHeld, next)) return false;
        isSolved = false;
        double part = 1;
        int blocking = -1;
        for (int i = 0; i < n; ++i) {
            if (next[i] >= lower[i] && next[i] <= upper[i]) continue;
            const double reach = ((next[i] < lower[i] ? lower[i] : upper[i]) - s[i]) / (next[i] - s[i]);
            if (reach < part || blocking < 0) {
                part = std::min(part, reach);
                blocking = i;
            }
        }
        if (blocking >= 0) {
            const double bound = next[blocking] < lower[blocking] ? lower[blocking] : upper[blocking];
            for (int i = 0; i < n; ++i)
                s[i] = std::clamp(s[i] + part * (next[i] - s[i]), lower[i], upper[i]);
            s[blocking] = bound;
            isHeld[static_cast<std::size_t>(blocking)] = 1;
            continue;
        }
        s = next;
        // The one whose multiplier is most wrong may go.
        const VecX slope = g + A * s;
        int worst = -1;
        double most = 1e-14 * (1 + g.cwiseAbs().maxCoeff());
        for (int i = 0; i < n; ++i) {
            if (!isHeld[static_cast<std::size_t>(i)] || lower[i] == upper[i]) continue;
            const double wrong = s[i] <= lower[i] ? -slope[i] : slope[i];
            if (wrong > most) {
                most = wrong;
                worst = i;
            }
        }
        if (worst < 0) return true;
        isHeld[static_cast<std::size_t>(worst)] = 0;
    }
    return true;
}

MinimiseReport minimiseSquares(const LeastSquares& problem, VecX& x, const MinimiseLimits& limits)
{
    for (int i = 0; i < problem.lower.size(); ++i)
        x[i] = std::clamp(x[i], problem.lower[i], problem.upper[i]);
    DenseSquares squares{problem, x, {}, {}, {}, {}, {}, {}, {}};
    DampedProblem damped;
    damped.size = static_cast<int>(x.size());
    damped.linearise = [&] { return squares.linearise(); };
    damped.solve = [&](double lambda, VecX& step, double& foretold) {
        return squares.solve(lambda, step, foretold);
    };
    damped.attempt = [&](const VecX& step) { return squares.attempt(step); };
    damped.keep = [&] { x = squares.tried; };
    return minimiseDamped(damped, limits);
}

}  // namespace sinew
