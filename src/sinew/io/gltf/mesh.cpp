#include "sinew/io/gltf/mesh.h"

#include <algorithm>
#include <map>

#include "sinew/base/words.h"
#include "sinew/io/gltf/convert.h"
#include "sinew/io/gltf/skin_surface.h"
#include "sinew/io/mesh/mesh_builder.h"

namespace sinew {
namespace gltf {
namespace {

int chosenMesh(const Document& document, const std::string& which)
{
    const std::vector<std::string>& names = document.meshNames;
    if (names.empty()) fail("", "has no mesh");
    if (which.empty()) {
        if (names.size() == 1) return 0;
        fail("/meshes", "has " + std::to_string(names.size()) + " meshes; say which by its name or number");
    }
    const auto named = std::find(names.begin(), names.end(), which);
    if (named != names.end()) return static_cast<int>(named - names.begin());
    const bool isNumber = which.size() < 10 && which.find_first_not_of("0123456789") == std::string::npos;
    if (isNumber && std::stoul(which) < names.size()) return std::stoi(which);
    fail("/meshes", "has no mesh " + words::quoted(which) + "; there are " + std::to_string(names.size()) +
                        ", such as " + words::quoted(names.front()));
}

// Where the points of a primitive stand, before they are welded.
class Placing {
public:
    Placing(const GltfFile& file, int mesh) : file_(file), mesh_(mesh), budget_(file)
    {
        Result<GltfCharacter> made = gltfCharacter(file);
        if (!made) throw Fault{made.error()};
        character_ = std::move(made.value());
        bones_ = boneMaps(character_.rig, restPose(character_.rig));
        for (std::size_t b = 0; b < character_.nodeOfBone.size() && bone_ < 0; ++b)
            if (node(b).mesh == mesh) bone_ = static_cast<int>(b);
        if (bone_ < 0 || node(static_cast<std::size_t>(bone_)).skin < 0) return;
        Result<GltfSkin> skin = gltfSkin(file, character_);
        if (!skin) throw Fault{skin.error()};
        skin_ = std::move(skin.value());
        binds_ = bindMaps(skin_.surface, bones_);
    }

    std::vector<Vec3> points(int primitive)
    {
        for (const GltfSkin::Part& part : skin_.parts) {
            if (part.mesh != mesh_ || part.primitive != primitive) continue;
            std::vector<Vec3> out;
            for (int p = part.first; p < part.first + part.count; ++p)
                out.push_back(skinMap(skin_.surface, binds_, p) *
                              skin_.surface.points[static_cast<std::size_t>(p)]);
            return out;
        }
        const Primitive& from =
            file_.document.meshes[static_cast<std::size_t>(mesh_)][static_cast<std::size_t>(primitive)];
        const std::vector<double> numbers =
            gltf::numbers(file_, from.position, Shape::vec3, Numbers::any, budget_);
        const AffineMap map = bone_ < 0 ? AffineMap{} : bones_[static_cast<std::size_t>(bone_)];
        std::vector<Vec3> out;
        for (std::size_t i = 0; i + 2 < numbers.size(); i += 3)
            out.push_back(map * Vec3(numbers[i], numbers[i + 1], numbers[i + 2]));
        return out;
    }
    Budget& budget() { return budget_; }

private:
    const Node& node(std::size_t bone) const
    {
        return file_.document.nodes[static_cast<std::size_t>(character_.nodeOfBone[bone])];
    }

    const GltfFile& file_;
    int mesh_;
    Budget budget_;
    GltfCharacter character_;
    std::vector<AffineMap> bones_, binds_;
    int bone_ = -1;
    GltfSkin skin_;
};

MeshFile meshOf(const GltfFile& file, const std::string& which)
{
    const int chosen = chosenMesh(file.document, which);
    const std::string pointer = pointerTo("meshes", static_cast<std::size_t>(chosen));
    const std::vector<Primitive>& primitives = file.document.meshes[static_cast<std::size_t>(chosen)];
    for (std::size_t p = 0; p < primitives.size(); ++p)
        if (primitives[p].position >= 0 && primitives[p].compressed)
            fail(pointer + "/primitives/" + std::to_string(p),
                 "the vertices are compressed by Draco, which is not read; save it uncompressed");
    Placing placing(file, chosen);
    MeshFile out;
    std::map<std::array<double, 3>, int> known;
    int flat = 0;
    for (std::size_t p = 0; p < primitives.size(); ++p) {
        if (primitives[p].position < 0) continue;
        const std::vector<Vec3> points = placing.points(static_cast<int>(p));
        for (const auto& corners : triangles(file, primitives[p], points.size(), placing.budget())) {
            std::array<int, 3> face = {};
            for (std::size_t k = 0; k < 3; ++k) {
                const Vec3& at = points[static_cast<std::size_t>(corners[k])];
                const auto [place, isNew] =
                    known.insert({{at.x(), at.y(), at.z()}, static_cast<int>(out.mesh.vertices.size())});
                if (isNew) out.mesh.vertices.push_back(at);
                face[k] = place->second;
            }
            if (meshes::hasArea(out.mesh, face))
                out.mesh.faces.push_back(face);
            else
                ++flat;
        }
    }
    if (out.mesh.faces.empty()) fail(pointer, "has no triangle with an area");
    if (flat > 0) {
        Diagnostic note = faultAt(pointer, std::to_string(flat) + " triangles without area are left out");
        note.file = file.name;
        out.notes.push_back(std::move(note));
    }
    return out;
}

}  // namespace
}  // namespace gltf

Result<MeshFile> gltfMesh(const GltfFile& file, const std::string& which)
{
    try {
        return gltf::meshOf(file, which);
    } catch (gltf::Fault& fault) {
        fault.error.file = file.name;
        return fault.error;
    }
}

Result<MeshFile> readGltfMesh(const std::string& path, const std::string& which)
{
    const Result<GltfFile> file = readGltf(path);
    if (!file) return file.error();
    return gltfMesh(file.value(), which);
}

}  // namespace sinew
