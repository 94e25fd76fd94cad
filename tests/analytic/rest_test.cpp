// What shall stand stands. Shorter than in tests/long, which has the minute that is promised.
#include <gtest/gtest.h>

#include "support/contact_runs.h"

namespace sinew {
namespace {

TEST(Rest, pyramid_of_55_stands)
{
    test::expectStands("pyramid", 3);
}

TEST(Rest, wall_of_200_stands)
{
    test::expectStands("../tests/data/standing_wall", 1);
}

TEST(Rest, figure_on_joints_of_ten_million_stands_on_its_feet)
{
    test::expectStandsStiffly(2);
}

TEST(Rest, and_falls_if_contacts_see_the_plain_inertia)
{
    const test::Stand stand = test::standStiffly(2, true);
    EXPECT_GE(stand.fell, 0);
    std::printf("leaves its centimetre at %.3f s\n", stand.fell);
}

TEST(Rest, fallen_figure_keeps_its_joints_closed_and_out_of_the_stairs)
{
    const test::Fall fall = test::fallDownStairs(3);
    EXPECT_LT(fall.gap, 1e-6);
    EXPECT_LT(fall.deepest, 2e-3);
    EXPECT_LT(fall.lowest, 2);  // it did fall, from 2.34 m
}

TEST(PainleveRod, gets_a_finite_answer_from_every_start_and_stays_above_the_ground)
{
    double deepest = 0, fastest = 0;
    int caps = 0;
    for (const test::Rod& rod : test::painleveRods()) {
        Simulation s = test::started(test::painleveRod(rod), test::stepping("implicit", test::frame));
        const double start = energy(s.model(), s.state).total();
        const bool ok = test::runFor(s, 1, [&](const StepReport& report) {
            deepest = std::max(deepest, test::penetration(s));
            caps += report.statistics.contactCaps;
            fastest = std::max(fastest, s.state.bodies[0].velocity.norm());
            EXPECT_LT(energy(s.model(), s.state).total(), start + 1e-6);  // friction gives nothing
        });
        ASSERT_TRUE(ok) << rod.angle << " " << rod.speed << " " << rod.friction;
    }
    std::printf("%.1e m deep, %.1f m/s at most, %d caps\n", deepest, fastest, caps);
    EXPECT_LT(deepest, 2e-3);
}

TEST(PainleveRod, reports_when_its_solver_is_stopped_by_the_cap_and_only_then)
{
    const auto capsOf = [](int sweeps, double tolerance) {
        Description d = test::painleveRod({70, -5, 2});
        d.contact->solver = ContactDescription::Solver::iterative;
        d.contact->tolerance = tolerance;
        d.contact->sweeps = sweeps;
        Simulation s = test::started(d, test::stepping("implicit", test::frame));
        int caps = 0;
        test::runFor(s, 1, [&](const StepReport& report) { caps += report.statistics.contactCaps; });
        return caps;
    };
    constexpr double outOfReach = 1e-17;  // m: below rounding
    EXPECT_GT(capsOf(1, outOfReach), 0);
    EXPECT_EQ(capsOf(200, 1e-8), 0);
}

}  // namespace
}  // namespace sinew
