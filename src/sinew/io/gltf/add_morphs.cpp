// New morph targets for meshes of a file, and weights that animate them.
//
// A target is a sparse accessor: zeros, except for the vertices that move. All targets of a primitive share
// their list of vertices.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "sinew/base/words.h"
#include "sinew/io/gltf/addition.h"

namespace sinew::gltf {
namespace {

// The values of a sampler of weights, `width` numbers each, at a time.
void weightsAt(const Animation::Sampler& sampler, const std::vector<double>& keys,
               const std::vector<double>& values, std::size_t width, double time, std::vector<double>& out)
{
    const bool cubic = sampler.between == Track::Between::cubic;
    const auto value = [&](std::size_t key, std::size_t part, std::size_t i) {
        return values[(cubic ? 3 * key + part : key) * width + i];
    };
    const auto after =
        static_cast<std::size_t>(std::upper_bound(keys.begin(), keys.end(), time) - keys.begin());
    for (std::size_t i = 0; i < width; ++i) {
        if (after == 0 || after == keys.size() || sampler.between == Track::Between::step) {
            out.push_back(value(after == 0 ? 0 : after - 1, 1, i));
            continue;
        }
        const std::size_t before = after - 1;
        const double span = keys[after] - keys[before], s = (time - keys[before]) / span;
        const double a = value(before, 1, i), b = value(after, 1, i);
        if (!cubic) {
            out.push_back((1 - s) * a + s * b);
            continue;
        }
        const double s2 = s * s, s3 = s2 * s;
        out.push_back((2 * s3 - 3 * s2 + 1) * a + (s3 - 2 * s2 + s) * span * value(before, 2, i) +
                      (3 * s2 - 2 * s3) * b + (s3 - s2) * span * value(after, 0, i));
    }
}

// As many numbers for each key as a sampler of so many targets has.
void checkCount(const Animation::Sampler& sampler, std::size_t keys, std::size_t values, std::size_t width)
{
    const std::size_t perKey = sampler.between == Track::Between::cubic ? 3 * width : width;
    if (values != keys * perKey)
        fail(pointerTo("accessors", static_cast<std::size_t>(sampler.output)) + "/count",
             std::to_string(keys) + " keys of " + std::to_string(width) + " morph targets need " +
                 std::to_string(keys * perKey) + " values, found " + std::to_string(values));
}

}  // namespace

std::size_t Addition::targetCount(int mesh) const
{
    const std::vector<Primitive>& primitives = file_.document.meshes[static_cast<std::size_t>(mesh)];
    for (const Primitive& primitive : primitives)
        if (primitive.targets != primitives.front().targets)
            fail(pointerTo("meshes", static_cast<std::size_t>(mesh)) + "/primitives",
                 "primitives of one mesh must have the same number of morph targets");
    return primitives.front().targets;
}

void Addition::addMorphs(const MorphAddition& morphs, int replaced)
{
    SINEW_ASSERT(!morphs.shapes.empty() && morphs.weights.size() == morphs.times.size());
    SINEW_ASSERT(morphs.source < 0 || morphs.sourceTimes.size() == morphs.times.size());
    std::set<int> meshes;
    for (const MorphAddition::Part& part : morphs.parts) meshes.insert(part.mesh);
    for (const int mesh : meshes) addTargets(morphs, mesh);

    const std::size_t more = morphs.shapes.size();
    const std::vector<Span> nodes = itemSpans(text_, *list("nodes"));
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        const Node& node = file_.document.nodes[n];
        if (!meshes.contains(node.mesh)) continue;
        const std::size_t before = targetCount(node.mesh);
        extendList(nodes[n], "weights", before, more, pointerTo("nodes", n));
        if (before > 0) extendChannels(static_cast<int>(n), before, more, replaced);
        if (character_.boneOfNode[n] < 0) continue;
        claim(static_cast<int>(n), Animation::Path::weights);
        const std::vector<std::vector<double>> old = weightsBefore(morphs, static_cast<int>(n), before);
        std::string bytes;
        for (std::size_t k = 0; k < morphs.times.size(); ++k) {
            for (const double weight : old[k]) appendFloat(bytes, single(weight));
            SINEW_ASSERT(morphs.weights[k].size() == more);
            for (const double weight : morphs.weights[k]) appendFloat(bytes, single(weight));
        }
        const std::size_t input = timesAccessor(morphs.times),
                          output = accessor(bytes, morphs.times.size() * (before + more), "SCALAR", "");
        addChannel(static_cast<int>(n), "weights", input, output, "LINEAR");
    }
}

void Addition::addTargets(const MorphAddition& morphs, int mesh)
{
    const std::string pointer = pointerTo("meshes", static_cast<std::size_t>(mesh));
    const Span span = itemSpans(text_, *list("meshes"))[static_cast<std::size_t>(mesh)];
    const std::size_t before = targetCount(mesh), more = morphs.shapes.size();
    extendList(span, "weights", before, more, pointer);
    const std::vector<Span> primitives = itemSpans(text_, *memberValue(text_, span, "primitives"));
    for (std::size_t p = 0; p < primitives.size(); ++p) {
        if (file_.document.meshes[static_cast<std::size_t>(mesh)][p].position < 0)
            fail(pointer + "/primitives/" + std::to_string(p),
                 "a primitive without positions cannot be soft");
        const std::string targets = joinedBy(targetsOf(morphs, mesh, static_cast<int>(p)));
        if (const std::optional<Span> known = memberValue(text_, primitives[p], "targets"))
            edits_.push_back(appended(text_, *known, targets));
        else
            edits_.push_back(appended(text_, primitives[p], member("targets", "[" + targets + "]")));
    }
    nameTargets(span, before, more);
}

std::vector<std::string> Addition::targetsOf(const MorphAddition& morphs, int mesh, int primitive)
{
    const auto part = std::find_if(morphs.parts.begin(), morphs.parts.end(), [&](const auto& one) {
        return one.mesh == mesh && one.primitive == primitive;
    });
    const bool moves = part != morphs.parts.end() && !part->vertices.empty();
    const int position =
        file_.document.meshes[static_cast<std::size_t>(mesh)][static_cast<std::size_t>(primitive)].position;
    const auto count =
        static_cast<std::size_t>(file_.document.accessors[static_cast<std::size_t>(position)].count);
    const std::size_t view = file_.document.views.size(), indices = data_.size();
    if (moves)
        for (const int vertex : part->vertices) appendUint32(data_, static_cast<std::uint32_t>(vertex));
    std::vector<std::string> targets;
    for (const std::vector<Vec3>& shape : morphs.shapes) {
        const std::size_t values = data_.size();
        // Of all vertices: those that do not move are zero.
        Vec3 low = Vec3::Zero(), high = Vec3::Zero();
        const bool all = moves && part->vertices.size() == count;
        if (all) low = Vec3::Constant(INFINITY), high = -low;
        for (std::size_t v = 0; moves && v < part->vertices.size(); ++v) {
            Vec3 way = shape[static_cast<std::size_t>(part->rows[v])];
            for (int i = 0; i < 3; ++i) appendFloat(data_, way[i] = single(way[i]));
            low = low.cwiseMin(way);
            high = high.cwiseMax(way);
        }
        std::string sparse;
        if (moves)
            sparse = "," + member("sparse", "{" + member("count", part->vertices.size()) + "," +
                                                member("indices", "{" + member("bufferView", view) + "," +
                                                                      member("byteOffset", indices) + "," +
                                                                      member("componentType", 5125) + "}") +
                                                "," +
                                                member("values", "{" + member("bufferView", view) + "," +
                                                                     member("byteOffset", values) + "}") +
                                                "}");
        accessors_.push_back("{" + member("componentType", 5126) + "," + member("count", count) + "," +
                             member("type", "\"VEC3\"") + "," + member("min", listOf(low.data(), 3)) + "," +
                             member("max", listOf(high.data(), 3)) + sparse + "}");
        targets.push_back(
            "{" + member("POSITION", file_.document.accessors.size() + accessors_.size() - 1) + "}");
    }
    return targets;
}

// Zeros for the new targets in a list with an entry for each, if the object has one.
void Addition::extendList(Span object, std::string_view key, std::size_t before, std::size_t more,
                          const std::string& pointer)
{
    const std::optional<Span> known = memberValue(text_, object, key);
    if (!known) return;
    const std::size_t found = itemSpans(text_, *known).size();
    if (found != before)
        fail(pointer + "/" + std::string(key), "one number for each of " + std::to_string(before) +
                                                   " morph targets is expected, found " +
                                                   std::to_string(found));
    edits_.push_back(appended(text_, *known, joinedBy(std::vector<std::string>(more, "0"))));
}

// As most programs have them: in the mesh's extras. Where the old ones have no names there, nor have these.
void Addition::nameTargets(Span mesh, std::size_t before, std::size_t more)
{
    std::vector<std::string> names;
    for (std::size_t k = 0; k < more; ++k)
        names.push_back(json::stringText("flesh " + std::to_string(k + 1)));
    const std::optional<Span> extras = memberValue(text_, mesh, "extras");
    const bool isObject = extras && text_[extras->begin] == '{';
    const std::optional<Span> known =
        isObject ? memberValue(text_, *extras, "targetNames") : std::optional<Span>{};
    if (known && text_[known->begin] == '[' && itemSpans(text_, *known).size() == before)
        edits_.push_back(appended(text_, *known, joinedBy(names)));
    else if (!known && before == 0 && (isObject || !extras)) {
        const std::string list = member("targetNames", "[" + joinedBy(names) + "]");
        edits_.push_back(isObject ? appended(text_, *extras, list)
                                  : appended(text_, mesh, member("extras", "{" + list + "}")));
    }
}

// Clips of the file that move the weights which there were: the new ones are zero in them.
void Addition::extendChannels(int node, std::size_t before, std::size_t more, int replaced)
{
    Budget budget(file_);
    for (std::size_t a = 0; a < file_.document.animations.size(); ++a) {
        const Animation& animation = file_.document.animations[a];
        std::size_t added = 0;
        for (std::size_t c = 0; c < animation.channels.size(); ++c) {
            const Animation::Channel& channel = animation.channels[c];
            if (channel.node != node || channel.path != Animation::Path::weights ||
                static_cast<int>(a) == replaced)
                continue;
            const Animation::Sampler& sampler =
                animation.samplers[static_cast<std::size_t>(channel.sampler)];
            const std::vector<double> old =
                numbers(file_, sampler.output, Shape::scalar, Numbers::floatsOrFractions, budget);
            const std::size_t keys =
                file_.document.accessors[static_cast<std::size_t>(sampler.input)].count;
            checkCount(sampler, keys, old.size(), before);
            std::string bytes;
            for (std::size_t i = 0; i < old.size(); ++i) {
                appendFloat(bytes, single(old[i]));
                if ((i + 1) % before == 0)
                    for (std::size_t k = 0; k < more; ++k) appendFloat(bytes, 0);
            }
            const std::size_t output = accessor(bytes, old.size() / before * (before + more), "SCALAR", "");
            // Another node may share the sampler, so it gets one of its own: the text of the old one with
            // another output.
            const auto& [channels, samplers] = spansOf(static_cast<int>(a));
            const Span text = samplers[static_cast<std::size_t>(channel.sampler)];
            const Span number = *memberValue(text_, text, "output");
            const std::string fresh = std::string(text_.substr(text.begin, number.begin - text.begin)) +
                                      std::to_string(output) +
                                      std::string(text_.substr(number.end, text.end - number.end));
            edits_.push_back({*memberValue(text_, channels[c], "sampler"),
                              std::to_string(animation.samplers.size() + added)});
            const Span all = itemSpans(text_, *list("animations"))[a];
            edits_.push_back(appended(text_, *memberValue(text_, all, "samplers"), fresh));
            ++added;
        }
    }
}

// What the weights that there were do in the new clip, at its keys.
std::vector<std::vector<double>> Addition::weightsBefore(const MorphAddition& morphs, int node,
                                                         std::size_t before)
{
    const Document& document = file_.document;
    const Node& owner = document.nodes[static_cast<std::size_t>(node)];
    std::vector<double> still = owner.weights;
    if (still.empty()) still = document.meshWeights[static_cast<std::size_t>(owner.mesh)];
    still.resize(before, 0.0);
    std::vector<std::vector<double>> out(morphs.times.size(), still);
    if (before == 0 || morphs.source < 0) return out;
    Budget budget(file_);
    const Animation& animation = document.animations[static_cast<std::size_t>(morphs.source)];
    for (const Animation::Channel& channel : animation.channels) {
        if (channel.node != node || channel.path != Animation::Path::weights) continue;
        const Animation::Sampler& sampler = animation.samplers[static_cast<std::size_t>(channel.sampler)];
        const std::vector<double> keys =
            numbers(file_, sampler.input, Shape::scalar, Numbers::floats, budget);
        const std::vector<double> values =
            numbers(file_, sampler.output, Shape::scalar, Numbers::floatsOrFractions, budget);
        checkCount(sampler, keys.size(), values.size(), before);
        if (keys.empty()) continue;
        for (std::size_t k = 0; k < out.size(); ++k) {
            out[k].clear();
            weightsAt(sampler, keys, values, before, morphs.sourceTimes[k], out[k]);
        }
    }
    return out;
}

}  // namespace sinew::gltf
