// sinew optimize: the folder of a run, conflicts named with a code of their own, Ctrl-C keeps what there
// is.
#include <array>
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
    refused({"optimize", particle, "--accuracy", "0", "-o", "out"}, {"--accuracy", "positive"});
    refused({"optimize", particle, "--iterations", "0", "-o", "out"}, {"--iterations"});
    EXPECT_FALSE(fs::exists(at("out")));
}

// At rest at both ends it goes evenly, and is beyond the middle at the middle of the time only if it must.
TEST_F(OptimizeCommandLine, keeps_to_one_side_of_a_surface)
{
    const std::string there =
        R"({"name": "there", "type": "point", "body": "particle", "to": [1, 0, 0], "from": 1, "until": 1})";
    const auto costOf = [&](const std::string& more) {
        writeParticle(there + more);
        good({"optimize", "scene.json", "--no-page", "-o", "out"});
        EXPECT_LT(number(summary("out"), "wish_error_max"), 1e-6) << more;
        return number(summary("out"), "cost");
    };
    const auto beyond = [](const std::string& place, const std::string& side) {
        return R"(, {"type": "surface", "body": "particle", "plane": {"point": [)" + place +
               R"(, 0, 0], "normal": [1, 0, 0]}, "side": ")" + side + R"(", "from": 0.5, "until": 0.5})";
    };
    const double free = costOf(""), through = costOf(beyond("0.7", "both"));
    EXPECT_GT(through, 1.01 * free);
    EXPECT_NEAR(costOf(beyond("0.7", "at_least")), through, 1e-6 * through);
    EXPECT_NEAR(costOf(beyond("0.7", "at_most")), free, 1e-6 * free);
    EXPECT_NEAR(costOf(beyond("0.3", "at_least")), free, 1e-6 * free);
    EXPECT_NEAR(costOf(beyond("0.3", "at_most")), through, 1e-6 * through);  // its mirror image
}

TEST_F(OptimizeCommandLine, takes_another_solver_where_it_is_there)
{
    refused({"optimize", particle, "--solver", "simplex", "-o", "out"}, {"--solver", "simplex"});
    EXPECT_FALSE(fs::exists(at("out")));
    const Outcome outcome = run({"optimize", particle, "--solver", "ipopt", "--no-page", "-o", "out"});
    if (outcome.exitCode == 2) {
        EXPECT_NE(outcome.err.find("coinor-libipopt-dev"), std::string::npos) << outcome.err;
        EXPECT_FALSE(fs::exists(at("out")));
        return;
    }
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    good({"optimize", particle, "--no-page", "-o", "own"});
    EXPECT_NEAR(number(summary("out"), "cost"), number(summary("own"), "cost"), 1e-8);
    EXPECT_LT(number(summary("out"), "infeasibility"), 1e-8);
}

TEST_F(OptimizeCommandLine, starts_from_a_motion_of_another_run)
{
    writeParticle(
        R"({"name": "there", "type": "point", "body": "particle", "to": [1, 0, 0], "from": 1, "until": 1})");
    good({"optimize", "scene.json", "--no-page", "-o", "out"});
    const double iterations = number(summary("out"), "iterations");
    for (const char* from : {"out", "out/plan.json", "out/trajectory.csv"}) {
        good({"optimize", "scene.json", "--from", from, "--no-page", "-o", "again"});
        EXPECT_LE(number(summary("again"), "iterations"), iterations) << from;
        EXPECT_NEAR(number(summary("again"), "cost"), number(summary("out"), "cost"), 1e-6) << from;
    }
    // The folder that it starts from may be the one that it writes.
    good({"optimize", "scene.json", "--from", "out", "--no-page", "-o", "out"});
    // A run that somebody simulated.
    good({"run", "scene.json", "--duration", "1", "--no-page", "-o", "run"});
    good({"optimize", "scene.json", "--from", "run", "--no-page", "-o", "again"});
}

TEST_F(OptimizeCommandLine, refuses_motions_that_do_not_fit)
{
    writeParticle(
        R"({"name": "there", "type": "point", "body": "particle", "to": [1, 0, 0], "from": 1, "until": 1})");
    good({"optimize", "scene.json", "--no-page", "-o", "out"});
    const std::string plan = readText(at("out/plan.json")), frames = readText(at("out/trajectory.csv"));
    const auto refuses = [&](const std::string& from, const std::vector<std::string>& says) {
        refused({"optimize", "scene.json", "--from", from, "-o", "no"}, says);
        EXPECT_FALSE(fs::exists(at("no"))) << from;
    };
    const auto changed = [](std::string text, const std::string& what, const std::string& by) {
        const std::size_t place = text.find(what);
        EXPECT_NE(place, std::string::npos) << what;
        return text.replace(place, what.size(), by);
    };
    refuses("nowhere", {"nowhere"});
    fs::create_directory(at("empty"));
    refuses("empty", {"empty", "neither plan.json nor trajectory.csv"});
    writeText(at("bad.json"), "{");
    refuses("bad.json", {"bad.json:1"});
    writeText(at("bad.json"), "{}");
    refuses("bad.json", {"bad.json", "is no plan"});
    refuses("scene.json", {"scene.json", "is no plan"});
    const std::vector<std::array<std::string, 3>> faults = {
        {"\"sinew_plan\": 1", "\"sinew_plan\": 2", "another version"},
        {"\"joints\": {", "\"joints\": {\"hip\": 3, ", "another figure"},
        {"\"points\": 3", "\"points\": 7", "/points: must be"},
        {"\"weight\": ", "\"weight\": -", "/weight"},
        {"\"q\": [", "\"q\": [5, ", "/start/q: must be a list of 7 numbers"},
        {"\"u\": [", "\"u\": [\"fast\", ", "/start/u"},
        {"\"y\": [", "\"y\": [5, ", "/pieces/0/y: must be a list of 18 numbers"},
        {"\"length\": 0.25", "\"length\": 0.125", "/pieces/1/start: must be 0.125"},
        {"\"length\": 0.25", "\"length\": -1", "/pieces/0/length: must be positive"},
        {"\"contact\": [", "\"contact\": [1", "/pieces/0/contact"},
    };
    for (const auto& [what, by, says] : faults) {
        writeText(at("bad.json"), changed(plan, what, by));
        refuses("bad.json", {"bad.json", says});
    }
    writeText(at("bad.csv"), changed(frames, "particle.px", "ball.px"));
    refuses("bad.csv", {"bad.csv"});
    writeText(at("bad.csv"), frames + "9,1,2\n");
    refuses("bad.csv", {"bad.csv"});
    refused({"optimize", SINEW_SCENE_DIR "/swing_up.json", "--from", "out", "-o", "no"},
            {"out/plan.json", "another figure"});
    refused({"optimize", SINEW_SCENE_DIR "/swing_up.json", "--from", "out/trajectory.csv", "-o", "no"},
            {"out/trajectory.csv"});
}

// A pose that the joints do not allow.
TEST_F(OptimizeCommandLine, refuses_frames_that_the_figure_cannot_take)
{
    const std::string swing = SINEW_SCENE_DIR "/swing_up.json";
    good({"run", swing, "--duration", "0.1", "--no-page", "-o", "run"});
    std::vector<std::string> rows = lines(readText(at("run/trajectory.csv")));
    ASSERT_GE(rows.size(), 3u);
    std::vector<std::string> fields;
    for (std::size_t begin = 0; begin <= rows[2].size();) {
        const std::size_t end = std::min(rows[2].find(',', begin), rows[2].size());
        fields.push_back(rows[2].substr(begin, end - begin));
        begin = end + 1;
    }
    fields[8] = "1";  // px of the second body
    std::string text;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (r != 2) {
            text += rows[r] + "\n";
            continue;
        }
        for (std::size_t f = 0; f < fields.size(); ++f) text += (f ? "," : "") + fields[f];
        text += "\n";
    }
    writeText(at("torn.csv"), text);
    refused({"optimize", swing, "--from", "torn.csv", "-o", "no"},
            {"torn.csv", "row 2", "from where the joints of the scene allow it to be"});
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
