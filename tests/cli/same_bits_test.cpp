// One clock for all: a C++ program, `sinew run` and a live run that nobody touches end in the same bits.
// (The page's engine is held against the command by test `wasm`.)
#include "cli/command.h"
#include "sinew/base/hash.h"
#include "sinew/io/load_scene.h"
#include "sinew/simulation/simulation.h"

namespace sinew::testing {

namespace {

class SameBits : public CommandTest, public ::testing::WithParamInterface<const char*> {
protected:
    // Neither a multiple of a frame nor of a step.
    static constexpr double duration = 0.7321;
    std::string scene = std::string(SINEW_SCENE_DIR) + "/" + GetParam() + ".json";
    std::vector<std::string> arguments{"run", scene, "--no-page", "--duration", "0.7321"};

    void SetUp() override
    {
        CommandTest::SetUp();
        Result<SceneFile> file = loadScene(scene);
        ASSERT_TRUE(file) << file.error().text();
        Result<Simulation> made = Simulation::create(file.value().description, {});
        ASSERT_TRUE(made) << made.error().text();
        const Advance way = made.value().advance(duration);
        ASSERT_TRUE(way.ok) << way.last.message;
        steps = static_cast<double>(way.steps);
        hash = hashText(stateHash(made.value().state));
    }

    void expectSame(const json::Value& summary) const
    {
        EXPECT_EQ(number(summary, "steps"), steps);
        EXPECT_EQ(word(summary, "state_hash"), hash);
    }

    double steps = 0;
    std::string hash;
};

TEST_P(SameBits, of_a_program_and_the_command)
{
    arguments.insert(arguments.end(), {"-o", "out"});
    good(arguments);
    expectSame(summary("out"));
}

// However often its tables are written.
TEST_P(SameBits, of_a_program_and_the_command_at_another_rate_of_frames)
{
    arguments.insert(arguments.end(), {"--fps", "37", "-o", "out"});
    good(arguments);
    expectSame(summary("out"));
}

TEST_P(SameBits, of_a_program_and_a_live_run)
{
    arguments.insert(arguments.end(), {"--live", "-o", "out"});
    Process process(folder, arguments, Process::Input::lines);
    const Outcome outcome = process.wait();
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    expectSame(summary("out"));
}

INSTANTIATE_TEST_SUITE_P(Of, SameBits,
                         ::testing::Values("humanoid", "hand", "fourbar", "stairs", "bounce", "hakenberg",
                                           "strand"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace sinew::testing
