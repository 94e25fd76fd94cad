// A program keeps a simulation in a file and goes on from it: to the same bits, or with an error of one
// line.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "scenes.h"
#include "sinew/io/load_scene.h"
#include "sinew/recording/checkpoint.h"

namespace sinew::checkpoint_test {
namespace {

using test::arm;
using test::boxOnFloor;
using test::refusal;
using test::started;
using test::with;

class Checkpoints : public ::testing::Test {
protected:
    void SetUp() override
    {
        const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
        folder_ = std::filesystem::path(SINEW_TEST_OUTPUT_DIR) / ("library_checkpoint_" + name);
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
    }
    std::string at(const char* name) const { return (folder_ / name).string(); }
    std::string saved(const Simulation& s, const Description& d) const
    {
        EXPECT_EQ(refusal(saveCheckpoint(at("kept.bin"), s, d)), "");
        return at("kept.bin");
    }
    std::string bytesOf(const std::string& path) const
    {
        std::ostringstream text;
        text << std::ifstream(path, std::ios::binary).rdbuf();
        return text.str();
    }
    std::string written(const char* name, const std::string& bytes) const
    {
        std::ofstream(at(name), std::ios::binary) << bytes;
        return at(name);
    }

private:
    std::filesystem::path folder_;
};

void expectOneLine(const std::string& text, const std::string& says)
{
    EXPECT_NE(text.find(says), std::string::npos) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0) << text;
}

TEST_F(Checkpoints, lead_to_the_bits_of_the_whole_run)
{
    // Contacts, loops, triggers, tracked motions, an integrator that looks back: what a state can hold.
    for (const char* name :
         {"bounce", "fourbar", "hakenberg", "hand", "robot", "slope", "stairs", "standing"}) {
        const Result<SceneFile> scene = loadScene(std::string(SINEW_SCENE_DIR) + "/" + name + ".json");
        ASSERT_TRUE(scene) << refusal(scene);
        const Description& d = scene.value().description;
        Simulation whole = started(d);
        ASSERT_TRUE(whole.advance(0.25).ok);
        const std::string file = saved(whole, d);
        Result<Simulation> loaded = loadCheckpoint(file);
        ASSERT_TRUE(loaded) << refusal(loaded);
        Simulation restored = started(d);
        ASSERT_EQ(refusal(restoreCheckpoint(file, d, restored)), "");
        EXPECT_EQ(stateHash(loaded.value().state), stateHash(whole.state)) << name;
        ASSERT_TRUE(whole.advance(0.5).ok && loaded.value().advance(0.5).ok && restored.advance(0.5).ok);
        EXPECT_EQ(stateHash(loaded.value().state), stateHash(whole.state)) << name;
        EXPECT_EQ(stateHash(restored.state), stateHash(whole.state)) << name;
    }
}

TEST_F(Checkpoints, keep_the_settings)
{
    const Description d = arm(JointType::spherical);
    for (const Settings& settings :
         {Settings{.solver = SolverId::kkt, .integrator = IntegratorId::rk4, .step = 1e-3},
          Settings{.coordinates = Coordinates::body},
          Settings{.integrator = IntegratorId::implicitEuler, .step = 0.004}}) {
        Simulation whole = started(d, settings);
        ASSERT_TRUE(whole.advance(0.1).ok);
        Result<Simulation> again = loadCheckpoint(saved(whole, d));
        ASSERT_TRUE(again) << refusal(again);
        EXPECT_EQ(again.value().method, whole.method);
        EXPECT_EQ(again.value().integrator, whole.integrator);
        EXPECT_EQ(again.value().h, whole.h);
        ASSERT_TRUE(whole.advance(0.1).ok && again.value().advance(0.1).ok);
        EXPECT_EQ(stateHash(again.value().state), stateHash(whole.state));
    }
}

TEST_F(Checkpoints, keep_the_clock_of_a_step_that_was_changed)
{
    const Description d = arm();
    Simulation whole = started(d, with("", "rk4", 0.01));
    ASSERT_TRUE(whole.advance(0.07).ok);
    whole.h = 0.003;
    for (int i = 0; i < 7; ++i) ASSERT_TRUE(whole.step().ok);
    Result<Simulation> again = loadCheckpoint(saved(whole, d));
    ASSERT_TRUE(again) << refusal(again);
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(whole.step().ok && again.value().step().ok);
        ASSERT_EQ(again.value().state.time, whole.state.time) << i;
    }
}

TEST_F(Checkpoints, are_gone_on_from_by_a_simulation_that_is_pushed)
{
    const Description d = arm();
    Simulation whole = started(d);
    ASSERT_EQ(refusal(whole.setMotor("elbow", 2)), "");
    ASSERT_EQ(refusal(whole.setJointForce("shoulder", 1)), "");
    ASSERT_TRUE(whole.advance(0.2).ok);
    const std::string file = saved(whole, d);
    Simulation pushed = started(d);
    ASSERT_EQ(refusal(pushed.setMotor("elbow", 2)), "");
    ASSERT_EQ(refusal(pushed.setJointForce("shoulder", 1)), "");
    ASSERT_EQ(refusal(restoreCheckpoint(file, d, pushed)), "");
    ASSERT_TRUE(whole.advance(0.2).ok && pushed.advance(0.2).ok);
    EXPECT_EQ(stateHash(pushed.state), stateHash(whole.state));
}

TEST_F(Checkpoints, of_other_scenes_and_settings_are_refused)
{
    const Description d = arm();
    Simulation s = started(d);
    ASSERT_TRUE(s.advance(0.1).ok);
    const std::string file = saved(s, d);
    expectOneLine(refusal(saveCheckpoint(at("x.bin"), s, boxOnFloor())), "the model is not compiled from");
    EXPECT_FALSE(std::filesystem::exists(at("x.bin")));

    Description heavier = d;
    heavier.bodies[0].mass = 1.5;
    Simulation other = started(heavier);
    const std::uint64_t before = stateHash(other.state);
    expectOneLine(refusal(restoreCheckpoint(file, heavier, other)),
                  "kept.bin: is a checkpoint of another scene");
    EXPECT_EQ(stateHash(other.state), before);
    Simulation stepped = started(d, with("", "rk4", 0.01));
    expectOneLine(refusal(restoreCheckpoint(file, d, stepped)),
                  "kept.bin: is a checkpoint of other settings: solver 'featherstone', integrator "
                  "'implicit', step 0.016667 s");
    EXPECT_EQ(stepped.state.time, 0);
}

TEST_F(Checkpoints, that_are_none_or_spoilt_are_refused)
{
    expectOneLine(refusal(loadCheckpoint(at("none.bin"))), "none.bin: ");
    expectOneLine(refusal(loadCheckpoint(written("empty.bin", ""))), "this is not a checkpoint");
    expectOneLine(refusal(loadCheckpoint(written("text.bin", "{\"sinew\": 1}\n"))),
                  "this is not a checkpoint");
    const Description d = arm();
    Simulation s = started(d);
    ASSERT_TRUE(s.advance(0.1).ok);
    const std::string bytes = bytesOf(saved(s, d));
    std::string other = bytes;
    other[8] = 99;
    expectOneLine(refusal(loadCheckpoint(written("newer.bin", other))), "this checkpoint has format 99");
    for (std::size_t size = 1; size < bytes.size(); size += 97)
        expectOneLine(refusal(loadCheckpoint(written("cut.bin", bytes.substr(0, size)))), "cut.bin: th");
    for (std::size_t place = 32; place < bytes.size(); place += 61) {
        std::string spoilt = bytes;
        spoilt[place] = static_cast<char>(spoilt[place] ^ 4);
        expectOneLine(refusal(loadCheckpoint(written("spoilt.bin", spoilt))), "the checkpoint is damaged");
    }
    // Nor is one whose hash is right, but whose state is not of its scene.
    Result<Checkpoint> read = readCheckpoint(at("kept.bin"));
    ASSERT_TRUE(read);
    Checkpoint wrong = read.value();
    wrong.state.bodies.pop_back();
    expectOneLine(refusal(loadCheckpoint(written("short.bin", checkpointBytes(wrong)))),
                  "the checkpoint does not fit its scene");
    wrong = read.value();
    wrong.clock.now += 1;
    expectOneLine(refusal(loadCheckpoint(written("clock.bin", checkpointBytes(wrong)))),
                  "the clock is not that of the state");
    wrong = read.value();
    wrong.solver = "nobody";
    expectOneLine(refusal(loadCheckpoint(written("solver.bin", checkpointBytes(wrong)))),
                  "there is no solver 'nobody'");
}

}  // namespace
}  // namespace sinew::checkpoint_test
