// The figure of a scene: bones, made into bodies and joints as soon as they are read, with a note of where
// each came from so that later faults point to the file.
#include "sinew/figure/figure.h"
#include "sinew/io/json/reader.h"

namespace sinew::reading {
namespace {

bool readSegment(Reader& reader, const Value& value, BoneDescription& out)
{
    std::string word;
    if (!reader.read(value, word)) return false;
    out.segment = segmentFromName(word);
    return out.segment || reader.failWord("segment", word, segmentNames());
}

bool readTable(Reader& reader, const Value& value, FigureDescription& out)
{
    std::string word;
    if (!reader.read(value, word)) return false;
    out.table = findSegmentTable(word);
    if (out.table) return true;
    std::vector<std::string_view> legal;
    for (const SegmentTable& table : segmentTables()) legal.push_back(table.name);
    return reader.failWord("table", word, legal);
}

bool readMirror(Reader& reader, const Value& value, FigureDescription& out)
{
    if (!value.isArray() || value.items().size() != 2)
        return reader.fail("a list of 2 beginnings of names is expected, such as [\"left_\", \"right_\"]");
    for (std::size_t i = 0; i < 2; ++i) {
        std::string& part = out.mirror[i];
        const auto read = [&] {
            return reader.read(value.items()[i], part) && (!part.empty() || reader.fail("is empty"));
        };
        if (!reader.within(i, read)) return false;
    }
    return true;
}

bool readMirrorAxis(Reader& reader, const Value& value, FigureDescription& out)
{
    std::string word;
    if (!reader.read(value, word)) return false;
    out.mirrorAxis = word == "x" ? 0 : word == "y" ? 1 : 2;
    return word == "x" || word == "y" || word == "z" ||
           reader.fail("unknown axis " + words::quoted(word) + "; the axes are x, y, z");
}

// The keys of joints without those that the bone itself answers.
Keys<JointDescription> jointKeysWithout(std::span<const std::string_view> answered)
{
    Keys<JointDescription> keys;
    for (Key<JointDescription> key : Reader::jointKeys()) {
        bool known = false;
        for (std::string_view word : answered) known |= key.name == word;
        key.required = false;
        if (!known) keys.push_back(key);
    }
    return keys;
}

bool readOwnJoint(Reader& reader, const Value& value, BoneDescription& out)
{
    static constexpr std::string_view answered[] = {"first", "second"};
    static const Keys<JointDescription> keys = jointKeysWithout(answered);
    if (!reader.joint(value, keys, out.joint, "the joint of a bone")) return false;
    out.jointAtFrom = value.find("position") == nullptr;
    return true;
}

bool readSharedJoint(Reader& reader, const Value& value, JointDescription& out)
{
    static constexpr std::string_view answered[] = {"first", "second", "name", "position"};
    static const Keys<JointDescription> keys = jointKeysWithout(answered);
    return reader.joint(value, keys, out, "the joint of a figure");
}

// Of what bodies have, what all of a figure can have alike: how they touch and look.
bool readSharedBody(Reader& reader, const Value& value, BodyDescription& out)
{
    using B = BodyDescription;
    static const Keys<B> keys = {
        key<B, &B::friction>("friction"),
        key<B, &B::staticFriction>("static_friction"),
        key<B, &B::rollingFriction>("rolling_friction"),
        key<B, &B::spinningFriction>("spinning_friction"),
        key<B, &B::restitution>("restitution"),
        key<B, &B::layer>("layer"),
        key<B, &B::collides>("collides"),
        key<B, &B::color>("color"),
        key<B, &B::drag>("drag"),
    };
    return reader.object(value, keys, out, "the body of a figure");
}

// A key whose value goes into a member of the bone's body.
template <auto member>
Key<BoneDescription> bodyKey(std::string_view name, bool required = false)
{
    return {name,
            [](Reader& reader, const Value& value, BoneDescription& out) {
                return reader.read(value, out.body.*member);
            },
            required};
}

const Keys<BoneDescription>& boneKeys()
{
    using B = BoneDescription;
    static const Keys<B> keys = {
        bodyKey<&BodyDescription::name>("name", true),
        key<B, &B::parent>("parent"),
        key<B, &B::from>("from", true),
        key<B, &B::to>("to", true),
        {"segment", readSegment},
        key<B, &B::share>("share"),
        bodyKey<&BodyDescription::mass>("mass"),
        key<B, &B::density>("density"),
        key<B, &B::radius>("radius"),
        key<B, &B::center>("center"),
        bodyKey<&BodyDescription::inertia>("inertia"),
        bodyKey<&BodyDescription::shapes>("shapes"),
        bodyKey<&BodyDescription::friction>("friction"),
        bodyKey<&BodyDescription::staticFriction>("static_friction"),
        bodyKey<&BodyDescription::rollingFriction>("rolling_friction"),
        bodyKey<&BodyDescription::spinningFriction>("spinning_friction"),
        bodyKey<&BodyDescription::restitution>("restitution"),
        bodyKey<&BodyDescription::layer>("layer"),
        bodyKey<&BodyDescription::collides>("collides"),
        bodyKey<&BodyDescription::color>("color"),
        bodyKey<&BodyDescription::drag>("drag"),
        bodyKey<&BodyDescription::velocity>("velocity"),
        bodyKey<&BodyDescription::angularVelocity>("angular_velocity"),
        {"joint", readOwnJoint},
    };
    return keys;
}

const Keys<FigureDescription>& figureKeys()
{
    using F = FigureDescription;
    static const Keys<F> keys = {
        key<F, &F::mass>("mass"),
        {"table", readTable},
        {"mirror", readMirror},
        {"mirror_axis", readMirrorAxis},
        // Read afterwards, in this order: the bones start from the figure's body and joint.
        {"body", [](Reader&, const Value&, F&) { return true; }},
        {"joint", [](Reader&, const Value&, F&) { return true; }},
        {"bones", [](Reader&, const Value&, F&) { return true; }, true},
    };
    return keys;
}

// `shared` is what every bone starts from.
bool readBones(Reader& reader, const Value& value, const BoneDescription& shared, FigureDescription& out)
{
    if (!value.isArray()) return reader.failKind("a list", value);
    out.bones.resize(value.items().size(), shared);
    for (std::size_t i = 0; i < out.bones.size(); ++i) {
        BoneDescription& bone = out.bones[i];
        const Value& item = value.items()[i];
        const auto read = [&] {
            if (!reader.object(item, boneKeys(), bone, "a bone")) return false;
            return bone.parent || item.find("joint") == nullptr ||
                   reader.fail("a bone without a parent has no joint; name the parent, or \"world\"");
        };
        if (!reader.within(i, read)) return false;
    }
    return true;
}

// Where the parts of the figure, and the scene's own bodies and joints after them, stand in the file.
class Origins {
public:
    Origins(const Value& figure, std::vector<Origin>& out) : figure_(figure), out_(out) {}

    void body(std::size_t index, int bone)
    {
        const std::string place = "/bodies/" + std::to_string(index), written = pointer(bone);
        add(place, written);
        const Value& item = value(bone);
        if (!item.find("mass")) add(place + "/mass", written + "/segment");
        if (const Value* shared = figure_.find("body"))
            for (const Member& member : shared->members())
                if (!item.find(member.key)) add(place + "/" + member.key, "/figure/body/" + member.key);
        if (item.find("shapes")) return;
        add(place + "/shapes", written);
        add(place + "/shapes/0", written);  // the capsule's radius is the bone's
    }
    void joint(std::size_t index, int bone)
    {
        const std::string place = "/joints/" + std::to_string(index), written = pointer(bone);
        const Value* own = value(bone).find("joint");
        const auto has = [&](std::string_view key) { return own && own->find(key); };
        add(place, written + "/joint");
        add(place + "/first", written + "/parent");
        add(place + "/second", written + "/name");
        if (!has("name")) add(place + "/name", written + "/name");
        if (!has("position")) add(place + "/position", written + "/from");
        if (const Value* shared = figure_.find("joint"))
            for (const Member& member : shared->members())
                if (!has(member.key)) add(place + "/" + member.key, "/figure/joint/" + member.key);
    }
    void moved(const char* list, std::size_t from, std::size_t to)
    {
        const std::string start = std::string("/") + list + "/";
        add(start + std::to_string(to), start + std::to_string(from));
    }

private:
    const Value& value(int bone) const
    {
        return figure_.find("bones")->items()[static_cast<std::size_t>(bone)];
    }
    std::string pointer(int bone) const { return "/figure/bones/" + std::to_string(bone); }
    void add(std::string expanded, std::string written)
    {
        out_.push_back({std::move(expanded), std::move(written)});
    }

    const Value& figure_;
    std::vector<Origin>& out_;
};

}  // namespace

bool Reader::figure(const Value& value, Description& out)
{
    FigureDescription description;
    BoneDescription shared;
    if (!object(value, figureKeys(), description, "a figure")) return false;
    if (const Value* body = value.find("body"))
        if (!within("body", [&] { return readSharedBody(*this, *body, shared.body); })) return false;
    if (const Value* joint = value.find("joint"))
        if (!within("joint", [&] { return readSharedJoint(*this, *joint, shared.joint); })) return false;
    const Value& bones = *value.find("bones");
    if (!within("bones", [&] { return readBones(*this, bones, shared, description); })) return false;

    Result<Figure> expanded = expandFigure(description);
    if (!expanded) {
        fail(expanded.error().message);
        error_.pointer += expanded.error().pointer;
        return false;
    }
    Figure& made = expanded.value();
    Origins origins(value, out.origins);
    for (std::size_t i = 0; i < made.bodies.size(); ++i) origins.body(i, made.boneOfBody[i]);
    for (std::size_t i = 0; i < made.joints.size(); ++i) origins.joint(i, made.boneOfJoint[i]);
    for (std::size_t i = 0; i < out.bodies.size(); ++i) origins.moved("bodies", i, made.bodies.size() + i);
    for (std::size_t i = 0; i < out.joints.size(); ++i) origins.moved("joints", i, made.joints.size() + i);
    out.bodies.insert(out.bodies.begin(), made.bodies.begin(), made.bodies.end());
    out.joints.insert(out.joints.begin(), made.joints.begin(), made.joints.end());
    return true;
}

}  // namespace sinew::reading
