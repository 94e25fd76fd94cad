// sinew pull: a folder that is shown like any run's, numbers that can be relied on, bad input refused.
#include "cli/command.h"

namespace sinew::testing {
namespace {

class PullCommand : public CommandTest {
protected:
    const std::string standing = SINEW_SCENE_DIR "/standing.json";
};

TEST_F(PullCommand, writes_the_folder_of_a_run)
{
    good({"pull", standing, "--body", "left_hand", "--to", "0.4,1.2,0.25", "--hold", "pelvis", "--steps",
          "30", "-o", "out"});
    const json::Value s = summary("out");
    EXPECT_EQ(word(s, "pulled"), "left_hand");
    EXPECT_EQ(word(s, "held"), "pelvis");
    EXPECT_EQ(number(s, "steps"), 30);
    EXPECT_EQ(number(s, "time"), 0.5);
    EXPECT_GE(number(s, "sweeps"), 30);
    EXPECT_LE(number(s, "sweeps_max"), 100);
    EXPECT_LT(number(s, "gap_end"), 1e-3);
    EXPECT_LT(number(s, "residual_max"), 1e-2);
    EXPECT_LT(number(s, "joint_gap_max"), 1e-12);
    EXPECT_EQ(lines(readText(at("out/trajectory.csv"))).size(), 32u);  // header, the start, 30 steps
    EXPECT_EQ(lines(readText(at("out/series.csv"))).size(), 32u);
    good({"view", "out",
          "--no-open"});  // of a scene with contact, too, though poses have no table of contacts
    EXPECT_FALSE(fs::exists(at("out/contacts.csv")));
}

TEST_F(PullCommand, takes_fewer_sweeps_when_told)
{
    makeChain();
    const std::vector<std::string> to = {"pull", "chain.json", "--body", "link10", "--to", "0.5,-0.3,0.1"};
    auto few = to, point = to;
    few.insert(few.end(), {"--steps", "5", "--sweeps", "2", "-o", "few"});
    good(few);
    EXPECT_EQ(number(summary("few"), "sweeps_max"), 2);
    point.insert(point.end(), {"--point=0,-0.05,0", "-o", "point"});
    good(point);
    EXPECT_LT(number(summary("point"), "gap_end"), 1e-5);
}

TEST_F(PullCommand, bad_input_is_refused_before_anything_is_written)
{
    makeChain();
    const auto refuses = [&](std::vector<std::string> options, const std::vector<std::string>& says) {
        std::vector<std::string> arguments{"pull", "chain.json", "-o", "out"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        refused(arguments, says);
        EXPECT_FALSE(fs::exists(at("out")));
    };
    refuses({"--to", "1,0,0"}, {"--body"});
    refuses({"--body", "link3"}, {"--to"});
    refuses({"--body", "link33", "--to", "1,0,0"}, {"--body", "link33", "did you mean"});
    refuses({"--body", "link3", "--to", "1,0"}, {"--to", "three numbers"});
    refuses({"--body", "link3", "--to", "1,0,x"}, {"--to", "\"x\"", "not a number"});
    refuses({"--body", "link3", "--to", "1,0,inf"}, {"--to", "finite"});
    refuses({"--body", "link3", "--to", "1,0,0", "--steps", "0"}, {"--steps", "from 1"});
    refuses({"--body", "link3", "--to", "1,0,0", "--sweeps", "0"}, {"--sweeps", "from 1"});
    refuses({"--body", "link3", "--to", "1,0,0", "--hold", "link1"}, {"--hold", "world"});
    refused({"pull", standing, "-o", "out", "--body", "head", "--to", "1,0,0", "--hold", "head"},
            {"--hold", "head"});
    refused({"pull", standing, "-o", "out", "--body", "head", "--to", "1,0,0", "--hold", "nobody"},
            {"--hold", "nobody"});
    refused({"pull", "none.json", "-o", "out", "--body", "head", "--to", "1,0,0"}, {"none.json"});
    EXPECT_FALSE(fs::exists(at("out")));
}

}  // namespace
}  // namespace sinew::testing
