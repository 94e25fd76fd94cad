#include "sinew/io/gltf/glb_builder.h"

#include <algorithm>
#include <functional>

namespace sinew {
namespace {

constexpr int unsignedByte = 5121, unsignedShort = 5123, unsignedInt = 5125, floating = 5126;
constexpr int vertexBuffer = 34962, indexBuffer = 34963;

json::Value triple(const Vec3& v)
{
    return json::Value::array({v.x(), v.y(), v.z()});
}

// As the file has it: bounds must be those of the rounded numbers.
Vec3 rounded(const Vec3& v)
{
    return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

void appendUint16(std::string& bytes, int number)
{
    bytes += static_cast<char>(number & 0xff);
    bytes += static_cast<char>(number >> 8 & 0xff);
}

void addUnlessEmpty(json::Value& to, const char* key, json::Value items)
{
    if (!items.items().empty()) to.add(key, std::move(items));
}

json::Value only(json::Value item)
{
    json::Value items = json::Value::array();
    items.add(std::move(item));
    return items;
}

}  // namespace

json::Value numberList(const std::vector<int>& numbers)
{
    return json::Value::array({numbers.begin(), numbers.end()});
}

GlbBuilder::GlbBuilder(std::size_t mostKeyBytes)
{
    glb_.binary.reserve(mostKeyBytes);
    viewNumber_.fill(-1);
}

int GlbBuilder::addNode(json::Value node)
{
    nodes_.add(std::move(node));
    return static_cast<int>(nodes_.items().size()) - 1;
}

int GlbBuilder::addMesh(json::Value mesh)
{
    meshes_.add(std::move(mesh));
    return static_cast<int>(meshes_.items().size()) - 1;
}

int GlbBuilder::addSkin(json::Value skin)
{
    skins_.add(std::move(skin));
    return static_cast<int>(skins_.items().size()) - 1;
}

int GlbBuilder::addMaterial(const std::string& name, const Vec3& color, bool bothSides)
{
    json::Value surface = json::Value::object();
    surface.add("baseColorFactor", json::Value::array({color.x(), color.y(), color.z(), 1}));
    surface.add("metallicFactor", 0);
    surface.add("roughnessFactor", 0.8);
    json::Value material = json::Value::object();
    material.add("name", name);
    material.add("pbrMetallicRoughness", std::move(surface));
    if (bothSides) material.add("doubleSided", true);
    materials_.add(std::move(material));
    return static_cast<int>(materials_.items().size()) - 1;
}

int GlbBuilder::addAccessor(View view, std::size_t offset, int componentType, std::size_t count,
                            const char* type, json::Value extra)
{
    if (viewNumber_[view] < 0) viewNumber_[view] = usedViews_++;
    extra.add("bufferView", viewNumber_[view]);
    extra.add("byteOffset", offset);
    extra.add("componentType", componentType);
    extra.add("count", count);
    extra.add("type", type);
    accessors_.add(std::move(extra));
    return static_cast<int>(accessors_.items().size()) - 1;
}

json::Value GlbBuilder::addSurface(const Surface& surface, const std::vector<int>* bones)
{
    std::string& points = bytesOf(vertices);
    json::Value attributes = json::Value::object();
    const std::size_t count = surface.points.size();

    Vec3 low = rounded(surface.points.front()), high = low;
    const std::size_t pointsAt = points.size();
    for (const Vec3& point : surface.points) {
        low = low.cwiseMin(rounded(point));
        high = high.cwiseMax(rounded(point));
        for (double x : point) appendFloat(points, x);
    }
    json::Value bounds = json::Value::object();
    bounds.add("min", triple(low));
    bounds.add("max", triple(high));
    attributes.add("POSITION", addAccessor(vertices, pointsAt, floating, count, "VEC3", std::move(bounds)));
    const std::size_t normalsAt = points.size();
    for (const Vec3& normal : surface.normals)
        for (double x : normal) appendFloat(points, x);
    attributes.add("NORMAL", addAccessor(vertices, normalsAt, floating, count, "VEC3"));

    if (bones) {
        const std::size_t jointsAt = bytesOf(joints).size(), weightsAt = bytesOf(weights).size();
        for (int bone : *bones) {
            for (int number : {bone, 0, 0, 0}) appendUint16(bytesOf(joints), number);
            bytesOf(weights) += std::string("\xff\0\0\0", 4);
        }
        attributes.add("JOINTS_0", addAccessor(joints, jointsAt, unsignedShort, count, "VEC4"));
        json::Value normalized = json::Value::object();
        normalized.add("normalized", true);
        attributes.add("WEIGHTS_0",
                       addAccessor(weights, weightsAt, unsignedByte, count, "VEC4", std::move(normalized)));
    }

    const bool isShort = count < 65535;  // that index itself is not allowed
    const View view = isShort ? shortIndices : longIndices;
    std::string& indices = bytesOf(view);
    const std::size_t indicesAt = indices.size();
    for (const auto& face : surface.faces)
        for (int corner : face) {
            if (isShort)
                appendUint16(indices, corner);
            else
                appendUint32(indices, static_cast<std::uint32_t>(corner));
        }
    json::Value primitive = json::Value::object();
    primitive.add("attributes", std::move(attributes));
    primitive.add("indices", addAccessor(view, indicesAt, isShort ? unsignedShort : unsignedInt,
                                         3 * surface.faces.size(), "SCALAR"));
    return primitive;
}

void GlbBuilder::addMorph(const Surface& surface, const Surface& moved, json::Value& targets)
{
    std::string& bytes = bytesOf(vertices);
    const std::size_t count = surface.points.size();
    const std::size_t pointsAt = bytes.size();
    Vec3 low = rounded(moved.points.front() - surface.points.front()), high = low;
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 way = moved.points[i] - surface.points[i];
        low = low.cwiseMin(rounded(way));
        high = high.cwiseMax(rounded(way));
        for (double x : way) appendFloat(bytes, x);
    }
    json::Value bounds = json::Value::object(), target = json::Value::object();
    bounds.add("min", triple(low));
    bounds.add("max", triple(high));
    target.add("POSITION", addAccessor(vertices, pointsAt, floating, count, "VEC3", std::move(bounds)));
    const std::size_t normalsAt = bytes.size();
    for (std::size_t i = 0; i < count; ++i)
        for (double x : Vec3(moved.normals[i] - surface.normals[i])) appendFloat(bytes, x);
    target.add("NORMAL", addAccessor(vertices, normalsAt, floating, count, "VEC3"));
    targets.add(std::move(target));
}

void GlbBuilder::addMorphTimes(const std::vector<double>& times, int node)
{
    json::Value sampler = json::Value::object();
    sampler.add("input", addTimes(times));
    sampler.add("interpolation", "LINEAR");
    std::string& bytes = bytesOf(keys);
    const std::size_t offset = bytes.size(), targets = times.size() - 1;
    for (std::size_t k = 0; k < times.size(); ++k)
        for (std::size_t t = 0; t < targets; ++t) appendFloat(bytes, t + 1 == k ? 1 : 0);
    sampler.add("output", addAccessor(keys, offset, floating, times.size() * targets, "SCALAR"));
    addChannel(std::move(sampler), node, "weights");
}

void GlbBuilder::addChannel(json::Value sampler, int node, const char* path)
{
    json::Value target = json::Value::object(), channel = json::Value::object();
    target.add("node", node);
    target.add("path", path);
    channel.add("sampler", samplers_.items().size());
    channel.add("target", std::move(target));
    samplers_.add(std::move(sampler));
    channels_.add(std::move(channel));
}

int GlbBuilder::addInverseBind(const std::vector<Pose>& restInWorld)
{
    std::string& bytes = bytesOf(matrices);
    const std::size_t offset = bytes.size();
    for (const Pose& rest : restInWorld) {
        const Pose back = rest.inverse();
        const Mat3 turn = back.orientation.toRotationMatrix();
        for (int column = 0; column < 3; ++column) {
            for (int row = 0; row < 3; ++row) appendFloat(bytes, turn(row, column));
            appendFloat(bytes, 0);
        }
        for (double x : back.position) appendFloat(bytes, x);
        appendFloat(bytes, 1);
    }
    return addAccessor(matrices, offset, floating, restInWorld.size(), "MAT4");
}

int GlbBuilder::addTimes(const std::vector<double>& times)
{
    for (const Times& known : {std::cref(lastTimes_), std::cref(mostTimes_)})
        if (known.accessor >= 0 && times == known.times) return known.accessor;
    std::string& bytes = bytesOf(keys);
    const std::size_t offset = bytes.size();
    for (double time : times) appendFloat(bytes, time);
    json::Value bounds = json::Value::object();
    bounds.add("min", only(static_cast<float>(times.front())));
    bounds.add("max", only(static_cast<float>(times.back())));
    lastTimes_ = {times, addAccessor(keys, offset, floating, times.size(), "SCALAR", std::move(bounds))};
    if (times.size() > mostTimes_.times.size()) mostTimes_ = lastTimes_;
    return lastTimes_.accessor;
}

void GlbBuilder::addTrack(const Track& track, int node)
{
    SINEW_ASSERT(!track.times.empty() && track.between != Track::Between::cubic);
    const bool turns = track.quantity == Track::Quantity::rotation;
    json::Value sampler = json::Value::object();
    sampler.add("input", addTimes(track.times));
    sampler.add("interpolation", track.between == Track::Between::step ? "STEP" : "LINEAR");
    std::string& bytes = bytesOf(keys);
    const std::size_t offset = bytes.size();
    for (const Vec4& value : track.values)
        for (int i = 0; i < (turns ? 4 : 3); ++i) appendFloat(bytes, value[i]);
    sampler.add("output",
                addAccessor(keys, offset, floating, track.values.size(), turns ? "VEC4" : "VEC3"));

    addChannel(std::move(sampler), node,
               turns                                            ? "rotation"
               : track.quantity == Track::Quantity::translation ? "translation"
                                                                : "scale");
}

// The waiting bytes go to the end of the buffer.
json::Value GlbBuilder::views()
{
    constexpr int stride[viewCount] = {0, 0, 12, 8, 4, 0, 0};
    constexpr int target[viewCount] = {0,           0,          vertexBuffer, vertexBuffer, vertexBuffer,
                                       indexBuffer, indexBuffer};
    std::vector<json::Value> inOrder(static_cast<std::size_t>(usedViews_));
    for (int view = 0; view < viewCount; ++view) {
        if (viewNumber_[view] < 0) continue;
        const std::size_t size = bytesOf(static_cast<View>(view)).size();
        std::size_t offset = 0;
        if (view != keys) {
            padToFour(glb_.binary);
            offset = glb_.binary.size();
            glb_.binary += waiting_[view];
        }
        json::Value entry = json::Value::object();
        entry.add("buffer", 0);
        entry.add("byteOffset", offset);
        entry.add("byteLength", size);
        if (stride[view] != 0) entry.add("byteStride", stride[view]);
        if (target[view] != 0) entry.add("target", target[view]);
        inOrder[static_cast<std::size_t>(viewNumber_[view])] = std::move(entry);
    }
    return json::Value::array(std::move(inOrder));
}

Glb GlbBuilder::finish(const std::string& sceneName, const std::string& clipName,
                       const std::vector<int>& roots)
{
    json::Value asset = json::Value::object();
    asset.add("version", "2.0");
    asset.add("generator", "Sinew");
    json::Value scene = json::Value::object();
    if (!sceneName.empty()) scene.add("name", sceneName);
    addUnlessEmpty(scene, "nodes", numberList(roots));

    json::Value file = json::Value::object();
    file.add("asset", std::move(asset));
    file.add("scene", 0);
    file.add("scenes", only(std::move(scene)));
    addUnlessEmpty(file, "nodes", std::move(nodes_));
    addUnlessEmpty(file, "meshes", std::move(meshes_));
    addUnlessEmpty(file, "materials", std::move(materials_));
    addUnlessEmpty(file, "skins", std::move(skins_));
    if (!channels_.items().empty()) {
        json::Value animation = json::Value::object();
        animation.add("name", clipName);
        animation.add("channels", std::move(channels_));
        animation.add("samplers", std::move(samplers_));
        file.add("animations", only(std::move(animation)));
    }
    addUnlessEmpty(file, "accessors", std::move(accessors_));
    addUnlessEmpty(file, "bufferViews", views());
    if (!glb_.binary.empty()) {
        padToFour(glb_.binary);
        json::Value buffer = json::Value::object();
        buffer.add("byteLength", glb_.binary.size());
        file.add("buffers", only(std::move(buffer)));
    }
    glb_.json = json::writeLine(file);
    return std::move(glb_);
}

}  // namespace sinew
