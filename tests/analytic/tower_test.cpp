// Towers of light boxes under a heavy one stand still, whichever solver is asked for, turned and scaled.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/math/rotation.h"
#include "support/contact_scenes.h"

namespace sinew::tower_test {
namespace {

using test::drift;
using test::ground;
using test::penetration;
using test::runFor;
using test::solid;
using test::started;
using Solver = ContactDescription::Solver;

struct Tower {
    int boxes;
    double ratio;  // of the mass on top to that of each box
    Solver solver = Solver::automatic;
    double length = 1;  // of the scene, gravity likewise
    Quat turn = Quat::Identity();
};

void PrintTo(const Tower& t, std::ostream* out)
{
    *out << t.boxes << " boxes under " << t.ratio << ", solver " << static_cast<int>(t.solver)
         << ", lengths times " << t.length << ", turned by " << logRotation(t.turn).norm();
}

Description sceneOf(const Tower& t)
{
    const double side = 0.2 * t.length;
    Description d;
    for (int i = 0; i <= t.boxes; ++i) {
        const Vec3 place = t.turn * Vec3(0, (i + 0.5) * side, 0);
        d.bodies.push_back(solid("box" + std::to_string(i), Box{Vec3::Constant(side)}, place, t.turn));
        d.bodies.back().shapes[0].mass = i < t.boxes ? 1 : t.ratio;
    }
    d.gravity = t.turn * Vec3(0, -test::g * t.length, 0);
    d.obstacles = {ground(t.turn * Vec3::UnitY())};
    d.contact.emplace();
    d.contact->solver = t.solver;
    return d;
}

class Towers : public testing::TestWithParam<Tower> {};

TEST_P(Towers, stand_still)
{
    const Tower& t = GetParam();
    Simulation s = started(sceneOf(t));
    const LargeVector<BodyState> before = s.state.bodies;
    long steps = 0, iterations = 0;
    int caps = 0;
    ASSERT_TRUE(runFor(s, 2, [&](const StepReport& report) {
        ++steps;
        iterations += report.statistics.newtonIterations;
        caps += report.statistics.contactCaps;
    }));
    EXPECT_EQ(caps, 0);
    EXPECT_LE(static_cast<double>(iterations) / static_cast<double>(steps), 6);
    // A step leaves no contact farther from the law than the tolerance, and a tower adds them up.
    const double open = *s.model().contact->tolerance * (t.boxes + 1);
    EXPECT_LE(drift(before, s.state), open * static_cast<double>(steps));
    EXPECT_LE(penetration(s), 10 * open);
}

const Quat aside(0.3, -0.5, 0.7, 0.4);

INSTANTIATE_TEST_SUITE_P(
    All, Towers,
    testing::Values(Tower{5, 1}, Tower{5, 1e3}, Tower{5, 1e6}, Tower{10, 1}, Tower{10, 1e3}, Tower{10, 1e6},
                    Tower{20, 1e-3}, Tower{20, 1}, Tower{20, 30}, Tower{20, 1e3}, Tower{20, 1e4},
                    Tower{40, 1}, Tower{40, 100}, Tower{5, 1e3, Solver::exact},
                    Tower{5, 1e3, Solver::iterative}, Tower{10, 1e6, Solver::iterative},
                    Tower{20, 1, Solver::iterative}, Tower{20, 1e3, Solver::iterative},
                    Tower{20, 1e3, Solver::automatic, 0.01}, Tower{20, 1e3, Solver::automatic, 1000},
                    Tower{20, 1e3, Solver::automatic, 1, aside.normalized()},
                    Tower{20, 1e3, Solver::automatic, 0.01, aside.normalized()},
                    Tower{20, 1e3, Solver::iterative, 0.01, aside.normalized()}));

}  // namespace
}  // namespace sinew::tower_test
