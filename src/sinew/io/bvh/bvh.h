// BVH (Biovision hierarchy) as syntax: text → Document → text. What it means as a rig is told by rig.h.
//
// The format was never written down by its makers, so readers must be generous: keywords in any case, names
// with colons and spaces, any line ends, `Frames:` with or without the colon, several ROOTs. What may not
// be guessed at is refused with line and column: frames that are too short or too many, numbers that are
// not finite, channels that stand twice.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/math/types.h"

namespace sinew::bvh {

enum class Channel : unsigned char { xPosition, yPosition, zPosition, xRotation, yRotation, zRotation };

inline bool isRotation(Channel channel)
{
    return channel >= Channel::xRotation;
}
// 0, 1, 2 for x, y, z.
inline int axisOf(Channel channel)
{
    return static_cast<int>(channel) % 3;
}

struct Joint {
    std::string name;  // own to each joint; UTF-8
    int parent = -1;   // an earlier one in the list; -1 for a ROOT
    Vec3 offset = Vec3::Zero();
    std::vector<Channel> channels;  // each at most once
    std::vector<Vec3> ends;         // the offsets of its End Sites
};

struct Document {
    std::vector<Joint> joints;  // in the order of the file, which is depth first: so come a frame's numbers
    int frames = 0;
    double frameTime = 0;  // s
    std::vector<double>
        values;  // frame by frame, channel by channel; degrees, and the file's unit of length

    std::size_t channelCount() const;  // of all joints
};

// Bounds the time and memory that a file can take.
inline constexpr std::size_t maxFileSize = std::size_t{64} << 20;
inline constexpr int maxJoints = 10'000;
inline constexpr int maxDepth = 256;
inline constexpr int maxFrames = 10'000'000;
inline constexpr std::size_t maxValues = 16'000'000;  // frames × channels
inline constexpr double maxNumber = 1e12;             // sums along a skeleton stay finite by far
inline constexpr double maxFrameTime = 1e6;           // s

// `fileName` is for messages only.
Result<Document> parse(std::string_view text, const std::string& fileName);
Result<Document> read(const std::string& path);

// Numbers have as many digits as it takes to read back the same bits.
std::string write(const Document& document);

}  // namespace sinew::bvh
