// glTF documents written in a test.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "sinew/io/base64.h"
#include "sinew/io/gltf/character.h"

namespace sinew {

// Nothing lies beside a text.
inline Result<std::string> noFilesBeside(const std::string&, std::size_t)
{
    Diagnostic error;
    error.message = "nothing lies beside this file";
    return error;
}

// The line that reading it as a character comes to; empty if all is well.
inline std::string gltfError(std::string_view text)
{
    const Result<GltfFile> file = parseGltf(text, "f.gltf", noFilesBeside);
    if (!file) return file.error().text();
    const Result<GltfCharacter> character = gltfCharacter(file.value());
    return character ? "" : character.error().text();
}

inline GltfCharacter readCharacter(const GltfFile& file)
{
    Result<GltfCharacter> character = gltfCharacter(file);
    EXPECT_TRUE(character) << character.error().text();
    return character ? std::move(character.value()) : GltfCharacter{};
}

// A document with these members beside "asset".
inline std::string gltfText(const std::string& members)
{
    return R"({"asset":{"version":"2.0"},)" + members + "}";
}

// One that can be animated: a node, and a clip whose keys are at these times (float32) and have these
// values.
inline std::string clipText(const std::string& times, const std::string& timesMore,
                            const std::string& values, const std::string& valuesMore,
                            const std::string& sampler = "")
{
    const std::string length = std::to_string(times.size()), more = std::to_string(values.size());
    return gltfText(
        R"("nodes":[{"name":"bone"}],"buffers":[{"byteLength":)" +
        std::to_string(times.size() + values.size()) + R"(,"uri":"data:;base64,)" +
        base64Text(times + values) + R"("}],"bufferViews":[{"buffer":0,"byteLength":)" + length +
        R"(},{"buffer":0,"byteOffset":)" + length + R"(,"byteLength":)" + more +
        R"(}],"accessors":[{"bufferView":0,"componentType":5126,"type":"SCALAR",)" + timesMore +
        R"(},{"bufferView":1,)" + valuesMore +
        R"(}],"animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"rotation"}}],)" +
        R"("samplers":[{"input":0,"output":1)" + sampler + "}]}]");
}

}  // namespace sinew
