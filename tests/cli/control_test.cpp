// Scripts and torque functions from the command line: bad ones are refused, triggers survive a checkpoint,
// fitted functions make a scene that runs.
#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"

namespace sinew::testing {
namespace {

class Control : public CommandTest {
protected:
    // The rod with one more member, which `sinew run` must refuse.
    void refusesMember(const std::string& member, const std::vector<std::string>& says) const
    {
        writeRod("rod.json", {{R"("name": "rod",)", R"("name": "rod", )" + member + ","}});
        refused({"run", "rod.json", "-o", "out"}, says);
        EXPECT_FALSE(fs::exists(at("out")));
    }
};

TEST_F(Control, a_balance_without_feet_and_a_gait_without_a_way_on_get_one_line)
{
    const auto spoilt = [&](const std::string& scene, const std::string& was, const std::string& is) {
        std::string text = readText(fs::path(SINEW_SCENE_DIR) / scene);
        const std::size_t place = text.find(was);
        ASSERT_NE(place, std::string::npos) << was;
        writeText(at("spoilt.json"), text.replace(place, was.size(), is));
    };
    spoilt("standing.json", R"("feet": ["left_foot", "right_foot"],)", "");
    refused({"run", "spoilt.json", "-o", "out"}, {"spoilt.json", "/balance/0", "feet"});
    spoilt("walk.json", R"("touch": true, )", "");
    refused({"run", "spoilt.json", "-o", "out"}, {"spoilt.json", "/balance/0/gait/states/1", "no way on"});
    EXPECT_FALSE(fs::exists(at("out")));
}

TEST_F(Control, bad_scripts_get_one_line_and_leave_no_files)
{
    refusesMember(
        R"("controllers": [{"joint": "pin", "stiffness": 1, "target": {"keys": [[1, 0], [0.5, 1]]}}])",
        {"rod.json: /controllers/0/target/keys/1/0", "times must rise"});
    refusesMember(R"("torques": [{"joint": "pinn", "free": [0, 1], "slope": [1, 1]}])",
                  {"rod.json: /torques/0/joint", "no joint 'pinn'"});
    refusesMember(R"("forces": [{"body": "rod", "signal": {"pulse": {"length": 0.1, "period": -2}}}])",
                  {"rod.json: /forces/0/signal/pulse/period", "-2", "zero or more"});
    refusesMember(R"("motors": [{"joint": "ball", "torque": 1}])", {"/motors/0/torque", "takes 3"});
    writeRod("rod.json", {{R"("name": "rod",)",
                           R"("name": "rod", "controllers": [{"joint": "pin", "stiffness": 1}],)"}});
    refused({"run", "rod.json", "-o", "out", "--integrator", "conservative"},
            {"--integrator", "controller of joint 'pin'"});
}

TEST_F(Control, a_run_resumed_between_a_trigger_and_its_spike_ends_the_same)
{
    writeRod("rod.json",
             {{R"("name": "rod",)", R"("name": "rod", "forces": [{"body": "tip", "force": [0, 0, 5],
               "signal": {"pulse": {"start": 0.2, "length": 0.1}}, "when": {"angle": "pin", "below": 0.5}}],)"},
              {R"("axis": [0, 0, 1])", R"("axis": [0, 0, 1], "coordinate": 1)"}});
    const std::vector<std::string> rest{"--integrator", "implicit", "--step", "0.01"};
    const auto with = [&](std::vector<std::string> all) {
        all.insert(all.end(), rest.begin(), rest.end());
        return all;
    };
    good(with({"run", "rod.json", "-o", "whole", "--duration", "2"}));
    for (const char* until : {"0.45", "0.6"}) {
        good(with({"run", "rod.json", "-o", "part", "--duration", until, "--checkpoint", "0.05"}));
        good({"run", "--resume", "part", "--duration", "2"});
        EXPECT_EQ(word(summary("part"), "state_hash"), word(summary("whole"), "state_hash")) << until;
    }
}

TEST_F(Control, fitted_torques_hold_a_figure_in_the_range_it_went_through)
{
    writeRod("rod.json", {{R"("axis": [0, 0, 1])", R"("axis": [0, 0, 1], "coordinate": 0.5)"}});
    good({"run", "rod.json", "-o", "out", "--duration", "5"});
    const Outcome fit = run({"fit-torques", "out", "-o", "fit.json"});
    EXPECT_EQ(fit.exitCode, 0) << fit.err;
    EXPECT_NE(fit.out.find("pin"), std::string::npos);
    const json::Value scene = parsed(readText(at("fit.json")));
    const json::Value* torques = scene.find("torques");
    ASSERT_TRUE(torques);
    ASSERT_EQ(torques->items().size(), 1u);  // the ball joint has no axis
    const json::Value* zone = torques->items()[0].find("free");
    ASSERT_TRUE(zone);
    EXPECT_LT(zone->items()[0].number(), -0.2);
    EXPECT_GT(zone->items()[1].number(), 0.2);
    EXPECT_LE(zone->items()[1].number(), 0.51);
    good({"run", "fit.json", "-o", "again", "--duration", "1"});
    refused({"fit-torques", "nowhere", "-o", "x.json"}, {"nowhere", "not the folder of a run"});
    refused({"fit-torques", "out", "-o", "x.json", "--give", "0"}, {"--give", "0.001"});
    EXPECT_FALSE(fs::exists(at("x.json")));
}

// Lowest and highest of each column of a table whose name ends so.
std::map<std::string, std::pair<double, double>> rangesOf(const std::string& table, const std::string& end)
{
    std::istringstream lines(table);
    std::string line, word;
    std::vector<std::string> names;
    std::getline(lines, line);
    for (std::istringstream words(line); std::getline(words, word, ',');) names.push_back(word);
    std::map<std::string, std::pair<double, double>> ranges;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        for (std::size_t i = 0; std::getline(words, word, ','); ++i) {
            if (!names[i].ends_with(end)) continue;
            const double x = std::stod(word);
            auto& range = ranges.try_emplace(names[i], x, x).first->second;
            range = {std::min(range.first, x), std::max(range.second, x)};
        }
    }
    return ranges;
}

// Armstrong and Green's finger with functions that were fitted to its own run, and the same spikes: it
// taps, and its joints stay in the range that they went through. The fitted functions are steeper than its
// own.
TEST_F(Control, a_finger_with_fitted_torques_taps_as_it_did)
{
    good({"run", SINEW_SCENE_DIR "/finger.json", "-o", "finger", "--no-page"});
    good({"fit-torques", "finger", "-o", "fitted.json"});
    good({"run", "fitted.json", "-o", "half", "--no-page", "--step", "0.005"});
    good({"run", "fitted.json", "-o", "implicit", "--no-page", "--integrator", "implicit", "--solver",
          "featherstone"});
    const auto recorded = rangesOf(readText(at("finger/series.csv")), ".angle2");
    ASSERT_EQ(recorded.size(), 4u);
    for (const char* again : {"half", "implicit"}) {
        const std::string folder = again;
        for (const auto& [name, range] : rangesOf(readText(at(folder + "/series.csv")), ".angle2")) {
            const auto& was = recorded.at(name);
            const double allowed = 0.1 * (was.second - was.first);
            EXPECT_GE(range.first, was.first - allowed) << again << ' ' << name;
            EXPECT_LE(range.second, was.second + allowed) << again << ' ' << name;
            // And it moves: at least half as far as it did.
            EXPECT_GT(range.second - range.first, 0.5 * (was.second - was.first)) << again << ' ' << name;
        }
        // The tip, 9 mm thick, comes to the table at 20 mm, and not into it.
        const double lowest =
            rangesOf(readText(at(folder + "/trajectory.csv")), "tip.py").at("tip.py").first;
        EXPECT_GT(lowest, 0.029 - 1e-4) << again;
        EXPECT_LT(lowest, 0.029 + 1e-3) << again;
    }
}

}  // namespace
}  // namespace sinew::testing
