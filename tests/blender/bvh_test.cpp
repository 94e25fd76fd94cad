// Blender reads the BVH files that we write.
#include <gtest/gtest.h>

#include <filesystem>

#include "sinew/base/random.h"
#include "sinew/io/bvh/rig.h"
#include "sinew/io/json/json.h"
#include "support/blender.h"
#include "support/sample_data.h"

namespace sinew {
namespace {

void writeText(const std::string& path, const std::string& text)
{
    std::FILE* file = std::fopen(path.c_str(), "wb");
    ASSERT_NE(file, nullptr) << path;
    EXPECT_EQ(std::fwrite(text.data(), 1, text.size(), file), text.size());
    std::fclose(file);
}

// Writes the clip, and beside it where every bone is in a few frames, as the rig has it.
void expectBlenderAgrees(const Rig& rig, const Clip& clip, const bvh::WriteOptions& options,
                         const std::string& name)
{
    const Result<bvh::Document> document = bvh::fromRig(rig, clip, options);
    ASSERT_TRUE(document) << document.error().text();
    const std::string path = SINEW_TEST_OUTPUT_DIR "/" + name;
    writeText(path + ".bvh", bvh::write(document.value()));

    json::Value expected = json::Value::object(), bones = json::Value::array(),
                places = json::Value::array();
    for (const bvh::Joint& joint : document.value().joints) bones.add(joint.name);
    for (int frame : {0, document.value().frames / 2, document.value().frames - 1}) {
        const auto world = worldFrames(rig, localPose(rig, clip, frame * document.value().frameTime));
        for (std::size_t b = 0; b < rig.bones.size(); ++b) {
            if (!rig.bones[b].joint) continue;
            const Vec3& at = world[b].pose.position;
            json::Value place = json::Value::object();
            place.add("bone", rig.bones[b].name);
            place.add("frame", frame);
            place.add("at", json::Value::array({at.x(), at.y(), at.z()}));
            places.add(std::move(place));
        }
    }
    expected.add("bones", std::move(bones));
    expected.add("frames", document.value().frames);
    expected.add("places", std::move(places));
    writeText(path + ".json", json::write(expected));
    EXPECT_EQ(blenderSays("check_bvh.py", "'" + path + ".bvh' '" + path + ".json'"), "");
}

// Turned bones below a scaled node that is no joint, one of them sliding, at every order of rotations.
TEST(Blender, reads_a_turned_and_scaled_rig_from_bvh)
{
    if (!blenderIsThere()) GTEST_SKIP() << blenderMissing;
    Random random(3);
    const auto rotation = [&] {
        return Quat(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
    };
    Rig rig;
    Clip clip;
    for (int b = 0; b < 9; ++b) {
        Bone bone;
        bone.name = b == 0 ? "Armature" : "mixamorig:Bone" + std::to_string(b);
        bone.joint = b != 0;
        bone.parent = b < 2 ? b - 1 : 1 + random.below(b - 1);
        bone.rest.translation =
            Vec3(random.uniform(-50, 50), random.uniform(-50, 50), random.uniform(-50, 50));
        bone.rest.rotation = rotation();
        if (b == 0) bone.rest.scale = Vec3::Constant(0.1);
        rig.bones.push_back(bone);
        if (b == 0) continue;
        Track track;
        track.bone = b;
        for (int key = 0; key < 10; ++key) {
            track.times.push_back(key * 0.1);
            track.values.push_back(rotation().coeffs());
        }
        clip.tracks.push_back(track);
        if (b != 1 && b != 5) continue;
        track.quantity = Track::Quantity::translation;
        for (auto& value : track.values)
            value = Vec4(random.uniform(-60, 60), random.uniform(-60, 60), random.uniform(-60, 60), 0);
        clip.tracks.push_back(track);
    }
    expectBlenderAgrees(rig, clip, {.framesPerSecond = 30, .order = "ZXY"}, "blender_rig");
    expectBlenderAgrees(rig, clip, {.framesPerSecond = 24, .order = "YZX"}, "blender_rig_yzx");
}

TEST(Blender, reads_a_sample_that_went_through_a_rig)
{
    if (!blenderIsThere()) GTEST_SKIP() << blenderMissing;
    const std::string folder = sampleData("bvh");
    if (folder.empty()) GTEST_SKIP() << sampleDataMissing;
    const Result<bvh::Document> source = bvh::read(folder + "/cmu_02_03_run.bvh");
    ASSERT_TRUE(source) << source.error().text();
    const Rig rig = bvh::toRig(source.value(), "run");
    bvh::WriteOptions options;
    options.like = &source.value();
    expectBlenderAgrees(rig, rig.clips[0], options, "blender_sample");
}

}  // namespace
}  // namespace sinew
