// What is too large, too small or too long: one line, and never a crash or a program that does not end.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "cli/command.h"
#include "support/sanitized.h"

namespace sinew::testing {
namespace {

class Limits : public CommandTest {
protected:
    // The same with so little memory, as a shell limits it.
    Outcome runWithin(int megabytes, const std::string& arguments) const
    {
        const std::string command = "cd '" + folder.string() + "' && ulimit -v " +
                                    std::to_string(1024 * megabytes) + " && '" SINEW_COMMAND "' " +
                                    arguments + " >stdout.txt 2>stderr.txt";
        const int status = std::system(command.c_str());
        Outcome outcome;
        outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        outcome.out = readText(at("stdout.txt"));
        outcome.err = readText(at("stderr.txt"));
        return outcome;
    }
    void makeChain(int links) const
    {
        good({"make", "chain", "--links", std::to_string(links), "-o", "long.json"});
    }
    static std::string ball(const std::string& mass, const std::string& force)
    {
        return R"({"sinew": 1, "bodies": [{"name": "b", "position": [0, 0.1, 0], "mass": )" + mass +
               R"(, "shapes": [{"type": "sphere", "radius": 0.1}]}], "forces": [{"body": "b", "force": )" +
               force + R"(}], "obstacles": [{"name": "g", "type": "plane"}], "contact": true})";
    }
};

// They would be written without a pause, in which nobody could interrupt.
TEST_F(Limits, steps_of_very_many_frames_are_refused)
{
    CommandTest::makeChain();
    refused({"run", "chain.json", "-o", "out", "--step", "1e4", "--duration", "3e4"},
            {"/run/fps", "a step of 10000 s has 6e+05 frames", "at most 1e+05"});
    writeText(
        at("r.jsonl"),
        R"({"sinew_recording": 1, "scene": "chain", "solver": "featherstone", "integrator": "implicit", "step": 0.01}
{"step": 1, "choose": {"integrator": "implicit", "step": 1}}
{"end": {"step": 3}}
)");
    const Outcome outcome =
        run({"run", "chain.json", "--replay", "r.jsonl", "-o", "out", "--no-page", "--fps", "1e6"});
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
    EXPECT_NE(outcome.err.find("choose a shorter step"), std::string::npos) << outcome.err;
}

TEST_F(Limits, masses_beyond_floating_point_are_refused)
{
    writeText(at("light.json"), ball("1e-260", "[0, -1e30, 0]"));
    refused({"run", "light.json", "-o", "out"}, {"light.json: /bodies/0/mass", "1e-260", "1e-30"});
    writeText(at("heavy.json"), ball("1e40", "[0, -1, 0]"));
    refused({"run", "heavy.json", "-o", "out"}, {"/bodies/0/mass", "1e+40", "1e30"});
    EXPECT_FALSE(fs::exists(at("out")));
}

TEST_F(Limits, masses_of_other_formats_too)
{
    writeText(at("light.urdf"),
              R"(<robot name="r"><link name="a"><inertial><mass value="1e-260"/>
<inertia ixx="1e-262" iyy="1e-262" izz="1e-262" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>)");
    const Outcome outcome = run({"check", "light.urdf"});  // with a note that the robot floats
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_NE(outcome.err.find("/bodies/0/mass: the mass of body 'a' is 1e-260 kg"), std::string::npos)
        << outcome.err;
}

// All that is taken ends: as a run, or as one that diverged.
TEST_F(Limits, what_is_just_within_the_bounds_ends)
{
    for (const char* mass : {"1e-30", "1", "1e30"})
        for (const char* force : {"[0, -1e30, 0]", "[1e30, 1e30, 0]", "[0, -1e-30, 0]"}) {
            writeText(at("b.json"), ball(mass, force));
            const Outcome outcome = run({"run", "b.json", "-o", "out", "--duration", "0.2", "--no-page"});
            EXPECT_TRUE(outcome.exitCode == 0 || outcome.exitCode == 3) << mass << force << outcome.err;
        }
}

// A step that takes as long as anybody likes: sweeps that never get to where they are to stop.
TEST_F(Limits, a_polite_kill_is_obeyed_within_a_step)
{
    std::string bodies;
    for (int i = 0; i < 60; ++i)
        bodies += (i ? "," : "") + std::string(R"({"name": "b)") + std::to_string(i) +
                  R"(", "position": [0, )" + std::to_string(0.05 + 0.1 * i) +
                  R"(, 0], "shapes": [{"type": "box", "size": [0.1, 0.1, 0.1]}]})";
    writeText(at("tower.json"), R"({"sinew": 1, "bodies": [)" + bodies +
                                    R"(], "obstacles": [{"name": "g", "type": "plane"}],
"contact": {"solver": "iterative", "sweeps": 2000000000, "tolerance": 1e-30}})");
    for (const int signal : {SIGINT, SIGTERM}) {
        Process process(folder, {"run", "tower.json", "-o", "out", "--no-page"});
        ASSERT_TRUE(grows("out/scene.json", 1));  // the tables are buffered
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        process.signal(signal);
        const Outcome outcome = process.wait();
        EXPECT_EQ(outcome.exitCode, 130) << outcome.err;
        EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
        EXPECT_NE(outcome.err.find("sinew run --resume"), std::string::npos) << outcome.err;
        const json::Value s = summary("out");
        EXPECT_NE(s.find("interrupted"), nullptr);
        EXPECT_TRUE(fs::exists(at("out/checkpoint.bin")));
        fs::remove_all(at("out"));
    }
}

TEST_F(Limits, a_method_says_the_memory_it_would_take)
{
    makeChain(40'000);
    refused({"run", "long.json", "-o", "out", "--solver", "kkt"},
            {"--solver: kkt would take", "TB of memory for these 40000 bodies"});
    EXPECT_FALSE(fs::exists(at("out")));
}

TEST_F(Limits, the_memory_of_the_process_counts)
{
    if (test::isSanitized) GTEST_SKIP() << "a sanitizer has a heap of its own";
    makeChain(2000);
    const Outcome outcome = runWithin(4096, "run long.json -o out --solver kkt");
    EXPECT_EQ(outcome.exitCode, 2) << outcome.err;
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
    EXPECT_NE(outcome.err.find("kkt would take"), std::string::npos) << outcome.err;
}

// Between what a method says and what there is lies the rest of the program: here a matrix of Eigen, there
// arrays of our own do not fit.
TEST_F(Limits, an_allocation_that_fails_is_one_line)
{
    if (test::isSanitized) GTEST_SKIP() << "a sanitizer has a heap of its own";
    const auto expectOutOfMemory = [](const Outcome& outcome) {
        EXPECT_EQ(outcome.exitCode, 2) << outcome.err;
        EXPECT_EQ(outcome.err, "sinew: out of memory\n");
    };
    makeChain(333);  // spherical joints: 2997 rows, 144 MB
    expectOutOfMemory(runWithin(140, "run long.json -o out --solver kkt --duration 0.01"));
    makeChain(40'000);
    expectOutOfMemory(runWithin(120, "run long.json -o out --duration 0.01"));
    expectOutOfMemory(runWithin(60, "check long.json"));
}

}  // namespace
}  // namespace sinew::testing
