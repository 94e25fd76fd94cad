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

bool solvePositive(MatX& A, VecX& b)
{
    const int n = static_cast<int>(b.size());
    for (int k = 0; k < n; ++k) {
        double d = A(k, k);
        for (int i = 0; i < k; ++i) d -= A(k, i) * A(k, i);
        if (!(d > 0) || !std::isfinite(d)) return false;
        const double root = std::sqrt(d);
        A(k, k) = root;
        for (int r = k + 1; r < n; ++r) {
            double sum = A(r, k);
            for (int i = 0; i < k; ++i) sum -= A(r, i) * A(k, i);
            A(r, k) = sum / root;
        }
    }
    for (int r = 0; r < n; ++r) {
        for (int i = 0; i < r; ++i) b[r] -= A(r, i) * b[i];
        b[r] /= A(r, r);
    }
    for (int r = n - 1; r >= 0; --r) {
        for (int i = r + 1; i < n; ++i) b[r] -= A(i, r) * b[i];
        b[r] /= A(r, r);
    }
    return true;
}

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
    VecX next = s;
    for (int round = 0; round < 4 * n + 4; ++round) {
        next = s;
        if (!solveFree(A, g, isHeld, next)) return false;
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
