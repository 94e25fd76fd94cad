// <asset><mesh>: triangles out of files or of the text itself. Their hull is the shape; their inertia is
// that which MuJoCo gives them (`inertia` of <mesh>):
//
//     legacy   the sum of the pyramids from the centre of the faces to each face, all of them counted
//     positive: more
//              than the truth where the mesh is dented. What MuJoCo does without a word
//     exact    what the closed surface holds
//     convex   that of the hull
//     shell    that of the surface, all of it as thick
#include <cmath>
#include <filesystem>

#include "sinew/base/text.h"
#include "sinew/geometry/mass.h"
#include "sinew/io/file_name.h"
#include "sinew/io/mesh/mesh.h"
#include "sinew/io/mjcf/converter.h"
#include "sinew/io/referenced_file.h"

namespace sinew::mjcf {
namespace {

using Face = std::array<int, 3>;

struct Triangle {
    Vec3 a, b, c;
    Vec3 center() const { return (a + b + c) / 3; }
    double area() const { return 0.5 * (b - a).cross(c - a).norm(); }
};
Triangle triangleOf(const TriangleMesh& mesh, const Face& f)
{
    return {mesh.vertices[f[0]], mesh.vertices[f[1]], mesh.vertices[f[2]]};
}
double volumeSeenFrom(const Vec3& apex, const Triangle& t)
{
    return (t.a - apex).dot((t.b - apex).cross(t.c - apex)) / 6;
}

// ∫ x xᵀ over the pyramid from the origin (or the triangle itself), per volume (area), times 20 (12).
Mat3 secondMoments(const Triangle& t)
{
    const Vec3 sum = t.a + t.b + t.c;
    return t.a * t.a.transpose() + t.b * t.b.transpose() + t.c * t.c.transpose() + sum * sum.transpose();
}

Inertia withMoments(double mass, const Vec3& center, const Mat3& moments)
{
    return {mass, center, moments.trace() * Mat3::Identity() - moments};
}

Inertia legacyInertia(const TriangleMesh& mesh)
{
    double area = 0, volume = 0;
    Vec3 faces = Vec3::Zero(), center = Vec3::Zero();
    for (const Face& f : mesh.faces) {
        const Triangle t = triangleOf(mesh, f);
        area += t.area();
        faces += t.area() * t.center();
    }
    if (!(area > 0)) return {};
    faces /= area;
    for (const Face& f : mesh.faces) {
        const Triangle t = triangleOf(mesh, f);
        const double part = std::abs(volumeSeenFrom(faces, t));
        volume += part;
        center += part * (0.75 * t.center() + 0.25 * faces);
    }
    if (!(volume > 0)) return {};
    center /= volume;
    // From there the pyramids are others.
    double mass = 0;
    Mat3 moments = Mat3::Zero();
    for (const Face& f : mesh.faces) {
        Triangle t = triangleOf(mesh, f);
        t = {t.a - center, t.b - center, t.c - center};
        const double part = std::abs(volumeSeenFrom(Vec3::Zero(), t));
        mass += part;
        moments += part / 20 * secondMoments(t);
    }
    return withMoments(mass, center, moments);
}

Inertia shellInertia(const TriangleMesh& mesh)
{
    double area = 0;
    Vec3 center = Vec3::Zero();
    for (const Face& f : mesh.faces) {
        const Triangle t = triangleOf(mesh, f);
        area += t.area();
        center += t.area() * t.center();
    }
    if (!(area > 0)) return {};
    center /= area;
    Mat3 moments = Mat3::Zero();
    for (const Face& f : mesh.faces) {
        Triangle t = triangleOf(mesh, f);
        t = {t.a - center, t.b - center, t.c - center};
        moments += t.area() / 12 * secondMoments(t);
    }
    return withMoments(area, center, moments);
}

}  // namespace

std::string assetPath(const ModelSettings& model, const std::string& file)
{
    const std::filesystem::path written =
        model.compiler.stripsPath ? std::filesystem::path(file).filename() : std::filesystem::path(file);
    return (std::filesystem::path(model.folder + model.compiler.meshFolder) / written)
        .lexically_normal()
        .generic_string();
}

std::optional<TriangleMesh> readMeshFile(Context& context, const Element& element, const std::string& file)
{
    std::string path = assetPath(*context.model, file);
    const auto leaveOut = [&](const std::string& why) {
        context.notes.add(element, quotedName(path) + " is left out: " + why);
        return std::nullopt;
    };
    const std::string ending = fileEnding(path);
    if (!isMeshEnding(ending)) return leaveOut(".obj, .stl and .dae can be read");
    // What leads out of the folder may be in one that the user names.
    const std::string fault = partReferenceFault(path);
    const Result<std::string> text = (*context.open)(path);
    if (!text) return leaveOut(fault.empty() ? text.error().message : "it " + fault);
    Result<MeshFile> mesh = parseMesh(text.value(), path);
    if (!mesh) {
        context.reader.fail(mesh.error());
        return {};
    }
    return std::move(mesh.value().mesh);
}

namespace {

std::optional<MadeMesh> readTriangles(Context& context, const Element& element)
{
    xml::Reader& reader = context.reader;
    if (const auto file = reader.name(element, "file")) {
        std::optional<TriangleMesh> mesh = readMeshFile(context, element, *file);
        if (!mesh) return {};
        return MadeMesh{std::move(*mesh)};
    }
    const std::string builtin = reader.name(element, "builtin").value_or("none");
    if (builtin != "none") return builtInMesh(context, element);
    if (element.child("plugin")) return pluginMesh(context, element);
    constexpr auto most = static_cast<std::size_t>(3) * maxMeshVertices;
    const std::vector<double> numbers = reader.numbers(element, "vertex", 12, most);
    if (numbers.empty() || numbers.size() % 3 != 0) {
        reader.fail(element, "vertex", "needs a file, or at least four vertices of three numbers each");
        return {};
    }
    TriangleMesh mesh;
    for (std::size_t i = 0; i < numbers.size(); i += 3)
        mesh.vertices.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
    const std::vector<double> corners = reader.numbers(element, "face", 3, most);
    if (corners.size() % 3 != 0) reader.fail(element, "face", "has not three corners each");
    for (double corner : corners)
        if (corner != std::floor(corner) || corner < 0 ||
            corner >= static_cast<double>(mesh.vertices.size()))
            reader.fail(element, "face", "names a vertex that is not there");
    if (reader.failed()) return {};
    for (std::size_t i = 0; i < corners.size(); i += 3)
        mesh.faces.push_back({static_cast<int>(corners[i]), static_cast<int>(corners[i + 1]),
                              static_cast<int>(corners[i + 2])});
    return MadeMesh{std::move(mesh)};
}

// refpos, refquat and scale.
void place(Context& context, const Element& element, MadeMesh& made)
{
    xml::Reader& reader = context.reader;
    const Vec3 place = reader.vector(element, "refpos").value_or(Vec3::Zero());
    const Vec3 scale = reader.vector(element, "scale").value_or(Vec3::Ones());
    Quat turn = Quat::Identity();
    if (const auto q = reader.numbers(element, "refquat", 4, 4); !q.empty()) {
        turn = Quat(q[0], q[1], q[2], q[3]);
        if (!(turn.norm() > 1e-10))
            return reader.fail(element, "refquat", "has no direction; it must not be zero");
        turn.normalize();
    }
    if (scale.prod() == 0) return reader.fail(element, "scale", "has a factor of zero");
    const auto toPlace = [&](Vec3& v) { v = (turn.conjugate() * (v - place)).cwiseProduct(scale); };
    for (Vec3& v : made.mesh.vertices) toPlace(v);
    for (std::vector<Vec3>& piece : made.pieces)
        for (Vec3& v : piece) toPlace(v);
    if (scale.prod() < 0)
        for (auto& [a, b, c] : made.mesh.faces) std::swap(b, c);
}

Inertia inertiaOf(Context& context, const Element& element, const TriangleMesh& mesh,
                  const ConvexMesh& hull)
{
    const bool isExact = context.model->compiler.exactMeshes;
    const std::string rule = context.reader.name(element, "inertia").value_or(isExact ? "exact" : "legacy");
    if (rule != "exact" && rule != "legacy" && rule != "convex" && rule != "shell")
        context.reader.fail(element, "inertia", "is none of convex, exact, legacy, shell");
    if (mesh.faces.empty() || rule == "convex") return unitDensityInertia(Shape(hull));
    if (rule == "shell") return shellInertia(mesh);
    if (rule == "exact") {
        const std::optional<Diagnostic> fault = closedMeshFault(mesh.vertices, mesh.faces);
        if (!fault) return meshInertia(mesh.vertices, mesh.faces);
        context.notes.add(element, "is not closed; it weighs as its hull");
        return unitDensityInertia(Shape(hull));
    }
    return legacyInertia(mesh);
}

void readMesh(Context& context, MeshAsset& mesh)
{
    mesh.isRead = true;
    noteUnread(context, mesh.element,
               {"file", "scale", "refpos", "refquat", "vertex", "face", "inertia", "normal", "smoothnormal",
                "maxhullvert", "content_type", "builtin", "params"});
    std::optional<MadeMesh> made = readTriangles(context, mesh.element);
    if (!made || context.reader.failed()) return;
    place(context, mesh.element, *made);
    if (context.reader.failed()) return;
    const TriangleMesh& triangles = made->mesh;
    Result<HullShape> hull = hullShape(triangles);
    Result<Shape> checked = hull ? checkedShape(Shape(hull.value().shape)) : Result<Shape>(hull.error());
    if (!checked) {
        context.notes.add(mesh.element, "is left out: " + checked.error().message);
        return;
    }
    mesh.hull = std::move(hull.value().shape);
    mesh.inertia = inertiaOf(context, mesh.element, triangles, *mesh.hull);
    for (const std::vector<Vec3>& points : made->pieces) {
        Result<HullShape> piece = hullShape(TriangleMesh{points, {}});
        if (piece && checkedShape(Shape(piece.value().shape))) mesh.pieces.push_back(piece.value().shape);
    }
    if (mesh.pieces.empty()) context.notes.add(mesh.element, "touches with its convex hull");
}

}  // namespace

void listMeshes(Context& context, const Element& root)
{
    for (const Element& section : root.children)
        for (const Element& child : section.children) {
            if (section.name != "asset" || child.name != "mesh" || context.reader.failed()) continue;
            const Element full = context.model->defaults.complete(child, "", context.reader);
            const std::string file = context.reader.name(child, "file").value_or(std::string());
            const std::string name =
                context.reader.name(child, "name").value_or(std::filesystem::path(file).stem().string());
            if (name.empty()) context.reader.fail(child, "has neither a name nor a file");
            if (context.reader.failed()) return;
            if (!context.model->meshes.try_emplace(name, MeshAsset{full, false, {}, {}, {}}).second)
                context.reader.fail(child, "name", "is the name of another mesh; names must differ");
        }
}

const MeshAsset* findMesh(Context& context, const std::string& name)
{
    const auto found = context.model->meshes.find(name);
    if (found == context.model->meshes.end()) return nullptr;
    if (!found->second.isRead) readMesh(context, found->second);
    return &found->second;
}

}  // namespace sinew::mjcf
