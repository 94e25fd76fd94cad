#include "sinew/ode/positions.h"

namespace sinew::ode {
namespace {

void accelerateInto(std::vector<double>& a, SecondOrder& system, double t, In x, In v, Work& work)
{
    a.resize(x.size());
    system.accelerate(t, x, v, a);
    ++work.statistics.evaluations;
}

// Whether what the step before remembered is still of this motion.
bool goesOn(const void* scheme, double t, double h, std::size_t n, const Work& work)
{
    return work.started && work.scheme == scheme && work.isAt(t, h) &&
           std::abs(h - work.length) <= 1e-9 * std::abs(h) && work.kept.size() == n;
}

// What was remembered is right for a step of the same length from t + h on.
void remember(const void* scheme, double t, double h, bool known, Work& work)
{
    work.started = known;
    work.scheme = scheme;
    work.time = t + h;
    work.length = h;
}

}  // namespace

bool semiImplicitEulerStep(SecondOrder& system, double t, double h, Out x, Out v, Work& work)
{
    accelerateInto(work.kept, system, t, x, v, work);
    for (std::size_t i = 0; i < x.size(); ++i) {
        v[i] += h * work.kept[i];
        x[i] += h * v[i];
    }
    system.rebase(t + h, x, v);
    return true;
}

bool heunSlidesStep(SecondOrder& system, double t, double h, Out x, Out v, Work& work)
{
    accelerateInto(work.kept, system, t, x, v, work);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double before = v[i];
        v[i] += h * work.kept[i];
        x[i] += h * (0.5 * (before + v[i]));
    }
    system.rebase(t + h, x, v);
    return true;
}

bool velocityVerletStep(SecondOrder& system, double t, double h, Out x, Out v, Work& work)
{
    static constexpr char self = 0;
    const std::size_t n = x.size();
    if (!goesOn(&self, t, h, n, work)) accelerateInto(work.kept, system, t, x, v, work);
    work.stage.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double kick = h * work.kept[i];
        x[i] += h * (v[i] + 0.5 * kick);
        work.stage[i] = v[i] + kick;
    }
    accelerateInto(work.k[0], system, t + h, x, work.stage, work);
    for (std::size_t i = 0; i < n; ++i) v[i] += 0.5 * h * (work.kept[i] + work.k[0][i]);
    std::swap(work.kept, work.k[0]);
    remember(&self, t, h, system.rebase(t + h, x, v), work);
    return true;
}

bool positionVerletStep(SecondOrder& system, double t, double h, Out x, Out v, Work& work)
{
    static constexpr char self = 0;
    const std::size_t n = x.size();
    std::vector<double>& way = work.memory;  // x − x₋
    if (!goesOn(&self, t, h, n, work)) {
        accelerateInto(work.kept, system, t, x, v, work);
        way.resize(n);
        for (std::size_t i = 0; i < n; ++i) way[i] = h * v[i] - 0.5 * h * h * work.kept[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
        way[i] += h * h * work.kept[i];
        x[i] += way[i];
        v[i] = way[i] / h;
    }
    accelerateInto(work.kept, system, t + h, x, v, work);
    for (std::size_t i = 0; i < n; ++i) v[i] += 0.5 * h * work.kept[i];
    remember(&self, t, h, system.rebase(t + h, x, v), work);
    return true;
}

bool leapfrogStep(SecondOrder& system, double t, double h, Out x, Out v, Work& work)
{
    static constexpr char self = 0;
    const std::size_t n = x.size();
    std::vector<double>& half = work.memory;  // v₋½
    if (!goesOn(&self, t, h, n, work)) {
        accelerateInto(work.kept, system, t, x, v, work);
        half.resize(n);
        for (std::size_t i = 0; i < n; ++i) half[i] = v[i] - 0.5 * h * work.kept[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
        half[i] += h * work.kept[i];
        x[i] += h * half[i];
    }
    accelerateInto(work.kept, system, t + h, x, half, work);
    for (std::size_t i = 0; i < n; ++i) v[i] = half[i] + 0.5 * h * work.kept[i];
    remember(&self, t, h, system.rebase(t + h, x, v), work);
    return true;
}

}  // namespace sinew::ode
