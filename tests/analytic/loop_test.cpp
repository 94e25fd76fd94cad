// Closed loops where the answer is known: the four-bar linkage, the parallelogram pendulum.
#include <gtest/gtest.h>

#include <cmath>

#include "support/contact_scenes.h"

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
    ASSERT_EQ(s.model.loops.size(), 1u);
    ASSERT_NEAR(rockerAngle(pi / 2), pi / 2, 1e-12);
    double worst = 0, turned = 0, last = angleOf(bodyOf(s, "crank")), open = 0;
    runFor(s, 10, [&](const StepReport&) {
        const double crank = angleOf(bodyOf(s, "crank"));
        turned += std::remainder(crank - last, 2 * pi);
        last = crank;
        worst = std::max(
            worst, std::abs(std::remainder(angleOf(bodyOf(s, "rocker")) - rockerAngle(crank), 2 * pi)));
        open = std::max(open, largestJointError(s.model, s.state).gap);
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

// Two rods that hang side by side and a bar between their ends, which only ever shifts.
Description parallelogram(double length, double coordinate)
{
    Description d;
    for (int i = 0; i < 2; ++i) {
        const std::string rod = i ? "right" : "left";
        d.bodies.push_back(solid(rod, Box{Vec3(0.02, length, 0.02)}, Vec3(i ? 0.3 : -0.3, -length / 2, 0)));
        d.joints.push_back(joined(rod, JointType::hinge, "world", rod, Vec3(i ? 0.3 : -0.3, 0, 0)));
        d.joints.back().coordinate = {coordinate};
    }
    d.bodies.push_back(solid("bar", Box{Vec3(0.6, 0.04, 0.04)}, Vec3(0, -length, 0)));
    d.joints.push_back(joined("hangs", JointType::hinge, "left", "bar", Vec3(-0.3, -length, 0)));
    d.joints.back().coordinate = {-coordinate};
    d.joints.push_back(joined("closes", JointType::hinge, "bar", "right", Vec3(0.3, -length, 0)));
    return d;
}

TEST(Parallelogram, swings_with_the_period_of_its_closed_form)
{
    constexpr double L = 0.5, amplitude = 0.1;
    const Description d = parallelogram(L, amplitude);
    double errors[2];
    for (int k = 0; k < 2; ++k) {
        const double h = k ? 5e-4 : 2e-3;
        Simulation s = started(d, stepping("implicit", h));
        const double m = s.model.bodies[s.model.findBody("left")].mass,
                     M = s.model.bodies[s.model.findBody("bar")].mass;
        // Energy: ½ (2 I + M L²) θ'² − (m + M) g L cos θ, I about the pivot.
        const double I = m * (L * L / 3 + 0.02 * 0.02 / 12);
        const double period =
            2 * pi * std::sqrt((2 * I + M * L * L) / ((m + M) * g * L)) * (1 + amplitude * amplitude / 16);
        std::vector<double> zeros;
        double before = amplitude, level = 0;
        runFor(s, 4.5, [&](const StepReport&) {
            const double q = s.state.q[s.model.joints[s.model.findJoint("left")].q];
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

TEST(Necklace, of_a_hundred_beads_stays_closed)
{
    Simulation s = started(shippedScene("necklace"));
    ASSERT_FALSE(s.model.loops.empty());
    double open = 0, fastest = 0;
    runFor(s, 10, [&](const StepReport&) {
        open = std::max(open, largestJointError(s.model, s.state).gap);
        fastest = std::max(fastest, bodyOf(s, "bead_50").velocity.norm());
    });
    std::printf("gap %.1e m, fastest bead %.1f m/s\n", open, fastest);
    EXPECT_LT(open, gap);
    EXPECT_GT(fastest, 0.5);
}

}  // namespace
}  // namespace sinew
