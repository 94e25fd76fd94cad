#include "sinew/io/gltf/character.h"

#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "sinew/base/words.h"
#include "sinew/io/gltf/convert.h"

namespace sinew {
namespace gltf {

BoneTransform decomposed(const Mat4& matrix, const std::string& pointer)
{
    constexpr double tolerance = 1e-4;  // of angles between axes: files are in single precision
    if (!((matrix.row(3) - Matrix<1, 4>(0, 0, 0, 1)).cwiseAbs().maxCoeff() < tolerance))
        fail(pointer, "the last row of the matrix should be 0, 0, 0, 1");
    BoneTransform out;
    out.translation = matrix.topRightCorner<3, 1>();
    Mat3 axes = matrix.topLeftCorner<3, 3>();
    out.scale = axes.colwise().norm();
    if (!(out.scale.minCoeff() > 1e-12))
        fail(pointer, "the matrix is flat: one of its axes has no length, so that it tells no rotation");
    if (axes.determinant() < 0) out.scale.x() = -out.scale.x();
    for (int i = 0; i < 3; ++i) axes.col(i) /= out.scale[i];
    const Mat3 lean = axes.transpose() * axes - Mat3::Identity();
    if (!(lean.cwiseAbs().maxCoeff() < tolerance))
        fail(pointer,
             "the matrix leans (shear), which translation, rotation and scale cannot tell; apply the "
             "transform in the tool that made it");
    out.rotation = Quat(axes).normalized();
    return out;
}

std::vector<std::string> uniqueNames(const std::vector<std::string>& names,
                                     const std::vector<std::string>& otherwise)
{
    std::vector<std::string> out;
    std::unordered_set<std::string> given(names.begin(), names.end()), used;
    std::unordered_map<std::string, int> next;
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::string name = names[i].empty() ? otherwise[i] : names[i];
        for (char& c : name)
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '_';
        // A made-up name must not be one that the file gives to somebody else.
        const std::string base = name;
        int& number = next[base];
        while (used.contains(name) || (name != names[i] && given.contains(name)))
            name = base + "_" + std::to_string(number = std::max(number, 1) + 1);
        used.insert(name);
        out.push_back(std::move(name));
    }
    return out;
}

namespace {

// Parents before children, in the order of the file. Without recursion: chains may be long.
void addBones(const GltfFile& file, GltfCharacter& character)
{
    const std::vector<Node>& nodes = file.document.nodes;
    character.boneOfNode.assign(nodes.size(), -1);
    std::vector<int> open(file.document.roots.rbegin(), file.document.roots.rend());
    std::vector<std::string> names, otherwise;
    while (!open.empty()) {
        const int n = open.back();
        open.pop_back();
        const Node& node = nodes[static_cast<std::size_t>(n)];
        character.boneOfNode[static_cast<std::size_t>(n)] = static_cast<int>(character.nodeOfBone.size());
        character.nodeOfBone.push_back(n);
        Bone& bone = character.rig.bones.emplace_back();
        bone.parent = node.parent < 0 ? -1 : character.boneOfNode[static_cast<std::size_t>(node.parent)];
        bone.rest = node.hasMatrix ? decomposed(node.matrix,
                                                pointerTo("nodes", static_cast<std::size_t>(n)) + "/matrix")
                                   : node.transform;
        bone.joint = false;
        names.push_back(node.name);
        otherwise.push_back("node_" + std::to_string(n));
        open.insert(open.end(), node.children.rbegin(), node.children.rend());
    }
    names = uniqueNames(names, otherwise);
    for (std::size_t b = 0; b < names.size(); ++b) character.rig.bones[b].name = names[b];
}

void markJoints(const GltfFile& file, GltfCharacter& character)
{
    const Document& document = file.document;
    std::vector<Bone>& bones = character.rig.bones;
    for (std::size_t s = 0; s < document.skins.size(); ++s)
        for (int node : document.skins[s].joints) {
            const int bone = character.boneOfNode[static_cast<std::size_t>(node)];
            if (bone >= 0)
                bones[static_cast<std::size_t>(bone)].joint = true;
            else
                note(character, pointerTo("skins", s) + "/joints",
                     "node " + std::to_string(node) + " is not in the default scene and is left out");
        }
    if (!document.skins.empty()) return;
    for (std::size_t b = 0; b < bones.size(); ++b)
        bones[b].joint = document.nodes[static_cast<std::size_t>(character.nodeOfBone[b])].mesh >= 0;
    for (const Clip& clip : character.rig.clips)
        for (const Track& track : clip.tracks) bones[static_cast<std::size_t>(track.bone)].joint = true;
}

// Extensions that a reader must know. Those of pictures and lights cannot matter here.
void noteExtensions(const GltfFile& file, GltfCharacter& character)
{
    static constexpr std::string_view harmless[] = {"KHR_materials_",
                                                    "KHR_texture_",
                                                    "EXT_texture_",
                                                    "MSFT_texture_",
                                                    "KHR_lights_",
                                                    "EXT_lights_",
                                                    "KHR_mesh_quantization",
                                                    "KHR_draco_mesh_compression",
                                                    "EXT_meshopt_compression",
                                                    "KHR_meshopt_compression",
                                                    "KHR_xmp"};
    for (std::size_t e = 0; e < file.document.required.size(); ++e) {
        const std::string& name = file.document.required[e];
        bool known = false;
        for (std::string_view start : harmless) known = known || name.starts_with(start);
        if (!known)
            note(
                character, pointerTo("extensionsRequired", e),
                "the extension " + words::quoted(name) + " is not known here; what it changes is not seen");
    }
}

void checkFinite(const GltfCharacter& character)
{
    const std::vector<WorldFrame> frames = worldFrames(character.rig, restPose(character.rig));
    for (std::size_t b = 0; b < frames.size(); ++b)
        if (!frames[b].pose.position.allFinite() || !frames[b].pose.orientation.coeffs().allFinite() ||
            !std::isfinite(frames[b].scale))
            fail(pointerTo("nodes", static_cast<std::size_t>(character.nodeOfBone[b])),
                 "the node's place in the world is not finite; its numbers are too large");
}

}  // namespace
}  // namespace gltf

Result<GltfCharacter> gltfCharacter(const GltfFile& file)
{
    GltfCharacter character;
    try {
        gltf::Budget budget(file);
        gltf::noteExtensions(file, character);
        gltf::addBones(file, character);
        gltf::checkFinite(character);
        gltf::addClips(file, budget, character);
        gltf::markJoints(file, character);
        gltf::addFlesh(file, budget, character);
    } catch (gltf::Fault& fault) {
        fault.error.file = file.name;
        return fault.error;
    }
    for (Diagnostic& line : character.notes) line.file = file.name;
    return character;
}

}  // namespace sinew
