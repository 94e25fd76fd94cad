// Views compressed by meshopt, against the decoder that comes with three.js (meshopt_samples.mjs).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sinew/io/gltf/meshopt.h"
#include "sinew/io/json/json.h"
#include "support/gltf_text.h"

namespace sinew {
namespace {

using gltf::meshoptBytes;
using gltf::MeshoptView;

struct PackedView {
    MeshoptView view;
    std::string stream, bytes;
};

std::vector<PackedView> packedViews()
{
    const std::string path = std::string(SINEW_TEST_DIR "/data") + "/meshopt_samples.json";
    const Result<json::Value> all = json::parse(json::readFile(path).value(), path);
    EXPECT_TRUE(all);
    std::vector<PackedView> out;
    for (const json::Value& item : all.value().items()) {
        const auto text = [&](const char* key) { return item.find(key)->string(); };
        const auto number = [&](const char* key) {
            return static_cast<std::uint64_t>(item.find(key)->number());
        };
        PackedView sample;
        sample.view.mode = text("mode") == "ATTRIBUTES"  ? MeshoptView::Mode::attributes
                           : text("mode") == "TRIANGLES" ? MeshoptView::Mode::triangles
                                                         : MeshoptView::Mode::indices;
        sample.view.filter = text("filter") == "OCTAHEDRAL"    ? MeshoptView::Filter::octahedral
                             : text("filter") == "QUATERNION"  ? MeshoptView::Filter::quaternion
                             : text("filter") == "EXPONENTIAL" ? MeshoptView::Filter::exponential
                                                               : MeshoptView::Filter::none;
        sample.view.count = number("count");
        sample.view.stride = number("stride");
        sample.stream = base64Bytes(text("stream")).value();
        sample.bytes = base64Bytes(text("bytes")).value();
        out.push_back(std::move(sample));
    }
    return out;
}

template <class T>
T numberAt(const std::string& bytes, std::size_t at)
{
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
}

// An element that an encoder could have made: of random ones most are not.
template <class T>
bool isEncoded(const std::string& raw, std::size_t at, bool isQuaternion)
{
    const double x = numberAt<T>(raw, at), y = numberAt<T>(raw, at + sizeof(T)),
                 z = numberAt<T>(raw, at + 2 * sizeof(T)), w = numberAt<T>(raw, at + 3 * sizeof(T));
    if (!isQuaternion) return z > 0 && std::abs(x) <= z && std::abs(y) <= z;
    return w > 0 && x * x + y * y + z * z <= 2 * w * w &&
           std::max({std::abs(x), std::abs(y), std::abs(z)}) <= w;
}

template <class T>
int compareFiltered(const PackedView& sample, const std::string& found)
{
    MeshoptView plain = sample.view;
    plain.filter = MeshoptView::Filter::none;
    const std::string raw = meshoptBytes(plain, sample.stream).value();
    int compared = 0;
    for (std::size_t i = 0; i < sample.view.count; ++i) {
        const std::size_t at = i * sample.view.stride;
        if (!isEncoded<T>(raw, at, sample.view.filter == MeshoptView::Filter::quaternion)) continue;
        ++compared;
        // Rounding of single precision.
        for (std::size_t k = 0; k < 4; ++k)
            EXPECT_NEAR(numberAt<T>(found, at + k * sizeof(T)),
                        numberAt<T>(sample.bytes, at + k * sizeof(T)), 1);
    }
    return compared;
}

// The reference has other numbers than the formula where single precision has none.
int compareFloats(const PackedView& sample, const std::string& found)
{
    MeshoptView plain = sample.view;
    plain.filter = MeshoptView::Filter::none;
    const std::string raw = meshoptBytes(plain, sample.stream).value();
    int compared = 0;
    for (std::size_t at = 0; at < raw.size(); at += 4) {
        const int exponent = static_cast<std::int8_t>(raw[at + 3]);
        if (std::abs(exponent) > 100) continue;
        ++compared;
        EXPECT_EQ(numberAt<float>(found, at), numberAt<float>(sample.bytes, at));
    }
    return compared;
}

TEST(Meshopt, unpacksToTheBytesThatTheReferenceUnpacksTo)
{
    const std::vector<PackedView> all = packedViews();
    ASSERT_EQ(all.size(), 14u);
    for (const PackedView& sample : all) {
        const Result<std::string> found = meshoptBytes(sample.view, sample.stream);
        ASSERT_TRUE(found) << found.error().text();
        ASSERT_EQ(found.value().size(), sample.bytes.size());
        if (sample.view.filter == MeshoptView::Filter::octahedral)
            EXPECT_GE(sample.view.stride == 4 ? compareFiltered<std::int8_t>(sample, found.value())
                                              : compareFiltered<std::int16_t>(sample, found.value()),
                      10);
        else if (sample.view.filter == MeshoptView::Filter::quaternion)
            EXPECT_GE(compareFiltered<std::int16_t>(sample, found.value()), 10);
        else if (sample.view.filter == MeshoptView::Filter::exponential)
            EXPECT_GE(compareFloats(sample, found.value()), 100);
        else
            EXPECT_EQ(found.value(), sample.bytes);
    }
}

TEST(Meshopt, refusesWhatIsCutShortOrTooLong)
{
    for (const PackedView& sample : packedViews()) {
        for (std::size_t size :
             {std::size_t{0}, std::size_t{1}, sample.stream.size() / 2, sample.stream.size() - 1})
            EXPECT_FALSE(meshoptBytes(sample.view, sample.stream.substr(0, size)));
        EXPECT_FALSE(meshoptBytes(sample.view, sample.stream + "x"));
        std::string other = sample.stream;
        other[0] = '\xa1';
        EXPECT_FALSE(meshoptBytes(sample.view, other));
        MeshoptView huge = sample.view;
        huge.count = std::uint64_t{1} << 31;
        EXPECT_FALSE(meshoptBytes(huge, sample.stream));
    }
}

// The sixteen keys of a clip, at rest, and their times: 0, 1, 2 … as differences of bytes would be long, so
// the times are zero bits (floats of 0) but for one.
TEST(Meshopt, clipsAreReadOutOfCompressedViews)
{
    // Two rotations, the same: sixteen groups of zero differences from a baseline of (0, 0, 0, 1).
    std::string rotations("\xa0", 1);
    rotations += std::string(16, '\0') + std::string(16, '\0');
    const float one = 1;
    std::string baseline(16, '\0');
    std::memcpy(&baseline[12], &one, 4);
    rotations += baseline;
    std::string times(4, '\0');
    times += std::string("\0\0\x80\x3f", 4);
    const std::string all = times + rotations;
    const auto document = [&](std::size_t length) {
        return gltfText(
            R"("nodes":[{"name":"bone"}],"buffers":[{"byteLength":)" + std::to_string(all.size()) +
            R"(,"uri":"data:;base64,)" + base64Text(all) +
            R"("},{"byteLength":32}],"bufferViews":[{"buffer":0,"byteLength":8},{"buffer":1,"byteLength":32,)" +
            R"("extensions":{"EXT_meshopt_compression":{"buffer":0,"byteOffset":8,"byteLength":)" +
            std::to_string(length) + R"(,"byteStride":16,"count":2,"mode":"ATTRIBUTES"}}}],)" +
            R"("accessors":[{"bufferView":0,"componentType":5126,"type":"SCALAR","count":2},)" +
            R"({"bufferView":1,"componentType":5126,"type":"VEC4","count":2}],)" +
            R"("extensionsRequired":["EXT_meshopt_compression"],)" +
            R"("animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"rotation"}}],)" +
            R"("samplers":[{"input":0,"output":1}]}])");
    };
    const Result<GltfFile> file = parseGltf(document(rotations.size()), "f.gltf", noFilesBeside);
    ASSERT_TRUE(file) << file.error().text();
    const GltfCharacter character = readCharacter(file.value());
    EXPECT_TRUE(character.notes.empty());
    ASSERT_EQ(character.rig.clips.size(), 1u);
    EXPECT_EQ(character.rig.clips[0].duration(), 1);
    EXPECT_EQ(gltfError(document(rotations.size() - 1)),
              "f.gltf: /bufferViews/1: the data, compressed by meshopt, is cut short");
    EXPECT_NE(
        gltfError(document(rotations.size() + 1)).find("/bufferViews/1: the compressed data ends beyond"),
        std::string::npos);
}

}  // namespace
}  // namespace sinew
