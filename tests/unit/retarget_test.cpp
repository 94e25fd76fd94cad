// Motions for other skeletons: what must not change when only the description of a character does.
#include "sinew/rig/retarget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sinew/math/rotation.h"

namespace sinew {
namespace {

// A person by the names of common captures. `armsDown`: the angle of the arms below a T.
Rig person(double legs = 0.45, double arms = 0.3, double armsDown = 0)
{
    Rig rig;
    const auto add = [&](const std::string& name, const std::string& parent, const Vec3& place) {
        Bone bone;
        bone.name = name;
        bone.parent = parent.empty() ? -1 : rig.find(parent);
        bone.rest.translation = place;
        rig.bones.push_back(bone);
    };
    add("Hips", "", {0, 2 * legs + 0.1, 0});
    add("Spine", "Hips", {0, 0.1, 0});
    add("Spine1", "Spine", {0, 0.2, 0.01});
    add("Neck", "Spine1", {0, 0.2, 0});
    add("Head", "Neck", {0, 0.1, 0.02});
    for (const auto& [side, x] : {std::pair<std::string, double>{"Left", 1}, {"Right", -1}}) {
        const Vec3 along = arms * Vec3(x * std::cos(armsDown), -std::sin(armsDown), 0);
        add(side + "Shoulder", "Spine1", {0.05 * x, 0.15, 0});
        add(side + "Arm", side + "Shoulder", {0.12 * x, 0, 0});
        add(side + "ForeArm", side + "Arm", along);
        add(side + "Hand", side + "ForeArm", along);
        rig.bones.back().ends = {0.3 * along};
        add(side + "UpLeg", "Hips", {0.1 * x, -0.05, 0});
        add(side + "Leg", side + "UpLeg", {0.02 * x, -legs, 0.01});
        add(side + "Foot", side + "Leg", {0, -legs, -0.02});
        add(side + "ToeBase", side + "Foot", {0, -0.05, 0.15});
        rig.bones.back().ends = {{0, 0, 0.05}};
    }
    return rig;
}

// Wild but smooth: every joint turns, the hips travel.
Clip motionOf(const Rig& rig, unsigned seed, double wildness = 0.6)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    Clip clip;
    clip.name = "wild";
    for (std::size_t b = 0; b < rig.bones.size(); ++b) {
        Track turn;
        turn.bone = static_cast<int>(b);
        const Vec3 axis(uniform(random), uniform(random), uniform(random));
        const double phase = 3 * uniform(random);
        Track shift = turn;
        shift.quantity = Track::Quantity::translation;
        for (int k = 0; k <= 60; ++k) {
            const double time = k / 60.0;
            turn.times.push_back(time);
            turn.values.push_back(
                (expRotation(wildness * std::sin(5 * time + phase) * axis) * rig.bones[b].rest.rotation)
                    .coeffs());
            shift.times.push_back(time);
            const Vec3 place =
                rig.bones[b].rest.translation + Vec3(0.3 * time, 0.05 * std::sin(9 * time), 0.8 * time);
            shift.values.push_back({place.x(), place.y(), place.z(), 0});
        }
        clip.tracks.push_back(turn);
        if (b == 0) clip.tracks.push_back(shift);
    }
    return clip;
}

Retargeted onto(const Rig& source, const Clip& clip, const Rig& target,
                const std::vector<BonePair>& map = {})
{
    const Result<BoneMatch> match = matchBones(source, target, map);
    EXPECT_TRUE(match) << match.error().text();
    return retarget(source, clip, target, match.value());
}

std::vector<WorldFrame> framesAt(const Rig& rig, const Clip& clip, double time)
{
    return worldFrames(rig, localPose(rig, clip, time));
}

// Other axes for every bone: each is turned by Q in its own frame, and what hangs from it back.
Rig withOtherAxes(Rig rig, unsigned seed)
{
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-2, 2);
    std::vector<Quat> turns;
    for (std::size_t b = 0; b < rig.bones.size(); ++b)
        turns.push_back(expRotation({uniform(random), uniform(random), uniform(random)}));
    for (std::size_t b = 0; b < rig.bones.size(); ++b) {
        Bone& bone = rig.bones[b];
        const Quat above =
            bone.parent < 0 ? Quat::Identity() : turns[static_cast<std::size_t>(bone.parent)];
        bone.rest.translation = above.conjugate() * bone.rest.translation;
        bone.rest.rotation = (above.conjugate() * bone.rest.rotation * turns[b]).normalized();
        for (Vec3& end : bone.ends) end = turns[b].conjugate() * end;
    }
    return rig;
}

constexpr double rounding = 1e-12;

TEST(Retarget, ontoTheSameSkeletonItIsTheSameMotion)
{
    for (unsigned seed = 1; seed <= 10; ++seed) {
        const Rig rig = withOtherAxes(person(), seed);
        Clip clip = motionOf(rig, seed, 1.2);
        const Retargeted made = onto(rig, clip, rig);
        EXPECT_EQ(made.legs, 2);
        EXPECT_NEAR(made.scale, 1, rounding);
        for (double time = 0; time <= 1; time += 1.0 / 60) {
            const auto before = localPose(rig, clip, time), after = localPose(rig, made.clip, time);
            for (std::size_t b = 0; b < rig.bones.size(); ++b) {
                EXPECT_LT(before[b].rotation.angularDistance(after[b].rotation), rounding)
                    << rig.bones[b].name;
                EXPECT_LT((before[b].translation - after[b].translation).norm(), rounding)
                    << rig.bones[b].name;
            }
        }
    }
}

TEST(Retarget, bonesThatShiftDoSoInTheSameSkeleton)
{
    const Rig rig = withOtherAxes(person(), 5);
    Clip clip = motionOf(rig, 5);
    Track shift = clip.tracks[1];
    shift.bone = rig.find("LeftHand");
    for (Vec4& value : shift.values)
        value = 0.1 * value +
                Vec4(rig.bones[static_cast<std::size_t>(shift.bone)].rest.translation.x(), 0, 0, 0);
    clip.tracks.push_back(shift);
    const Retargeted made = onto(rig, clip, rig);
    for (double time = 0; time <= 1; time += 0.1) {
        const auto before = framesAt(rig, clip, time), after = framesAt(rig, made.clip, time);
        for (std::size_t b = 0; b < rig.bones.size(); ++b)
            EXPECT_LT((before[b].pose.position - after[b].pose.position).norm(), rounding)
                << rig.bones[b].name;
    }
}

TEST(Retarget, ontoAScaledSkeletonItScales)
{
    for (const double scale : {0.01, 0.7, 39.37}) {
        const Rig rig = person();
        Rig scaled = withOtherAxes(rig, 7);
        for (Bone& bone : scaled.bones) {
            bone.rest.translation *= scale;
            for (Vec3& end : bone.ends) end *= scale;
        }
        const Clip clip = motionOf(rig, 3);
        const Retargeted made = onto(rig, clip, scaled);
        EXPECT_NEAR(made.scale, scale, rounding * scale);
        for (double time = 0; time <= 1; time += 0.1) {
            const auto before = framesAt(rig, clip, time), after = framesAt(scaled, made.clip, time);
            for (std::size_t b = 0; b < rig.bones.size(); ++b)
                EXPECT_LT((scale * before[b].pose.position - after[b].pose.position).norm(),
                          10 * rounding * scale)
                    << rig.bones[b].name;
        }
    }
}

TEST(Retarget, otherAxesOfBonesChangeNothingInTheWorld)
{
    const Rig rig = person();
    // Another body, once with plain axes and once with any.
    const Rig other = person(0.4, 0.35, 0.8), turned = withOtherAxes(other, 11);
    const Clip clip = motionOf(rig, 4);
    const Retargeted plain = onto(rig, clip, other), axes = onto(rig, clip, turned);
    const auto restPlain = worldFrames(other, restPose(other)),
               restTurned = worldFrames(turned, restPose(turned));
    for (double time = 0; time <= 1; time += 0.1) {
        const auto a = framesAt(other, plain.clip, time), b = framesAt(turned, axes.clip, time);
        for (std::size_t i = 0; i < a.size(); ++i) {
            EXPECT_LT((a[i].pose.position - b[i].pose.position).norm(), 10 * rounding)
                << other.bones[i].name;
            const Quat turnA = a[i].pose.orientation * restPlain[i].pose.orientation.conjugate(),
                       turnB = b[i].pose.orientation * restTurned[i].pose.orientation.conjugate();
            EXPECT_LT(turnA.angularDistance(turnB), 10 * rounding) << other.bones[i].name;
        }
    }
}

TEST(Retarget, limbsPointTheSameWayThoughTheRestPosesDiffer)
{
    const Rig source = person(0.45, 0.3, 0);                       // a T
    const Rig target = withOtherAxes(person(0.38, 0.33, 0.9), 2);  // an A
    const Clip clip = motionOf(source, 9, 0.4);
    const Retargeted made = onto(source, clip, target);
    for (double time = 0; time <= 1; time += 0.1) {
        const auto a = framesAt(source, clip, time), b = framesAt(target, made.clip, time);
        for (const auto& [bone, next] :
             {std::pair{"LeftArm", "LeftForeArm"}, {"RightForeArm", "RightHand"}}) {
            const auto way = [&](const Rig& rig, const std::vector<WorldFrame>& frames) {
                return (frames[static_cast<std::size_t>(rig.find(next))].pose.position -
                        frames[static_cast<std::size_t>(rig.find(bone))].pose.position)
                    .normalized();
            };
            EXPECT_LT((way(source, a) - way(target, b)).norm(), 1e-9) << bone;
        }
        // The hand goes on as the forearm does, as it does at rest in both.
        const auto end = [&](const Rig& rig, const std::vector<WorldFrame>& frames) {
            const std::size_t hand = static_cast<std::size_t>(rig.find("LeftHand"));
            return Vec3(frames[hand] * rig.bones[hand].ends[0] - frames[hand].pose.position).normalized();
        };
        EXPECT_LT((end(source, a) - end(target, b)).norm(), 1e-9);
    }
}

TEST(Retarget, aCharacterThatLooksElsewhereGoesWhereItLooks)
{
    const Rig source = person();
    for (const double angle : {pi / 2, -pi, 0.7}) {
        Rig target = person(0.5, 0.3, 0.5);
        const Rig straight = target;
        const Quat turn = AngleAxis{angle, Vec3::UnitY()};
        target.bones[0].rest.rotation = turn * target.bones[0].rest.rotation;
        const Clip clip = motionOf(source, 6);
        const Retargeted made = onto(source, clip, target), plain = onto(source, clip, straight);
        for (double time = 0; time <= 1; time += 0.2) {
            const auto a = framesAt(straight, plain.clip, time), b = framesAt(target, made.clip, time);
            for (std::size_t i = 0; i < a.size(); ++i)
                EXPECT_LT((turn * a[i].pose.position - b[i].pose.position).norm(), 1e-9)
                    << angle << target.bones[i].name;
        }
    }
}

TEST(Retarget, feetThatStandInTheSourceStandInTheTarget)
{
    const Rig source = person();
    Clip clip = motionOf(source, 12, 0.15);
    // The hips stay so low that all legs can reach, and what stands is made by the source's own
    // retargeting: its feet are led by one that does not move at all.
    for (Vec4& value : clip.tracks[1].values)
        value = {0.1 * value.x(), 0.85 + 0.02 * std::sin(20 * value.x()), 0.1 * value.z(), 0};
    for (const double legs : {0.3, 0.45, 0.6})
        for (const double wide : {0.6, 1.0, 1.7}) {
            Rig target = withOtherAxes(person(legs, 0.25, 0.6), 21);
            for (const char* bone : {"LeftUpLeg", "RightUpLeg"})
                target.bones[static_cast<std::size_t>(target.find(bone))].rest.translation *= wide;
            const Retargeted made = onto(source, clip, target);
            ASSERT_EQ(made.legs, 2);
            const double reachable = made.shortfall;
            const double scale = made.scale;
            double worst = 0;
            std::optional<Vec3> first;
            for (double time = 0; time <= 1; time += 1.0 / 60) {
                const auto a = framesAt(source, clip, time), b = framesAt(target, made.clip, time);
                const auto foot = [](const Rig& rig, const std::vector<WorldFrame>& frames) {
                    return frames[static_cast<std::size_t>(rig.find("LeftFoot"))].pose.position;
                };
                const Vec3 gap = foot(target, b) - scale * foot(source, a);
                if (!first) first = gap;
                worst = std::max(worst, (gap - *first).norm());
            }
            // The target's ankle keeps one distance from the source's, so it slides no more than that does.
            EXPECT_LE(worst, 2 * reachable + 1e-9) << legs << " " << wide;
            EXPECT_LT(reachable, 0.06 * legs) << legs << " " << wide;
        }
}

TEST(Retarget, solesAreAsHighOverTheFloorAsInTheSource)
{
    const Rig source = person();
    const Rig target = person(0.6, 0.3, 0.4);
    Clip still;
    Track turn;
    turn.bone = 0;
    turn.times = {0, 1};
    turn.values = {Quat::Identity().coeffs(), Quat::Identity().coeffs()};
    still.tracks = {turn};
    const Retargeted made = onto(source, still, target);
    const auto frames = framesAt(target, made.clip, 0.5);
    const double toe = frames[static_cast<std::size_t>(target.find("LeftToeBase"))].pose.position.y();
    // The source's toes are at 0 at rest.
    EXPECT_NEAR(toe, 0, made.shortfall + 1e-9);
    EXPECT_LT(made.shortfall, 1e-3);
}

TEST(Retarget, aMapSaysTheSameAsNames)
{
    const Rig source = person();
    Rig other = person(0.4, 0.3, 0.6), named = other;
    std::vector<BonePair> map;
    for (std::size_t b = 0; b < named.bones.size(); ++b) {
        named.bones[b].name = "x" + std::to_string(b);
        map.push_back({other.bones[b].name, named.bones[b].name, static_cast<int>(b) + 1});
    }
    const Clip clip = motionOf(source, 8);
    const Retargeted byName = onto(source, clip, other), byMap = onto(source, clip, named, map);
    ASSERT_EQ(byName.clip.tracks.size(), byMap.clip.tracks.size());
    for (std::size_t k = 0; k < byName.clip.tracks.size(); ++k)
        EXPECT_EQ(byName.clip.tracks[k].values, byMap.clip.tracks[k].values);
    // Without the map nothing is known.
    const Result<BoneMatch> none = matchBones(source, named, {});
    ASSERT_TRUE(none);
    EXPECT_EQ(none.value().left.size(), named.bones.size());
    EXPECT_EQ(none.value().idle.size(), source.bones.size());
}

TEST(Retarget, namesOfManyToolsMeanTheSame)
{
    const std::vector<std::vector<std::string>> tools = {
        {"mixamorig:Hips", "mixamorig:LeftUpLeg", "mixamorig:LeftLeg", "mixamorig:LeftFoot",
         "mixamorig:LeftArm", "mixamorig:RightForeArm", "mixamorig:LeftHandIndex2"},
        {"pelvis", "thigh_l", "calf_l", "foot_l", "upperarm_l", "lowerarm_r", "index_02_l"},
        {"Bip01 Pelvis", "Bip01 L Thigh", "Bip01 L Calf", "Bip01 L Foot", "Bip01 L UpperArm",
         "Bip01 R Forearm", "Bip01 L Index2"},
        {"hips", "upper_leg.L", "lower_leg.L", "foot.L", "upper_arm.L", "forearm.R", "index.02.L"},
        {"Hips", "LeftHip", "LeftKnee", "LeftAnkle", "LeftShoulder", "RightElbow", "LeftIndex2"},
        {"hips", "lefthip", "leftknee", "leftfoot", "leftupperarm", "rightlowerarm", "leftindex2"},
    };
    std::vector<std::optional<BoneRole>> wanted;
    for (const auto& names : tools) {
        Rig rig;
        for (const std::string& name : names) {
            Bone bone;
            bone.name = name;
            bone.parent = static_cast<int>(rig.bones.size()) - 1;
            rig.bones.push_back(bone);
        }
        // What makes a shoulder the upper arm is an elbow on its side.
        Bone elbow;
        elbow.name = "LeftElbow";
        elbow.parent = 4;
        rig.bones.push_back(elbow);
        auto roles = boneRoles(rig);
        roles.pop_back();
        for (std::size_t b = 0; b < roles.size(); ++b) EXPECT_TRUE(roles[b]) << names[b];
        if (wanted.empty()) wanted = roles;
        EXPECT_EQ(roles, wanted) << names[0] << " " << names[1];
    }
}

TEST(Retarget, aMapThatNamesWhatIsNotThereIsRefusedWithItsLine)
{
    const Rig rig = person();
    for (const BonePair& pair : {BonePair{"Hip", "Hips", 3}, BonePair{"Hips", "hip", 4}}) {
        const Result<BoneMatch> match = matchBones(rig, rig, {pair});
        ASSERT_FALSE(match);
        EXPECT_EQ(match.error().line, pair.line);
        EXPECT_NE(match.error().message.find("perhaps \"Hips\""), std::string::npos)
            << match.error().message;
    }
    // Nothing after the sign keeps a bone out.
    const Result<BoneMatch> without = matchBones(rig, rig, {{"Head", "", 1}});
    ASSERT_TRUE(without);
    EXPECT_EQ(without.value().left, std::vector<std::string>{"Head"});
    EXPECT_EQ(without.value().idle, std::vector<std::string>{"Head"});
}

}  // namespace
}  // namespace sinew
