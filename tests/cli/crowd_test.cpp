// sinew crowd: files that can be read back, the same bits in any crowd and with any number of threads, and
// one line where something is wrong.
#include <cmath>
#include <fstream>

#include "cli/command.h"
#include "sinew/io/binary/crowd_file.h"

namespace sinew::testing {

namespace {

const char* const floating = R"({"sinew": 1, "name": "two", "gravity": [0, 0, 0],
 "bodies": [{"name": "trunk", "mass": 2, "inertia": [0.1, 0.1, 0.1]},
            {"name": "arm", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [1, 0, 0]}],
 "joints": [{"name": "elbow", "type": "hinge", "first": "trunk", "second": "arm", "axis": [0, 0, 1],
             "position": [0.5, 0, 0], "stiffness": 3, "damping": 0.1},
            {"name": "loose", "type": "hinge", "first": "arm", "second": "hand", "axis": [0, 0, 1],
             "position": [1.5, 0, 0]}],
 "run": {"duration": 0.5, "fps": 20}})";

class CrowdCommand : public CommandTest {
protected:
    void SetUp() override
    {
        CommandTest::SetUp();
        std::string scene = floating;
        const std::string arm = R"("position": [1, 0, 0]})";
        scene.replace(
            scene.find(arm), arm.size(),
            arm + R"(, {"name": "hand", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [2, 0, 0]})");
        writeText(at("two.json"), scene);
        vary(R"({"what": "mass", "by": [0.5, 2]}, {"what": "stiffness", "joints": "ELB*", "by": [0.5, 2]},
                {"what": "pose", "joints": "*", "by": [-0.5, 0.5]},
                {"what": "speed", "joints": "elbow", "by": {"mean": 0, "deviation": 1}},
                {"what": "target", "joints": "elbow", "by": [-1, 1]},
                {"what": "place", "y": [1, 2]}, {"what": "turn", "z": [-3, 3]},
                {"what": "velocity", "x": [-1, 1]}, {"what": "spin", "x": [0, 0]})");
    }
    void vary(const std::string& rules) const
    {
        writeText(at("vary.json"), R"({"seed": 5, "vary": [)" + rules + "]}");
    }
    std::vector<std::string> words(const std::string& out, const std::string& count) const
    {
        return {"crowd", "two.json", "--vary", "vary.json", "--count", count, "-o", out};
    }
    // A run of the command that must end well; notes on threads are no matter.
    void makes(std::vector<std::string> arguments, const std::vector<std::string>& more = {}) const
    {
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    }
    std::vector<float> frame(const std::string& out, std::uint64_t index,
                             CrowdHeader* header = nullptr) const
    {
        Result<CrowdReader> reader = CrowdReader::open((at(out) / "crowd.sinewc").string());
        EXPECT_TRUE(reader) << (reader ? "" : reader.error().text());
        double time = 0;
        std::vector<float> poses;
        EXPECT_FALSE(reader.value().frame(index, time, poses));
        EXPECT_DOUBLE_EQ(time, static_cast<double>(index) / 20);
        if (header) *header = reader.value().header();
        return poses;
    }
    void refusesVary(const std::string& rules, const std::vector<std::string>& says) const
    {
        vary(rules);
        refused(words("out", "3"), says);
        EXPECT_FALSE(fs::exists(at("out")));
    }
};

TEST_F(CrowdCommand, writes_all_trajectories_a_table_a_summary_and_a_page)
{
    makes(words("out", "9"));
    CrowdHeader header;
    const std::vector<float> start = frame("out", 0, &header), end = frame("out", 10);
    EXPECT_EQ(header.bodies, (std::vector<std::string>{"trunk", "arm", "hand"}));
    EXPECT_EQ(header.characters, 9u);
    EXPECT_EQ(header.frames, 11u);
    EXPECT_EQ(header.fps, 20);
    // Each starts at its own height, where the rule has it, and nobody stays where he was.
    for (std::size_t c = 0; c < 9; ++c) {
        const float height = start[21 * c + 1];
        EXPECT_TRUE(height >= 1 && height <= 2) << height;
        EXPECT_NE(height, start[(21 * c + 22) % start.size()]);
        EXPECT_NE(start[21 * c], end[21 * c]);
    }
    const std::vector<std::string> table = lines(readText(at("out/characters.csv")));
    ASSERT_EQ(table.size(), 10u);
    EXPECT_EQ(
        table[0],
        "character,mass,stiffness.elbow,pose.elbow,pose.loose,speed.elbow,target.elbow,place.y,turn.z,"
        "velocity.x,spin.x,center_x,center_y,center_z,velocity_x,velocity_y,velocity_z,kinetic,"
        "diverged_at");
    const json::Value s = summary("out");
    EXPECT_EQ(number(s, "characters"), 9);
    EXPECT_EQ(number(s, "seed"), 5);
    EXPECT_EQ(number(s, "varied"), 10);
    EXPECT_EQ(number(s, "diverged"), 0);
    EXPECT_GT(number(s, "cpu_seconds"), 0);
    EXPECT_EQ(word(s, "state_hash").size(), 16u);
    EXPECT_NE(readText(at("out/index.html")).find("\"crowd\": {\"of\": 9"), std::string::npos);
}

TEST_F(CrowdCommand, a_character_is_the_same_in_every_crowd_and_with_every_number_of_threads)
{
    makes(words("few", "3"), {"--threads", "1", "--no-page"});
    makes(words("many", "50"), {"--threads", "1", "--no-page"});
    makes(words("shared", "50"), {"--threads", "2", "--no-page"});
    EXPECT_FALSE(fs::exists(at("few/index.html")));
    const std::vector<float> few = frame("few", 10), many = frame("many", 10);
    for (std::size_t k = 0; k < few.size(); ++k) EXPECT_EQ(few[k], many[k]);
    EXPECT_EQ(readText(at("many/crowd.sinewc")), readText(at("shared/crowd.sinewc")));
    EXPECT_EQ(word(summary("many"), "state_hash"), word(summary("shared"), "state_hash"));
    makes(words("other", "3"), {"--seed", "6", "--no-page"});
    EXPECT_NE(few, frame("other", 10));
}

// Nothing but a place and a velocity varies, and no force acts: where each is can be told.
TEST_F(CrowdCommand, starts_are_what_the_table_says)
{
    vary(R"({"what": "place", "x": [-5, 5]}, {"what": "velocity", "y": [-2, 2]})");
    makes(words("out", "4"), {"--no-page"});
    const std::vector<float> start = frame("out", 0), end = frame("out", 10);
    const std::vector<std::string> table = lines(readText(at("out/characters.csv")));
    for (std::size_t c = 0; c < 4; ++c) {
        double drawn[2] = {};
        std::size_t from = table[c + 1].find(',') + 1;
        for (double& x : drawn) {
            x = std::stod(table[c + 1].substr(from));
            from = table[c + 1].find(',', from) + 1;
        }
        EXPECT_NEAR(start[21 * c], drawn[0], 1e-6);
        EXPECT_NEAR(end[21 * c + 1], 0.5 * drawn[1], 1e-6);
    }
}

TEST_F(CrowdCommand, springs_come_to_rest_where_the_table_says)
{
    vary(R"({"what": "target", "joints": "elbow", "by": [-1, 1]},
            {"what": "damping", "joints": "elbow", "by": [20, 20]})");
    makes(words("out", "5"), {"--no-page", "--duration", "20"});
    const std::vector<float> end = frame("out", 400);
    const std::vector<std::string> table = lines(readText(at("out/characters.csv")));
    for (std::size_t c = 0; c < 5; ++c) {
        const auto turn = [&](std::size_t body) {  // about z, which all turn about
            const float* q = end.data() + 21 * c + 7 * body + 3;
            return 2 * std::atan2(q[2], q[3]);
        };
        const double drawn = std::stod(table[c + 1].substr(table[c + 1].find(',') + 1));
        EXPECT_NEAR(turn(1) - turn(0), drawn, 1e-3);
    }
}

// With nothing varied and springs taken explicitly, a crowd makes the steps of semi_implicit_euler.
TEST_F(CrowdCommand, characters_that_are_all_alike_move_as_in_a_run)
{
    makeChain();
    makes({"crowd", "chain.json", "--count", "3", "--explicit", "--step", "1e-3", "--fps", "20",
           "--duration", "0.5", "-o", "out", "--no-page"});
    good({"run", "chain.json", "--integrator", "semi_implicit_euler", "--step", "1e-3", "--fps", "20",
          "--duration", "0.5", "-o", "alone", "--no-page"});
    const std::vector<float> end = frame("out", 10);
    std::string row = lines(readText(at("alone/trajectory.csv"))).back();
    const std::size_t width = end.size() / 3;
    for (std::size_t k = 0; k < width; ++k) {
        row.erase(0, row.find(',') + 1);
        for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(end[c * width + k], std::stod(row), 1e-6) << k;
    }
}

TEST_F(CrowdCommand, numbers_that_make_no_sense_are_refused)
{
    for (const char* count : {"0", "-1", "1000000000"})
        refused(words("out", count), {"--count: must be from 1 to 1000000, not ", count});
    refused(words("out", "99999999999"), {"--count: ", "is out of range"});
    for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
             {"--step", "0"}, {"--fps", "-1"}, {"--duration", "0"}, {"--threads", "0"}, {"--show", "0"}}) {
        std::vector<std::string> all = words("out", "3");
        all.insert(all.end(), more.begin(), more.end());
        refused(all, {more[0] + ": must be"});
    }
    EXPECT_FALSE(fs::exists(at("out")));
}

TEST_F(CrowdCommand, a_variation_that_names_nothing_is_pointed_at)
{
    const std::string by = R"(, "by": [1, 2]})";
    refusesVary(R"({"what": "mass", "by": [1, 2]}, {"what": "pose", "joints": "elbw")" + by,
                {"vary.json: /vary/1/joints: no joint is called \"elbw\"; did you mean 'elbow'?"});
    refusesVary(R"({"what": "stiffness", "joints": "loose")" + by, {"/vary/0/joints: ", "has a spring"});
    refusesVary(R"({"what": "damping", "joints": "loose")" + by, {"/vary/0/joints: ", "has a damper"});
    refusesVary(R"({"what": "weight", "by": [1, 2]})", {"/vary/0/what", "weight", "mass"});
    refusesVary(R"({"what": "mass", "times": [1, 2]})", {"/vary/0/times", "by"});
    makeChain();
    vary(R"({"what": "place", "x": [1, 2]})");
    refused({"crowd", "chain.json", "--count", "3", "--vary", "vary.json", "-o", "out"},
            {"vary.json: /vary/0/what: 'place' is of skeletons that float"});
    refused({"crowd", "two.json", "--count", "3", "--vary", "none.json", "-o", "out"}, {"none.json: "});
    EXPECT_FALSE(fs::exists(at("out")));
}

TEST_F(CrowdCommand, numbers_of_a_variation_that_make_no_sense_are_pointed_at)
{
    refusesVary(R"({"what": "mass", "by": [2, 1]})", {"/vary/0/by", "must not be above"});
    refusesVary(R"({"what": "mass", "by": [0, 1]})", {"/vary/0/by", "positive"});
    refusesVary(R"({"what": "mass", "by": {"mean": 1, "deviation": 1}})", {"/vary/0/by", "[low, high]"});
    refusesVary(R"({"what": "mass", "by": 2})", {"/vary/0/by", "[low, high]"});
    refusesVary(R"({"what": "mass"})", {"/vary/0", "by"});
    refusesVary(R"({"what": "mass", "joints": "*", "by": [1, 2]})", {"/vary/0/joints", "not of joints"});
    refusesVary(R"({"what": "pose", "by": [1, 2]})", {"/vary/0", "joints"});
    refusesVary(R"({"what": "pose", "joints": "*", "x": [1, 2]})", {"/vary/0/x"});
    refusesVary(R"({"what": "spin", "by": [1, 2]})", {"/vary/0/by", "x, y and z"});
    refusesVary(R"({"what": "spin"})", {"/vary/0", "at least one"});
    refusesVary(R"({"what": "spin", "x": {"mean": 1, "deviation": -1}})", {"/vary/0/x/deviation"});
    writeText(at("vary.json"), R"({"seed": 1.5, "vary": []})");
    refused(words("out", "3"), {"vary.json: /seed", "whole number"});
}

TEST_F(CrowdCommand, what_a_crowd_cannot_step_is_named)
{
    const std::string scenes = std::string(SINEW_SCENE_DIR) + "/";
    refused({"crowd", scenes + "fourbar.json", "--count", "3", "-o", "out"},
            {"fourbar.json: a crowd does not support closed loops"});
    refused({"crowd", scenes + "robot.json", "--count", "3", "-o", "out"},
            {"robot.json: a crowd does not support "});
    EXPECT_FALSE(fs::exists(at("out")));
}

TEST_F(CrowdCommand, files_of_others_stay)
{
    fs::create_directory(at("out"));
    writeText(at("out/index.html"), "mine");
    refused(words("out", "3"), {"index.html", "holds no crowd"});
    EXPECT_EQ(readText(at("out/index.html")), "mine");
    makes(words("other", "3"));
    makes(words("other", "4"));  // its own are replaced
    EXPECT_EQ(number(summary("other"), "characters"), 4);
}

TEST_F(CrowdCommand, characters_that_diverge_are_counted_and_the_others_are_good)
{
    vary(R"({"what": "stiffness", "joints": "elbow", "by": [1, 3e4]})");
    const Outcome outcome = run({"crowd", "two.json", "--vary", "vary.json", "--count", "20", "-o", "out",
                                 "--explicit", "--step", "0.05", "--duration", "10"});
    // Nothing moves at first: all springs are slack.
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    vary(R"({"what": "stiffness", "joints": "elbow", "by": [1, 3e4]},
            {"what": "target", "joints": "elbow", "by": [0.5, 1]})");
    const Outcome wild = run({"crowd", "two.json", "--vary", "vary.json", "--count", "20", "-o", "out",
                              "--explicit", "--step", "0.05", "--duration", "10"});
    EXPECT_EQ(wild.exitCode, 3);
    EXPECT_EQ(wild.errorLines(), 1) << wild.err;
    const double lost = number(summary("out"), "diverged");
    EXPECT_GT(lost, 0);
    const std::vector<float> end = frame("out", 200);
    double missing = 0;
    for (std::size_t c = 0; c < 20; ++c) missing += std::isnan(end[21 * c]);
    EXPECT_EQ(missing, lost);
    // Taken implicitly the same springs hold.
    makes({"crowd", "two.json", "--vary", "vary.json", "--count", "20", "-o", "out", "--step", "0.05",
           "--duration", "10"});
}

TEST_F(CrowdCommand, a_file_that_is_cut_off_is_refused)
{
    makes(words("out", "3"), {"--no-page"});
    const std::string path = (at("out") / "crowd.sinewc").string();
    const std::string whole = readText(path);
    for (const std::size_t size : {std::size_t{0}, std::size_t{20}, std::size_t{60}, whole.size() - 1}) {
        writeText(path, whole.substr(0, size));
        EXPECT_FALSE(CrowdReader::open(path)) << size;
    }
    writeText(path, "SINEWTRJ" + whole.substr(8));
    EXPECT_FALSE(CrowdReader::open(path));
}

}  // namespace

}  // namespace sinew::testing
