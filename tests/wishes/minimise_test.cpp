// The minimisers on functions whose minima are known: Moré, Garbow & Hillstrom, Testing Unconstrained
// Optimization Software (1981), and quadratics between bounds.
#include "sinew/optimize/minimise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/random.h"

namespace sinew::minimise_test {
namespace {

VecX vectorOf(std::initializer_list<double> numbers)
{
    VecX v(static_cast<int>(numbers.size()));
    int i = 0;
    for (const double x : numbers) v[i++] = x;
    return v;
}

struct Standard {
    const char* name;
    VecX start, minimum;
    std::function<void(const VecX&, VecX&, MatX&)> at;
};

void rosenbrock(const VecX& x, VecX& r, MatX& J)
{
    const int n = static_cast<int>(x.size());
    r.setZero(n);
    J.setZero(n, n);
    for (int i = 0; i < n; i += 2) {
        r[i] = 10 * (x[i + 1] - x[i] * x[i]);
        r[i + 1] = 1 - x[i];
        J(i, i) = -20 * x[i];
        J(i, i + 1) = 10;
        J(i + 1, i) = -1;
    }
}

void powell(const VecX& x, VecX& r, MatX& J)
{
    r = vectorOf({x[0] + 10 * x[1], std::sqrt(5) * (x[2] - x[3]), (x[1] - 2 * x[2]) * (x[1] - 2 * x[2]),
                  std::sqrt(10) * (x[0] - x[3]) * (x[0] - x[3])});
    J.setZero(4, 4);
    J(0, 0) = 1;
    J(0, 1) = 10;
    J(1, 2) = std::sqrt(5);
    J(1, 3) = -std::sqrt(5);
    J(2, 1) = 2 * (x[1] - 2 * x[2]);
    J(2, 2) = -4 * (x[1] - 2 * x[2]);
    J(3, 0) = 2 * std::sqrt(10) * (x[0] - x[3]);
    J(3, 3) = -J(3, 0);
}

void helix(const VecX& x, VecX& r, MatX& J)
{
    const double square = x[0] * x[0] + x[1] * x[1], rho = std::sqrt(square);
    const double turn = std::atan2(x[1], x[0]) / (2 * pi);
    r = vectorOf({10 * (x[2] - 10 * turn), 10 * (rho - 1), x[2]});
    J.setZero(3, 3);
    J(0, 0) = 100 * x[1] / (2 * pi * square);
    J(0, 1) = -100 * x[0] / (2 * pi * square);
    J(0, 2) = 10;
    J(1, 0) = 10 * x[0] / rho;
    J(1, 1) = 10 * x[1] / rho;
    J(2, 2) = 1;
}

std::vector<Standard> standards()
{
    return {{"Rosenbrock", vectorOf({-1.2, 1}), vectorOf({1, 1}), rosenbrock},
            {"Rosenbrock of 10", vectorOf({-1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1}),
             vectorOf({1, 1, 1, 1, 1, 1, 1, 1, 1, 1}), rosenbrock},
            {"Powell's singular", vectorOf({3, -1, 0, 1}), vectorOf({0, 0, 0, 0}), powell},
            {"helical valley", vectorOf({-1, 0.1, 0}), vectorOf({1, 0, 0}), helix}};
}

SmoothFunction smooth(const Standard& standard, VecX& x)
{
    SmoothFunction f;
    f.size = static_cast<int>(x.size());
    f.at = [&](const VecX& step, VecX* gradient) {
        VecX r;
        MatX J;
        standard.at(x + step, r, J);
        if (gradient) *gradient = J.transpose() * r;
        return 0.5 * r.squaredNorm();
    };
    f.keep = [&](const VecX& step) { x += step; };
    return f;
}

TEST(Minimise, damped_steps_find_the_minima_of_standard_functions)
{
    for (const Standard& standard : standards()) {
        VecX x = standard.start;
        LeastSquares problem;
        problem.at = [&](const VecX& at, VecX& r, MatX* J) {
            MatX own;
            standard.at(at, r, J ? *J : own);
        };
        const MinimiseReport report = minimiseSquares(problem, x, {500, 1e-12, 0});
        // Powell's function is flat at its minimum: its Jacobian is singular there.
        const double bound = standard.at == nullptr                 ? 0
                             : std::string(standard.name)[0] == 'P' ? 1e-3
                                                                    : 1e-8;
        EXPECT_LT((x - standard.minimum).norm(), bound) << standard.name;
        EXPECT_LT(report.iterations, 100) << standard.name;
    }
}

TEST(Minimise, history_finds_the_minima_of_standard_functions)
{
    for (const Standard& standard : standards()) {
        VecX x = standard.start;
        const MinimiseReport report = minimiseByHistory(smooth(standard, x), {500, 1e-10, 0});
        EXPECT_NE(report.end, MinimiseEnd::iterations) << standard.name;
        const double bound = std::string(standard.name)[0] == 'P' ? 1e-2 : 1e-7;
        EXPECT_LT((x - standard.minimum).norm(), bound) << standard.name;
        EXPECT_LT(report.evaluations, 300) << standard.name;
    }
}

// E = ½ Σ kᵢ (xᵢ − i)²: the error falls by (κ − 1)/(κ + 1) a step at best, κ = 10.
TEST(Minimise, gradient_steps_go_down_to_the_minimum_and_never_up)
{
    VecX x = vectorOf({5, -3, 8});
    const VecX k = vectorOf({1, 3, 10});
    double last = HUGE_VAL;
    SmoothFunction f;
    f.size = 3;
    f.at = [&](const VecX& step, VecX* gradient) {
        double energy = 0;
        if (gradient) gradient->resize(3);
        for (int i = 0; i < 3; ++i) {
            const double d = x[i] + step[i] - i;
            energy += 0.5 * k[i] * d * d;
            if (gradient) (*gradient)[i] = k[i] * d;
        }
        return energy;
    };
    f.keep = [&](const VecX& step) {
        x += step;
        VecX none = vectorOf({0, 0, 0});
        const double now = f.at(none, nullptr);
        EXPECT_LT(now, last);
        last = now;
    };
    const MinimiseReport report = gradientSteps(f, {1000, 1e-8, 0});
    EXPECT_EQ(report.end, MinimiseEnd::minimum);
    EXPECT_LT((x - vectorOf({0, 1, 2})).norm(), 1e-7);
}

// Of a quadratic between bounds Kuhn and Tucker's conditions say whether a point is the minimum.
TEST(Minimise, a_quadratic_between_bounds_ends_where_no_bound_and_no_slope_objects)
{
    Random random(3);
    for (int trial = 0; trial < 300; ++trial) {
        const int n = 1 + random.below(12);
        MatX B(n, n);
        VecX g(n), lower(n), upper(n), s;
        for (int i = 0; i < n; ++i) {
            g[i] = 3 * random.normal();
            lower[i] = -random.uniform(0, 1);
            upper[i] = random.uniform(0, 1);
            for (int k = 0; k < n; ++k) B(i, k) = random.normal();
        }
        MatX A = B.transpose() * B;
        for (int i = 0; i < n; ++i) A(i, i) += 0.01;
        ASSERT_TRUE(solveBounded(A, g, lower, upper, s));
        const VecX slope = g + A * s;
        for (int i = 0; i < n; ++i) {
            EXPECT_GE(s[i], lower[i]);
            EXPECT_LE(s[i], upper[i]);
            if (s[i] > lower[i]) EXPECT_LT(slope[i], 1e-7) << trial;
            if (s[i] < upper[i]) EXPECT_GT(slope[i], -1e-7) << trial;
        }
    }
}

TEST(Minimise, bounds_hold_on_the_way_and_at_the_end)
{
    // Rosenbrock's valley, cut off at x ≤ 0.5: the minimum is at (0.5, 0.25).
    VecX x = vectorOf({-1.2, 1});
    LeastSquares problem;
    problem.lower = vectorOf({-2, -2});
    problem.upper = vectorOf({0.5, 2});
    problem.at = [&](const VecX& at, VecX& r, MatX* J) {
        EXPECT_LE(at[0], 0.5);
        MatX own;
        rosenbrock(at, r, J ? *J : own);
    };
    const MinimiseReport report = minimiseSquares(problem, x, {200, 1e-12, 0});
    EXPECT_EQ(report.end, MinimiseEnd::minimum);
    EXPECT_LT((x - vectorOf({0.5, 0.25})).norm(), 1e-10);
}

}  // namespace
}  // namespace sinew::minimise_test
