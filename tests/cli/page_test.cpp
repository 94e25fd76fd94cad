// The page of a run: all of the run is in it, nothing in it can break it, and it is whole or not there.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <functional>

#include "cli/command.h"
#include "cli/page.h"
#include "sinew/io/json/scene.h"

namespace sinew::testing {

namespace {

class Page : public CommandTest {
protected:
    json::Value page(const std::string& folderName) const { return pageData(at(folderName)); }
    // Replaces the tables by `rows` rows, a millisecond apart, that hold nothing but the value of each.
    void fillTables(const std::string& folderName, std::size_t rows,
                    const std::function<std::string(std::size_t)>& value) const
    {
        for (const char* name : {"trajectory.csv", "series.csv"}) {
            const fs::path path = at(folderName) / name;
            const std::string header = lines(readText(path))[0];
            const auto columns = std::count(header.begin(), header.end(), ',');
            std::string text = header + '\n';
            for (std::size_t i = 0; i < rows; ++i) {
                text += std::to_string(0.001 * static_cast<double>(i));
                const std::string cell = ',' + value(i);
                for (auto column = columns; column > 0; --column) text += cell;
                text += '\n';
            }
            writeText(path, text);
        }
    }
};

TEST_F(Page, holds_the_whole_run)
{
    makeChain();
    good({"run", "chain.json", "-o", "out", "--duration", "1"});
    const json::Value data = page("out");
    EXPECT_EQ(number(data, "version"), 1);
    EXPECT_EQ(parsed(json::write(*data.find("summary"))).find("state_hash")->string(),
              word(summary("out"), "state_hash"));
    // The scene reads back bit for bit.
    const Result<Description> described = parseScene(json::write(*data.find("scene")), "page");
    ASSERT_TRUE(described);
    const Result<Description> original = readScene(at("chain.json"));
    EXPECT_EQ(writeScene(described.value()), writeScene(original.value()));
    EXPECT_EQ(readText(at("out/scene.json")), writeScene(original.value()));

    const json::Value& frames = *data.find("frames");
    const CsvNumbers poses = readNumbers(at("out/trajectory.csv"));
    EXPECT_EQ(number(frames, "fps"), 60);
    EXPECT_EQ(number(frames, "every"), 1);
    ASSERT_EQ(number(frames, "count"), 61);
    ASSERT_EQ(poses.size(), 61u);
    for (std::size_t i = 0; i < poses.size(); ++i)
        EXPECT_EQ(frames.find("times")->items()[i].number(), poses[i][0]);
    expectColumns(word(frames, "poses"), poses, 70);

    const json::Value& series = *data.find("series");
    const CsvNumbers curves = readNumbers(at("out/series.csv"));
    EXPECT_EQ(number(series, "left_out"), 0);
    ASSERT_EQ(series.find("names")->items().size(), 12u + 10 * 12);
    EXPECT_EQ(series.find("names")->items()[0].string(), "kinetic");
    EXPECT_EQ(series.find("names")->items().back().string(), "joint10.tz");
    expectColumns(word(series, "values"), curves, 12 + 10 * 12);
}

TEST_F(Page, masses_are_in_the_frame_of_the_scene)
{
    // A box away from the body's origin, in a body that is turned.
    writeText(at("box.json"), R"({
  "sinew": 1, "name": "box",
  "bodies": [{"name": "b", "position": [3, 4, 5], "orientation": [0, 0, 0.6, 0.8],
    "shapes": [{"type": "box", "size": [1, 2, 3], "density": 2, "position": [0.5, 0.25, 0]}]}]
})");
    good({"run", "box.json", "-o", "out", "--duration", "0.1"});
    const json::Value data = page("out");
    const json::Value& mass = data.find("masses")->items().at(0);
    EXPECT_DOUBLE_EQ(number(mass, "mass"), 12);
    const double center[] = {0.5, 0.25, 0}, inertia[] = {13, 10, 5};  // m (y² + z²) / 12 …
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(mass.find("center")->items()[i].number(), center[i], 1e-15);
        for (std::size_t j = 0; j < 3; ++j)
            EXPECT_NEAR(mass.find("inertia")->items()[i].items()[j].number(), i == j ? inertia[i] : 0,
                        1e-14);
    }
}

TEST_F(Page, no_name_can_break_out_of_it)
{
    const std::string body = R"(a, \"b\"\\n<!--<script>\\ é)";
    writeRod("rod.json", {{R"("name": "rod")", R"("name": "</script><script>alert(1)</script>")"},
                          {R"("name": "tip")", R"("name": ")" + body + '"'},
                          {R"("second": "tip")", R"("second": ")" + body + '"'},
                          {R"("name": "ball")", R"("name": "<b>,\"")"}});
    good({"run", "rod.json", "-o", "out", "--duration", "0.1"});
    const json::Value data = page("out");
    ASSERT_NE(data.find("scene"), nullptr);
    EXPECT_EQ(word(*data.find("scene"), "name"), "</script><script>alert(1)</script>");
    EXPECT_EQ(word(data.find("scene")->find("bodies")->items()[1], "name"), "a, \"b\"\\n<!--<script>\\ é");
    EXPECT_EQ(data.find("series")->find("names")->items().back().string(), "<b>,\".tz");
    EXPECT_EQ(readText(at("out/index.html")).find("alert(1)</script>"), std::string::npos);
    good({"view", "out", "--no-open"});  // the quoted headers are those of the scene
}

TEST_F(Page, its_policy_lets_nothing_in_or_out)
{
    makeChain();
    good({"run", "chain.json", "-o", "out", "--duration", "0.1"});
    good({"view", std::string(SINEW_TEST_DIR) + "/data/strip.glb", "-o", "strip", "--no-open"});
    for (const char* name : {"out", "strip"}) {
        const std::string text = readText(at(name) / "index.html");
        const std::size_t start = text.find("<meta http-equiv=\"Content-Security-Policy\"");
        ASSERT_NE(start, std::string::npos);
        ASSERT_LT(start, text.find("<script"));
        const std::string policy = text.substr(start, text.find('>', start) - start);
        // The last two do not follow the first.
        for (const char* rule : {"default-src 'none'", "base-uri 'none'", "form-action 'none'"})
            EXPECT_NE(policy.find(rule), std::string::npos) << policy;
    }
}

TEST_F(Page, a_resumed_run_has_the_same_page)
{
    makeChain();
    good({"run", "chain.json", "-o", "whole", "--duration", "1"});
    good({"run", "chain.json", "-o", "out", "--duration", "0.5", "--checkpoint", "0.5"});
    EXPECT_EQ(number(*page("out").find("frames"), "count"), 31);
    good({"run", "--resume", "out", "--duration", "1"});
    const auto timeless = [&](const std::string& name) {
        std::string text = readText(at(name) / "index.html");
        for (const char* key : {"\"wall_seconds\"", "\"cpu_seconds\""}) {
            const std::size_t place = text.rfind(key);
            text.erase(place, text.find('\n', place) - place);
        }
        return text;
    };
    EXPECT_TRUE(timeless("out") == timeless("whole"));
    good({"run", "--resume", "out"});  // nothing is left to do
    EXPECT_TRUE(timeless("out") == timeless("whole"));
}

TEST_F(Page, a_run_that_ends_early_has_one_too)
{
    good({"make", "chain", "--links", "20", "--joint", "hinge", "--stiffness", "1e5", "--start",
          "horizontal", "-o", "stiff.json"});
    EXPECT_EQ(
        run({"run", "stiff.json", "-o", "out", "--integrator", "semi_implicit_euler", "--step", "0.01"})
            .exitCode,
        3);
    EXPECT_NE(page("out").find("summary")->find("diverged"), nullptr);

    makeChain();
    Process process(folder, {"run", "chain.json", "-o", "cut", "--duration", "1e5"});
    ASSERT_TRUE(grows("cut/trajectory.csv", 10'000));
    process.signal(SIGINT);
    EXPECT_EQ(process.wait().exitCode, 130);
    EXPECT_NE(page("cut").find("summary")->find("interrupted"), nullptr);
}

TEST_F(Page, an_old_one_does_not_outlive_its_run)
{
    makeChain();
    good({"run", "chain.json", "-o", "out", "--duration", "0.1"});
    const Outcome outcome = run({"run", "chain.json", "-o", "out", "--duration", "0.1", "--no-page"});
    EXPECT_EQ(outcome.exitCode, 0);
    EXPECT_EQ(outcome.out.find("index.html"), std::string::npos) << outcome.out;
    EXPECT_FALSE(fs::exists(at("out/index.html")));
}

TEST_F(Page, the_end_of_a_run_says_where_it_is_and_how_large)
{
    makeChain();
    const Outcome outcome = run({"run", "chain.json", "-o", "out", "--duration", "0.1"});
    EXPECT_NE(outcome.out.find("out/index.html ("), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find(" MB)"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("to stay small"), std::string::npos) << outcome.out;
}

TEST_F(Page, numbers_that_are_not_finite_do_not_break_it)
{
    makeChain();
    good({"run", "chain.json", "-o", "out", "--duration", "0.1"});
    for (const char* value : {"nan", "-inf", "1e300"}) {
        fillTables("out", 3, [&](std::size_t) { return value; });
        good({"view", "out", "--no-open"});
        const json::Value data = page("out");
        for (float x : floats(word(*data.find("frames"), "poses"))) EXPECT_TRUE(std::isnan(x)) << value;
        EXPECT_EQ(floats(word(*data.find("series"), "values")).size(), 3u * (12 + 10 * 12));
    }
}

TEST_F(Page, a_long_run_is_thinned_and_says_so)
{
    // 140 numbers of poses a frame: 20 MB of base64 are 26,785 frames. Curves of joints go before that.
    good({"make", "chain", "--links", "20", "-o", "chain.json"});
    good({"run", "chain.json", "-o", "out", "--duration", "0.1"});
    const auto rowNumber = [](std::size_t row) { return std::to_string(row); };
    fillTables("out", 6'000, rowNumber);
    Outcome outcome = run({"view", "out", "--no-open"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("no curves of joints"), std::string::npos) << outcome.out;
    json::Value data = page("out");
    EXPECT_EQ(number(*data.find("frames"), "every"), 1);
    EXPECT_EQ(number(*data.find("frames"), "count"), 6'000);
    EXPECT_EQ(number(*data.find("series"), "left_out"), 20 * 12);
    EXPECT_EQ(data.find("series")->find("names")->items().back().string(), "misalignment");
    EXPECT_EQ(floats(word(*data.find("series"), "values")).size(), 6'000u * 12);

    fillTables("out", 60'000, rowNumber);
    outcome = run({"view", "out", "--no-open"});
    EXPECT_NE(outcome.out.find("one frame in 3"), std::string::npos) << outcome.out;
    data = page("out");
    EXPECT_EQ(number(*data.find("frames"), "every"), 3);
    EXPECT_EQ(number(*data.find("frames"), "count"), 20'000);
    EXPECT_NEAR(data.find("frames")->find("times")->items().at(1).number(), 0.003, 1e-12);
    const std::vector<float> poses = floats(word(*data.find("frames"), "poses"));
    const std::vector<float> curves = floats(word(*data.find("series"), "values"));
    ASSERT_EQ(poses.size(), 20'000u * 140);
    ASSERT_EQ(curves.size(), 20'000u * 12);
    for (std::size_t i = 0; i < 20'000; ++i) {
        ASSERT_EQ(poses[140 * i], static_cast<float>(3 * i));
        ASSERT_EQ(curves[12 * i + 11], static_cast<float>(3 * i));
    }
    EXPECT_LT(fs::file_size(at("out/index.html")), 32'000'000u);
}

}  // namespace

}  // namespace sinew::testing
