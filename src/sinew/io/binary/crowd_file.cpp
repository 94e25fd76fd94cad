#include "sinew/io/binary/crowd_file.h"

#include <bit>
#include <optional>

#include "sinew/io/binary/little_endian.h"
#include "sinew/io/csv/open_regular.h"
#include "sinew/io/file_error.h"

namespace sinew {
namespace {

constexpr std::string_view crowdMagic = "SINEWCRD";
constexpr std::uint32_t crowdVersion = 1;
constexpr std::size_t fixedCrowdHeader = 40;  // what stands before the names
constexpr std::size_t mostCrowdHeader = std::size_t{64} << 20;

}  // namespace

std::string CrowdHeader::bytes() const
{
    std::string names;
    for (const std::string& name : bodies) {
        appendUnsigned(names, static_cast<std::uint32_t>(name.size()));
        names += name;
    }
    names.append((8 - names.size() % 8) % 8, '\0');
    std::string header(crowdMagic);
    appendUnsigned(header, crowdVersion);
    appendUnsigned(header, static_cast<std::uint32_t>(fixedCrowdHeader + names.size()));
    appendUnsigned(header, characters);
    appendUnsigned(header, static_cast<std::uint32_t>(bodies.size()));
    appendDouble(header, fps);
    appendUnsigned(header, frames);
    return header + names;
}

CrowdWriter::CrowdWriter(const std::string& path, const CrowdHeader& header)
    : file_(path), numbers_(header.numbers())
{
    file_.write(header.bytes());
}

void CrowdWriter::add(double time, const std::vector<float>& poses)
{
    SINEW_ASSERT(poses.size() == numbers_);
    bytes_.clear();
    appendDouble(bytes_, time);
    for (const float x : poses) appendUnsigned(bytes_, std::bit_cast<std::uint32_t>(x));
    file_.write(bytes_);
}

Result<CrowdReader> CrowdReader::open(const std::string& path)
{
    const Result<std::FILE*> stream = openRegular(path);
    if (!stream) return stream.error();
    CrowdReader reader(stream.value(), path);
    if (std::fseek(stream.value(), 0, SEEK_END) != 0) return fileError(path, "cannot be read");
    const long size = std::ftell(stream.value());
    if (size < 0) return fileError(path, "cannot be read");
    const std::string wrong = reader.readHeader(static_cast<std::uint64_t>(size));
    if (!wrong.empty()) return fileError(path, wrong);
    return reader;
}

bool CrowdReader::load(std::uint64_t offset, std::size_t size)
{
    bytes_.resize(size);
    return std::fseek(file_.get(), static_cast<long>(offset), SEEK_SET) == 0 &&
           std::fread(bytes_.data(), 1, size, file_.get()) == size;
}

std::string CrowdReader::readHeader(std::uint64_t fileSize)
{
    if (fileSize < fixedCrowdHeader || !load(0, fixedCrowdHeader) ||
        !std::string_view(bytes_).starts_with(crowdMagic))
        return "is no crowd of Sinew: it does not begin with SINEWCRD";
    const auto number = [&](std::size_t at) { return unsignedAt<std::uint32_t>(bytes_, at); };
    if (number(8) != crowdVersion) return "is of version " + std::to_string(number(8)) + ", not 1";
    start_ = number(12);
    header_.characters = number(16);
    const std::uint32_t bodies = number(20);
    header_.fps = doubleAt(bytes_, 24);
    header_.frames = unsignedAt<std::uint64_t>(bytes_, 32);
    if (start_ < fixedCrowdHeader || start_ > mostCrowdHeader || start_ > fileSize ||
        !load(0, static_cast<std::size_t>(start_)))
        return "its header is damaged";
    std::size_t at = fixedCrowdHeader;
    for (std::uint32_t b = 0; b < bodies; ++b) {
        if (start_ - at < 4) return "its header is damaged";
        const std::uint32_t length = unsignedAt<std::uint32_t>(bytes_, at);
        at += 4;
        if (start_ - at < length) return "its header is damaged";
        header_.bodies.push_back(bytes_.substr(at, length));
        at += length;
    }
    const std::uint64_t frame = header_.frameBytes();
    if ((fileSize - start_) % frame != 0 || (fileSize - start_) / frame != header_.frames)
        return "is cut off: it has not the frames that its header says";
    return {};
}

std::optional<Diagnostic> CrowdReader::frame(std::uint64_t index, double& time, std::vector<float>& poses)
{
    SINEW_ASSERT(index < header_.frames);
    const std::uint64_t size = header_.frameBytes();
    if (!load(start_ + index * size, static_cast<std::size_t>(size)))
        return fileError(name_, "cannot be read");
    time = doubleAt(bytes_, 0);
    poses.resize(header_.numbers());
    for (std::size_t k = 0; k < poses.size(); ++k)
        poses[k] = std::bit_cast<float>(unsignedAt<std::uint32_t>(bytes_, 8 + 4 * k));
    return {};
}

}  // namespace sinew
