#include "sinew/optimize/minimise.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace sinew {
namespace {

// Of what the slope foretells, at least this must come true; and the slope must have fallen to this part.
constexpr double sufficient = 1e-4, flatEnough = 0.9;

bool isDone(const VecX& gradient, double energy, const MinimiseLimits& limits, MinimiseReport& report)
{
    report.energy = energy;
    report.gradient = gradient.size() == 0 ? 0 : gradient.cwiseAbs().maxCoeff();
    if (energy <= limits.energy)
        report.end = MinimiseEnd::goal;
    else if (report.gradient <= limits.gradient)
        report.end = MinimiseEnd::minimum;
    else
        return false;
    return true;
}

// E along a direction, from the kept point.
struct Line {
    const SmoothFunction& function;
    const VecX& direction;
    MinimiseReport& report;
    VecX gradient;

    // The direction of travel turns with the point on curved spaces, which second order does not see.
    double at(double alpha, double& slope)
    {
        ++report.evaluations;
        const double energy = function.at(alpha * direction, &gradient);
        slope = gradient.dot(direction);
        return energy;
    }
};

// A minimum of the cubic through two points with slopes, kept within the middle of them.
double cubicMinimum(double a, double Ea, double da, double b, double Eb, double db)
{
    const double s = da + db - 3 * (Ea - Eb) / (a - b);
    const double root = std::sqrt(std::max(0., s * s - da * db));
    const double sign = b > a ? 1 : -1;
    double x = b - (b - a) * (db + sign * root - s) / (db - da + 2 * sign * root);
    const double low = std::min(a, b), high = std::max(a, b), margin = 0.1 * (high - low);
    if (!(x >= low + margin && x <= high - margin)) x = 0.5 * (low + high);
    return x;
}

// A step with both of Wolfe's conditions; 0: there is none that rounding would not swallow.
double searchWolfe(Line& line, double E0, double slope0, double start, double& energy)
{
    double before = 0, Ebefore = E0, dBefore = slope0, alpha = start;
    double low = 0, Elow = E0, dLow = slope0, high = 0, Ehigh = 0, dHigh = 0;
    bool isBracketed = false;
    for (int i = 0; i < 40 && !isBracketed; ++i) {
        double slope = 0;
        energy = line.at(alpha, slope);
        if (!(energy <= E0 + sufficient * alpha * slope0) || (i > 0 && energy >= Ebefore)) {
            low = before, Elow = Ebefore, dLow = dBefore;
            high = alpha, Ehigh = energy, dHigh = slope;
            isBracketed = true;
        } else if (std::abs(slope) <= -flatEnough * slope0) {
            return alpha;
        } else if (slope >= 0) {
            low = alpha, Elow = energy, dLow = slope;
            high = before, Ehigh = Ebefore, dHigh = dBefore;
            isBracketed = true;
        } else {
            before = alpha, Ebefore = energy, dBefore = slope;
            alpha *= 2;
        }
    }
    if (!isBracketed) return 0;
    for (int i = 0; i < 40; ++i) {
        alpha =
            std::isfinite(Ehigh) ? cubicMinimum(low, Elow, dLow, high, Ehigh, dHigh) : 0.5 * (low + high);
        double slope = 0;
        energy = line.at(alpha, slope);
        if (!(energy <= E0 + sufficient * alpha * slope0) || energy >= Elow) {
            high = alpha, Ehigh = energy, dHigh = slope;
        } else {
            if (std::abs(slope) <= -flatEnough * slope0) return alpha;
            if (slope * (high - low) >= 0) high = low, Ehigh = Elow, dHigh = dLow;
            low = alpha, Elow = energy, dLow = slope;
        }
    }
    // Rounding: the best point that is lower than the start will do.
    if (!(low > 0) || !(Elow < E0)) return 0;
    double slope = 0;
    energy = line.at(low, slope);
    return low;
}

struct Pair {
    VecX step, change;
    double product;  // step · change
};

VecX historyDirection(const std::deque<Pair>& history, const VecX& gradient)
{
    VecX d = -gradient;
    std::vector<double> along(history.size());
    for (std::size_t i = history.size(); i-- > 0;) {
        along[i] = history[i].step.dot(d) / history[i].product;
        d -= along[i] * history[i].change;
    }
    if (!history.empty()) d *= history.back().product / history.back().change.squaredNorm();
    for (std::size_t i = 0; i < history.size(); ++i)
        d += (along[i] - history[i].change.dot(d) / history[i].product) * history[i].step;
    return d;
}

VecX zeros(int n)
{
    VecX v(n);
    v.setZero();
    return v;
}

}  // namespace

MinimiseReport gradientSteps(const SmoothFunction& function, const MinimiseLimits& limits)
{
    MinimiseReport report;
    VecX gradient = zeros(function.size);
    double energy = function.at(zeros(function.size), &gradient);
    report.startEnergy = energy;
    report.evaluations = 1;
    double alpha = 1;
    for (; !isDone(gradient, energy, limits, report); ++report.iterations) {
        if (report.iterations == limits.iterations) return report;
        const double square = gradient.squaredNorm();
        double next = 0;
        bool atOnce = true;
        while (true) {
            next = function.at(-alpha * gradient, nullptr);
            ++report.evaluations;
            if (next <= energy - 0.5 * alpha * square) break;
            atOnce = false;
            alpha *= 0.5;
            if (!(alpha * std::sqrt(square) > 1e-300) || energy - 0.5 * alpha * square == energy) {
                report.end = MinimiseEnd::stuck;
                return report;
            }
        }
        function.keep(-alpha * gradient);
        energy = function.at(zeros(function.size), &gradient);
        ++report.evaluations;
        if (atOnce) alpha *= 2;
    }
    return report;
}

MinimiseReport minimiseByHistory(const SmoothFunction& function, const MinimiseLimits& limits, int memory)
{
    MinimiseReport report;
    VecX gradient = zeros(function.size);
    double energy = function.at(zeros(function.size), &gradient);
    report.startEnergy = energy;
    report.evaluations = 1;
    std::deque<Pair> history;
    for (; !isDone(gradient, energy, limits, report); ++report.iterations) {
        if (report.iterations == limits.iterations) return report;
        VecX direction = historyDirection(history, gradient);
        double slope = direction.dot(gradient);
        if (!(slope < 0)) {
            history.clear();
            direction = -gradient;
            slope = -gradient.squaredNorm();
        }
        Line line{function, direction, report, zeros(function.size)};
        const double start = history.empty() ? std::min(1., 1 / direction.norm()) : 1;
        double next = energy;
        const double alpha = searchWolfe(line, energy, slope, start, next);
        if (alpha == 0) {
            if (history.empty()) {
                report.end = MinimiseEnd::stuck;
                return report;
            }
            history.clear();
            continue;
        }
        const VecX step = alpha * direction;
        function.keep(step);
        const VecX change = line.gradient - gradient;
        const double product = step.dot(change);
        if (product > 1e-14 * step.norm() * change.norm()) history.push_back({step, change, product});
        if (history.size() > static_cast<std::size_t>(memory)) history.pop_front();
        energy = next;
        gradient = line.gradient;
    }
    return report;
}

MinimiseReport minimiseDamped(const DampedProblem& problem, const MinimiseLimits& limits)
{
    // Of the scale of H: where λ begins, and beyond which a step is nothing.
    constexpr double first = 1e-3, least = 1e-14, most = 1e14;
    // A fall of less than this part of E is not seen.
    constexpr double rounding = 1e-14;
    MinimiseReport report;
    VecX step = zeros(problem.size);
    double lambda = first, raise = 2;
    DampedProblem::Linear now = problem.linearise();
    report.startEnergy = report.energy = now.energy;
    report.gradient = now.gradient;
    report.evaluations = 1;
    while (true) {
        if (now.energy <= limits.energy || now.gradient <= limits.gradient) {
            report.end = now.energy <= limits.energy ? MinimiseEnd::goal : MinimiseEnd::minimum;
            return report;
        }
        if (report.iterations == limits.iterations) return report;
        ++report.iterations;
        double foretold = 0, energy = 0;
        bool falls = problem.solve(lambda, step, foretold);
        if (falls) {
            energy = problem.attempt(step);
            ++report.evaluations;
            falls = energy < now.energy;
        }
        if (!falls) {
            if (foretold > 0 && foretold < rounding * now.energy) {
                report.end = MinimiseEnd::minimum;
                return report;
            }
            lambda *= raise;
            raise *= 2;
            if (lambda > most) {
                report.end = MinimiseEnd::stuck;
                return report;
            }
            continue;
        }
        problem.keep();
        // How much of the foretold fall came true.
        const double truth = foretold > 0 ? (now.energy - energy) / foretold : 0;
        const double cube = (2 * truth - 1) * (2 * truth - 1) * (2 * truth - 1);
        lambda = std::max(least, lambda * std::max(1. / 10, 1 - cube));
        raise = 2;
        now = problem.linearise();
        report.energy = now.energy;
        report.gradient = now.gradient;
    }
}

}  // namespace sinew
