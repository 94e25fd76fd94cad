// Scenes out of files of every kind that describes one.
#include <gtest/gtest.h>

#include <fstream>

#include "scenes.h"
#include "sinew/io/character_file.h"
#include "sinew/io/json/scene.h"
#include "sinew/io/load_scene.h"

namespace sinew::load_test {
namespace {

using test::refusal;

std::string written(const std::string& name, const std::string& text)
{
    const std::string path = std::string(SINEW_TEST_OUTPUT_DIR) + "/library_" + name;
    std::ofstream(path) << text;
    return path;
}

SceneFile loaded(const std::string& path)
{
    Result<SceneFile> scene = loadScene(path);
    EXPECT_TRUE(scene) << scene.error().text();
    return scene ? std::move(scene.value()) : SceneFile();
}

// What was loaded can be simulated.
void runs(const SceneFile& scene, std::size_t bodies)
{
    EXPECT_EQ(scene.description.bodies.size(), bodies);
    Result<Simulation> made = Simulation::create(scene.description, {});
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_TRUE(made.value().advance(0.1).ok);
}

TEST(LoadScene, reads_every_format_by_its_ending_or_content)
{
    const SceneFile json = loaded(std::string(SINEW_SCENE_DIR) + "/double_pendulum.json");
    runs(json, 2);
    EXPECT_EQ(writeScene(parseScene(json.text, "").value()), writeScene(json.description));

    const std::string robot = std::string(SINEW_TEST_DIR) + "/data/arm.urdf";
    const SceneFile urdf = loaded(robot);
    runs(urdf, 2);
    EXPECT_EQ(writeScene(parseScene(urdf.text, "").value()), writeScene(urdf.description));
    std::ifstream file(robot);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    runs(loaded(written("robot.xml", text)), 2);  // the ending of MJCF, too

    runs(loaded(written("model.xml",
                        "<mujoco><worldbody><body name='ball' pos='0 0 1'><freejoint/>"
                        "<geom type='sphere' size='0.1'/></body></worldbody></mujoco>")),
         1);
    runs(loaded(written("cone.obj",
                        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")),
         1);
}

TEST(LoadScene, says_what_it_left_out_and_what_it_cannot_read)
{
    const SceneFile odd = loaded(written("odd.xml",
                                         "<mujoco><worldbody><light pos='0 0 3'/><body><freejoint/>"
                                         "<geom type='sphere' size='0.1'/><site name='s' size='1'/></body>"
                                         "</worldbody><sensor><gyro site='s'/></sensor></mujoco>"));
    EXPECT_FALSE(odd.notes.empty());
    EXPECT_NE(refusal(loadScene("no such file.json")), "");
    EXPECT_NE(refusal(loadScene(written("broken.json", "{"))), "");
    const std::string strip = std::string(SINEW_TEST_DIR) + "/data/strip.glb";
    EXPECT_NE(refusal(loadScene(strip)).find("is a character without masses"), std::string::npos);
    EXPECT_EQ(refusal(readCharacter(strip)), "");
}

}  // namespace
}  // namespace sinew::load_test
