// Signals, paths and moving rotations: values, and rates that finite differences confirm.
#include "sinew/model/signal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/math/rotation.h"
#include "sinew/model/path.h"

namespace sinew::signal_test {
namespace {

constexpr double e = 1e-5;
// Central differences of a function of size one: e² and rounding / e, and once more for the second rate.
constexpr double firstTolerance = 1e-7, secondTolerance = 1e-4;

void expectRates(const Signal& signal, double time, double scale = 1)
{
    const SignalValue now = signal.at(time), before = signal.at(time - e), after = signal.at(time + e);
    EXPECT_NEAR(now.rate, (after.value - before.value) / (2 * e), firstTolerance * scale) << time;
    EXPECT_NEAR(now.rate2, (after.rate - before.rate) / (2 * e), secondTolerance * scale) << time;
}

TEST(Signal, sine_is_a_sine)
{
    const Signal signal{SineSignal{2, 3, 0.5, 1}};
    EXPECT_NEAR(signal.at(0.4).value, 1 + 2 * std::sin(2 * pi * 3 * 0.4 + 0.5), 1e-14);
    for (double t : {-0.3, 0.0, 0.11, 7.7}) expectRates(signal, t, 1000);
}

TEST(Signal, pulse_lasts_its_length_and_comes_again)
{
    const Signal signal{PulseSignal{5, 2, 0.11, 2, 0}};
    for (double t : {0.0, 1.99, 2.12, 3.99, 4.1101, 5.9}) EXPECT_EQ(signal.at(t).value, 0) << t;
    for (double t : {2.0, 2.1, 4.0, 4.05, 6.0, 2 + 100 * 2.0}) EXPECT_EQ(signal.at(t).value, 5) << t;
    const Signal once{PulseSignal{5, 2, 0.11, 0, 0}};
    EXPECT_EQ(once.at(4.05).value, 0);
}

TEST(Signal, ramps_of_a_pulse_are_part_of_its_length)
{
    const Signal signal{PulseSignal{4, 1, 0.5, 0, 0.2}};
    EXPECT_EQ(signal.at(1.3).value, 4);
    EXPECT_EQ(signal.at(1.5).value, 0);
    EXPECT_NEAR(signal.at(1.1).value, 2, 1e-12);
    double area = 0;
    for (int i = 0; i < 1000; ++i) area += signal.at(1 + (i + 0.5) * 5e-4).value * 5e-4;
    EXPECT_NEAR(area, 4 * (0.5 - 0.2), 1e-6);
    for (double t : {1.05, 1.15, 1.33, 1.47}) expectRates(signal, t, 1e4);
}

TEST(Signal, step_ramps_without_a_jump_in_acceleration)
{
    const Signal signal{StepSignal{1, 3, 2, 0.5}};
    EXPECT_EQ(signal.at(1.9).value, 1);
    EXPECT_EQ(signal.at(2.6).value, 3);
    EXPECT_NEAR(signal.at(2 + 1e-7).rate2, 0, 1e-3);
    for (double t : {2.1, 2.3, 2.45}) expectRates(signal, t, 1000);
}

TEST(Signal, noise_is_the_same_for_the_same_seed_and_stays_in_bounds)
{
    const Signal a{NoiseSignal{2, 5, 7}}, b{NoiseSignal{2, 5, 7}}, c{NoiseSignal{2, 5, 8}};
    double square = 0, difference = 0;
    for (int i = 0; i < 1000; ++i) {
        const double t = 0.0137 * i;
        EXPECT_EQ(a.at(t).value, b.at(t).value);
        EXPECT_LE(std::abs(a.at(t).value), 2);
        square += a.at(t).value * a.at(t).value / 1000;
        difference = std::max(difference, std::abs(a.at(t).value - c.at(t).value));
    }
    EXPECT_GT(square, 0.3);
    EXPECT_GT(difference, 1);
    for (double t : {0.03, 0.47, 3.333}) expectRates(a, t, 1e5);
}

TEST(Signal, keys_are_met_and_smooth_ones_have_continuous_rates)
{
    KeySignal keys{{{0, 1}, {0.5, 2}, {2, -1}, {2.2, 0}}, true, 0};
    const Signal smooth{keys};
    for (const KeySignal::Key& key : keys.keys) EXPECT_NEAR(smooth.at(key.time).value, key.value, 1e-14);
    EXPECT_EQ(smooth.at(-1).value, 1);
    EXPECT_EQ(smooth.at(9).value, 0);
    for (double t : {0.2, 1.1, 2.13}) expectRates(smooth, t, 1e3);
    for (double t : {0.0, 0.5, 2.0, 2.2})
        EXPECT_NEAR(smooth.at(t - 1e-9).rate, smooth.at(t + 1e-9).rate, 1e-6) << t;
    keys.smooth = false;
    EXPECT_NEAR(Signal{keys}.at(1.25).value, 0.5, 1e-14);
}

TEST(Signal, keys_with_a_period_go_round_smoothly)
{
    // Once with the first key said again at the end, once without.
    for (const KeySignal& keys : {KeySignal{{{0, 0}, {0.25, 1}, {0.5, 0}, {0.75, -1}, {1, 0}}, true, 1},
                                  KeySignal{{{0, 0}, {0.25, 1}, {0.5, 0}, {0.75, -1}}, true, 1}}) {
        const Signal signal{keys};
        for (double t : {0.0, 0.1, 0.9}) {
            EXPECT_NEAR(signal.at(t).value, signal.at(t + 3).value, 1e-12);
            EXPECT_NEAR(signal.at(t).value, signal.at(t - 2).value, 1e-12);
        }
        EXPECT_NEAR(signal.at(1 - 1e-9).rate, signal.at(1 + 1e-9).rate, 1e-6);
        EXPECT_NEAR(signal.at(0).rate, 4, 1e-12);
    }
}

TEST(Signal, smooth_keys_never_swing_beyond_their_values)
{
    // A hold, a near jump, a peak: what parabolas would overshoot by far.
    for (const KeySignal& keys : {KeySignal{{{0, 0}, {0.5, 1}, {2.5, 1}, {3, 0}}, true, 0},
                                  KeySignal{{{0, 0}, {0.1, 1}, {0.11, 1.2}, {1, 1.2}}, true, 0},
                                  KeySignal{{{0, 0}, {0.1, 1}, {0.1001, 0}, {1, 0}}, true, 1.5}}) {
        const Signal signal{keys};
        for (int i = 0; i < 1000; ++i) {
            const double t = 0.003 * i, value = signal.at(t).value;
            EXPECT_GE(value, -1e-12) << t;
            EXPECT_LE(value, 1.2 + 1e-12) << t;
        }
    }
    EXPECT_EQ((Signal{KeySignal{{{0, 0}, {0.5, 1}, {2.5, 1}, {3, 0}}, true, 0}}.at(1.5).value), 1);
}

TEST(MovingRotation, has_the_rates_of_its_quaternion)
{
    // Small, middling and large angles: the series and both closed forms.
    for (double angle : {0.0, 1e-4, 0.05, 0.3, 0.6, 2.0, 3.1, 5.0}) {
        const Vec3 phi = angle * Vec3(1, 2, -2) / 3, rate(0.3, -0.2, 0.9), rate2(-0.5, 0.1, 0.4);
        const auto at = [&](double t) {
            return movingRotation(phi + t * rate + 0.5 * t * t * rate2, rate + t * rate2, rate2);
        };
        const RotationMotion now = at(0);
        EXPECT_LT(logRotation(expRotation(phi).conjugate() * now.rotation).norm(), 1e-14);
        const Vec3 turned = logRotation(at(-e).rotation.conjugate() * at(e).rotation) / (2 * e);
        EXPECT_LT((now.velocity - turned).norm(), firstTolerance) << angle;
        EXPECT_LT((now.velocity - rightJacobian(phi) * rate).norm(), 1e-13) << angle;
        EXPECT_LT((now.acceleration - (at(e).velocity - at(-e).velocity) / (2 * e)).norm(), 1e-9) << angle;
    }
}

TEST(Path, smooth_goes_through_its_keys_with_continuous_velocities)
{
    Path path;
    path.smooth = true;
    path.keys = {{0, Vec3(0, 0, 0), Quat::Identity()},
                 {1, Vec3(1, 0.5, 0), expRotation(Vec3(0.5, 1, 0))},
                 {1.5, Vec3(1, 1, 1), expRotation(Vec3(-0.5, 2, 0.4))},
                 {3, Vec3(0, 1, 0), expRotation(Vec3(0, 0, 2.5))}};
    for (const Path::Key& key : path.keys) {
        const PathPoint at = path.at(key.time);
        EXPECT_LT((at.position - key.position).norm(), 1e-14);
        EXPECT_LT(logRotation(at.orientation.conjugate() * key.orientation).norm(), 1e-14);
        const PathPoint before = path.at(key.time - 1e-9), after = path.at(key.time + 1e-9);
        EXPECT_LT((before.velocity - after.velocity).norm(), 1e-6) << key.time;
        EXPECT_LT((before.spin - after.spin).norm(), 1e-6) << key.time;
    }
    for (double t : {0.3, 1.2, 2.2}) {
        const PathPoint now = path.at(t), before = path.at(t - e), after = path.at(t + e);
        EXPECT_LT((now.velocity - (after.position - before.position) / (2 * e)).norm(), 1e-8);
        EXPECT_LT((now.acceleration - (after.velocity - before.velocity) / (2 * e)).norm(), 1e-7);
        const Vec3 turned = logRotation(after.orientation * before.orientation.conjugate()) / (2 * e);
        EXPECT_LT((now.spin - turned).norm(), 1e-8);
        EXPECT_LT((now.spinRate - (after.spin - before.spin) / (2 * e)).norm(), 1e-7);
    }
    path.smooth = false;
    EXPECT_LT((path.at(0.5).position - Vec3(0.5, 0.25, 0)).norm(), 1e-15);
}

}  // namespace
}  // namespace sinew::signal_test
