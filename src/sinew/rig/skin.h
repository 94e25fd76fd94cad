// The skin of a character: points that follow several bones at once (linear blend skinning).
//
//     x = Σ wⱼ Bⱼ Iⱼ p
//
// with p a point where the skin was drawn (bind space), Iⱼ from there into bone j's frame, Bⱼ the bone's
// frame in the world and wⱼ shares that add up to one. Bones may be scaled unevenly here, so frames are
// whole affine maps.
#pragma once

#include <array>
#include <vector>

#include "sinew/rig/rig.h"

namespace sinew {

struct AffineMap {
    Mat3 linear = Mat3::Identity();
    Vec3 shift = Vec3::Zero();

    Vec3 operator*(const Vec3& point) const { return linear * point + shift; }
    AffineMap operator*(const AffineMap& o) const { return {linear * o.linear, linear * o.shift + shift}; }
};

struct SkinSurface {
    // A joint of a skin. Skins are drawn in spaces of their own, so each has its own binds.
    struct Bind {
        int bone = -1;  // −1: not in the rig; no point has a share of it
        AffineMap intoBone;
    };
    struct Share {
        int bind = 0;
        double weight = 0;
    };

    std::vector<Bind> binds;
    std::vector<Vec3> points;                // bind space, in the rig's unit
    std::vector<std::vector<Share>> shares;  // per point, by falling weight; they add up to one
    std::vector<std::array<int, 3>> faces;   // of points

    int size() const { return static_cast<int>(points.size()); }
};

// Frames of all bones in the world, with every scale that they have.
std::vector<AffineMap> boneMaps(const Rig& rig, const std::vector<BoneTransform>& local);

// Per bind: Bⱼ Iⱼ.
std::vector<AffineMap> bindMaps(const SkinSurface& skin, const std::vector<AffineMap>& bones);

// Where a point of bind space goes: Σ wⱼ Bⱼ Iⱼ.
AffineMap skinMap(const SkinSurface& skin, const std::vector<AffineMap>& binds, int point);

}  // namespace sinew
