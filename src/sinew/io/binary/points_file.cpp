#include "sinew/io/binary/points_file.h"

#include <cmath>
#include <cstring>

#include "sinew/io/binary/little_endian.h"
#include "sinew/io/csv/open_regular.h"
#include "sinew/io/file_error.h"
#include "sinew/model/particles.h"

namespace sinew {
namespace {

constexpr std::string_view pointsMagic = "SINEWPTS";
constexpr std::uint32_t pointsVersion = 1;
constexpr std::size_t fixedPointsHeader = 32;  // what stands before the systems
constexpr std::size_t frameHead = 24;          // size, time, number, nothing; then the counts
constexpr std::size_t crcBytes = 4;
constexpr std::size_t mostPointsHeader = std::size_t{16} << 20;
enum Flags : std::uint32_t { hasVelocities = 1, castsShadow = 1, emits = 2 };

void appendCheckSum(std::string& bytes, std::size_t from)
{
    appendUnsigned(bytes, crc32(std::string_view(bytes).substr(from)));
}

bool checkSumFits(std::string_view bytes)
{
    const std::size_t content = bytes.size() - crcBytes;
    return crc32(bytes.substr(0, content)) == unsignedAt<std::uint32_t>(bytes, content);
}

// Rows of four-byte numbers, little-endian as every machine we run on.
template <class Number>
void appendRow(std::string& bytes, const std::vector<Number>& row)
{
    static_assert(sizeof(Number) == 4 && std::endian::native == std::endian::little);
    bytes.append(reinterpret_cast<const char*>(row.data()), 4 * row.size());
}

template <class Number>
void takeRow(std::string_view& bytes, std::size_t count, std::vector<Number>& row)
{
    row.resize(count);
    if (count > 0) std::memcpy(row.data(), bytes.data(), 4 * count);
    bytes.remove_prefix(4 * count);
}

bool areFinite(const std::vector<float>& row)
{
    for (float x : row)
        if (!std::isfinite(x)) return false;
    return true;
}

}  // namespace

PointsHeader pointsHeader(const Model& model, double fps, bool velocities)
{
    PointsHeader header;
    header.fps = fps;
    header.velocities = velocities;
    for (const ParticleSystem& system : model.particles)
        header.systems.push_back({system.name, system.shape, system.shadow, system.emission});
    return header;
}

void recordPoints(const Model& model, const State& state, bool velocities, double ago, PointsFrame& frame)
{
    frame.time = state.time - ago;
    frame.systems.resize(model.particles.size());
    const ParticleState none;
    for (std::size_t i = 0; i < model.particles.size(); ++i)
        lookAt(model.particles[i], i < state.particles.size() ? state.particles[i] : none, velocities,
               frame.systems[i], ago);
}

std::string pointsHeaderBytes(const PointsHeader& header)
{
    std::string systems;
    for (const PointsHeader::System& system : header.systems) {
        appendUnsigned(systems, static_cast<std::uint32_t>(system.shape));
        appendUnsigned(systems, (system.shadow ? castsShadow : 0u) | (system.emission ? emits : 0u));
        appendUnsigned(systems, static_cast<std::uint32_t>(system.name.size()));
        systems += system.name;
    }
    systems.append((8 - (systems.size() + crcBytes) % 8) % 8, '\0');
    std::string bytes(pointsMagic);
    appendUnsigned(bytes, pointsVersion);
    appendUnsigned(bytes, static_cast<std::uint32_t>(fixedPointsHeader + systems.size() + crcBytes));
    appendUnsigned(bytes, static_cast<std::uint32_t>(header.systems.size()));
    appendUnsigned(bytes, header.velocities ? hasVelocities : 0u);
    appendDouble(bytes, header.fps);
    bytes += systems;
    appendCheckSum(bytes, 0);
    return bytes;
}

void appendPointsFrame(const PointsFrame& frame, std::uint64_t number, std::string& bytes)
{
    const std::size_t start = bytes.size();
    std::size_t size = frameHead + 4 * frame.systems.size() + crcBytes;
    for (const ParticleLook& look : frame.systems)
        size += 4 * (look.places.size() + look.velocities.size() + look.sizes.size() + look.colors.size() +
                     look.ids.size());
    bytes.reserve(start + size);
    appendUnsigned(bytes, static_cast<std::uint64_t>(size));
    appendDouble(bytes, frame.time);
    appendUnsigned(bytes, static_cast<std::uint32_t>(number));
    appendUnsigned(bytes, std::uint32_t{0});
    for (const ParticleLook& look : frame.systems)
        appendUnsigned(bytes, static_cast<std::uint32_t>(look.count()));
    for (const ParticleLook& look : frame.systems) {
        appendRow(bytes, look.places);
        appendRow(bytes, look.velocities);
        appendRow(bytes, look.sizes);
        appendRow(bytes, look.colors);
        appendRow(bytes, look.ids);
    }
    appendCheckSum(bytes, start);
}

PointsWriter::PointsWriter(const std::string& path, const PointsHeader& header) : file_(path)
{
    file_.write(pointsHeaderBytes(header));
}

void PointsWriter::add(const PointsFrame& frame)
{
    bytes_.clear();
    appendPointsFrame(frame, frames_++, bytes_);
    file_.write(bytes_);
}

std::string PointsWriter::finish()
{
    return file_.finish();
}

Result<PointsReader> PointsReader::open(const std::string& path)
{
    const Result<std::FILE*> stream = openRegular(path);
    if (!stream) return stream.error();
    return read(stream.value(), path);
}

Result<PointsReader> PointsReader::read(std::FILE* stream, const std::string& name)
{
    PointsReader reader(stream, name);
    if (std::fseek(stream, 0, SEEK_END) != 0) return reader.fault("cannot be read");
    const long size = std::ftell(stream);
    if (size < 0) return reader.fault("cannot be read");
    std::string wrong = reader.readHeader(static_cast<std::uint64_t>(size));
    if (wrong.empty()) wrong = reader.findFrames(static_cast<std::uint64_t>(size));
    if (!wrong.empty()) return reader.fault(wrong);
    return reader;
}

Diagnostic PointsReader::fault(const std::string& what) const
{
    return fileError(name_, what);
}

bool PointsReader::load(std::uint64_t offset, std::size_t size)
{
    bytes_.resize(size);
    return std::fseek(file_.get(), static_cast<long>(offset), SEEK_SET) == 0 &&
           std::fread(bytes_.data(), 1, size, file_.get()) == size;
}

std::string PointsReader::readHeader(std::uint64_t fileSize)
{
    if (fileSize < fixedPointsHeader || !load(0, fixedPointsHeader) ||
        !std::string_view(bytes_).starts_with(pointsMagic))
        return "is not a file of Sinew's particles: it does not begin with SINEWPTS";
    const auto number = [&](std::size_t at) { return unsignedAt<std::uint32_t>(bytes_, at); };
    if (number(8) != pointsVersion)
        return "is of version " + std::to_string(number(8)) + ", only version 1 is known";
    headerSize_ = number(12);
    const std::size_t systems = number(16);
    const std::uint32_t flags = number(20);
    header_.fps = doubleAt(bytes_, 24);
    if (headerSize_ < fixedPointsHeader + crcBytes || headerSize_ % 8 != 0 ||
        headerSize_ > mostPointsHeader || headerSize_ > fileSize)
        return "its header is said to have " + std::to_string(headerSize_) + " bytes, which cannot be";
    if (!load(0, headerSize_)) return "cannot be read";
    if (!checkSumFits(bytes_)) return "its header is damaged: the check sum does not fit";
    if (!(std::isfinite(header_.fps) && header_.fps >= 0))
        return "its frame rate must be a number, zero or more";
    if (flags > hasVelocities) return "it has flags that version 1 does not know";
    header_.velocities = flags == hasVelocities;
    // Each system takes twelve bytes at least, so that the header bounds how many there are.
    if (systems == 0 || systems > (headerSize_ - fixedPointsHeader) / 12)
        return "it is said to have " + std::to_string(systems) + " systems, which its header cannot name";
    header_.systems.resize(systems);
    return readSystems(headerSize_ - crcBytes);
}

std::string PointsReader::readSystems(std::size_t end)
{
    std::size_t at = fixedPointsHeader;
    for (PointsHeader::System& system : header_.systems) {
        if (end - at < 12) return "its header ends within the systems";
        const std::uint32_t shape = unsignedAt<std::uint32_t>(bytes_, at),
                            flags = unsignedAt<std::uint32_t>(bytes_, at + 4);
        const std::size_t length = unsignedAt<std::uint32_t>(bytes_, at + 8);
        at += 12;
        if (length > end - at) return "its header ends within the systems";
        if (shape > 3 || flags > (castsShadow | emits))
            return "it has particles of a kind that is not known";
        system.name = bytes_.substr(at, length);
        system.shape = static_cast<ParticlesDescription::Shape>(shape);
        system.shadow = flags & castsShadow;
        system.emission = flags & emits;
        at += length;
    }
    return {};
}

std::string PointsReader::findFrames(std::uint64_t fileSize)
{
    const std::size_t head = frameHead + 4 * header_.systems.size();
    for (std::uint64_t at = headerSize_; at < fileSize;) {
        const std::string where = "frame " + std::to_string(starts_.size());
        if (fileSize - at < head + crcBytes || !load(at, head))
            return "is cut off: " + where + " is not whole; " + std::to_string(starts_.size()) +
                   " frames are";
        const std::uint64_t size = unsignedAt<std::uint64_t>(bytes_, 0);
        std::uint64_t wanted = head + crcBytes;
        for (std::size_t i = 0; i < header_.systems.size(); ++i)
            wanted += std::uint64_t{bytesEach()} * unsignedAt<std::uint32_t>(bytes_, frameHead + 4 * i);
        if (size != wanted)
            return where + " is said to have " + std::to_string(size) + " bytes, which cannot be";
        if (size > fileSize - at)
            return "is cut off: " + where + " is not whole; " + std::to_string(starts_.size()) +
                   " frames are";
        starts_.push_back(at);
        sizes_.push_back(size);
        at += size;
    }
    return {};
}

Result<PointsReader::Outline> PointsReader::outline(std::uint64_t number)
{
    SINEW_ASSERT(number < frames());
    if (!load(starts_[number], frameHead + 4 * header_.systems.size()))
        return fault("frame " + std::to_string(number) + " cannot be read");
    Outline outline;
    outline.time = doubleAt(bytes_, 8);
    for (std::size_t i = 0; i < header_.systems.size(); ++i)
        outline.counts.push_back(unsignedAt<std::uint32_t>(bytes_, frameHead + 4 * i));
    return outline;
}

std::optional<Diagnostic> PointsReader::frame(std::uint64_t number, PointsFrame& frame)
{
    SINEW_ASSERT(number < frames());
    const std::string where = "frame " + std::to_string(number);
    if (!load(starts_[number], sizes_[number])) return fault(where + " cannot be read");
    if (!checkSumFits(bytes_) ||
        unsignedAt<std::uint32_t>(bytes_, 16) != static_cast<std::uint32_t>(number))
        return fault(where + " is damaged: the check sum does not fit");
    frame.time = doubleAt(bytes_, 8);
    frame.systems.resize(header_.systems.size());
    bool isFinite = std::isfinite(frame.time);
    std::string_view rest = std::string_view(bytes_).substr(frameHead + 4 * header_.systems.size());
    for (std::size_t i = 0; i < header_.systems.size(); ++i) {
        const std::size_t count = unsignedAt<std::uint32_t>(bytes_, frameHead + 4 * i);
        ParticleLook& look = frame.systems[i];
        takeRow(rest, 3 * count, look.places);
        takeRow(rest, header_.velocities ? 3 * count : 0, look.velocities);
        takeRow(rest, count, look.sizes);
        takeRow(rest, count, look.colors);
        takeRow(rest, count, look.ids);
        isFinite =
            isFinite && areFinite(look.places) && areFinite(look.velocities) && areFinite(look.sizes);
    }
    if (!isFinite) return fault(where + " holds a number that is not finite");
    return {};
}

}  // namespace sinew
