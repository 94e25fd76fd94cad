// Binary trajectories: the bytes as they come, and once more with check sums that fit, since few spoilt
// bytes would get past them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "sinew/io/binary/little_endian.h"
#include "sinew/io/binary/trajectory_file.h"

using namespace sinew;

namespace {

void readAll(std::string& bytes)
{
    std::FILE* stream = fmemopen(bytes.data(), bytes.size(), "rb");
    if (!stream) std::abort();
    Result<TrajectoryReader> reader = TrajectoryReader::read(stream, "fuzz");
    if (!reader) return;
    if (reader.value().frames() > bytes.size() || reader.value().bodies().size() > bytes.size())
        std::abort();
    const Result<std::uint64_t> middle = reader.value().frameAt(0.5);
    if (middle && middle.value() >= reader.value().frames()) std::abort();
    const Result<Trajectory> motion = reader.value().all();
    if (motion && motion.value().size() != reader.value().frames()) std::abort();
}

void fixCrc(std::string& bytes, std::size_t from, std::size_t size)
{
    if (size < 4 || from + size > bytes.size()) return;
    std::string sum;
    appendUnsigned(sum, crc32(std::string_view(bytes).substr(from, size - 4)));
    bytes.replace(from + size - 4, 4, sum);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) return 0;  // fmemopen has no empty files
    std::string bytes(reinterpret_cast<const char*>(data), size);
    readAll(bytes);
    if (size < 32) return 0;
    const std::size_t header = unsignedAt<std::uint32_t>(bytes, 12),
                      frame = unsignedAt<std::uint32_t>(bytes, 20);
    fixCrc(bytes, 0, header);
    if (frame > 8)
        for (std::size_t at = header; at + frame + 24 <= size; at += frame) fixCrc(bytes, at, frame);
    fixCrc(bytes, size - 24, 24);
    readAll(bytes);
    return 0;
}
