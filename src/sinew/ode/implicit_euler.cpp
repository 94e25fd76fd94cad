#include "sinew/ode/implicit_euler.h"

#include <limits>
#include <utility>

namespace sinew::ode {
namespace {

constexpr int mostIterations = 50, mostHalvings = 3;
constexpr double nearlyThere = 1e-6;  // of the scale: a correction that may be left as it is
constexpr double difference = 1e-8;   // of what numbers are: for derivatives

double largestOf(In numbers)
{
    double largest = 0;
    for (const double x : numbers) {
        if (!std::isfinite(x)) return std::numeric_limits<double>::infinity();
        largest = std::max(largest, std::abs(x));
    }
    return largest;
}

// Gaussian elimination with partial pivoting of a matrix by rows; b becomes the solution.
bool solveInPlace(std::vector<double>& A, Out b)
{
    const std::size_t n = b.size();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t r = k + 1; r < n; ++r)
            if (std::abs(A[r * n + k]) > std::abs(A[pivot * n + k])) pivot = r;
        if (!(std::abs(A[pivot * n + k]) > 0)) return false;
        if (pivot != k) {
            for (std::size_t c = k; c < n; ++c) std::swap(A[k * n + c], A[pivot * n + c]);
            std::swap(b[k], b[pivot]);
        }
        for (std::size_t r = k + 1; r < n; ++r) {
            const double factor = A[r * n + k] / A[k * n + k];
            if (factor == 0) continue;
            for (std::size_t c = k + 1; c < n; ++c) A[r * n + c] -= factor * A[k * n + c];
            b[r] -= factor * b[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t c = k + 1; c < n; ++c) b[k] -= A[k * n + c] * b[c];
        b[k] /= A[k * n + k];
    }
    return true;
}

// Finds z with g(z) = 0. Problem::residual(z, r): r = −g; solve(z, r): r → the correction.
template <class Problem>
class Newton {
public:
    Newton(Problem& problem, Work& work)
        : problem_(problem),
          work_(work),
          residual_(work.k[0]),
          correction_(work.k[1]),
          from_(work.k[2]),
          there_(work.k[3])
    {
    }

    // From z on, in place.
    bool run(Out z)
    {
        for (std::vector<double>* v : {&residual_, &correction_, &from_, &there_}) v->resize(z.size());
        evaluate(z, residual_);
        const bool isCounted = work_.newtonIterations > 0;
        const int limit = isCounted ? work_.newtonIterations : mostIterations;
        double before = std::numeric_limits<double>::infinity();
        for (int i = 0; i < limit; ++i) {
            if (work_.stop()) return false;
            ++work_.statistics.newtonIterations;
            if (!correct(z)) return false;
            const double correction = largestOf(correction_);
            take(z, isCounted && i + 1 == limit);
            if (!std::isfinite(correction) || !std::isfinite(largestOf(z))) return false;
            if (isCounted) continue;
            const double scale = problem_.scale(z);
            if (correction <= work_.newtonTolerance * scale || problem_.isLost(correction)) return true;
            // As near as rounding lets it come.
            if (correction >= 0.5 * before && correction <= nearlyThere * scale) return true;
            before = correction;
        }
        return isCounted;
    }

private:
    void evaluate(In z, Out r)
    {
        problem_.residual(z, r);
        ++work_.statistics.evaluations;
    }

    bool correct(Out z)
    {
        std::copy(residual_.begin(), residual_.end(), correction_.begin());
        return problem_.hasDerivative() ? problem_.solve(z, correction_) : solveByDifferences(z);
    }

    // Goes along the correction, by a part of it if the residual grows otherwise; all of it if it grows
    // anyhow. After the last one nobody asks for the residual.
    void take(Out z, bool isLast)
    {
        std::copy(z.begin(), z.end(), from_.begin());
        const auto go = [&](double part) {
            for (std::size_t i = 0; i < z.size(); ++i) z[i] = from_[i] + part * correction_[i];
        };
        const double size = largestOf(residual_);
        double part = 1;
        for (int i = 0; i <= mostHalvings; ++i, part /= 2) {
            go(part);
            if (isLast) return;
            evaluate(z, residual_);
            if (largestOf(residual_) <= size) return;
        }
        go(1);
        evaluate(z, residual_);
    }

    bool solveByDifferences(Out z)
    {
        const std::size_t n = z.size();
        work_.matrix.resize(n * n);
        // Where nothing moves yet, the residual says how fast things will.
        const double change = difference * std::max(problem_.reach(z), largestOf(residual_));
        if (!(change > std::numeric_limits<double>::min())) {
            std::fill(correction_.begin(), correction_.end(), 0.);
            return true;
        }
        for (std::size_t c = 0; c < n; ++c) {
            const double at = z[c];
            z[c] = at + change;
            const double step = z[c] - at;
            evaluate(z, there_);
            for (std::size_t i = 0; i < n; ++i) work_.matrix[i * n + c] = (residual_[i] - there_[i]) / step;
            z[c] = at;
        }
        return solveInPlace(work_.matrix, correction_);
    }

    Problem& problem_;
    Work& work_;
    std::vector<double>&residual_, &correction_, &from_, &there_;
};

struct FirstOrderStep {
    FirstOrder& system;
    double t, h;
    In y0;

    bool hasDerivative() const { return system.hasDerivative(); }
    void residual(In y, Out r) const
    {
        system.rate(t + h, y, r);
        for (std::size_t i = 0; i < y.size(); ++i) r[i] = y0[i] + h * r[i] - y[i];
    }
    bool solve(In y, Out r) const { return system.solve(t + h, h, y, r); }
    double scale(In y) const { return std::max(largestOf(y), largestOf(y0)); }
    double reach(In y) const { return scale(y); }
    bool isLost(double correction) const { return correction == 0; }
};

struct SecondOrderStep {
    SecondOrder& system;
    double t, h;
    In x0, v0;
    std::vector<double>& x;

    bool hasDerivative() const { return system.hasDerivative(); }
    void residual(In v, Out r) const
    {
        move(v);
        system.accelerate(t + h, x, v, r);
        for (std::size_t i = 0; i < v.size(); ++i) r[i] = v0[i] + h * r[i] - v[i];
    }
    bool solve(In v, Out r) const
    {
        move(v);
        return system.solve(t + h, h, x, v, r);
    }
    double scale(In v) const { return std::max(largestOf(v), largestOf(v0)); }
    // A difference must show in places too.
    double reach(In v) const { return std::max(scale(v), largestOf(x0) / h); }
    // In the rounding of places.
    bool isLost(double correction) const { return h * correction <= 1e-15 * largestOf(x0); }
    void move(In v) const
    {
        for (std::size_t i = 0; i < v.size(); ++i) x[i] = x0[i] + h * v[i];
    }
};

}  // namespace

bool implicitEulerStep(FirstOrder& system, double t, double h, Out y, Work& work)
{
    work.stage.assign(y.begin(), y.end());
    FirstOrderStep problem{system, t, h, y};
    if (!Newton(problem, work).run(work.stage)) return false;
    std::copy(work.stage.begin(), work.stage.end(), y.begin());
    system.rebase(t + h, y, {});
    return true;
}

bool implicitEulerStep(SecondOrder& system, double t, double h, Out x, Out v, Work& work)
{
    work.stage.assign(v.begin(), v.end());
    work.start.resize(x.size());
    SecondOrderStep problem{system, t, h, x, v, work.start};
    if (!Newton(problem, work).run(work.stage)) return false;
    for (std::size_t i = 0; i < x.size(); ++i) {
        v[i] = work.stage[i];
        x[i] += h * v[i];
    }
    system.rebase(t + h, x, v);
    return true;
}

}  // namespace sinew::ode
