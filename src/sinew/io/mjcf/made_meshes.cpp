// Meshes that no file has: those of `builtin`, and the outlines of MuJoCo's own signed distances
// (`plugin`).
//
//     sphere        twenty triangles, each divided in four so many times
//     hemisphere    the upper half, so many rings, closed
//     cone, prism   so many corners; a cone's top is smaller by its second number, or a point
//     supersphere, supertorus    x = c(v, e₁) c(u, e₂), y = c(v, e₁) s(u, e₂), z = s(v, e₁), with
//                   c(w, e) = sgn(cos w) |cos w|ᵉ and s alike; the torus has 1 + r c in place of the first
//                   c
//
// wedge and plate have no inside, and are left out.
#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/base/text.h"
#include "sinew/geometry/mass.h"
#include "sinew/io/mjcf/converter.h"
#include "sinew/math/rotation.h"
#include "sinew/math/trigonometry.h"

namespace sinew::mjcf {
namespace {

double power(double x, double exponent)
{
    return std::copysign(std::pow(std::abs(x), exponent), x);
}

// Rings of points about z, from below to above, closed by their ends.
TriangleMesh turned(const std::vector<Vec2>& outline, int corners, double phase = 0)
{
    TriangleMesh mesh;
    const int rings = static_cast<int>(outline.size());
    for (const Vec2& at : outline)
        for (int k = 0; k < corners; ++k) {
            const Vec3 way = expRotation(Vec3(0, 0, 2 * pi * k / corners + phase)) * Vec3::UnitX();
            mesh.vertices.push_back({at.x() * way.x(), at.x() * way.y(), at.y()});
        }
    const auto node = [&](int ring, int k) { return ring * corners + k % corners; };
    for (int ring = 0; ring + 1 < rings; ++ring)
        for (int k = 0; k < corners; ++k) {
            mesh.faces.push_back({node(ring, k), node(ring, k + 1), node(ring + 1, k + 1)});
            mesh.faces.push_back({node(ring, k), node(ring + 1, k + 1), node(ring + 1, k)});
        }
    for (int k = 1; k + 1 < corners; ++k) {
        mesh.faces.push_back({node(0, 0), node(0, k + 1), node(0, k)});
        mesh.faces.push_back({node(rings - 1, 0), node(rings - 1, k), node(rings - 1, k + 1)});
    }
    return mesh;
}

// A closed surface over a grid of angles that comes back to itself both ways.
template <class Place>
TriangleMesh wrapped(int n, Place place)
{
    TriangleMesh mesh;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) mesh.vertices.push_back(place(2 * pi * i / n, 2 * pi * k / n));
    const auto node = [&](int i, int k) { return (i % n) * n + k % n; };
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) {
            mesh.faces.push_back({node(i, k), node(i + 1, k), node(i + 1, k + 1)});
            mesh.faces.push_back({node(i, k), node(i + 1, k + 1), node(i, k + 1)});
        }
    return mesh;
}

TriangleMesh superTorus(int n, double radius, double s, double t)
{
    return wrapped(n, [&](double u, double v) {
        const double out = 1 + radius * power(cosine(v), s);
        return Vec3(out * power(cosine(u), t), out * power(sine(u), t), radius * power(sine(v), s));
    });
}

TriangleMesh superSphere(int n, double around, double along)
{
    std::vector<Vec3> points{{0, 0, -1}, {0, 0, 1}};
    for (int i = 1; i < n; ++i)
        for (int k = 0; k < 2 * n; ++k) {
            const double v = pi * i / n - pi / 2, u = pi * k / n;
            const double out = power(cosine(v), along);
            points.push_back(
                {out * power(cosine(u), around), out * power(sine(u), around), power(sine(v), along)});
        }
    TriangleMesh mesh;
    mesh.vertices = std::move(points);
    const auto node = [&](int i, int k) {
        return i == 0 ? 0 : i == n ? 1 : 2 + (i - 1) * 2 * n + k % (2 * n);
    };
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 2 * n; ++k) {
            if (i > 0) mesh.faces.push_back({node(i, k), node(i, k + 1), node(i + 1, k + 1)});
            if (i + 1 < n) mesh.faces.push_back({node(i, k), node(i + 1, k + 1), node(i + 1, k)});
        }
    return mesh;
}

// One of density 1 and the radius 1 that has so many times divided faces.
TriangleMesh ball(int divisions)
{
    const double a = (1 + std::sqrt(5.0)) / 2;
    TriangleMesh mesh;
    for (double s : {-1.0, 1.0})
        for (double t : {-a, a}) {
            mesh.vertices.push_back(Vec3(0, s, t).normalized());
            mesh.vertices.push_back(Vec3(s, t, 0).normalized());
            mesh.vertices.push_back(Vec3(t, 0, s).normalized());
        }
    mesh.faces = convexHull(mesh.vertices).value();
    for (int round = 0; round < divisions; ++round) {
        std::map<std::pair<int, int>, int> middles;
        const auto middle = [&](int i, int k) {
            const auto [known, isNew] = middles.try_emplace({std::min(i, k), std::max(i, k)},
                                                            static_cast<int>(mesh.vertices.size()));
            if (isNew) {
                const Vec3 sum =
                    mesh.vertices[static_cast<std::size_t>(i)] + mesh.vertices[static_cast<std::size_t>(k)];
                mesh.vertices.push_back(sum.normalized());
            }
            return known->second;
        };
        std::vector<std::array<int, 3>> finer;
        for (const auto& [i, j, k] : mesh.faces) {
            const int ij = middle(i, j), jk = middle(j, k), ki = middle(k, i);
            for (const std::array<int, 3>& face :
                 {std::array<int, 3>{i, ij, ki}, {ij, j, jk}, {ki, jk, k}, {ij, jk, ki}})
                finer.push_back(face);
        }
        mesh.faces = std::move(finer);
    }
    return mesh;
}

// A hexagon so wide from side to side, from below to above.
TriangleMesh hexagon(double half, double low, double high)
{
    const double corner = half / cosine(pi / 6);
    return turned({Vec2(corner, low), Vec2(corner, high)}, 6, pi / 6);
}

void append(TriangleMesh& mesh, const TriangleMesh& other)
{
    const int first = static_cast<int>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
    for (const auto& [a, b, c] : other.faces) mesh.faces.push_back({a + first, b + first, c + first});
}

// A surface of rings, `n` of them with `corners` each, in sixteen parts or fewer along the first angle.
std::vector<std::vector<Vec3>> sectors(const TriangleMesh& mesh, int n, int corners)
{
    const int parts = std::min(n, 16);
    std::vector<std::vector<Vec3>> pieces;
    for (int part = 0; part < parts; ++part) {
        std::vector<Vec3>& piece = pieces.emplace_back();
        for (int ring = part * n / parts; ring <= (part + 1) * n / parts; ++ring)
            for (int k = 0; k < corners; ++k)
                piece.push_back(mesh.vertices[static_cast<std::size_t>((ring % n) * corners + k)]);
    }
    return pieces;
}

constexpr int bowlRings = 16, bowlCorners = 48;

// Staves of a bowl: four rings of sixteen.
std::vector<std::vector<Vec3>> bowlPieces(const TriangleMesh& mesh)
{
    constexpr int bands = 4, staves = 16;
    std::vector<std::vector<Vec3>> pieces;
    for (int band = 0; band < bands; ++band)
        for (int stave = 0; stave < staves; ++stave) {
            std::vector<Vec3>& piece = pieces.emplace_back();
            const int low = std::max(0, band * bowlRings / bands - 1),
                      high = (band + 1) * bowlRings / bands - 1;
            for (int ring = low; ring <= high; ++ring)
                for (int k = stave * bowlCorners / staves; k <= (stave + 1) * bowlCorners / staves; ++k)
                    for (int side : {ring, 2 * bowlRings - 1 - ring})
                        piece.push_back(
                            mesh.vertices[static_cast<std::size_t>(side * bowlCorners + k % bowlCorners)]);
        }
    return pieces;
}

// A shell of a ball below a height, open above.
TriangleMesh bowl(double height, double radius, double thickness)
{
    constexpr int rings = bowlRings, corners = bowlCorners;
    const double half = 0.5 * thickness, rim = std::acos(-height / radius);
    std::vector<Vec2> outline;
    for (int i = 1; i <= rings; ++i) {
        const double a = rim * i / rings;
        outline.push_back(Vec2((radius + half) * sine(a), -(radius + half) * cosine(a)));
    }
    for (int i = rings; i > 0; --i) {
        const double a = rim * i / rings;
        outline.push_back(Vec2((radius - half) * sine(a), -(radius - half) * cosine(a)));
    }
    return turned(outline, corners);
}

std::string configured(const Element& plugin, std::string_view key)
{
    for (const Element& child : plugin.children)
        if (const xml::Attribute* own = child.find("key"); own && own->value == key)
            if (const xml::Attribute* value = child.find("value")) return value->value;
    return {};
}

}  // namespace

PluginUse pluginOf(Context& context, const Element& element)
{
    const Element* use = element.child("plugin");
    if (!use) return {};
    if (const xml::Attribute* instance = use->find("instance")) {
        const auto known = context.model->plugins.find(instance->value);
        return known == context.model->plugins.end() ? PluginUse{} : known->second;
    }
    const xml::Attribute* name = use->find("plugin");
    return {name ? name->value : std::string(), *use};
}

double pluginNumber(Context& context, const PluginUse& use, const char* key, double otherwise)
{
    const std::string text = configured(use.config, key);
    if (text.empty()) return otherwise;
    Element asElement = use.config;
    asElement.attributes = {{key, text, use.config.line, use.config.column}};
    return context.reader.number(asElement, key).value_or(otherwise);
}

void listPlugins(Context& context, const Element& root)
{
    for (const Element& section : root.children)
        for (const Element& plugin : section.children) {
            if (section.name != "extension" || plugin.name != "plugin") continue;
            const xml::Attribute* kind = plugin.find("plugin");
            for (const Element& instance : plugin.children)
                if (const xml::Attribute* name = instance.find("name"); kind && name)
                    context.model->plugins[name->value] = {kind->value, instance};
        }
}

std::optional<MadeMesh> builtInMesh(Context& context, const Element& element)
{
    xml::Reader& reader = context.reader;
    const std::string kind = reader.requiredName(element, "builtin");
    const std::vector<double> p = reader.numbers(element, "params", 1, 5);
    if (reader.failed()) return {};
    const auto whole = [&](std::size_t i, int least, int most, int otherwise) {
        if (i >= p.size()) return otherwise;
        if (p[i] != std::floor(p[i]) || p[i] < least || p[i] > most) {
            reader.fail(element, "params",
                        "has no whole number from " + std::to_string(least) + " to " +
                            std::to_string(most) + " in place " + std::to_string(i + 1));
            return otherwise;
        }
        return static_cast<int>(p[i]);
    };
    const auto between = [&](std::size_t i, double least, double most, double otherwise) {
        if (i >= p.size()) return otherwise;
        if (p[i] >= least && p[i] <= most) return p[i];
        reader.fail(element, "params", "has a number out of its range in place " + std::to_string(i + 1));
        return otherwise;
    };
    TriangleMesh mesh;
    std::vector<std::vector<Vec3>> pieces;
    if (kind == "sphere") {
        if (const int divisions = whole(0, 0, 5, 3); !reader.failed()) mesh = ball(divisions);
    } else if (kind == "hemisphere") {
        const int rings = 2 + whole(0, 0, 200, 10);
        std::vector<Vec2> outline;
        for (int i = 0; i < rings; ++i) {
            const double a = pi / 2 * i / rings;
            outline.push_back(Vec2(cosine(a), sine(a)));
        }
        outline.push_back(Vec2(1e-3, 1));
        mesh = turned(outline, 4 * rings);
    } else if (kind == "cone" || kind == "prism") {
        const int corners = whole(0, 3, 1000, 16);
        const double top = kind == "prism" ? 1 : between(1, 0, 1, 0);
        mesh = turned({Vec2(1, -1), Vec2(std::max(top, 1e-3), 1)}, corners);
    } else if (kind == "supersphere") {
        const int n = whole(0, 3, 200, 16);
        const double e = between(1, 0, 10, 1), along = between(2, 0, 10, 1);
        if (!reader.failed()) mesh = superSphere(n, e, along);
    } else if (kind == "supertorus") {
        const int n = whole(0, 3, 200, 16);
        const double radius = between(1, 1e-6, 1, 0.25), s = between(2, 0, 10, 1), t = between(3, 0, 10, 1);
        if (!reader.failed()) {
            mesh = superTorus(n, radius, s, t);
            pieces = sectors(mesh, n, n);
        }
    } else {
        context.notes.add(element, "of builtin " + quotedName(kind) + " is left out");
        return {};
    }
    if (reader.failed()) return {};
    return MadeMesh{std::move(mesh), std::move(pieces)};
}

std::optional<MadeMesh> pluginMesh(Context& context, const Element& element)
{
    const PluginUse use = pluginOf(context, element);
    const auto number = [&](const char* key, double otherwise) {
        const double value = pluginNumber(context, use, key, otherwise);
        if (!(value > 0)) context.reader.fail(element, quotedName(key) + " of its plugin is not positive");
        return value;
    };
    TriangleMesh mesh;
    std::vector<std::vector<Vec3>> pieces;
    if (use.name == "mujoco.sdf.torus") {
        const double large = number("radius1", 0.35), small = number("radius2", 0.15);
        if (!(small < large)) context.reader.fail(element, "is a torus whose radius2 is not below radius1");
        mesh = superTorus(32, small / large, 1, 1);
        for (Vec3& v : mesh.vertices) v *= large;
        pieces = sectors(mesh, 32, 32);
    } else if (use.name == "mujoco.sdf.bowl") {
        const double radius = number("radius", 1), thickness = number("thickness", 0.02),
                     height = pluginNumber(context, use, "height", 0.4);
        if (!(std::abs(height) < radius) || !(thickness < radius))
            context.reader.fail(element, "is a bowl whose height or thickness is not below its radius");
        if (!context.reader.failed()) {
            mesh = bowl(height, radius, thickness);
            pieces = bowlPieces(mesh);
        }
    } else if (use.name == "mujoco.sdf.gear") {
        const double radius = 0.5 * number("diameter", 2.8), half = 0.5 * number("thickness", 0.2);
        mesh = turned({Vec2(radius, -half), Vec2(radius, half)}, 50);
        context.notes.add(element, "is a disc here, without the teeth of its gear");
    } else if (use.name == "mujoco.sdf.nut" || use.name == "mujoco.sdf.bolt") {
        const double radius = number("radius", 0.26);
        mesh = hexagon(0.5, -0.5, 0);
        if (use.name == "mujoco.sdf.bolt") append(mesh, turned({Vec2(radius, 0), Vec2(radius, 1)}, 24));
        context.notes.add(element, "has no thread and no hole here");
    } else {
        context.notes.add(element, "of plugin " + quotedName(use.name) + " is left out");
        return {};
    }
    if (context.reader.failed()) return {};
    return MadeMesh{std::move(mesh), std::move(pieces)};
}

}  // namespace sinew::mjcf
