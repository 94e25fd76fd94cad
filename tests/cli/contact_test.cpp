// Contacts in a run's files: contacts.csv, the summary, checkpoints and the page.
#include <algorithm>
#include <map>

#include "cli/page.h"
#include "sinew/io/csv/contacts_csv.h"
#include "sinew/io/csv/text_reader.h"

namespace sinew::testing {
namespace {

class ContactRun : public CommandTest {
protected:
    // A box of 2 kg that lies on the floor until a pull of 100 N takes it up.
    void writeLifted() const
    {
        writeText(at("lifted.json"), R"({"sinew": 1, "name": "lifted",
            "bodies": [{"name": "box", "position": [0, 0.1, 0],
                        "shapes": [{"type": "box", "size": [0.2, 0.2, 0.2], "mass": 2}]}],
            "obstacles": [{"type": "plane", "name": "the \"floor\""}],
            "forces": [{"body": "box", "force": [0, 100, 0], "signal": {"pulse": {"start": 0.3, "length": 1}}}],
            "contact": true, "run": {"duration": 0.5, "step": 0.01, "fps": 100}})");
    }
};

TEST_F(ContactRun, too_many_in_one_place_are_refused)
{
    std::string bodies;
    for (int i = 0; i < 3000; ++i)
        bodies += (i == 0 ? "" : ",") + (R"({"name": "b)" + std::to_string(i)) +
                  R"(", "shapes": [{"type": "sphere", "radius": 0.1, "density": 1000}]})";
    writeText(at("heap.json"), R"({"sinew": 1, "bodies": [)" + bodies + R"(], "contact": true})");
    const Outcome outcome = run({"run", "heap.json", "-o", "out", "--no-page"});
    EXPECT_EQ(outcome.exitCode, 3);
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
    EXPECT_NE(outcome.err.find("more than 200000 places"), std::string::npos) << outcome.err;
}

struct Row {
    std::string event, first, second;
    double y = 0, ny = 0, fy = 0, gap = 0;
};

std::map<double, std::vector<Row>> readContacts(const fs::path& path)
{
    std::map<double, std::vector<Row>> frames;
    Result<TextReader> reader = TextReader::open(path.string(), contactsHeader());
    EXPECT_TRUE(reader);
    while (reader && reader.value().readRow()) {
        TextReader& r = reader.value();
        Row row{r.field(1), r.field(2), r.field(3)};
        if (row.event != "end") {
            row.y = r.number(5);
            row.ny = r.number(8);
            row.fy = r.number(11);
            row.gap = r.number(13);
        }
        frames[r.number(0)].push_back(row);
    }
    EXPECT_EQ(reader.value().fault(), "");
    return frames;
}

TEST_F(ContactRun, the_table_has_what_bears_a_box_until_it_is_lifted)
{
    constexpr double solved = 1e-6;  // N, m: how near the contact solver comes at its tolerance of 1e-9 m
    writeLifted();
    good({"run", "lifted.json", "-o", "out"});
    const auto frames = readContacts(at("out/contacts.csv"));
    ASSERT_GT(frames.size(), 25u);
    std::size_t borne = 0, ends = 0;
    for (const auto& [time, rows] : frames) {
        if (rows.front().event == "end") {
            ++ends;
            EXPECT_EQ(rows.size(), 1u);
            EXPECT_NEAR(time, 0.31, 0.011);
            continue;
        }
        double weight = 0;
        for (const Row& row : rows) {
            EXPECT_EQ(row.event, borne == 0 ? "begin" : "hold") << time;
            EXPECT_EQ(row.first, "the \"floor\"");
            EXPECT_EQ(row.second, "box");
            EXPECT_NEAR(row.ny, 1, solved);
            EXPECT_NEAR(row.y, 0, solved);
            EXPECT_NEAR(row.gap, 0, solved);
            weight += row.fy;
        }
        EXPECT_LE(rows.size(), 4u);
        if (time < 0.295) {
            EXPECT_NEAR(weight, 2 * 9.81, 1e-3) << time;  // standard gravity is 9.80665 in some scenes
        }
        ++borne;
    }
    EXPECT_EQ(ends, 1u);
    EXPECT_EQ(frames.rbegin()->second.front().event, "end");

    const json::Value s = summary("out");
    EXPECT_LT(number(s, "penetration_max"), solved);
    EXPECT_GT(number(s, "contacts_mean"), 1);
    EXPECT_LT(number(s, "contacts_mean"), 4);
    EXPECT_EQ(number(s, "contact_caps"), 0);
}

TEST_F(ContactRun, the_page_has_the_contacts_of_its_frames)
{
    writeLifted();
    good({"run", "lifted.json", "-o", "out"});
    const json::Value data = pageData(at("out"));
    const json::Value* contacts = data.find("contacts");
    ASSERT_NE(contacts, nullptr);
    EXPECT_EQ(number(*contacts, "every"), 1);
    const auto& counts = contacts->find("counts")->items();
    ASSERT_EQ(static_cast<double>(counts.size()), number(*data.find("frames"), "count"));
    const std::vector<float> values = floats(word(*contacts, "values"));
    const auto frames = readContacts(at("out/contacts.csv"));
    const auto& times = data.find("frames")->find("times")->items();
    std::size_t next = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        std::vector<Row> rows;
        if (const auto found = frames.find(times[i].number()); found != frames.end()) rows = found->second;
        std::erase_if(rows, [](const Row& row) { return row.event == "end"; });
        ASSERT_EQ(counts[i].number(), static_cast<double>(rows.size())) << i;
        for (const Row& row : rows) {
            ASSERT_LE(next + 6, values.size());
            EXPECT_EQ(values[next + 1], static_cast<float>(row.y));
            EXPECT_EQ(values[next + 4], static_cast<float>(row.fy));
            next += 6;
        }
    }
    EXPECT_EQ(next, values.size());
    EXPECT_GT(next, 0u);
}

TEST_F(ContactRun, scenes_with_contact_and_with_loops_resume_to_the_same_bits)
{
    writeLifted();
    for (const std::string& scene :
         {std::string("lifted.json"), std::string(SINEW_SCENE_DIR "/slope.json"),
          std::string(SINEW_SCENE_DIR "/bounce.json"), std::string(SINEW_SCENE_DIR "/fourbar.json")}) {
        good({"run", scene, "-o", "whole", "--duration", "0.6", "--no-page"});
        good({"run", scene, "-o", "part", "--duration", "0.305", "--checkpoint", "0.1", "--no-page"});
        good({"run", "--resume", "part", "-o", "out", "--duration", "0.6", "--no-page"});
        const json::Value whole = summary("whole"), out = summary("out");
        for (const char* key : {"state_hash"}) EXPECT_EQ(word(out, key), word(whole, key)) << scene;
        for (const char* key : {"penetration_max", "contacts_mean", "contact_caps", "joint_gap_max"})
            EXPECT_EQ(number(out, key), number(whole, key)) << scene << " " << key;
        for (const char* file : {"contacts.csv", "trajectory.csv", "series.csv"}) {
            EXPECT_EQ(fs::exists(at("whole") / file), fs::exists(at("out") / file)) << scene;
            if (fs::exists(at("whole") / file)) {
                EXPECT_TRUE(readText(at("out") / file) == readText(at("whole") / file))
                    << scene << " " << file;
            }
        }
    }
}

TEST_F(ContactRun, without_contact_there_is_no_table_and_the_summary_has_zeros)
{
    writeLifted();
    good({"run", "lifted.json", "-o", "out", "--no-page"});
    EXPECT_TRUE(fs::exists(at("out/contacts.csv")));
    makeChain();
    good({"run", "chain.json", "-o", "out", "--duration", "0.1", "--no-page"});
    EXPECT_FALSE(
        fs::exists(at("out/contacts.csv")));  // that of the earlier run is not taken for this one's
    const json::Value s = summary("out");
    for (const char* key : {"penetration_max", "contacts_mean", "contact_caps"})
        EXPECT_EQ(number(s, key), 0);
}

TEST_F(ContactRun, a_table_of_contacts_that_no_run_made_is_not_overwritten)
{
    writeLifted();
    fs::create_directory(at("own"));
    writeText(at("own/contacts.csv"), "name,phone\n");
    refused({"run", "lifted.json", "-o", "own"}, {"own/contacts.csv", "choose another folder"});
    EXPECT_EQ(readText(at("own/contacts.csv")), "name,phone\n");
}

TEST_F(ContactRun, figures_that_cannot_take_fast_steps_are_told)
{
    const std::string scene = R"({"sinew": 1, "name": "tied", "contact": {"accuracy": "fast"},
        "bodies": [{"name": "a", "shapes": [{"type": "sphere", "radius": 0.1}]},
                   {"name": "b", "position": [0, 1, 0], "shapes": [{"type": "sphere", "radius": 0.1}]}])";
    writeText(at("free.json"), scene + "}");
    writeText(at("tied.json"), scene + R"(, "springs": [{"first": "a", "second": "b", "stiffness": 10}]})");
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"check", "tied.json"}, {"run", "tied.json", "-o", "out", "--duration", "0.1"}}) {
        const Outcome outcome = run(command);
        EXPECT_EQ(outcome.exitCode, 0);
        EXPECT_EQ(outcome.err,
                  "note: tied.json: /contact/accuracy: is for free bodies alone here: figures take exact "
                  "steps, because of springs between bodies\n");
    }
    EXPECT_EQ(run({"check", "free.json"}).err, "");
}

TEST_F(ContactRun, keys_of_contact_in_a_scene_without_it_are_told)
{
    const std::string scene = R"({"sinew": 1, "name": "idle",
        "bodies": [{"name": "a", "shapes": [{"type": "sphere", "radius": 0.1}]},
                   {"name": "b", "friction": 0.4, "layer": "x", "shapes": [{"type": "sphere", "radius": 0.1}]}],
        "obstacles": [{"type": "plane", "position": [0, -1, 0], "restitution": 0.5}])";
    writeText(at("idle.json"), scene + "}");
    writeText(at("touching.json"), scene + R"(, "contact": true})");
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"check", "idle.json"}, {"run", "idle.json", "-o", "out", "--duration", "0.1"}}) {
        const Outcome outcome = run(command);
        EXPECT_EQ(outcome.exitCode, 0);
        EXPECT_EQ(
            outcome.err,
            "note: idle.json: /bodies/1/friction: has no effect, because the scene has no \"contact\" "
            "(and 1 more key of the kind)\n");
    }
    good({"check", "touching.json"});
}

}  // namespace
}  // namespace sinew::testing
