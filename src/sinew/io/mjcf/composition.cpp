#include "sinew/io/mjcf/composition.h"

#include <filesystem>
#include <map>
#include <optional>

#include "sinew/io/json/json.h"
#include "sinew/io/mjcf/composites.h"
#include "sinew/io/mjcf/converter.h"
#include "sinew/io/mjcf/names.h"
#include "sinew/io/referenced_file.h"

namespace sinew::mjcf {
namespace {

constexpr int mostModels = 100;       // files of attached models
constexpr int deepestModel = 10;      // a model inside a model inside …
constexpr int mostReplicas = 10'000;  // of one <replicate>
constexpr std::string_view referringSections[] = {"tendon", "contact", "equality", "actuator"};

int countElements(const Element& element)
{
    int count = 1;
    for (const Element& child : element.children) count += countElements(child);
    return count;
}

// The first one below it that is so, however deep, with the frames around it up to the next body.
struct Found {
    const Element* element = nullptr;
    std::vector<const Element*> frames;  // outermost first
};
Found find(const Element& element, std::string_view kind, const std::string& name)
{
    for (const Element& child : element.children) {
        if (child.name == kind)
            if (const xml::Attribute* own = child.find("name"); own && own->value == name)
                return {&child, {}};
        Found found = find(child, kind, name);
        if (!found.element) continue;
        if (child.name == "frame") found.frames.insert(found.frames.begin(), &child);
        return found;
    }
    return {};
}

bool holds(const Element& element, std::string_view kind)
{
    for (const Element& child : element.children)
        if (child.name == kind || holds(child, kind)) return true;
    return false;
}

// One with the place of another in the file.
Element elementLike(const Element& where, const std::string& name)
{
    Element made;
    made.name = name;
    made.line = where.line;
    made.column = where.column;
    made.file = where.file;
    return made;
}

void setAttribute(Element& element, std::string_view name, std::string value)
{
    for (xml::Attribute& known : element.attributes)
        if (known.name == name) {
            known.value = std::move(value);
            return;
        }
    element.attributes.push_back({std::string(name), std::move(value), element.line, element.column});
}

// To the last digit, as they are read again.
std::string textOf(std::initializer_list<double> numbers)
{
    std::string text;
    for (double number : numbers) text += (text.empty() ? "" : " ") + json::numberText(number);
    return text;
}

// Of so many digits, with zeros in front.
std::string numbered(int number, std::size_t digits)
{
    const std::string text = std::to_string(number);
    return std::string(digits - text.size(), '0') + text;
}

void setPose(Element& frame, const Pose& pose)
{
    const Vec3& p = pose.position;
    const Quat& q = pose.orientation;
    setAttribute(frame, "pos", textOf({p.x(), p.y(), p.z()}));
    setAttribute(frame, "quat", textOf({q.w(), q.x(), q.y(), q.z()}));
}

class Composer {
public:
    explicit Composer(const IncludeFunction& open) : open_(open) {}

    Result<Composition> compose(Element root)
    {
        addModel(std::move(root), "", 0);
        if (reader_.failed()) return reader_.error();
        return std::move(out_);
    }

private:
    // A model that is being written out.
    struct Model {
        Element root;
        std::string folder;
        int index = 0, depth = 0;
        ModelSettings settings;  // its <compiler>, to read angles as it has them
        Context context;
        std::map<std::string, int> attached;  // of its <asset>: name → number of the model
    };

    int addModel(Element root, std::string folder, int depth)
    {
        const int index = static_cast<int>(out_.models.size());
        out_.models.emplace_back();
        Model model;
        model.root = std::move(root);
        model.folder = std::move(folder);
        model.index = index;
        model.depth = depth;
        model.context.model = &model.settings;
        readCompilers(model.context, model.root);
        listPlugins(model.context, model.root);
        if (model.context.reader.failed()) reader_.fail(model.context.reader.error());
        elements_ += countElements(model.root);
        // Not by reference: what is attached from the model itself is put beside its sections.
        for (std::size_t i = 0; i < model.root.children.size() && !reader_.failed(); ++i)
            if (model.root.children[i].name == "worldbody") {
                Element world = std::move(model.root.children[i]);
                world_ = &world;
                expand(world, model, "world");
                model.root.children[i] = std::move(world);
            }
        out_.hasLeftOutBodies = out_.hasLeftOutBodies || model.context.hasLeftOutBodies;
        out_.models[static_cast<std::size_t>(index)] = {std::move(model.root), std::move(model.folder),
                                                        std::move(model.context.notes)};
        return index;
    }

    // `body`: the one around what the element holds.
    void expand(Element& element, Model& model, const std::string& body)
    {
        for (std::size_t i = 0; i < element.children.size() && !reader_.failed(); ++i) {
            if (element.children[i].name == "attach") {
                const Element order = element.children[i];
                Element frame = attached(order, model);
                element.children[i] = std::move(frame);
                continue;
            }
            if (element.children[i].name == "composite") {
                i = placeComposite(element, i, model, body);
                continue;
            }
            const xml::Attribute* name = element.children[i].find("name");
            const bool isBody = element.children[i].name == "body";
            expand(element.children[i], model, !isBody ? body : name ? name->value : std::string());
            if (element.children[i].name != "replicate" || reader_.failed()) continue;
            const Element order = std::move(element.children[i]);
            std::vector<Element> copies = replicated(order, model);
            element.children.erase(element.children.begin() + static_cast<std::ptrdiff_t>(i));
            element.children.insert(element.children.begin() + static_cast<std::ptrdiff_t>(i),
                                    std::make_move_iterator(copies.begin()),
                                    std::make_move_iterator(copies.end()));
            i += copies.size();
            --i;  // its count is at least one
        }
    }

    // In the place of the child `i`; gives the number of the last one that came of it.
    std::size_t placeComposite(Element& element, std::size_t i, Model& model, const std::string& body)
    {
        const Element order = std::move(element.children[i]);
        element.children.erase(element.children.begin() + static_cast<std::ptrdiff_t>(i));
        std::optional<Composite> made = expandComposite(model.context, order, body);
        if (model.context.reader.failed()) reader_.fail(model.context.reader.error());
        if (!made || reader_.failed()) return i - 1;
        if (made->ownGeom) made->inBody.push_back(std::move(*made->ownGeom));
        for (auto* section : {&made->contact, &made->equality}) {
            if (section->empty()) continue;
            Element around = elementLike(order, section == &made->contact ? "contact" : "equality");
            around.children = std::move(*section);
            if (!spend(order, countElements(around))) return i - 1;
            model.root.children.push_back(std::move(around));
        }
        for (Element& part : made->inBody) {
            if (!spend(order, countElements(part))) return i - 1;
            element.children.insert(element.children.begin() + static_cast<std::ptrdiff_t>(i++),
                                    std::move(part));
        }
        return i - 1;
    }

    bool spend(const Element& where, long elements)
    {
        elements_ += elements;
        if (elements_ <= xml::maxElements) return true;
        reader_.fail(where, "makes more than a million elements; the limit is reached");
        return false;
    }

    // ---- <replicate> --------------------------------------------------------------------------------

    std::vector<Element> replicated(const Element& order, Model& model)
    {
        const std::optional<int> count = reader_.integer(order, "count");
        if (!count) reader_.fail(order, "count", "is missing; it is required");
        if (count && (*count < 1 || *count > mostReplicas))
            reader_.fail(order, "count", "is not from 1 to " + std::to_string(mostReplicas));
        const std::string sep = reader_.name(order, "sep").value_or(std::string());
        const Pose between = readReplicaStep(order, model);
        if (reader_.failed() || !spend(order, long{*count} * countElements(order))) return {};

        const std::size_t digits = std::to_string(*count - 1).size();
        std::vector<Renaming> renamings;
        std::vector<Element> copies;
        Pose pose;
        for (int k = 0; k < *count; ++k) {
            renamings.push_back({"", sep + numbered(k, digits)});
            Element frame = elementLike(order, "frame");
            frame.children = order.children;
            for (Element& child : frame.children) renameTree(child, renamings.back());
            setPose(frame, pose);
            if (const xml::Attribute* inherited = order.find("childclass"))
                frame.attributes.push_back(*inherited);
            copies.push_back(std::move(frame));
            pose = pose * between;
            pose.orientation.normalize();
        }
        Names names;
        for (const Element& child : order.children) collectNames(child, names);
        replicateReferring(order, names, renamings, model);
        return copies;
    }

    Pose readReplicaStep(const Element& order, Model& model)
    {
        Element step = elementLike(order, "frame");
        for (const xml::Attribute& attribute : order.attributes) {
            if (attribute.name == "offset")
                step.attributes.push_back({"pos", attribute.value, attribute.line, attribute.column});
            if (attribute.name == "euler") step.attributes.push_back(attribute);
        }
        const Pose pose = readPose(model.context, step);
        if (model.context.reader.failed()) reader_.fail(model.context.reader.error());
        return pose;
    }

    void replicateReferring(const Element& order, Names& names, const std::vector<Renaming>& renamings,
                            Model& model)
    {
        for (std::string_view section : referringSections)
            for (Element& part : model.root.children) {
                if (part.name != section) continue;
                std::vector<Element> all;
                for (Element& child : part.children) {
                    if (referring(child, names).inside == 0) {
                        all.push_back(std::move(child));
                        continue;
                    }
                    if (!spend(order, static_cast<long>(renamings.size()) * countElements(child))) return;
                    for (const Renaming& renaming : renamings) {
                        all.push_back(child);
                        renameReferences(all.back(), renaming, names);
                    }
                    const xml::Attribute* name = child.find("name");
                    if (name && section == "tendon") names.insert({Kind::tendon, name->value});
                }
                part.children = std::move(all);
            }
    }

    // ---- <attach> -----------------------------------------------------------------------------------

    Element attached(const Element& order, Model& model)
    {
        const std::optional<std::string> from = reader_.name(order, "model");
        const Renaming renaming{reader_.name(order, "prefix").value_or(std::string()), ""};
        if (!order.find("prefix")) reader_.fail(order, "prefix", "is missing; it is required");
        const int source = from ? modelNamed(order, *from, model) : model.index;
        if (reader_.failed()) return {};
        const Element* world = from ? worldOf(out_.models[static_cast<std::size_t>(source)].root) : world_;
        Element frame = elementLike(order, "frame");
        take(order, world, frame);
        if (reader_.failed() || !spend(order, countElements(frame))) return {};
        if (from) setAttribute(frame, modelMark, std::to_string(source));
        Names names;
        for (Element& child : frame.children) {
            collectNames(child, names);
            renameTree(child, renaming);
        }
        // A copy: where a model attaches a part of itself, the sections read are those written to.
        const Element root = from ? out_.models[static_cast<std::size_t>(source)].root : model.root;
        attachReferring(order, root, from ? source : -1, names, renaming, model);
        return frame;
    }

    static const Element* worldOf(const Element& root) { return root.child("worldbody"); }

    // The body or frame asked for, or all there is.
    void take(const Element& order, const Element* world, Element& frame)
    {
        const std::optional<std::string> body = reader_.name(order, "body");
        const std::optional<std::string> part = reader_.name(order, "frame");
        if (body && part) return reader_.fail(order, "has both body and frame");
        if (!body && !part && !order.find("model"))
            return reader_.fail(order, "names no model, so it has to name a body or a frame");
        if (!world) return reader_.fail(order, "model", "has no <worldbody>");
        if (!body && !part) {
            frame.children = world->children;
        } else {
            const Found found = find(*world, body ? "body" : "frame", body ? *body : *part);
            if (!found.element) return reader_.fail(order, body ? "body" : "frame", "is not in that model");
            frame.children = {*found.element};
            for (auto outer = found.frames.rbegin(); outer != found.frames.rend(); ++outer) {
                Element around = elementLike(**outer, "frame");
                around.attributes = (*outer)->attributes;
                std::erase_if(around.attributes, [](const xml::Attribute& a) { return a.name == "name"; });
                around.children = std::move(frame.children);
                frame.children = {std::move(around)};
            }
        }
        if (holds(frame, "attach") || holds(frame, "replicate"))
            reader_.fail(order, "attaches what stands behind it or around it; put that first");
    }

    // Those that refer to nothing but what was attached.
    void attachReferring(const Element& order, const Element& from, int source, Names& names,
                         const Renaming& renaming, Model& model)
    {
        for (std::string_view section : referringSections)
            for (const Element& part : from.children) {
                if (part.name != section) continue;
                Element copies = elementLike(part, std::string(section));
                for (const Element& child : part.children) {
                    const Referring how = referring(child, names);
                    if (how.inside == 0 || how.outside > 0) continue;
                    if (!spend(order, countElements(child))) return;
                    copies.children.push_back(child);
                    Element& copy = copies.children.back();
                    renameReferences(copy, renaming, names);
                    if (source >= 0 && !copy.find(modelMark))
                        setAttribute(copy, modelMark, std::to_string(source));
                    const xml::Attribute* name = child.find("name");
                    if (name && section == "tendon") names.insert({Kind::tendon, name->value});
                }
                if (!copies.children.empty()) model.root.children.push_back(std::move(copies));
            }
    }

    // Of the model's <asset>, read when it is asked for first.
    int modelNamed(const Element& order, const std::string& name, Model& model)
    {
        if (const auto known = model.attached.find(name); known != model.attached.end())
            return known->second;
        for (const Element& section : model.root.children)
            for (const Element& asset : section.children) {
                if (section.name != "asset" || asset.name != "model") continue;
                const std::string file = reader_.requiredName(asset, "file");
                if (reader_.failed()) return 0;
                const std::optional<std::string> called = reader_.name(asset, "name");
                if (called ? *called == name : isCalled(asset, file, name, model))
                    return model.attached[name] = load(asset, file, model);
                if (reader_.failed()) return 0;
            }
        reader_.fail(order, "model", "is not a <model> in the <asset> of this file");
        return 0;
    }

    // A model without a name has that of its file's <mujoco>.
    bool isCalled(const Element& asset, const std::string& file, const std::string& name, Model& model)
    {
        const std::optional<Element> root = parsed(asset, file, model);
        if (!root) return false;
        const xml::Attribute* own = root->find("model");
        return (own ? own->value : std::filesystem::path(file).stem().string()) == name ||
               std::filesystem::path(file).stem().string() == name;
    }

    std::optional<Element> parsed(const Element& asset, const std::string& file, const Model& model)
    {
        const xml::Attribute& attribute = *asset.find("file");
        const std::string path =
            std::filesystem::path(model.folder + file).lexically_normal().generic_string();
        const std::string& written = std::filesystem::path(file).is_absolute() ? file : path;
        if (const std::string fault = partReferenceFault(written); !fault.empty()) {
            reader_.fail(xml::at(asset, attribute, fault));
            return {};
        }
        const Result<std::string> text = open_(path);
        if (!text) {
            reader_.fail(xml::at(asset, attribute, "cannot be read: " + text.error().message));
            return {};
        }
        const std::string folder = folderOf(path);
        Result<Element> root = parse(text.value(), path, [&](const std::string& included) {
            return open_(std::filesystem::path(folder + included).lexically_normal().generic_string());
        });
        if (!root) {
            reader_.fail(root.error());
            return {};
        }
        return std::move(root.value());
    }

    int load(const Element& asset, const std::string& file, Model& model)
    {
        if (model.depth + 1 > deepestModel)
            reader_.fail(asset, "file",
                         "is a model inside more than " + std::to_string(deepestModel) + " others");
        if (out_.models.size() >= mostModels)
            reader_.fail(asset, "file", "is the 101st model; at most 100 are attached");
        if (reader_.failed()) return 0;
        std::optional<Element> root = parsed(asset, file, model);
        if (!root) return 0;
        const std::string path =
            std::filesystem::path(model.folder + file).lexically_normal().generic_string();
        const Element* outer = world_;
        const int index = addModel(std::move(*root), folderOf(path), model.depth + 1);
        world_ = outer;
        return index;
    }

    const IncludeFunction& open_;
    Composition out_;
    const Element* world_ = nullptr;  // of the model that is being written out
    xml::Reader reader_;
    long elements_ = 0;
};

}  // namespace

std::string folderOf(const std::string& path)
{
    const std::string folder = std::filesystem::path(path).parent_path().generic_string();
    return folder.empty() ? folder : folder + "/";
}

Result<Composition> compose(Element root, const IncludeFunction& open)
{
    return Composer(open).compose(std::move(root));
}

}  // namespace sinew::mjcf
