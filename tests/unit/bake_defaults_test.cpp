// Bakes without numbers: springs that are found, presets, the body in the way, links, weights over time.
#include <gtest/gtest.h>

#include <random>

#include "sinew/character/bake.h"
#include "sinew/math/rotation.h"
#include "sinew/model/springs.h"
#include "sinew/rig/timeline.h"
#include "support/rigs.h"

namespace sinew {
namespace {

constexpr double degree = pi / 180;

struct Made {
    BakePlan plan;
    Trajectory frames;
    BakedClip baked;
    BakeMeasure measure;
};

Made made(const Rig& rig, const BakeOptions& options)
{
    Made result;
    Result<BakePlan> plan = planBake(rig, options);
    EXPECT_TRUE(plan) << plan.error().text();
    if (!plan) return result;
    result.plan = plan.value();
    Result<Trajectory> frames = simulatePlan(result.plan);
    EXPECT_TRUE(frames) << frames.error().text();
    if (!frames) return result;
    result.frames = frames.value();
    result.baked = bakedClip(rig, result.plan, result.frames);
    result.measure = measureBake(rig, result.plan, result.frames);
    return result;
}

std::string faultOf(const Rig& rig, const BakeOptions& options)
{
    const Result<BakePlan> plan = planBake(rig, options);
    return plan ? "none" : plan.error().text();
}

Clip whole(const Made& made)
{
    Clip clip = made.baked.clip;
    for (const int t : made.baked.kept) clip.tracks.push_back(made.plan.source.tracks[t]);
    return clip;
}

double pose(const Rig& rig, const Clip& a, double timeA, const Clip& b, double timeB)
{
    const auto one = worldFrames(rig, localPose(rig, a, timeA)),
               other = worldFrames(rig, localPose(rig, b, timeB));
    double most = 0;
    for (std::size_t i = 0; i < one.size(); ++i)
        most = std::max({most, (one[i].pose.position - other[i].pose.position).norm(),
                         one[i].pose.orientation.angularDistance(other[i].pose.orientation)});
    return most;
}

int addBone(Rig& rig, const std::string& name, int parent, const Vec3& offset, const Vec3& end)
{
    Bone bone;
    bone.name = name;
    bone.parent = parent;
    bone.rest.translation = offset;
    bone.ends = {end};
    rig.bones.push_back(bone);
    return static_cast<int>(rig.bones.size()) - 1;
}

// A body that is shaken as gaits shake one, with a chain of some length behind it.
Rig shaken(unsigned seed)
{
    std::mt19937 random(seed);
    const auto among = [&](double from, double to) {
        return std::uniform_real_distribution<double>(from, to)(random);
    };
    Rig rig;
    const int body = addBone(rig, "body", -1, Vec3(0, 1, 0), Vec3(0, 0, 0.4));
    const int links = std::uniform_int_distribution<int>(2, 6)(random);
    const double length = among(0.06, 0.12);
    const Vec3 way = Vec3(0, among(-1, 0), -1).normalized();
    int last = body;
    for (int i = 0; i < links; ++i)
        last = addBone(rig, "tail" + std::to_string(i), last,
                       i == 0 ? Vec3(0, 0, -0.06) : Vec3(length * way), length * way);
    Clip clip;
    clip.name = "gait";
    const double period = among(0.6, 1.2), bounce = among(0.02, 0.05), sway = among(0.1, 0.25);
    Track up, turn;
    up.bone = turn.bone = body;
    up.quantity = Track::Quantity::translation;
    for (int k = 0; k <= 48; ++k) {
        const double phase = 2 * pi * k / 48;
        up.times.push_back(period * k / 48);
        up.values.emplace_back(0, 1 + bounce * std::cos(2 * phase), 0, 0);
        turn.times.push_back(period * k / 48);
        turn.values.push_back(Quat(AngleAxis(sway * std::sin(phase), Vec3::UnitY())).coeffs());
    }
    clip.tracks = {up, turn};
    rig.clips = {clip};
    return rig;
}

TEST(BakeDefaults, tipsLagByAFewDegreesAndLoopsClose)
{
    for (unsigned seed = 1; seed <= 8; ++seed) {
        BakeOptions options;
        options.presets = {"tail"};
        options.seamless = true;
        const Made tail = made(shaken(seed), options);
        EXPECT_GT(tail.measure.tipMean, 3 * degree) << seed;
        EXPECT_LT(tail.measure.tipMean, 12 * degree) << seed;
        EXPECT_LT(tail.baked.seam, 0.1 * degree) << seed;
    }
}

TEST(BakeDefaults, theLagIsWhatIsAskedFor)
{
    BakeOptions options;
    options.dynamic = {"tail*"};
    options.seamless = true;
    double last = 0;
    for (const double lag : {3.0, 6.0, 12.0}) {
        options.lag = lag * degree;
        const double found = made(shaken(3), options).measure.tipMean;
        EXPECT_NEAR(found, lag * degree, 0.35 * lag * degree) << lag;
        EXPECT_GT(found, last);
        last = found;
    }
}

TEST(BakeDefaults, whatIsGivenIsTaken)
{
    BakeOptions options;
    options.dynamic = {"tail*"};
    options.damping = 0.8;
    BoneRule rule;
    rule.pattern = "tail1";
    rule.stiffness = 9;
    options.body.rules = {rule};
    const Rig rig = shaken(1);
    const BakePlan plan = planBake(rig, options).value();
    const BakeSpring &first = plan.springs[rig.find("tail0")], &second = plan.springs[rig.find("tail1")];
    EXPECT_TRUE(first.isFound);
    EXPECT_FALSE(second.isFound);
    EXPECT_EQ(second.frequency, 9);
    EXPECT_EQ(first.ratio, 0.8);
}

TEST(BakeDefaults, leftAndRightAreAlike)
{
    Rig rig = shaken(2);
    for (const char* side : {"Left", "Right"}) {
        const double x = side[0] == 'L' ? 0.1 : -0.12;
        addBone(rig, std::string("Ear") + side, 0, Vec3(x, 0.1, 0), Vec3(x, 0.2, 0));
    }
    BakeOptions options;
    options.presets = {"ear"};
    const BakePlan plan = planBake(rig, options).value();
    EXPECT_EQ(plan.springs[rig.find("EarLeft")].frequency, plan.springs[rig.find("EarRight")].frequency);
    EXPECT_TRUE(plan.isDynamic[rig.find("EarLeft")]);
    EXPECT_FALSE(plan.isDynamic[rig.find("tail0")]);
}

TEST(BakeDefaults, presetsKnowTheirBonesOrAreTold)
{
    Rig rig = shaken(2);
    addBone(rig, "LeftForeArm", 0, Vec3(0.2, 0, 0), Vec3(0, -0.2, 0));
    BakeOptions options;
    options.presets = {"ear"};
    EXPECT_NE(faultOf(rig, options).find("preset: 'ear' finds no bone by its name (*ear*)"),
              std::string::npos)
        << faultOf(rig, options);
    options.presets = {"wing"};
    EXPECT_NE(faultOf(rig, options).find("preset: there is no preset 'wing'; there are tail, ear"),
              std::string::npos);
    options.presets = {"tail*:antenna", "limp"};
    const BakePlan plan = planBake(rig, options).value();
    EXPECT_TRUE(plan.isDynamic[rig.find("tail0")]);
    for (const std::string_view name : bakePresets()) {
        options = {};
        options.dynamic = {"tail*"};
        options.presets = {std::string(name)};
        EXPECT_TRUE(planBake(rig, options)) << name;
    }
}

// A post on one side swings into the tail and pushes it along.
TEST(BakeDefaults, theBodyPushesWhatIsDynamic)
{
    Rig rig = shaken(4);
    rig.clips[0].tracks.clear();
    const int post = addBone(rig, "post", 0, Vec3(0.15, 0.4, -0.16), Vec3(0, -1.2, 0));
    Track swing;
    swing.bone = post;
    for (int k = 0; k <= 20; ++k) {
        swing.times.push_back(0.1 * k);
        swing.values.push_back(Quat(AngleAxis(-0.5 * std::sin(pi * k / 20), Vec3::UnitZ())).coeffs());
    }
    rig.clips[0].tracks = {swing};
    BoneRule thin, thick;
    thin.pattern = "tail*", thin.radius = 0.015;
    thick.pattern = "post", thick.radius = 0.04;
    BakeOptions options;
    options.dynamic = {"tail*"};
    options.stiffness = 1.5;
    options.body.rules = {thin, thick};
    const Made pushed = made(rig, options);
    EXPECT_GT(pushed.measure.tipMost, 10 * degree);
    EXPECT_LT(pushed.measure.deepest, 0.005);
    options.collide = BakeCollision::none;
    EXPECT_LT(made(rig, options).measure.tipMost, 1 * degree);
}

// Chains around a body that turns to and fro, as a skirt has them.
Rig skirted()
{
    Rig rig;
    const int hips = addBone(rig, "Hips", -1, Vec3(0, 1, 0), Vec3(0, 0.2, 0));
    for (int k = 0; k < 8; ++k) {
        const double angle = 2 * pi * k / 8;
        const Vec3 out(std::sin(angle), 0, std::cos(angle));
        int last = hips;
        for (int i = 0; i < 3; ++i) {
            const Vec3 way = Vec3(0, -0.13, 0) + 0.03 * out;
            last = addBone(rig, "Skirt" + std::to_string(k) + "_" + std::to_string(i), last,
                           i == 0 ? Vec3(0.2 * out) : way, way);
        }
    }
    Clip clip;
    clip.name = "spin";
    Track turn;
    turn.bone = hips;
    for (int k = 0; k <= 40; ++k) {
        turn.times.push_back(0.05 * k);
        const double angle = std::sin(2 * pi * k / 20) + 0.3 * std::sin(2 * pi * k / 40);
        turn.values.push_back(
            (Quat(AngleAxis(0.8 * angle, Vec3::UnitY())) * Quat(AngleAxis(0.3 * angle, Vec3::UnitX())))
                .coeffs());
    }
    clip.tracks = {turn};
    rig.clips = {clip};
    return rig;
}

// By how much the hem between two neighbours gets longer or shorter, as a part of its length.
double mostStretch(const Rig& rig, const Made& made)
{
    double most = 0;
    const auto end = [&](int frame, int k) {
        const int bone = rig.find("Skirt" + std::to_string(k) + "_2");
        return Vec3(made.frames[frame].bodies[made.plan.bodyOfBone[bone]] * rig.bones[bone].ends[0]);
    };
    for (int k = 0; k < 8; ++k) {
        const double rest = (end(0, k) - end(0, (k + 1) % 8)).norm();
        for (int f = 0; f < static_cast<int>(made.frames.size()); ++f)
            most = std::max(most, std::abs((end(f, k) - end(f, (k + 1) % 8)).norm() / rest - 1));
    }
    return most;
}

TEST(BakeDefaults, linksKeepClothTogether)
{
    const Rig rig = skirted();
    BakeOptions options;
    options.dynamic = {"Skirt*"};
    options.stiffness = 1.2;
    options.damping = 0.2;
    options.collide = BakeCollision::none;
    const Made torn = made(rig, options);
    options.links = {"Skirt*"};
    const Made tied = made(rig, options);
    EXPECT_EQ(tied.plan.scene.springs.size(), 24u);  // a ring of eight, three deep
    EXPECT_GT(mostStretch(rig, torn), 0.4);
    EXPECT_LT(mostStretch(rig, tied), 0.4 * mostStretch(rig, torn));
}

TEST(BakeDefaults, dragSlowsDown)
{
    Rig rig = shaken(5);
    BakeOptions options;
    options.dynamic = {"tail*"};
    options.stiffness = 1;
    options.damping = 0;
    options.repeat = true;
    options.duration = 4;
    const double free = made(rig, options).measure.tipMean;
    options.drag = 300;
    EXPECT_LT(made(rig, options).measure.tipMean, 0.8 * free);
}

TEST(BakeDefaults, aTrackedRootStaysAndAFreeOneFalls)
{
    const Rig rig = tailedRig();
    BakeOptions options;
    options.dynamic = {"*"};
    options.stiffness = 8;
    options.repeat = true;
    options.duration = 5;
    const auto height = [&](const Made& of) {
        return worldFrames(rig, localPose(rig, whole(of), 5))[rig.find("body")].pose.position.y();
    };
    EXPECT_NEAR(height(made(rig, options)), 1, 0.02);
    options.root = BakeRoot::free;
    const Made falls = made(rig, options);
    EXPECT_LT(height(falls), -50);
    ASSERT_EQ(falls.plan.notes.size(), 1u);
    EXPECT_NE(falls.plan.notes[0].find("it falls"), std::string::npos);
}

TEST(BakeDefaults, aHitGivesItsImpulse)
{
    Rig rig = tailedRig();
    rig.clips.clear();
    BakeOptions options;
    options.presets = {"limp"};
    options.gravity = 0;
    options.duration = 2;
    const Vec3 impulse(0.7, -0.2, 1.1);
    options.hits = {{"body", 0.513, impulse}};
    const Made hit = made(rig, options);
    const auto place = [&](int frame) {
        Vec3 sum = Vec3::Zero();
        for (std::size_t b = 0; b < hit.plan.scene.bodies.size(); ++b) {
            const BodyDescription& body = hit.plan.scene.bodies[b];
            sum += *body.mass * (hit.frames[frame].bodies[b] * body.shapes[0].pose.position);
        }
        return sum;
    };
    EXPECT_LT((place(30) - place(0)).norm(), 1e-9);
    const Vec3 momentum = (place(110) - place(50)) / (60 / 60.0);
    EXPECT_LT((momentum - impulse).norm(), 1e-3 * impulse.norm()) << momentum.transpose();
}

TEST(BakeDefaults, weightsHandOverAndBack)
{
    const Rig rig = tailedRig();
    BakeOptions options;
    options.presets = {"limp"};
    options.ground = 0;
    options.repeat = true;
    options.duration = 6;
    options.weights = {{"*", {{0, 1}, {1.5, 1}, {2, 0}, {3, 0}, {3.2, 1}, {5, 1}, {5.5, 0}}}};
    const Made mixed = made(rig, options);
    const Clip clip = whole(mixed);
    const auto off = [&](double time) { return pose(rig, clip, time, rig.clips[0], std::fmod(time, 2)); };
    for (const double time : {2.1, 2.6, 3.0, 5.6, 5.9}) EXPECT_LT(off(time), 1e-6) << time;
    for (const double time : {1.4, 4.9}) EXPECT_GT(off(time), 0.3) << time;
    // It sets off from its animation the second time, too.
    EXPECT_LT(off(3.06), 0.1);
    for (double time = 0; time < 5.9; time += 1.0 / 60) {
        const auto a = worldFrames(rig, localPose(rig, clip, time)),
                   b = worldFrames(rig, localPose(rig, clip, time + 1.0 / 60));
        for (std::size_t i = 0; i < a.size(); ++i)
            EXPECT_LT((a[i].pose.position - b[i].pose.position).norm(), 0.3) << time;  // no jump
    }
}

TEST(BakeDefaults, aBonesOwnWeightIsPartOfTheWay)
{
    const Rig rig = shaken(6);
    BakeOptions options;
    options.dynamic = {"tail0"};
    options.stiffness = 2;
    const auto turned = [&](double weight) {
        BoneRule rule;
        rule.pattern = "tail*";
        rule.weight = weight;
        options.body.rules = {rule};
        const Made of = made(rig, options);
        const int bone = rig.find("tail0");
        return localPose(rig, whole(of), 0.3)[bone].rotation.angularDistance(
            localPose(rig, rig.clips[0], 0.3)[bone].rotation);
    };
    const double all = turned(1);
    EXPECT_GT(all, 0.02);
    EXPECT_NEAR(turned(0.25), 0.25 * all, 1e-9);
    EXPECT_LT(turned(0), 1e-9);
}

TEST(BakeDefaults, anotherClipTakesOverWhereTheCharacterIs)
{
    Rig rig = tailedRig();
    Clip up = rig.clips[0];
    up.name = "up";
    for (auto& value : up.tracks[0].values) value.x() = 0, value.z() += 3;  // drawn elsewhere
    rig.clips.push_back(up);
    BakeOptions options;
    options.presets = {"limp"};
    options.ground = 0;
    options.duration = 5;
    options.next = BakeNext{"up", 3, 0.8};
    const Made got = made(rig, options);
    EXPECT_TRUE(got.baked.kept.empty());
    const Clip clip = whole(got);
    const int body = rig.find("body");
    const auto at = [&](double t) { return worldFrames(rig, localPose(rig, clip, t))[body].pose; };
    EXPECT_LT(at(3).position.y(), 0.4);
    EXPECT_NEAR(at(4.5).position.y(), 1, 1e-6);
    Vec3 way = at(4.5).position - at(3).position;
    way.y() = 0;
    EXPECT_LT(way.norm(), 0.01);
    // Joints are as that clip has them.
    for (const char* bone : {"tail1", "tail3"}) {
        const int b = rig.find(bone);
        EXPECT_LT(
            localPose(rig, clip, 4.5)[b].rotation.angularDistance(localPose(rig, up, 1.5)[b].rotation),
            1e-6);
    }
}

// A box of skin around each bone.
void addSkin(Rig& rig, double thick)
{
    for (Bone& bone : rig.bones) {
        if (!bone.joint || bone.ends.empty()) continue;
        for (const double part : {0.0, 0.3, 0.7, 1.0})
            for (const double x : {-thick, thick})
                for (const double y : {-thick, thick})
                    bone.flesh.push_back(part * bone.ends[0] + Vec3(x, y, x * y));
    }
}

TEST(BakeDefaults, theGroundIsWhereItIsAskedFor)
{
    Rig rig = shaken(7);
    addSkin(rig, 0.03);
    for (const double ground : {0.0, 1.02, 1.1}) {  // the last two are above parts of the character
        BakeOptions options;
        options.presets = {"limp"};
        options.ground = ground;
        options.duration = 3;
        const Made fallen = made(rig, options);
        ASSERT_EQ(fallen.plan.scene.obstacles.size(), 1u);
        EXPECT_EQ(fallen.plan.scene.obstacles[0].position.y(), ground);
        EXPECT_LT(fallen.measure.skinBelow, 1e-4) << ground;
        EXPECT_EQ(fallen.plan.lift > 0, ground > 0.5) << ground;
        EXPECT_EQ(fallen.plan.notes.size(), ground > 0.5 ? 1u : 0u);
        // What is seen begins as the clip does all the same.
        EXPECT_LT(pose(rig, whole(fallen), 0, rig.clips[0], 0), 1e-6);
    }
}

TEST(BakeDefaults, aTailThatBeginsBelowTheGroundComesUp)
{
    Rig rig = shaken(7);
    BakeOptions options;
    options.dynamic = {"tail*"};
    options.ground = 1.02;
    options.stiffness = 1;
    options.duration = 1;
    const Made risen = made(rig, options);
    EXPECT_EQ(risen.plan.scene.obstacles[0].position.y(), 1.02);
    for (const double value : risen.measure.tipMeans) EXPECT_TRUE(std::isfinite(value));
    ASSERT_FALSE(risen.plan.notes.empty());
    EXPECT_NE(risen.plan.notes[0].find("below the ground at the start"), std::string::npos);
}

// A hand of bones of two centimetres on a body that falls.
TEST(BakeDefaults, fingersAreCalm)
{
    Rig rig;
    const int chest = addBone(rig, "Chest", -1, Vec3(0, 1.2, 0), Vec3(0, 0.5, 0));
    const int arm = addBone(rig, "LeftArm", chest, Vec3(0.15, 0.4, 0), Vec3(0.5, 0, 0));
    const int hand = addBone(rig, "LeftHand", arm, Vec3(0.5, 0, 0), Vec3(0.08, 0, 0));
    for (int f = 0; f < 4; ++f) {
        int last = hand;
        for (int k = 0; k < 3; ++k)
            last = addBone(rig, "LeftHandFinger" + std::to_string(f) + std::to_string(k), last,
                           k == 0 ? Vec3(0.08, 0, 0.02 * (f - 1.5)) : Vec3(0.025, 0, 0), Vec3(0.025, 0, 0));
    }
    BakeOptions options;
    options.presets = {"limp"};
    options.ground = 0;
    options.duration = 4;
    const Made fallen = made(rig, options);
    EXPECT_LT(fallen.measure.fastest, 4000 * degree);
    const std::size_t end = fallen.frames.size() - 1;
    for (std::size_t b = 0; b < fallen.plan.scene.bodies.size(); ++b)
        EXPECT_LT(60 * fallen.frames[end].bodies[b].orientation.angularDistance(
                           fallen.frames[end - 1].bodies[b].orientation),
                  60 * degree)
            << fallen.plan.scene.bodies[b].name;
}

TEST(BakeDefaults, aKneeIsKnownByItsClip)
{
    Rig rig;
    const int top = addBone(rig, "a", -1, Vec3(0, 1, 0), Vec3(0, -0.4, 0));
    const int knee = addBone(rig, "b", top, Vec3(0, -0.4, 0), Vec3(0, -0.4, 0));
    Track bend;
    bend.bone = knee;
    for (int k = 0; k <= 20; ++k) {
        bend.times.push_back(0.1 * k);
        bend.values.push_back(
            Quat(AngleAxis(0.5 - 0.5 * std::cos(2 * pi * k / 20), Vec3::UnitX())).coeffs());
    }
    Clip clip;
    clip.name = "walk";
    clip.tracks = {bend};
    rig.clips = {clip};
    BakeOptions options;
    options.dynamic = {"b"};
    options.stiffness = 1;
    const BakePlan plan = planBake(rig, options).value();
    const JointDescription& joint = plan.scene.joints[0];
    EXPECT_NEAR(std::abs(joint.axis->x()), 1, 1e-9);
    EXPECT_LT(*joint.swingLimit, 0.2);
    EXPECT_LT(joint.upper[0] - joint.lower[0], 2.7);  // it does not bend backward
}

TEST(BakeDefaults, mistakesAreNamed)
{
    const Rig rig = tailedRig();
    const auto fault = [&](auto change) {
        BakeOptions options;
        options.dynamic = {"tail*"};
        change(options);
        return faultOf(rig, options);
    };
    const auto starts = [](const std::string& text, const char* with) { return text.starts_with(with); };
    EXPECT_TRUE(starts(fault([](BakeOptions& o) {
                           o.hits = {{"body", 1, {}}};
                       }),
                       "hit: the bone 'body' is not dynamic"));
    EXPECT_TRUE(starts(fault([](BakeOptions& o) { o.hits = {{"tail1", 3, {}}}; }), "hit: must come while"));
    EXPECT_TRUE(starts(fault([](BakeOptions& o) {
                           o.weights = {{"x", {{0, 1}}}};
                       }),
                       "weight: no dynamic bone"));
    EXPECT_TRUE(starts(fault([](BakeOptions& o) {
                           o.weights = {{"*", {{1, 1}, {0, 1}}}};
                       }),
                       "weight: has keys"));
    EXPECT_TRUE(starts(fault([](BakeOptions& o) {
                           o.next = BakeNext{"x", 1, 1};
                       }),
                       "then: there is no clip 'x'"));
    EXPECT_TRUE(starts(fault([](BakeOptions& o) { o.next = BakeNext{"walk", 9, 1}; }), "then: must begin"));
}

}  // namespace
}  // namespace sinew
