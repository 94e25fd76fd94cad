// One <geom>: its shape in the frame of its body, its part of the inertia, how it touches.
#include "sinew/geometry/mass.h"
#include "sinew/io/mjcf/converter.h"
#include "sinew/math/rotation.h"

namespace sinew::mjcf {
namespace {

constexpr double defaultDensity = 1000;  // kg/m³

// MuJoCo's long axis is z, ours is y.
Quat zFromY()
{
    return expRotation(Vec3(pi / 2, 0, 0));
}

// How many sizes a type takes; with the ends given, its length is not among them.
struct Sizes {
    std::string_view type;
    std::size_t plain, withEnds;  // 0: not with ends
};
constexpr Sizes table[] = {
    {"sphere", 1, 0}, {"capsule", 2, 1}, {"cylinder", 2, 1}, {"box", 3, 1}, {"ellipsoid", 3, 1}};

Shape makeShape(std::string_view type, const double* size)
{
    if (type == "sphere") return Sphere{size[0]};
    if (type == "capsule") return Capsule{size[0], 2 * size[1]};
    if (type == "cylinder") return Cylinder{size[0], 2 * size[1]};
    if (type == "box") return Box{2 * Vec3(size[0], size[1], size[2])};
    return Ellipsoid{Vec3(size[0], size[1], size[2])};
}

// Sizes and pose of a shape that is given by its ends: along the line between them.
void placeBetween(Context& context, const Element& element, const std::vector<double>& ends, double* size,
                  std::string_view type, Pose& pose)
{
    const Vec3 from(ends[0], ends[1], ends[2]), to(ends[3], ends[4], ends[5]);
    const Vec3 along = from - to;
    if (!(along.norm() > 1e-10))
        return context.reader.fail(element, "fromto", "has both ends in one place");
    pose = {0.5 * (from + to), turnFromZ(along.normalized())};
    const bool isRound = type == "capsule" || type == "cylinder";
    if (!isRound) size[1] = size[0];
    size[isRound ? 1 : 2] = 0.5 * along.norm();
}

// What it adds to its body. `unit`: that of density 1.
void weigh(Context& context, const Element& element, const Inertia& unit, const Pose& frame, Geom& geom)
{
    xml::Reader& reader = context.reader;
    geom.pose = frame * geom.pose;
    const std::optional<double> mass = reader.number(element, "mass");
    const std::optional<double> density = reader.number(element, "density");
    if (mass.value_or(0) < 0) reader.fail(element, "mass", "is negative");
    if (density.value_or(0) < 0) reader.fail(element, "density", "is negative");
    const double group = reader.number(element, "group").value_or(0);
    const Compiler& compiler = context.model->compiler;
    if (reader.failed() || group < compiler.leastGroup || group > compiler.largestGroup) return;
    const double total = mass ? *mass : unit.mass * density.value_or(defaultDensity);
    if (total > 0) geom.inertia = withMass(unit, total).placed(geom.pose);
}

void readShape(Context& context, const Element& element, std::string_view type, const Pose& frame,
               Geom& geom)
{
    xml::Reader& reader = context.reader;
    const Sizes* sizes = nullptr;
    for (const Sizes& known : table)
        if (known.type == type) sizes = &known;
    const std::vector<double> ends = reader.numbers(element, "fromto", 6, 6);
    const std::vector<double> given = reader.numbers(element, "size", 1, 3);
    if (reader.failed()) return;
    const bool byEnds = !ends.empty() && sizes->withEnds > 0;
    const std::size_t needed = byEnds ? sizes->withEnds : sizes->plain;
    if (given.size() < needed)
        return reader.fail(element, "size",
                           "is too short; a " + std::string(type) + " takes " + std::to_string(needed));
    double size[3] = {0, 0, 0};
    for (std::size_t i = 0; i < given.size() && i < needed; ++i) size[i] = given[i];
    if (byEnds) placeBetween(context, element, ends, size, type, geom.pose);
    if (reader.failed()) return;
    const Result<Shape> shape = checkedShape(makeShape(type, size));
    if (!shape) return reader.fail(element, "size", shape.error().message);
    if (type == "capsule" || type == "cylinder") geom.pose.orientation = geom.pose.orientation * zFromY();
    geom.shape = shape.value();
    weigh(context, element, unitDensityInertia(shape.value()), frame, geom);
}

// A <mesh> of <asset>: its hull touches, and it weighs what its class of inertia says.
void readMeshGeom(Context& context, const Element& element, const Pose& frame, Geom& geom)
{
    const std::string name = context.reader.requiredName(element, "mesh");
    if (context.reader.failed()) return;
    const MeshAsset* mesh = findMesh(context, name);
    if (!mesh) return context.reader.fail(element, "mesh", "is not a <mesh> in the <asset> of this file");
    if (!mesh->hull) return context.notes.add(element, "of a mesh that cannot be had is left out");
    geom.shape = *mesh->hull;
    geom.pieces.assign(mesh->pieces.begin(), mesh->pieces.end());
    weigh(context, element, mesh->inertia, frame, geom);
}

}  // namespace

Geom readGeom(Context& context, const Element& element, const Pose& frame)
{
    xml::Reader& reader = context.reader;
    Geom geom;
    noteUnread(context, element,
               {"type", "size", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "fromto", "mass",
                "density", "friction", "contype", "conaffinity", "mesh", "hfield"});
    geom.pose = readPose(context, element);
    geom.contype = reader.integer(element, "contype").value_or(1);
    geom.conaffinity = reader.integer(element, "conaffinity").value_or(1);
    if (const auto friction = reader.numbers(element, "friction", 1, 3); !friction.empty()) {
        geom.friction = friction[0];
        if (geom.friction < 0) reader.fail(element, "friction", "is negative");
    }
    const std::string type =
        reader.name(element, "type").value_or(element.find("mesh") ? "mesh" : "sphere");
    if (type == "plane") {
        geom.isPlane = true;
        geom.pose = frame * geom.pose;
    } else if (type == "mesh" || (type == "sdf" && element.find("mesh"))) {
        readMeshGeom(context, element, frame, geom);
    } else if (type == "hfield") {
        const std::string name = reader.requiredName(element, "hfield");
        if (!reader.failed()) geom.ground = heightFieldMesh(context, name, element);
        geom.pose = frame * geom.pose;
    } else if (type == "sdf") {
        context.notes.add(element, "of type sdf without a mesh is left out");
    } else {
        if (element.find("mesh"))
            context.notes.add(element, "is not fitted to its mesh; it has the size that is written");
        for (const Sizes& known : table)
            if (known.type == type) return readShape(context, element, type, frame, geom), geom;
        reader.fail(element, "type",
                    "is unknown; the types are plane, sphere, capsule, ellipsoid, cylinder, box, mesh, "
                    "hfield, sdf");
    }
    return geom;
}

}  // namespace sinew::mjcf
