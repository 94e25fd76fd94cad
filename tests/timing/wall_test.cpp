// A wall in which one brick was put into another: it comes out, and that costs little more than standing.
#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>

#include "support/contact_scenes.h"

namespace sinew {
namespace {

constexpr double length = 0.2, height = 0.1;

// A brick that was shifted along its row, by how much.
struct Shift {
    int row = 0, column = 0;
    double depth = 0;
};

Description wall(int columns, int rows, const Shift& shift)
{
    Description d;
    d.contact.emplace();
    d.contact->friction = 0.6;
    d.obstacles.push_back(test::ground());
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            const double bond = r % 2 == 0 ? length / 4 : 0;
            const double by = r == shift.row && c == shift.column ? shift.depth : 0;
            d.bodies.push_back(test::solid("brick_" + std::to_string(r) + "_" + std::to_string(c),
                                           Box{Vec3(length, height, height)},
                                           Vec3(length * c + bond + by, height * (r + 0.5), 0)));
        }
    return d;
}

Simulation started(const Description& d)
{
    return test::started(d, test::stepping("implicit", test::frame));
}

struct Cost {
    double time;       // of the processor, s
    int caps, sweeps;  // of the solver
};

Cost run(Simulation& s, int steps)
{
    const auto now = [] {
        timespec t;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
    };
    Cost cost{-now(), 0, 0};
    for (int i = 0; i < steps; ++i) {
        const StepReport report = s.step();
        EXPECT_TRUE(report.ok) << report.message;
        cost.caps += report.statistics.contactCaps;
        cost.sweeps = std::max(cost.sweeps, report.statistics.contactSweeps);
    }
    cost.time += now();
    return cost;
}

// Each solve of the sparse solver went to its bound, in vain: the brick stayed where it was, and a step
// took six times that of the wall without it.
TEST(Wall, a_brick_inside_another_comes_out_at_little_cost)
{
    constexpr double most = 5;      // times what the wall takes without it
    constexpr double speed = 0.05;  // m/s, with which depth is taken away
    constexpr int columns = 20, rows = 10, steps = 15;
    Simulation clean = started(wall(columns, rows, {}));
    const double standing = run(clean, steps).time;
    for (const Shift& shift : {Shift{4, 9, 0.05}, Shift{0, 3, 0.02}, Shift{8, 14, 0.1}}) {
        Simulation s = started(wall(columns, rows, shift));
        const double before = test::penetration(s);
        const Cost cost = run(s, steps);
        std::printf("%.1f times\n", cost.time / standing);
        EXPECT_LT(cost.time, most * standing);
        EXPECT_EQ(cost.caps, 0);
        const double expected = std::min(steps * test::frame * speed, 0.5 * before);
        EXPECT_GT(before - test::penetration(s), 0.8 * expected);
    }
}

// Beyond 250 bricks sweeps were all there was, and each step went to their bound.
TEST(Wall, takes_time_in_proportion_to_its_length)
{
    constexpr int rows = 10, steps = 10;
    const auto costOf = [&](int columns) {
        Simulation s = started(wall(columns, rows, {}));
        const Cost cost = run(s, steps);
        EXPECT_EQ(cost.caps, 0);
        return cost.time;
    };
    const double once = costOf(15), twice = costOf(30);
    std::printf("%.1f times for twice as many\n", twice / once);
    EXPECT_LT(twice, 4 * once);
}

}  // namespace
}  // namespace sinew
