#include "sinew/io/binary/trajectory_file.h"

#include <cmath>

#include "sinew/io/binary/little_endian.h"
#include "sinew/io/csv/open_regular.h"
#include "sinew/io/file_error.h"
#include "sinew/rig/resample.h"

namespace sinew {
namespace {

constexpr std::string_view magic = "SINEWTRJ", endMagic = "SINEWEND";
constexpr std::uint32_t version = 1;
constexpr std::size_t fixedHeader = 32;  // what stands before the names
constexpr std::size_t endSize = 24;
constexpr std::size_t poseSize = 7 * 8;
constexpr std::size_t crcSize = 4;
constexpr std::size_t mostHeader = std::size_t{64} << 20;

std::size_t frameSizeFor(std::size_t bodies)
{
    return 8 + bodies * poseSize + 8;  // time, poses, number and check sum
}

void appendCrc(std::string& bytes)
{
    appendUnsigned(bytes, crc32(bytes));
}

// The last four bytes are the check sum of the others.
bool crcFits(std::string_view bytes)
{
    const std::size_t content = bytes.size() - crcSize;
    return crc32(bytes.substr(0, content)) == unsignedAt<std::uint32_t>(bytes, content);
}

}  // namespace

TrajectoryWriter::TrajectoryWriter(const std::string& path, const std::vector<std::string>& bodies,
                                   double fps)
    : file_(path), bodies_(bodies.size())
{
    std::string names;
    for (const std::string& name : bodies) {
        appendUnsigned(names, static_cast<std::uint32_t>(name.size()));
        names += name;
    }
    names.append((8 - (names.size() + crcSize) % 8) % 8, '\0');
    std::string header(magic);
    appendUnsigned(header, version);
    appendUnsigned(header, static_cast<std::uint32_t>(fixedHeader + names.size() + crcSize));
    appendUnsigned(header, static_cast<std::uint32_t>(bodies.size()));
    appendUnsigned(header, static_cast<std::uint32_t>(frameSizeFor(bodies.size())));
    appendDouble(header, fps);
    header += names;
    appendCrc(header);
    file_.write(header);
}

void TrajectoryWriter::add(const Frame& frame)
{
    SINEW_ASSERT(frame.bodies.size() == bodies_);
    bytes_.clear();
    appendDouble(bytes_, frame.time);
    for (const Pose& pose : frame.bodies) {
        for (double x : pose.position) appendDouble(bytes_, x);
        for (double x : pose.orientation.coeffs()) appendDouble(bytes_, x);
    }
    appendUnsigned(bytes_, static_cast<std::uint32_t>(frames_++));
    appendCrc(bytes_);
    file_.write(bytes_);
}

std::string TrajectoryWriter::finish()
{
    std::string end(endMagic);
    appendUnsigned(end, frames_);
    appendUnsigned(end, std::uint32_t{0});
    appendCrc(end);
    file_.write(end);
    return file_.finish();
}

Result<TrajectoryReader> TrajectoryReader::open(const std::string& path)
{
    const Result<std::FILE*> stream = openRegular(path);
    if (!stream) return stream.error();
    return read(stream.value(), path);
}

Result<TrajectoryReader> TrajectoryReader::read(std::FILE* stream, const std::string& name)
{
    TrajectoryReader reader(stream, name);
    if (std::fseek(stream, 0, SEEK_END) != 0) return reader.fault("cannot be read");
    const long size = std::ftell(stream);
    if (size < 0) return reader.fault("cannot be read");
    std::string wrong = reader.readHeader(static_cast<std::uint64_t>(size));
    if (wrong.empty()) wrong = reader.readEnd(static_cast<std::uint64_t>(size));
    if (!wrong.empty()) return reader.fault(wrong);
    return reader;
}

Diagnostic TrajectoryReader::fault(const std::string& what) const
{
    return fileError(name_, what);
}

bool TrajectoryReader::load(std::uint64_t offset, std::size_t size)
{
    bytes_.resize(size);
    return std::fseek(file_.get(), static_cast<long>(offset), SEEK_SET) == 0 &&
           std::fread(bytes_.data(), 1, size, file_.get()) == size;
}

std::string TrajectoryReader::readHeader(std::uint64_t fileSize)
{
    if (fileSize < fixedHeader || !load(0, fixedHeader) || !std::string_view(bytes_).starts_with(magic))
        return "is not a Sinew trajectory: it does not begin with SINEWTRJ";
    const auto number = [&](std::size_t at) { return unsignedAt<std::uint32_t>(bytes_, at); };
    if (number(8) != version)
        return "is of version " + std::to_string(number(8)) + ", only version 1 is known";
    const std::size_t headerSize = number(12), bodies = number(16);
    firstFrame_ = headerSize;
    frameSize_ = number(20);
    fps_ = doubleAt(bytes_, 24);
    if (headerSize < fixedHeader + crcSize || headerSize % 8 != 0 || headerSize > mostHeader ||
        headerSize > fileSize)
        return "its header is said to have " + std::to_string(headerSize) + " bytes, which cannot be";
    if (!load(0, headerSize)) return "cannot be read";
    if (!crcFits(bytes_)) return "its header is damaged: the check sum does not fit";
    if (!(std::isfinite(fps_) && fps_ >= 0)) return "its frame rate must be a number, zero or more";
    // Each name takes four bytes at least, so that the header bounds how many there are.
    if (bodies == 0 || bodies > (headerSize - fixedHeader) / 4)
        return "it is said to have " + std::to_string(bodies) + " bodies, which its header cannot name";
    if (frameSize_ != frameSizeFor(bodies))
        return "its frames are said to have " + std::to_string(frameSize_) + " bytes; " +
               std::to_string(bodies) + " bodies need " + std::to_string(frameSizeFor(bodies));
    bodies_.resize(bodies);
    return readNames(headerSize - crcSize);
}

std::string TrajectoryReader::readNames(std::size_t end)
{
    std::size_t at = fixedHeader;
    for (std::string& name : bodies_) {
        if (end - at < 4) return "its header ends within the names";
        const std::size_t length = unsignedAt<std::uint32_t>(bytes_, at);
        at += 4;
        if (length > end - at) return "its header ends within the names";
        name = bytes_.substr(at, length);
        at += length;
    }
    return {};
}

std::string TrajectoryReader::readEnd(std::uint64_t fileSize)
{
    const std::uint64_t rest = fileSize - firstFrame_;
    const bool hasEnd = rest >= endSize && load(fileSize - endSize, endSize) &&
                        std::string_view(bytes_).starts_with(endMagic) && crcFits(bytes_);
    if (!hasEnd)
        return "is cut off: its end is missing; " + std::to_string(rest / frameSize_) +
               " whole frames are there";
    frames_ = unsignedAt<std::uint64_t>(bytes_, 8);
    if ((rest - endSize) % frameSize_ != 0 || frames_ != (rest - endSize) / frameSize_)
        return "is said to have " + std::to_string(frames_) + " frames, which its size does not fit";
    if (frames_ == 0) return "holds no frames";
    return {};
}

Result<Frame> TrajectoryReader::frame(std::uint64_t number)
{
    SINEW_ASSERT(number < frames_);
    const std::string where = "frame " + std::to_string(number);
    if (!load(firstFrame_ + number * frameSize_, frameSize_)) return fault(where + " cannot be read");
    if (!crcFits(bytes_) ||
        unsignedAt<std::uint32_t>(bytes_, frameSize_ - 8) != static_cast<std::uint32_t>(number))
        return fault(where + " is damaged: the check sum does not fit");
    Frame frame;
    frame.time = doubleAt(bytes_, 0);
    frame.bodies.resize(bodies_.size());
    bool isFinite = std::isfinite(frame.time);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        double x[7];
        for (std::size_t i = 0; i < 7; ++i) x[i] = doubleAt(bytes_, 8 + b * poseSize + 8 * i);
        frame.bodies[b] = {Vec3(x[0], x[1], x[2]), Quat(x[6], x[3], x[4], x[5])};
        isFinite = isFinite && frame.bodies[b].position.allFinite();
        if (!(std::abs(frame.bodies[b].orientation.norm() - 1) < 1e-3))
            return fault(where + ": a quaternion must be of length one");
    }
    if (!isFinite) return fault(where + " holds a number that is not finite");
    return frame;
}

Result<std::uint64_t> TrajectoryReader::frameAt(double time)
{
    std::uint64_t low = 0, high = frames_;  // the answer is in [low, high)
    while (high - low > 1) {
        const std::uint64_t middle = low + (high - low) / 2;
        const Result<Frame> there = frame(middle);
        if (!there) return there.error();
        (there.value().time <= time ? low : high) = middle;
    }
    return low;
}

Result<Trajectory> TrajectoryReader::all()
{
    Trajectory motion;
    motion.reserve(frames_);
    for (std::uint64_t k = 0; k < frames_; ++k) {
        Result<Frame> next = frame(k);
        if (!next) return next.error();
        if (k > 0 && !(next.value().time > motion.back().time))
            return fault("frame " + std::to_string(k) + ": its time must be later than the one before");
        motion.push_back(std::move(next.value()));
    }
    return motion;
}

Result<std::uint64_t> writeTrajectoryFile(const std::string& path, const std::vector<std::string>& bodies,
                                          const Trajectory& motion)
{
    TrajectoryWriter writer(path, bodies, evenRate(motion));
    for (const Frame& frame : motion) writer.add(frame);
    const std::string fault = writer.finish();
    if (!fault.empty()) return Diagnostic{fault};
    return writer.size();
}

}  // namespace sinew
