// FBX as Blender writes it, through sinew-import: bones and clip are where they were.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "sinew/io/character_file.h"
#include "support/blender.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

// Places of the joints in a moment, by name.
std::map<std::string, Vec3> placesAt(const CharacterFile& file, const Clip& clip, double time)
{
    std::map<std::string, Vec3> out;
    const auto frames = worldFrames(file.rig, localPose(file.rig, clip, time));
    for (std::size_t b = 0; b < frames.size(); ++b)
        if (file.rig.bones[b].joint) out[file.rig.bones[b].name] = frames[b].pose.position;
    return out;
}

TEST(Blender, fbx_comes_back_with_its_bones_and_its_clip)
{
    const fs::path command(SINEW_COMMAND);
    if (!blenderIsThere()) GTEST_SKIP() << blenderMissing;
    if (!fs::exists(command.parent_path() / "sinew-import"))
        GTEST_SKIP() << "sinew-import was not built (libassimp-dev): FBX is not tested";
    const std::string folder = std::string(SINEW_TEST_OUTPUT_DIR) + "/fbx";
    fs::create_directories(folder);
    const std::string make = std::string(SINEW_TEST_DIR) + "/../examples/assets/make_characters.py";
    for (const std::string name : {"fingers", "cape"}) {
        const std::string path = folder + "/" + name;
        ASSERT_EQ(std::system(("python3 '" + make + "' '" + folder + "' " + name).c_str()), 0);
        fs::remove(path + ".fbx");
        ASSERT_EQ(blenderSays("make_fbx.py", "'" + path + ".glb' '" + path + ".fbx' 30"), "");
        ASSERT_EQ(
            std::system(
                ("'" + command.string() + "' convert '" + path + ".fbx' '" + path + "_back.glb'").c_str()),
            0);
        const Result<CharacterFile> before = readCharacter(path + ".glb"),
                                    after = readCharacter(path + "_back.glb");
        ASSERT_TRUE(before && after);
        ASSERT_EQ(after.value().rig.clips.size(), 1u);
        const Clip &old = before.value().rig.clips[0], &fresh = after.value().rig.clips[0];
        EXPECT_NEAR(fresh.duration(), old.duration(), 1e-4);
        for (int frame = 0; frame <= 30; frame += 5) {
            const auto a = placesAt(before.value(), old, frame / 30.0),
                       b = placesAt(after.value(), fresh, frame / 30.0);
            ASSERT_EQ(a.size(), b.size());
            // Axes may have been turned on the way; distances tell.
            for (const auto& [one, at] : a)
                for (const auto& [two, there] : a) {
                    ASSERT_TRUE(b.contains(one) && b.contains(two)) << one;
                    EXPECT_NEAR((b.at(one) - b.at(two)).norm(), (at - there).norm(), 2e-5)
                        << one << " " << two;
                }
        }
    }
}

}  // namespace
}  // namespace sinew
