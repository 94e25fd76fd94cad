// A programmer's mistake aborts, unless the program has a hook that throws: then it goes on.
#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

#include "scenes.h"
#include "sinew/base/assert.h"

namespace sinew::mistakes_test {
namespace {

using test::started;

[[noreturn]] void throwMistake(const char* expression, const char*, int)
{
    throw std::logic_error(expression);
}

Description stickInTheAir()
{
    Description scene;
    scene.bodies = {test::stick("stick", Vec3(0, 1, 0))};
    return scene;
}

class Mistakes : public ::testing::Test {
protected:
    void SetUp() override { before_ = setAssertHook(throwMistake); }
    void TearDown() override { setAssertHook(before_); }

private:
    AssertHook before_ = nullptr;
};

TEST_F(Mistakes, are_thrown_by_a_result_that_is_not_there)
{
    Description scene = stickInTheAir();
    scene.bodies[0].mass = -1;
    const Result<Simulation> made = Simulation::create(scene, {});
    EXPECT_THROW((void)made.value(), std::logic_error);
}

TEST_F(Mistakes, are_thrown_by_a_simulation_that_nobody_made)
{
    Simulation none;
    EXPECT_THROW((void)none.step(), std::logic_error);
    EXPECT_THROW((void)none.advance(1), std::logic_error);
    EXPECT_THROW((void)none.accelerate(), std::logic_error);
}

TEST_F(Mistakes, are_thrown_by_a_simulation_that_has_moved_away)
{
    Simulation here = started(stickInTheAir());
    Simulation there = std::move(here);
    EXPECT_THROW((void)here.step(), std::logic_error);
    EXPECT_TRUE(there.step().ok) << "the program and the other one go on";
}

TEST_F(Mistakes, leave_others_as_they_were)
{
    Simulation s = started(stickInTheAir()), other = s;
    ASSERT_TRUE(s.step().ok);
    Simulation none;
    EXPECT_THROW((void)none.step(), std::logic_error);
    ASSERT_TRUE(s.step().ok && other.advance(2 * other.h).ok);
    EXPECT_EQ(stateHash(s.state), stateHash(other.state));
}

}  // namespace
}  // namespace sinew::mistakes_test
