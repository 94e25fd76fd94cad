#include "sinew/io/gltf/buffers.h"

#include <charconv>

#include "sinew/io/base64.h"
#include "sinew/io/gltf/cursor.h"

namespace sinew::gltf {
namespace {

std::string embeddedBytes(std::string_view uri, const std::string& pointer)
{
    constexpr std::string_view mark = ";base64,";
    const std::size_t comma = uri.find(',');
    if (comma == std::string_view::npos || !uri.substr(0, comma + 1).ends_with(mark))
        fail(pointer, "a data: URI has to be base64: \"data:application/octet-stream;base64,…\"");
    std::optional<std::string> bytes = base64Bytes(uri.substr(comma + 1));
    if (!bytes) fail(pointer, "the text after \";base64,\" is not base64, or not whole");
    return std::move(*bytes);
}

// What meshopt made smaller, in all no more than a file may be large.
void unpackViews(GltfFile& file)
{
    std::uint64_t left = maxGltfSize;
    for (std::size_t v = 0; v < file.document.views.size(); ++v) {
        BufferView& view = file.document.views[v];
        if (!view.compressed) continue;
        const MeshoptView& how = *view.compressed;
        const std::string pointer = pointerTo("bufferViews", v);
        const Buffer& buffer = file.document.buffers[static_cast<std::size_t>(how.buffer)];
        const std::string_view all = file.bytes(buffer);
        if (how.offset > all.size() || how.length > all.size() - how.offset)
            fail(pointer, "the compressed data ends beyond the " + std::to_string(all.size()) +
                              " bytes of its buffer");
        if (how.stride <= 256 && (how.count > left || how.stride * how.count > left))
            fail(pointer, "what is unpacked is more than 1 GiB in all");
        Result<std::string> bytes = meshoptBytes(how, all.substr(how.offset, how.length));
        if (!bytes) fail(pointer, bytes.error().message);
        view.unpacked = std::move(bytes.value());
        left -= view.unpacked.size();
    }
}

}  // namespace

std::string percentDecoded(std::string_view uri)
{
    std::string out;
    for (std::size_t i = 0; i < uri.size(); ++i) {
        int code = 0;
        const std::string_view digits = uri.substr(i).substr(1, 2);
        const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (uri[i] == '%' && digits.size() == 2 && problem == std::errc() && end == digits.data() + 2 &&
            digits[0] != '-') {
            out += static_cast<char>(code);
            i += 2;
        } else {
            out += uri[i];
        }
    }
    return out;
}

void loadBuffers(GltfFile& file, const ReadBeside& readBeside)
{
    std::size_t left = maxGltfSize;  // for all files together, however often they are named
    for (std::size_t b = 0; b < file.document.buffers.size(); ++b) {
        Buffer& buffer = file.document.buffers[b];
        const std::string pointer = pointerTo("buffers", b);
        if (buffer.uri.empty()) {
            // Only the first one can be the chunk. Others without a URI are left to extensions; who needs
            // their bytes will find that they have none.
            buffer.inChunk = file.isGlb && b == 0 && !file.container.binary.empty();
            if (!buffer.inChunk) continue;
        } else if (buffer.uri.starts_with("data:")) {
            buffer.bytes = embeddedBytes(buffer.uri, pointer + "/uri");
            buffer.uri = "data:";  // the text of the file has it all
        } else {
            buffer.file = percentDecoded(buffer.uri);
            Result<std::string> bytes = readBeside(buffer.file, left);
            if (!bytes) fail(pointer + "/uri", bytes.error().message);
            buffer.bytes = std::move(bytes.value());
            left -= std::min(left, buffer.bytes.size());
        }
        const std::size_t present = file.bytes(buffer).size();
        if (present < buffer.length)
            fail(pointer + "/byteLength", "the buffer should have " + std::to_string(buffer.length) +
                                              " bytes, but only " + std::to_string(present) + " are there");
    }
    unpackViews(file);
}

}  // namespace sinew::gltf
