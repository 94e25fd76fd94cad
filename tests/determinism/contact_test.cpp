// Contact goes on from a state to the same bits: what checkpoints rest on.
#include <gtest/gtest.h>

#include "support/contact_scenes.h"

namespace sinew {
namespace {

using test::runFor;
using test::shippedScene;
using test::started;

// Long enough for the falling ones to have met the ground, a step of the stairs or each other.
constexpr double duration = 0.5;

class ContactScene : public testing::TestWithParam<const char*> {};

TEST_P(ContactScene, ends_twice_with_the_same_bits)
{
    const Description d = shippedScene(GetParam());
    Simulation a = started(d), b = started(d);
    const std::uint64_t start = stateHash(a.state);
    runFor(a, duration);
    runFor(b, duration);
    EXPECT_EQ(stateHash(a.state), stateHash(b.state));
    EXPECT_NE(stateHash(a.state), start);
}

TEST_P(ContactScene, goes_on_from_a_copied_state_to_the_same_bits)
{
    const Description d = shippedScene(GetParam());
    Simulation a = started(d);
    runFor(a, duration);
    Simulation b = started(d);
    b.state = a.state;
    for (int i = 0; i < 15; ++i) {
        ASSERT_TRUE(a.step().ok && b.step().ok);
        ASSERT_EQ(stateHash(a.state), stateHash(b.state)) << i;
    }
    ASSERT_EQ(a.state.contacts.size(), b.state.contacts.size());
    for (std::size_t i = 0; i < a.state.contacts.size(); ++i)
        EXPECT_EQ(a.state.contacts[i].impulse, b.state.contacts[i].impulse);
}

TEST_P(ContactScene, goes_on_after_another_scene_in_the_same_memory)
{
    const Description d = shippedScene(GetParam());
    Simulation a = started(d), b = started(d), other = started(shippedScene("slope"));
    runFor(other, 0.1);
    b.work = other.work;
    runFor(a, 0.2);
    runFor(b, 0.2);
    EXPECT_EQ(stateHash(a.state), stateHash(b.state));
}

INSTANTIATE_TEST_SUITE_P(Of, ContactScene,
                         testing::Values("stairs", "bounce", "pyramid", "stiff_stand", "necklace",
                                         "fourbar"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace sinew
