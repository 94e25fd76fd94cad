// Error control, dense output, and Newton's method in the integrators of ode/.
#include <gtest/gtest.h>

#include <cstdio>

#include "support/ode_systems.h"

namespace sinew::ode_adaptive_test {
namespace {

using namespace test;

// The error after a number of turns of an orbit that is narrow: eccentricity 0.9.
struct NarrowOrbit : Kepler {
    static Motion2 start() { return {{0.1, 0}, {0, std::sqrt(1.9 / 0.1)}}; }
};

struct Cost {
    double error;
    long evaluations;
};

template <class System>
Cost adaptiveCost(double time, double tolerance)
{
    System orbit;
    ode::AsFirstOrder system(orbit);
    const Motion2 start = System::start();
    std::vector<double> y = start.x;
    y.insert(y.end(), start.v.begin(), start.v.end());
    ode::Flow flow(system, 0, y, {tolerance, tolerance});
    EXPECT_TRUE(flow.at(time, y));
    const std::size_t n = start.x.size();
    const Motion2 end = {{y.begin(), y.begin() + static_cast<long>(n)},
                         {y.begin() + static_cast<long>(n), y.end()}};
    return {distance(end, start), flow.statistics().evaluations};
}

template <class System>
Cost fixedCost(double time, int steps)
{
    System orbit;
    ode::Work work;
    const Motion2 end = after(*ode::findScheme("rk4"), orbit, time, steps, work);
    return {distance(end, System::start()), work.statistics.evaluations};
}

// Evaluations that rk4 needs for an error.
template <class System>
long fixedEvaluations(double time, double error)
{
    int steps = 64;
    while (fixedCost<System>(time, steps).error > error) steps += steps / 8;
    return 4L * steps;
}

TEST(DormandPrince, needs_fewer_evaluations_than_rk4_for_the_same_error)
{
    for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
        const Cost round = adaptiveCost<Kepler>(Kepler::period, tolerance);
        const Cost narrow = adaptiveCost<NarrowOrbit>(Kepler::period, tolerance);
        const long roundFixed = fixedEvaluations<Kepler>(Kepler::period, round.error);
        const long narrowFixed = fixedEvaluations<NarrowOrbit>(Kepler::period, narrow.error);
        std::printf(
            "  tolerance %.0e: eccentricity 0.3: error %.1e in %ld, rk4 %ld; 0.9: %.1e in %ld, rk4 %ld\n",
            tolerance, round.error, round.evaluations, roundFixed, narrow.error, narrow.evaluations,
            narrowFixed);
        EXPECT_LT(round.evaluations, roundFixed);
        EXPECT_LT(3 * narrow.evaluations, narrowFixed);
    }
}

// Each step's own error, against a motion that starts where the step does.
TEST(DormandPrince, meets_its_tolerance_in_each_step)
{
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        NarrowOrbit orbit;
        ode::AsFirstOrder system(orbit);
        std::vector<double> y = {0.1, 0, 0, std::sqrt(1.9 / 0.1)}, from(4), to(4), truth(4);
        ode::Flow flow(system, 0, y, {tolerance, tolerance});
        double worst = 0;
        while (flow.stepEnd() < Kepler::period) {
            ASSERT_TRUE(flow.at(std::nextafter(flow.stepEnd(), 1e9), y));
            ASSERT_TRUE(flow.at(flow.stepStart(), from));
            ASSERT_TRUE(flow.at(flow.stepEnd(), to));
            ode::Flow fine(system, flow.stepStart(), from, {1e-13, 1e-14});
            ASSERT_TRUE(fine.at(flow.stepEnd(), truth));
            std::vector<double> error(4);
            for (int i = 0; i < 4; ++i) error[i] = to[i] - truth[i];
            worst = std::max(worst, ode::rmsError(from, to, error, {tolerance, tolerance}));
        }
        std::printf("  tolerance %.0e: worst step %.2f of it, %ld steps, %ld rejected\n", tolerance, worst,
                    flow.statistics().steps, flow.statistics().rejected);
        EXPECT_LT(worst, 1);
        EXPECT_GT(worst, 1e-3) << "it works for more than was asked for";
    }
}

TEST(DormandPrince, has_a_dense_output_of_fourth_order)
{
    double error[2];
    for (int i = 0; i < 2; ++i) {
        Kepler orbit;
        ode::AsFirstOrder system(orbit);
        const Motion2 start = Kepler::start();
        const std::vector<double> y0 = {start.x[0], start.x[1], start.v[0], start.v[1]};
        const double h = 0.1 / (1 << i);
        ode::Flow flow(system, 0, y0, {1e9, 1e9}, h), fine(system, 0, y0, {1e-14, 1e-14});
        error[i] = 0;
        for (const double part : {0.1, 0.3, 0.5, 0.7, 0.9}) {
            std::vector<double> y(4), truth(4);
            ASSERT_TRUE(flow.at(part * h, y));
            ASSERT_EQ(flow.stepEnd(), h);
            ode::Flow exact(system, 0, y0, {1e-14, 1e-15});
            ASSERT_TRUE(exact.at(part * h, truth));
            for (int k = 0; k < 4; ++k) error[i] = std::max(error[i], std::abs(y[k] - truth[k]));
        }
    }
    // In one step: an order more.
    std::printf("  dense output: slope %.2f in one step\n", std::log2(error[0] / error[1]));
    EXPECT_NEAR(std::log2(error[0] / error[1]), 5, 0.3);
}

TEST(DormandPrince, lands_on_the_end_of_steps_and_says_what_it_did)
{
    const ode::Scheme& scheme = *ode::findScheme("dormand_prince");
    NarrowOrbit system;
    ode::Work work;
    work.tolerance = {1e-8, 1e-8};
    const Motion2 end = after(scheme, system, Kepler::period, 20, work);
    EXPECT_LT(distance(end, NarrowOrbit::start()), 1e-3);
    EXPECT_GT(work.statistics.steps, 20);
    EXPECT_GT(work.statistics.rejected, 0);
    EXPECT_LE(work.statistics.evaluations, 1 + 6 * (work.statistics.steps + work.statistics.rejected));
}

// y' = y², which is at infinity after 1.
struct Explosion : ode::FirstOrder {
    int size() const override { return 1; }
    void rate(double, ode::In y, ode::Out rate) override { rate[0] = y[0] * y[0]; }
};

TEST(DormandPrince, gives_up_where_there_is_no_motion)
{
    Explosion system;
    ode::Work work;
    std::vector<double> y = {1};
    EXPECT_FALSE(ode::step(*ode::findScheme("dormand_prince"), system, 0, 2, y, work));
    EXPECT_EQ(y[0], 1) << "the state is as it was";
    ode::Flow flow(system, 0, y);
    EXPECT_TRUE(flow.at(0.5, y));
    EXPECT_NEAR(y[0], 2, 1e-5);
    EXPECT_FALSE(flow.at(1.5, y));
}

// A stiff chain of three springs with drag, by its own derivative or without.
struct Chain : ode::SecondOrder {
    static constexpr double stiffness = 1e6, drag = 0.1;
    bool knows = true;
    mutable int solves = 0;
    int size() const override { return 3; }
    void accelerate(double, ode::In x, ode::In v, ode::Out a) override
    {
        for (int i = 0; i < 3; ++i) {
            const double left = i > 0 ? x[i - 1] : 0, right = i < 2 ? x[i + 1] : x[i];
            a[i] = stiffness * (left + right - 2 * x[i]) - drag * v[i] * std::abs(v[i]) - 9.81;
        }
    }
    bool hasDerivative() const override { return knows; }
    bool solve(double, double h, ode::In, ode::In v, ode::Out r) override
    {
        ++solves;
        Mat3 A = Mat3::Identity();
        for (int i = 0; i < 3; ++i) {
            A(i, i) += h * h * stiffness * (i < 2 ? 2 : 1) + 2 * h * drag * std::abs(v[i]);
            if (i > 0) A(i, i - 1) -= h * h * stiffness;
            if (i < 2) A(i, i + 1) -= h * h * stiffness;
        }
        const Vec3 dv = A.inverse() * Vec3(r[0], r[1], r[2]);
        for (int i = 0; i < 3; ++i) r[i] = dv[i];
        return true;
    }
    static Motion2 start() { return {{0.1, 0, 0}, {0, 0, 5}}; }
};

TEST(ImplicitEuler, takes_the_systems_derivative_or_makes_its_own)
{
    const ode::Scheme& scheme = *ode::findScheme("implicit_euler");
    Chain own, differences;
    differences.knows = false;
    ode::Work a, b;
    const Motion2 x = after(scheme, own, 1, 60, a), y = after(scheme, differences, 1, 60, b);
    EXPECT_LT(distance(x, y), 1e-9);
    EXPECT_GT(own.solves, 60);
    EXPECT_EQ(differences.solves, 0);
    EXPECT_LT(a.statistics.newtonIterations, 4 * 60);
    EXPECT_LT(a.statistics.evaluations, 6 * 60);
    // At rest where the springs bear the weight: the last carries one mass, the first three.
    Chain rest;
    const Motion2 end = after(scheme, rest, 100, 6000, a);
    EXPECT_NEAR(end.x[0], -3 * 9.81 / 1e6, 1e-10);
    EXPECT_NEAR(end.x[2], -6 * 9.81 / 1e6, 1e-10);
}

TEST(ImplicitEuler, makes_as_many_iterations_as_it_is_told)
{
    const ode::Scheme& scheme = *ode::findScheme("implicit_euler");
    Chain system;
    ode::Work work;
    work.newtonIterations = 1;
    after(scheme, system, 1, 60, work);
    EXPECT_EQ(work.statistics.newtonIterations, 60);
    EXPECT_EQ(work.statistics.evaluations, 60);
}

// y = y₀ + h (1 + y²) has no solution for y₀ = 1 and h = 1.
struct Rootless : ode::FirstOrder {
    int size() const override { return 1; }
    void rate(double, ode::In y, ode::Out rate) override { rate[0] = 1 + y[0] * y[0]; }
};

TEST(ImplicitEuler, says_when_it_finds_no_step)
{
    Rootless system;
    ode::Work work;
    std::vector<double> y = {1};
    EXPECT_FALSE(ode::step(*ode::findScheme("implicit_euler"), system, 0, 1, y, work));
    EXPECT_EQ(y[0], 1);
    EXPECT_TRUE(ode::step(*ode::findScheme("implicit_euler"), system, 0, 0.01, y, work));
    EXPECT_NEAR(y[0], 1 + 0.01 * (1 + y[0] * y[0]), 1e-12);
}

}  // namespace
}  // namespace sinew::ode_adaptive_test
