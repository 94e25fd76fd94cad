// A loop over steps that ends, whatever becomes of them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "scenes.h"
#include "sinew/figure/chain.h"

namespace sinew::advance_test {
namespace {

using test::started;
using test::with;

Description stiffChain()
{
    ChainOptions options;
    options.links = 20;
    options.joint = JointType::hinge;
    options.stiffness = 1e5;
    options.horizontal = true;
    return makeChain(options);
}

TEST(Advance, ends_at_a_step_that_fails_and_says_why)
{
    Simulation s = started(stiffChain(), with("featherstone", "semi_implicit_euler", 0.01));
    const Advance way = s.advance(10);
    EXPECT_FALSE(way.ok);
    EXPECT_LT(way.steps, 1000u);
    EXPECT_DOUBLE_EQ(way.seconds, static_cast<double>(way.steps) * 0.01);
    EXPECT_NEAR(s.state.time, way.seconds, 1e-12);
    EXPECT_FALSE(way.last.ok);
    EXPECT_NE(way.last.message.find(way.last.body), std::string::npos);
    EXPECT_EQ(way.last.body.substr(0, 4), "link");
    EXPECT_EQ(firstNonFinite(s.state), -1);
    // And so does the next one, at once.
    const Advance again = s.advance(10);
    EXPECT_FALSE(again.ok);
    EXPECT_EQ(again.steps, 0u);
}

TEST(Advance, goes_through_the_bits_of_single_steps)
{
    for (const char* integrator : {"implicit", "rk4", "semi_implicit_euler"}) {
        Simulation together = started(test::arm(), with("", integrator, 0.01));
        Simulation alone = together;
        const Advance way = together.advance(0.5);
        ASSERT_TRUE(way.ok) << way.last.message;
        EXPECT_EQ(way.steps, 50u);
        for (int i = 0; i < 50; ++i) ASSERT_TRUE(alone.step().ok);
        EXPECT_EQ(stateHash(together.state), stateHash(alone.state)) << integrator;
        EXPECT_EQ(together.state.time, alone.state.time);
    }
}

TEST(Advance, counts_steps_however_the_clock_is_rounded)
{
    Simulation s = started(test::arm(), with("", "implicit", 0.1));
    EXPECT_EQ(s.advance(1).steps, 10u);
    EXPECT_EQ(s.state.time, 1);  // counted: ten tenths, summed, are less
    for (int i = 0; i < 200; ++i) ASSERT_EQ(s.advance(0.3).steps, 3u);
    EXPECT_EQ(s.advance(0.1 * (1 + 1e-9)).steps, 1u);
}

TEST(Advance, ends_with_the_step_that_the_span_ends_in)
{
    Simulation s = started(test::arm(), with("", "implicit", 0.1));
    const Advance way = s.advance(0.25);
    EXPECT_EQ(way.steps, 3u);
    EXPECT_DOUBLE_EQ(way.seconds, 0.3);
    EXPECT_EQ(s.advance(0.01).steps, 1u);
    EXPECT_EQ(s.advance(0).steps, 0u);
}

TEST(Advance, refuses_what_is_no_span)
{
    Simulation s = started(test::arm());
    for (const double seconds : {-1., std::nan(""), std::numeric_limits<double>::infinity()}) {
        const Advance way = s.advance(seconds);
        EXPECT_FALSE(way.ok);
        EXPECT_NE(way.last.message.find("cannot advance"), std::string::npos);
        EXPECT_EQ(s.state.time, 0);
    }
}

TEST(Advance, leaves_off_when_it_is_stopped)
{
    Simulation s = started(test::arm());
    s.stop.isWanted = [](void*) { return true; };
    const Advance way = s.advance(1);
    EXPECT_FALSE(way.ok);
    EXPECT_TRUE(way.last.stopped);
    EXPECT_EQ(way.steps, 0u);
}

// The neck of the strand follows curves: whoever goes on from a state must have the same times.
TEST(Advance, goes_on_elsewhere_at_the_same_times)
{
    const Description strand = test::shippedScene("strand");
    Simulation whole = started(strand), first = started(strand), second = started(strand);
    ASSERT_TRUE(whole.advance(2).ok);
    ASSERT_TRUE(first.advance(0.7).ok);
    ASSERT_FALSE(second.setState(first.state));
    for (int i = 0; i < 120 && second.state.time < whole.state.time; ++i) ASSERT_TRUE(second.step().ok);
    EXPECT_EQ(second.state.time, whole.state.time);
    EXPECT_EQ(stateHash(second.state), stateHash(whole.state));
}

// After a change of the step the time goes on from where it was.
TEST(Advance, counts_anew_with_another_step)
{
    Simulation s = started(stiffChain());
    ASSERT_TRUE(s.advance(0.5).ok);
    s.h = 0.0123;
    const double before = s.state.time;
    for (int i = 0; i < 7; ++i) ASSERT_TRUE(s.step().ok);
    EXPECT_DOUBLE_EQ(s.state.time, before + 7 * 0.0123);
}

}  // namespace
}  // namespace sinew::advance_test
