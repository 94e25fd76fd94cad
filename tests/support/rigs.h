// Small characters for the tests of baking.
#pragma once

#include <string>

#include "sinew/rig/rig.h"

namespace sinew {

// A body that walks to and fro along x, and a tail of four bones behind it (along −z), 0.1 units each. The
// tail's own animation lifts its first bone by `lift` rad and lets it down again.
inline Rig tailedRig(double lift = 0.3)
{
    Rig rig;
    const auto add = [&](const char* name, int parent, const Vec3& offset) {
        Bone bone;
        bone.name = name;
        bone.parent = parent;
        bone.rest.translation = offset;
        rig.bones.push_back(bone);
        return static_cast<int>(rig.bones.size()) - 1;
    };
    const int scene = add("armature", -1, Vec3::Zero());
    rig.bones[scene].joint = false;
    const int body = add("body", scene, Vec3(0, 1, 0));
    rig.bones[body].ends = {Vec3(0, 0, 0.5)};
    int last = body;
    for (int i = 1; i <= 4; ++i)
        last =
            add(("tail" + std::to_string(i)).c_str(), last, i == 1 ? Vec3(0, 0, -0.05) : Vec3(0, 0, -0.1));
    rig.bones[last].ends = {Vec3(0, 0, -0.1)};

    Clip clip;
    clip.name = "walk";
    Track walk;
    walk.bone = body;
    walk.quantity = Track::Quantity::translation;
    Track wag;
    wag.bone = rig.find("tail1");
    constexpr int keys = 24;
    for (int k = 0; k <= keys; ++k) {
        const double time = k / 12.0, phase = 2 * pi * k / keys;
        walk.times.push_back(time);
        walk.values.emplace_back(0.4 * std::sin(2 * phase), 1, 0, 0);
        wag.times.push_back(time);
        wag.values.push_back(Quat(AngleAxis(lift * std::sin(phase), Vec3::UnitX())).coeffs());
    }
    clip.tracks = {walk, wag};
    rig.clips = {clip};
    return rig;
}

}  // namespace sinew
