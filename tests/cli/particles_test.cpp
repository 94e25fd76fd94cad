// Scenes with particles, without bodies, from the scene to the page.
#include <gtest/gtest.h>

#include "cli/command.h"

namespace sinew::testing {
namespace {

class ParticleRun : public CommandTest {
protected:
    void SetUp() override
    {
        CommandTest::SetUp();
        writeText(at("rain.json"), R"({"sinew": 1, "name": "rain", "particles": [
 {"name": "drops", "emitter": {"type": "disc", "position": [0, 2, 0], "radius": 1}, "rate": 300, "most": 1000,
  "life": {"from": 0.5, "to": 1}, "bounce": {"keep": 0.3}, "trail": {"places": 3}}],
"obstacles": [{"type": "plane"}], "run": {"duration": 1}})");
    }
};

TEST_F(ParticleRun, writes_its_files_and_says_what_became_of_them)
{
    good({"run", "rain.json", "-o", "out"});
    for (const char* name :
         {"particles.sinewp", "trajectory.csv", "series.csv", "index.html", "scene.json"})
        EXPECT_TRUE(fs::exists(at(std::string("out/") + name))) << name;
    const json::Value all = summary("out");
    const json::Value* systems = all.find("particles");
    ASSERT_TRUE(systems && systems->isArray());
    const json::Value& drops = systems->items().at(0);
    EXPECT_EQ(word(drops, "name"), "drops");
    EXPECT_GT(number(drops, "born"), 200);
    EXPECT_EQ(number(drops, "born"), number(drops, "alive") + number(drops, "died"));
    EXPECT_GT(number(drops, "kinetic"), 0);
    EXPECT_EQ(number(drops, "turned_away"), 0);
    const std::string page = readText(at("out/index.html"));
    EXPECT_NE(page.find("\"particles\": {\"every\": "), page.npos);
}

TEST_F(ParticleRun, resumed_it_ends_with_the_same_bytes)
{
    good({"run", "rain.json", "-o", "whole", "--no-page", "--fps", "24"});
    good({"run", "rain.json", "-o", "half", "--no-page", "--fps", "24", "--duration", "0.5", "--checkpoint",
          "0.3"});
    good({"run", "--resume", "half", "--duration", "1", "--no-page"});
    EXPECT_EQ(word(summary("half"), "state_hash"), word(summary("whole"), "state_hash"));
    EXPECT_EQ(readText(at("half/particles.sinewp")), readText(at("whole/particles.sinewp")));
}

TEST_F(ParticleRun, is_told_and_converted)
{
    good({"run", "rain.json", "-o", "out", "--no-page"});
    const Outcome told = run({"info", "out/particles.sinewp"});
    EXPECT_EQ(told.exitCode, 0);
    EXPECT_NE(told.out.find("'drops', at most"), told.out.npos) << told.out;
    EXPECT_NE(run({"check", "rain.json"}).out.find("particles 'drops'"), std::string::npos);
    good({"convert", "out/particles.sinewp", "drops.csv"});
    EXPECT_TRUE(readText(at("drops.csv"))
                    .starts_with("time,system,id,x,y,z,vx,vy,vz,radius,red,green,blue,opacity\n"));
    good({"convert", "out", "drops.usda"});
    const std::string usd = readText(at("drops.usda"));
    for (const char* part :
         {"def Points \"drops\"", "point3f[] points.timeSamples = {", "float[] widths.timeSamples",
          "int64[] ids.timeSamples", "primvars:displayColor.timeSamples"})
        EXPECT_NE(usd.find(part), usd.npos) << part;
    refused({"convert", "out", "drops.glb"},
            {"the scene has no bodies; its particles and meshes go into .usda"});
    refused({"convert", "out/particles.sinewp", "drops.glb"}, {"cannot be made from particles of a run"});
    fs::resize_file(at("out/particles.sinewp"), 5000);
    refused({"info", "out/particles.sinewp"}, {"particles.sinewp", "is cut off"});
}

}  // namespace
}  // namespace sinew::testing
