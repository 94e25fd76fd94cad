// What bodies touch and how: obstacles of every form, and the settings of contact.
#include "sinew/io/json/reader.h"

namespace sinew::reading {
namespace {

struct ObstacleKind {
    std::string_view name;
    ObstacleDescription blank;  // of that type and form, for its keys to fill
    Keys<ObstacleDescription> keys;
};

// A key of one kind of terrain, which `out.terrain` already is.
template <class T, auto member>
Key<ObstacleDescription> terrainKey(std::string_view name)
{
    return {name,
            [](Reader& reader, const Value& value, ObstacleDescription& out) {
                return reader.read(value, std::get<T>(out.terrain).*member);
            },
            true};
}

// The keys that all obstacles have, and after them those of one kind.
Keys<ObstacleDescription> withShared(const Keys<ObstacleDescription>& own)
{
    using O = ObstacleDescription;
    Keys<O> keys = {
        // Known before the others are read: it says which of them are legal.
        {"type", [](Reader&, const Value&, O&) { return true; }, true},
        key<O, &O::name>("name"),
        key<O, &O::position>("position"),
        key<O, &O::friction>("friction"),
        key<O, &O::staticFriction>("static_friction"),
        key<O, &O::rollingFriction>("rolling_friction"),
        key<O, &O::spinningFriction>("spinning_friction"),
        key<O, &O::restitution>("restitution"),
        key<O, &O::layer>("layer"),
    };
    keys.insert(keys.end(), own.begin(), own.end());
    return keys;
}

// Planes and spheres are there without contact too; then they are springs.
Keys<ObstacleDescription> withSpring(Key<ObstacleDescription> own)
{
    using O = ObstacleDescription;
    return withShared({key<O, &O::stiffness>("stiffness"), key<O, &O::damping>("damping"), own});
}

Keys<ObstacleDescription> withTurn(Keys<ObstacleDescription> own)
{
    own.insert(own.begin(), key<ObstacleDescription, &ObstacleDescription::orientation>("orientation"));
    return withShared(own);
}

std::vector<ObstacleKind> makeObstacleKinds()
{
    using O = ObstacleDescription;
    static const Shape shapes[] = {Box{}, Capsule{}, Cylinder{}, Ellipsoid{}, ConvexMesh{}};
    O plane, sphere, heights, triangles;
    sphere.type = O::Type::sphere;
    heights.type = triangles.type = O::Type::terrain;
    heights.terrain = HeightField{};
    triangles.terrain = TriangleMesh{};

    std::vector<ObstacleKind> kinds = {
        {"plane", plane, withSpring(key<O, &O::normal>("normal"))},
        {"sphere", sphere, withSpring(key<O, &O::radius>("radius", true))},
    };
    for (const Shape& shape : shapes) {
        O blank;
        blank.type = O::Type::shape;
        blank.shape = shape;
        kinds.push_back({shapeName(shape), blank, withTurn(sizeKeys<O>()[shape.index()])});
    }
    kinds.push_back({"height_field", heights,
                     withTurn({terrainKey<HeightField, &HeightField::columns>("columns"),
                               terrainKey<HeightField, &HeightField::rows>("rows"),
                               terrainKey<HeightField, &HeightField::spacing>("spacing"),
                               terrainKey<HeightField, &HeightField::heights>("heights")})});
    kinds.push_back({"triangles", triangles,
                     withTurn({terrainKey<TriangleMesh, &TriangleMesh::vertices>("vertices"),
                               terrainKey<TriangleMesh, &TriangleMesh::faces>("faces")})});
    return kinds;
}

const std::vector<ObstacleKind>& obstacleKinds()
{
    static const std::vector<ObstacleKind> kinds = makeObstacleKinds();
    return kinds;
}

}  // namespace

const Keys<ContactDescription>& Reader::contactKeys()
{
    using C = ContactDescription;
    static const Keys<C> keys = {
        {"response",
         [](Reader& reader, const Value& value, C& out) {
             static constexpr std::string_view words[] = {"kinematic", "penalty", "impulse", "resting"};
             return reader.word(value, "response", words, out.response);
         }},
        key<C, &C::friction>("friction"),
        key<C, &C::staticFriction>("static_friction"),
        key<C, &C::rollingFriction>("rolling_friction"),
        key<C, &C::spinningFriction>("spinning_friction"),
        key<C, &C::restitution>("restitution"),
        key<C, &C::bounceSpeed>("bounce_speed"),
        key<C, &C::keep>("keep"),
        key<C, &C::stiffness>("stiffness"),
        key<C, &C::damping>("damping"),
        {"time",
         [](Reader& reader, const Value& value, C& out) {
             static constexpr std::string_view words[] = {"step", "fraction"};
             return reader.word(value, "time", words, out.atFraction);
         }},
        {"accuracy",
         [](Reader& reader, const Value& value, C& out) {
             static constexpr std::string_view words[] = {"exact", "fast"};
             return reader.word(value, "accuracy", words, out.accuracy);
         }},
        {"solver",
         [](Reader& reader, const Value& value, C& out) {
             static constexpr std::string_view words[] = {"auto", "exact", "iterative"};
             return reader.word(value, "solver", words, out.solver);
         }},
        key<C, &C::sweeps>("sweeps"),
        key<C, &C::tolerance>("tolerance"),
        {"inertia",
         [](Reader& reader, const Value& value, C& out) {
             static constexpr std::string_view words[] = {"implicit", "plain"};
             return reader.word(value, "inertia", words, out.plainInertia);
         }},
        key<C, &C::sleeping>("sleeping"),
        key<C, &C::ignore>("ignore"),
    };
    return keys;
}

bool Reader::read(const Value& value, std::array<std::string, 2>& out)
{
    if (!value.isArray() || value.items().size() != 2)
        return fail("a pair of names is expected, of bodies or layers");
    for (std::size_t i = 0; i < 2; ++i)
        if (!within(i, [&] { return read(value.items()[i], out[i]); })) return false;
    return true;
}

bool Reader::read(const Value& value, ObstacleDescription& out)
{
    if (!value.isObject()) return failKind("an object", value);
    std::vector<std::string_view> legal;
    for (const ObstacleKind& kind : obstacleKinds()) legal.push_back(kind.name);
    const Value* type = value.find("type");
    if (type == nullptr) return fail("an obstacle needs the key \"type\": one of " + words::joined(legal));
    std::size_t index = 0;
    if (!within("type", [&] { return word(*type, "obstacle", legal, index); })) return false;
    const ObstacleKind& kind = obstacleKinds()[index];
    out = kind.blank;
    if (!object(value, kind.keys, out, "the obstacle " + std::string(kind.name))) return false;
    if (const auto* mesh = std::get_if<ConvexMesh>(&out.shape))
        return facesExist(mesh->faces, mesh->vertices.size());
    if (const auto* mesh = std::get_if<TriangleMesh>(&out.terrain))
        return facesExist(mesh->faces, mesh->vertices.size());
    return true;
}

}  // namespace sinew::reading
