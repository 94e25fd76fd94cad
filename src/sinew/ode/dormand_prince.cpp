#include "sinew/ode/dormand_prince.h"

#include <limits>

namespace sinew::ode {
namespace {

constexpr int dormandPrinceStages = 7;
constexpr Tableau dormandPrinceTableau = {
    dormandPrinceStages,
    {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1},
    {{},
     {1. / 5},
     {3. / 40, 9. / 40},
     {44. / 45, -56. / 15, 32. / 9},
     {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
     {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
     {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84, 0}};
// The weights of fifth order less those of fourth.
constexpr double errorWeight[dormandPrinceStages] = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                                                     -17253. / 339200, 22. / 525, -1. / 40};
constexpr double denseWeight[dormandPrinceStages] = {
    -12715105075. / 11282082432,  0,
    87487479700. / 32700410799,   -10690763975. / 1880347072,
    701980252875. / 199316789632, -1453857185. / 822651844,
    69997945. / 29380423};

// The controller: h' = h · safety · err^−α · (err of the step before)^β, within bounds; α = 11/64, β =
// 1/32.
constexpr double safety = 0.9, mostShrinking = 0.2, mostGrowing = 10, leastError = 1e-4;
constexpr long mostTrials = 1000000;  // in one call

// x^(count/64), by square roots alone: those have the same bits everywhere, std::pow has not.
double rootOf(double x, int count)
{
    for (int i = 0; i < 6; ++i) x = std::sqrt(x);
    double power = 1;
    for (int i = 0; i < count; ++i) power *= x;
    return power;
}

// The rate at the start, unless the step before knows it.
void begin(FirstOrder& system, double t, In y, Work& work)
{
    const std::size_t n = y.size();
    for (std::vector<double>& k : work.k) k.resize(n);
    for (std::vector<double>* v : {&work.stage, &work.error, &work.kept}) v->resize(n);
    system.rate(t, y, work.kept);
    ++work.statistics.evaluations;
}

// One try from y, at which work.kept is the rate: the end in work.stage, stages in work.k. Returns the size
// of the error.
double tryStep(FirstOrder& system, double t, double h, In y, Work& work)
{
    const Tableau& tableau = dormandPrinceTableau;
    std::copy(work.kept.begin(), work.kept.end(), work.k[0].begin());
    for (int s = 1; s < tableau.stages; ++s) {
        combine(y, h, tableau.a[s], s, work, work.stage);
        system.rate(t + h * tableau.c[s], work.stage, work.k[s]);
    }
    work.statistics.evaluations += tableau.stages - 1;
    std::fill(work.error.begin(), work.error.end(), 0.);
    combine(work.error, h, errorWeight, tableau.stages, work, work.error);
    const double size = system.errorSize(y, work.stage, work.error, work.tolerance);
    return std::isfinite(size) ? size : std::numeric_limits<double>::infinity();
}

// A step that is good enough, of length h at most; h becomes its length. False: there is none.
bool findStep(FirstOrder& system, double t, double& h, In y, Work& work)
{
    bool wasRejected = false;
    for (long trial = 0; trial < mostTrials; ++trial) {
        if (work.stop()) return false;
        // Shorter than what is left of t after rounding.
        if (!(std::abs(h) > 4 * std::numeric_limits<double>::epsilon() * std::abs(t)) || h == 0)
            return false;
        const double error = tryStep(system, t, h, y, work);
        const double wanted = rootOf(error, 11);
        if (error <= 1) {
            double factor = safety * rootOf(work.lastError, 2) / wanted;
            factor = std::clamp(factor, mostShrinking, wasRejected ? 1 : mostGrowing);
            work.next = h * factor;
            work.lastError = std::max(error, leastError);
            ++work.statistics.steps;
            return true;
        }
        ++work.statistics.rejected;
        wasRejected = true;
        h *= std::max(mostShrinking, safety / wanted);
    }
    return false;
}

// Hairer, Nørsett & Wanner II.4: from the sizes of state, rate and its change.
double firstLength(FirstOrder& system, double t, In y, Work& work)
{
    const double size = system.errorSize(y, y, y, work.tolerance);
    const double rate = system.errorSize(y, y, work.kept, work.tolerance);
    const double guess = size < 1e-5 || rate < 1e-5 ? 1e-6 : 0.01 * size / rate;
    for (std::size_t i = 0; i < y.size(); ++i) work.stage[i] = y[i] + guess * work.kept[i];
    system.rate(t + guess, work.stage, work.k[1]);
    ++work.statistics.evaluations;
    for (std::size_t i = 0; i < y.size(); ++i) work.error[i] = (work.k[1][i] - work.kept[i]) / guess;
    const double change = system.errorSize(y, y, work.error, work.tolerance);
    const double most = std::max(rate, change);
    const double length = most <= 1e-15 ? std::max(1e-6, guess * 1e-3) : rootOf(0.01 / most, 13);
    return std::min(100 * guess, length);
}

// Takes what was found as the state; the last rate is the first one of the next step.
void accept(FirstOrder& system, double t, Out y, Work& work)
{
    std::copy(work.stage.begin(), work.stage.end(), y.begin());
    std::swap(work.kept, work.k[dormandPrinceStages - 1]);
    if (system.rebase(t, y, work.kept)) return;
    system.rate(t, y, work.kept);
    ++work.statistics.evaluations;
}

}  // namespace

bool dormandPrinceStep(FirstOrder& system, double t, double h, Out y, Work& work)
{
    static constexpr char self = 0;
    const double end = t + h;
    const bool goesOn =
        work.started && work.scheme == &self && work.isAt(t, h) && work.kept.size() == y.size();
    if (!goesOn) {
        begin(system, t, y, work);
        work.next = h;
        work.lastError = 1;
    }
    work.start.assign(y.begin(), y.end());
    work.started = false;
    double now = t;
    for (long parts = 0;; ++parts) {
        const double left = end - now, wished = work.next;
        // Stretched a little rather than leaving a tiny rest.
        const bool isLast = std::abs(left) <= 1.01 * std::abs(wished);
        double length = isLast ? left : wished;
        const double asked = length;
        if (parts >= mostTrials || !findStep(system, now, length, y, work)) {
            std::copy(work.start.begin(), work.start.end(), y.begin());
            return false;
        }
        const bool lands = isLast && length == asked;
        now = lands ? end : now + length;
        // A step that was cut to land says little of how long the next one may be.
        if (lands && std::abs(work.next) < std::abs(wished)) work.next = wished;
        accept(system, now, y, work);
        if (lands) break;
    }
    work.started = true;
    work.scheme = &self;
    work.time = end;
    return true;
}

Flow::Flow(FirstOrder& system, double t, In y, const Tolerance& tolerance, double first)
    : system_(system), from_(t), to_(t), end_(y.begin(), y.end())
{
    work_.tolerance = tolerance;
    work_.y.assign(y.begin(), y.end());
    begin(system, t, y, work_);
    work_.next = first > 0 ? first : firstLength(system, t, y, work_);
}

bool Flow::advance()
{
    // Only now: while frames of the last step were asked for, its chart had to stay.
    if (isMoved_) accept(system_, to_, end_, work_);
    isMoved_ = false;
    double length = work_.next;
    if (!findStep(system_, to_, length, end_, work_)) return false;
    std::copy(end_.begin(), end_.end(), work_.y.begin());
    from_ = to_;
    to_ += length;
    isMoved_ = true;
    return true;
}

bool Flow::at(double t, Out y)
{
    while (t > to_)
        if (!advance()) return false;
    if (!isMoved_ || t == from_) {
        const std::vector<double>& known = isMoved_ ? work_.y : end_;
        std::copy(known.begin(), known.end(), y.begin());
        return true;
    }
    const double h = to_ - from_, part = (t - from_) / h, rest = 1 - part;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double begin = work_.y[i], way = work_.stage[i] - begin;
        const double bend = h * work_.k[0][i] - way;
        const double other = way - h * work_.k[dormandPrinceStages - 1][i] - bend;
        double more = 0;
        for (int s = 0; s < dormandPrinceStages; ++s) more += denseWeight[s] * work_.k[s][i];
        y[i] = begin + part * (way + rest * (bend + part * (other + rest * h * more)));
    }
    return true;
}

}  // namespace sinew::ode
