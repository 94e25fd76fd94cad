// What falls without restitution stays down: a touch in the midst of a step must not come back as a
// rebound.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/state/measure.h"
#include "support/contact_scenes.h"

namespace sinew {
namespace {

using test::ground;
using test::joined;
using test::solid;
using test::started;
using test::stepping;

class Landing : public testing::TestWithParam<const char*> {};

double energyOf(const Simulation& s)
{
    return energy(s.model(), s.state).total();
}

// Energy over what it had in the air, of the largest rise from one step to the next once it has touched.
double rebound(Simulation& s, double duration)
{
    const double start = energyOf(s);
    double last = start, worst = 0;
    while (s.state.time < duration) {
        const StepReport report = s.step();
        EXPECT_TRUE(report.ok) << report.message;
        if (!report.ok) break;
        const double now = energyOf(s);
        worst = std::max(worst, (now - last) / std::abs(start));
        last = now;
    }
    return worst;
}

TEST_P(Landing, of_a_ball_or_a_box_is_its_rest_wherever_in_the_step_it_touches)
{
    double worst = 0, highest = 0;
    for (int i = 0; i < 40; ++i)
        for (const Shape& shape : {Shape(Sphere{0.1}), Shape(Box{Vec3(0.2, 0.2, 0.2)})}) {
            Description d;
            d.bodies = {solid("thing", shape, Vec3(0, 0.6 + 0.011 * i, 0))};
            d.obstacles = {ground()};
            d.contact.emplace();
            Simulation s = started(d, stepping(GetParam(), 1. / 60));
            worst = std::max(worst, rebound(s, 1));
            highest = std::max(highest, s.state.bodies[0].position.y());
        }
    std::printf("%s: energy rises by %.1e at most, at rest at %.9f m\n", GetParam(), worst, highest);
    EXPECT_LT(worst, 1e-9);
    EXPECT_NEAR(highest, 0.1, 1e-7);
}

// Two figures that a loop ties together: a lever on the one side, a heavy one that never touches on the
// other.
TEST_P(Landing, of_a_linkage_stops_all_of_it)
{
    double worst = 0;
    for (int i = 0; i < 20; ++i) {
        Description d;
        d.bodies = {solid("lever", Box{Vec3(1, 0.05, 0.1)}, Vec3(0.5, 1, 0)),
                    solid("rod", Box{Vec3(0.05, 1, 0.1)}, Vec3(1, 1.5, 0)),
                    solid("beam", Box{Vec3(1, 0.2, 0.1)}, Vec3(0.5, 2, 0))};
        d.joints = {joined("a", JointType::hinge, "world", "lever", Vec3(0, 1, 0)),
                    joined("b", JointType::hinge, "lever", "rod", Vec3(1, 1, 0)),
                    joined("c", JointType::hinge, "world", "beam", Vec3(0, 2, 0)),
                    joined("d", JointType::hinge, "beam", "rod", Vec3(1, 2, 0))};
        for (JointDescription& joint : d.joints) joint.axis = Vec3::UnitZ();
        d.obstacles = {ground()};
        d.obstacles[0].position = Vec3(0, 0.5 - 0.013 * i, 0);
        d.contact.emplace();
        Simulation s = started(d, stepping(GetParam(), 1. / 60));
        worst = std::max(worst, rebound(s, 1));
    }
    std::printf("%s: energy rises by %.1e at most\n", GetParam(), worst);
    EXPECT_LT(worst, 1e-7);
}

INSTANTIATE_TEST_SUITE_P(With, Landing, testing::Values("implicit", "implicit_euler", "implicit_bdf2"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace sinew
