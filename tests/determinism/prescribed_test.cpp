// Prescribed joints on their way onto a curve: State alone says how they go on.
#include <gtest/gtest.h>

#include "support/prescribed_scene.h"

namespace sinew::test {
namespace {

class Resumed : public testing::TestWithParam<Stepper> {};

TEST_P(Resumed, from_before_during_and_after_a_hand_over_to_the_same_bits)
{
    Description d = prescribedFigure(true);
    for (PrescribedDescription& given : d.prescribed) {
        given.from = 0.1;
        given.until = 0.3;
        given.blend = 0.1;
    }
    constexpr int steps = 40;
    Simulation whole = mustCreate(d, GetParam(), 1e-2);
    std::vector<State> kept;
    for (int i = 0; i < steps; ++i) {
        if (i % 7 == 0) kept.push_back(whole.state);
        ASSERT_TRUE(whole.step().ok);
    }
    for (std::size_t k = 0; k < kept.size(); ++k) {
        Simulation part = mustCreate(d, GetParam(), 1e-2);
        part.state = kept[k];
        for (int i = 7 * static_cast<int>(k); i < steps; ++i) ASSERT_TRUE(part.step().ok);
        EXPECT_EQ(stateHash(part.state), stateHash(whole.state)) << k;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Resumed, testing::ValuesIn(prescribedSteppers),
                         [](const auto& info) { return nameOf(info.param); });

}  // namespace
}  // namespace sinew::test
