// Real captures onto real characters: feet where the capture has them, soles on the floor.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "sinew/io/character_file.h"
#include "sinew/io/motion_onto.h"
#include "support/sample_data.h"

namespace sinew {
namespace {

double lowestOf(const Rig& rig, const std::vector<WorldFrame>& frames, std::size_t b)
{
    double lowest = frames[b].pose.position.y();
    for (const Vec3& point : rig.bones[b].flesh) lowest = std::min(lowest, (frames[b] * point).y());
    return lowest;
}

TEST(RetargetSamples, feetOfCapturesStayOnTheFloor)
{
    const std::string captures = sampleData("bvh"), characters = sampleData("gltf");
    if (captures.empty() || characters.empty()) GTEST_SKIP() << sampleDataMissing;
    for (const char* capture : {"cmu_02_01_walk", "cmu_02_03_run", "cmu_02_04_jump"}) {
        const Result<CharacterFile> from = readCharacter(captures + "/" + capture + ".bvh");
        ASSERT_TRUE(from) << from.error().text();
        for (const char* character : {"CesiumMan", "RiggedFigure"}) {
            const Result<CharacterFile> to = readCharacter(characters + "/" + character + ".glb");
            ASSERT_TRUE(to) << to.error().text();
            const Rig &source = from.value().rig, &target = to.value().rig;
            const Result<MotionOnto> motion = motionOnto({from.value().path, {}, {}}, target);
            ASSERT_TRUE(motion) << motion.error().text();
            const Retargeted& made = motion.value().made;
            ASSERT_EQ(made.legs, 2);
            EXPECT_GE(std::count_if(motion.value().match.sourceOf.begin(),
                                    motion.value().match.sourceOf.end(), [](int s) { return s >= 0; }),
                      19);
            const double leg = 0.5;  // m, of both characters, about
            EXPECT_LT(made.shortfall, 0.01 * leg);
            double slide = 0, lowest = INFINITY, highest = -INFINITY, deepest = INFINITY;
            const double duration = made.clip.duration();
            // What the foot does in the source, times k, is what it does in the target: frame by frame.
            const auto roles = boneRoles(target);
            for (std::size_t t = 0; t < target.bones.size(); ++t) {
                if (!roles[t] || roles[t]->part != BonePart::foot) continue;
                const std::size_t s = static_cast<std::size_t>(motion.value().match.sourceOf[t]);
                std::optional<Vec3> before;
                for (double time = 0; time < duration; time += 1.0 / 20) {
                    const auto a = worldFrames(source, localPose(source, source.clips[0], time));
                    const auto b = worldFrames(target, localPose(target, made.clip, time));
                    const Vec3 gap = b[t].pose.position - made.scale * a[s].pose.position;
                    if (before) slide = std::max(slide, (gap - *before).norm());
                    before = gap;
                }
            }
            // The capture's own floor is not level: soles are measured against what is lowest in the
            // capture.
            for (double time = 0.1; time < duration; time += 1.0 / 20) {
                const auto a = worldFrames(source, localPose(source, source.clips[0], time));
                const auto b = worldFrames(target, localPose(target, made.clip, time));
                double mine = INFINITY, others = INFINITY;
                for (std::size_t t = 0; t < target.bones.size(); ++t)
                    if (target.bones[t].joint) mine = std::min(mine, lowestOf(target, b, t));
                for (std::size_t s = 0; s < source.bones.size(); ++s) {
                    others = std::min(others, a[s].pose.position.y());
                    for (const Vec3& end : source.bones[s].ends)
                        others = std::min(others, (a[s] * end).y());
                }
                deepest = std::min(deepest, mine);
                lowest = std::min(lowest, mine - made.scale * others);
                highest = std::max(highest, mine - made.scale * others);
            }
            std::cout << capture << " onto " << character << ": k " << made.scale << ", out of reach "
                      << made.shortfall << ", slide per frame beyond the source's " << slide
                      << ", soles over the capture's lowest point " << lowest << " to " << highest << "\n";
            EXPECT_LE(slide, 2 * made.shortfall + 1e-6);
            // Soles of a skin are longer and stiffer than a captured foot of two joints.
            EXPECT_GT(deepest, -0.04);
            EXPECT_GT(lowest, -0.07);
            EXPECT_LT(highest, 0.05);
        }
    }
}

}  // namespace
}  // namespace sinew
