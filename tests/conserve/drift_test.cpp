// What each stepper keeps and how fast the rest drifts, by the slope of the drift against the step.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/figure/chain.h"
#include "sinew/math/rotation.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/measure.h"

namespace sinew {
namespace {

struct Drift {
    double energy = 0, linear = 0, angular = 0, gap = 0;
};

Description spinningChain()
{
    ChainOptions options;
    options.links = 6;
    options.pinned = false;
    Description d = makeChain(options);
    d.gravity.setZero();
    for (std::size_t j = 0; j < d.joints.size(); ++j) {
        const double x = static_cast<double>(j);
        d.joints[j].velocity = {2 * std::sin(x), 1.5, 2 * std::cos(1 + x)};
    }
    d.bodies[0].velocity = Vec3(0.3, 0.1, -0.2);
    return d;
}

Drift drift(const char* solver, const char* integrator, double h, double duration)
{
    Result<Simulation> made = Simulation::create(spinningChain(), {solver, integrator, h});
    EXPECT_TRUE(made);
    Simulation& s = made.value();
    const double E = energy(s.model(), s.state).total();
    const Momentum m = momentum(s.model(), s.state);
    Drift d;
    const int steps = static_cast<int>(std::lround(duration / h));
    for (int i = 0; i < steps; ++i) {
        EXPECT_TRUE(s.step().ok);
        const Momentum now = momentum(s.model(), s.state);
        d.energy = std::max(d.energy, std::abs(energy(s.model(), s.state).total() - E) / E);
        d.linear = std::max(d.linear, (now.linear - m.linear).norm() / m.linearScale);
        d.angular = std::max(d.angular, (now.angular - m.angular).norm() / m.angularScale);
        d.gap = std::max(d.gap, largestJointError(s.model(), s.state).gap);
    }
    return d;
}

// Least-squares slope of log(error) against log(h).
double slope(const std::vector<double>& steps, const std::vector<double>& errors)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    const double n = static_cast<double>(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const double a = std::log(steps[i]), b = std::log(errors[i]);
        x += a;
        y += b;
        xx += a * a;
        xy += a * b;
    }
    return (n * xy - x * y) / (n * xx - x * x);
}

void expectSlopes(const char* solver, const char* integrator, const std::vector<double>& steps,
                  double order, bool keepsLinearMomentum)
{
    std::vector<double> energies, angulars;
    for (double h : steps) {
        const Drift d = drift(solver, integrator, h, 1);
        std::printf("%s %s h=%g: energy %.3e angular %.3e linear %.1e gap %.1e\n", solver, integrator, h,
                    d.energy, d.angular, d.linear, d.gap);
        energies.push_back(d.energy);
        angulars.push_back(d.angular);
        if (keepsLinearMomentum) EXPECT_LT(d.linear, 1e-12);
    }
    // Within a quarter of an order: the steps are not yet infinitely small.
    EXPECT_NEAR(slope(steps, energies), order, 0.25);
    EXPECT_NEAR(slope(steps, angulars), order, 0.25);
}

TEST(PassiveFreeChain, papers_step_keeps_linear_momentum_and_drifts_with_slope_one)
{
    expectSlopes("hakenberg", "semi_implicit_euler", {4e-4, 2e-4, 1e-4, 5e-5}, 1, true);
}

TEST(PassiveFreeChain, rk4_keeps_linear_momentum_and_drifts_with_slope_four)
{
    expectSlopes("hakenberg", "rk4", {2e-2, 1e-2, 5e-3, 2.5e-3}, 4, true);
}

TEST(PassiveFreeChain, rk4_in_joint_coordinates_drifts_with_slope_four_and_no_gap)
{
    expectSlopes("featherstone", "rk4", {2e-2, 1e-2, 5e-3, 2.5e-3}, 4, false);
    EXPECT_LT(drift("featherstone", "rk4", 1e-2, 1).gap, 1e-14);
    EXPECT_LT(drift("armstrong_green", "rk4", 1e-2, 1).gap, 1e-14);
}

TEST(Projection, closes_the_joints_and_keeps_momentum)
{
    Result<Simulation> made =
        Simulation::create(spinningChain(), {"hakenberg", "semi_implicit_euler", 1e-2});
    ASSERT_TRUE(made);
    Simulation& s = made.value();
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(s.step().ok);
    EXPECT_GT(largestJointError(s.model(), s.state).gap, 1e-5);  // it had drifted
    const Momentum before = momentum(s.model(), s.state);
    const Vec3 centerBefore = s.state.bodies[0].position;
    EXPECT_GE(projectOntoJoints(s.model(), s.state), 1);
    EXPECT_LT(largestJointError(s.model(), s.state).gap, 1e-12);
    // Linear momentum exactly; angular momentum up to how far the bodies had to move.
    EXPECT_LT((momentum(s.model(), s.state).linear - before.linear).norm(), 1e-14);
    EXPECT_LT((s.state.bodies[0].position - centerBefore).norm(), 1e-2);
    State again = s.state;
    EXPECT_EQ(projectOntoJoints(s.model(), again), 0);
}

}  // namespace
}  // namespace sinew
