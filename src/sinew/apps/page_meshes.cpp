#include "sinew/apps/page_meshes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/apps/page_text.h"
#include "sinew/io/base64.h"
#include "sinew/io/binary/little_endian.h"
#include "sinew/io/binary/mesh_file.h"
#include "sinew/io/json/json.h"

namespace sinew {
namespace {

constexpr double mostMeshText = 24e6;  // characters of base64

std::string meshListText(const MeshFileHeader& header)
{
    std::string text = "[";
    for (std::size_t m = 0; m < header.meshes.size(); ++m) {
        const MeshFileHeader::Mesh& mesh = header.meshes[m];
        std::string faces;
        for (const auto& face : mesh.faces)
            for (std::uint32_t corner : face) appendUnsigned(faces, corner);
        text += fmt::format("{}{{\"name\": {}, \"vertices\": {}, \"faces\": \"{}\"}}", m > 0 ? ", " : "",
                            scriptText(mesh.name), mesh.vertices, base64Text(faces));
    }
    return text + "]";
}

std::string threeNumbers(const float* numbers)
{
    return fmt::format("[{}, {}, {}]", json::numberText(numbers[0]), json::numberText(numbers[1]),
                       json::numberText(numbers[2]));
}

}  // namespace

std::string writeMeshes(WholeFile& page, const std::string& path, std::uint64_t frames, std::uint64_t every,
                        MeshExtent& extent)
{
    Result<MeshFileReader> opened = MeshFileReader::open(path);
    if (!opened) return opened.error().text();
    MeshFileReader& reader = opened.value();
    if (reader.frames() != frames)
        return fmt::format("{}: has {} frames and the tables have {}: one of them is cut off", path,
                           reader.frames(), frames);
    const std::uint64_t shown = (frames + every - 1) / every;
    const double text =
        static_cast<double>(shown) * 6 * static_cast<double>(reader.header().vertices()) * 4 / 3;
    if (text > mostMeshText) extent.every = static_cast<std::uint64_t>(std::ceil(text / mostMeshText));
    const std::uint64_t stride = every * extent.every;

    // Numbers of 16 bits over the box that holds all of them.
    float low[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF}, high[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    double time = 0;
    std::vector<float> places;
    for (std::uint64_t k = 0; k < frames; k += stride) {
        if (const auto fault = reader.frame(k, time, places)) return fault->text();
        for (std::size_t i = 0; i < places.size(); ++i) {
            low[i % 3] = std::min(low[i % 3], places[i]);
            high[i % 3] = std::max(high[i % 3], places[i]);
        }
    }
    page.write(fmt::format("{{\"every\": {}, \"list\": {}, \"low\": {}, \"high\": {}, \"values\": \"",
                           extent.every, meshListText(reader.header()), threeNumbers(low),
                           threeNumbers(high)));
    std::string packed;
    for (std::uint64_t k = 0; k < frames; k += stride) {
        if (const auto fault = reader.frame(k, time, places)) return fault->text();
        for (std::size_t i = 0; i < places.size(); ++i) {
            const float span = high[i % 3] - low[i % 3];
            const float part = span > 0 ? (places[i] - low[i % 3]) / span : 0;
            appendUnsigned(packed, static_cast<std::uint16_t>(std::clamp(part, 0.f, 1.f) * 65535 + 0.5f));
        }
        const std::size_t whole = packed.size() / 3 * 3;
        page.write(base64Text(std::string_view(packed).substr(0, whole)));
        packed.erase(0, whole);
    }
    page.write(base64Text(packed) + "\"}");
    return {};
}

}  // namespace sinew
