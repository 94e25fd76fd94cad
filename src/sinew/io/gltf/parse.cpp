// JSON → syntax. All indices are checked here, so that nobody else has to.
#include <cmath>

#include "sinew/base/words.h"
#include "sinew/io/file_error.h"
#include "sinew/io/gltf/buffers.h"
#include "sinew/io/gltf/cursor.h"
#include "sinew/io/gltf/gltf.h"
#include "sinew/io/referenced_file.h"

namespace sinew {
namespace gltf {
namespace {

// Of a vertex's joints and weights, four each. Files have one or two.
constexpr int mostJointSets = 64;

class Parser {
public:
    explicit Parser(const json::Value& root) : root_(root) {}

    Document run()
    {
        version();
        Document out;
        root_["extensionsRequired"].items(
            [&](const Cursor& item, std::size_t) { out.required.push_back(item.text()); });
        each("buffers", out.buffers, [&](const Cursor& c) { return buffer(c); });
        each("bufferViews", out.views, [&](const Cursor& c) { return view(c); });
        each("accessors", out.accessors, [&](const Cursor& c) { return accessor(c); });
        each("meshes", out.meshes, [&](const Cursor& c) { return mesh(c); });
        each("meshes", out.meshNames, [&](const Cursor& c) { return c["name"].text(); });
        each("meshes", out.meshWeights, [&](const Cursor& c) { return numberList(c["weights"]); });
        each("nodes", out.nodes, [&](const Cursor& c) { return node(c); });
        each("skins", out.skins, [&](const Cursor& c) { return skin(c); });
        each("animations", out.animations, [&](const Cursor& c) { return animation(c); });
        root_["images"].items([&](const Cursor& item, std::size_t) {
            const std::string uri = item["uri"].text();
            if (!uri.empty() && !uri.starts_with("data:")) out.images.push_back(uri);
        });
        makeTrees(out);
        out.roots = roots(out);
        return out;
    }

private:
    std::size_t size(std::string_view list) const
    {
        const Cursor found = root_[list];
        return found.isThere() && found.value().isArray() ? found.value().items().size() : 0;
    }

    template <class T, class Function>
    void each(std::string_view list, std::vector<T>& out, Function read)
    {
        const Cursor found = root_[list];
        out.reserve(size(list));
        found.items([&](const Cursor& item, std::size_t) { out.push_back(read(item)); });
    }

    void version()
    {
        const Cursor asset = root_.required("asset");
        const std::string needed = asset["minVersion"].text();
        const std::string found = needed.empty() ? asset.required("version").text() : needed;
        if (found != "2" && !found.starts_with("2."))
            asset["version"].fail("glTF " + words::quoted(found) + "; only version 2 is read");
    }

    Buffer buffer(const Cursor& c)
    {
        Buffer out;
        out.length = c.required("byteLength").whole();
        out.uri = c["uri"].text();
        return out;
    }

    BufferView view(const Cursor& c)
    {
        BufferView out;
        out.buffer = c.required("buffer").index(size("buffers"), "buffer");
        out.offset = c["byteOffset"].whole(0);
        out.length = c.required("byteLength").whole();
        const Cursor stride = c["byteStride"];
        out.stride = stride.whole(0);
        if (stride.isThere() && (out.stride < 4 || out.stride > 252))
            stride.fail("a stride from 4 to 252 bytes is expected, found " + std::to_string(out.stride));
        const Cursor extensions = c["extensions"];
        if (extensions.isThere())
            for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"})
                if (const Cursor how = extensions[name]; how.isThere()) out.compressed = meshopt(how);
        return out;
    }

    MeshoptView meshopt(const Cursor& c)
    {
        static constexpr std::string_view modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
        static constexpr std::string_view filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
        MeshoptView out;
        out.buffer = c.required("buffer").index(size("buffers"), "buffer");
        out.offset = c["byteOffset"].whole(0);
        out.length = c.required("byteLength").whole();
        out.stride = c.required("byteStride").whole();
        out.count = c.required("count").whole();
        out.mode = static_cast<MeshoptView::Mode>(word(c.required("mode"), "mode", modes));
        if (const Cursor filter = c["filter"]; filter.isThere())
            out.filter = static_cast<MeshoptView::Filter>(word(filter, "filter", filters));
        return out;
    }

    static Component component(const Cursor& c)
    {
        const std::uint64_t found = c.whole();
        if (found < 5120 || found > 5126 || found == 5124)
            c.fail("a component type is 5120, 5121, 5122, 5123, 5125 or 5126, found " +
                   std::to_string(found));
        return static_cast<Component>(found);
    }

    Accessor accessor(const Cursor& c)
    {
        static constexpr std::string_view shapes[] = {"SCALAR", "VEC2", "VEC3", "VEC4",
                                                      "MAT2",   "MAT3", "MAT4"};
        Accessor out;
        out.view = c["bufferView"].index(size("bufferViews"), "buffer view");
        out.offset = c["byteOffset"].whole(0);
        out.count = c.required("count").whole();
        out.component = component(c.required("componentType"));
        out.normalized = c["normalized"].flag();
        out.shape = static_cast<Shape>(word(c.required("type"), "type", shapes));
        const Cursor sparse = c["sparse"];
        if (sparse.isThere()) out.sparse = readSparse(sparse);
        return out;
    }

    Sparse readSparse(const Cursor& c)
    {
        Sparse out;
        out.count = c.required("count").whole();
        const Cursor indices = c.required("indices"), values = c.required("values");
        out.indicesView = indices.required("bufferView").index(size("bufferViews"), "buffer view");
        out.indicesOffset = indices["byteOffset"].whole(0);
        out.indicesComponent = component(indices.required("componentType"));
        if (out.indicesComponent != Component::uint8 && out.indicesComponent != Component::uint16 &&
            out.indicesComponent != Component::uint32)
            indices.fail("indices are unsigned whole numbers: component type 5121, 5123 or 5125");
        out.valuesView = values.required("bufferView").index(size("bufferViews"), "buffer view");
        out.valuesOffset = values["byteOffset"].whole(0);
        return out;
    }

    std::vector<Primitive> mesh(const Cursor& c)
    {
        std::vector<Primitive> out;
        const Cursor primitives = c["primitives"];
        primitives.items([&](const Cursor& item, std::size_t) {
            Primitive& primitive = out.emplace_back();
            const Cursor extensions = item["extensions"], attributes = item["attributes"];
            primitive.compressed =
                extensions.isThere() && extensions["KHR_draco_mesh_compression"].isThere();
            primitive.indices = item["indices"].index(size("accessors"), "accessor");
            primitive.mode = static_cast<int>(std::min<std::uint64_t>(item["mode"].whole(4), 7));
            const Cursor targets = item["targets"];
            targets.items([&](const Cursor&, std::size_t) { ++primitive.targets; });
            if (!attributes.isThere()) return;
            const auto attribute = [&](const std::string& name) {
                return attributes[name].index(size("accessors"), "accessor");
            };
            primitive.position = attribute("POSITION");
            for (int set = 0;; ++set) {
                if (set == mostJointSets)
                    attributes.fail("there are more than " + std::to_string(mostJointSets) +
                                    " sets of joints and weights");
                const std::string suffix = "_" + std::to_string(set);
                const int joints = attribute("JOINTS" + suffix), weights = attribute("WEIGHTS" + suffix);
                if (joints < 0 || weights < 0) break;
                primitive.joints.push_back(joints);
                primitive.weights.push_back(weights);
            }
        });
        return out;
    }

    static std::vector<double> numberList(const Cursor& c)
    {
        std::vector<double> out;
        c.items([&](const Cursor& item, std::size_t) { out.push_back(item.number()); });
        return out;
    }

    Node node(const Cursor& c)
    {
        Node out;
        out.name = c["name"].text();
        out.mesh = c["mesh"].index(size("meshes"), "mesh");
        out.skin = c["skin"].index(size("skins"), "skin");
        out.weights = numberList(c["weights"]);
        const Cursor children = c["children"];
        children.items([&](const Cursor& child, std::size_t) {
            out.children.push_back(child.index(size("nodes"), "node"));
        });
        const Cursor matrix = c["matrix"];
        out.hasMatrix = matrix.isThere();
        if (out.hasMatrix &&
            (c["translation"].isThere() || c["rotation"].isThere() || c["scale"].isThere()))
            c.fail("a node has a matrix, or translation, rotation and scale, but not both");
        matrix.numbers(out.matrix.data(), 16);  // by columns, as Eigen keeps them
        c["translation"].numbers(out.transform.translation.data(), 3);
        c["scale"].numbers(out.transform.scale.data(), 3);
        const Cursor rotation = c["rotation"];
        rotation.numbers(out.transform.rotation.coeffs().data(), 4);
        const double norm = out.transform.rotation.norm();
        // Files have rotations in single precision or in a few decimals.
        if (!(std::abs(norm - 1) < 0.05))
            rotation.fail("a unit quaternion is expected; this one has the length " +
                          json::numberText(norm));
        out.transform.rotation.normalize();
        return out;
    }

    Skin skin(const Cursor& c)
    {
        Skin out;
        const Cursor joints = c.required("joints");
        joints.items([&](const Cursor& joint, std::size_t) {
            out.joints.push_back(joint.index(size("nodes"), "node"));
        });
        out.inverseBindMatrices = c["inverseBindMatrices"].index(size("accessors"), "accessor");
        return out;
    }

    Animation animation(const Cursor& c)
    {
        static constexpr std::string_view betweens[] = {"STEP", "LINEAR", "CUBICSPLINE"};
        Animation out;
        out.name = c["name"].text();
        const Cursor samplers = c.required("samplers"), channels = c.required("channels");
        samplers.items([&](const Cursor& item, std::size_t) {
            Animation::Sampler& sampler = out.samplers.emplace_back();
            sampler.input = item.required("input").index(size("accessors"), "accessor");
            sampler.output = item.required("output").index(size("accessors"), "accessor");
            const Cursor between = item["interpolation"];
            if (between.isThere())
                sampler.between = static_cast<Track::Between>(word(between, "interpolation", betweens));
        });
        channels.items([&](const Cursor& item, std::size_t) {
            Animation::Channel& channel = out.channels.emplace_back();
            channel.sampler = item.required("sampler").index(out.samplers.size(), "sampler");
            const Cursor target = item.required("target");
            channel.node = target["node"].index(size("nodes"), "node");
            const std::string path = target.required("path").text();
            channel.path = path == "translation" ? Animation::Path::translation
                           : path == "rotation"  ? Animation::Path::rotation
                           : path == "scale"     ? Animation::Path::scale
                           : path == "weights"   ? Animation::Path::weights
                                                 : Animation::Path::other;
        });
        return out;
    }

    static int word(const Cursor& c, const char* kind, std::span<const std::string_view> legal)
    {
        const std::string found = c.text();
        for (std::size_t i = 0; i < legal.size(); ++i)
            if (found == legal[i]) return static_cast<int>(i);
        c.fail(std::string("unknown ") + kind + " " + words::quoted(found) + "; known are " +
               words::joined(legal));
    }

    // Every node has one parent at most, and going up from it comes to an end.
    void makeTrees(Document& document)
    {
        std::vector<Node>& nodes = document.nodes;
        for (std::size_t n = 0; n < nodes.size(); ++n)
            for (int child : nodes[n].children) {
                int& parent = nodes[static_cast<std::size_t>(child)].parent;
                if (parent >= 0)
                    fail(pointerTo("nodes", n) + "/children", "node " + std::to_string(child) +
                                                                  " is a child of node " +
                                                                  std::to_string(parent) + " already");
                parent = static_cast<int>(n);
            }
        // What is reached from the roots hangs on no circle; with one parent each, the rest does.
        std::vector<int> open;
        std::size_t reached = 0;
        std::vector<char> seen(nodes.size(), 0);
        for (std::size_t n = 0; n < nodes.size(); ++n)
            if (nodes[n].parent < 0) open.push_back(static_cast<int>(n));
        for (; !open.empty(); ++reached) {
            const auto n = static_cast<std::size_t>(open.back());
            open.pop_back();
            seen[n] = 1;
            open.insert(open.end(), nodes[n].children.begin(), nodes[n].children.end());
        }
        for (std::size_t n = 0; reached < nodes.size(); ++n)
            if (!seen[n])
                fail(pointerTo("nodes", n), "the node is its own ancestor or hangs from one that is");
    }

    // Of the default scene, else of the first one, else of all there is.
    std::vector<int> roots(const Document& document) const
    {
        std::vector<int> out;
        const Cursor scenes = root_["scenes"];
        if (size("scenes") == 0) {
            for (std::size_t n = 0; n < document.nodes.size(); ++n)
                if (document.nodes[n].parent < 0) out.push_back(static_cast<int>(n));
            return out;
        }
        const int chosen = root_["scene"].index(size("scenes"), "scene");
        std::vector<char> seen(document.nodes.size(), 0);
        scenes.items([&](const Cursor& scene, std::size_t s) {
            if (s != static_cast<std::size_t>(std::max(chosen, 0))) return;
            const Cursor nodes = scene["nodes"];
            nodes.items([&](const Cursor& item, std::size_t) {
                const int node = item.index(document.nodes.size(), "node");
                if (document.nodes[static_cast<std::size_t>(node)].parent >= 0)
                    item.fail("node " + std::to_string(node) +
                              " is a child of another one; a scene lists roots");
                if (seen[static_cast<std::size_t>(node)]++ != 0)
                    item.fail("node " + std::to_string(node) + " is listed twice");
                out.push_back(node);
            });
        });
        return out;
    }

    Cursor root_;
};

}  // namespace
}  // namespace gltf

std::string_view GltfFile::bytes(const gltf::Buffer& buffer) const
{
    return buffer.inChunk ? std::string_view(container.binary) : std::string_view(buffer.bytes);
}

Result<GltfFile> parseGltf(std::string_view bytes, const std::string& fileName,
                           const ReadBeside& readBeside)
{
    GltfFile file;
    file.name = fileName;
    file.isGlb = looksLikeGlb(bytes);
    if (file.isGlb) {
        Result<Glb> glb = parseGlb(bytes, fileName);
        if (!glb) return glb.error();
        file.container = std::move(glb.value());
    } else {
        file.container.json = bytes;
    }
    if (file.container.json.size() > json::maxFileSize)
        return fileError(fileName, "the JSON text has more than 64 MiB");
    const Result<json::Value> root = json::parse(file.container.json, fileName);
    if (!root) return root.error();
    try {
        file.document = gltf::Parser(root.value()).run();
        gltf::loadBuffers(file, readBeside);
    } catch (gltf::Fault& fault) {
        fault.error.file = fileName;
        return fault.error;
    }
    return file;
}

Result<GltfFile> readGltf(const std::string& path)
{
    const Result<std::string> bytes = json::readFile(path, maxGltfSize);
    if (!bytes) return bytes.error();
    return parseGltf(bytes.value(), path, [&](const std::string& relative, std::size_t limit) {
        const Result<std::string> found = referencedFile(path, relative);
        return found ? json::readFile(found.value(), limit) : found;
    });
}

}  // namespace sinew
