#include "sinew/io/gltf/add_clip.h"

#include <cmath>

#include "sinew/base/words.h"
#include "sinew/io/base64.h"
#include "sinew/io/gltf/addition.h"

namespace sinew {
namespace gltf {
namespace {

constexpr const char* pathWords[] = {"translation", "rotation", "scale",
                                     "weights"};  // in the order of Path
constexpr const char* betweenWords[] = {"STEP", "LINEAR", "CUBICSPLINE"};

}  // namespace

std::string member(std::string_view key, const std::string& value)
{
    return "\"" + std::string(key) + "\":" + value;
}
std::string member(std::string_view key, std::size_t value)
{
    return member(key, std::to_string(value));
}
std::string joinedBy(const std::vector<std::string>& texts)
{
    std::string out;
    for (const std::string& text : texts) out += (out.empty() ? "" : ",") + text;
    return out;
}
std::string listOf(const double* numbers, std::size_t count)
{
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) texts.push_back(json::numberText(numbers[i]));
    return "[" + joinedBy(texts) + "]";
}

Addition::Addition(const GltfFile& file, const GltfCharacter& character, const ClipAddition& addition)
    : file_(file),
      character_(character),
      addition_(addition),
      text_(file.container.json),
      root_(rootSpan(text_)),
      members_(memberSpans(text_, root_))
{
}

std::string Addition::run(bool replace)
{
    if (addition_.clip.name.empty()) fail("", "the new clip needs a name");
    if (addition_.clip.tracks.empty() && addition_.taken.empty() && !addition_.morphs)
        failHere("a clip that moves nothing cannot be written");
    const int same = sameName(replace);
    for (const Track& track : addition_.clip.tracks) add(track);
    for (const ClipAddition::Taken& taken : addition_.taken) take(taken);
    if (addition_.morphs) addMorphs(*addition_.morphs, same);

    const std::string animation = "{" + member("name", json::stringText(addition_.clip.name)) + "," +
                                  member("channels", "[" + joinedBy(channels_) + "]") + "," +
                                  member("samplers", "[" + joinedBy(samplers_) + "]") + "}";
    if (same >= 0)
        edits_.push_back(
            {itemSpans(text_, *list("animations"))[static_cast<std::size_t>(same)], animation});
    else
        append("animations", {animation});

    Glb out;
    if (!data_.empty()) out.binary = addData();
    out.json = edited(text_, std::move(edits_));
    if (out.json.size() > json::maxFileSize)
        fail("", "the JSON text would have more than 64 MiB; save the character as .glb");
    if (!file_.isGlb) return std::move(out.json);
    if (out.binary.empty()) out.binary = file_.container.binary;
    out.others = file_.container.others;
    Result<std::string> bytes = glbBytes(out);
    if (!bytes) fail("", bytes.error().message);
    return std::move(bytes.value());
}

void Addition::failHere(const std::string& message) const
{
    fail("", "clip " + words::quoted(addition_.clip.name) + ": " + message);
}

std::optional<Span> Addition::list(std::string_view name) const
{
    for (const MemberSpan& found : members_)
        if (found.key == name) return found.value;
    return {};
}

void Addition::append(std::string_view name, const std::vector<std::string>& items)
{
    if (const std::optional<Span> found = list(name))
        edits_.push_back(appended(text_, *found, joinedBy(items)));
    else
        edits_.push_back(appended(text_, root_, member(name, "[" + joinedBy(items) + "]")));
}

// The animation that is to be replaced; -1: none.
int Addition::sameName(bool replace) const
{
    for (std::size_t a = 0; a < file_.document.animations.size(); ++a) {
        if (character_.rig.clips[a].name != addition_.clip.name) continue;
        if (!replace)
            fail(pointerTo("animations", a),
                 "there is a clip " + words::quoted(addition_.clip.name) +
                     " already; give another name, or ask for it to be replaced");
        return static_cast<int>(a);
    }
    return -1;
}

void Addition::add(const Track& track)
{
    SINEW_ASSERT(track.bone >= 0 && static_cast<std::size_t>(track.bone) < character_.nodeOfBone.size());
    const bool cubic = track.between == Track::Between::cubic;
    SINEW_ASSERT(!track.times.empty() && track.values.size() == track.times.size() * (cubic ? 3 : 1));
    const int node = character_.nodeOfBone[static_cast<std::size_t>(track.bone)];
    claim(node, static_cast<Animation::Path>(track.quantity));
    withoutMatrix(node);
    // A single key has no use for tangents, and the standard none for such a curve.
    const bool single = cubic && track.times.size() == 1;
    const std::size_t input = timesAccessor(track.times), output = valuesAccessor(track, single);
    const auto between = static_cast<int>(single ? Track::Between::step : track.between);
    addChannel(node, pathWords[static_cast<int>(track.quantity)], input, output, betweenWords[between]);
}

void Addition::addChannel(int node, const char* path, std::size_t input, std::size_t output,
                          const char* between)
{
    channels_.push_back("{" + member("sampler", samplers_.size()) + "," +
                        member("target", "{" + member("node", static_cast<std::size_t>(node)) + "," +
                                             member("path", "\"" + std::string(path) + "\"") + "}") +
                        "}");
    samplers_.push_back("{" + member("input", input) + "," +
                        member("interpolation", "\"" + std::string(between) + "\"") + "," +
                        member("output", output) + "}");
}

// The texts of the channel's target and of its sampler are the file's own, with all that they may hold.
void Addition::take(const ClipAddition::Taken& taken)
{
    const auto a = static_cast<std::size_t>(taken.animation), c = static_cast<std::size_t>(taken.channel);
    SINEW_ASSERT(a < file_.document.animations.size() && c < file_.document.animations[a].channels.size());
    const Animation::Channel& channel = file_.document.animations[a].channels[c];
    if (channel.path != Animation::Path::other) claim(channel.node, channel.path);
    const auto& [channels, samplers] = spansOf(taken.animation);
    const auto [known, isNew] =
        takenSamplers_.insert({{taken.animation, channel.sampler}, samplers_.size()});
    if (isNew) samplers_.emplace_back(samplers[static_cast<std::size_t>(channel.sampler)].of(text_));
    channels_.push_back(
        "{" + member("sampler", known->second) + "," +
        member("target", std::string(memberValue(text_, channels[c], "target")->of(text_))) + "}");
}

const std::pair<std::vector<Span>, std::vector<Span>>& Addition::spansOf(int index)
{
    if (!spans_.contains(index)) {
        const Span animation = itemSpans(text_, *list("animations"))[static_cast<std::size_t>(index)];
        spans_[index] = {itemSpans(text_, *memberValue(text_, animation, "channels")),
                         itemSpans(text_, *memberValue(text_, animation, "samplers"))};
    }
    return spans_[index];
}

void Addition::claim(int node, Animation::Path path)
{
    if (!claimed_.insert({node, path}).second)
        failHere("two tracks move the " + std::string(pathWords[static_cast<int>(path)]) + " of node " +
                 std::to_string(node));
}

void Addition::withoutMatrix(int index)
{
    const Node& node = file_.document.nodes[static_cast<std::size_t>(index)];
    if (!node.hasMatrix || !placedAnew_.insert(index).second) return;
    const BoneTransform& rest =
        character_.rig
            .bones[static_cast<std::size_t>(character_.boneOfNode[static_cast<std::size_t>(index)])]
            .rest;
    if (nodes_.empty()) nodes_ = itemSpans(text_, *list("nodes"));
    for (const MemberSpan& found : memberSpans(text_, nodes_[static_cast<std::size_t>(index)]))
        if (found.key == "matrix")
            edits_.push_back({found.all, member("translation", listOf(rest.translation.data(), 3)) + "," +
                                             member("rotation", listOf(rest.rotation.coeffs().data(), 4)) +
                                             "," + member("scale", listOf(rest.scale.data(), 3))});
}

double Addition::single(double number) const
{
    const auto rounded = static_cast<double>(static_cast<float>(number));
    if (!std::isfinite(rounded)) failHere("a key is not finite in single precision");
    return rounded;
}

std::size_t Addition::timesAccessor(const std::vector<double>& times)
{
    std::string bytes;
    double last = -1;
    for (double time : times) {
        const double rounded = single(time);
        if (!(rounded >= 0)) failHere("keys cannot have negative times");
        if (!(rounded > last))
            failHere("two keys at " + json::numberText(time) + " s are one in single precision");
        last = rounded;
        appendFloat(bytes, rounded);
    }
    // Most tracks of a clip have their keys at the same times.
    const auto [known, isNew] = times_.insert({bytes, 0});
    if (isNew) {
        const double first = single(times.front());
        known->second =
            accessor(bytes, times.size(), "SCALAR",
                     "," + member("min", listOf(&first, 1)) + "," + member("max", listOf(&last, 1)));
    }
    return known->second;
}

std::size_t Addition::valuesAccessor(const Track& track, bool onlyValue)
{
    const bool turns = track.quantity == Track::Quantity::rotation;
    const bool cubic = track.between == Track::Between::cubic;
    std::string bytes;
    Vec4 before = Vec4::Zero();
    std::size_t count = 0;
    for (std::size_t i = 0; i < track.values.size(); ++i) {
        if (onlyValue && i != 1) continue;
        Vec4 value = track.values[i];
        if (turns && !cubic) {
            value.normalize();
            if (value.dot(before) < 0) value = -value;
            before = value;
        }
        for (int j = 0; j < (turns ? 4 : 3); ++j) appendFloat(bytes, single(value[j]));
        ++count;
    }
    return accessor(bytes, count, turns ? "VEC4" : "VEC3", "");
}

std::size_t Addition::accessor(const std::string& bytes, std::size_t count, const char* shape,
                               const std::string& more)
{
    accessors_.push_back("{" + member("bufferView", file_.document.views.size()) + "," +
                         member("byteOffset", data_.size()) + "," + member("componentType", 5126) + "," +
                         member("count", count) + "," + member("type", "\"" + std::string(shape) + "\"") +
                         more + "}");
    data_ += bytes;
    return file_.document.accessors.size() + accessors_.size() - 1;
}

// Puts the keys into a buffer; gives the new BIN chunk, or nothing where they went elsewhere.
std::string Addition::addData()
{
    const std::vector<Buffer>& buffers = file_.document.buffers;
    std::string binary;
    std::size_t buffer = 0, offset = 0;
    if (file_.isGlb && (buffers.empty() || buffers[0].inChunk)) {
        binary.reserve(file_.container.binary.size() + data_.size() + 4);
        binary = file_.container.binary;
        padToFour(binary);
        offset = binary.size();
        binary += data_;
        const std::string length = std::to_string(binary.size());
        if (buffers.empty())
            append("buffers", {"{" + member("byteLength", length) + "}"});
        else
            edits_.push_back(
                {*memberValue(text_, itemSpans(text_, *list("buffers"))[0], "byteLength"), length});
    } else {
        buffer = buffers.size();
        append("buffers",
               {"{" + member("byteLength", data_.size()) + "," +
                member("uri", "\"data:application/octet-stream;base64," + base64Text(data_) + "\"") + "}"});
    }
    append("bufferViews", {"{" + member("buffer", buffer) + "," + member("byteOffset", offset) + "," +
                           member("byteLength", data_.size()) + "}"});
    append("accessors", accessors_);
    return binary;
}

}  // namespace gltf

Result<std::string> addClip(const GltfFile& file, const GltfCharacter& character,
                            const ClipAddition& addition, bool replace)
{
    try {
        return gltf::Addition(file, character, addition).run(replace);
    } catch (gltf::Fault& fault) {
        fault.error.file = file.name;
        return fault.error;
    }
}

}  // namespace sinew
