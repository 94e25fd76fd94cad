#include "sinew/io/gltf/glb.h"

#include <bit>
#include <cstdio>
#include <limits>

#include "sinew/io/file_error.h"
#include "sinew/io/whole_file.h"

namespace sinew {
namespace {

constexpr std::uint32_t glbMagic = 0x46546C67;  // "glTF"
constexpr std::uint32_t jsonType = 0x4E4F534A;  // "JSON"
constexpr std::uint32_t binType = 0x004E4942;   // "BIN\0"
constexpr std::size_t glbHeaderSize = 12, chunkHeaderSize = 8;

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

std::size_t sizeOf(const Glb& glb)
{
    std::size_t size = glbHeaderSize + chunkHeaderSize + roundedUp(glb.json.size());
    if (!glb.binary.empty()) size += chunkHeaderSize + roundedUp(glb.binary.size());
    for (const Glb::Chunk& chunk : glb.others) size += chunkHeaderSize + roundedUp(chunk.bytes.size());
    return size;
}

bool isTooLong(std::size_t size)
{
    return size > std::numeric_limits<std::uint32_t>::max();
}

Diagnostic tooLong(std::size_t size)
{
    return Diagnostic{"the file would have " + std::to_string(size) +
                      " bytes; a GLB file can have 4 GiB at most"};
}

// Hands the file to `write` in pieces.
template <class Write>
void writeChunk(std::uint32_t type, std::string_view bytes, char filler, Write write)
{
    std::string head;
    appendUint32(head, static_cast<std::uint32_t>(roundedUp(bytes.size())));
    appendUint32(head, type);
    write(head);
    write(bytes);
    write(
        std::string(roundedUp(bytes.size()) - bytes.size(), filler));  // chunks start at multiples of four
}

template <class Write>
void writePieces(const Glb& glb, std::size_t size, Write write)
{
    std::string head;
    appendUint32(head, glbMagic);
    appendUint32(head, 2);
    appendUint32(head, static_cast<std::uint32_t>(size));
    write(head);
    writeChunk(jsonType, glb.json, ' ', write);
    if (!glb.binary.empty()) writeChunk(binType, glb.binary, '\0', write);
    for (const Glb::Chunk& chunk : glb.others) writeChunk(chunk.type, chunk.bytes, '\0', write);
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
    return bytes.size() >= 4 && uint32At(bytes, 0) == glbMagic;
}

Result<Glb> parseGlb(std::string_view bytes, const std::string& fileName)
{
    const auto fail = [&](std::string message) { return fileError(fileName, std::move(message)); };
    if (!looksLikeGlb(bytes)) return fail("this is no GLB file: it does not start with \"glTF\"");
    if (bytes.size() < glbHeaderSize) return fail("the file ends inside the header of 12 bytes");
    const std::uint32_t version = uint32At(bytes, 4), length = uint32At(bytes, 8);
    if (version != 2) return fail("GLB version " + std::to_string(version) + "; only version 2 is read");
    if (length != bytes.size())
        return fail("the header tells of " + std::to_string(length) + " bytes, but the file has " +
                    std::to_string(bytes.size()));

    Glb glb;
    std::size_t at = glbHeaderSize;
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
    const std::size_t size = sizeOf(glb);
    if (isTooLong(size)) return tooLong(size);
    std::string out;
    out.reserve(size);
    writePieces(glb, size, [&](std::string_view bytes) { out += bytes; });
    return out;
}

Result<std::uint64_t> writeGlb(const Glb& glb, const std::string& path)
{
    const std::size_t size = sizeOf(glb);
    if (isTooLong(size)) return tooLong(size);
    WholeFile file(path);
    writePieces(glb, size, [&](std::string_view bytes) { file.write(bytes); });
    const std::string fault = file.finish();
    if (!fault.empty()) return Diagnostic{fault};
    return static_cast<std::uint64_t>(size);
}

}  // namespace sinew
