#include "sinew/io/gltf/glb.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

Glb small()
{
    Glb glb;
    glb.json = "{\"asset\":{}}";  // 12 bytes
    glb.binary = "12345678";
    glb.others.push_back({0x12345678, "abcd"});
    return glb;
}

std::string errorOf(const std::string& bytes)
{
    const Result<Glb> glb = parseGlb(bytes, "x.glb");
    return glb ? "" : glb.error().text();
}

TEST(Glb, whatIsReadIsWrittenBackByteForByte)
{
    const std::string bytes = glbBytes(small()).value();
    const Result<Glb> glb = parseGlb(bytes, "x.glb");
    ASSERT_TRUE(glb) << glb.error().text();
    EXPECT_EQ(glb.value().json, small().json);
    EXPECT_EQ(glb.value().binary, small().binary);
    ASSERT_EQ(glb.value().others.size(), 1u);
    EXPECT_EQ(glb.value().others[0].bytes, "abcd");
    EXPECT_EQ(glbBytes(glb.value()).value(), bytes);
}

TEST(Glb, chunksAreFilledWithBlanksOrZeros)
{
    Glb glb;
    glb.json = "{}";
    glb.binary = "12345";
    const Glb back = parseGlb(glbBytes(glb).value(), "").value();
    EXPECT_EQ(back.json, "{}  ");
    EXPECT_EQ(back.binary, std::string("12345\0\0\0", 8));
}

TEST(Glb, brokenContainersAreOneLine)
{
    const std::string whole = glbBytes(small()).value();
    EXPECT_EQ(errorOf("glT"), "x.glb: this is no GLB file: it does not start with \"glTF\"");
    EXPECT_EQ(errorOf("glTF"), "x.glb: the file ends inside the header of 12 bytes");
    EXPECT_EQ(errorOf(whole + "    "), "x.glb: the header tells of 60 bytes, but the file has 64");
    std::string bytes = whole;
    bytes[4] = 1;
    EXPECT_EQ(errorOf(bytes), "x.glb: GLB version 1; only version 2 is read");
    bytes = whole;
    bytes[12] = '\xff';
    EXPECT_EQ(errorOf(bytes), "x.glb: chunk 0 at byte 12 has 255 bytes, of which only 40 are there");
    bytes = whole;
    bytes[12] = 13;
    EXPECT_EQ(errorOf(bytes), "x.glb: chunk 0 at byte 12 has 13 bytes, which is no multiple of four");
    bytes = whole;
    bytes[16] = 'X';
    EXPECT_EQ(errorOf(bytes),
              "x.glb: chunk 0 at byte 12 has type 0x4e4f5358; the first one, and no other, is JSON");
    // Cut anywhere, with a header that knows, it is an error and no crash.
    for (std::size_t size = 0; size < whole.size(); ++size) {
        bytes = whole.substr(0, size);
        if (size > 8) bytes[8] = static_cast<char>(size);
        const bool atEndOfChunk = size == 32 || size == 48;
        EXPECT_EQ(errorOf(bytes).empty(), atEndOfChunk) << size;
    }
}

}  // namespace
}  // namespace sinew
