// Tree → scene: what stands beside <worldbody>, and the order of things.
#include <algorithm>

#include "sinew/base/text.h"
#include "sinew/io/mjcf/composition.h"
#include "sinew/io/mjcf/converter.h"

namespace sinew::mjcf {
namespace {

void readCompiler(Context& context, const Element& element)
{
    xml::Reader& reader = context.reader;
    Compiler& compiler = context.model->compiler;
    const auto word = [&](const char* key, std::initializer_list<std::string_view> legal) {
        const std::string found = reader.name(element, key).value_or(std::string());
        if (!found.empty() && std::find(legal.begin(), legal.end(), found) == legal.end()) {
            std::string all;
            for (std::string_view one : legal) all.append(all.empty() ? "" : ", ").append(one);
            reader.fail(element, key, "is none of " + all);
        }
        return found;
    };
    if (const std::string angle = word("angle", {"radian", "degree"}); !angle.empty())
        compiler.isRadian = angle == "radian";
    if (word("coordinate", {"local", "global"}) == "global")
        reader.fail(element, "coordinate", "is not read; save the model with local coordinates");
    if (const auto sequence = reader.name(element, "eulerseq")) {
        const bool isGood =
            sequence->size() == 3 && sequence->find_first_not_of("xyzXYZ") == std::string::npos;
        if (!isGood)
            return reader.fail(element, "eulerseq", "is not three of the letters x, y, z, X, Y, Z");
        compiler.eulerSequence = *sequence;
    }
    if (const std::string rule = word("inertiafromgeom", {"true", "false", "auto"}); !rule.empty())
        compiler.inertiaFromGeoms = rule == "true"    ? Compiler::FromGeoms::yes
                                    : rule == "false" ? Compiler::FromGeoms::no
                                                      : Compiler::FromGeoms::automatic;
    if (const auto range = reader.numbers(element, "inertiagrouprange", 2, 2); !range.empty()) {
        compiler.leastGroup = range[0];
        compiler.largestGroup = range[1];
    }
    compiler.autolimits = reader.boolean(element, "autolimits").value_or(compiler.autolimits);
    compiler.leastMass = reader.number(element, "boundmass").value_or(compiler.leastMass);
    compiler.leastInertia = reader.number(element, "boundinertia").value_or(compiler.leastInertia);
    compiler.totalMass = reader.number(element, "settotalmass").value_or(compiler.totalMass);
    compiler.balancesInertia = reader.boolean(element, "balanceinertia").value_or(compiler.balancesInertia);
    if (compiler.leastMass < 0) reader.fail(element, "boundmass", "is negative");
    if (compiler.leastInertia < 0) reader.fail(element, "boundinertia", "is negative");
    compiler.exactMeshes = reader.boolean(element, "exactmeshinertia").value_or(compiler.exactMeshes);
    compiler.stripsPath = reader.boolean(element, "strippath").value_or(compiler.stripsPath);
    for (const char* key : {"assetdir", "meshdir"})
        if (const auto folder = reader.name(element, key))
            compiler.meshFolder = folder->empty() || folder->ends_with('/') ? *folder : *folder + "/";
    noteUnread(
        context, element,
        {"exactmeshinertia", "strippath", "angle", "coordinate", "eulerseq", "inertiafromgeom",
         "inertiagrouprange", "autolimits", "boundmass", "boundinertia", "settotalmass", "balanceinertia",
         "meshdir", "texturedir", "assetdir", "discardvisual", "usethread", "convexhull"});
}

void readOption(Context& context, const Element& element)
{
    Description& scene = context.out.scene;
    if (const auto g = context.reader.vector(element, "gravity"))
        scene.gravity = Vec3(g->x(), g->z(), -g->y());
    if (const auto step = context.reader.number(element, "timestep")) {
        if (*step <= 0) return context.reader.fail(element, "timestep", "must be positive");
        scene.run.step = *step;
    }
    noteUnread(context, element, {"gravity", "timestep"});
    for (const Element& flag : element.children)
        for (const xml::Attribute& attribute : flag.attributes) {
            const bool isOff = attribute.value == "disable";
            if (attribute.name == "gravity" && isOff)
                scene.gravity.setZero();
            else if (attribute.name == "contact" && isOff)
                context.isContactOff = true;
            else
                context.notes.add(flag, "attribute " + quotedName(attribute.name) + " is not read");
        }
}

void readContact(Context& context, const Element& element)
{
    for (const Element& child : element.children) {
        if (child.name != "exclude") {
            context.notes.add(child, "in <contact> is not read");
            continue;
        }
        const std::string a = context.reader.requiredName(child, "body1");
        const std::string b = context.reader.requiredName(child, "body2");
        bool isThere = true;
        for (const auto& [name, key] : {std::pair(a, "body1"), std::pair(b, "body2")})
            if (!context.bodyNames.contains(name)) {
                isThere = false;
                if (!context.reader.failed() && !mayBeLeftOut(context, child, name))
                    context.reader.fail(child, key, "is not a body of this file");
            }
        if (context.reader.failed()) return;
        if (!isThere) continue;
        if (context.out.scene.contact) context.out.scene.contact->ignore.push_back({a, b});
    }
}

// Pairs of layers that pass through each other. With one layer alone none is needed.
void nameLayers(Context& context)
{
    Description& scene = context.out.scene;
    constexpr std::size_t mostLayers = 30;
    const bool isPlain = context.layers.size() == 1 && context.layers.begin()->first == std::pair(1, 1);
    const bool isTooMany = context.layers.size() > mostLayers;
    if (isPlain || isTooMany || !scene.contact) {
        for (BodyDescription& body : scene.bodies) body.layer.clear();
        for (ObstacleDescription& obstacle : scene.obstacles) obstacle.layer.clear();
        if (isTooMany && scene.contact)
            context.out.notes.push_back(Diagnostic{
                "more than 30 pairs of contype and conaffinity; all geoms touch each other here"});
        return;
    }
    for (auto a = context.layers.begin(); a != context.layers.end(); ++a)
        for (auto b = a; b != context.layers.end(); ++b)
            if (!(a->first.first & b->first.second) && !(b->first.first & a->first.second))
                scene.contact->ignore.push_back({a->second, b->second});
}

bool isSilent(std::string_view section)
{
    for (std::string_view known :
         {"compiler", "option", "default", "worldbody", "contact", "actuator",  //
          "equality", "tendon", "keyframe", "asset", "visual", "statistic", "size"})
        if (section == known) return true;
    return false;
}

// Sections that nothing is taken from, each kind of element in them once.
void noteSections(Context& context, const Element& root)
{
    for (const Element& section : root.children) {
        if (isSilent(section.name)) continue;
        if (section.children.empty()) context.notes.add(section, "is not read");
        for (const Element& child : section.children)
            context.notes.add(child, "in <" + section.name + "> is not read");
    }
    for (const Element& section : root.children)
        if (section.name == "asset")
            for (const Element& child : section.children)
                if (child.name != "texture" && child.name != "material" && child.name != "mesh" &&
                    child.name != "model" && child.name != "hfield")
                    context.notes.add(child, "in <asset> is not read");
}

void readModelSettings(Context& context, const Source& source)
{
    context.models.push_back(std::make_unique<ModelSettings>());
    context.model = context.models.back().get();
    context.model->folder = source.folder;
    readCompilers(context, source.root);
    if (!context.reader.failed()) context.model->defaults.read(source.root, context.reader, context.notes);
    if (!context.reader.failed()) listMeshes(context, source.root);
    if (!context.reader.failed()) listHeightFields(context, source.root);
    listPlugins(context, source.root);
    context.notes.add(source.notes);
}

}  // namespace

void readCompilers(Context& context, const Element& root)
{
    for (const Element& child : root.children)
        if (child.name == "compiler" && !context.reader.failed()) readCompiler(context, child);
}

Result<Imported> convert(Element tree, const IncludeFunction& open, const MjcfOptions& options)
{
    Result<Composition> composed = compose(std::move(tree), open);
    if (!composed) return composed.error();
    Context context;
    context.open = &open;
    context.hasLeftOutBodies = composed.value().hasLeftOutBodies;
    for (const Source& source : composed.value().models) readModelSettings(context, source);
    const Element& root = composed.value().models.front().root;
    if (!context.reader.failed()) context.model = context.models.front().get();
    const auto each = [&](std::string_view name, auto read) {
        for (const Element& child : root.children)
            if (child.name == name && !context.reader.failed()) read(context, child);
    };
    context.out.scene.name = context.reader.name(root, "model").value_or(std::string());
    each("option", readOption);
    if (!context.reader.failed()) readBodies(context, root);
    each("contact", readContact);
    if (!context.reader.failed()) setSpringDampers(context);
    if (!context.reader.failed()) readConstraints(context, root);
    if (!context.reader.failed()) readActuators(context, root);
    if (!context.reader.failed()) setStart(context, root, options.keyframe);
    if (!context.reader.failed() && context.out.scene.bodies.empty() && context.out.scene.meshes.empty())
        context.reader.fail(root, "has no body in its <worldbody>; a scene needs at least one");
    if (context.reader.failed()) return context.reader.error();
    nameLayers(context);
    noteSections(context, root);
    context.notes.take(context.out);
    return std::move(context.out);
}

}  // namespace sinew::mjcf
