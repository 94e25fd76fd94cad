// The table of file formats.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "sinew/io/character_file.h"
#include "sinew/io/format.h"
#include "sinew/io/load_scene.h"

namespace sinew::formats_test {
namespace {

const std::string folder = SINEW_TEST_OUTPUT_DIR;

std::string written(const std::string& name, const std::string& text)
{
    const std::string path = folder + "/formats_" + name;
    std::ofstream(path) << text;
    return path;
}

TEST(Formats, each_gives_or_takes_something_under_endings_of_its_own)
{
    std::map<std::string_view, int> unasked;  // formats that take an ending without looking into the file
    for (const FileFormat* format : fileFormats()) {
        EXPECT_TRUE(format->readScene || format->readCharacter || format->writeMotion ||
                    format->writeCharacter || format == &pointsFormat ||
                    format == &springMeshFormat)  // a run's own, for convert and info
            << format->name;
        ASSERT_FALSE(format->endings.empty()) << format->name;
        for (const std::string_view ending : format->endings) {
            EXPECT_EQ(ending.front(), '.') << format->name;
            if (!format->isMeant) ++unasked[ending];
        }
    }
    for (const auto& [ending, count] : unasked) EXPECT_EQ(count, 1) << ending;
}

TEST(Formats, every_ending_finds_its_format_in_small_and_capital_letters)
{
    for (const FileFormat* format : fileFormats()) {
        for (const std::string_view ending : format->endings) {
            if (ending == ".xml") continue;  // of two
            std::string name = "x" + std::string(ending);
            EXPECT_EQ(formatOf(name), format) << name;
            for (char& c : name) c = static_cast<char>(std::toupper(c));
            EXPECT_EQ(formatOf(name), format) << name;
        }
    }
    EXPECT_EQ(formatOf("x.docx"), nullptr);
    EXPECT_STREQ(fileKindName("x.docx"), "of an unknown kind");
    EXPECT_EQ(formatOf(folder), nullptr);
    EXPECT_STREQ(fileKindName(folder), "the folder of a run");
}

TEST(Formats, xml_is_what_stands_in_it)
{
    EXPECT_EQ(formatOf(written("robot.xml", "<?xml version='1.0'?><!-- a <b> --><robot name='r'/>")),
              &urdfFormat);
    EXPECT_EQ(formatOf(written("model.xml", "<mujoco><worldbody/></mujoco>")), &mjcfFormat);
    EXPECT_EQ(formatOf("missing.urdf"), &urdfFormat);
}

TEST(Formats, what_gives_no_scene_or_no_character_says_so)
{
    const Result<CharacterFile> character = readCharacter("scene.json");
    ASSERT_FALSE(character);
    EXPECT_EQ(character.error().text(), "scene.json: is not a character; known are .glb, .gltf and .bvh");
    const Result<SceneFile> scene = loadScene("character.bvh");
    ASSERT_FALSE(scene);
    EXPECT_NE(scene.error().text().find("is a character without masses"), std::string::npos);
}

}  // namespace
}  // namespace sinew::formats_test
