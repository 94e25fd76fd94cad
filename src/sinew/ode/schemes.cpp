#include "sinew/ode/schemes.h"

#include <limits>

#include "sinew/base/assert.h"
#include "sinew/ode/dormand_prince.h"
#include "sinew/ode/implicit_euler.h"
#include "sinew/ode/positions.h"
#include "sinew/ode/runge_kutta.h"

namespace sinew::ode {
namespace {

constexpr double always = std::numeric_limits<double>::infinity();
constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr const char* unstable = "swings grow at any step";
constexpr const char* symplectic = "symplectic: energy bounded; momentum, angular momentum";
constexpr const char* momentum = "momentum";

// Momentum is conserved by all; so is every other linear invariant.
constexpr Scheme schemeTable[] = {
    {.name = "explicit_euler",
     .title = "along the slope at the start",
     .source = "Parent",
     .order = 1,
     .orderWithVelocity = 1,
     .evaluations = 1,
     .oscillation = 0,
     .decay = 2,
     .stability = unstable,
     .conserves = momentum,
     .first = explicitEulerStep,
     .second = nullptr},
    {.name = "midpoint",
     .title = "along the slope in the middle, where half an Euler step leads",
     .source = "Parent: Runge-Kutta of 2nd order",
     .order = 2,
     .orderWithVelocity = 2,
     .evaluations = 2,
     .oscillation = 0,
     .decay = 2,
     .stability = unstable,
     .conserves = momentum,
     .first = midpointStep,
     .second = nullptr},
    {.name = "heun",
     .title = "along the mean of the slopes at both ends",
     .source = "Heun 1900",
     .order = 2,
     .orderWithVelocity = 2,
     .evaluations = 2,
     .oscillation = 0,
     .decay = 2,
     .stability = unstable,
     .conserves = momentum,
     .first = heunStep,
     .second = nullptr},
    {.name = "heun_slides",
     .title = "Heun as the slides print it: only the place gets the mean",
     .source = "Parent, as printed",
     .order = 1,
     .orderWithVelocity = 1,
     .evaluations = 1,
     .oscillation = 0,
     .decay = none,
     .stability = unstable,
     .conserves = momentum,
     .first = nullptr,
     .second = heunSlidesStep},
    {.name = "rk4",
     .title = "the classical Runge-Kutta method",
     .source = "Parent; Kutta 1901",
     .order = 4,
     .orderWithVelocity = 4,
     .evaluations = 4,
     .oscillation = 2.8284271247461903,
     .decay = 2.7852935634052816,
     .stability = "h w < 2.83; swings fade",
     .conserves = momentum,
     .first = rungeKutta4Step,
     .second = nullptr},
    {.name = "position_verlet",
     .title = "from the last two places",
     .source = "Parent; Stoermer 1907, Verlet 1967",
     .order = 2,
     .orderWithVelocity = 1,
     .evaluations = 1,
     .oscillation = 2,
     .decay = none,
     .stability = "h w < 2",
     .conserves = symplectic,
     .isSymplectic = true,
     .first = nullptr,
     .second = positionVerletStep},
    {.name = "velocity_verlet",
     .title = "the same with the velocity at full steps",
     .source = "Swope et al. 1982",
     .order = 2,
     .orderWithVelocity = 2,
     .evaluations = 1,
     .oscillation = 2,
     .decay = none,
     .stability = "h w < 2",
     .conserves = symplectic,
     .isSymplectic = true,
     .first = nullptr,
     .second = velocityVerletStep},
    {.name = "leapfrog",
     .title = "the same with the velocity at half steps",
     .source = "Parent, corrected",
     .order = 2,
     .orderWithVelocity = 1,
     .evaluations = 1,
     .oscillation = 2,
     .decay = none,
     .stability = "h w < 2",
     .conserves = symplectic,
     .isSymplectic = true,
     .first = nullptr,
     .second = leapfrogStep},
    {.name = "semi_implicit_euler",
     .title = "velocity first, then the place with it: the symplectic Euler step",
     .source = "de Vogelaere 1956",
     .order = 1,
     .orderWithVelocity = 1,
     .evaluations = 1,
     .oscillation = 2,
     .decay = none,
     .stability = "h w < 2",
     .conserves = symplectic,
     .isSymplectic = true,
     .first = nullptr,
     .second = semiImplicitEulerStep},
    {.name = "semi_implicit_slides",
     .title = "along the slope where an Euler step leads: the slides' semi-implicit Euler",
     .source = "Parent, as printed",
     .order = 1,
     .orderWithVelocity = 1,
     .evaluations = 2,
     .oscillation = 1,
     .decay = 1,
     .stability = "h w < 1; swings fade",
     .conserves = momentum,
     .first = semiImplicitSlidesStep,
     .second = nullptr},
    {.name = "implicit_euler",
     .title = "along the slope at the end, by Newton's method",
     .source = "Parent",
     .order = 1,
     .orderWithVelocity = 1,
     .evaluations = 1,
     .oscillation = always,
     .decay = always,
     .stability = "at any step; swings fade",
     .conserves = momentum,
     .first = implicitEulerStep,
     .second = implicitEulerStep},
    {.name = "dormand_prince",
     .title = "Runge-Kutta 5(4) with error control and dense output",
     .source = "Dormand & Prince 1980; Hairer, Norsett & Wanner",
     .order = 5,
     .orderWithVelocity = 5,
     .evaluations = 6,
     .oscillation = 0.9972,
     .decay = 3.3066,
     .stability = "adapts to the tolerance",
     .conserves = "all to the tolerance",
     .adapts = true,
     .first = dormandPrinceStep,
     .second = nullptr},
};

}  // namespace

std::span<const Scheme> schemes()
{
    return schemeTable;
}

const Scheme* findScheme(std::string_view name)
{
    for (const Scheme& scheme : schemeTable)
        if (name == scheme.name) return &scheme;
    return nullptr;
}

bool step(const Scheme& scheme, FirstOrder& system, double t, double h, Out y, Work& work)
{
    SINEW_ASSERT(scheme.first && static_cast<int>(y.size()) == system.size());
    return scheme.first(system, t, h, y, work);
}

bool step(const Scheme& scheme, SecondOrder& system, double t, double h, Out x, Out v, Work& work)
{
    SINEW_ASSERT(static_cast<int>(x.size()) == system.size() && x.size() == v.size());
    if (scheme.second) return scheme.second(system, t, h, x, v, work);
    AsFirstOrder both(system);
    work.y.resize(2 * x.size());
    const Out y = work.y;
    std::copy(x.begin(), x.end(), y.begin());
    std::copy(v.begin(), v.end(), y.begin() + static_cast<std::ptrdiff_t>(x.size()));
    if (!scheme.first(both, t, h, y, work)) return false;
    std::copy_n(y.begin(), x.size(), x.begin());
    std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(x.size()), v.size(), v.begin());
    return true;
}

}  // namespace sinew::ode
