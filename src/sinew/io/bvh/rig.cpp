#include "sinew/io/bvh/rig.h"

#include "sinew/io/bvh/euler.h"

namespace sinew::bvh {
namespace {

// The name of a file without its folder and ".bvh".
std::string stemOf(const std::string& path)
{
    std::string name = path.substr(path.find_last_of('/') + 1);
    constexpr std::size_t extension = 4;
    if (name.size() > extension) {
        const std::string ending = name.substr(name.size() - extension);
        if (ending == ".bvh" || ending == ".BVH" || ending == ".Bvh") name.resize(name.size() - extension);
    }
    return name;
}

// The frames of a joint: its channels are columns of the table of values.
struct Columns {
    const Document& document;
    const Joint& joint;
    std::size_t first, width;

    double at(std::size_t frame, std::size_t channel) const
    {
        return document.values[frame * width + first + channel];
    }
    bool hasAny(bool rotations) const
    {
        for (Channel channel : joint.channels)
            if (isRotation(channel) == rotations) return true;
        return false;
    }
};

std::vector<Vec4> rotations(const Columns& columns, std::size_t frames)
{
    const std::vector<Channel>& channels = columns.joint.channels;
    std::vector<Vec4> result(frames);
    Quat last = Quat::Identity();
    for (std::size_t f = 0; f < frames; ++f) {
        Quat rotation = Quat::Identity();
        for (std::size_t c = 0; c < channels.size(); ++c)
            if (isRotation(channels[c]))
                rotation = rotation * turn(axisOf(channels[c]), columns.at(f, c) * pi / 180);
        rotation.normalize();
        // Of the two quaternions of a rotation the one on the side of the last frame's.
        if (rotation.dot(last) < 0) rotation.coeffs() *= -1;
        last = rotation;
        result[f] = rotation.coeffs();
    }
    return result;
}

std::vector<Vec4> translations(const Columns& columns, std::size_t frames)
{
    const std::vector<Channel>& channels = columns.joint.channels;
    const Vec3& offset = columns.joint.offset;
    std::vector<Vec4> result(frames, Vec4(offset.x(), offset.y(), offset.z(), 0));
    for (std::size_t c = 0; c < channels.size(); ++c)
        if (!isRotation(channels[c]))
            for (std::size_t f = 0; f < frames; ++f) result[f][axisOf(channels[c])] = columns.at(f, c);
    return result;
}

}  // namespace

Rig toRig(const Document& document, const std::string& clipName)
{
    Rig rig;
    for (const Joint& joint : document.joints) {
        Bone bone;
        bone.name = joint.name;
        bone.parent = joint.parent;
        bone.rest.translation = joint.offset;
        bone.ends = joint.ends;
        rig.bones.push_back(std::move(bone));
    }
    if (document.frames == 0) return rig;

    Clip clip;
    clip.name = clipName;
    const auto frames = static_cast<std::size_t>(document.frames);
    const std::size_t width = document.channelCount();
    std::vector<double> times;  // only if there is something that moves
    if (width > 0)
        for (std::size_t f = 0; f < frames; ++f)
            times.push_back(static_cast<double>(f) * document.frameTime);

    std::size_t column = 0;
    for (std::size_t j = 0; j < document.joints.size(); ++j) {
        const Columns columns{document, document.joints[j], column, width};
        const auto add = [&](Track::Quantity quantity, std::vector<Vec4> values) {
            clip.tracks.push_back({.bone = static_cast<int>(j),
                                   .quantity = quantity,
                                   .between = Track::Between::linear,
                                   .times = times,
                                   .values = std::move(values)});
        };
        if (columns.hasAny(false)) add(Track::Quantity::translation, translations(columns, frames));
        if (columns.hasAny(true)) add(Track::Quantity::rotation, rotations(columns, frames));
        column += columns.joint.channels.size();
    }
    rig.clips.push_back(std::move(clip));
    return rig;
}

Result<Rig> readRig(const std::string& path)
{
    const Result<Document> document = read(path);
    if (!document) return document.error();
    return toRig(document.value(), stemOf(path));
}

}  // namespace sinew::bvh
