// What gradients of motions cost beside the motions, in one run.
#include <gtest/gtest.h>

#include <chrono>

#include "sinew/derivative/motion_derivative.h"
#include "sinew/figure/chain.h"
#include "support/contact_scenes.h"

namespace sinew::derivative_time_test {
namespace {

double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Cost {
    double plain = 1e300, gradient = 1e300;  // s; the gradient with what recording takes
};

Cost costOf(const Simulation& start, int steps, int rounds)
{
    Cost cost;
    StateChange weights;
    weights.setZero(start.model());
    weights.bodies.back()[1] = 1;
    for (int round = 0; round < rounds; ++round)
        for (const bool isTaped : {false, true}) {
            Simulation own = start;
            StepTape tape;
            MotionGradient gradient;
            if (isTaped) own.tape = &tape;
            const double since = seconds();
            for (int s = 0; s < steps; ++s) EXPECT_TRUE(own.step().ok);
            if (isTaped) {
                adjointOfMotion(tape, weights, gradient);
                EXPECT_GT(gradient.u.norm(), 0);
            }
            double& least = isTaped ? cost.gradient : cost.plain;
            least = std::min(least, seconds() - since);
        }
    return cost;
}

TEST(DerivativeTime, a_gradient_costs_at_most_five_times_the_motion)
{
    for (const char* name : {"../tests/data/held_person", "standing", "../tests/data/eight_stairs"}) {
        Simulation start = test::started(test::shippedScene(name));
        EXPECT_TRUE(start.advance(0.5).ok);
        const Cost cost = costOf(start, 100, 3);
        std::printf("%s: 100 steps %.2f ms, with the gradient %.2f ms: %.2f times\n", name,
                    1e3 * cost.plain, 1e3 * cost.gradient, cost.gradient / cost.plain);
        EXPECT_LE(cost.gradient, 5 * cost.plain) << name;
    }
}

// What lies still costs a step next to nothing, contacts being terms of the tree. Its derivative has a row
// for each of the 48 forces.
TEST(DerivativeTime, a_gradient_of_what_stands_still_costs_a_few_times_the_motion)
{
    Simulation start = test::started(test::shippedScene("stiff_stand"));
    EXPECT_TRUE(start.advance(0.5).ok);
    const Cost cost = costOf(start, 100, 3);
    std::printf("%.2f times\n", cost.gradient / cost.plain);
    EXPECT_LE(cost.gradient, 12 * cost.plain);
}

// As in linear_time_test.cpp.
TEST(DerivativeTime, ten_times_the_links_cost_about_ten_times_the_gradient)
{
    constexpr double bound = 25;
    const auto cost = [](int links) {
        const Simulation chain =
            test::started(makeChain({.links = links, .damping = 0.01, .horizontal = true}));
        return costOf(chain, 5, 3).gradient;
    };
    double small = cost(1000), large = cost(10000);
    for (int attempt = 0; attempt < 5; ++attempt) {
        std::printf("%.1f ms at 1,000 links, %.1f ms at 10,000: ratio %.2f\n", 1e3 * small, 1e3 * large,
                    large / small);
        if (large <= bound * small) break;
        small = std::min(small, cost(1000));
        large = std::min(large, cost(10000));
    }
    EXPECT_LE(large, bound * small);
}

}  // namespace
}  // namespace sinew::derivative_time_test
