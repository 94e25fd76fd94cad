#include "sinew/ode/runge_kutta.h"

namespace sinew::ode {

void combine(In y, double h, const double* weight, int stages, const Work& work, Out sum)
{
    std::copy(y.begin(), y.end(), sum.begin());
    for (int s = 0; s < stages; ++s) {
        if (weight[s] == 0) continue;
        const double part = h * weight[s];
        const double* k = work.k[s].data();
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part * k[i];
    }
}

namespace {

bool rungeKuttaStep(const Tableau& tableau, FirstOrder& system, double t, double h, Out y, Work& work)
{
    const std::size_t n = y.size();
    work.stage.resize(n);
    for (int s = 0; s < tableau.stages; ++s) {
        work.k[s].resize(n);
        if (s == 0) {
            system.rate(t, y, work.k[0]);
        } else {
            combine(y, h, tableau.a[s], s, work, work.stage);
            system.rate(t + h * tableau.c[s], work.stage, work.k[s]);
        }
    }
    work.statistics.evaluations += tableau.stages;
    combine(y, h, tableau.b, tableau.stages, work, work.stage);
    std::copy(work.stage.begin(), work.stage.end(), y.begin());
    system.rebase(t + h, y, {});
    return true;
}

constexpr Tableau eulerTableau = {1, {0}, {}, {1}};
constexpr Tableau midpointTableau = {2, {0, 0.5}, {{}, {0.5}}, {0, 1}};
constexpr Tableau heunTableau = {2, {0, 1}, {{}, {1}}, {0.5, 0.5}};
// y' = y + h f(t + h, y + h f(t, y)).
constexpr Tableau semiImplicitSlidesTableau = {2, {0, 1}, {{}, {1}}, {0, 1}};
constexpr Tableau rungeKutta4Tableau = {
    4, {0, 0.5, 0.5, 1}, {{}, {0.5}, {0, 0.5}, {0, 0, 1}}, {1. / 6, 1. / 3, 1. / 3, 1. / 6}};

}  // namespace

bool AsFirstOrder::rebase(double t, Out y, Out rate)
{
    const bool known = system_.rebase(t, y.first(n_), y.last(n_));
    // At the origin of a chart the rate of x is v.
    if (known && !rate.empty()) std::copy(y.end() - static_cast<std::ptrdiff_t>(n_), y.end(), rate.begin());
    return known;
}

bool explicitEulerStep(FirstOrder& system, double t, double h, Out y, Work& work)
{
    return rungeKuttaStep(eulerTableau, system, t, h, y, work);
}

bool midpointStep(FirstOrder& system, double t, double h, Out y, Work& work)
{
    return rungeKuttaStep(midpointTableau, system, t, h, y, work);
}

bool heunStep(FirstOrder& system, double t, double h, Out y, Work& work)
{
    return rungeKuttaStep(heunTableau, system, t, h, y, work);
}

bool semiImplicitSlidesStep(FirstOrder& system, double t, double h, Out y, Work& work)
{
    return rungeKuttaStep(semiImplicitSlidesTableau, system, t, h, y, work);
}

bool rungeKutta4Step(FirstOrder& system, double t, double h, Out y, Work& work)
{
    return rungeKuttaStep(rungeKutta4Tableau, system, t, h, y, work);
}

}  // namespace sinew::ode
