// Checkpoints with a right hash that no run wrote, and recordings of runs that diverged.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "cli/command.h"
#include "sinew/base/hash.h"

namespace sinew::testing {
namespace {

class SpoiltCheckpoint : public CommandTest {
protected:
    static constexpr std::size_t headSize = 32, hashAt = 24;  // "SINEWCKP", version, length, hash

    void SetUp() override
    {
        CommandTest::SetUp();
        writeText(at("b.json"), R"({"sinew": 1, "bodies": [
 {"name": "b", "position": [0, 0.11, 0], "shapes": [{"type": "sphere", "radius": 0.1}]}],
"obstacles": [{"name": "g", "type": "plane"}], "contact": true, "run": {"fps": 50, "step": 0.01}})");
        good({"run", "b.json", "-o", "first", "--duration", "0.1", "--checkpoint", "0.1", "--no-page"});
        checkpoint_ = readText(at("first/checkpoint.bin"));
        ASSERT_GT(checkpoint_.size(), headSize);
    }

    // The run goes on from a checkpoint whose bytes at a place are others, with the hash put right.
    Outcome resumeWith(std::size_t place, std::uint64_t bits) const
    {
        std::string bytes = checkpoint_;
        std::memcpy(bytes.data() + place, &bits, sizeof bits);
        Hash hash;
        hash.add(bytes.data() + headSize, bytes.size() - headSize);
        const std::uint64_t value = hash.value();
        std::memcpy(bytes.data() + hashAt, &value, sizeof value);
        fs::remove_all(at("out"));
        fs::copy(at("first"), at("out"));
        writeText(at("out/checkpoint.bin"), bytes);
        return run({"run", "--resume", "out", "--duration", "0.2", "--no-page"});
    }
    std::uint64_t at64(std::size_t place) const
    {
        std::uint64_t bits = 0;
        std::memcpy(&bits, checkpoint_.data() + place, sizeof bits);
        return bits;
    }
    // After the four texts, the first of the numbers.
    std::size_t numbersAt() const
    {
        std::size_t place = headSize;
        for (int text = 0; text < 4; ++text) place += 8 + static_cast<std::size_t>(at64(place));
        return place;
    }
    // A row of numbers for each frame of a fiftieth of a second until 0.2 s, all of one width.
    void expectTable(const std::string& name, const std::string& why) const
    {
        const std::vector<std::string> rows = lines(readText(at("out/" + name)));
        ASSERT_EQ(rows.size(), 12u) << name << why;
        const auto width = [](const std::string& row) { return std::count(row.begin(), row.end(), ','); };
        for (std::size_t i = 1; i < rows.size(); ++i) {
            EXPECT_EQ(width(rows[i]), width(rows[0])) << name << why;
            EXPECT_NEAR(std::stod(rows[i]), 0.02 * static_cast<double>(i - 1), 1e-12) << name << why;
            EXPECT_EQ(rows[i].find("nan"), std::string::npos) << name << why;
            EXPECT_EQ(rows[i].find("inf"), std::string::npos) << name << why;
        }
    }

    std::string checkpoint_;
};

TEST_F(SpoiltCheckpoint, an_untouched_one_goes_on)
{
    const Outcome outcome = resumeWith(numbersAt(), at64(numbersAt()));
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    expectTable("trajectory.csv", "");
    expectTable("series.csv", "");
}

// Whatever number is another one: the run is refused in one line, diverges, or its tables are whole. Of
// three other numbers each place gets one here, all of them in `make long` (SINEW_SPOILT=all).
TEST_F(SpoiltCheckpoint, no_number_makes_a_broken_table)
{
    const auto bitsOf = [](double x) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &x, sizeof bits);
        return bits;
    };
    const bool all = std::getenv("SINEW_SPOILT") != nullptr;
    int refusals = 0;
    for (std::size_t place = numbersAt(); place + 8 <= checkpoint_.size(); place += 8) {
        std::size_t kind = 0;
        for (const std::uint64_t bits :
             {bitsOf(std::nan("")), at64(place) - 1, at64(place) | (std::uint64_t{1} << 32)}) {
            if (kind++ != place / 8 % 3 && !all) continue;  // the next place gets the next kind
            if (bits == at64(place)) continue;
            const Outcome outcome = resumeWith(place, bits);
            const std::string why =
                " byte " + std::to_string(place) + ", bits " + std::to_string(bits) + ": " + outcome.err;
            ASSERT_TRUE(outcome.exitCode == 0 || outcome.exitCode == 2 || outcome.exitCode == 3)
                << outcome.exitCode << why;
            if (outcome.exitCode == 2) {
                ++refusals;
                EXPECT_EQ(outcome.errorLines(), 1) << why;
                EXPECT_TRUE(readText(at("out/trajectory.csv")) == readText(at("first/trajectory.csv")))
                    << why;
            } else if (outcome.exitCode == 0) {
                expectTable("trajectory.csv", why);
                expectTable("series.csv", why);
            }
        }
    }
    EXPECT_GT(refusals, all ? 100 : 33);
}

TEST_F(SpoiltCheckpoint, tables_of_another_scene_are_refused)
{
    std::string table = readText(at("first/trajectory.csv"));
    table.replace(table.find("time"), 4, "tame");
    writeText(at("first/trajectory.csv"), table);
    const Outcome outcome = resumeWith(numbersAt(), at64(numbersAt()));
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_NE(outcome.err.find("trajectory.csv: cannot go on"), std::string::npos) << outcome.err;
}

using DivergedRecording = CommandTest;

TEST_F(DivergedRecording, its_replay_says_that_it_diverged)
{
    good({"make", "chain", "--links", "20", "--joint", "hinge", "--stiffness", "1e5", "--start",
          "horizontal", "-o", "stiff.json"});
    const std::vector<std::string> how{"--integrator", "semi_implicit_euler", "--step", "0.01",
                                       "--no-page"};
    std::vector<std::string> live{"run", "stiff.json", "--live", "-o", "live"},
        again{"run", "stiff.json", "--replay", "live/interaction.jsonl", "-o", "again"};
    live.insert(live.end(), how.begin(), how.end());
    again.insert(again.end(), how.begin(), how.end());
    const Outcome first = run(live), second = run(again);
    ASSERT_EQ(first.exitCode, 3) << first.err;
    ASSERT_EQ(second.exitCode, 3) << second.err;
    EXPECT_EQ(word(*summary("again").find("diverged"), "message"),
              word(*summary("live").find("diverged"), "message"));
    EXPECT_EQ(word(summary("again"), "state_hash"), word(summary("live"), "state_hash"));
    EXPECT_EQ(readText(at("again/interaction.jsonl")), readText(at("live/interaction.jsonl")));
}

}  // namespace
}  // namespace sinew::testing
