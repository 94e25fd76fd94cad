// The fast and slow bands: what they share with the plain method, and how the difference shrinks.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/simulation/simulation.h"
#include "support/random_tree.h"

namespace sinew::bands_test {
namespace {

using test::randomTree;
using test::TreeOptions;

// Slopes are taken at steps that are not yet infinitely small.
constexpr double slopeTolerance = 0.2;
// Rounding of some hundred operations on numbers about one.
constexpr double rounding = 1e-12;

// Ball joints with soft springs, floating, turning at about 2 rad/s.
Description softTree(int bodies, bool pinned = false)
{
    Random random(7);
    TreeOptions options;
    options.bodies = bodies;
    options.joints = {JointType::spherical};
    if (pinned) options.rootJoints = {JointType::spherical};
    options.mayFloat = false;
    Description d = randomTree(random, options);
    for (JointDescription& joint : d.joints) {
        joint.velocity = {random.normal(), random.normal(), random.normal()};
        joint.stiffness = 2;
        joint.damping = 0.02;
    }
    return d;
}

Simulation created(const Description& d, const Settings& settings)
{
    Result<Simulation> made = Simulation::create(d, settings);
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    return std::move(made.value());
}

Settings bands(double h, int slowBand, bool spread = false)
{
    Settings settings{"", "bands", h};
    settings.slowBand = slowBand;
    settings.spread = spread;
    return settings;
}

State after(const Description& d, const Settings& settings, double duration)
{
    Simulation s = created(d, settings);
    const int steps = static_cast<int>(std::lround(duration / *settings.step));
    for (int i = 0; i < steps; ++i) EXPECT_TRUE(s.step().ok);
    return s.state;
}

// The farthest that a centre of mass, or a point 1 m off it, lies from where it is in the other state.
double distance(const State& a, const State& b)
{
    double most = 0;
    for (std::size_t i = 0; i < a.bodies.size(); ++i) {
        const double turn = a.bodies[i].orientation.angularDistance(b.bodies[i].orientation);
        most = std::max(most, (a.bodies[i].position - b.bodies[i].position).norm() + turn);
    }
    return most;
}

double slopeOf(const char* what, double finerBy, const std::vector<double>& errors)
{
    for (double error : errors) std::printf("%s: %.3e\n", what, error);
    const double halvings = static_cast<double>(errors.size() - 1);
    return std::log(errors.front() / errors.back()) / (halvings * std::log(finerBy));
}

// The slope, in h, of the difference of two ways to make the same motion.
template <class First, class Second>
double slopeInStep(const char* what, const Description& d, First first, Second second)
{
    std::vector<double> errors;
    for (double h : {1e-3, 5e-4, 2.5e-4, 1.25e-4})
        errors.push_back(distance(after(d, first(h), 0.4), after(d, second(h), 0.4)));
    return slopeOf(what, 2, errors);
}

Settings plain(double h)
{
    return {"armstrong_green", "semi_implicit_euler", h};
}

TEST(Bands, at_one_step_have_the_accelerations_of_the_plain_method)
{
    for (bool pinned : {false, true}) {
        Simulation s = created(softTree(12, pinned), bands(1e-3, 1));
        for (int i = 0; i < 5; ++i) {
            const State before = s.state;
            const Accelerations expected = s.accelerate();
            ASSERT_TRUE(s.step().ok);
            for (int b = 0; b < s.model().size(); ++b) {
                const Vec3 w_dot =
                    (s.state.bodies[b].angularVelocity - before.bodies[b].angularVelocity) / s.h;
                const Vec3 wanted = before.bodies[b].orientation.conjugate() * expected.body[b].angular;
                // Differences of velocities over a step of 1 ms lose three digits.
                EXPECT_LT((w_dot - wanted).norm(), 1e3 * rounding * (1 + wanted.norm()));
            }
        }
    }
}

// One advances the angular velocity of each link, the other that relative to the parent: these differ by
// terms of h² in a step.
TEST(Bands, at_one_step_differ_from_the_plain_method_with_slope_one)
{
    EXPECT_NEAR(
        slopeInStep(
            "ν = 1 against the plain method", softTree(8), [](double h) { return bands(h, 1); }, plain),
        1, slopeTolerance);
}

// Of a single link both velocities are the same: left is the angle of a turn, atan against the angle
// itself, h³ in a step.
TEST(Bands, of_one_link_differ_from_the_plain_method_with_slope_two)
{
    EXPECT_NEAR(slopeInStep(
                    "one link", softTree(1, true), [](double h) { return bands(h, 1); }, plain),
                2, slopeTolerance);
}

TEST(Bands, with_a_slow_band_of_four_differ_from_one_with_slope_one)
{
    for (bool spread : {false, true})
        EXPECT_NEAR(
            slopeInStep(
                spread ? "ν = 4 spread" : "ν = 4", softTree(8),
                [spread](double h) { return bands(h, 4, spread); }, [](double h) { return bands(h, 1); }),
            1, slopeTolerance);
}

TEST(Bands, spread_and_in_blocks_agree_to_first_order_in_the_step)
{
    EXPECT_NEAR(slopeInStep(
                    "spread against blocks", softTree(8), [](double h) { return bands(h, 4, true); },
                    [](double h) { return bands(h, 4); }),
                1, slopeTolerance);
}

// What is old is (ν − 1)/2 steps old on average.
TEST(Bands, difference_grows_linearly_with_the_slow_band)
{
    const double h = 5e-4;
    const State exact = after(softTree(8), bands(h, 1), 0.4);
    std::vector<double> errors;
    for (int slowBand : {9, 5, 3, 2})  // ν − 1 halves
        errors.push_back(distance(after(softTree(8), bands(h, slowBand), 0.4), exact));
    EXPECT_NEAR(slopeOf("ν", 2, errors), 1, slopeTolerance);
}

TEST(Bands, show_a_state_that_agrees_with_itself_after_every_step)
{
    for (bool spread : {false, true}) {
        Simulation s = created(softTree(12), bands(2e-3, 5, spread));
        for (int i = 0; i < 200; ++i) {
            ASSERT_TRUE(s.step().ok);
            State again = s.state;
            bodiesFromJoints(s.model(), again);
            ASSERT_LT(distance(again, s.state), rounding * 10);
            for (std::size_t b = 0; b < again.bodies.size(); ++b) {
                const BodyState &shown = s.state.bodies[b], &derived = again.bodies[b];
                ASSERT_LT((shown.velocity - derived.velocity).norm(), rounding * 10);
                ASSERT_LT((shown.angularVelocity - derived.angularVelocity).norm(), rounding * 10);
                ASSERT_LT((shown.position - derived.position).norm(), rounding * 10);
                const Mat3& R = s.state.slow[b].R_I;
                ASSERT_LT((R * R.transpose() - Mat3::Identity()).norm(), rounding);  // (35)
            }
            ASSERT_LT(largestJointError(s.model(), s.state).gap, rounding);
        }
    }
}

// No gravity, no damping: nothing is lost but by the step.
TEST(Bands, drift_of_energy_and_momentum_has_slope_one)
{
    Description d = softTree(8);
    d.gravity.setZero();
    for (JointDescription& joint : d.joints) joint.damping = 0;
    for (int slowBand : {1, 4}) {
        std::vector<double> energies, linears, angulars;
        for (double h : {4e-4, 2e-4, 1e-4}) {
            Simulation s = created(d, bands(h, slowBand));
            const double E = energy(s.model(), s.state).total();
            const Momentum m = momentum(s.model(), s.state);
            for (int i = 0; i < 1 / h; ++i) ASSERT_TRUE(s.step().ok);
            const Momentum now = momentum(s.model(), s.state);
            energies.push_back(std::abs(energy(s.model(), s.state).total() - E) / E);
            linears.push_back((now.linear - m.linear).norm() / m.linearScale);
            angulars.push_back((now.angular - m.angular).norm() / m.angularScale);
        }
        EXPECT_NEAR(slopeOf("energy", 2, energies), 1, 2 * slopeTolerance);
        EXPECT_NEAR(slopeOf("momentum", 2, linears), 1, 2 * slopeTolerance);
        EXPECT_NEAR(slopeOf("angular momentum", 2, angulars), 1, 2 * slopeTolerance);
    }
}

TEST(Bands, keep_the_linear_momentum_of_a_free_body_to_rounding)
{
    Description d = softTree(1);
    d.gravity.setZero();
    d.bodies[0].velocity = Vec3(1, 2, 3);
    d.bodies[0].angularVelocity = Vec3(3, -1, 2);
    const State state = after(d, bands(1e-2, 7), 2);
    EXPECT_LT((state.bodies[0].velocity - Vec3(1, 2, 3)).norm(), rounding);
}

// Gravity knows the orientation as it is, not as it was at the last slow update.
TEST(Bands, let_a_spinning_body_fall_as_a_stone_does)
{
    Description d = softTree(1);
    d.bodies[0].angularVelocity = Vec3(3, -1, 2);
    const State state = after(d, bands(1e-2, 7), 2);
    EXPECT_LT((state.bodies[0].velocity - 2 * d.gravity).norm(), 100 * rounding);  // of 20 m/s, 200 steps
}

// At every step of a period, and after the accelerations were looked at.
TEST(Bands, go_on_from_a_copied_state_to_the_same_bits)
{
    for (bool spread : {false, true}) {
        const Settings settings = bands(2e-3, 4, spread);
        Simulation a = created(softTree(12), settings);
        for (int start = 0; start < 9; ++start) {
            Simulation whole = created(softTree(12), settings), resumed = created(softTree(12), settings);
            whole.state = resumed.state = a.state;
            for (int i = 0; i < 5; ++i)
                ASSERT_TRUE(whole.step().ok);  // its memory now speaks of later steps
            whole.state = a.state;
            for (int i = 0; i < 25; ++i) {
                ASSERT_TRUE(whole.step().ok);
                resumed.accelerate();
                ASSERT_TRUE(resumed.step().ok);
            }
            EXPECT_EQ(stateHash(whole.state), stateHash(resumed.state));
            EXPECT_EQ(whole.state.q, resumed.state.q);
            EXPECT_EQ(whole.state.u, resumed.state.u);
            ASSERT_TRUE(a.step().ok);
        }
    }
}

std::string refusal(const Description& d, const Settings& settings)
{
    Result<Simulation> made = Simulation::create(d, settings);
    EXPECT_FALSE(made);
    return made ? "" : made.error().text();
}

TEST(Bands, go_with_their_own_method_only)
{
    EXPECT_STREQ(created(softTree(3), {"", "bands", 1e-3}).method->name, "armstrong_green");
    for (const char* solver : {"featherstone", "baraff", "kkt", "hakenberg"})
        EXPECT_EQ(refusal(softTree(3), {solver, "bands", 1e-3}),
                  "integrator: integrator 'bands' does not go with solver '" + std::string(solver) +
                      "'; only armstrong_green does");
    // Chosen by the settings, they silence the scene's solver and coordinates.
    Description d = softTree(3);
    d.run.solver = "baraff";
    d.run.coordinates = "maximal";
    EXPECT_STREQ(created(d, {"", "bands", 1e-3}).method->name, "armstrong_green");
}

TEST(Bands, settings_are_refused_where_they_mean_nothing)
{
    Description d = softTree(3);
    Settings settings{"", "rk4", 1e-3};
    settings.slowBand = 2;
    EXPECT_EQ(refusal(d, settings), "slow_band: integrator 'rk4' has no slow band; use bands");
    settings.slowBand = {};
    settings.spread = true;
    EXPECT_EQ(refusal(d, settings), "spread: integrator 'rk4' has no slow band; use bands");
    EXPECT_EQ(refusal(d, bands(1e-3, 0)), "slow_band: is 0; it must be a number of steps, 1 or more");
    d.run.slowBand = -3;
    EXPECT_EQ(refusal(d, {"", "bands", 1e-3}),
              "/run/slow_band: is -3; it must be a number of steps, 1 or more");
    EXPECT_EQ(refusal(d, {}), "/run/slow_band: integrator 'implicit' has no slow band; use bands");
    d.run.slowBand = {};
    d.run.spread = true;
    EXPECT_EQ(refusal(d, {}), "/run/spread: integrator 'implicit' has no slow band; use bands");
    // Another integrator chosen by the settings silences what the scene says for its own.
    EXPECT_FALSE(created(d, {"", "rk4", 1e-3}).spread());
    EXPECT_TRUE(created(d, {"", "bands", 1e-3}).spread());
}

}  // namespace
}  // namespace sinew::bands_test
