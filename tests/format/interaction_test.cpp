// Recordings and live lines: round trips, and one clear line for each fault.
#include "sinew/recording/recording.h"

#include <gtest/gtest.h>

namespace sinew::interaction_test {
namespace {

const std::string header =
    R"({"sinew_recording": 1, "scene": "chain", "solver": "featherstone", "integrator": "implicit", "step": 0.01})"
    "\n";
const std::string ending = "{\"end\": {\"step\": 9}}\n";

const Quat turned = Quat(0.5, 0.5, -0.5, 1. / 3).normalized();

Recording everything()
{
    const double third = 1. / 3;
    Recording r{"a \"scene\"",      "armstrong_green", "bands", 1. / 60, 3, true, 1e-5, {}, {}, 12,
                0x0123456789abcdefu};
    r.interactions = {
        {0, Interaction::Grab{"hand", Vec3(third, -0.0, 1e-300), Vec3(1, 2, 3)}},
        {0, Interaction::Grab{"hand", {}, Vec3(1, 2, 3)}},
        {3, Interaction::MoveGrab{Vec3(0.1, 0.2, third)}},
        {3, Interaction::Release{}},
        {4, Interaction::Push{"foot", Vec3(1, 0, 0), Vec3(third, 1e17, -1)}},
        {4, Interaction::Push{"foot", {}, Vec3(0, 0, 0)}},
        {5, Interaction::Change{Vec3(0, -third, 0), 2., 0.5, third, 0.25, false}},
        {5, Interaction::Change{{}, {}, {}, {}, {}, true}},
        {6, Interaction::Choose{{"baraff", "implicit", third, "maximal"}}},
        {6, Interaction::Choose{}},
        {6, Interaction::Choose{{"", "bands", {}, "", 4, true}}},
        {7, Interaction::Reset{}},
        {8, Interaction::AimTarget{"palm", Vec3(third, 0, 0), turned, 0.016}},
        {12, Interaction::AimTarget{"palm", {}, Quat(1, 0, 0, 0), {}}},
    };
    return r;
}

TEST(RecordingText, reads_back_to_the_same_text_and_order)
{
    const std::string text = writeRecording(everything());
    Result<Recording> read = parseRecording(text, "r");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(writeRecording(read.value()), text);
    ASSERT_EQ(read.value().interactions.size(), everything().interactions.size());
    EXPECT_EQ(read.value().steps, 12u);
    EXPECT_EQ(read.value().slowBand, 3);
    EXPECT_EQ(read.value().tolerance, 1e-5);
    EXPECT_TRUE(read.value().spread);
    EXPECT_EQ(read.value().endHash, 0x0123456789abcdefu);
    EXPECT_EQ(read.value().lines.front(), 2);
    const auto& grab = std::get<Interaction::Grab>(read.value().interactions[0].action);
    EXPECT_EQ(grab.point->x(), 1. / 3);
    EXPECT_TRUE(std::signbit(grab.point->y()));
    const auto& aim = std::get<Interaction::AimTarget>(read.value().interactions[12].action);
    EXPECT_EQ(aim.orientation->coeffs(), turned.coeffs());
    EXPECT_EQ(aim.over, 0.016);
    EXPECT_FALSE(std::get<Interaction::Push>(read.value().interactions[5].action).point);
}

TEST(RecordingText, is_one_line_an_interaction)
{
    const std::string text = writeRecording(everything());
    EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')),
              everything().interactions.size() + 2);
    EXPECT_NE(text.find("\n{\"step\": 0, \"grab\": {\"body\": \"hand\", \"to\": [1, 2, 3]}}\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("\n{\"end\": {\"step\": 12, \"state_hash\": \"0123456789abcdef\"}}\n"),
              std::string::npos);
}

TEST(RecordingText, by_hand_it_needs_no_hash_and_may_have_blank_lines)
{
    Result<Recording> read = parseRecording(header + "\n \r\n" + ending, "r");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read.value().steps, 9u);
    EXPECT_FALSE(read.value().endHash);
}

TEST(RecordingText, every_fault_has_its_line)
{
    const std::vector<std::pair<std::string, std::string>> faults{
        {"", "r: is empty"},
        {header, "r: is cut off"},
        {"{}\n", "r:1: is no recording"},
        {"[1]\n", "r:1: an object is expected, found a list"},
        {R"({"sinew_recording": 2, "scene": "", "solver": "", "integrator": "", "step": 1})", "version 2"},
        {R"({"sinew_recording": 1, "scene": "", "solver": "", "step": 1})",
         "r:1: a recording needs the key \"integrator\""},
        {header + "{\"step\": 1, \"grab\": }\n" + ending, "r:2:21: "},
        {header + "{\"step\": 1}\n" + ending, "r:2: one thing a line"},
        {header + "{\"reset\": true}\n" + ending, "r:2: a line needs the key \"step\""},
        {header + "{\"step\": 1.5, \"reset\": true}\n" + ending, "r:2: /step: must be a whole number"},
        {header + "{\"step\": -1, \"reset\": true}\n" + ending, "r:2: /step: must be a whole number"},
        {header + "{\"step\": 1, \"reset\": true, \"release\": true}\n" + ending, "r:2: one thing a line"},
        {header + "{\"step\": 1, \"reset\": false}\n" + ending, "r:2: /reset: must be true"},
        {header + "{\"step\": 1, \"grap\": {}}\n" + ending,
         "r:2: /grap: unknown key \"grap\"; did you mean \"grab\"?"},
        {header + "{\"step\": 1, \"grab\": {\"body\": \"a\"}}\n" + ending,
         "r:2: /grab: a grab needs the key \"to\""},
        {header + "{\"step\": 1, \"move\": [1, 2]}\n" + ending,
         "r:2: /move: a list of 3 numbers is expected, found 2"},
        {header + "{\"step\": 1, \"move\": [1, 2, \"x\"]}\n" + ending,
         "r:2: /move/2: a number is expected"},
        {header + "{\"step\": 2, \"reset\": true}\n{\"step\": 1, \"reset\": true}\n" + ending,
         "r:3: step 1 comes after step 2"},
        {header + "{\"step\": 10, \"reset\": true}\n" + ending,
         "r:3: the end at step 9 comes after step 10"},
        {header + ending + "{\"step\": 10, \"reset\": true}\n", "r:3: the recording goes on after its end"},
        {header + "{\"end\": {\"step\": 1, \"state_hash\": \"12\"}}\n",
         "r:2: /end/state_hash: must be 16 hexadecimal"},
        {header + "{\"step\": 1, \"quit\": true}\n" + ending, "r:2: /quit: unknown key"},
    };
    for (const auto& [text, says] : faults) {
        Result<Recording> read = parseRecording(text, "r");
        ASSERT_FALSE(read) << text;
        EXPECT_NE(read.error().text().find(says), std::string::npos)
            << read.error().text() << "\nnot: " << says;
    }
}

TEST(LiveLine, says_what_to_do_or_to_quit)
{
    const auto move = parseLiveLine("{\"move\": [1, 2, 3]}", "in", 1);
    ASSERT_TRUE(move && move.value());
    EXPECT_EQ(std::get<Interaction::MoveGrab>(*move.value()).place, Vec3(1, 2, 3));
    const auto quit = parseLiveLine("{\"quit\": true}", "in", 1);
    ASSERT_TRUE(quit);
    EXPECT_FALSE(quit.value());
    const auto stepped = parseLiveLine("{\"step\": 4, \"move\": [1, 2, 3]}", "in", 7);
    ASSERT_FALSE(stepped);
    EXPECT_EQ(stepped.error().text().find("in:7: /step: unknown key"), 0u) << stepped.error().text();
    for (const char* bad : {"", "{", "3", "null", "{\"quit\": false}", "{}", "\xff", "{\"push\": 1}"})
        EXPECT_FALSE(parseLiveLine(bad, "in", 1)) << bad;
}

}  // namespace
}  // namespace sinew::interaction_test
