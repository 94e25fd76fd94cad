// kill -9 at random moments: what was there stays as it was, or the new is there in full.
//
// A few kills each by default; SINEW_KILLS says how many, and has films killed too (CTest: long.kills).
#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

#include "cli/render.h"

namespace sinew::testing {

namespace {

using Clock = std::chrono::steady_clock;
using Content = std::map<std::string, std::string>;
using Words = std::vector<std::string>;

int kills()
{
    const char* wish = std::getenv("SINEW_KILLS");
    return wish ? std::atoi(wish) : 5;
}

// Without what nobody shall see, and without the time that a run took, which no two have in common.
Content resultsIn(const fs::path& directory)
{
    Content content = contentOf(directory);
    std::erase_if(content, [](const auto& file) {
        return file.first.find(".sinew-") != std::string::npos || file.first == "stdout.txt" ||
               file.first == "stderr.txt";
    });
    for (auto& [name, text] : content) {
        if (name.ends_with("checkpoint.bin")) text = "holds that time too";
        for (const char* key : {"\"wall_seconds\"", "\"cpu_seconds\""}) {
            const std::size_t place = text.rfind(key);
            if (place != std::string::npos) text.erase(place, text.find('\n', place) - place);
        }
    }
    return content;
}

std::mt19937 dice(20240229);

void waitUpTo(double seconds)
{
    seconds = std::uniform_real_distribution<double>(0, seconds)(dice);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// One of two commands, killed at a moment of the time that it takes, or just after `isNearItsEnd`; each
// time the results in `work` are those of before or all new. `settle` is a command that looks at them.
void killInTurn(const fs::path& work, const std::array<Words, 2>& commands, const Words& settle = {},
                const std::function<bool()>& isNearItsEnd = {})
{
    std::array<Content, 2> whole;
    std::array<double, 2> seconds{};
    for (const std::size_t i : {0u, 1u}) {
        const auto start = Clock::now();
        ASSERT_EQ(Process(work, commands[i]).wait().exitCode, 0) << commands[i][0];
        seconds[i] = std::chrono::duration<double>(Clock::now() - start).count();
        whole[i] = resultsIn(work);
    }
    ASSERT_FALSE(whole[0] == whole[1]);
    std::size_t present = 1;
    int renewed = 0;
    for (int k = 0; k < kills(); ++k) {
        const std::size_t next = 1 - present;
        Process process(work, commands[next]);
        if (isNearItsEnd && k % 2 == 1) {
            const auto late = Clock::now() + std::chrono::duration<double>(20 * seconds[next]);
            while (!isNearItsEnd() && Clock::now() < late) std::this_thread::yield();
            waitUpTo(0.002);
        } else {
            waitUpTo(1.1 * seconds[next]);
        }
        process.signal(SIGKILL);
        process.wait();
        if (!settle.empty()) EXPECT_EQ(Process(work, settle).wait().exitCode, 0) << k;
        const Content found = resultsIn(work);
        ASSERT_TRUE(found == whole[present] || found == whole[next]) << commands[next][0] << " " << k;
        if (found == whole[next]) {
            present = next;
            ++renewed;
        }
    }
    ASSERT_EQ(Process(work, commands[0]).wait().exitCode, 0);
    EXPECT_TRUE(resultsIn(work) == whole[0]);
    std::cout << commands[0][0] << ": of " << kills() << " kills " << renewed << " came too late\n";
}

class Kill : public CommandTest {
protected:
    void SetUp() override
    {
        CommandTest::SetUp();
        fs::create_directory(at("work"));
        makeChain();
    }
};

class KillFilm : public RenderTest {};

TEST_F(Kill, runs)
{
    const Words run{"run", "../chain.json", "-o", "out", "--fps", "200", "--duration"};
    Words shorter = run, longer = run;
    shorter.push_back("1");
    longer.insert(longer.end(), {"2", "--velocities", "--checkpoint", "2"});
    const auto hasSummary = [&] {
        for (const char* number : {"1", "2", "3"})
            if (fs::exists(at("work/out/.sinew-unfinished-") += std::string(number) + "/summary.json"))
                return true;
        return false;
    };
    killInTurn(at("work"), {shorter, longer}, {"info", "out"}, hasSummary);
    for (const auto& entry : fs::directory_iterator(at("work/out")))
        EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path();
}

TEST_F(Kill, runs_that_are_resumed)
{
    const Words run{"run",   "../chain.json", "-o",     "out",  "--duration",   "2",  "--no-page",
                    "--fps", "200",           "--step", "1e-3", "--checkpoint", "0.1"};
    ASSERT_EQ(Process(at("work"), run).wait().exitCode, 0);
    const Content whole = resultsIn(at("work"));
    for (int k = 0; k < kills(); ++k) {
        if (k % 2 == 0) fs::remove_all(at("work/out"));  // in their places, and out of sight
        for (int part = 0; part < 3; ++part) {
            const bool canResume = part > 0 && fs::exists(at("work/out/checkpoint.bin"));
            Process process(at("work"), canResume ? Words{"run", "--resume", "out", "--no-page"} : run);
            waitUpTo(0.1);
            process.signal(SIGKILL);
            process.wait();
        }
        if (!fs::exists(at("work/out/checkpoint.bin"))) continue;
        ASSERT_EQ(Process(at("work"), {"run", "--resume", "out", "--no-page"}).wait().exitCode, 0);
        ASSERT_TRUE(resultsIn(at("work")) == whole) << k;
    }
}

TEST_F(Kill, bakes)
{
    const std::string strip = std::string(SINEW_TEST_DIR) + "/data/strip.glb";
    const Words bake{"bake", strip, "--dynamic", "upper", "-o", "baked.glb", "--fps"};
    Words coarse = bake, fine = bake;
    coarse.push_back("60");
    fine.push_back("1000");
    killInTurn(at("work"), {coarse, fine});
}

TEST_F(Kill, conversions)
{
    good({"run", "chain.json", "-o", "motion", "--no-page", "--duration", "20"});
    for (const char* name : {"motion.usda", "motion.glb", "motion.sinewt"}) {
        fs::remove_all(at("work"));
        fs::create_directory(at("work"));
        const Words convert{"convert", "../motion", name, "--fps"};
        Words coarse = convert, fine = convert;
        coarse.push_back("30");
        fine.push_back("120");
        killInTurn(at("work"), {coarse, fine});
    }
}

TEST_F(KillFilm, films)
{
    if (!std::getenv("SINEW_KILLS")) GTEST_SKIP() << "a browser each: only where SINEW_KILLS is set";
    fs::create_directory(at("work"));
    writePainted("page.html");
    const Words render{"render", "../page.html", "-o", "film.mp4", "--size"};
    Words small = render, large = render;
    small.push_back("64x48");
    large.push_back("128x96");
    killInTurn(at("work"), {small, large});
    // Killed like this, nobody could tidy up.
    for (const int id : processes()) ::kill(id, SIGKILL);
    for (int i = 0; i < 50 && !fs::is_empty(temporary); ++i) {
        std::error_code code;
        for (const auto& entry : fs::directory_iterator(temporary)) fs::remove_all(entry, code);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

}  // namespace

}  // namespace sinew::testing
