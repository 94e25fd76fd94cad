// A minute of what contact promises: `make long`.
#include <gtest/gtest.h>

#include "support/contact_runs.h"

namespace sinew {
namespace {

TEST(Minute, pyramid_of_55_stands)
{
    test::expectStands("pyramid", 60);
}

TEST(Minute, wall_of_200_stands)
{
    test::expectStands("../tests/data/standing_wall", 60);
}

TEST(Minute, figure_on_joints_of_ten_million_stands_on_its_feet)
{
    test::expectStandsStiffly(60);
}

TEST(Minute, four_bar_stays_closed)
{
    test::expectStaysClosed("fourbar", 60);
}

TEST(Minute, necklace_stays_closed)
{
    test::expectStaysClosed("../tests/data/ring_of_beads", 60);
}

TEST(Stairs, figure_falls_down_them_and_comes_to_rest)
{
    const test::Fall fall = test::fallDownStairs(10);
    EXPECT_LT(fall.gap, 1e-6);
    EXPECT_LT(fall.deepest, 2e-3);
    EXPECT_LT(fall.kinetic, 1e-6);
    EXPECT_LT(fall.lowest, 1.5);  // from 2.34 m: some steps down
}

}  // namespace
}  // namespace sinew
