#include "sinew/character/bake.h"

#include <gtest/gtest.h>

#include <chrono>

#include "sinew/rig/timeline.h"
#include "support/rigs.h"

namespace sinew {
namespace {

struct Outcome {
    BakePlan plan;
    Trajectory frames;
    BakedClip baked;
};

Outcome bakeIt(const Rig& rig, const BakeOptions& options)
{
    Outcome outcome;
    Result<BakePlan> plan = planBake(rig, options);
    EXPECT_TRUE(plan) << plan.error().text();
    if (!plan) return outcome;
    outcome.plan = plan.value();
    Result<Trajectory> frames = simulatePlan(outcome.plan);
    EXPECT_TRUE(frames) << frames.error().text();
    if (!frames) return outcome;
    outcome.frames = frames.value();
    outcome.baked = bakedClip(rig, outcome.plan, outcome.frames);
    return outcome;
}

BoneRule rule(const char* pattern, std::optional<double> BoneRule::*what, double value)
{
    BoneRule made;
    made.pattern = pattern;
    made.*what = value;
    return made;
}

BakeOptions tail()
{
    BakeOptions options;
    options.dynamic = {"tail*"};
    options.stiffness = 1.5;
    options.damping = 0.25;
    return options;
}

const Track& trackOf(const Outcome& outcome, const Rig& rig, const char* bone)
{
    static const Track none;
    for (const Track& track : outcome.baked.clip.tracks)
        if (track.bone == rig.find(bone) && track.quantity == Track::Quantity::rotation) return track;
    ADD_FAILURE() << bone << " has no rotation";
    return none;
}

// The clip as a reader would have it: new tracks and kept ones.
Clip whole(const Outcome& outcome)
{
    Clip clip = outcome.baked.clip;
    for (const int t : outcome.baked.kept) clip.tracks.push_back(outcome.plan.source.tracks[t]);
    return clip;
}

// The farthest that two clips have a bone from each other.
double farthest(const Rig& rig, const Clip& a, const Clip& b, const char* bone, double from, double to)
{
    double most = 0;
    for (double t = from; t <= to; t += 1.0 / 30) {
        const Vec3 there = worldFrames(rig, localPose(rig, a, t))[rig.find(bone)].pose.position;
        const Vec3 here = worldFrames(rig, localPose(rig, b, t))[rig.find(bone)].pose.position;
        most = std::max(most, (there - here).norm());
    }
    return most;
}

TEST(Bake, springsBearAllThatHangsFromTheirBones)
{
    // The frequency is of the bone with all beyond it: J by summing over them.
    const Rig rig = tailedRig(0);
    const BakePlan plan = planBake(rig, tail()).value();
    const auto body = [&](int i) -> const BodyDescription& {
        return plan.scene.bodies[plan.bodyOfBone[rig.find(("tail" + std::to_string(i)).c_str())]];
    };
    for (int i = 1; i <= 4; ++i) {
        double J = 0;
        for (int k = i; k <= 4; ++k) {
            const auto& capsule = std::get<Capsule>(body(k).shapes[0].shape);
            const Vec3 arm = body(k).pose * body(k).shapes[0].pose.position - body(i).pose.position;
            J += *body(k).mass * (arm.squaredNorm() + capsule.length * capsule.length / 12 +
                                  0.4 * capsule.radius * capsule.radius);
        }
        const double frequency = 2 * pi * *tail().stiffness;
        EXPECT_NEAR(plan.scene.controllers[i - 1].stiffness, frequency * frequency * J, 1e-12 * J) << i;
    }
}

// Chains in one line each, which took the cube of their length.
TEST(Bake, longChainsArePlannedSoon)
{
    Rig rig;
    for (int i = 0; i < 10'000; ++i) {
        Bone& bone = rig.bones.emplace_back();
        bone.name = "bone" + std::to_string(i);
        const bool begins = i % 900 == 1;
        bone.parent = begins ? 0 : i - 1;
        bone.rest.translation = begins ? Vec3(i, 0, 0) : Vec3(0, 0.01, 0);
    }
    BakeOptions options;
    options.dynamic = {"*"};
    options.duration = 0.1;
    options.collide = BakeCollision::all;
    const auto start = std::chrono::steady_clock::now();
    const Result<BakePlan> plan = planBake(rig, options);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    ASSERT_TRUE(plan) << plan.error().text();
    EXPECT_GT(plan.value().scene.bodies.size(), 9'900u);
    EXPECT_LT(taken.count(), 10);
    // All in one place are too many to be let through each other.
    for (Bone& bone : rig.bones) bone.rest.translation.setZero();
    for (Bone& bone : rig.bones) bone.ends = {Vec3(0, 0.01, 0)};
    const Result<BakePlan> heap = planBake(rig, options);
    ASSERT_FALSE(heap);
    EXPECT_NE(heap.error().message.find("more than 1000000 pairs of bones overlap"), std::string::npos)
        << heap.error().message;
}

TEST(Bake, aTailSwingsAndTheRestIsTheSource)
{
    const Rig rig = tailedRig();
    const Outcome outcome = bakeIt(rig, tail());
    ASSERT_EQ(outcome.baked.kept, std::vector<int>{0});  // the walk; the tail's own track is new
    EXPECT_GT(farthest(rig, whole(outcome), rig.clips[0], "tail4", 0, 2), 0.05);
    EXPECT_EQ(farthest(rig, whole(outcome), rig.clips[0], "tail1", 0, 2), 0);
    EXPECT_EQ(trackOf(outcome, rig, "tail4").times.size(), 121u);
    for (const Track& track : outcome.baked.clip.tracks)
        for (const auto& value : track.values) EXPECT_TRUE(value.allFinite());
}

TEST(Bake, theFirstFrameIsTheAnimation)
{
    const Rig rig = tailedRig();
    for (const double from : {0.0, 0.55}) {
        BakeOptions options = tail();
        options.from = from;
        const Outcome outcome = bakeIt(rig, options);
        EXPECT_LT(farthest(rig, whole(outcome), rig.clips[0], "tail4", 0, from), 1e-9) << from;
    }
}

TEST(Bake, stiffBonesFollowTheAnimation)
{
    const Rig rig = tailedRig();
    BakeOptions options = tail();
    double last = 1;
    for (const double stiffness : {4.0, 16.0, 64.0}) {
        options.stiffness = stiffness;
        options.damping = 1;
        const double off = farthest(rig, whole(bakeIt(rig, options)), rig.clips[0], "tail4", 0, 2);
        EXPECT_LT(off, 0.5 * last) << stiffness;
        last = off;
    }
    EXPECT_LT(last, 0.002);
}

TEST(Bake, limpBonesComeToHangDown)
{
    Rig rig = tailedRig();
    rig.clips.clear();
    BakeOptions options = tail();
    options.stiffness = 0;
    options.damping = 0.5;
    options.duration = 20;
    options.body.rules = {rule("tail*", &BoneRule::swing, 3), rule("tail*", &BoneRule::twist, 3)};
    const Outcome outcome = bakeIt(rig, options);
    const Vec3 end = worldFrames(rig, localPose(rig, whole(outcome), 20))[rig.find("tail4")].pose.position;
    EXPECT_LT((end - Vec3(0, 0.7, -0.05)).norm(), 0.01) << end.transpose();
}

TEST(Bake, limitsHoldALimpTail)
{
    Rig rig = tailedRig();
    rig.clips.clear();
    BakeOptions options = tail();
    options.stiffness = 0;
    options.duration = 5;
    options.body.rules = {rule("tail*", &BoneRule::swing, 0.2)};
    const Outcome outcome = bakeIt(rig, options);
    // Without them it would hang straight down, at right angles. They give a little, as springs do.
    for (const char* bone : {"tail1", "tail2", "tail3", "tail4"})
        for (const auto& value : trackOf(outcome, rig, bone).values)
            EXPECT_LT(2 * std::acos(std::min(1.0, std::abs(value[3]))), 0.3) << bone;
}

TEST(Bake, aLimpCharacterFallsOnTheGround)
{
    const Rig rig = tailedRig();
    BakeOptions options;
    options.dynamic = {"*"};
    options.stiffness = 0;
    options.from = 0.5;
    options.duration = 6;
    options.ground = 0;
    const Outcome outcome = bakeIt(rig, options);
    ASSERT_TRUE(outcome.plan.isFloating[rig.find("body")]);
    EXPECT_LT(farthest(rig, whole(outcome), rig.clips[0], "tail4", 0, 0.5), 1e-9);
    for (const char* bone : {"body", "tail2", "tail4"}) {
        const double height =
            worldFrames(rig, localPose(rig, whole(outcome), 6))[rig.find(bone)].pose.position.y();
        EXPECT_GT(height, -0.01) << bone;
        EXPECT_LT(height, 0.12) << bone;
    }
    // It begins as fast as the animation was.
    const Track& walk = rig.clips[0].tracks[0];
    const double speed = (valueAt(walk, 0.51) - valueAt(walk, 0.49)).x() / 0.02;
    EXPECT_NEAR(outcome.plan.scene.bodies[0].velocity->x(), speed, 0.01);
}

TEST(Bake, aTailIsHeldOffByTheBody)
{
    // The animation folds the tail through a pole beside it.
    Rig rig = tailedRig(0);
    Bone pole;
    pole.name = "pole";
    pole.parent = 0;
    pole.rest.translation = Vec3(0.12, 0.5, -0.3);
    pole.ends = {Vec3(0, 1, 0)};
    rig.bones.push_back(pole);
    Clip& clip = rig.clips[0];
    clip.tracks.clear();
    Track fold;
    fold.bone = rig.find("tail1");
    for (int k = 0; k <= 20; ++k) {
        fold.times.push_back(0.1 * k);
        fold.values.push_back(Quat(AngleAxis(-0.06 * k, Vec3::UnitY())).coeffs());
    }
    clip.tracks = {fold};
    BakeOptions options = tail();
    options.body.rules = {rule("pole", &BoneRule::radius, 0.03), rule("tail*", &BoneRule::radius, 0.015)};
    const auto beyond = [&](const Outcome& outcome) {
        return worldFrames(rig, localPose(rig, whole(outcome), 2))[rig.find("tail4")].pose.position.x();
    };
    for (const BakeCollision collide : {BakeCollision::body, BakeCollision::all}) {
        options.collide = collide;
        EXPECT_LT(beyond(bakeIt(rig, options)), 0.12);
    }
    options.collide = BakeCollision::none;
    EXPECT_GT(beyond(bakeIt(rig, options)), 0.2);
}

TEST(Bake, aSeamlessLoopEndsAsItBegins)
{
    const Rig rig = tailedRig();
    BakeOptions options = tail();
    options.seamless = true;
    options.fps = 31;  // does not divide the clip: a rate near it is taken
    const Outcome outcome = bakeIt(rig, options);
    EXPECT_LT(outcome.baked.seam, 1e-3);
    for (const char* bone : {"tail1", "tail2", "tail3", "tail4"}) {
        const Track& track = trackOf(outcome, rig, bone);
        EXPECT_LT((track.values.front() - track.values.back()).norm(), 1e-12);
        EXPECT_NEAR(track.times.back(), 2, 1e-12);
    }
    Rig open = rig;
    open.clips[0].tracks[0].values.back().x() += 1;
    const Result<BakePlan> refused = planBake(open, options);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().setting, "seamless");
}

TEST(Bake, repeatedAndCutClipsHaveTheirTracksUnrolled)
{
    const Rig rig = tailedRig();
    BakeOptions options = tail();
    options.duration = 5;
    options.repeat = true;
    const Clip longer = whole(bakeIt(rig, options));
    EXPECT_NEAR(longer.duration(), 5, 1e-9);
    const int body = rig.find("body");
    for (const double t : {0.3, 2.3, 4.3})
        EXPECT_NEAR(localPose(rig, longer, t)[body].translation.x(),
                    localPose(rig, rig.clips[0], 0.3)[body].translation.x(), 1e-9);
    options.duration = 1;
    EXPECT_NEAR(whole(bakeIt(rig, options)).duration(), 1, 1e-9);
}

TEST(Bake, windPushesATail)
{
    Rig rig = tailedRig();
    rig.clips.clear();
    BakeOptions options = tail();
    options.wind = Vec3(15, 0, 0);
    options.duration = 3;
    const Outcome outcome = bakeIt(rig, options);
    EXPECT_GT(worldFrames(rig, localPose(rig, whole(outcome), 3))[rig.find("tail4")].pose.position.x(),
              0.02);
}

TEST(Bake, aBoneThatStaysAnimatedFollowsADynamicOne)
{
    const Rig rig = tailedRig();
    BakeOptions options = tail();
    options.animated = {"tail3"};
    const Outcome outcome = bakeIt(rig, options);
    for (const Track& track : outcome.baked.clip.tracks) EXPECT_NE(track.bone, rig.find("tail3"));
    // It moves with tail2 as one piece: the simulation and the clip agree on where tail4 begins.
    const Clip clip = whole(outcome);
    for (const int frame : {30, 90}) {
        const Vec3 simulated =
            outcome.frames[frame].bodies[outcome.plan.bodyOfBone[rig.find("tail4")]].position;
        const Vec3 written =
            worldFrames(rig, localPose(rig, clip, frame / 60.0))[rig.find("tail4")].pose.position;
        EXPECT_LT((simulated - written).norm(), 1e-9);
    }
}

TEST(Bake, theUnitOfTheFileDoesNotChangeTheMotion)
{
    const Rig metres = tailedRig();
    Rig centimetres = metres;
    for (Bone& bone : centimetres.bones) {
        bone.rest.translation *= 100;
        for (Vec3& end : bone.ends) end *= 100;
    }
    for (auto& value : centimetres.clips[0].tracks[0].values) value *= 100;
    const Outcome a = bakeIt(metres, tail());
    BakeOptions options = tail();
    options.body.unit = 0.01;
    const Outcome b = bakeIt(centimetres, options);
    const Track &first = trackOf(a, metres, "tail4"), &second = trackOf(b, centimetres, "tail4");
    for (std::size_t k = 0; k < first.values.size(); ++k)
        EXPECT_LT((first.values[k] - second.values[k]).norm(), 1e-6);
}

TEST(Bake, mistakesAreNamed)
{
    const Rig rig = tailedRig();
    const auto fault = [&](const Rig& of, auto change) {
        BakeOptions options = tail();
        change(options);
        const Result<BakePlan> plan = planBake(of, options);
        return plan ? std::string("none") : plan.error().text();
    };
    EXPECT_NE(fault(rig, [](BakeOptions& o) { o.dynamic = {"*wing*"}; })
                  .find("dynamic: no bone matches; bones are body, tail1"),
              std::string::npos);
    EXPECT_NE(fault(rig, [](BakeOptions& o) { o.clip = "fly"; })
                  .find("clip: there is no clip 'fly'; there are walk"),
              std::string::npos);
    EXPECT_NE(fault(rig, [](BakeOptions& o) { o.from = 2; }).find("from: "), std::string::npos);
    EXPECT_NE(fault(rig, [](BakeOptions& o) { o.fps = 0; }).find("fps: "), std::string::npos);
    EXPECT_NE(fault(rig, [](BakeOptions& o) { o.duration = NAN; }).find("duration: "), std::string::npos);
    Rig flat = rig;
    flat.bones[2].rest.scale = Vec3(1, 0.5, 1);
    EXPECT_NE(fault(flat, [](BakeOptions&) {}).find("scaled differently along its axes"),
              std::string::npos);
}

TEST(Bake, unevenScaleCountsOnlyWhereDynamicBonesHangFromIt)
{
    const auto isTaken = [](const char* bone, const Vec3& scale) {
        Rig rig = tailedRig();
        rig.bones[static_cast<std::size_t>(rig.find(bone))].rest.scale = scale;
        return static_cast<bool>(planBake(rig, tail()));
    };
    EXPECT_TRUE(isTaken("body", Vec3(1, 1.0000018, 1.0000156)));  // as exporters write one
    EXPECT_TRUE(isTaken("tail2", Vec3(2, 2.00005, 2)));
    EXPECT_FALSE(isTaken("body", Vec3(1, 1.01, 1)));
    EXPECT_FALSE(isTaken("tail2", Vec3(1, -1, 1)));
    EXPECT_TRUE(isTaken("tail4", Vec3(1, 2, 1)));  // the last one: nothing hangs from it
}

}  // namespace
}  // namespace sinew
