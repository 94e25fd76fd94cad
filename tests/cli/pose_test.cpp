// sinew pose: the folder of a run, a code of its own for what cannot be, bad input refused.
#include "cli/command.h"

namespace sinew::testing {
namespace {

class PoseCommandLine : public CommandTest {
protected:
    const std::string reach = SINEW_SCENE_DIR "/reach.json";
};

TEST_F(PoseCommandLine, writes_the_pose_as_the_folder_of_a_run)
{
    good({"pose", reach, "-o", "out"});
    const json::Value s = summary("out");
    EXPECT_LT(number(s, "wish_error_max"), 1e-4);
    EXPECT_LT(number(s, "cost"), 1e-12);
    const json::Value* wishes = s.find("wishes");
    ASSERT_TRUE(wishes != nullptr);
    EXPECT_EQ(wishes->items().size(), 5u);
    EXPECT_TRUE(s.find("fulfilled")->boolean());
    ASSERT_TRUE(s.find("pose") != nullptr);
    EXPECT_EQ(lines(readText(at("out/trajectory.csv"))).size(), 62u);  // header, the start, 60 frames
    good({"view", "out", "--no-open"});
    good({"pose", reach, "-o", "again"});
    EXPECT_EQ(word(summary("again"), "state_hash"), word(s, "state_hash"));
}

TEST_F(PoseCommandLine, names_what_cannot_be_and_ends_with_a_code_of_its_own)
{
    const Outcome outcome = run(
        {"pose", reach, "--wish",
         R"({"name": "away", "type": "point", "body": "index_distal", "to": [0.6, 0.3, 0]})", "--wish",
         R"({"name": "moon", "type": "point", "body": "thumb_distal", "to": [0, 9, 0], "weight": 1e-6})",
         "-o", "out"});
    EXPECT_EQ(outcome.exitCode, 4);
    EXPECT_EQ(lines(outcome.err).size(), 1u);
    EXPECT_NE(outcome.err.find("out of reach: moon (by"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("in conflict with others: "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("away"), std::string::npos) << outcome.err;
    EXPECT_FALSE(summary("out").find("fulfilled")->boolean());
}

TEST_F(PoseCommandLine, bad_input_is_refused_before_anything_is_written)
{
    const auto refuses = [&](std::vector<std::string> options, const std::vector<std::string>& says) {
        std::vector<std::string> arguments{"pose", reach, "-o", "out"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        refused(arguments, says);
        EXPECT_FALSE(fs::exists(at("out")));
    };
    refuses({"--wish", "index_distal"}, {"--wish", "BODY:X,Y,Z"});
    refuses({"--wish", "index_distal:1,2"}, {"--wish", "BODY:X,Y,Z"});
    refuses({"--wish", "nobody:1,2,3"}, {"--wish", "there is no body 'nobody'"});
    refuses({"--wish", "{\"type\": \"point\""}, {"--wish:1:"});
    refuses({"--wish", "{\"type\": \"point\", \"body\": \"index_distal\"}"},
            {"--wish", "needs the key \"to\""});
    refuses({"--wish", "{\"type\": \"upright\", \"body\": \"index_distal\", \"soft\": 1}"},
            {"--wish: /soft", "true or false"});
    refuses({"--only"}, {"reach.json", "has no wishes"});
    refuses({"--time", "nan"}, {"--time"});
    refuses({"--tolerance", "0"}, {"--tolerance", "positive"});
    refuses({"--iterations", "0"}, {"--iterations", "from 1"});
    refused({"pose", SINEW_SCENE_DIR "/fourbar.json", "--wish", "coupler:1,1,0", "-o", "out"},
            {"fourbar.json"});
}

}  // namespace
}  // namespace sinew::testing
