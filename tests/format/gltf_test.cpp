// glTF in: what is read, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "sinew/io/gltf/glb.h"
#include "sinew/io/whole_file.h"
#include "support/gltf_text.h"

namespace sinew::gltf_test {
namespace {

constexpr double single = 1e-6;  // a few roundings to float32 of numbers near one

GltfFile dataFile(const std::string& name)
{
    Result<GltfFile> file = readGltf(std::string(SINEW_TEST_DIR) + "/data/" + name);
    EXPECT_TRUE(file) << file.error().text();
    return file ? std::move(file.value()) : GltfFile{};
}

std::string floats(std::initializer_list<double> numbers)
{
    std::string bytes;
    for (double number : numbers) appendFloat(bytes, number);
    return bytes;
}

TEST(Gltf, manySetsOfJointsAreRefusedAtOnce)
{
    std::string attributes = R"("POSITION":0)";
    for (int i = 0; i < 100'000; ++i)
        attributes += ",\"JOINTS_" + std::to_string(i) + "\":0,\"WEIGHTS_" + std::to_string(i) + "\":0";
    EXPECT_EQ(
        gltfError(gltfText(R"("accessors":[{"count":1,"componentType":5126,"type":"VEC3"}],)"
                           R"("meshes":[{"primitives":[{"attributes":{)" +
                           attributes + "}}]}]")),
        "f.gltf: /meshes/0/primitives/0/attributes: there are more than 64 sets of joints and weights");
}

TEST(Gltf, stripHasItsBonesJointsAndNames)
{
    for (const char* name : {"strip.glb", "strip.gltf"}) {
        const GltfCharacter strip = readCharacter(dataFile(name));
        ASSERT_EQ(strip.rig.bones.size(), 4u);
        const auto& bones = strip.rig.bones;
        const int lower = strip.rig.find("lower"), upper = strip.rig.find("upper");
        ASSERT_GE(lower, 0);
        ASSERT_GE(upper, 0);
        EXPECT_EQ(bones[upper].parent, lower);
        EXPECT_EQ(bones[lower].parent, strip.rig.find("Stage"));
        EXPECT_TRUE(bones[lower].joint && bones[upper].joint);
        EXPECT_FALSE(bones[strip.rig.find("Stage")].joint || bones[strip.rig.find("Strip")].joint);
        EXPECT_EQ(strip.nodeOfBone[upper], 3);
        EXPECT_EQ(strip.boneOfNode[3], upper);
        const auto world = worldFrames(strip.rig, restPose(strip.rig));
        EXPECT_LT((world[upper].pose.position - Vec3(0, 1, 0)).norm(), single);
        EXPECT_LT(world[upper].pose.orientation.angularDistance(Quat::Identity()), single);
        EXPECT_TRUE(strip.notes.empty());
    }
}

TEST(Gltf, fleshIsWithTheStrongestJointInItsOwnFrame)
{
    const GltfCharacter strip = readCharacter(dataFile("strip.glb"));
    const auto& lower = strip.rig.bones[strip.rig.find("lower")].flesh;
    const auto& upper = strip.rig.bones[strip.rig.find("upper")].flesh;
    ASSERT_EQ(lower.size(), 6u);  // heights 0, 0.5 and, by three quarters, 1
    ASSERT_EQ(upper.size(), 4u);  // 1.5, and 2 where sparse data widens the strip
    EXPECT_LT((lower[5] - Vec3(0.25, 1, 0)).norm(), single);
    EXPECT_LT((upper[0] - Vec3(-0.25, 0.5, 0)).norm(), single);
    EXPECT_LT((upper[3] - Vec3(0.5, 1, 0)).norm(), single);
}

TEST(Gltf, clipsAreHeldStraightOrCubicAndGetNames)
{
    const GltfCharacter strip = readCharacter(dataFile("strip.glb"));
    ASSERT_EQ(strip.rig.clips.size(), 2u);
    const Clip &bend = strip.rig.clips[0], &other = strip.rig.clips[1];
    EXPECT_EQ(bend.name, "Bend");
    EXPECT_EQ(other.name, "clip_1");
    EXPECT_EQ(bend.duration(), 1);
    const int lower = strip.rig.find("lower"), upper = strip.rig.find("upper");
    const Quat half(AngleAxis(0.6, Vec3::UnitZ()));
    const auto early = localPose(strip.rig, bend, 0.25), late = localPose(strip.rig, bend, 0.75);
    EXPECT_LT(early[upper].rotation.angularDistance(half), single);
    EXPECT_EQ(early[lower].translation.y(), 0);
    EXPECT_EQ(late[lower].translation.y(), 0.5);
    const auto odd = localPose(strip.rig, other, 0.25);
    constexpr double int16 = 1e-4;  // 1/32767, as an angle twice
    EXPECT_LT(odd[upper].rotation.angularDistance(Quat(AngleAxis(-0.2, Vec3::UnitZ()))), int16);
    EXPECT_NEAR(odd[upper].scale.y(), 1.5, single);  // flat at both ends, so half way in the middle
    EXPECT_EQ(strip.channelOfTrack[0], (std::vector<int>{0, 1}));
}

TEST(Gltf, namesAreMadeUniqueAndNeverEmpty)
{
    const Result<GltfFile> file = parseGltf(
        gltfText(R"("nodes":[{},{"name":"a"},{"name":"a"},{"name":"a_2"},{"name":"a"},{"name":"node_0"},)"
                 R"({"name":"b\n"}])"),
        "f", noFilesBeside);
    ASSERT_TRUE(file) << file.error().text();
    std::vector<std::string> names;
    for (const Bone& bone : readCharacter(file.value()).rig.bones) names.push_back(bone.name);
    EXPECT_EQ(names, (std::vector<std::string>{"node_0_2", "a", "a_3", "a_2", "a_4", "node_0", "b_"}));
}

TEST(Gltf, onlyTheDefaultSceneBecomesBones)
{
    const Result<GltfFile> file = parseGltf(
        gltfText(R"("scene":1,"scenes":[{"nodes":[0]},{"nodes":[1]}],"nodes":[{"name":"a"},{"name":"b"}],)"
                 R"("skins":[{"joints":[0,1]}])"),
        "f", noFilesBeside);
    ASSERT_TRUE(file) << file.error().text();
    const GltfCharacter character = readCharacter(file.value());
    ASSERT_EQ(character.rig.bones.size(), 1u);
    EXPECT_EQ(character.rig.bones[0].name, "b");
    ASSERT_EQ(character.notes.size(), 1u);
    EXPECT_EQ(character.notes[0].text(),
              "f: /skins/0/joints: node 0 is not in the default scene and is left out");
}

TEST(Gltf, matricesAreTakenApartAndThoseThatLeanAreRefused)
{
    const auto withMatrix = [](const std::string& numbers) {
        return gltfText(R"("nodes":[{"matrix":[)" + numbers + "]}]");
    };
    // Twice as large, a quarter turn about z, mirrored along its own x; shifted.
    const Result<GltfFile> file =
        parseGltf(withMatrix("0,-2,0,0, -2,0,0,0, 0,0,2,0, 1,2,3,1"), "f", noFilesBeside);
    ASSERT_TRUE(file) << file.error().text();
    const BoneTransform rest = readCharacter(file.value()).rig.bones[0].rest;
    EXPECT_EQ(rest.scale, Vec3(-2, 2, 2));
    EXPECT_EQ(rest.translation, Vec3(1, 2, 3));
    EXPECT_LT((rest.rotation * rest.scale.cwiseProduct(Vec3::UnitX()) - Vec3(0, -2, 0)).norm(), 1e-12);
    EXPECT_EQ(gltfError(withMatrix("1,0,0,0, 0.1,1,0,0, 0,0,1,0, 0,0,0,1")),
              "f.gltf: /nodes/0/matrix: the matrix leans (shear), which translation, rotation and scale "
              "cannot tell; apply the transform in the tool that made it");
    EXPECT_EQ(
        gltfError(withMatrix("1,0,0,0, 0,0,0,0, 0,0,1,0, 0,0,0,1")),
        "f.gltf: /nodes/0/matrix: the matrix is flat: one of its axes has no length, so that it tells "
        "no rotation");
    EXPECT_EQ(gltfError(withMatrix("1,0,0,1, 0,1,0,0, 0,0,1,0, 0,0,0,1")),
              "f.gltf: /nodes/0/matrix: the last row of the matrix should be 0, 0, 0, 1");
}

TEST(Gltf, hostileDocumentsAreOneLineWithAPointer)
{
    const std::pair<const char*, const char*> cases[] = {
        {R"("nodes":[{"children":[0]}])",
         "/nodes/0: the node is its own ancestor or hangs from one that is"},
        {R"("nodes":[{"children":[1]},{"children":[0]}])",
         "/nodes/0: the node is its own ancestor or hangs from one that is"},
        {R"("nodes":[{"children":[2]},{"children":[2]},{}])",
         "/nodes/1/children: node 2 is a child of node 0 already"},
        {R"("nodes":[{"children":[7]}])", "/nodes/0/children/0: there is no node 7; the file has 1"},
        {R"("nodes":[{"children":[-1]}])",
         "/nodes/0/children/0: a whole number that is not negative is expected, found -1"},
        {R"("nodes":[{"mesh":0}])", "/nodes/0/mesh: there is no mesh 0; the file has 0"},
        {R"("nodes":[{"rotation":[0,0,0,0]}])",
         "/nodes/0/rotation: a unit quaternion is expected; this one has the length 0"},
        {R"("nodes":[{"scale":[1,1,1],"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}])",
         "/nodes/0: a node has a matrix, or translation, rotation and scale, but not both"},
        {R"("nodes":[{"scale":[1,1]}])", "/nodes/0/scale: a list of 3 numbers is expected"},
        {R"("nodes":[{"translation":[1e308,0,0],"scale":[1e308,1,1],"children":[1]},{"translation":[1e308,0,0]}])",
         "/nodes/1: the node's place in the world is not finite; its numbers are too large"},
        {R"("nodes":7)", "/nodes: a list is expected, found a number"},
        {R"("nodes":[7])", "/nodes/0: an object is expected, found a number"},
        {R"("scenes":[{"nodes":[0,0]}],"nodes":[{}])", "/scenes/0/nodes/1: node 0 is listed twice"},
        {R"("scenes":[{"nodes":[1]}],"nodes":[{"children":[1]},{}])",
         "/scenes/0/nodes/0: node 1 is a child of another one; a scene lists roots"},
        {R"("buffers":[{"byteLength":8,"uri":"data:;base64,AAAA"}])",
         "/buffers/0/byteLength: the buffer should have 8 bytes, but only 3 are there"},
        {R"("buffers":[{"byteLength":8,"uri":"data:text/plain,hello"}])",
         "/buffers/0/uri: a data: URI has to be base64: \"data:application/octet-stream;base64,…\""},
        {R"("buffers":[{"byteLength":8,"uri":"data:;base64,!!!!"}])",
         "/buffers/0/uri: the text after \";base64,\" is not base64, or not whole"},
        {R"("buffers":[{"byteLength":8,"uri":"a.bin"}])", "/buffers/0/uri: nothing lies beside this file"},
        {R"("accessors":[{"count":1,"componentType":5124,"type":"SCALAR"}])",
         "/accessors/0/componentType: a component type is 5120, 5121, 5122, 5123, 5125 or 5126, found "
         "5124"},
        {R"("accessors":[{"count":1,"componentType":5126,"type":"VEC5"}])",
         "/accessors/0/type: unknown type \"VEC5\"; known are SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3, MAT4"},
        {R"("accessors":[{"componentType":5126,"type":"VEC3"}])", "/accessors/0: \"count\" is missing"},
        {R"("bufferViews":[{"buffer":0,"byteLength":4,"byteStride":3}],"buffers":[{"byteLength":4}])",
         "/bufferViews/0/byteStride: a stride from 4 to 252 bytes is expected, found 3"},
        {R"("skins":[{"joints":[3]}])", "/skins/0/joints/0: there is no node 3; the file has 0"},
        {R"("animations":[{"channels":[{"sampler":0,"target":{"path":"scale"}}],"samplers":[]}])",
         "/animations/0/channels/0/sampler: there is no sampler 0; the file has 0"},
    };
    for (const auto& [members, expected] : cases)
        EXPECT_EQ(gltfError(gltfText(members)), "f.gltf: " + std::string(expected)) << members;
    EXPECT_EQ(gltfError("{}"), "f.gltf: \"asset\" is missing");
    EXPECT_EQ(gltfError(R"({"asset":{"version":"1.0"}})"),
              "f.gltf: /asset/version: glTF \"1.0\"; only version 2 is read");
    EXPECT_EQ(gltfError("[]"), "f.gltf: an object is expected, found a list");
    EXPECT_EQ(gltfError("{"), "f.gltf:1:2: the file ends inside the object that starts at 1:1");
}

TEST(Gltf, hostileKeysAreOneLineWithAPointer)
{
    const std::string rotation = R"("componentType":5126,"type":"VEC4","count":2)";
    const std::string times = floats({0, 1}), turns = floats({0, 0, 0, 1, 0, 0, 1, 0});
    EXPECT_EQ(gltfError(clipText(times, R"("count":2)", turns, rotation)), "");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinite = std::numeric_limits<double>::infinity();
    const struct {
        std::string times, timesMore, values, valuesMore, sampler, expected;
    } cases[] = {
        {floats({1, 1}), R"("count":2)", turns, rotation, "",
         "/accessors/0: the times of keys have to rise; those of 0 and 1 do not"},
        {floats({-1, 1}), R"("count":2)", turns, rotation, "",
         "/accessors/0: the time of the first key is negative"},
        {floats({0, nan}), R"("count":2)", turns, rotation, "", "/accessors/0: element 1 is not finite"},
        {times, R"("count":0)", turns, rotation, "", "/accessors/0/count: a clip needs one key at least"},
        {times, R"("count":3)", turns, rotation, "",
         "/accessors/0: 3 elements end at byte 12 of /bufferViews/0, which has 8"},
        {times, R"("count":2,"byteOffset":4)", turns, rotation, "",
         "/accessors/0: 2 elements end at byte 12 of /bufferViews/0, which has 8"},
        {times, R"("count":9007199254740992)", turns, rotation, "",
         "/accessors/0/count: there cannot be so many elements"},
        {times, R"("count":4000000000)", turns, rotation, "",
         "/accessors/0/count: together with what stands before it this makes more numbers than the file's "
         "bytes can tell; the limit is 4000000 and 8 per byte"},
        {times, R"("count":2)", floats({0, 0, 0, infinite, 0, 0, 1, 0}), rotation, "",
         "/accessors/1: element 0 is not finite"},
        {times, R"("count":2)", floats({0, 0, 0, 1, 0, 0, 0, 0}), rotation, "",
         "/accessors/1: element 1 is no unit quaternion"},
        {times, R"("count":2)", turns, R"("componentType":5126,"type":"VEC4","count":1)", "",
         "/accessors/1/count: 2 keys need 2 values, found 1"},
        {times, R"("count":2)", turns, R"("componentType":5126,"type":"VEC4","count":2)",
         R"(,"interpolation":"CUBICSPLINE")", "/accessors/1/count: 2 keys need 6 values, found 2"},
        {times, R"("count":2)", turns, R"("componentType":5126,"type":"VEC3","count":2)", "",
         "/accessors/1/type: VEC4 is expected here, found VEC3"},
        {times, R"("count":2)", turns, R"("componentType":5122,"type":"VEC4","count":2)", "",
         "/accessors/1/componentType: floats or normalised whole numbers are expected here, found type "
         "5122"},
        {times, R"("count":2)", turns, rotation, R"(,"interpolation":"SMOOTH")",
         "/animations/0/samplers/0/interpolation: unknown interpolation \"SMOOTH\"; known are STEP, "
         "LINEAR, "
         "CUBICSPLINE"},
    };
    for (const auto& c : cases)
        EXPECT_EQ(gltfError(clipText(c.times, c.timesMore, c.values, c.valuesMore, c.sampler)),
                  "f.gltf: " + c.expected);
}

TEST(Gltf, hugeSparseCountsWithoutDataAreRefused)
{
    const std::string head =
        R"("nodes":[{}],"buffers":[{"byteLength":8,"uri":"data:;base64,AAAAAAAAAAA="}],)"
        R"("bufferViews":[{"buffer":0,"byteLength":8}],"accessors":[)"
        R"({"componentType":5126,"type":"SCALAR","count":)";
    const std::string tail =
        R"("animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"scale"}}],)"
        R"("samplers":[{"input":0,"output":0}]}])";
    const std::string sparse = R"(,"sparse":{"count":1,"indices":{"bufferView":0,"componentType":5125},)"
                               R"("values":{"bufferView":0,"byteOffset":4}}}],)";
    EXPECT_NE(gltfError(gltfText(head + "4000000000" + sparse + tail)).find("/accessors/0/count"),
              std::string::npos);
    std::string many = sparse;
    many.replace(many.find("1"), 1, "3");
    EXPECT_EQ(gltfError(gltfText(head + "2" + many + tail)),
              "f.gltf: /accessors/0/sparse/count: more elements are replaced than there are");
}

TEST(Gltf, theSameBytesNamedOverAndOverAreRefused)
{
    // 40 kB of keys, which ten thousand channels share: as a rig it would take gigabytes.
    std::string times, values;
    for (int i = 0; i < 2000; ++i) {
        appendFloat(times, i);
        values += floats({0, 0, 0, 1});
    }
    std::string text =
        clipText(times, R"("count":2000)", values, R"("componentType":5126,"type":"VEC4","count":2000)");
    std::string nodes = R"("nodes":[{"name":"bone"})", channels;
    for (int i = 1; i < 10'000; ++i) {
        nodes += ",{}";
        channels += R"({"sampler":0,"target":{"node":)" + std::to_string(i) + R"(,"path":"rotation"}},)";
    }
    text.replace(text.find(R"("nodes":[{"name":"bone"})"), 24, nodes);
    const std::string mark = R"("channels":[)";
    text.insert(text.find(mark) + mark.size(), channels);
    EXPECT_NE(gltfError(text).find("more numbers than the file's bytes can tell"), std::string::npos);
}

TEST(Gltf, whatIsNotUnderstoodIsNoted)
{
    const Result<GltfFile> file = parseGltf(
        gltfText(
            R"("extensionsRequired":["KHR_texture_transform","ACME_bones"],"nodes":[{"mesh":0,"skin":0}],)"
            R"("skins":[{"joints":[0]}],"accessors":[{"componentType":5126,"type":"VEC3","count":3}],)"
            R"("meshes":[{"primitives":[{"attributes":{"POSITION":0},)"
            R"("extensions":{"KHR_draco_mesh_compression":{}}}]}],)"
            R"("animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"weights"}},)"
            R"({"sampler":0,"target":{"path":"scale"}}],"samplers":[{"input":0,"output":0}]}])"),
        "f", noFilesBeside);
    ASSERT_TRUE(file) << file.error().text();
    std::vector<std::string> notes;
    for (const Diagnostic& note : readCharacter(file.value()).notes) notes.push_back(note.pointer);
    EXPECT_EQ(notes, (std::vector<std::string>{"/extensionsRequired/1", "/animations/0/channels/0",
                                               "/animations/0/channels/1", "/meshes/0/primitives/0"}));
}

TEST(Gltf, filesElsewhereAreNotOpened)
{
    const std::string folder = std::string(SINEW_TEST_OUTPUT_DIR) + "/gltf_paths";
    std::filesystem::create_directories(folder);
    for (const char* uri :
         {"../gltf_secret.bin", "..%2Fgltf_secret.bin", "/etc/hostname", "file:///etc/hostname",
          "http://example.com/a.bin", "a\\\\b.bin", "missing.bin", "%00"}) {
        const std::string path = folder + "/f.gltf";
        writeWhole(folder + "/../gltf_secret.bin", "12345678");
        writeWhole(path, gltfText(R"("buffers":[{"byteLength":4,"uri":")" + std::string(uri) + R"("}])"));
        const Result<GltfFile> file = readGltf(path);
        ASSERT_FALSE(file) << uri;
        EXPECT_EQ(file.error().pointer, "/buffers/0/uri") << uri;
    }
}

}  // namespace
}  // namespace sinew::gltf_test
