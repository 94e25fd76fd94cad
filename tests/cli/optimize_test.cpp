// sinew optimize: the folder of a run, conflicts named with a code of their own, Ctrl-C keeps what there
// is.
#include <csignal>

#include "cli/command.h"

namespace sinew::testing {
namespace {

class OptimizeCommandLine : public CommandTest {
protected:
    const std::string particle = SINEW_SCENE_DIR "/spacetime_particle.json";

    // A particle that is pushed with at most `limit` newtons, still at both ends of a second.
    void writeParticle(const std::string& wishes, const std::string& limit = "")
    {
        writeText(at("scene.json"), R"({"sinew": 1, "name": "particle", "gravity": [0, 0, 0],
            "bodies": [{"name": "particle", "mass": 1, "shapes": [{"type": "sphere", "radius": 0.1}]}],
            "wishes": [)" + wishes + R"(],
            "optimize": {"duration": 1, "piece": 0.25, "still": [1],
                         "drives": [{"body": "particle")" +
                                        limit + "}]}}");
    }
};

TEST_F(OptimizeCommandLine, writes_the_motion_as_the_folder_of_a_run)
{
    good({"optimize", particle, "--no-page", "-o", "out"});
    const json::Value s = summary("out");
    EXPECT_LT(number(s, "infeasibility"), 1e-8);
    EXPECT_LT(number(s, "wish_error_max"), 1e-6);
    EXPECT_LT(number(s, "replay_error_end"), 1e-6);
    EXPECT_GT(number(s, "cost"), 0);
    EXPECT_TRUE(s.find("feasible")->boolean());
    const std::size_t iterations = static_cast<std::size_t>(number(s, "iterations"));
    EXPECT_GE(iterations, 1u);
    EXPECT_EQ(lines(readText(at("out/iterations.csv"))).size(), iterations + 1);
    EXPECT_EQ(lines(readText(at("out/plan.csv"))).front().rfind("time,", 0), 0u);
    good({"view", "out", "--no-open"});
    const std::string page = readText(at("out/index.html"));
    for (const char* part :
         {"\"plan\": {\"forces\": {", "\"search\": {", "\"force_squared\"", "\"infeasibility\""})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    good({"optimize", particle, "--no-page", "--open-loop", "-o", "again"});
    EXPECT_LT(number(summary("again"), "replay_error_end"), 1e-6);
    EXPECT_EQ(readText(at("again/plan.csv")), readText(at("out/plan.csv")));
}

TEST_F(OptimizeCommandLine, names_what_contradicts_itself_and_writes_the_compromise)
{
    writeParticle(
        R"({"name": "here", "type": "point", "body": "particle", "to": [1, 0, 0], "from": 1, "until": 1},
        {"name": "there", "type": "point", "body": "particle", "to": [2, 0, 0], "from": 1, "until": 1},
        {"name": "on the way", "type": "point", "body": "particle", "to": [0.5, 0, 0], "from": 0.5, "until": 0.5})");
    const Outcome outcome = run({"optimize", "scene.json", "--no-page", "-o", "out"});
    EXPECT_EQ(outcome.exitCode, 4);
    EXPECT_EQ(lines(outcome.err).size(), 1u) << outcome.err;
    for (const char* name : {"'here' (off by ", "'there' (off by "})
        EXPECT_NE(outcome.err.find(name), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("'on the way'"), std::string::npos) << outcome.err;
    const json::Value s = summary("out");
    EXPECT_FALSE(s.find("feasible")->boolean());
    ASSERT_EQ(s.find("violations")->items().size(), 2u) << outcome.err;
    // Halfway, as nearly as the search goes on.
    for (const json::Value& one : s.find("violations")->items())
        EXPECT_NEAR(number(one, "amount"), 0.5, 0.005);
}

TEST_F(OptimizeCommandLine, names_what_cannot_be_reached_in_time)
{
    // With 1 N there and back to rest a kilogramme comes 0.25 m far in a second.
    const std::string far = R"({"name": "far", "type": "point", "body": "particle", "to": [)",
                      then = R"(, 0, 0], "from": 1, "until": 1})";
    writeParticle(far + "0.2" + then, R"(, "limit": 1)");
    good({"optimize", "scene.json", "--no-page", "-o", "out"});
    writeParticle(far + "2" + then, R"(, "limit": 1)");
    const Outcome outcome = run({"optimize", "scene.json", "--no-page", "-o", "out"});
    EXPECT_EQ(outcome.exitCode, 4);
    EXPECT_NE(outcome.err.find("wish 'far'"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("the limits of forces"), std::string::npos) << outcome.err;
}

TEST_F(OptimizeCommandLine, bad_input_is_refused_before_anything_is_written)
{
    writeParticle(R"({"name": "far", "type": "point", "body": "nobody", "to": [1, 0, 0]})");
    refused({"optimize", "scene.json", "-o", "out"}, {"scene.json: /wishes/0", "nobody"});
    writeParticle(R"({"type": "point", "body": "particle", "to": [1, 0, 0], "from": 3, "until": 3})");
    refused({"optimize", "scene.json", "-o", "out"}, {"scene.json: /wishes/0", "outside the duration"});
    refused({"optimize", SINEW_SCENE_DIR "/reach.json", "-o", "out"}, {"reach.json", "\"optimize\""});
    refused({"optimize", particle, "--tolerance", "0", "-o", "out"}, {"--tolerance", "positive"});
    refused({"optimize", particle, "--iterations", "0", "-o", "out"}, {"--iterations"});
    EXPECT_FALSE(fs::exists(at("out")));
}

TEST_F(OptimizeCommandLine, an_interrupt_keeps_the_best_motion_so_far)
{
    Process process(folder, {"optimize", SINEW_SCENE_DIR "/luxo.json", "--no-page", "-o", "out"});
    ASSERT_TRUE(grows("stdout.txt", 200));
    process.signal(SIGINT);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.exitCode, 130) << outcome.err;
    EXPECT_NE(outcome.err.find("the best motion so far is written"), std::string::npos) << outcome.err;
    const json::Value s = summary("out");
    EXPECT_FALSE(s.find("feasible")->boolean());
    EXPECT_GT(number(s, "infeasibility"), 0);
    EXPECT_GT(lines(readText(at("out/iterations.csv"))).size(), 1u);
}

}  // namespace
}  // namespace sinew::testing
