#include "sinew/io/load_scene.h"

#include <filesystem>
#include <utility>

#include "sinew/io/file_error.h"
#include "sinew/io/file_kind.h"
#include "sinew/io/imported.h"
#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"
#include "sinew/io/mesh/mesh.h"
#include "sinew/io/mjcf/mjcf.h"
#include "sinew/io/urdf/scene.h"

namespace sinew {

namespace {

// Somebody else's format as a scene, with the text that our own writer would have for it.
Result<SceneFile> imported(const std::string& path, Result<Imported> scene)
{
    if (!scene) return scene.error();
    std::string text = writeScene(scene.value().scene);
    return SceneFile{path, std::move(text), std::move(scene.value().scene), std::move(scene.value().notes)};
}

// A mesh as one body of its convex hull, above the ground.
Result<Imported> meshScene(const std::string& path)
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

Result<SceneFile> loadScene(const std::string& path)
{
    switch (fileKind(path)) {
        case FileKind::urdf:
            return imported(path, readUrdf(path));
        case FileKind::mjcf:
            return imported(path, readMjcf(path));
        case FileKind::mesh:
            return imported(path, meshScene(path));
        case FileKind::gltf:
        case FileKind::bvh:
            return fileError(path,
                             "is a character without masses; sinew bake simulates it, sinew convert makes "
                             "a scene of it");
        default:
            break;
    }
    Result<std::string> text = json::readFile(path);
    if (!text) return text.error();
    Result<Description> description = parseScene(text.value(), path);
    if (!description) return description.error();
    return SceneFile{path, std::move(text.value()), std::move(description.value()), {}};
}

}  // namespace sinew
