#include <filesystem>

#include "sinew/base/words.h"
#include "sinew/io/file_name.h"
#include "sinew/io/mesh/mesh.h"
#include "sinew/io/referenced_file.h"
#include "sinew/io/urdf/parts.h"

namespace sinew::urdf {
namespace {

namespace fs = std::filesystem;

// The nearest folder around the robot's that is called as its package, or has a package.xml; or nothing.
std::string packageFolder(const std::string& from, std::string_view package)
{
    constexpr int most = 4;
    std::error_code fault;
    fs::path folder = fs::absolute(from, fault).parent_path();
    for (int i = 0; i < most && folder.has_relative_path() && !fault; ++i, folder = folder.parent_path())
        if (folder.filename() == package || fs::exists(folder / "package.xml", fault))
            return folder.string();
    return {};
}

// Where a URI of a mesh may lead: below a folder, package://name/a/b.stl to name/a/b.stl, a/b.stl or b.stl,
// the longest that is there.
Result<std::string> findBelow(const std::string& file, std::string_view path, bool isPackage)
{
    Result<std::string> found = referencedFile(file, path);
    for (int part = 0; isPackage && !found && part < 32; ++part) {
        const std::size_t slash = path.find('/');
        if (slash == path.npos) break;
        path.remove_prefix(slash + 1);
        found = referencedFile(file, path);
    }
    return found;
}

Result<std::string> find(const std::string& from, const std::vector<std::string>& folders,
                         std::string_view uri)
{
    std::string_view path = uri;
    bool isPackage = false;
    for (std::string_view scheme : {"package://", "model://"})
        if (path.starts_with(scheme)) {
            path.remove_prefix(scheme.size());
            isPackage = true;
        }
    Result<std::string> found = findBelow(from, path, isPackage);
    // Only what is below a folder counts, so any file's name in it will do.
    const auto in = [](const std::string& folder) { return (fs::path(folder) / "robot").string(); };
    if (!found && isPackage)
        if (const std::string folder = packageFolder(from, path.substr(0, path.find('/'))); !folder.empty())
            found = findBelow(in(folder), path, true);
    while (path.starts_with("../")) path.remove_prefix(3);
    for (const std::string& folder : folders) {
        if (found) break;
        found = findBelow(in(folder), path, true);
    }
    return found;
}

}  // namespace

Result<std::optional<ConvexMesh>> MeshShelf::hullOf(const UrdfMesh& mesh, int line, LeftOut& leftOut)
{
    const auto known = hulls_.find(mesh.file);
    if (known != hulls_.end()) return known->second;
    std::optional<ConvexMesh>& hull = hulls_[mesh.file];
    const Result<std::string> path = find(from_, folders_, mesh.file);
    if (!path) {
        leftOut.add("the mesh " + words::quoted(mesh.file) +
                        " is left out: it is not in the folder of this file or below, nor in its "
                        "package, nor in folders that were named",
                    line);
        return hull;
    }
    const std::string ending = fileEnding(path.value());
    if (!isMeshEnding(ending)) {
        leftOut.add(
            "the mesh " + words::quoted(mesh.file) + " is left out: .obj, .stl and .dae can be read", line);
        return hull;
    }
    const Result<MeshFile> file = readMesh(path.value());
    if (!file) return file.error();
    const Result<HullShape> shape = hullShape(file.value().mesh);
    if (!shape) {
        leftOut.add("the mesh " + words::quoted(mesh.file) + " is left out: " + shape.error().message,
                    line);
        return hull;
    }
    leftOut.add("of meshes the convex hull is taken", line);
    hull = shape.value().shape;
    return hull;
}

Result<std::optional<Shape>> MeshShelf::shapeOf(const UrdfGeometry& geometry, LeftOut& leftOut)
{
    if (const auto* shape = std::get_if<Shape>(&geometry.form)) return std::optional<Shape>(*shape);
    const UrdfMesh& mesh = std::get<UrdfMesh>(geometry.form);
    const Result<std::optional<ConvexMesh>> hull = hullOf(mesh, geometry.line, leftOut);
    if (!hull) return hull.error();
    if (!hull.value()) return std::optional<Shape>();
    ConvexMesh scaled = *hull.value();  // the hull of the scaled mesh is the scaled hull
    for (Vec3& v : scaled.vertices) v = v.cwiseProduct(mesh.scale);
    if (mesh.scale.prod() < 0)
        for (auto& [a, b, c] : scaled.faces) std::swap(b, c);
    const Result<Shape> checked = checkedShape(Shape(std::move(scaled)));
    if (checked) return std::optional<Shape>(checked.value());
    leftOut.add("the mesh " + words::quoted(mesh.file) + " is left out: " + checked.error().message,
                geometry.line);
    return std::optional<Shape>();
}

}  // namespace sinew::urdf
