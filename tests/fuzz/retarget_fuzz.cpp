// A map of bones, then a BVH file: the motion goes onto its own skeleton and onto a person, or one line
// says why not.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "fuzz/expect.h"
#include "sinew/io/bvh/rig.h"
#include "sinew/io/motion_onto.h"

namespace {

using namespace sinew;

Rig person()
{
    Rig rig;
    const auto add = [&](const char* name, int parent, const Vec3& place) {
        Bone bone;
        bone.name = name;
        bone.parent = parent;
        bone.rest.translation = place;
        rig.bones.push_back(bone);
        return static_cast<int>(rig.bones.size()) - 1;
    };
    const int hips = add("Hips", -1, {0, 1, 0});
    add("Head", add("Spine", hips, {0, 0.2, 0}), {0, 0.4, 0});
    for (const char side : {'L', 'R'}) {
        const double x = side == 'L' ? 0.1 : -0.1;
        const std::string mark{'.', side};
        int bone = hips;
        for (const char* name : {"thigh", "shin", "foot"})
            bone = add((name + mark).c_str(), bone, {bone == hips ? x : 0, bone == hips ? 0 : -0.45, 0});
    }
    return rig;
}

bool isSound(const Clip& clip)
{
    for (const Track& track : clip.tracks)
        for (const Vec4& value : track.values)
            if (!value.allFinite()) return false;
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = textOf(data, size);
    const std::size_t begin = std::min(text.find("HIERARCHY"), text.size());
    const auto map = parseBoneMap(text.substr(0, begin), "fuzz.map");
    if (!map) expect(isOneLine(map.error().text()));
    const auto document = bvh::parse(text.substr(begin), "fuzz.bvh");
    if (!document) return 0;
    const Rig rig = bvh::toRig(document.value(), "fuzz");
    if (rig.clips.empty() || rig.clips[0].duration() > 100 || rig.bones.size() > 200) return 0;
    const Rig others = person();
    for (const Rig* target : {&rig, &others}) {
        const auto match = matchBones(rig, *target, map ? map.value() : std::vector<BonePair>{});
        if (!match) {
            expect(isOneLine(match.error().text()));
            continue;
        }
        const Retargeted made = retarget(rig, rig.clips[0], *target, match.value(), {5, true, {}});
        // Lengths beyond all measure give what they give.
        bool isTame = true;
        for (const Bone& bone : rig.bones) isTame = isTame && bone.rest.translation.norm() < 1e6;
        for (const Track& track : rig.clips[0].tracks)
            for (const Vec4& value : track.values) isTame = isTame && value.norm() < 1e6;
        if (isTame && std::isfinite(made.scale) && made.scale < 1e6) expect(isSound(made.clip));
    }
    return 0;
}
