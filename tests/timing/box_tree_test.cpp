// The broad phase grows little faster than its scene: ten times the boxes at the same density, in one run.
#include "sinew/collision/box_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sinew/base/random.h"

namespace sinew {
namespace {

// Milliseconds for one step of a crowd: every box moves, then all pairs are found. Six neighbours each on
// average.
double millisecondsPerStep(int count)
{
    Random random(1);
    const double side = std::cbrt(count * 8 / 6.);
    BoxTree tree(0.05);
    std::vector<Vec3> places;
    for (int i = 0; i < count; ++i) {
        places.emplace_back(side * random.unit(), side * random.unit(), side * random.unit());
        tree.insert({places.back(), places.back() + Vec3::Ones()});
    }
    std::vector<std::pair<int, int>> pairs;
    double best = 1e300;
    for (int step = 0; step < 10; ++step) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < count; ++i) {
            places[i].x() += 0.02 * (i % 3 - 1);
            tree.move(i, {places[i], places[i] + Vec3::Ones()});
        }
        tree.pairs(pairs);
        const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
        best = std::min(best, time.count());
    }
    EXPECT_GT(pairs.size(), static_cast<std::size_t>(count));
    return best;
}

// n log n makes 13.3 times of it; leaving the caches costs as much again. Comparing each with each would be
// 100.
constexpr double bound = 30;

TEST(BroadPhase, ten_times_the_boxes_cost_little_more_than_ten_times_the_step)
{
    double small = millisecondsPerStep(1000), large = millisecondsPerStep(10000);
    for (int attempt = 0; attempt < 5; ++attempt) {
        std::printf("%.2f ms at 1,000 boxes, %.2f ms at 10,000: ratio %.1f\n", small, large, large / small);
        if (large <= bound * small) break;
        small = std::min(small, millisecondsPerStep(1000));
        large = std::min(large, millisecondsPerStep(10000));
    }
    EXPECT_LE(large, bound * small);
    EXPECT_GE(large, 5 * small);  // or the clock has not seen the work
}

}  // namespace
}  // namespace sinew
