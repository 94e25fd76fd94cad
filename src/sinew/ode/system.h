// What the integrators of ode/ step: anything with a state and a derivative, as flat arrays of numbers.
//
//     struct Spring : ode::SecondOrder {
//         int size() const override { return 1; }
//         void accelerate(double, ode::In x, ode::In, ode::Out a) override { a[0] = -x[0]; }
//     };
//
// States that are no vector space (rotations) are stepped in a chart: x are coordinates around the place
// where the step began, zero there; rates() turns velocities into rates of these coordinates, and rebase()
// moves the state by x and begins a new chart. Without any of it x are the coordinates themselves.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace sinew::ode {

using In = std::span<const double>;
using Out = std::span<double>;

// How far a step with error control may be off, for each number y: absolute + relative · |y|.
struct Tolerance {
    double relative = 1e-6, absolute = 1e-9;
};

// The root mean square of errors by what is allowed, as in Hairer, Nørsett & Wanner II.4: 1 is just good
// enough.
inline double rmsError(In before, In after, In error, const Tolerance& tolerance)
{
    double sum = 0;
    for (std::size_t i = 0; i < error.size(); ++i) {
        const double size = std::max(std::abs(before[i]), std::abs(after[i]));
        const double part = error[i] / (tolerance.absolute + tolerance.relative * size);
        sum += part * part;
    }
    return error.empty() ? 0 : std::sqrt(sum / static_cast<double>(error.size()));
}

// y' = f(t, y).
class FirstOrder {
public:
    virtual int size() const = 0;
    virtual void rate(double t, In y, Out rate) = 0;

    // For implicit steps. solve(): r → dy with (1 − h ∂f/∂y) dy = r at (t, y), in place; false: it cannot
    // be solved. Without a derivative it is made by differences, densely.
    virtual bool hasDerivative() const { return false; }
    virtual bool solve(double /*t*/, double /*h*/, In /*y*/, Out /*r*/) { return false; }

    // For error control: how large an error is, 1 being the largest that is allowed.
    virtual double errorSize(In before, In after, In error, const Tolerance& tolerance)
    {
        return rmsError(before, after, error, tolerance);
    }
    // After each step: takes y as the state and writes what its coordinates are in the new chart, and the
    // rate there, if `rate` is not empty. False: the rate is not known any more.
    virtual bool rebase(double /*t*/, Out /*y*/, Out /*rate*/) { return true; }

protected:
    ~FirstOrder() = default;
};

// x' = v, v' = a(t, x, v).
class SecondOrder {
public:
    virtual int size() const = 0;  // of x, and of v
    virtual void accelerate(double t, In x, In v, Out a) = 0;
    // Whether a depends on v: not where there is no drag, no damper and nothing turns. Some steps lose an
    // order if it does (Scheme::orderWithVelocity).
    virtual bool dependsOnVelocity() const { return true; }

    // For implicit steps. solve(): r → dv with (M − h D − h² K) dv = M r at (t, x, v), in place; M are
    // masses, D and K the derivatives of forces by velocities and places. False: it cannot be solved.
    // Without a derivative it is made by differences, densely.
    virtual bool hasDerivative() const { return false; }
    virtual bool solve(double /*t*/, double /*h*/, In /*x*/, In /*v*/, Out /*r*/) { return false; }

    // The rate of x and the acceleration. Only charts have another rate than v.
    virtual void rates(double t, In x, In v, Out rate, Out a)
    {
        std::copy(v.begin(), v.end(), rate.begin());
        accelerate(t, x, v, a);
    }
    // As in FirstOrder; y are x and then v.
    virtual double errorSize(In before, In after, In error, const Tolerance& tolerance)
    {
        return rmsError(before, after, error, tolerance);
    }
    // After each step: takes x and v as the state and writes what they are in the new chart.
    // False: forces there are not known any more.
    virtual bool rebase(double /*t*/, Out /*x*/, Out /*v*/) { return true; }

protected:
    ~SecondOrder() = default;
};

}  // namespace sinew::ode
