// The integrators as one interchangeable set, a row of a table each: for anything with a state and a
// derivative (ode/system.h).
//
//     ode::Work work;                                                 kept from step to step
//     const ode::Scheme& scheme = *ode::findScheme("velocity_verlet");
//     ode::step(scheme, system, t, h, x, v, work);                    from t to t + h, in place
//
// Formulas are R. Parent's (the slides), corrected where they were misprinted; two are also there as
// printed: heun_slides and semi_implicit_slides.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sinew/base/stop.h"
#include "sinew/ode/system.h"

namespace sinew::ode {

// What steps did, added up until the caller clears it.
struct Statistics {
    long evaluations = 0;  // of rates or accelerations
    long steps = 0;        // of schemes that adapt: those that they made inside
    long rejected = 0;     // likewise: those that were tried and were too long
    long newtonIterations = 0;
};

// Memory and settings of steps. After the first step of a system nothing is allocated any more.
struct Work {
    Tolerance tolerance;  // of dormand_prince
    // Of implicit_euler: exactly so many at most, however good (1: linearly implicit); zero: until the
    // correction is a part `newtonTolerance` of the velocities.
    int newtonIterations = 0;
    double newtonTolerance = 1e-10;
    Stop stop;  // asked between iterations and inner steps; a step that was stopped is not found
    Statistics statistics;

    // Schemes that remember something of the step before (a rate, half a velocity, the length of a step)
    // forget it: to be called after the state was changed from outside. They see by themselves that t, h,
    // or the size of the system is another one.
    void restart() { started = false; }

    // ---- of the steps themselves ------------------------------------------------------------------------
    static constexpr int mostStages = 7;
    std::vector<double> k[mostStages];           // rates of stages
    std::vector<double> stage, start, error, y;  // y: x and v of a second-order system as one
    std::vector<double> kept;                    // a rate or an acceleration at the present state
    std::vector<double> memory;                  // half a velocity, the way of the last step
    std::vector<double> matrix;                  // dense derivative
    bool started = false;
    const void* scheme = nullptr;  // who started
    double time = 0, length = 0;   // where, and with which step
    double next = 0;               // of dormand_prince: the step to try; zero: all
    double lastError = 1;

    // But for the rounding of times that are summed or counted.
    bool isAt(double t, double h) const { return std::abs(t - time) <= 1e-6 * std::abs(h); }
};

using FirstStep = bool (*)(FirstOrder& system, double t, double h, Out y, Work& work);
using SecondStep = bool (*)(SecondOrder& system, double t, double h, Out x, Out v, Work& work);

struct Scheme {
    const char* name;
    const char* title;
    const char* source;
    int order;              // the error at a given time falls as h^order
    int orderWithVelocity;  // the same under forces that depend on velocity
    int evaluations;        // a step, once it runs; of implicit_euler: an iteration, beside the derivative
    // The largest h ω at which an oscillator x'' = −ω² x does not grow, and the largest h λ at which
    // x' = −λ x does not; 0: none, infinity: any. The second is NaN where only positions are stepped.
    double oscillation, decay;
    const char* stability;  // in words
    const char* conserves;
    bool isSymplectic = false;
    bool adapts = false;  // chooses its own steps inside h, by Work::tolerance
    FirstStep first;      // null: for second-order systems only
    SecondStep second;    // null: as `first`, with x and v as one state

    bool needsPositions() const { return !first; }
};

std::span<const Scheme> schemes();
const Scheme* findScheme(std::string_view name);

// One step from t to t + h, in place. False: it was not found (Newton's method did not converge, or no step
// is short enough for the tolerance), and the state is as it was. A scheme that needs positions must not be
// asked to step a first-order system.
bool step(const Scheme& scheme, FirstOrder& system, double t, double h, Out y, Work& work);
bool step(const Scheme& scheme, SecondOrder& system, double t, double h, Out x, Out v, Work& work);

}  // namespace sinew::ode
