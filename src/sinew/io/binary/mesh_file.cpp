#include "sinew/io/binary/mesh_file.h"

#include <cmath>
#include <cstring>

#include "sinew/io/binary/little_endian.h"
#include "sinew/io/csv/open_regular.h"
#include "sinew/io/file_error.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/state/mesh_state.h"

namespace sinew {
namespace {

constexpr std::string_view meshMagic = "SINEWMSH";
constexpr std::uint32_t meshVersion = 1;
constexpr std::size_t fixedMeshHeader = 32;  // what stands before the meshes
constexpr std::size_t meshFrameHead = 16;    // time, number
constexpr std::size_t meshCheckSum = 4;
constexpr std::size_t mostMeshHeader = std::size_t{256} << 20;

bool meshCheckSumFits(std::string_view bytes)
{
    const std::size_t content = bytes.size() - meshCheckSum;
    return crc32(bytes.substr(0, content)) == unsignedAt<std::uint32_t>(bytes, content);
}

}  // namespace

std::size_t MeshFileHeader::vertices() const
{
    std::size_t sum = 0;
    for (const Mesh& mesh : meshes) sum += mesh.vertices;
    return sum;
}

MeshFileHeader meshFileHeader(const Model& model, double fps)
{
    MeshFileHeader header;
    header.fps = fps;
    for (const SpringMesh& mesh : model.meshes) {
        MeshFileHeader::Mesh& out = header.meshes.emplace_back();
        out.name = mesh.name;
        out.vertices = static_cast<std::uint32_t>(mesh.size());
        for (const auto& face : mesh.faces)
            out.faces.push_back({static_cast<std::uint32_t>(face[0]), static_cast<std::uint32_t>(face[1]),
                                 static_cast<std::uint32_t>(face[2])});
    }
    return header;
}

std::string meshHeaderBytes(const MeshFileHeader& header)
{
    std::string meshes;
    for (const MeshFileHeader::Mesh& mesh : header.meshes) {
        appendUnsigned(meshes, mesh.vertices);
        appendUnsigned(meshes, static_cast<std::uint32_t>(mesh.faces.size()));
        appendUnsigned(meshes, static_cast<std::uint32_t>(mesh.name.size()));
        meshes += mesh.name;
        for (const auto& face : mesh.faces)
            for (std::uint32_t corner : face) appendUnsigned(meshes, corner);
    }
    meshes.append((8 - (meshes.size() + meshCheckSum) % 8) % 8, '\0');
    std::string bytes(meshMagic);
    appendUnsigned(bytes, meshVersion);
    appendUnsigned(bytes, static_cast<std::uint32_t>(fixedMeshHeader + meshes.size() + meshCheckSum));
    appendUnsigned(bytes, static_cast<std::uint32_t>(header.meshes.size()));
    appendUnsigned(bytes, std::uint32_t{0});
    appendDouble(bytes, header.fps);
    bytes += meshes;
    appendUnsigned(bytes, crc32(bytes));
    return bytes;
}

void appendMeshFrame(const State& state, double time, double ago, std::uint64_t number, std::string& bytes)
{
    const std::size_t start = bytes.size();
    appendDouble(bytes, time);
    appendUnsigned(bytes, number);
    for (const MeshState& mesh : state.meshes)
        for (int i = 0; i < mesh.x.size(); ++i)
            appendUnsigned(bytes,
                           std::bit_cast<std::uint32_t>(static_cast<float>(mesh.x[i] - ago * mesh.v[i])));
    appendUnsigned(bytes, crc32(std::string_view(bytes).substr(start)));
}

Result<MeshFileReader> MeshFileReader::open(const std::string& path)
{
    const Result<std::FILE*> stream = openRegular(path);
    if (!stream) return stream.error();
    return read(stream.value(), path);
}

Result<MeshFileReader> MeshFileReader::read(std::FILE* stream, const std::string& name)
{
    MeshFileReader reader(stream, name);
    if (std::fseek(stream, 0, SEEK_END) != 0) return reader.fault("cannot be read");
    const long size = std::ftell(stream);
    if (size < 0) return reader.fault("cannot be read");
    const std::string wrong = reader.readHeader(static_cast<std::uint64_t>(size));
    if (!wrong.empty()) return reader.fault(wrong);
    return reader;
}

Diagnostic MeshFileReader::fault(const std::string& what) const
{
    return fileError(name_, what);
}

bool MeshFileReader::load(std::uint64_t offset, std::size_t size)
{
    bytes_.resize(size);
    return std::fseek(file_.get(), static_cast<long>(offset), SEEK_SET) == 0 &&
           std::fread(bytes_.data(), 1, size, file_.get()) == size;
}

std::string MeshFileReader::readHeader(std::uint64_t fileSize)
{
    if (fileSize < fixedMeshHeader || !load(0, fixedMeshHeader) ||
        !std::string_view(bytes_).starts_with(meshMagic))
        return "is not a file of Sinew's meshes: it does not begin with SINEWMSH";
    const auto number = [&](std::size_t at) { return unsignedAt<std::uint32_t>(bytes_, at); };
    if (number(8) != meshVersion)
        return "is of version " + std::to_string(number(8)) + ", only version 1 is known";
    headerSize_ = number(12);
    const std::size_t meshes = number(16);
    if (headerSize_ < fixedMeshHeader + meshCheckSum || headerSize_ % 8 != 0 ||
        headerSize_ > mostMeshHeader || headerSize_ > fileSize)
        return "its header is said to have " + std::to_string(headerSize_) + " bytes, which cannot be";
    if (!load(0, headerSize_)) return "cannot be read";
    if (!meshCheckSumFits(bytes_)) return "its header is damaged: the check sum does not fit";
    header_.fps = doubleAt(bytes_, 24);
    if (!(std::isfinite(header_.fps) && header_.fps >= 0))
        return "its frame rate must be a number, zero or more";
    // Each mesh takes twelve bytes at least, so that the header bounds how many there are.
    if (meshes == 0 || meshes > (headerSize_ - fixedMeshHeader) / 12)
        return "it is said to have " + std::to_string(meshes) + " meshes, which its header cannot name";
    if (std::string wrong = readMeshes(meshes, headerSize_ - meshCheckSum); !wrong.empty()) return wrong;
    frameSize_ = meshFrameHead + std::uint64_t{12} * header_.vertices() + meshCheckSum;
    frames_ = (fileSize - headerSize_) / frameSize_;
    if (frames_ * frameSize_ != fileSize - headerSize_)
        return "is cut off: the last frame is not whole; " + std::to_string(frames_) + " frames are";
    return {};
}

std::string MeshFileReader::readMeshes(std::size_t count, std::size_t end)
{
    std::size_t at = fixedMeshHeader;
    for (std::size_t m = 0; m < count; ++m) {
        if (end - at < 12) return "its header ends within the meshes";
        MeshFileHeader::Mesh& mesh = header_.meshes.emplace_back();
        mesh.vertices = unsignedAt<std::uint32_t>(bytes_, at);
        const std::size_t faces = unsignedAt<std::uint32_t>(bytes_, at + 4),
                          length = unsignedAt<std::uint32_t>(bytes_, at + 8);
        at += 12;
        if (length > end - at || faces > (end - at - length) / 12)
            return "its header ends within the meshes";
        mesh.name = bytes_.substr(at, length);
        at += length;
        mesh.faces.resize(faces);
        for (auto& face : mesh.faces)
            for (std::uint32_t& corner : face) {
                corner = unsignedAt<std::uint32_t>(bytes_, at);
                at += 4;
                if (corner >= mesh.vertices) return "it has a face with a vertex that is not there";
            }
    }
    return {};
}

std::optional<Diagnostic> MeshFileReader::frame(std::uint64_t number, double& time,
                                                std::vector<float>& places)
{
    SINEW_ASSERT(number < frames());
    const std::string where = "frame " + std::to_string(number);
    if (!load(headerSize_ + number * frameSize_, frameSize_)) return fault(where + " cannot be read");
    if (!meshCheckSumFits(bytes_) || unsignedAt<std::uint64_t>(bytes_, 8) != number)
        return fault(where + " is damaged: the check sum does not fit");
    time = doubleAt(bytes_, 0);
    places.resize(3 * header_.vertices());
    bool isFinite = std::isfinite(time);
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = std::bit_cast<float>(unsignedAt<std::uint32_t>(bytes_, meshFrameHead + 4 * i));
        isFinite = isFinite && std::isfinite(places[i]);
    }
    if (!isFinite) return fault(where + " holds a number that is not finite");
    return {};
}

}  // namespace sinew
