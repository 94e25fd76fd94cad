// Closed loops where the answer is known: the four-bar linkage, the parallelogram pendulum.
#include <gtest/gtest.h>

#include <cmath>

#include "support/contact_scenes.h"
#include "support/loops.h"

namespace sinew {
namespace {

using test::bodyOf;
using test::frame;
using test::g;
using test::joined;
using test::runFor;
using test::shippedScene;
using test::solid;
using test::started;
using test::stepping;
using test::swingingParallelogram;

constexpr double gap = 1e-6;  // m: what a loop may be open by, at any time

// scenes/fourbar.json: crank a, coupler b, rocker c, ground d. From a crank's angle, the rocker's: the
// coupler's far end is where two circles meet, on the side that it starts on.
double rockerAngle(double crank)
{
    constexpr double a = 0.2, c = 0.4, d = 0.5;
    const double b = std::hypot(0.5, 0.2);
    const double x = d - a * std::cos(crank),
                 y = -a * std::sin(crank);  // from the crank's end to the pivot
    const double r = std::hypot(x, y);
    // In the triangle of that line, coupler and rocker, the angle at the rocker's pivot.
    const double at = std::acos((r * r + c * c - b * b) / (2 * r * c));
    return std::atan2(-y, -x) - at;
}

double angleOf(const BodyState& bone)
{
    const Vec3 along = bone.orientation * Vec3::UnitY();  // bones have y along them
    return std::atan2(along.y(), along.x());
}

TEST(FourBar, has_the_rocker_where_the_crank_says)
{
    Simulation s = started(shippedScene("fourbar"));
    ASSERT_EQ(s.model().loops.size(), 1u);
    ASSERT_NEAR(rockerAngle(pi / 2), pi / 2, 1e-12);
    double worst = 0, turned = 0, last = angleOf(bodyOf(s, "crank")), open = 0;
    runFor(s, 10, [&](const StepReport&) {
        const double crank = angleOf(bodyOf(s, "crank"));
        turned += std::remainder(crank - last, 2 * pi);
        last = crank;
        worst = std::max(
            worst, std::abs(std::remainder(angleOf(bodyOf(s, "rocker")) - rockerAngle(crank), 2 * pi)));
        open = std::max(open, largestJointError(s.model(), s.state).gap);
    });
    std::printf("%.1f turns, rocker %.1e rad off at most, gap %.1e m\n", turned / (2 * pi), worst, open);
    EXPECT_GT(std::abs(turned), 4 * pi);
    // The gap, over the rocker and the flattest angle at which the circles meet.
    EXPECT_LT(worst, 20 * gap);
    EXPECT_LT(open, gap);
}

TEST(FourBar, moves_alike_whether_its_closing_joint_is_redundant_or_not)
{
    Description redundant = shippedScene("fourbar"), lean = redundant;
    lean.joints.back().type = JointType::spherical;  // three rows, of which one is still too many
    lean.joints.back().axis.reset();
    Simulation a = started(redundant), b = started(lean);
    runFor(a, 2);
    runFor(b, 2);
    constexpr double newton = 1e-6;  // rad, added up over the tolerances of 120 steps
    EXPECT_NEAR(angleOf(bodyOf(a, "crank")), angleOf(bodyOf(b, "crank")), newton);
    EXPECT_NEAR(angleOf(bodyOf(a, "rocker")), angleOf(bodyOf(b, "rocker")), newton);
}

TEST(Parallelogram, swings_with_the_period_of_its_closed_form)
{
    constexpr double L = 0.5, amplitude = 0.1;
    const Description d = swingingParallelogram(L, amplitude);
    double errors[2];
    for (int k = 0; k < 2; ++k) {
        const double h = k ? 5e-4 : 2e-3;
        Simulation s = started(d, stepping("implicit", h));
        const double m = s.model().bodies[s.model().findBody("left")].mass,
                     M = s.model().bodies[s.model().findBody("bar")].mass;
        // Energy: ½ (2 I + M L²) θ'² − (m + M) g L cos θ, I about the pivot.
        const double I = m * (L * L / 3 + 0.02 * 0.02 / 12);
        const double period =
            2 * pi * std::sqrt((2 * I + M * L * L) / ((m + M) * g * L)) * (1 + amplitude * amplitude / 16);
        std::vector<double> zeros;
        double before = amplitude, level = 0;
        runFor(s, 4.5, [&](const StepReport&) {
            const double q = s.state.q[s.model().joints[s.model().findJoint("left")].q];
            if (before > 0 && q <= 0) zeros.push_back(s.state.time - h * q / (q - before));
            before = q;
            const Vec3 along = bodyOf(s, "bar").orientation * Vec3::UnitX();
            level = std::max(level, std::abs(along.y()));
        });
        ASSERT_GE(zeros.size(), 3u);
        const double measured = (zeros.back() - zeros.front()) / double(zeros.size() - 1);
        errors[k] = measured / period - 1;
        std::printf("h = %g: period %.6f s, relative error %.1e; bar tilts %.1e\n", h, measured, errors[k],
                    level);
        EXPECT_LT(level, 10 * gap);
    }
    // BDF2 makes the period longer by (ω h)²/3; the next term of the period in the amplitude is 1e-6.
    EXPECT_LT(std::abs(errors[0]), 1e-4);
    EXPECT_LT(std::abs(errors[1]), 1e-5);
}

// Springs in all four joints, which all turn by the same angle: none is left to close the loop by itself.
// Energy: ½ (2 I + M L²) θ'² − (m + M) g L cos θ + ½ Σk θ².
struct SprungParallelogram {
    static constexpr double L = 0.5;
    Description scene;
    double inertia = 0, weight = 0, stiffness = 0;

    explicit SprungParallelogram(double angle, double damping = 0)
    {
        scene = swingingParallelogram(L, angle);
        double k = 2;
        for (JointDescription& joint : scene.joints) {
            joint.stiffness = k;
            joint.damping = damping;
            stiffness += k;
            k += 1.5;
        }
        const Model model = compile(scene).value();
        const double m = model.bodies[model.findBody("left")].wholeMass(),
                     right = model.bodies[model.findBody("right")].wholeMass(),
                     M = model.bodies[model.findBody("bar")].wholeMass();
        EXPECT_DOUBLE_EQ(m, right);
        inertia = 2 * m * (L * L / 3 + 0.02 * 0.02 / 12) + M * L * L;
        weight = (m + M) * g * L;
    }
    double frequency() const { return std::sqrt((weight + stiffness) / inertia); }
};

TEST(SprungLoop, has_the_frequency_of_its_closed_form_with_every_integrator)
{
    constexpr double amplitude = 0.01;
    const SprungParallelogram p(amplitude);
    ASSERT_EQ(compile(p.scene).value().loops.size(), 1u);
    struct Way {
        const char *integrator, *coordinates;
    };
    for (const Way& way : {Way{"implicit", "joint"}, Way{"implicit", "maximal"}, Way{"conservative", ""},
                           Way{"rk4", ""}, Way{"semi_implicit_euler", ""}}) {
        Settings settings = stepping(way.integrator, 1e-3);
        settings.coordinates = way.coordinates;
        Simulation s = started(p.scene, settings);
        std::vector<double> zeros;
        double before = amplitude, open = 0;
        const int q = s.model().joints[s.model().findJoint("closes")].q;
        runFor(s, 3, [&](const StepReport&) {
            // The closing joint has a coordinate, the angle of the others.
            const double now = s.state.q[q];
            if (before > 0 && now <= 0) zeros.push_back(s.state.time - s.h * now / (now - before));
            before = now;
            const JointError error = largestJointError(s.model(), s.state);
            open = std::max({open, error.gap, error.misalignment});
        });
        ASSERT_GE(zeros.size(), 3u);
        const double period = (zeros.back() - zeros.front()) / double(zeros.size() - 1);
        const double error = period * p.frequency() / (2 * pi) - 1;
        std::printf("%s %s: period off by %.1e, open by %.1e\n", way.integrator, way.coordinates, error,
                    open);
        EXPECT_LT(std::abs(error), 1e-4);  // (ω h)²/3 = 3e-5 of BDF2, amplitude²/16 = 6e-6
        EXPECT_LT(open, 1e-9);
    }
}

TEST(SprungLoop, is_damped_at_the_rate_of_its_closed_form)
{
    constexpr double amplitude = 0.01, c = 0.05;
    const SprungParallelogram p(amplitude, c);
    Simulation s = started(p.scene, stepping("rk4", 1e-3));
    const double start = energy(s.model(), s.state).total();
    double lowest = 0;
    {  // at rest
        Simulation still = started(SprungParallelogram(0).scene, stepping("rk4", 1e-3));
        lowest = energy(still.model(), still.state).total();
    }
    runFor(s, 2);
    // E falls with exp(−4 c t / inertia), but for its ripple within a swing, 4 c/(2 inertia ω).
    const double rate = 4 * c / p.inertia;
    const double left = (energy(s.model(), s.state).total() - lowest) / (start - lowest);
    EXPECT_NEAR(std::log(left), -2 * rate, 1.5 * rate / p.frequency());
}

TEST(SprungLoop, rests_on_the_limit_of_the_joint_that_closes_it)
{
    SprungParallelogram p(0, 1);
    for (JointDescription& joint : p.scene.joints) joint.stiffness = 0;
    JointDescription& closing = p.scene.joints.back();
    constexpr double limit = 0.3, k = 400, push = 40;
    closing.lower = {-limit};
    closing.upper = {limit};
    closing.limitStiffness = k;
    for (JointDescription& joint : p.scene.joints) joint.velocity = {0};
    p.scene.forces.emplace_back();
    p.scene.forces.back().body = "bar";
    p.scene.forces.back().force = Vec3(push, 0, 0);
    for (const char* integrator : {"implicit", "rk4"}) {
        Simulation s = started(p.scene, stepping(integrator, 2e-3));
        ASSERT_TRUE(runFor(s, 6));
        const double angle = s.state.q[s.model().joints[s.model().findJoint("closes")].q];
        // push L cos θ = weight sin θ + k (θ − limit).
        double theta = limit;
        for (int i = 0; i < 50; ++i) {
            const double f =
                push * p.L * std::cos(theta) - p.weight * std::sin(theta) - k * (theta - limit);
            theta += f / (k + p.weight * std::cos(theta) + push * p.L * std::sin(theta));
        }
        ASSERT_GT(theta, limit);
        EXPECT_NEAR(angle, theta, 1e-6) << integrator;
    }
}

TEST(SprungLoop, with_a_motor_in_the_joint_that_closes_it_turns_like_any_other)
{
    // The same torque in any of the four joints does the same.
    double angles[2];
    for (int k = 0; k < 2; ++k) {
        SprungParallelogram p(0, 0.5);
        JointDescription& driven = k ? p.scene.joints.front() : p.scene.joints.back();
        driven.motor = {1.5};
        Simulation s = started(p.scene, stepping("implicit", 5e-3));
        ASSERT_TRUE(runFor(s, 1));
        angles[k] = s.state.q[s.model().joints[s.model().findJoint("left")].q];
    }
    EXPECT_GT(angles[0], 0.01);
    EXPECT_NEAR(angles[0], angles[1], 1e-7);
}

TEST(Necklace, of_a_hundred_beads_stays_closed)
{
    Simulation s = started(shippedScene("../tests/data/ring_of_beads"));
    ASSERT_FALSE(s.model().loops.empty());
    double open = 0, fastest = 0;
    runFor(s, 10, [&](const StepReport&) {
        open = std::max(open, largestJointError(s.model(), s.state).gap);
        fastest = std::max(fastest, bodyOf(s, "bead_50").velocity.norm());
    });
    std::printf("gap %.1e m, fastest bead %.1f m/s\n", open, fastest);
    EXPECT_LT(open, gap);
    EXPECT_GT(fastest, 0.5);
}

// Newton's matrix has the stiffness of the rows that close it, in the length of BDF2's own step: with that
// of a whole step it took 15 iterations.
TEST(Necklace, falls_together_in_few_iterations)
{
    Simulation s = started(shippedScene("../tests/data/ring_of_beads"));
    long iterations = 0, steps = 0;
    runFor(s, 1. / 3, [&](const StepReport& report) {
        iterations += report.statistics.newtonIterations;
        ++steps;
    });
    std::printf("%ld iterations in %ld steps\n", iterations, steps);
    EXPECT_LT(iterations, 9 * steps);
}

}  // namespace
}  // namespace sinew
