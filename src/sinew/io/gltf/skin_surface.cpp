#include "sinew/io/gltf/skin_surface.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "sinew/io/gltf/convert.h"

namespace sinew {
namespace gltf {
namespace {

class SurfaceReader {
public:
    SurfaceReader(const GltfFile& file, const GltfCharacter& character)
        : file_(file), character_(character), budget_(file)
    {
    }

    GltfSkin run()
    {
        for (const int index : character_.nodeOfBone) {
            const Node& node = file_.document.nodes[static_cast<std::size_t>(index)];
            if (node.mesh < 0 || node.skin < 0) continue;
            const auto& primitives = file_.document.meshes[static_cast<std::size_t>(node.mesh)];
            for (std::size_t p = 0; p < primitives.size(); ++p) {
                const std::string pointer = pointerTo("meshes", static_cast<std::size_t>(node.mesh)) +
                                            "/primitives/" + std::to_string(p);
                if (primitives[p].position >= 0) add(node, static_cast<int>(p), primitives[p], pointer);
            }
        }
        return std::move(out_);
    }

private:
    void add(const Node& node, int index, const Primitive& primitive, const std::string& pointer)
    {
        if (primitive.compressed)
            fail(pointer,
                 "the vertices are compressed by Draco, which is not read; save the character "
                 "uncompressed");
        const auto [known, isNew] =
            ranges_.insert({{node.skin, primitive.position, primitive.joints}, {out_.surface.size(), 0}});
        if (isNew) known->second.second = addPoints(node.skin, primitive, pointer);
        const auto [first, count] = known->second;
        out_.parts.push_back({node.mesh, index, first, count});
        for (std::array<int, 3> face :
             triangles(file_, primitive, static_cast<std::size_t>(count), budget_)) {
            for (int& corner : face) corner += first;
            out_.surface.faces.push_back(face);
        }
    }

    int firstBind(int skinIndex)
    {
        const auto [known, isNew] =
            firstBinds_.insert({skinIndex, static_cast<int>(out_.surface.binds.size())});
        if (!isNew) return known->second;
        const Skin& skin = file_.document.skins[static_cast<std::size_t>(skinIndex)];
        const std::vector<Mat4> matrices =
            bindMatrices(file_, skin, static_cast<std::size_t>(skinIndex), budget_);
        for (std::size_t j = 0; j < skin.joints.size(); ++j)
            out_.surface.binds.push_back(
                {character_.boneOfNode[static_cast<std::size_t>(skin.joints[j])],
                 {matrices[j].topLeftCorner<3, 3>(), matrices[j].topRightCorner<3, 1>()}});
        return known->second;
    }

    int addPoints(int skinIndex, const Primitive& primitive, const std::string& pointer)
    {
        const int first = firstBind(skinIndex);
        const std::size_t jointCount =
            file_.document.skins[static_cast<std::size_t>(skinIndex)].joints.size();
        const std::vector<double> positions =
            numbers(file_, primitive.position, Shape::vec3, Numbers::any, budget_);
        const std::size_t count = positions.size() / 3;
        std::vector<std::vector<SkinSurface::Share>> shares(count);
        for (std::size_t set = 0; set < primitive.joints.size(); ++set) {
            const auto [joints, weights] = skinSet(file_, primitive, set, count, pointer, budget_);
            for (std::size_t i = 0; i < weights.size(); ++i) {
                if (!(weights[i] > 0)) continue;
                if (!(joints[i] >= 0 && joints[i] < static_cast<double>(jointCount)))
                    fail(pointer + "/attributes",
                         "vertex " + std::to_string(i / 4) + " hangs on a joint that the skin has not");
                const int bind = first + static_cast<int>(joints[i]);
                // A joint outside the default scene moves nothing that is seen.
                if (out_.surface.binds[static_cast<std::size_t>(bind)].bone < 0) continue;
                shares[i / 4].push_back({bind, weights[i]});
            }
        }
        for (std::size_t v = 0; v < count; ++v) {
            double sum = 0;
            for (const SkinSurface::Share& share : shares[v]) sum += share.weight;
            for (SkinSurface::Share& share : shares[v]) share.weight /= sum;
            std::stable_sort(shares[v].begin(), shares[v].end(),
                             [](const auto& a, const auto& b) { return a.weight > b.weight; });
            out_.surface.points.emplace_back(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
            out_.surface.shares.push_back(std::move(shares[v]));
        }
        return static_cast<int>(count);
    }

    const GltfFile& file_;
    const GltfCharacter& character_;
    Budget budget_;
    std::map<std::tuple<int, int, std::vector<int>>, std::pair<int, int>> ranges_;  // first point and count
    std::map<int, int> firstBinds_;                                                 // per skin
    GltfSkin out_;
};

}  // namespace

std::vector<std::array<int, 3>> triangles(const GltfFile& file, const Primitive& primitive,
                                          std::size_t vertexCount, Budget& budget)
{
    std::vector<std::array<int, 3>> out;
    constexpr int list = 4, strip = 5, fan = 6;  // of the standard
    if (primitive.mode < list || primitive.mode > fan) return out;
    std::vector<int> corners;
    if (primitive.indices < 0) {
        for (std::size_t v = 0; v < vertexCount; ++v) corners.push_back(static_cast<int>(v));
    } else {
        const std::string pointer = pointerTo("accessors", static_cast<std::size_t>(primitive.indices));
        for (const double index :
             numbers(file, primitive.indices, Shape::scalar, Numbers::indices, budget)) {
            if (!(index >= 0 && index < static_cast<double>(vertexCount)))
                fail(pointer, "there is no vertex " + std::to_string(static_cast<long long>(index)) +
                                  "; there are " + std::to_string(vertexCount));
            corners.push_back(static_cast<int>(index));
        }
    }
    if (primitive.mode == list && corners.size() % 3 != 0)
        fail(pointerTo("accessors",
                       static_cast<std::size_t>(std::max(primitive.indices, primitive.position))),
             "triangles need a multiple of three corners, found " + std::to_string(corners.size()));
    const std::size_t step = primitive.mode == list ? 3 : 1;
    for (std::size_t i = 0; i + 2 < corners.size(); i += step) {
        // Every second one of a strip is turned over.
        const bool isTurned = primitive.mode == strip && i % 2 == 1;
        out.push_back({corners[primitive.mode == fan ? 0 : i], corners[isTurned ? i + 2 : i + 1],
                       corners[isTurned ? i + 1 : i + 2]});
    }
    return out;
}

}  // namespace gltf

Result<GltfSkin> gltfSkin(const GltfFile& file, const GltfCharacter& character)
{
    try {
        return gltf::SurfaceReader(file, character).run();
    } catch (gltf::Fault& fault) {
        fault.error.file = file.name;
        return fault.error;
    }
}

}  // namespace sinew
