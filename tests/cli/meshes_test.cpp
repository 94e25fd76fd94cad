// Scenes with spring meshes, from the scene to the files of others.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/command.h"
#include "sinew/io/binary/mesh_file.h"

namespace sinew::testing {
namespace {

class MeshRun : public CommandTest {
protected:
    void SetUp() override
    {
        CommandTest::SetUp();
        writeText(at("rug.obj"),
                  "v 0 0 0\nv 0.5 0 0\nv 0.5 0 0.5\nv 0 0 0.5\nv 0.25 0.05 0.25\n"
                  "f 1 5 2\nf 2 5 3\nf 3 5 4\nf 4 5 1\n");
        writeText(at("rug.json"), R"({"sinew": 1, "name": "rug", "meshes": [
 {"name": "rug", "file": "rug.obj", "position": [0, 0.3, 0], "mass": 0.2, "stiffness": 50, "damping": 0.1, "thickness": 0.01},
 {"name": "flag", "type": "cloth", "size": [0.4, 0.3], "segments": [4, 3], "position": [1, 1, 0], "stiffness": 50,
  "pins": [{"box": [[-0.2, 0, -0.15], [-0.2, 0, 0.15]]}]}],
"obstacles": [{"type": "plane"}], "run": {"duration": 0.5}})");
    }
};

TEST_F(MeshRun, writes_its_files_and_says_how_it_went)
{
    good({"run", "rug.json", "-o", "out"});
    const json::Value all = summary("out");
    EXPECT_GT(number(all, "mesh_iterations_mean"), 1);
    EXPECT_EQ(number(all, "mesh_caps"), 0);
    EXPECT_NE(readText(at("out/index.html")).find("\"meshes\": {\"every\": 1"), std::string::npos);
    // The scene of the run needs no file beside it any more.
    EXPECT_EQ(readText(at("out/scene.json")).find("rug.obj"), std::string::npos);
    Result<MeshFileReader> reader = MeshFileReader::open(at("out/meshes.sinewm"));
    ASSERT_TRUE(reader) << reader.error().text();
    EXPECT_EQ(reader.value().frames(), 31u);
    ASSERT_EQ(reader.value().header().meshes.size(), 2u);
    EXPECT_EQ(reader.value().header().meshes[0].faces.size(), 4u);
    double time = 0;
    std::vector<float> places;
    ASSERT_FALSE(reader.value().frame(30, time, places));
    EXPECT_NEAR(time, 0.5, 1e-12);
    EXPECT_EQ(places.size(), 3u * (5 + 20));
    EXPECT_LT(places[1], 0.1);  // it fell
}

TEST_F(MeshRun, resumed_it_ends_with_the_same_bytes)
{
    good({"run", "rug.json", "-o", "whole", "--no-page", "--fps", "24"});
    good({"run", "rug.json", "-o", "half", "--no-page", "--fps", "24", "--duration", "0.2", "--checkpoint",
          "0.1"});
    good({"run", "--resume", "half", "--duration", "0.5", "--no-page"});
    EXPECT_EQ(word(summary("half"), "state_hash"), word(summary("whole"), "state_hash"));
    EXPECT_EQ(readText(at("half/meshes.sinewm")), readText(at("whole/meshes.sinewm")));
}

// Frames within a step have the energy of the meshes too: 0.2 kg at 0.3 m and 1 kg at 1 m, nearly.
TEST_F(MeshRun, has_its_energy_at_every_frame)
{
    good({"run", "rug.json", "-o", "out", "--no-page", "--fps", "100", "--duration", "0.05"});
    std::istringstream table(readText(at("out/series.csv")));
    std::string line;
    std::getline(table, line);
    int rows = 0;
    for (; std::getline(table, line); ++rows) {
        const std::string potential = line.substr(line.find(',', line.find(',') + 1) + 1);
        EXPECT_NEAR(std::stod(potential), 10.4, 0.2) << line;
    }
    EXPECT_EQ(rows, 6);
}

TEST_F(MeshRun, is_converted)
{
    good({"run", "rug.json", "-o", "out", "--no-page"});
    good({"convert", "out", "rug.usda"});
    const std::string usd = readText(at("rug.usda"));
    for (const char* part : {"def Mesh \"rug_1\"", "def Mesh \"flag\"", "point3f[] points.timeSamples = {"})
        EXPECT_NE(usd.find(part), usd.npos) << part;
    good({"convert", "out", "rug.glb"});
    const std::string glb = readText(at("rug.glb"));
    for (const char* part : {"\"targets\"", "\"weights\""}) EXPECT_NE(glb.find(part), glb.npos) << part;
    const Outcome told = run({"info", "out/meshes.sinewm"});
    EXPECT_EQ(told.exitCode, 0);
    EXPECT_NE(told.out.find("'flag', 20 vertices, 24 faces"), told.out.npos) << told.out;
    good({"convert", "out/meshes.sinewm", "rug.csv"});
    const std::string table = readText(at("rug.csv"));
    EXPECT_TRUE(table.starts_with("time,mesh,vertex,x,y,z\n0,rug,0,0,0.3,0\n")) << table.substr(0, 80);
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 1 + 31 * 25);
    refused({"convert", "out/meshes.sinewm", "rug.bvh"}, {"cannot be made from spring meshes of a run"});
    fs::resize_file(at("out/meshes.sinewm"), 2000);
    refused({"convert", "out", "rug.usda"}, {"meshes.sinewm", "is cut off"});
}

// Two that springs tie together, on the ground and in the air.
TEST_F(MeshRun, tied_ones_are_resumed_and_come_to_rest_as_one)
{
    std::string text = readText(at("rug.json"));
    text.insert(text.find(R"("obstacles")"), R"("springs": [
 {"first": {"mesh": "rug", "vertex": 4}, "second": {"mesh": "flag", "vertex": 9}, "stiffness": 1e5, "damping": 1, "length": 0.5},
 {"first": {"mesh": "flag", "vertex": 3}, "second": {"mesh": "rug", "vertex": 1}, "stiffness": 30, "acts": "pull"}],
)");
    writeText(at("tied.json"), text);
    good({"run", "tied.json", "-o", "whole", "--no-page"});
    good({"run", "tied.json", "-o", "half", "--no-page", "--duration", "0.2", "--checkpoint", "0.1"});
    good({"run", "--resume", "half", "--duration", "0.5", "--no-page"});
    EXPECT_EQ(word(summary("half"), "state_hash"), word(summary("whole"), "state_hash"));
    EXPECT_EQ(number(summary("whole"), "mesh_caps"), 0);
    good({"relax", "tied.json", "-o", "rest"});
    EXPECT_NE(readText(at("rest/relax.csv")).find("\nrug+flag,1,"), std::string::npos);
    EXPECT_TRUE(readText(at("rest/mesh1.obj")).starts_with("# flag at rest"));
}

TEST_F(MeshRun, comes_to_rest)
{
    good({"relax", "rug.json", "-o", "rest"});
    EXPECT_TRUE(
        readText(at("rest/relax.csv")).starts_with("mesh,round,step,iterations,force,way,energy\n"));
    EXPECT_TRUE(readText(at("rest/mesh1.obj")).starts_with("# flag at rest"));
    refused({"relax", "rug.json", "--tolerance", "0"}, {"--tolerance: must be a positive number, not 0"});
    writeText(at("box.json"),
              R"({"sinew": 1, "bodies": [{"name": "b", "shapes": [{"type": "sphere", "radius": 1}]}]})");
    refused({"relax", "box.json"}, {"box.json: has no meshes to relax"});
}

TEST_F(MeshRun, files_are_refused_in_one_line)
{
    const auto scene = [&](const std::string& mesh) {
        writeText(at("bad.json"), R"({"sinew": 1, "meshes": [{"name": "m", )" + mesh + "}]}");
    };
    scene(R"("file": "none.obj")");
    refused({"run", "bad.json", "-o", "bad"}, {"bad.json: /meshes/0/file: "});
    scene(R"("file": "../rug.obj")");
    refused({"run", "bad.json", "-o", "bad"}, {"bad.json: /meshes/0/file: "});
    scene(R"("file": "rug.obj", "type": "cloth")");
    refused({"run", "bad.json", "-o", "bad"}, {"has a file and a mesh of its own; give one of them"});
    scene(R"("type": "sail")");
    refused({"run", "bad.json", "-o", "bad"}, {"bad.json: /meshes/0/type: "});
    EXPECT_FALSE(fs::exists(at("bad")));
}

}  // namespace
}  // namespace sinew::testing
