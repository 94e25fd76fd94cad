// Real glTF files, as their page of sources has them.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/io/gltf/accessor.h"
#include "sinew/io/gltf/cursor.h"
#include "support/gltf_text.h"
#include "support/sample_data.h"

namespace sinew {
namespace {

struct Sample {
    const char* file;
    std::size_t bones, joints;
    std::vector<std::pair<std::string, double>> clips;  // names, s
};

const Sample samples[] = {
    {"Fox.glb", 26, 24, {{"Survey", 3.416667}, {"Walk", 0.708333}, {"Run", 1.158333}}},
    {"CesiumMan.glb", 22, 19, {{"clip_0", 2}}},
    {"RiggedFigure.glb", 22, 19, {{"clip_0", 1.25}}},
    {"RiggedSimple.glb", 5, 2, {{"clip_0", 2.083333}}},
    {"SimpleSkin.gltf", 3, 2, {{"clip_0", 5.5}}},
};

GltfFile sampleFile(const std::string& name)
{
    Result<GltfFile> file = readGltf(sampleData("gltf") + "/" + name);
    EXPECT_TRUE(file) << file.error().text();
    return file ? std::move(file.value()) : GltfFile{};
}

TEST(GltfSamples, bonesJointsAndClipsAreAsTheirSourcesSay)
{
    if (sampleData("gltf").empty()) GTEST_SKIP() << sampleDataMissing;
    for (const Sample& sample : samples) {
        SCOPED_TRACE(sample.file);
        const GltfCharacter character = readCharacter(sampleFile(sample.file));
        EXPECT_EQ(character.rig.bones.size(), sample.bones);
        std::size_t joints = 0, flesh = 0;
        for (const Bone& bone : character.rig.bones) {
            joints += bone.joint ? 1 : 0;
            flesh += bone.flesh.size();
            EXPECT_TRUE(bone.joint || bone.flesh.empty());
        }
        EXPECT_EQ(joints, sample.joints);
        EXPECT_GT(flesh, 0u);
        EXPECT_TRUE(character.notes.empty());
        ASSERT_EQ(character.rig.clips.size(), sample.clips.size());
        for (std::size_t c = 0; c < sample.clips.size(); ++c) {
            EXPECT_EQ(character.rig.clips[c].name, sample.clips[c].first);
            EXPECT_NEAR(character.rig.clips[c].duration(), sample.clips[c].second, 1e-6);
        }
        EXPECT_EQ(unevenlyScaled(character.rig, restPose(character.rig)), -1);
    }
}

TEST(GltfSamples, bonesStayFiniteAndNearInAllClips)
{
    if (sampleData("gltf").empty()) GTEST_SKIP() << sampleDataMissing;
    for (const Sample& sample : samples) {
        const Rig rig = readCharacter(sampleFile(sample.file)).rig;
        // How far the flesh reaches at rest: no clip carries a bone many times farther.
        double reach = 0;
        const auto rest = worldFrames(rig, restPose(rig));
        for (std::size_t b = 0; b < rig.bones.size(); ++b)
            for (const Vec3& point : rig.bones[b].flesh) reach = std::max(reach, (rest[b] * point).norm());
        for (const Clip& clip : rig.clips)
            for (double time = 0; time <= clip.duration(); time += 1 / 30.0)
                for (const WorldFrame& frame : worldFrames(rig, localPose(rig, clip, time))) {
                    ASSERT_TRUE(frame.pose.position.allFinite()) << sample.file;
                    ASSERT_LT(frame.pose.position.norm(), 2 * reach) << sample.file;
                }
    }
}

// World frame of a joint times its inverse bind matrix: where the whole mesh is put. It is one matrix for
// all joints if the nodes stand in the bind pose.
TEST(GltfSamples, inverseBindMatricesAgreeWithTheNodes)
{
    if (sampleData("gltf").empty()) GTEST_SKIP() << sampleDataMissing;
    constexpr double single = 1e-5;  // products of a dozen matrices in single precision
    for (const Sample& sample : samples) {
        const GltfFile file = sampleFile(sample.file);
        const GltfCharacter character = readCharacter(file);
        const auto world = worldFrames(character.rig, restPose(character.rig));
        const gltf::Skin& skin = file.document.skins[0];
        gltf::Budget budget(file);
        const auto all =
            gltf::numbers(file, skin.inverseBindMatrices, gltf::Shape::mat4, gltf::Numbers::floats, budget);
        double worst = 0, size = 0;
        Mat4 first;
        for (std::size_t j = 0; j < skin.joints.size(); ++j) {
            const WorldFrame& frame = world[character.boneOfNode[skin.joints[j]]];
            Mat4 joint = Mat4::Identity();
            joint.topLeftCorner<3, 3>() = frame.scale * frame.pose.orientation.toRotationMatrix();
            joint.topRightCorner<3, 1>() = frame.pose.position;
            const Mat4 whole = joint * view(all.data() + 16 * j, 4, 4);
            if (j == 0) first = whole;
            worst = std::max(worst, (whole - first).cwiseAbs().maxCoeff());
            size = std::max(size, frame.pose.position.norm());
        }
        RecordProperty(sample.file, std::to_string(worst / size));
        EXPECT_LT(worst, single * std::max(1.0, size)) << sample.file;
    }
}

}  // namespace
}  // namespace sinew
