#include "sinew/rig/skin.h"

namespace sinew {

std::vector<AffineMap> boneMaps(const Rig& rig, const std::vector<BoneTransform>& local)
{
    std::vector<AffineMap> world(rig.bones.size());
    for (std::size_t b = 0; b < rig.bones.size(); ++b) {
        AffineMap here{local[b].rotation.toRotationMatrix(), local[b].translation};
        for (int i = 0; i < 3; ++i) here.linear.col(i) *= local[b].scale[i];
        const int parent = rig.bones[b].parent;
        world[b] = parent < 0 ? here : world[static_cast<std::size_t>(parent)] * here;
    }
    return world;
}

std::vector<AffineMap> bindMaps(const SkinSurface& skin, const std::vector<AffineMap>& bones)
{
    std::vector<AffineMap> maps;
    maps.reserve(skin.binds.size());
    for (const SkinSurface::Bind& bind : skin.binds)
        maps.push_back(bind.bone < 0 ? AffineMap{}
                                     : bones[static_cast<std::size_t>(bind.bone)] * bind.intoBone);
    return maps;
}

AffineMap skinMap(const SkinSurface& skin, const std::vector<AffineMap>& binds, int point)
{
    AffineMap sum{Mat3::Zero(), Vec3::Zero()};
    for (const SkinSurface::Share& share : skin.shares[static_cast<std::size_t>(point)]) {
        const AffineMap& map = binds[static_cast<std::size_t>(share.bind)];
        sum.linear += share.weight * map.linear;
        sum.shift += share.weight * map.shift;
    }
    return sum;
}

}  // namespace sinew
