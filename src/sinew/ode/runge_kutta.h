// Explicit Runge-Kutta steps by their tableaux, and second-order systems as first-order ones.
#pragma once

#include "sinew/ode/schemes.h"

namespace sinew::ode {

// k_s = f(t + c_s h, y + h Σ a_sj k_j),   y' = y + h Σ b_s k_s.
struct Tableau {
    int stages;
    double c[Work::mostStages];
    double a[Work::mostStages][Work::mostStages];
    double b[Work::mostStages];
};

// y + h Σ weight_s k_s. Terms are added one by one; those of weight zero are left out.
void combine(In y, double h, const double* weight, int stages, const Work& work, Out sum);

// x and v of a second-order system as one state.
class AsFirstOrder final : public FirstOrder {
public:
    explicit AsFirstOrder(SecondOrder& system)
        : system_(system), n_(static_cast<std::size_t>(system.size()))
    {
    }
    int size() const override { return static_cast<int>(2 * n_); }
    void rate(double t, In y, Out rate) override
    {
        system_.rates(t, y.first(n_), y.last(n_), rate.first(n_), rate.last(n_));
    }
    double errorSize(In before, In after, In error, const Tolerance& tolerance) override
    {
        return system_.errorSize(before, after, error, tolerance);
    }
    bool rebase(double t, Out y, Out rate) override;

private:
    SecondOrder& system_;
    std::size_t n_;
};

bool explicitEulerStep(FirstOrder& system, double t, double h, Out y, Work& work);
bool midpointStep(FirstOrder& system, double t, double h, Out y, Work& work);
bool heunStep(FirstOrder& system, double t, double h, Out y, Work& work);
bool semiImplicitSlidesStep(FirstOrder& system, double t, double h, Out y, Work& work);
bool rungeKutta4Step(FirstOrder& system, double t, double h, Out y, Work& work);

}  // namespace sinew::ode
