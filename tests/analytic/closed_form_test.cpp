// Motions whose answer is known: the pendulum, the free top, the harmonic oscillator, free fall.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/math/rotation.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/measure.h"

namespace sinew {
namespace {

BodyDescription body(const std::string& name, const Vec3& place, double mass, const Vec3& inertia)
{
    BodyDescription b;
    b.name = name;
    b.pose.position = place;
    b.mass = mass;
    b.inertia = Mat3(inertia.asDiagonal());
    return b;
}

// A rod of length L from a hinge at the origin, hanging at rest.
Description pendulum(double L, double mass, double angle)
{
    Description d;
    d.bodies = {body("rod", {0, -L / 2, 0}, mass, Vec3(1, 0.01, 1) * (mass * L * L / 12))};
    (*d.bodies[0].inertia)(1, 1) = mass * L * L / 12;  // a thick rod: only I_zz matters
    JointDescription hinge;
    hinge.name = "pivot";
    hinge.type = JointType::hinge;
    hinge.first = "world";
    hinge.second = "rod";
    hinge.axis = Vec3::UnitZ();
    hinge.coordinate = {angle};
    d.joints = {hinge};
    return d;
}

// Complete elliptic integral K(k) by the arithmetic-geometric mean.
double ellipticK(double k)
{
    double a = 1, b = std::sqrt(1 - k * k);
    while (std::abs(a - b) > 1e-16 * a) {
        const double mean = (a + b) / 2;
        b = std::sqrt(a * b);
        a = mean;
    }
    return pi / (2 * a);
}

// Jacobi's sn(x, k) by descending Landen transformations.
double jacobiSn(double x, double k)
{
    double a[20], c[20];
    a[0] = 1;
    double b = std::sqrt(1 - k * k);
    c[0] = k;
    int n = 0;
    while (std::abs(c[n]) > 1e-17 && n < 18) {
        a[n + 1] = (a[n] + b) / 2;
        c[n + 1] = (a[n] - b) / 2;
        b = std::sqrt(a[n] * b);
        ++n;
    }
    double phi = std::ldexp(a[n] * x, n);
    for (; n > 0; --n) phi = (phi + std::asin(c[n] / a[n] * std::sin(phi))) / 2;
    return std::sin(phi);
}

class PendulumFrom170Degrees : public testing::TestWithParam<const char*> {};

TEST_P(PendulumFrom170Degrees, follows_the_elliptic_integral_for_ten_periods)
{
    const double L = 1, mass = 1, angle = 170 * pi / 180, h = 1e-3;
    Result<Simulation> made = Simulation::create(pendulum(L, mass, angle), {GetParam(), "rk4", h});
    ASSERT_TRUE(made) << made.error().text();
    Simulation& s = made.value();
    // θ(t) = 2 asin(k sn(K − ω t)), k = sin(θ₀/2), ω² = m g (L/2) / I about the pivot.
    const double omega = std::sqrt(9.81 * (L / 2) / (L * L / 3));
    const double k = std::sin(angle / 2), K = ellipticK(k);
    const double period = 4 * K / omega;
    const int steps = static_cast<int>(std::ceil(10 * period / h));
    double worst = 0;
    for (int i = 0; i < steps; ++i) {
        ASSERT_TRUE(s.step().ok);
        // Kept within one period, where the series for sn is exact.
        const double t = std::fmod((i + 1) * h, period);
        const double exact = 2 * std::asin(k * jacobiSn(K - omega * t, k));
        worst = std::max(worst, std::abs(s.state.q[0] - exact));
    }
    std::printf("%s: largest error %.2e rad over %.2f s\n", GetParam(), worst, steps * h);
    EXPECT_LT(worst, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Method, PendulumFrom170Degrees,
                         testing::Values("featherstone", "hakenberg", "kkt"),
                         [](const auto& info) { return std::string(info.param); });

class FreeTop : public testing::TestWithParam<const char*> {};

TEST_P(FreeTop, keeps_energy_and_angular_momentum)
{
    Description d;
    d.gravity.setZero();
    d.bodies = {body("top", Vec3::Zero(), 2, {0.5, 0.8, 1.1})};
    d.bodies[0].angularVelocity = Vec3(0.05, 3, 0.02);  // near the unstable axis: it tumbles
    Result<Simulation> made = Simulation::create(d, {GetParam(), "rk4", 1e-3});
    ASSERT_TRUE(made);
    Simulation& s = made.value();
    const double E = energy(s.model(), s.state).total();
    const Vec3 L = momentum(s.model(), s.state).angular;
    double worstE = 0, worstL = 0, lowest = 3;
    for (int i = 0; i < 20000; ++i) {
        ASSERT_TRUE(s.step().ok);
        worstE = std::max(worstE, std::abs(energy(s.model(), s.state).total() - E) / E);
        worstL = std::max(worstL, (momentum(s.model(), s.state).angular - L).norm() / L.norm());
        lowest = std::min(lowest, s.state.bodies[0].angularVelocity.y());
    }
    std::printf("%s: energy %.2e, angular momentum %.2e\n", GetParam(), worstE, worstL);
    EXPECT_LT(lowest, -2.5);  // it did turn over
    EXPECT_LT(worstE, 1e-8);
    EXPECT_LT(worstL, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Method, FreeTop,
                         testing::Values("featherstone", "armstrong_green", "hakenberg", "kkt"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Slide, with_a_spring_is_a_damped_oscillator)
{
    Description d;
    d.gravity.setZero();
    d.bodies = {body("mass", Vec3::Zero(), 2, Vec3::Ones())};
    JointDescription slide;
    slide.name = "rail";
    slide.type = JointType::slide;
    slide.first = "world";
    slide.second = "mass";
    slide.axis = Vec3(1, 2, 2);
    slide.stiffness = 50;
    slide.damping = 1.2;
    slide.coordinate = {0.3};
    d.joints = {slide};
    for (const char* solver : {"featherstone", "kkt"}) {
        Result<Simulation> made = Simulation::create(d, {solver, "rk4", 1e-3});
        ASSERT_TRUE(made) << made.error().text();
        Simulation& s = made.value();
        ASSERT_TRUE(s.advance(3).ok);
        const double decay = 1.2 / (2 * 2), w = std::sqrt(50. / 2 - decay * decay), t = s.state.time;
        const double exact = 0.3 * std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t));
        EXPECT_NEAR(s.state.q[0], exact, 1e-10) << solver;
        // And it moved along its axis.
        EXPECT_NEAR((s.state.bodies[0].position - exact * Vec3(1, 2, 2) / 3).norm(), 0, 1e-10);
    }
}

TEST(FreeFall, of_a_thrown_spinning_body_is_a_parabola)
{
    Description d;
    d.bodies = {body("stone", {0, 1, 0}, 3, {0.2, 0.3, 0.4})};
    d.bodies[0].velocity = Vec3(1, 2, 3);
    d.bodies[0].angularVelocity = Vec3(1, 5, 2);
    for (const char* solver : {"featherstone", "armstrong_green", "hakenberg", "kkt"}) {
        Result<Simulation> made = Simulation::create(d, {solver, "rk4", 1e-2});
        ASSERT_TRUE(made);
        Simulation& s = made.value();
        ASSERT_TRUE(s.advance(1).ok);
        EXPECT_LT((s.state.bodies[0].position - Vec3(1, 1 + 2 - 9.81 / 2, 3)).norm(), 1e-12) << solver;
    }
}

}  // namespace
}  // namespace sinew
