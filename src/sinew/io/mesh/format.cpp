#include <filesystem>

#include "sinew/io/file_error.h"
#include "sinew/io/format.h"
#include "sinew/io/json/scene.h"
#include "sinew/io/mesh/mesh.h"

namespace sinew {
namespace {

constexpr std::string_view meshEndings[] = {".obj", ".stl", ".dae"};

// A mesh as one body of its convex hull, above the ground.
Result<Imported> meshScene(const std::string& path, const ImportOptions&)
{
    Result<MeshFile> mesh = readMesh(path);
    if (!mesh) return mesh.error();
    Result<HullShape> hull = hullShape(mesh.value().mesh);
    if (!hull) return inFile(hull.error(), path);
    Imported made;
    made.notes = mesh.value().notes;
    made.scene.name = std::filesystem::path(path).stem().string();
    BodyDescription body;
    body.name = made.scene.name == "world" ? "body" : made.scene.name;
    body.shapes.emplace_back().shape = std::move(hull.value().shape);
    made.scene.bodies.push_back(std::move(body));
    return made;
}

}  // namespace

const FileFormat meshFormat = {.name = "a mesh", .endings = meshEndings, .readScene = meshScene};

}  // namespace sinew
