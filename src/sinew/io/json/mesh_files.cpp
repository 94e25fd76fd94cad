// Spring meshes whose vertices and faces stand in a file beside the scene. Apart, because a web page has no
// files.
#include <cmath>

#include "sinew/io/format.h"
#include "sinew/io/gltf/mesh.h"
#include "sinew/io/json/scene.h"
#include "sinew/io/mesh/mesh.h"
#include "sinew/io/referenced_file.h"
#include "sinew/model/spring_mesh.h"

namespace sinew {

Result<bool> readMeshFiles(Description& scene, const std::string& path, std::vector<Diagnostic>* notes)
{
    bool any = false;
    for (std::size_t i = 0; i < scene.meshes.size(); ++i) {
        SpringMeshDescription& mesh = scene.meshes[i];
        if (mesh.file.empty()) continue;
        const std::string pointer = "/meshes/" + std::to_string(i);
        const auto fault = [&](const std::string& key, const std::string& message) {
            Diagnostic wrong = faultAt(pointer + key, message);
            wrong.file = path;
            return wrong;
        };
        if (mesh.form != SpringMeshDescription::Form::given || !mesh.vertices.empty() ||
            !mesh.faces.empty())
            return fault("", "has a file and a mesh of its own; give one of them");
        const Result<std::string> place = referencedFile(path, mesh.file);
        if (!place) return fault("/file", place.error().message);
        const bool isGltf = formatOf(place.value()) == &gltfFormat;
        if (!isGltf && !mesh.fileMesh.empty()) return fault("/mesh", "is for glTF files");
        if (!(mesh.fileScale > 0 && std::isfinite(mesh.fileScale)))
            return fault("/scale", "must be a positive number");
        Result<MeshFile> read =
            isGltf ? readGltfMesh(place.value(), mesh.fileMesh) : readMesh(place.value());
        if (!read) return read.error();
        for (Vec3& vertex : read.value().mesh.vertices) vertex *= mesh.fileScale;
        mesh.vertices = std::move(read.value().mesh.vertices);
        mesh.faces = std::move(read.value().mesh.faces);
        mesh.file.clear();
        mesh.fileMesh.clear();
        mesh.fileScale = 1;
        if (notes) notes->insert(notes->end(), read.value().notes.begin(), read.value().notes.end());
        any = true;
    }
    return any;
}

}  // namespace sinew
