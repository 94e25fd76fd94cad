// The linear-time methods really are: cost of a step at 10,000 links against 1,000, in one run.
#include <gtest/gtest.h>

#include <chrono>

#include "sinew/figure/chain.h"
#include "sinew/simulation/simulation.h"

namespace sinew {
namespace {

double microsecondsPerStep(const char* solver, int links)
{
    ChainOptions options;
    options.links = links;
    Result<Simulation> made = Simulation::create(makeChain(options), {solver, "semi_implicit_euler", 1e-5});
    EXPECT_TRUE(made);
    Simulation& s = made.value();
    const int steps = 20000 / links;
    double best = 1e300;
    for (int batch = 0; batch < 40; ++batch) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < steps; ++i) EXPECT_TRUE(s.step().ok);
        const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
        best = std::min(best, time.count() / steps);
    }
    return best;
}

class LinearTime : public testing::TestWithParam<const char*> {};

// Ten times where the caches hold both; 10,000 links leave them on many machines, which costs up to twice
// as much again and is the memory's share, not the method's. A method of quadratic cost would take 100
// times.
TEST_P(LinearTime, ten_times_the_links_cost_about_ten_times_the_step)
{
    constexpr double bound = 25;
    const char* solver = GetParam();
    // The least of several batches, and several tries: other programs share the caches.
    double small = microsecondsPerStep(solver, 1000), large = microsecondsPerStep(solver, 10000);
    for (int attempt = 0; attempt < 5; ++attempt) {
        std::printf("%s: %.0f us at 1,000 links, %.0f us at 10,000: ratio %.2f\n", solver, small, large,
                    large / small);
        if (large <= bound * small) break;
        small = std::min(small, microsecondsPerStep(solver, 1000));
        large = std::min(large, microsecondsPerStep(solver, 10000));
    }
    EXPECT_LE(large, bound * small);
}

INSTANTIATE_TEST_SUITE_P(Method, LinearTime, testing::Values("armstrong_green", "baraff", "featherstone"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace sinew
