// What wishes have in common: which keys their type takes, their points and directions in axes of bodies.
#include <unordered_set>

#include "sinew/base/words.h"
#include "sinew/model/compile/parts.h"
#include "sinew/model/wish.h"

namespace sinew::compiling {
namespace {

struct WishKey {
    std::uint32_t key;
    const char* name;
    bool (*isGiven)(const WishDescription& source);
};

bool hasPath(const WishDescription& source)
{
    return std::holds_alternative<SpringCurve>(source.on);
}
bool hasSurface(const WishDescription& source)
{
    return isSpringSurface(source.on);
}

const WishKey wishKeyTable[] = {
    {wish_keys::body, "body", [](const WishDescription& w) { return w.of.body != "world"; }},
    {wish_keys::point, "point", [](const WishDescription& w) { return w.of.point.has_value(); }},
    {wish_keys::to | wish_keys::toBody, "to", [](const WishDescription& w) { return w.to.has_value(); }},
    {wish_keys::path, "path", hasPath},
    {wish_keys::surface, "plane", hasSurface},
    {wish_keys::points, "points", [](const WishDescription& w) { return !w.points.empty(); }},
    {wish_keys::joints, "joints", [](const WishDescription& w) { return !w.joints.empty(); }},
    {wish_keys::axis, "axis", [](const WishDescription& w) { return w.axis.has_value(); }},
    {wish_keys::direction, "direction", [](const WishDescription& w) { return w.direction.has_value(); }},
    {wish_keys::orientation, "orientation",
     [](const WishDescription& w) { return w.orientation.has_value(); }},
    {wish_keys::velocity, "velocity", [](const WishDescription& w) { return w.velocity.has_value(); }},
    {wish_keys::length, "length", [](const WishDescription& w) { return w.length.has_value(); }},
    {wish_keys::side, "side",
     [](const WishDescription& w) { return w.side != WishDescription::Side::both; }},
};

void checkKeys(const WishDescription& source, const WishTypeInfo& type, const std::string& pointer,
               Checker& check)
{
    for (const WishKey& key : wishKeyTable) {
        const bool isGiven = key.isGiven(source);
        const char* also = key.key == wish_keys::surface ? ", \"sphere\" or \"cylinder\"" : "";
        check.require(
            isGiven || (type.needed & key.key) == 0, pointer,
            "a wish of type " + std::string(type.name) + " needs the key \"" + key.name + "\"" + also);
        check.require(!isGiven || ((type.needed | type.taken) & key.key) != 0, pointer + "/" + key.name,
                      "a wish of type " + std::string(type.name) + " does not take this key");
    }
}

WishPoint compilePlace(const WishPlace& source, const Names& names, const Model& model, bool needsPoint,
                       const std::string& pointer, Checker& check)
{
    const int described = bodyIndex(names, source.body, pointer + "/body", check);
    if (check.failed()) return {};
    if (source.point) check.finite(*source.point, pointer + "/point");
    if (described == world) {
        check.require(!needsPoint || source.point, pointer, "needs a point, as it is in the world");
        return {world, source.point.value_or(Vec3::Zero())};
    }
    const int body = model.bodyOrder[static_cast<std::size_t>(described)];
    return {body,
            source.point ? Vec3(model.bodies[body].rest.inverse() * *source.point) : Vec3(Vec3::Zero())};
}

// The bodies and points, then what is given in axes of the world at rest.
void compilePlaces(const WishDescription& source, const WishTypeInfo& type, const Names& names,
                   const std::string& pointer, const Model& model, Wish& wish, Checker& check)
{
    const bool takesTo = ((type.needed | type.taken) & wish_keys::to) != 0;
    wish.points.push_back(compilePlace(source.of, names, model, false, pointer, check));
    if (((type.needed | type.taken) & (wish_keys::to | wish_keys::toBody)) != 0) {
        const WishPlace other = source.to.value_or(WishPlace());
        check.require(takesTo || !other.point, pointer + "/to", "is a body, without a point");
        wish.points.push_back(
            compilePlace(other, names, model, source.to && takesTo, pointer + "/to", check));
        if (check.failed()) return;
        check.require(
            wish.points[0].body != wish.points[1].body || !source.to, pointer + "/to",
            wish.points[0].body == world ? "is in the world, as the other end is" : "is on the same body");
    }
    for (std::size_t i = 0; i < source.points.size() && !check.failed(); ++i)
        wish.points.push_back(compilePlace(source.points[i], names, model, true,
                                           pointer + "/points/" + std::to_string(i), check));
    if (check.failed()) return;
    if (hasPath(source) || hasSurface(source)) {
        const int body = wish.points[1].body;
        wish.form =
            springFormInBody(source.on, body < 0 ? Pose() : model.bodies[body].rest, pointer, check);
    }
}

void compileDirections(const WishDescription& source, const std::string& pointer, const Model& model,
                       Wish& wish, Checker& check)
{
    if (source.direction) wish.direction = check.direction(*source.direction, pointer + "/direction");
    const int body = wish.points[0].body;
    if (body < 0 || check.failed()) return;
    // The frame at the centre of mass is turned as that of the description.
    const Quat& rest = model.bodies[body].rest.orientation;
    if (source.axis) wish.axis = rest.conjugate() * check.direction(*source.axis, pointer + "/axis");
    wish.orientation =
        source.orientation ? check.unit(*source.orientation, pointer + "/orientation") : rest;
    if (source.velocity) {
        check.finite(*source.velocity, pointer + "/velocity");
        wish.velocity = *source.velocity;
    }
}

void compileNumbers(const WishDescription& source, const std::string& pointer, Wish& wish, Checker& check)
{
    check.positive(source.weight, pointer + "/weight");
    check.notNegative(source.damping, pointer + "/damping");
    check.require(source.damping == 0 || source.acts, pointer + "/damping",
                  "is for wishes that pull in a simulation; say \"acts\": true");
    if (source.from) check.finite(*source.from, pointer + "/from");
    if (source.until) check.finite(*source.until, pointer + "/until");
    if (source.from && source.until)
        check.require(*source.from <= *source.until, pointer + "/until", "is before \"from\"");
    wish.weight = source.weight;
    wish.damping = source.damping;
    wish.soft = source.soft;
    wish.acts = source.acts;
    wish.side = source.side;
    if (source.from) wish.from = *source.from;
    if (source.until) wish.until = *source.until;
}

// A wish that pulls does so on one body: all else that moves is for springs and controllers.
void checkActs(const Wish& wish, const std::string& pointer, Checker& check)
{
    int moving = 0, last = world;
    for (const WishPoint& point : wish.points)
        if (point.body != world && point.body != last) {
            last = point.body;
            ++moving;
        }
    const std::string type = wish.type->name;
    check.require(!wish.type->isOfVelocities, pointer + "/acts",
                  "a wish of type " + type + " does not pull; a joint's damping holds back");
    check.require(wish.links.empty(), pointer + "/acts",
                  "a wish of type " + type + " does not pull; controllers do, in joints");
    check.require(moving <= 1 && (wish.type->needed & wish_keys::points) == 0, pointer + "/acts",
                  "a wish that pulls is of one body and the world; springs pull between bodies");
}

void compileWish(const WishDescription& source, const Names& names, const std::string& pointer,
                 Model& model, Checker& check)
{
    std::vector<std::string_view> known;
    for (const WishTypeInfo* type : wishTypes()) known.push_back(type->name);
    const WishTypeInfo* type = findWishType(source.type);
    check.require(type != nullptr, pointer + "/type",
                  "there is no type of wish " + quoted(source.type) + "; one of " + words::joined(known));
    if (check.failed()) return;
    checkKeys(source, *type, pointer, check);
    if (check.failed()) return;
    Wish wish;
    wish.type = type;
    wish.name = source.name;
    wish.source = static_cast<int>(model.wishes.size());
    wish.rows = type->rows;
    compilePlaces(source, *type, names, pointer, model, wish, check);
    if (!check.failed()) compileDirections(source, pointer, model, wish, check);
    if (!check.failed()) compileNumbers(source, pointer, wish, check);
    if (!check.failed() && type->compile) type->compile(source, pointer, model, check, wish);
    if (!check.failed() && wish.acts) checkActs(wish, pointer, check);
    model.wishes.push_back(std::move(wish));
}

}  // namespace

void compileWishes(const Description& description, const Names& names, Model& model, Checker& check)
{
    std::unordered_set<std::string> known;
    for (std::size_t i = 0; i < description.wishes.size() && !check.failed(); ++i) {
        const WishDescription& source = description.wishes[i];
        const std::string pointer = at("wishes", i);
        check.require(source.name.empty() || known.insert(source.name).second, pointer + "/name",
                      "there is a wish " + quoted(source.name) + " already; names must differ");
        compileWish(source, names, pointer, model, check);
    }
}

}  // namespace sinew::compiling
