// A glTF file with all that lies beside it as one GLB file.
#include <gtest/gtest.h>

#include "sinew/io/gltf/pack.h"
#include "support/gltf_text.h"

namespace sinew::gltf_pack_test {
namespace {

std::string dataFile(const std::string& name)
{
    return std::string(SINEW_TEST_DIR) + "/data/" + name;
}

GltfFile read(const Result<GltfFile>& file)
{
    EXPECT_TRUE(file) << file.error().text();
    return file ? file.value() : GltfFile{};
}

// Gives the same bytes for every name.
ReadBeside always(const std::string& bytes)
{
    return [bytes](const std::string&, std::size_t) { return Result<std::string>(bytes); };
}

TEST(GltfPack, files_beside_and_data_uris_become_one_chunk_with_the_same_views)
{
    const GltfFile original = read(readGltf(dataFile("strip.gltf")));
    EXPECT_FALSE(isSelfContained(original));
    const Result<std::string> bytes = packedGlb(original, noFilesBeside);
    ASSERT_TRUE(bytes) << bytes.error().text();
    const GltfFile packed = read(parseGltf(bytes.value(), "packed.glb", noFilesBeside));
    EXPECT_TRUE(isSelfContained(packed));
    ASSERT_EQ(packed.document.views.size(), original.document.views.size());
    const auto bytesOf = [](const GltfFile& file, const gltf::BufferView& view) {
        const auto& buffer = file.document.buffers[static_cast<std::size_t>(view.buffer)];
        return file.bytes(buffer).substr(view.offset, view.length);
    };
    for (std::size_t i = 0; i < packed.document.views.size(); ++i) {
        const gltf::BufferView &a = original.document.views[i], &b = packed.document.views[i];
        EXPECT_EQ(bytesOf(original, a), bytesOf(packed, b)) << i;
        EXPECT_EQ(a.stride, b.stride);
    }
    const GltfCharacter first = readCharacter(original), second = readCharacter(packed);
    EXPECT_EQ(first.rig.bones.size(), second.rig.bones.size());
    EXPECT_EQ(first.rig.clips.size(), second.rig.clips.size());
    EXPECT_TRUE(isSelfContained(read(readGltf(dataFile("strip.glb")))));
}

TEST(GltfPack, pictures_in_files_become_part_of_it_and_others_stay_references)
{
    const std::string text = gltfText(
        R"("images":[{"uri":"a%20b.png","name":"p"},{"uri":"data:image/png;base64,AAAA"}],"extras":{"keep":1})");
    const GltfFile original = read(parseGltf(text, "f.gltf", noFilesBeside));
    const std::string picture = "\x89PNG\r\n\x1a\n.";
    std::string asked;
    const Result<std::string> bytes = packedGlb(original, [&](const std::string& name, std::size_t) {
        asked = name;
        return Result<std::string>(picture);
    });
    ASSERT_TRUE(bytes) << bytes.error().text();
    EXPECT_EQ(asked, "a b.png");
    const Result<Glb> glb = parseGlb(bytes.value(), "packed.glb");
    ASSERT_TRUE(glb) << glb.error().text();
    EXPECT_TRUE(glb.value().binary.starts_with(picture));
    const std::string& json = glb.value().json;
    for (const char* part :
         {R"("name": "p", "mimeType": "image/png", "bufferView": 0)", R"("byteLength": 9)",
          R"("uri": "data:image/png;base64,AAAA")", R"("keep": 1)"})
        EXPECT_NE(json.find(part), std::string::npos) << part << "\n" << json;
    EXPECT_EQ(json.find("a%20b"), std::string::npos) << json;

    const Result<std::string> without = packedGlb(original, noFilesBeside);
    ASSERT_TRUE(without);
    EXPECT_NE(without.value().find("a%20b.png"), std::string::npos);
    EXPECT_EQ(without.value().find("bufferViews"), std::string::npos);
}

TEST(GltfPack, a_picture_that_many_images_share_is_taken_once_and_what_is_none_not_at_all)
{
    std::string images;
    for (int i = 0; i < 1000; ++i) images += R"({"uri":"a.png"},)";
    const GltfFile file = read(
        parseGltf(gltfText("\"images\":[" + images + R"({"uri":"secret"}])"), "f.gltf", noFilesBeside));
    const std::string picture = "\x89PNG\r\n\x1a\n" + std::string(1000, '.'), secret = "-----BEGIN KEY";
    const Result<std::string> bytes = packedGlb(file, [&](const std::string& name, std::size_t) {
        return Result<std::string>(name == "a.png" ? picture : secret);
    });
    ASSERT_TRUE(bytes) << bytes.error().text();
    const Result<Glb> glb = parseGlb(bytes.value(), "packed.glb");
    EXPECT_EQ(glb.value().binary, picture);
    EXPECT_NE(glb.value().json.find(R"("uri": "secret")"), std::string::npos);
}

TEST(GltfPack, the_kind_of_a_picture_is_told_by_its_bytes)
{
    const GltfFile file =
        read(parseGltf(gltfText(R"("images":[{"uri":"picture"}])"), "f.gltf", noFilesBeside));
    const auto packed = [&](const std::string& bytes) { return packedGlb(file, always(bytes)).value(); };
    EXPECT_NE(packed("\xff\xd8\xff").find("image/jpeg"), std::string::npos);
    EXPECT_NE(packed("RIFF....WEBP").find("image/webp"), std::string::npos);
}

}  // namespace
}  // namespace sinew::gltf_pack_test
