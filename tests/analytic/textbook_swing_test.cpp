// Swings, springs and linkages against their equations of motion, which are written down here by hand and
// integrated in steps so small that what is left of the difference is the engine's. Every integrator must
// come nearer by its order where steps become shorter.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "sinew/state/measure.h"
#include "support/loops.h"
#include "support/prescribed_scene.h"

namespace sinew::textbook_swing_test {
namespace {

using test::joined;
using test::keys;
using test::oblique;
using test::prescribedJoint;
using test::sine;
using test::turned;
constexpr double g = 9.81;

template <std::size_t n>
using Vector = std::array<double, n>;

// y' = f(t, y) from 0 to `end` by the classical method of order four, 10⁻⁴ s a step: errors far below 1e-9.
template <std::size_t n, class F>
Vector<n> integrated(F f, Vector<n> y, double end)
{
    const int steps = static_cast<int>(std::ceil(end / 1e-4));
    const double h = end / steps;
    const auto ahead = [](const Vector<n>& a, double s, const Vector<n>& b) {
        Vector<n> sum = a;
        for (std::size_t i = 0; i < n; ++i) sum[i] += s * b[i];
        return sum;
    };
    for (int k = 0; k < steps; ++k) {
        const double t = k * h;
        const Vector<n> k1 = f(t, y), k2 = f(t + h / 2, ahead(y, h / 2, k1)),
                        k3 = f(t + h / 2, ahead(y, h / 2, k2)), k4 = f(t + h, ahead(y, h, k3));
        y = ahead(ahead(y, h / 6, k1), h / 3, k2);
        y = ahead(ahead(y, h / 3, k3), h / 6, k4);
    }
    return y;
}

BodyDescription mass(const std::string& name, const Vec3& place, double kilograms, double inertia)
{
    BodyDescription body;
    body.name = name;
    body.pose.position = place;
    body.mass = kilograms;
    body.inertia = Mat3(inertia * Mat3::Identity());
    return body;
}

JointDescription along(JointDescription joint, const Vec3& axis)
{
    joint.axis = axis;
    return joint;
}

struct Stepper {
    const char *integrator, *coordinates;
    int order;
};
const std::vector<Stepper> all = {
    {"implicit", "joint", 2}, {"implicit", "maximal", 2}, {"implicit_euler", "joint", 1},
    {"conservative", "", 2},  {"rk4", "joint", 4},        {"semi_implicit_euler", "joint", 1}};

double coordinate(const Simulation& s, const char* joint)
{
    return s.state.q[s.model().joints[s.model().findJoint(joint)].q];
}

// The error `off` after `end` seconds, in steps of 1/240 s and of a quarter of that; in the longer ones
// with a step of second order it is less than `mostAtFirst`.
template <class Off>
void expectOrder(const Description& d, double end, Off off, double mostAtFirst,
                 const std::vector<Stepper>& steppers = all)
{
    for (const Stepper& stepper : steppers) {
        SCOPED_TRACE(std::string(stepper.integrator) + " " + stepper.coordinates);
        double error[2];
        for (int fine = 0; fine < 2; ++fine) {
            const double h = (fine ? 0.25 : 1.) / 240;
            Result<Simulation> made =
                Simulation::create(d, {"", stepper.integrator, h, stepper.coordinates});
            ASSERT_TRUE(made) << made.error().text();
            Simulation& s = made.value();
            const int steps = static_cast<int>(std::lround(end / h));
            for (int i = 0; i < steps; ++i) ASSERT_TRUE(s.step().ok);
            error[fine] = off(s);
        }
        const double ratio = error[0] / error[1], ideal = std::pow(4, stepper.order);
        std::printf("%s %s: %.1e, %.1e\n", stepper.integrator, stepper.coordinates, error[0], error[1]);
        if (stepper.order == 2) EXPECT_LT(error[0], mostAtFirst);
        // Rounding, and the reference's own, end the gain of high orders.
        if (error[1] > 1e-9) EXPECT_GT(ratio, 0.6 * ideal);
    }
}

// ---- oscillators ----------------------------------------------------------------------------------

constexpr double m = 2, k = 50, c = 3;

Description oscillator()
{
    Description d;
    d.gravity.setZero();
    d.bodies = {mass("block", Vec3::Zero(), m, 1e-3)};
    d.joints = {along(joined("rail", JointType::slide, "world", "block", Vec3::Zero()), Vec3::UnitX())};
    d.joints[0].stiffness = k;
    d.joints[0].damping = c;
    return d;
}

TEST(Oscillator, driven_by_a_force_or_a_motor_follows_with_the_order_of_the_step)
{
    constexpr double amplitude = 4, frequency = 0.6, omega = 2 * pi * frequency, end = 3;
    const double exact = integrated<2>(
        [](double t, const Vector<2>& y) {
            return Vector<2>{y[1], (amplitude * std::sin(omega * t) - k * y[0] - c * y[1]) / m};
        },
        {0, 0}, end)[0];
    const auto off = [&](const Simulation& s) { return std::abs(coordinate(s, "rail") - exact); };
    Description pushed = oscillator();
    pushed.forces = {{"block", Vec3(amplitude, 0, 0), Vec3::Zero(), {}, sine(1, frequency)}};
    expectOrder(pushed, end, off, 1e-4);
    Description driven = oscillator();
    driven.motors = {{"rail", {sine(amplitude, frequency)}, {}, {}}};
    expectOrder(driven, end, off, 1e-4);
}

TEST(Oscillator, shaken_at_its_base_follows_with_the_order_of_the_step)
{
    constexpr double amplitude = 0.1, frequency = 0.6, omega = 2 * pi * frequency, end = 3;
    Description d;
    d.gravity.setZero();
    d.bodies = {mass("base", Vec3::Zero(), 1, 1e-3), mass("block", Vec3::Zero(), m, 1e-3)};
    d.joints = {along(joined("shaker", JointType::slide, "world", "base", Vec3::Zero()), Vec3::UnitX()),
                along(joined("rail", JointType::slide, "base", "block", Vec3::Zero()), Vec3::UnitX())};
    d.joints[1].stiffness = k;
    d.joints[1].damping = c;
    d.prescribed = {prescribedJoint("shaker", {sine(amplitude, frequency, pi / 2)})};
    const double exact = integrated<2>(
        [](double t, const Vector<2>& y) {
            const double base = amplitude * std::cos(omega * t),
                         rate = -amplitude * omega * std::sin(omega * t);
            return Vector<2>{y[1], (-k * (y[0] - base) - c * (y[1] - rate)) / m};
        },
        {amplitude, 0}, end)[0];
    expectOrder(
        d, end,
        [&](const Simulation& s) { return std::abs(test::bodyOf(s, "block").position.x() - exact); }, 2e-4);
}

// Dry friction takes 2 F/k from every half swing, and the block stays where the spring is weaker than it.
TEST(Oscillator, with_dry_friction_loses_the_same_way_in_every_swing_and_sticks)
{
    constexpr double friction = 3, start = 0.7, dead = friction / k, end = 4;
    Description d = oscillator();
    d.joints[0].damping = 0;
    d.joints[0].coulomb = friction;
    d.joints[0].coordinate = {start};
    const double omega = std::sqrt(k / m);
    const int swings = static_cast<int>(std::ceil((start / dead - 1) / 2));
    const auto exact = [&](double t) {
        const int n = std::min(swings, static_cast<int>(t * omega / pi));
        const double sign = n % 2 ? -1 : 1;
        if (n == swings) return sign * (start - 2 * n * dead);
        return sign * ((start - (2 * n + 1) * dead) * std::cos(omega * t - n * pi) + dead);
    };
    for (const char* coordinates : {"joint", "maximal"}) {
        Result<Simulation> made = Simulation::create(d, {"", "implicit", 1. / 240, coordinates});
        ASSERT_TRUE(made);
        double worst = 0;
        while (made.value().state.time < end) {
            ASSERT_TRUE(made.value().step().ok);
            worst = std::max(worst,
                             std::abs(coordinate(made.value(), "rail") - exact(made.value().state.time)));
        }
        std::printf("%s: off by %.1e m\n", coordinates, worst);
        EXPECT_LT(worst, 5e-3 * start);  // a jump of the force within a step: of first order there
    }
}

// ---- swings ---------------------------------------------------------------------------------------

TEST(DoublePendulum, follows_its_equations_with_the_order_of_the_step)
{
    constexpr double L1 = 1, L2 = 0.7, m1 = 1, m2 = 2, I1 = m1 * L1 * L1 / 12, I2 = m2 * L2 * L2 / 12;
    constexpr double first = 2, second = -0.8, end = 1;
    Description d;
    d.bodies = {mass("upper", Vec3(0, -L1 / 2, 0), m1, I1),
                mass("lower", Vec3(0, -L1 - L2 / 2, 0), m2, I2)};
    d.joints = {joined("a", JointType::hinge, "world", "upper", Vec3::Zero()),
                joined("b", JointType::hinge, "upper", "lower", Vec3(0, -L1, 0))};
    d.joints[0].coordinate = {first};
    d.joints[0].velocity = {0.5};
    d.joints[1].coordinate = {second};
    d.joints[1].velocity = {1};
    const Vector<4> exact = integrated<4>(
        [](double, const Vector<4>& y) {  // both angles from the vertical, and their rates
            const double M11 = I1 + m1 * L1 * L1 / 4 + m2 * L1 * L1, M22 = I2 + m2 * L2 * L2 / 4;
            const double M12 = m2 * L1 * L2 / 2 * std::cos(y[0] - y[1]);
            const double swing = m2 * L1 * L2 / 2 * std::sin(y[0] - y[1]);
            const double r1 = -swing * y[3] * y[3] - (m1 / 2 + m2) * L1 * g * std::sin(y[0]);
            const double r2 = swing * y[2] * y[2] - m2 * L2 / 2 * g * std::sin(y[1]);
            const double D = M11 * M22 - M12 * M12;
            return Vector<4>{y[2], y[3], (M22 * r1 - M12 * r2) / D, (M11 * r2 - M12 * r1) / D};
        },
        {first, first + second, 0.5, 1.5}, end);
    expectOrder(
        turned(d, oblique()), end,
        [&](const Simulation& s) {
            const double a = coordinate(s, "a"), b = coordinate(s, "b");
            return std::max(std::abs(a - exact[0]), std::abs(a + b - exact[1]));
        },
        3e-3);
}

// An arm on a shaft that turns evenly: the bob at the end of a hinged rod of length L, r0 from the axis.
TEST(Governor, swings_about_the_angle_where_weight_and_turning_agree)
{
    constexpr double r0 = 0.1, L = 0.4, rate = 7, start = 0.3, inertia = 1e-4, end = 1.5;
    Description d;
    d.bodies = {mass("hub", Vec3::Zero(), 1, 1e-3), mass("bob", Vec3(r0, -L, 0), 1, inertia)};
    d.joints = {along(joined("shaft", JointType::hinge, "world", "hub", Vec3::Zero()), Vec3::UnitY()),
                joined("arm", JointType::hinge, "hub", "bob", Vec3(r0, 0, 0))};
    d.joints[1].coordinate = {start};
    d.prescribed = {prescribedJoint("shaft", {keys({{0, 0}, {10, 10 * rate}}, false)})};
    const double exact = integrated<2>(
        [](double, const Vector<2>& y) {
            const double out = rate * rate * (r0 + L * std::sin(y[0])) * std::cos(y[0]);
            return Vector<2>{y[1], L * (out - g * std::sin(y[0])) / (L * L + inertia)};
        },
        {start, 0}, end)[0];
    expectOrder(
        d, end, [&](const Simulation& s) { return std::abs(coordinate(s, "arm") - exact); }, 3e-3);
}

// A pivot that shakes up and down at 10 Hz holds a pendulum near upright (Kapitza).
TEST(Kapitza, holds_the_pendulum_upright)
{
    constexpr double amplitude = 0.1, frequency = 10, omega = 2 * pi * frequency, L = 0.5, start = 0.2;
    constexpr double inertia = 1e-4, end = 0.5;
    Description d;
    d.bodies = {mass("pivot", Vec3::Zero(), 1, 1e-3), mass("bob", Vec3(0, L, 0), 1, inertia)};
    d.joints = {along(joined("shaker", JointType::slide, "world", "pivot", Vec3::Zero()), Vec3::UnitY()),
                joined("arm", JointType::hinge, "pivot", "bob", Vec3::Zero())};
    d.joints[1].coordinate = {start};
    d.prescribed = {prescribedJoint("shaker", {sine(amplitude, frequency, pi / 2)})};
    const double exact = integrated<2>(
        [](double t, const Vector<2>& y) {
            const double lift = -amplitude * omega * omega * std::cos(omega * t);
            return Vector<2>{y[1], L * (g + lift) * std::sin(y[0]) / (L * L + inertia)};
        },
        {start, 0}, end)[0];
    EXPECT_LT(std::abs(exact), 1.2 * start);
    expectOrder(d, end, [&](const Simulation& s) { return std::abs(coordinate(s, "arm") - exact); }, 0.05,
                {{"implicit", "joint", 2},
                 {"implicit", "maximal", 2},
                 {"conservative", "", 2},
                 {"rk4", "joint", 4}});
}

// A bob on a spring along an arm that swings.
TEST(SpringPendulum, follows_its_equations_with_the_order_of_the_step)
{
    constexpr double L = 0.5, stiffness = 60, inertia = 1e-3, end = 2;
    Description d;
    d.bodies = {mass("arm", Vec3::Zero(), 0.2, inertia), mass("bob", Vec3(0, -L, 0), 1, inertia)};
    d.joints = {joined("pivot", JointType::hinge, "world", "arm", Vec3::Zero()),
                along(joined("spring", JointType::slide, "arm", "bob", Vec3(0, -L, 0)), -Vec3::UnitY())};
    d.joints[0].coordinate = {1};
    d.joints[1].coordinate = {0.05};
    d.joints[1].stiffness = stiffness;
    const Vector<4> exact = integrated<4>(
        [](double, const Vector<4>& y) {
            const double l = L + y[1];
            return Vector<4>{y[2], y[3],
                             (-g * l * std::sin(y[0]) - 2 * l * y[3] * y[2]) / (2 * inertia + l * l),
                             l * y[2] * y[2] + g * std::cos(y[0]) - stiffness * y[1]};
        },
        {1, 0.05, 0, 0}, end);
    expectOrder(
        turned(d, oblique()), end,
        [&](const Simulation& s) {
            return std::max(std::abs(coordinate(s, "pivot") - exact[0]),
                            std::abs(coordinate(s, "spring") - exact[1]));
        },
        1e-3);
}

// A constant force at the tip of a rod is a weight there. Its work is force times way, and with
// `conservative` what it gives is what the rod has.
TEST(Load, at_a_point_swings_the_rod_as_a_weight_there_would)
{
    constexpr double L = 1, force = 9.81, start = 2, inertia = 1. / 12, end = 1;
    Description d;
    d.gravity.setZero();
    d.bodies = {mass("rod", Vec3(0, -L / 2, 0), 1, inertia)};
    d.joints = {joined("pivot", JointType::hinge, "world", "rod", Vec3::Zero())};
    d.joints[0].coordinate = {start};
    d.forces = {{"rod", Vec3(0, -force, 0), Vec3::Zero(), Vec3(0, -L, 0)}};
    const double exact = integrated<2>(
        [](double, const Vector<2>& y) {
            return Vector<2>{y[1], -force * L * std::sin(y[0]) / (inertia + L * L / 4)};
        },
        {start, 0}, end)[0];
    expectOrder(
        d, end, [&](const Simulation& s) { return std::abs(coordinate(s, "pivot") - exact); }, 2e-3);

    Result<Simulation> made = Simulation::create(d, {"", "conservative", 1. / 60});
    ASSERT_TRUE(made);
    Simulation& s = made.value();
    const auto total = [&] {
        const BodyState& rod = s.state.bodies[0];
        const Vec3 tip = rod.position + rod.orientation * Vec3(0, -L / 2, 0);
        return energy(s.model(), s.state).kinetic + force * tip.y();
    };
    const double before = total();
    double worst = 0;
    for (int i = 0; i < 600; ++i) {
        ASSERT_TRUE(s.step().ok);
        worst = std::max(worst, std::abs(total() - before));
    }
    EXPECT_LT(worst, 1e-11);
}

// ---- linkages -------------------------------------------------------------------------------------

// A crank of length r, a rod of length L and a slider on the line of the crank's pivot, let go.
TEST(SliderCrank, falls_by_its_equation_with_the_order_of_the_step)
{
    constexpr double r = 0.2, L = 0.7, start = 0.4, I0 = 1e-3, rodInertia = 0.05, end = 0.5;
    constexpr double crank = 1, rod = 1.5, slider = 2;
    const Vec3 pin(r * std::cos(start), r * std::sin(start), 0);
    const Vec3 wrist(pin.x() + std::sqrt(L * L - pin.y() * pin.y()), 0, 0);
    Description d;
    d.bodies = {mass("crank", pin / 2, crank, I0), mass("rod", (pin + wrist) / 2, rod, rodInertia),
                mass("slider", wrist, slider, I0)};
    d.joints = {joined("axle", JointType::hinge, "world", "crank", Vec3::Zero()),
                joined("pin", JointType::hinge, "crank", "rod", pin),
                joined("wrist", JointType::hinge, "rod", "slider", wrist),
                along(joined("rail", JointType::slide, "world", "slider", wrist), Vec3::UnitX())};
    // Lagrange: M(q) q¨ = −½ M' q˙² − V', with M' by differences.
    const auto inertia = [](double q) {
        const double lean = r * std::sin(q) / L, upright = std::sqrt(1 - lean * lean);
        const double turn = r * std::cos(q) / (L * upright);  // of the rod, per q
        const double x = -r * std::sin(q) - L / 2 * lean * turn, y = r * std::cos(q) / 2;
        const double slide = -r * std::sin(q) - L * lean * turn;
        return crank * r * r / 4 + I0 + rod * (x * x + y * y) + rodInertia * turn * turn +
               slider * slide * slide;
    };
    const double exact = integrated<2>(
        [&](double, const Vector<2>& y) {
            constexpr double e = 1e-3;  // to the fourth power
            const double slope = (8 * (inertia(y[0] + e) - inertia(y[0] - e)) -
                                  (inertia(y[0] + 2 * e) - inertia(y[0] - 2 * e))) /
                                 (12 * e);
            const double pull = g * (crank + rod) * r / 2 * std::cos(y[0]);
            return Vector<2>{y[1], (-0.5 * slope * y[1] * y[1] - pull) / inertia(y[0])};
        },
        {start, 0}, end)[0];
    for (const Quat& turn : {Quat::Identity(), oblique()})
        expectOrder(turned(d, turn), end,
                    [&](const Simulation& s) { return std::abs(coordinate(s, "axle") + start - exact); },
                    1e-2,
                    {{"implicit", "joint", 2},
                     {"implicit", "maximal", 2},
                     {"conservative", "", 2},
                     {"rk4", "joint", 4}});
}

}  // namespace
}  // namespace sinew::textbook_swing_test
