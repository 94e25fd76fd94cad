// Each integrator of the table has the order, the cost and the stability that the table states.
#include <gtest/gtest.h>

#include <cstdio>

#include "support/ode_systems.h"

namespace sinew::ode_order_test {
namespace {

using namespace test;

// The slope of the error at the end of a time over the step; of dormand_prince without error control.
template <class System>
double slope(const ode::Scheme& scheme, double time, const Motion2& truth, int steps)
{
    if (scheme.order >= 4) steps /= 2;
    double error[2];
    for (int i = 0; i < 2; ++i) {
        System system;
        ode::Work work;
        work.tolerance = {1e9, 1e9};
        error[i] = distance(after(scheme, system, time, steps << i, work), truth);
    }
    return std::log2(error[0] / error[1]);
}

TEST(OdeSchemes, have_their_order_on_oscillator_orbit_and_pendulum)
{
    const double time = 5;
    const Motion2 orbited = Kepler::at(time), swung = Pendulum::at(time);
    const Motion2 turned = {{std::cos(time)}, {-std::sin(time)}};
    for (const ode::Scheme& scheme : ode::schemes()) {
        const double oscillator = slope<Oscillator>(scheme, time, turned, 512);
        // First-order schemes need short steps on an orbit to be near their slope.
        const double kepler = slope<Kepler>(scheme, time, orbited, scheme.order == 1 ? 65536 : 1024);
        const double pendulum = slope<Pendulum>(scheme, time, swung, 512);
        std::printf("  %-20s order %d: oscillator %.2f, Kepler %.2f, pendulum %.2f\n", scheme.name,
                    scheme.order, oscillator, kepler, pendulum);
        for (const double measured : {oscillator, kepler, pendulum})
            EXPECT_NEAR(measured, scheme.order, 0.12) << scheme.name;
    }
}

TEST(OdeSchemes, have_their_order_under_forces_that_depend_on_velocity)
{
    struct Damped : Oscillator {
        Damped() { damping = 0.3; }
    };
    const double g = 0.15, w = std::sqrt(1 - g * g), t = 5, fade = std::exp(-g * t);
    const Motion2 truth = {{fade * (std::cos(w * t) + g / w * std::sin(w * t))},
                           {-fade * std::sin(w * t) / w}};
    for (const ode::Scheme& scheme : ode::schemes())
        EXPECT_NEAR(slope<Damped>(scheme, t, truth, 512), scheme.orderWithVelocity, 0.12) << scheme.name;
}

TEST(OdeSchemes, keep_their_order_on_rotations_through_charts)
{
    const auto directionAfter = [](const ode::Scheme& scheme, int n) {
        Top top;
        ode::Work work;
        work.tolerance = {1e9, 1e9};
        const Motion2 m = after(scheme, top, 2, n, work);
        return Vec6(top.base.x(), top.base.y(), top.base.z(), m.v[0], m.v[1], m.v[2]);
    };
    const Vec6 truth = directionAfter(*ode::findScheme("dormand_prince"), 2000);
    for (const ode::Scheme& scheme : ode::schemes()) {
        const int n = scheme.order == 1 ? 4096 : scheme.order == 2 ? 256 : 32;
        const double coarse = (directionAfter(scheme, n) - truth).norm();
        const double fine = (directionAfter(scheme, 2 * n) - truth).norm();
        std::printf("  %-20s on a top: order %.2f\n", scheme.name, std::log2(coarse / fine));
        EXPECT_NEAR(std::log2(coarse / fine), scheme.orderWithVelocity, 0.2) << scheme.name;
    }
}

TEST(OdeSchemes, ask_as_often_as_they_say)
{
    for (const ode::Scheme& scheme : ode::schemes()) {
        if (std::string_view(scheme.name) == "implicit_euler") continue;
        Oscillator system;
        ode::Work work;
        work.tolerance = {1e9, 1e9};
        after(scheme, system, 1, 100, work);
        const long first = work.statistics.evaluations - 100L * scheme.evaluations;
        EXPECT_TRUE(first == 0 || first == 1) << scheme.name << " " << first;
    }
}

struct Decay : ode::FirstOrder {
    int size() const override { return 1; }
    void rate(double, ode::In y, ode::Out rate) override { rate[0] = -y[0]; }
};

// How much a unit state grows over many steps of length h.
double oscillatorAfter(const ode::Scheme& scheme, double h)
{
    Oscillator system;
    ode::Work work;
    work.tolerance = {1e300, 1e300};
    const Motion2 m = after(scheme, system, 4000 * h, 4000, work);
    return std::hypot(m.x[0], m.v[0]);
}

double decayAfter(const ode::Scheme& scheme, double h)
{
    Decay system;
    ode::Work work;
    work.tolerance = {1e300, 1e300};
    std::vector<double> y = {1};
    for (int i = 0; i < 4000; ++i)
        if (!ode::step(scheme, system, h * i, h, y, work)) return NAN;
    return std::abs(y[0]);
}

TEST(OdeSchemes, are_stable_as_far_as_they_say_and_no_farther)
{
    for (const ode::Scheme& scheme : ode::schemes()) {
        if (std::isinf(scheme.oscillation)) {
            EXPECT_LT(oscillatorAfter(scheme, 1e3), 1e-100) << scheme.name;
        } else if (scheme.oscillation == 0) {
            EXPECT_GT(oscillatorAfter(scheme, 0.3), 2) << scheme.name;
        } else {
            EXPECT_LT(oscillatorAfter(scheme, 0.99 * scheme.oscillation), 20) << scheme.name;
            // Or not a number any more.
            EXPECT_FALSE(oscillatorAfter(scheme, 1.01 * scheme.oscillation) <= 1.02) << scheme.name;
        }
        if (!scheme.first) continue;
        if (std::isinf(scheme.decay)) {
            EXPECT_LT(decayAfter(scheme, 1e3), 1e-100) << scheme.name;
        } else {
            EXPECT_LT(decayAfter(scheme, 0.999 * scheme.decay), 1.) << scheme.name;
            EXPECT_GT(decayAfter(scheme, 1.001 * scheme.decay), 10) << scheme.name;
        }
    }
}

TEST(OdeSchemes, verlet_and_leapfrog_are_one_method_but_for_rounding)
{
    const auto end = [](const char* name) {
        Kepler system;
        ode::Work work;
        return after(*ode::findScheme(name), system, 10, 1000, work);
    };
    const Motion2 a = end("velocity_verlet");
    EXPECT_LT(distance(end("position_verlet"), a), 1e-11);
    EXPECT_LT(distance(end("leapfrog"), a), 1e-11);
    EXPECT_GT(distance(end("semi_implicit_euler"), a), 1e-3);
}

TEST(OdeSchemes, that_remember_notice_another_step_and_can_be_told_of_another_state)
{
    for (const char* name : {"position_verlet", "velocity_verlet", "leapfrog", "dormand_prince"}) {
        const ode::Scheme& scheme = *ode::findScheme(name);
        Oscillator system;
        ode::Work used, fresh;
        after(scheme, system, 1, 10, used);
        Motion2 a = Oscillator::start(), b = a;
        ode::step(scheme, system, 7, 0.25, a.x, a.v, used);
        ode::step(scheme, system, 7, 0.25, b.x, b.v, fresh);
        EXPECT_EQ(a.x, b.x) << name;
        a = b = Motion2{{2}, {1}};
        used.restart();
        fresh = {};
        ode::step(scheme, system, 7.25, 0.25, a.x, a.v, used);
        ode::step(scheme, system, 7.25, 0.25, b.x, b.v, fresh);
        EXPECT_EQ(a.x, b.x) << name;
        EXPECT_EQ(a.v, b.v) << name;
    }
}

TEST(OdeSchemes, conserve_what_they_say_over_a_hundred_thousand_periods)
{
    for (const ode::Scheme& scheme : ode::schemes()) {
        if (!scheme.isSymplectic) continue;
        const EnergyRange range = energyRange<Oscillator>(scheme, Oscillator::period, 12, 100000);
        std::printf(
            "  %-20s 12 steps a period: energy within %.1f %% after 1e3 periods, %.1f %% after 1e5\n",
            scheme.name, 100 * range.early, 100 * range.late);
        EXPECT_LT(range.late, 1.01 * range.early) << scheme.name;
        EXPECT_LT(range.late, 0.4) << scheme.name;
    }
    // RK4 is far better for a while, and then it has lost the swing.
    const ode::Scheme& rk4 = *ode::findScheme("rk4");
    const EnergyRange soon = energyRange<Oscillator>(rk4, Oscillator::period, 40, 100);
    const EnergyRange late = energyRange<Oscillator>(rk4, Oscillator::period, 40, 100000);
    std::printf("  rk4, 40 steps a period: energy %.1e after 100 periods, %.0f %% after 1e5\n", soon.end,
                100 * late.end);
    EXPECT_LT(std::abs(soon.end), 1e-3);
    EXPECT_LT(late.end, -0.5);
}

TEST(OdeSchemes, symplectic_ones_keep_the_angular_momentum_of_an_orbit)
{
    for (const ode::Scheme& scheme : ode::schemes()) {
        if (scheme.order > 2) continue;
        Kepler system;
        ode::Work work;
        const double start = Kepler::angularMomentum(Kepler::start());
        const double end = Kepler::angularMomentum(after(scheme, system, Kepler::period, 2000, work));
        if (scheme.isSymplectic)
            EXPECT_NEAR(end, start, 1e-12) << scheme.name;
        else
            EXPECT_GT(std::abs(end - start), 1e-9) << scheme.name;
    }
}

}  // namespace
}  // namespace sinew::ode_order_test
