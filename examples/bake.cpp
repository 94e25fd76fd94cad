// Physics baked into an animation: a tail of six bones on a body that is moved to and fro.
#include <cmath>
#include <cstdio>
#include <string>

#include "sinew/sinew.h"

int main()
{
    sinew::Rig fox;  // of bones as a file would have them; sinew::readCharacter reads glTF and BVH
    fox.bones.emplace_back().name = "body";
    for (int i = 1; i <= 6; ++i) {
        sinew::Bone& bone = fox.bones.emplace_back();
        bone.name = "tail" + std::to_string(i);
        bone.parent = i - 1;
        bone.rest.translation = {i == 1 ? 0.2 : 0.1, 0, 0};
    }
    fox.bones.back().ends = {{0.1, 0, 0}};
    sinew::Clip& clip = fox.clips.emplace_back();
    clip.name = "sway";
    sinew::Track& sway = clip.tracks.emplace_back();  // of the body
    sway.quantity = sinew::Track::Quantity::translation;
    for (int key = 0; key <= 40; ++key) {
        sway.times.push_back(0.05 * key);
        sway.values.push_back({0, 1, 0.2 * std::sin(M_PI * 0.05 * key), 0});
    }

    sinew::BakeOptions options;
    options.dynamic = {"tail*"};
    const sinew::Result<sinew::BakePlan> plan = sinew::planBake(fox, options);
    if (!plan) return std::fprintf(stderr, "%s\n", plan.error().text().c_str()), 2;
    const sinew::Result<sinew::Trajectory> frames = sinew::simulatePlan(plan.value());
    if (!frames) return std::fprintf(stderr, "%s\n", frames.error().text().c_str()), 3;
    const sinew::BakedClip baked = sinew::bakedClip(fox, plan.value(), frames.value());
    std::printf("clip '%s': %.2f s, %zu tracks of physics, %zu of the source\n", baked.clip.name.c_str(),
                baked.clip.duration(), baked.clip.tracks.size(), baked.kept.size());
}
