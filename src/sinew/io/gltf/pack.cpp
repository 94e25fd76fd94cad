#include "sinew/io/gltf/pack.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sinew/io/gltf/buffers.h"
#include "sinew/io/gltf/picture.h"
#include "sinew/io/json/json.h"

namespace sinew {
namespace {

using json::Value;

// The same object with other values for some keys; a null takes a key away.
Value changed(const Value& object, std::vector<json::Member> changes)
{
    Value out = Value::object();
    for (const json::Member& member : object.members()) {
        const bool old = std::any_of(changes.begin(), changes.end(),
                                     [&](const json::Member& change) { return change.key == member.key; });
        if (!old) out.add(member.key, member.value);
    }
    for (json::Member& change : changes)
        if (change.value.kind() != json::Kind::null)
            out.add(std::move(change.key), std::move(change.value));
    return out;
}

// What a browser has to be told. The file's name is not asked: the first bytes say it.
const char* mimeType(std::string_view picture)
{
    if (picture.starts_with("\x89PNG")) return "image/png";
    if (picture.starts_with("RIFF")) return "image/webp";
    return "image/jpeg";
}

class Packer {
public:
    explicit Packer(const GltfFile& file) : file_(file) {}

    // Every buffer goes into the chunk, and views follow it there.
    void takeBuffers(const Value& root)
    {
        std::vector<std::size_t> starts;
        for (const gltf::Buffer& buffer : file_.document.buffers) {
            starts.push_back(binary_.size());
            binary_ += file_.bytes(buffer).substr(0, buffer.length);
            padToFour(binary_);
        }
        const Value* views = root.find("bufferViews");
        if (!views) return;
        for (std::size_t i = 0; i < views->items().size(); ++i) {
            const gltf::BufferView& view = file_.document.views[i];
            const std::size_t start = starts[static_cast<std::size_t>(view.buffer)];
            views_.add(changed(views->items()[i], {{"buffer", 0}, {"byteOffset", start + view.offset}}));
        }
    }

    // A picture from a file becomes a view. Gives the image as it is to be.
    Value takeImage(const Value& image, const ReadBeside& readBeside)
    {
        const Value* uri = image.find("uri");
        if (!uri || !uri->isString() || uri->string().starts_with("data:")) return image;
        const std::string name = gltf::percentDecoded(uri->string());
        const auto known = pictures_.find(name);
        if (known != pictures_.end()) return asView(image, known->second);
        const std::size_t left = maxGltfSize - std::min(maxGltfSize, binary_.size());
        const Result<std::string> picture = readBeside(name, left);
        if (!picture || !gltf::isPicture(picture.value())) return image;
        Value view = Value::object();
        view.add("buffer", 0);
        view.add("byteOffset", binary_.size());
        view.add("byteLength", picture.value().size());
        binary_ += picture.value();
        padToFour(binary_);
        views_.add(std::move(view));
        const View taken{mimeType(picture.value()), views_.items().size() - 1};
        return asView(image, pictures_.emplace(name, taken).first->second);
    }

    Result<std::string> finish(const Value& root, Value images)
    {
        Value buffer = Value::object();
        buffer.add("byteLength", binary_.size());
        const auto unlessEmpty = [](Value list) { return list.items().empty() ? Value() : list; };
        Glb glb;
        glb.json =
            json::writeLine(changed(root, {{"buffers", binary_.empty() ? Value() : Value::array({buffer})},
                                           {"bufferViews", unlessEmpty(std::move(views_))},
                                           {"images", unlessEmpty(std::move(images))}}));
        glb.binary = std::move(binary_);
        return glbBytes(glb);
    }

private:
    struct View {
        const char* type;
        std::size_t index;
    };

    static Value asView(const Value& image, const View& view)
    {
        return changed(image, {{"uri", {}}, {"mimeType", view.type}, {"bufferView", view.index}});
    }

    const GltfFile& file_;
    std::string binary_;
    std::map<std::string, View> pictures_;  // by name: many images may share one
    Value views_ = Value::array();
};

}  // namespace

bool isSelfContained(const GltfFile& file)
{
    const auto& buffers = file.document.buffers;
    return file.isGlb && file.document.images.empty() &&
           std::all_of(buffers.begin(), buffers.end(), [](const gltf::Buffer& b) { return b.uri.empty(); });
}

Result<std::string> packedGlb(const GltfFile& file, const ReadBeside& readBeside)
{
    const Result<Value> root = json::parse(file.container.json, file.name);
    if (!root) return root.error();
    Packer packer(file);
    packer.takeBuffers(root.value());
    Value images = Value::array();
    if (const Value* list = root.value().find("images")) {
        for (const Value& image : list->items()) images.add(packer.takeImage(image, readBeside));
    }
    return packer.finish(root.value(), std::move(images));
}

}  // namespace sinew
