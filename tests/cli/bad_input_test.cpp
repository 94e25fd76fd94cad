// Bad input: one line that says where and what, exit code 2, and no file written.
#include <fstream>

#include "cli/command.h"

namespace sinew::testing {

namespace {

class BadInput : public CommandTest {
protected:
    // `sinew run` on the scene must refuse it with a line that holds every part of `says`.
    void refuses(const std::string& scene, const std::vector<std::string>& says,
                 const std::vector<std::string>& options = {}) const
    {
        std::vector<std::string> arguments{"run", scene, "-o", "out"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        refused(arguments, says);
        EXPECT_FALSE(fs::exists(at("out")));
    }
    void refusesRod(const std::vector<std::pair<std::string, std::string>>& changes,
                    const std::vector<std::string>& says) const
    {
        writeRod("rod.json", changes);
        refuses("rod.json", says);
    }
};

const char* const rodInertia = R"("mass": 1, "inertia": [0.1, 0.1, 0.1])";

TEST_F(BadInput, the_rod_that_the_other_tests_spoil_is_good)
{
    writeRod("rod.json", {});
    const Outcome outcome = run({"run", "rod.json", "-o", "out", "--duration", "0.1"});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_TRUE(fs::exists(at("out/summary.json")));
}

TEST_F(BadInput, an_unknown_body_is_pointed_at)
{
    refusesRod({{R"("first": "rod")", R"("first": "rood")"}}, {"rod.json: /joints/1/first", "rood"});
}

TEST_F(BadInput, a_duplicate_name_is_pointed_at)
{
    refusesRod({{R"("name": "tip")", R"("name": "rod")"}}, {"rod.json: /bodies/1/name", "rod"});
}

TEST_F(BadInput, a_name_stands_on_one_line)
{
    refusesRod({{R"("name": "tip")", R"("name": "t\nip")"}}, {"rod.json: /bodies/1/name", "line breaks"});
}

// The joint that holds the fewest freedoms is the one that closes the loop, wherever it is listed.
TEST_F(BadInput, a_loop_may_have_a_spring_in_every_joint_but_must_start_closed)
{
    const std::string sprung = R"("stiffness": 5, "name": )";
    const std::string closing =
        R"(, {"name": "x", "type": "weld", "first": "tip", "second": "world", "position": [0, 0, 0]}
  ]
})";
    const auto close = [&](const std::string& joint) {
        std::string text = readText(at("rod.json"));
        text.replace(text.rfind("\n  ]"), std::string::npos, joint);
        writeText(at("rod.json"), text);
    };
    writeRod("rod.json", {});
    close(closing);
    EXPECT_EQ(run({"check", "rod.json"}).exitCode, 0);  // a loop as such is none to refuse

    writeRod("rod.json",
             {{R"("name": "pin")", sprung + R"("pin")"}, {R"("name": "ball")", sprung + R"("ball")"}});
    std::string hinge = closing;
    hinge.replace(hinge.find(R"("name": "x", "type": "weld")"), 27,
                  sprung + R"("x", "axis": [0, 0, 1], "type": "hinge")");
    close(hinge);
    EXPECT_EQ(run({"check", "rod.json"}).exitCode, 0);

    std::string text = readText(at("rod.json"));
    const std::string open = R"("coordinate": 0.5, "name": "x")";
    text.replace(text.find(R"("name": "x")"), 11, open);
    writeText(at("rod.json"), text);
    refuses("rod.json", {"rod.json: /joints/1", "'ball' closes a loop", "the bodies start"});
}

TEST_F(BadInput, a_loop_is_refused_by_what_cannot_hold_it)
{
    writeRod("rod.json", {});
    std::string text = readText(at("rod.json"));
    text.replace(
        text.rfind("\n  ]"), std::string::npos,
        R"(, {"name": "x", "type": "weld", "first": "tip", "second": "world", "position": [0, 0, 0]}]})");
    writeText(at("rod.json"), text);
    refuses("rod.json", {"'ball' closes a loop", "'hernandez' cannot hold"}, {"--integrator", "hernandez"});
    refuses("rod.json", {"baraff cannot hold joint 'ball'", "featherstone"}, {"--solver", "baraff"});
}

TEST_F(BadInput, names_do_not_reach_the_terminal_as_they_are)
{
    const std::string longName(3'000'000, 'x');
    for (const auto& [name, shown] :
         {std::pair<std::string, std::string>("\\u001b[2J", "control characters are not"),
          {"\xc2\x9b"
           "2J",
           "\\u009b2J"},
          {longName, longName.substr(0, 80) + "…'"}}) {
        writeRod("rod.json", {{R"("name": "tip")", "\"name\": \"" + name + "\""},
                              {R"("name": "rod", "pos)", "\"name\": \"" + name + "\", \"pos"}});
        const Outcome outcome = run({"check", "rod.json"});
        EXPECT_EQ(outcome.exitCode, 2);
        EXPECT_LT(outcome.err.size(), 1000u);
        for (const char* raw : {"\x1b", "\xc2\x9b"}) EXPECT_EQ(outcome.err.find(raw), std::string::npos);
        EXPECT_NE(outcome.err.find(shown), std::string::npos) << outcome.err;
    }
    // Bytes of the command line, too.
    refused({"check", "\xff\x9bnothing.json"}, {"\\xff\\x9bnothing.json"});
}

TEST_F(BadInput, masses_must_be_positive)
{
    refusesRod({{R"("mass": 1)", R"("mass": 0)"}}, {"rod.json: /bodies/0/inertia", "without mass"});
    refusesRod({{R"("mass": 1)", R"("mass": -2)"}}, {"rod.json: /bodies/0/mass", "-2"});
}

TEST_F(BadInput, an_inertia_must_belong_to_a_solid)
{
    refusesRod({{rodInertia, R"("mass": 1, "inertia": [0.1, -0.1, 0.1])"}},
               {"rod.json: /bodies/0/inertia"});
    refusesRod({{rodInertia, R"("mass": 1, "inertia": [0.1, 0.1, 0.3])"}},
               {"rod.json: /bodies/0/inertia", "sum of the other two"});
}

TEST_F(BadInput, an_axis_needs_a_direction)
{
    refusesRod({{R"("axis": [0, 0, 1])", R"("axis": [0, 0, 0])"}}, {"rod.json: /joints/0/axis"});
}

TEST_F(BadInput, numbers_must_be_finite)
{
    refusesRod({{R"("mass": 1)", R"("mass": NaN)"}}, {"rod.json:5:"});
    refusesRod({{R"("mass": 1)", R"("mass": 1e999)"}}, {"rod.json:5:"});
}

TEST_F(BadInput, velocities_must_not_tear_a_joint)
{
    refusesRod({{rodInertia, R"("velocity": [0, 1, 0], "mass": 1, "inertia": [0.1, 0.1, 0.1])"}},
               {"rod.json: /bodies/0/velocity", "tear"});
}

TEST_F(BadInput, syntax_errors_have_line_and_column)
{
    writeRod("rod.json", {});
    const std::string text = readText(at("rod.json"));
    writeText(at("cut.json"), text.substr(0, text.size() / 2));
    refuses("cut.json", {"cut.json:"});
    writeText(at("deep.json"), std::string(100'000, '['));
    refuses("deep.json", {"deep.json:1:"});
    writeText(at("empty.json"), "");
    refuses("empty.json", {"empty.json"});
}

TEST_F(BadInput, a_mesh_needs_vertices)
{
    for (const char* mesh : {R"({"type": "mesh"})", R"({"type": "mesh", "vertices": []})",
                             R"({"type": "mesh", "vertices": [], "faces": [[0, 1, 2]]})",
                             R"({"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]})",
                             R"({"type": "mesh", "vertices": "hand.obj"})"}) {
        refusesRod({{rodInertia, std::string(R"("shapes": [)") + mesh + "]"}},
                   {"rod.json: /bodies/0/shapes/0", "vert"});
    }
}

TEST_F(BadInput, contact_and_degenerate_obstacles_are_pointed_at)
{
    const struct {
        const char *obstacle, *contact;
        std::vector<std::string> says;
    } faults[] = {
        {R"("type": "plane")",
         R"({"response": "bounce"})",
         {"/contact/response: ", "\"bounce\"", "resting"}},
        {R"("type": "plane")", R"({"friction": -1})", {"/contact/friction: ", "-1"}},
        {R"("type": "plane")", R"({"ignore": [["ball", "cube"]]})", {"/contact/ignore/0/1: ", "cube"}},
        {R"("type": "box", "size": [1, 1, 1])", "false", {"/obstacles/0/type: ", "contact"}},
        {R"("type": "box", "size": [1, 0, 1])", "true", {"/obstacles/0/size/1: ", "positive"}},
        {R"("type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])",
         "true",
         {"/obstacles/0/vertices: ", "plane"}},
        {R"("type": "height_field", "columns": 2, "rows": 2, "spacing": 1, "heights": [0])",
         "true",
         {"/obstacles/0/heights: ", "4"}},
        {R"("type": "triangles", "vertices": [[0, 0, 0], [0, 0, 0], [0, 0, 0]], "faces": [[0, 1, 2]])",
         "true",
         {"/obstacles/0/faces/0: ", "area"}},
    };
    for (const auto& fault : faults) {
        writeText(at("ball.json"),
                  R"({"sinew": 1, "bodies": [{"name": "ball", "shapes": [{"type": "sphere", "radius": 1}]}],
                      "obstacles": [{)" +
                      std::string(fault.obstacle) + R"(}], "contact": )" + fault.contact + "}");
        refuses("ball.json", fault.says);
    }
}

TEST_F(BadInput, a_file_of_a_gigabyte_is_refused_unread)
{
    writeText(at("huge.json"), "{");
    fs::resize_file(at("huge.json"), std::uintmax_t{1} << 30);  // a hole: takes no disk
    refuses("huge.json", {"huge.json: ", "limit"});
}

TEST_F(BadInput, a_missing_scene_is_named)
{
    refuses("none.json", {"none.json: "});
    fs::create_directory(at("folder"));
    refuses("folder", {"folder: "});
}

TEST_F(BadInput, an_unknown_solver_lists_the_known_ones)
{
    writeRod("rod.json", {});
    refuses("rod.json", {"--solver", "did you mean 'featherstone'", "kkt"}, {"--solver", "fetherstone"});
    refuses("rod.json", {"--integrator", "rk4"}, {"--integrator", "rk44"});
}

TEST_F(BadInput, a_method_refuses_joints_that_it_cannot_do)
{
    writeRod("rod.json", {});
    refuses("rod.json", {"--solver", "armstrong_green", "pin", "hinge"}, {"--solver", "armstrong_green"});
}

TEST_F(BadInput, coordinates_must_exist_and_go_with_the_rest)
{
    writeRod("rod.json", {});
    refuses("rod.json", {"--coordinates", "sideways", "joint and maximal"}, {"--coordinates", "sideways"});
    refuses("rod.json", {"--integrator", "hernandez", "featherstone"},
            {"--integrator", "hernandez", "--coordinates", "joint"});
    refuses("rod.json", {"--coordinates", "featherstone", "maximal"},
            {"--solver", "featherstone", "--coordinates", "maximal"});
    refuses("rod.json", {"--integrator", "conservative"},
            {"--solver", "featherstone", "--integrator", "conservative"});
}

TEST_F(BadInput, numbers_of_the_run_must_make_sense)
{
    writeRod("rod.json", {});
    for (const char* option : {"--step", "--duration", "--fps", "--checkpoint"}) {
        for (const char* value : {"0", "-1", "nan", "inf", "1e999", "abc", ""})
            refuses("rod.json", {option}, {std::string(option) + "=" + value});
    }
    refuses("rod.json", {"--duration", "steps"}, {"--duration", "1e9", "--step", "1e-9"});
}

TEST_F(BadInput, stray_words_and_missing_ones_are_one_line)
{
    writeRod("rod.json", {});
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {},
             {"runn"},
             {"run"},
             {"run", "rod.json"},
             {"run", "rod.json", "x", "-o", "out"},
             {"run", "rod.json", "-o", "out", "--stepp", "1"},
             {"make"},
             {"make", "chain"},
             {"make", "chain", "--links", "0", "-o", "c.json"},
             {"make", "chain", "--links", "2.5", "-o", "c.json"},
             {"make", "chain", "--links", "2", "--mass", "-1", "-o", "c.json"},
             {"make", "chain", "--links", "2", "--joint", "glue", "-o", "c.json"},
             {"make", "chain", "--links", "2", "-o", "none/c.json"},
             {"accel", "rod.json", "--solver", "x"},
             {"compare"},
             {"check", "none.json"},
             {"run", "--resume", "none"}}) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exitCode, 2) << outcome.err;
        EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
    }
    EXPECT_FALSE(fs::exists(at("out")));
    EXPECT_FALSE(fs::exists(at("c.json")));
}

TEST_F(BadInput, a_folder_that_cannot_be_made_is_one_line)
{
    writeRod("rod.json", {});
    writeText(at("taken"), "a file");
    for (const char* place : {"taken", "taken/below"}) {
        const Outcome outcome = run({"run", "rod.json", "-o", place, "--duration", "0.1"});
        EXPECT_EQ(outcome.exitCode, 2);
        EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
    }
    EXPECT_EQ(readText(at("taken")), "a file");
}

TEST_F(BadInput, a_full_disk_is_one_line)
{
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    writeRod("rod.json", {});
    fs::create_directory(at("out"));
    fs::create_symlink("/dev/full", at("out/trajectory.csv"));
    const Outcome outcome = run({"run", "rod.json", "-o", "out", "--duration", "0.1"});
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
    EXPECT_FALSE(fs::exists(at("out/summary.json")));
}

TEST_F(BadInput, numbers_of_threads_that_make_no_sense_are_refused)
{
    writeRod("rod.json", {});
    for (const char* threads : {"0", "-1", "1000000000"})
        refuses("rod.json", {"--threads: must be from 1 to 1024, not ", threads}, {"--threads", threads});
    refuses("rod.json", {"--threads: ", "many", "is not a whole number"}, {"--threads", "many"});
    refuses("rod.json", {"--threads: ", "out of range"}, {"--threads", "99999999999"});
}

TEST_F(BadInput, more_threads_than_the_machine_runs_are_not_used_and_that_is_said)
{
    writeRod("rod.json", {});
    const auto hash = [&](const char* name) { return word(summary(name), "state_hash"); };
    good({"run", "rod.json", "-o", "one", "--duration", "0.1"});
    const Outcome outcome = run({"run", "rod.json", "-o", "out", "--duration", "0.1", "--threads", "1024"});
    EXPECT_EQ(outcome.exitCode, 0);
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("note: --threads 1024: this ")) << outcome.err;
    EXPECT_EQ(hash("out"), hash("one"));
}

}  // namespace

}  // namespace sinew::testing
