// Vertices → points of the bones that carry them.
//
// A skinned vertex v, in the space of its mesh, stands at Σ wⱼ Bⱼ Iⱼ v, with Bⱼ the joint's frame in the
// world and Iⱼ its inverse bind matrix. In the frame of the joint j with the largest weight it is Iⱼ v,
// wherever the bones are.
#include <set>
#include <tuple>

#include "sinew/io/gltf/convert.h"

namespace sinew::gltf {

std::vector<Mat4> bindMatrices(const GltfFile& file, const Skin& skin, std::size_t skinIndex,
                               Budget& budget)
{
    std::vector<Mat4> out(skin.joints.size(), Mat4::Identity());
    if (skin.inverseBindMatrices < 0) return out;
    const std::vector<double> all =
        numbers(file, skin.inverseBindMatrices, Shape::mat4, Numbers::floats, budget);
    const std::string pointer = pointerTo("skins", skinIndex) + "/inverseBindMatrices";
    if (all.size() < 16 * out.size())
        fail(pointer, std::to_string(out.size()) + " joints need as many matrices, found " +
                          std::to_string(all.size() / 16));
    for (std::size_t j = 0; j < out.size(); ++j) {
        out[j] = view(all.data() + 16 * j, 4, 4);
        const Matrix<1, 4> last = out[j].row(3);
        constexpr double tolerance = 1e-3;  // many exporters invert in single precision
        if (!((last - Matrix<1, 4>(0, 0, 0, 1)).cwiseAbs().maxCoeff() < tolerance))
            fail(pointer, "the last row of matrix " + std::to_string(j) + " should be 0, 0, 0, 1");
    }
    return out;
}

namespace {

// A skin, its matrices and where its points go.
class SkinReader {
public:
    SkinReader(const GltfFile& file, Budget& budget, GltfCharacter& character, int skin)
        : file_(file),
          budget_(budget),
          character_(character),
          skin_(file.document.skins[static_cast<std::size_t>(skin)]),
          bind_(bindMatrices(file, skin_, static_cast<std::size_t>(skin), budget))
    {
    }

    void add(const Primitive& primitive, const std::string& pointer)
    {
        const std::vector<double> positions =
            numbers(file_, primitive.position, Shape::vec3, Numbers::any, budget_);
        const std::size_t count = positions.size() / 3;
        std::vector<double> largest(count, 0.0);
        std::vector<int> jointOf(count, -1);
        for (std::size_t set = 0; set < primitive.joints.size(); ++set) {
            const auto [joints, weights] = skinSet(file_, primitive, set, count, pointer, budget_);
            for (std::size_t i = 0; i < weights.size(); ++i) {
                if (!(weights[i] > 0)) continue;
                if (!(joints[i] >= 0 && joints[i] < static_cast<double>(skin_.joints.size())))
                    fail(pointer + "/attributes", "vertex " + std::to_string(i / 4) + " hangs on joint " +
                                                      std::to_string(static_cast<long>(joints[i])) +
                                                      " of a skin that has " +
                                                      std::to_string(skin_.joints.size()));
                if (weights[i] <= largest[i / 4]) continue;
                largest[i / 4] = weights[i];
                jointOf[i / 4] = static_cast<int>(joints[i]);
            }
        }
        for (std::size_t v = 0; v < count; ++v) {
            if (jointOf[v] < 0) continue;
            const auto joint = static_cast<std::size_t>(jointOf[v]);
            const int bone = character_.boneOfNode[static_cast<std::size_t>(skin_.joints[joint])];
            if (bone < 0) continue;
            const Vec3 point(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
            character_.rig.bones[static_cast<std::size_t>(bone)].flesh.push_back(
                bind_[joint].topLeftCorner<3, 3>() * point + bind_[joint].topRightCorner<3, 1>());
        }
    }

private:
    const GltfFile& file_;
    Budget& budget_;
    GltfCharacter& character_;
    const Skin& skin_;
    std::vector<Mat4> bind_;
};

bool hangsFromJoint(const Rig& rig, std::size_t bone)
{
    for (int b = static_cast<int>(bone); b >= 0; b = rig.bones[static_cast<std::size_t>(b)].parent)
        if (rig.bones[static_cast<std::size_t>(b)].joint) return true;
    return false;
}

}  // namespace

void addFlesh(const GltfFile& file, Budget& budget, GltfCharacter& character)
{
    const Document& document = file.document;
    // Primitives of several materials often share their vertices, and nodes their meshes.
    std::set<std::tuple<int, int, std::vector<int>>> seen;
    for (std::size_t bone = 0; bone < character.nodeOfBone.size(); ++bone) {
        const Node& node = document.nodes[static_cast<std::size_t>(character.nodeOfBone[bone])];
        // Beside a skin, rigid parts are flesh only where a joint carries them, as swords and hats are;
        // others are the ground or a light.
        if (node.mesh < 0) continue;
        if (node.skin < 0 && !document.skins.empty() && !hangsFromJoint(character.rig, bone)) continue;
        std::optional<SkinReader> skin;
        const auto& primitives = document.meshes[static_cast<std::size_t>(node.mesh)];
        for (std::size_t p = 0; p < primitives.size(); ++p) {
            const Primitive& primitive = primitives[p];
            const std::string pointer = pointerTo("meshes", static_cast<std::size_t>(node.mesh)) +
                                        "/primitives/" + std::to_string(p);
            if (primitive.position < 0) continue;
            if (primitive.compressed) {
                note(
                    character, pointer,
                    "the vertices are compressed by Draco, which is not read; the bones have no flesh from "
                    "them");
                continue;
            }
            if (node.skin < 0) {
                const auto points = numbers(file, primitive.position, Shape::vec3, Numbers::any, budget);
                for (std::size_t i = 0; i < points.size(); i += 3)
                    character.rig.bones[bone].flesh.push_back(
                        Vec3(points[i], points[i + 1], points[i + 2]));
                continue;
            }
            if (!seen.insert({node.skin, primitive.position, primitive.joints}).second) continue;
            if (!skin) skin.emplace(file, budget, character, node.skin);
            skin->add(primitive, pointer);
        }
    }
}

}  // namespace sinew::gltf
