// Animations → clips.
#include <set>

#include "sinew/base/words.h"
#include "sinew/io/gltf/convert.h"

namespace sinew::gltf {
namespace {

Track::Quantity quantityOf(Animation::Path path)
{
    return path == Animation::Path::translation ? Track::Quantity::translation
           : path == Animation::Path::rotation  ? Track::Quantity::rotation
                                                : Track::Quantity::scale;
}

std::vector<double> keyTimes(const GltfFile& file, int accessor, Budget& budget)
{
    std::vector<double> times = numbers(file, accessor, Shape::scalar, Numbers::floats, budget);
    const std::string pointer = pointerTo("accessors", static_cast<std::size_t>(accessor));
    if (times.empty()) fail(pointer + "/count", "a clip needs one key at least");
    if (times[0] < 0) fail(pointer, "the time of the first key is negative");
    for (std::size_t i = 1; i < times.size(); ++i)
        if (!(times[i] > times[i - 1]))
            fail(pointer, "the times of keys have to rise; those of " + std::to_string(i - 1) + " and " +
                              std::to_string(i) + " do not");
    return times;
}

Track readTrack(const GltfFile& file, const Animation::Sampler& sampler, Track::Quantity quantity,
                Budget& budget)
{
    Track track;
    track.quantity = quantity;
    track.between = sampler.between;
    track.times = keyTimes(file, sampler.input, budget);
    const bool turns = quantity == Track::Quantity::rotation;
    const bool cubic = sampler.between == Track::Between::cubic;
    const std::size_t wide = turns ? 4 : 3;
    const std::vector<double> values = numbers(file, sampler.output, turns ? Shape::vec4 : Shape::vec3,
                                               Numbers::floatsOrFractions, budget);
    const std::size_t count = values.size() / wide;
    const std::string pointer = pointerTo("accessors", static_cast<std::size_t>(sampler.output));
    if (count != track.times.size() * (cubic ? 3 : 1))
        fail(pointer + "/count", std::to_string(track.times.size()) + " keys need " +
                                     std::to_string(track.times.size() * (cubic ? 3 : 1)) +
                                     " values, found " + std::to_string(count));
    track.values.resize(count, Vec4::Zero());
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < wide; ++j) track.values[i][j] = values[i * wide + j];
        if (!turns || (cubic && i % 3 != 1)) continue;  // tangents may be anything
        const double norm = track.values[i].norm();
        if (!(norm > 0.5 && norm < 2))
            fail(pointer, "element " + std::to_string(i) + " is no unit quaternion");
        if (!cubic) track.values[i] /= norm;  // single precision, or fractions of whole numbers
    }
    return track;
}

}  // namespace

void addClips(const GltfFile& file, Budget& budget, GltfCharacter& character)
{
    const std::vector<Animation>& animations = file.document.animations;
    std::vector<std::string> names, otherwise;
    for (const Animation& animation : animations) {
        otherwise.push_back("clip_" + std::to_string(names.size()));
        names.push_back(animation.name);
    }
    names = uniqueNames(names, otherwise);
    for (std::size_t a = 0; a < animations.size(); ++a) {
        Clip& clip = character.rig.clips.emplace_back();
        clip.name = names[a];
        std::vector<int>& channelOfTrack = character.channelOfTrack.emplace_back();
        std::set<std::pair<int, Animation::Path>> moved;
        for (std::size_t c = 0; c < animations[a].channels.size(); ++c) {
            const Animation::Channel& channel = animations[a].channels[c];
            const std::string pointer = pointerTo("animations", a) + "/channels/" + std::to_string(c);
            if (channel.path == Animation::Path::weights || channel.path == Animation::Path::other) {
                note(
                    character, pointer,
                    "only translation, rotation and scale are read; morph targets and others are left out");
                continue;
            }
            const int bone =
                channel.node < 0 ? -1 : character.boneOfNode[static_cast<std::size_t>(channel.node)];
            if (bone < 0) {
                note(character, pointer, "moves nothing in the default scene and is left out");
                continue;
            }
            if (!moved.insert({bone, channel.path}).second) {
                note(character, pointer, "moves what a channel before it moves already and is left out");
                continue;
            }
            const auto& sampler = animations[a].samplers[static_cast<std::size_t>(channel.sampler)];
            clip.tracks.push_back(readTrack(file, sampler, quantityOf(channel.path), budget));
            clip.tracks.back().bone = bone;
            channelOfTrack.push_back(static_cast<int>(c));
        }
    }
}

}  // namespace sinew::gltf
