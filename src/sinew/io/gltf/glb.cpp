#include "sinew/io/gltf/glb.h"

#include <bit>
#include <cstdio>
#include <limits>

#include "sinew/io/file_error.h"

namespace sinew {
namespace {

constexpr std::uint32_t magic = 0x46546C67;     // "glTF"
constexpr std::uint32_t jsonType = 0x4E4F534A;  // "JSON"
constexpr std::uint32_t binType = 0x004E4942;   // "BIN\0"
constexpr std::size_t headerSize = 12, chunkHeaderSize = 8;

// The caller knows that four bytes are there.
std::uint32_t uint32At(std::string_view bytes, std::size_t at)
{
    std::uint32_t number = 0;
    for (std::size_t i = 4; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
    return number;
}

std::size_t roundedUp(std::size_t size)
{
    return (size + 3) / 4 * 4;
}

std::string typeName(std::uint32_t type)
{
    char name[16];
    std::snprintf(name, sizeof name, "0x%08x", static_cast<unsigned>(type));
    return name;
}

void appendChunk(std::string& out, std::uint32_t type, std::string_view bytes, char filler)
{
    appendUint32(out, static_cast<std::uint32_t>(roundedUp(bytes.size())));
    appendUint32(out, type);
    out += bytes;
    padToFour(out, filler);  // every chunk starts at a multiple of four
}

}  // namespace

void appendUint32(std::string& bytes, std::uint32_t number)
{
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(number >> shift & 0xffu);
}

void appendFloat(std::string& bytes, double number)
{
    appendUint32(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(number)));
}

void padToFour(std::string& bytes, char filler)
{
    bytes.append(roundedUp(bytes.size()) - bytes.size(), filler);
}

bool looksLikeGlb(std::string_view bytes)
{
    return bytes.size() >= 4 && uint32At(bytes, 0) == magic;
}

Result<Glb> parseGlb(std::string_view bytes, const std::string& fileName)
{
    const auto fail = [&](std::string message) { return fileError(fileName, std::move(message)); };
    if (!looksLikeGlb(bytes)) return fail("this is no GLB file: it does not start with \"glTF\"");
    if (bytes.size() < headerSize) return fail("the file ends inside the header of 12 bytes");
    const std::uint32_t version = uint32At(bytes, 4), length = uint32At(bytes, 8);
    if (version != 2) return fail("GLB version " + std::to_string(version) + "; only version 2 is read");
    if (length != bytes.size())
        return fail("the header tells of " + std::to_string(length) + " bytes, but the file has " +
                    std::to_string(bytes.size()));

    Glb glb;
    std::size_t at = headerSize;
    for (int index = 0; at < bytes.size(); ++index) {
        const std::string here = "chunk " + std::to_string(index) + " at byte " + std::to_string(at);
        if (bytes.size() - at < chunkHeaderSize) return fail(here + ": the file ends inside its header");
        const std::uint32_t size = uint32At(bytes, at), type = uint32At(bytes, at + 4);
        at += chunkHeaderSize;
        if (size > bytes.size() - at)
            return fail(here + " has " + std::to_string(size) + " bytes, of which only " +
                        std::to_string(bytes.size() - at) + " are there");
        if (size % 4 != 0)
            return fail(here + " has " + std::to_string(size) + " bytes, which is no multiple of four");
        const std::string_view content = bytes.substr(at, size);
        at += size;
        if ((index == 0) != (type == jsonType))
            return fail(here + " has type " + typeName(type) + "; the first one, and no other, is JSON");
        if (type == jsonType) {
            glb.json = content;
        } else if (type == binType) {
            if (index != 1) return fail(here + " is of type BIN, which only the second one may be");
            glb.binary = content;
        } else {
            glb.others.push_back({type, std::string(content)});
        }
    }
    if (glb.json.empty()) return fail("there is no JSON in the file");
    return glb;
}

Result<std::string> glbBytes(const Glb& glb)
{
    std::size_t size = headerSize + chunkHeaderSize + roundedUp(glb.json.size());
    if (!glb.binary.empty()) size += chunkHeaderSize + roundedUp(glb.binary.size());
    for (const Glb::Chunk& chunk : glb.others) size += chunkHeaderSize + roundedUp(chunk.bytes.size());
    if (size > std::numeric_limits<std::uint32_t>::max())
        return fileError("", "the file would have " + std::to_string(size) +
                                 " bytes; a GLB file can have 4 GiB at most");

    std::string out;
    out.reserve(size);
    appendUint32(out, magic);
    appendUint32(out, 2);
    appendUint32(out, static_cast<std::uint32_t>(size));
    appendChunk(out, jsonType, glb.json, ' ');
    if (!glb.binary.empty()) appendChunk(out, binType, glb.binary, '\0');
    for (const Glb::Chunk& chunk : glb.others) appendChunk(out, chunk.type, chunk.bytes, '\0');
    return out;
}

}  // namespace sinew
