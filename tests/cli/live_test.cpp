// Live runs and replays (docs/cli.md): lines in, frames out, and the same bits again.
#include <chrono>
#include <csignal>
#include <thread>

#include "cli/command.h"
#include "sinew/io/json/json.h"

namespace sinew::testing {

namespace {

const std::string hand = std::string(SINEW_SCENE_DIR) + "/hand.json";
const std::string robot = std::string(SINEW_SCENE_DIR) + "/robot.json";

class Live : public CommandTest {
protected:
    std::string scene = hand;
    std::uintmax_t frameBytes = 3000;  // more than a line about its sixteen targets

    // A live run of the scene that is told these lines, after some frames a few more, and after some more
    // to end: however slow the machine, nothing is said too late. The last line lacks its end.
    Outcome told(const std::string& folderName, const std::string& first,
                 const std::string& then = {}) const
    {
        Process process(folder,
                        {"run", scene, "--live", "--no-page", "--duration", "600", "-o", folderName},
                        Process::Input::lines);
        process.say(first);
        EXPECT_TRUE(grows("stdout.txt", 5 * frameBytes));
        process.say(then);
        EXPECT_TRUE(grows("stdout.txt", 15 * frameBytes));
        process.say("{\"quit\": true}");
        process.hangUp();
        return process.wait();
    }
    void replays(const std::string& from, const std::string& to) const
    {
        good({"run", scene, "--no-page", "--replay", from + "/interaction.jsonl", "-o", to});
        EXPECT_EQ(word(summary(to), "state_hash"), word(summary(from), "state_hash"));
        EXPECT_EQ(number(summary(to), "steps"), number(summary(from), "steps"));
        EXPECT_TRUE(readText(at(to + "/trajectory.csv")) == readText(at(from + "/trajectory.csv")));
        EXPECT_TRUE(readText(at(to + "/series.csv")) == readText(at(from + "/series.csv")));
        EXPECT_EQ(readText(at(to + "/interaction.jsonl")), readText(at(from + "/interaction.jsonl")));
    }
};

TEST_F(Live, what_is_done_is_answered_recorded_and_replayed_to_the_same_bits)
{
    const Outcome outcome =
        told("out",
             "{\"target\": {\"body\": \"palm\", \"position\": [0.05, 0.06, 0], \"over\": 0.1}}\n"
             "{\"grab\": {\"body\": \"index_distal\", \"to\": [0.1, 0.2, 0.1]}}\n",
             "{\"move\": [0, 0.2, 0.1]}\n"
             "{\"push\": {\"body\": \"palm\", \"point\": [0.01, 0, 0], \"impulse\": [0.01, 0, 0.02]}}\n"
             "{\"change\": {\"gravity\": [0, -1.62, 0], \"stiffness_factor\": 2}}\n"
             "{\"choose\": {\"integrator\": \"implicit\", \"coordinates\": \"maximal\", \"step\": 0.004}}\n"
             "{\"reset\": true}\n"
             "{\"push\": {\"body\": \"palm\", \"impulse\": [0, 0.03, 0]}}\n");
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_EQ(outcome.err.find("standard input"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("results in out"), std::string::npos);

    const auto frames = lines(outcome.out);
    ASSERT_EQ(frames.size() + 1, lines(readText(at("out/trajectory.csv"))).size());
    bool felt = false;
    double last = -1;
    for (const std::string& line : frames) {
        const json::Value frame = parsed(line);
        EXPECT_GT(number(frame, "time"), last) << "also over a reset";
        last = number(frame, "time");
        EXPECT_GE(number(frame, "late"), 0);
        ASSERT_TRUE(frame.find("targets"));
        ASSERT_EQ(frame.find("targets")->items().size(), 16u);  // every bone is drawn to the glove
        const json::Value& target = frame.find("targets")->items()[0];
        EXPECT_EQ(word(target, "body"), "palm");
        EXPECT_EQ(target.find("torque")->items().size(), 3u);
        const json::Value* grab = frame.find("grab");
        felt = felt || (grab && std::abs(grab->find("force")->items()[2].number()) > 1e-3);
    }
    EXPECT_TRUE(felt);
    const auto recorded = lines(readText(at("out/interaction.jsonl")));
    EXPECT_EQ(recorded.size(), 8u + 2);
    EXPECT_NE(recorded.back().find(word(summary("out"), "state_hash")), std::string::npos);
    replays("out", "again");
    replays("again", "again");  // into its own folder
}

TEST_F(Live, untouched_it_gives_the_bits_of_a_plain_run_and_keeps_to_the_clock)
{
    const auto start = std::chrono::steady_clock::now();
    {
        Process process(folder, {"run", hand, "--live", "--no-page", "--duration", "0.4", "-o", "live"},
                        Process::Input::lines);
        process.hangUp();  // the end of the input is not the end of the run
        const Outcome outcome = process.wait();
        ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    }
    EXPECT_GE(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 0.4);
    good({"run", hand, "--no-page", "--duration", "0.4", "-o", "plain"});
    EXPECT_EQ(word(summary("live"), "state_hash"), word(summary("plain"), "state_hash"));
    EXPECT_TRUE(readText(at("live/trajectory.csv")) == readText(at("plain/trajectory.csv")));
    EXPECT_TRUE(readText(at("live/series.csv")) == readText(at("plain/series.csv")));
    replays("live", "again");
    good({"run", hand, "--no-page", "--duration", "0.1", "-o", "live"});
    EXPECT_FALSE(fs::exists(at("live/interaction.jsonl")))
        << "a plain run is not to be taken for a live one";
}

TEST_F(Live, a_bad_line_is_told_and_skipped)
{
    scene = robot;
    frameBytes = 300;  // one target
    const Outcome outcome = told("out",
                                 "\n"
                                 "{\"grab\": {\"body\": \"left_hand\"\n"
                                 "{\"grab\": {\"body\": \"nose\", \"to\": [0, 0, 0]}}\n"
                                 "{\"move\": [0, 0, 0]}\n"
                                 "{\"shove\": true}\n" +
                                     std::string(100'000, 'x') +
                                     "\n"
                                     "{\"target\": {\"body\": \"left_forearm\", \"position\": [0, 0, 0]}}\n"
                                     "{\"push\": {\"body\": \"left_hand\", \"impulse\": [0, 0.01, 0]}}\n");
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const auto said = lines(outcome.err);
    ASSERT_GE(said.size(), 6u) << outcome.err;
    EXPECT_EQ(said[0].find("standard input:2:"), 0u) << said[0];
    EXPECT_EQ(said[1], "standard input:3: /grab/body: there is no body 'nose'");
    EXPECT_EQ(said[2], "standard input:4: /move: nothing is held; grab a body first");
    EXPECT_EQ(said[3].find("standard input:5: /shove: unknown key"), 0u) << said[3];
    EXPECT_EQ(said[4], "standard input:6: is longer than 65536 bytes");
    EXPECT_EQ(said[5], "standard input:7: /target/body: body 'left_forearm' has no target in the scene");
    EXPECT_EQ(lines(readText(at("out/interaction.jsonl"))).size(), 3u) << "the good one is recorded";
}

TEST_F(Live, joints_are_set_driven_and_switched_and_replayed_to_the_same_bits)
{
    const Outcome outcome = told(
        "out",
        R"({"joint": {"joint": "index_middle_joint", "stiffness": 0.2, "rest": 1.2, "lower": 0.5, "upper": 1.4}}
{"motor": {"joint": "index_knuckle", "speed": [1, 0], "damping": 0.05, "strength": 0.02}}
{"joint": {"joint": "index_middle_joint", "lower": 2}}
{"switch": {"joint": "thumb", "active": false}}
)",
        R"({"switch": {"active": false}}
{"motor": {"joint": "index_knuckle", "target": [0.2, 0.1], "speed": [0, 0], "stiffness": 0.3}}
{"joint": {"joint": "index_middle_joint", "limits": false}}
{"restore": true}
)");
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const auto said = lines(outcome.err);
    ASSERT_GE(said.size(), 2u) << outcome.err;
    EXPECT_EQ(said[0], "standard input:3: /joint/upper: is 1.4, below the lower limit 2");
    EXPECT_EQ(said[1], "standard input:4: /switch/joint: there is no joint 'thumb'");
    EXPECT_EQ(lines(readText(at("out/interaction.jsonl"))).size(), 6u + 2);
    replays("out", "again");
}

TEST_F(Live, quit_and_interrupt_end_it_with_all_results)
{
    const Outcome quit = told("quit", "{\"push\": {\"body\": \"palm\", \"impulse\": [0, 0.01, 0]}}\n");
    ASSERT_EQ(quit.exitCode, 0) << quit.err;
    EXPECT_EQ(summary("quit").find("interrupted"), nullptr);
    replays("quit", "again");

    Process process(folder, {"run", hand, "--live", "--no-page", "--duration", "600", "-o", "stopped"},
                    Process::Input::lines);
    process.say("{\"push\": {\"body\": \"palm\", \"impulse\": [0, 0.01, 0]}}\n");
    ASSERT_TRUE(grows("stdout.txt", 1000));
    process.signal(SIGINT);
    const Outcome stopped = process.wait();
    EXPECT_EQ(stopped.exitCode, 130);
    EXPECT_EQ(stopped.err.find("--resume"), std::string::npos) << "there is no checkpoint";
    EXPECT_NE(summary("stopped").find("interrupted"), nullptr);
    EXPECT_FALSE(fs::exists(at("stopped/checkpoint.bin")));
    replays("stopped", "again");
}

TEST_F(Live, what_does_not_fit_is_refused_and_another_end_is_told)
{
    const std::string header =
        R"({"sinew_recording": 1, "scene": "rod", "solver": "featherstone", "integrator": "implicit", "step": 0.01})"
        "\n";
    const auto write = [&](const std::string& text) { writeText(at("r.jsonl"), text); };
    writeRod("rod.json", {});
    const std::vector<std::string> replay{"run", "rod.json", "--no-page", "-o",
                                          "out", "--replay", "r.jsonl"};
    const auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> all = replay;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    refused(replay, {"r.jsonl"});
    write(header);
    refused(replay, {"r.jsonl: is cut off"});
    write(header + "{\"end\": {\"step\": 1e12}}\n");
    refused(replay, {"r.jsonl: has 1000000000000 steps"});
    write(header + "{\"end\": {\"step\": 20}}\n");
    good(replay);
    EXPECT_EQ(number(summary("out"), "steps"), 20);
    EXPECT_EQ(number(summary("out"), "duration"), 0.2);
    fs::remove_all(at("out"));

    refused(with({"--live"}), {"--replay: does not go with --live"});
    refused(with({"--duration", "3"}), {"--duration: does not go with --replay"});
    refused(with({"--checkpoint", "1"}), {"--checkpoint: does not go with --replay"});
    refused(with({"--solver", "baraff"}), {"--solver: the recording has featherstone"});
    refused(with({"--integrator", "rk4"}), {"--integrator: the recording has implicit"});
    refused(with({"--step", "0.02"}), {"--step: the recording has 0.01"});
    refused(with({"--coordinates", "maximal"}), {"--coordinates: the recording has joint"});
    refused({"run", "rod.json", "--live", "-o", "out", "--checkpoint", "1"},
            {"--checkpoint: does not go with --live"});
    refused({"run", "--live", "--resume", "out"}, {"--resume: does not go with --live"});
    writeRod("other.json", {{R"("name": "rod",)", R"("name": "stick",)"}});
    refused({"run", "other.json", "-o", "out", "--replay", "r.jsonl"},
            {"r.jsonl: is a recording of scene 'rod', and this is 'stick'"});
    std::string nobody = header + "{\"end\": {\"step\": 20}}\n";
    nobody.replace(nobody.find("featherstone"), 12, "somebody");
    write(nobody);
    refused(replay, {"r.jsonl:1: /solver: there is no solver 'somebody'"});
    std::string slow = header + "{\"end\": {\"step\": 20}}\n";
    slow.replace(slow.find("\"step\""), 0, "\"slow_band\": 2, ");
    write(slow);
    refused(replay, {"r.jsonl:1: /slow_band: integrator 'implicit' has no slow band"});
    EXPECT_FALSE(fs::exists(at("out"))) << "nothing is written where nothing was run";
    write(header +
          "{\"step\": 3, \"grab\": {\"body\": \"nose\", \"to\": [0, 0, 0]}}\n{\"end\": {\"step\": 20}}\n");
    refused(replay, {"r.jsonl:2: /grab/body: there is no body 'nose'"});

    write(header + "{\"end\": {\"step\": 20, \"state_hash\": \"0123456789abcdef\"}}\n");
    const Outcome other = run(replay);
    EXPECT_EQ(other.exitCode, 1);
    EXPECT_EQ(other.errorLines(), 1);
    EXPECT_NE(other.err.find("0123456789abcdef after 20 steps"), std::string::npos) << other.err;
    EXPECT_EQ(word(summary("out"), "state_hash").size(), 16u) << "the results are there";
}

}  // namespace

}  // namespace sinew::testing
