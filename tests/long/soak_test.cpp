// Runs that go on and on: memory stays flat, the clock is right, what stands stays where it stood. `make
// long`.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "sinew/simulation/live.h"
#include "support/contact_scenes.h"

namespace sinew::test {
namespace {

constexpr double hour = 3600, day = 24 * hour, week = 7 * day;
constexpr double slack = 2e6;  // bytes that an allocator may hold or not

// Bytes of memory that this process holds.
double memoryHeld()
{
    long pages = 0, resident = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
        std::fclose(file);
    }
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Stands, is pushed once in the first minute, and stands for the rest of a week at the step of a film.
TEST(Soak, a_figure_stands_for_a_week)
{
    Settings settings;
    settings.step = 1. / 24;
    Result<LiveSimulation> created = LiveSimulation::create(shippedScene("standing"), settings);
    ASSERT_TRUE(created) << created.error().text();
    LiveSimulation& live = created.value();
    const auto runUntil = [&](double time) {
        while (live.elapsed() < time - 1e-6)
            if (!live.step().ok) return false;
        return true;
    };
    ASSERT_TRUE(runUntil(hour));
    const double memory = memoryHeld();
    const LargeVector<BodyState> start = live.simulation().state.bodies;
    const double height = start[live.simulation().model().findBody("head")].position.y();
    EXPECT_GT(height, 1.5);
    for (int i = 1; i <= 7; ++i) {
        ASSERT_TRUE(runUntil(i * day)) << live.elapsed();
        const State& state = live.simulation().state;
        const double moved = drift(start, state),
                     kinetic = energy(live.simulation().model(), state).kinetic;
        std::printf("day %d: moved %.1e m, kinetic energy %.1e J, %+.3f MB, %.0f s\n", i, moved, kinetic,
                    (memoryHeld() - memory) / 1e6, live.elapsed());
        std::fflush(stdout);
        EXPECT_LT(moved, 1e-6);
        EXPECT_LT(memoryHeld(), memory + slack);
    }
    EXPECT_EQ(live.stepsMade(), static_cast<std::uint64_t>(week * 24));
    EXPECT_NEAR(live.elapsed() / week, 1, 1e-15);
}

}  // namespace
}  // namespace sinew::test
