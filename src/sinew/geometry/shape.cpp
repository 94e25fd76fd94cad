#include "sinew/geometry/shape.h"

#include <cmath>
#include <cstdio>
#include <iterator>
#include <optional>

#include "sinew/geometry/mass.h"

namespace sinew {
namespace {

// Meshes come from text files with six or seven digits, so flat polygons arrive slightly bent.
constexpr double meshTolerance = 1e-6;

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

using Fault = std::optional<Diagnostic>;

Fault fault(std::string message, std::string pointer)
{
    return Diagnostic{std::move(message), std::move(pointer), {}};
}

Fault notPositive(double value, const std::string& what, const std::string& pointer)
{
    if (std::isfinite(value) && value > 0) return {};
    return fault(what + " is " + number(value) + ", it must be a positive number", pointer);
}

Fault notPositive(const Vec3& value, const std::string& what, const std::string& pointer)
{
    for (int i = 0; i < 3; ++i)
        if (Fault f = notPositive(value[i], what, pointer + "/" + std::to_string(i))) return f;
    return {};
}

Fault faultOf(const Sphere& s)
{
    return notPositive(s.radius, "radius", "/radius");
}
Fault faultOf(const Box& s)
{
    return notPositive(s.size, "edge length", "/size");
}
Fault faultOf(const Ellipsoid& s)
{
    return notPositive(s.radii, "radius", "/radii");
}

Fault faultOf(const Cylinder& s)
{
    if (Fault f = notPositive(s.radius, "radius", "/radius")) return f;
    return notPositive(s.length, "length", "/length");
}

// A capsule of length 0 is a sphere.
Fault faultOf(const Capsule& s)
{
    if (Fault f = notPositive(s.radius, "radius", "/radius")) return f;
    if (std::isfinite(s.length) && s.length >= 0) return {};
    return fault("length is " + number(s.length) + ", it must be 0 or more", "/length");
}

Fault faultOf(const ConvexMesh& s)
{
    return convexMeshFault(s.vertices, s.faces, meshTolerance);
}

Inertia centered(double mass, double xx, double yy, double zz)
{
    return {mass, Vec3::Zero(), Vec3(xx, yy, zz).asDiagonal()};
}

// Σ of the other two squares, which is what turns ∫x², ∫y², ∫z² into moments.
Inertia fromSquares(double mass, const Vec3& squares)
{
    const double sum = squares.sum();
    return centered(mass, sum - squares.x(), sum - squares.y(), sum - squares.z());
}

Inertia inertiaOf(const Sphere& s)
{
    const double r2 = s.radius * s.radius;
    const double m = 4 * pi / 3 * r2 * s.radius;
    return centered(m, 0.4 * m * r2, 0.4 * m * r2, 0.4 * m * r2);
}

Inertia inertiaOf(const Box& s)
{
    const double m = s.size.prod();
    return fromSquares(m, m / 12 * s.size.cwiseAbs2());
}

Inertia inertiaOf(const Ellipsoid& s)
{
    const double m = 4 * pi / 3 * s.radii.prod();
    return fromSquares(m, m / 5 * s.radii.cwiseAbs2());
}

Inertia inertiaOf(const Cylinder& s)
{
    const double r2 = s.radius * s.radius;
    const double m = pi * r2 * s.length;
    const double across = m * (3 * r2 + s.length * s.length) / 12;
    return centered(m, across, m * r2 / 2, across);
}

Inertia inertiaOf(const Capsule& s)
{
    const Inertia tube = inertiaOf(Cylinder{s.radius, s.length});
    const Inertia ball = inertiaOf(Sphere{s.radius});
    // The ball is cut in two and its halves moved apart by L. A half's centre of mass lies 3r/8 off
    // its flat side, so moving it by L/2 adds m (L²/4 + 2 · L/2 · 3r/8).
    const double apart = ball.mass * s.length * (s.length / 4 + 3 * s.radius / 8);
    const Mat3 sum = tube.rotational + ball.rotational;
    return centered(tube.mass + ball.mass, sum(0, 0) + apart, sum(1, 1), sum(2, 2) + apart);
}

Inertia inertiaOf(const ConvexMesh& s)
{
    SINEW_ASSERT(!s.faces.empty());  // checkedShape fills them in
    return meshInertia(s.vertices, s.faces);
}

}  // namespace

const char* shapeName(const Shape& shape)
{
    constexpr const char* names[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid", "mesh"};
    static_assert(std::size(names) == std::variant_size_v<Shape>);
    return names[shape.index()];
}

Result<Shape> checkedShape(Shape shape)
{
    if (auto* mesh = std::get_if<ConvexMesh>(&shape); mesh && mesh->faces.empty()) {
        Result<std::vector<std::array<int, 3>>> hull = convexHull(mesh->vertices);
        if (!hull) return Diagnostic{hull.error().message, "/vertices" + hull.error().pointer, {}};
        mesh->faces = std::move(hull.value());
    } else if (const Fault f = std::visit([](const auto& s) { return faultOf(s); }, shape)) {
        return *f;
    }
    // Sizes that are fine by themselves can still underflow or overflow in a volume.
    const Inertia inertia = unitDensityInertia(shape);
    if (!(inertia.mass > 0) || !(inertia.rotational.trace() > 0) || !std::isfinite(inertia.mass) ||
        !inertia.rotational.allFinite())
        return Diagnostic{"its volume, " + number(inertia.mass) +
                              " m³, or its inertia is beyond floating point;"
                              " sizes between 1e-50 and 1e50 m are safe",
                          {},
                          {}};
    return shape;
}

Inertia unitDensityInertia(const Shape& shape)
{
    return std::visit([](const auto& s) { return inertiaOf(s); }, shape);
}

}  // namespace sinew
