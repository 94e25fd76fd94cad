// BVH as rigs: channels mean what they should, and a rig's motion survives being written.
#include "sinew/io/bvh/rig.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "sinew/base/random.h"
#include "sinew/io/bvh/euler.h"
#include "sinew/math/rotation.h"
#include "support/sample_data.h"

namespace sinew::bvh::bvh_rig_test {
namespace {

constexpr double degree = pi / 180;

Document parsed(const std::string& text)
{
    Result<Document> result = parse(text, "f.bvh");
    EXPECT_TRUE(result) << result.error().text();
    return result ? std::move(result.value()) : Document{};
}

Document written(const Rig& rig, const Clip& clip, const WriteOptions& options = {})
{
    Result<Document> result = fromRig(rig, clip, options);
    EXPECT_TRUE(result) << result.error().text();
    // What a file of it holds.
    return result ? parsed(write(result.value())) : Document{};
}

std::vector<WorldFrame> worldAt(const Rig& rig, const Clip& clip, double time)
{
    return worldFrames(rig, localPose(rig, clip, time));
}

Quat randomRotation(Random& random)
{
    return Quat(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
}
Vec3 randomVector(Random& random, double size)
{
    return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

// Degrees between two rotations. (Eigen's angularDistance loses half of the digits.)
double degreesBetween(const Quat& a, const Quat& b)
{
    return logRotation(a.conjugate() * b).norm() / degree;
}

const std::string twoJoints =
    "HIERARCHY\n"
    "ROOT a\n{\nOFFSET 1 2 3\nCHANNELS 4 Zposition Yrotation Xposition Zrotation\n"
    "JOINT b\n{\nOFFSET 5 6 7\nCHANNELS 2 Xrotation Zrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\n"
    "MOTION\nFrames: 3\nFrame Time: 0.5\n"
    "10 20 30 40 50 60\n"
    "11 21 31 41 51 61\n"
    "12 350 32 -300 179 -181\n";

TEST(BvhRig, first_rotation_channel_is_the_outermost_and_positions_replace_the_offset)
{
    const Rig rig = toRig(parsed(twoJoints), "walk");
    ASSERT_EQ(rig.bones.size(), 2u);
    EXPECT_EQ(rig.bones[1].rest.translation, Vec3(5, 6, 7));
    EXPECT_EQ(rig.bones[1].ends, std::vector<Vec3>{Vec3(0, 1, 0)});
    ASSERT_EQ(rig.clips.size(), 1u);
    EXPECT_EQ(rig.clips[0].name, "walk");
    EXPECT_EQ(rig.clips[0].duration(), 1);
    const auto local = localPose(rig, rig.clips[0], 0.5);
    EXPECT_EQ(local[0].translation, Vec3(31, 2, 11));  // y has no channel and stays
    EXPECT_EQ(local[1].translation, Vec3(5, 6, 7));
    const Quat a = Quat(AngleAxis(21 * degree, Vec3::UnitY()) * AngleAxis(41 * degree, Vec3::UnitZ()));
    const Quat b = Quat(AngleAxis(51 * degree, Vec3::UnitX()) * AngleAxis(61 * degree, Vec3::UnitZ()));
    EXPECT_LT(degreesBetween(local[0].rotation, a), 1e-12);
    EXPECT_LT(degreesBetween(local[1].rotation, b), 1e-12);
}

TEST(BvhRig, clip_is_named_after_the_file)
{
    const std::string path = SINEW_TEST_OUTPUT_DIR "/some walk.v2.bvh";
    std::FILE* file = std::fopen(path.c_str(), "wb");
    ASSERT_NE(file, nullptr);
    std::fputs(twoJoints.c_str(), file);
    std::fclose(file);
    const Result<Rig> rig = readRig(path);
    ASSERT_TRUE(rig) << rig.error().text();
    EXPECT_EQ(rig.value().clips[0].name, "some walk.v2");
    EXPECT_FALSE(readRig(SINEW_TEST_OUTPUT_DIR "/none.bvh"));
}

// Angles are written to 1e-6°: rounding turns three of them by less than this.
constexpr double angleTolerance = 2e-6;  // degrees

TEST(BvhRig, euler_angles_give_the_rotation_back_in_every_order)
{
    Random random(7);
    AxisOrder order = {0, 1, 2};
    do {
        const auto make = [&](const Vec3& x) {
            return turn(order[0], x[0]) * turn(order[1], x[1]) * turn(order[2], x[2]);
        };
        for (int i = 0; i < 200; ++i) {
            // Every fourth is locked, or so nearly that it might as well be.
            Vec3 angles = randomVector(random, pi);
            if (i % 4 == 0)
                angles[1] = (i % 8 == 0 ? 1 : -1) * pi / 2 + std::pow(10, -random.uniform(3, 16));
            const Quat rotation = make(angles);
            const Vec3 near = randomVector(random, 20);
            const Vec3 found = eulerAngles(rotation, order, near);
            EXPECT_LT(degreesBetween(make(found), rotation), 1e-7) << angles.transpose();
            // From near by they come back as they were, half turns of the other set included.
            if (std::abs(std::abs(angles[1]) - pi / 2) > 1e-3) {
                EXPECT_LT((eulerAngles(rotation, order, angles + Vec3(1e-4, -1e-4, 1e-4)) - angles).norm(),
                          1e-9);
                EXPECT_LT((eulerAngles(rotation, order, angles + Vec3::Constant(6 * pi)) - angles -
                           Vec3::Constant(6 * pi))
                              .norm(),
                          1e-9);
            }
        }
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(BvhRig, angles_go_on_without_jumps_through_full_turns_and_gimbal_lock)
{
    // A joint that turns about x three times, and one that swings through the pole of ZXY.
    Rig rig;
    rig.bones.resize(2);
    rig.bones[0].name = "spin";
    rig.bones[1].name = "pole";
    rig.bones[1].parent = 0;
    rig.bones[1].rest.translation = Vec3(0, 1, 0);
    Clip clip;
    Track spin, pole;
    pole.bone = 1;
    for (int i = 0; i <= 108; ++i) {
        spin.times.push_back(i / 10.);
        spin.values.push_back(turn(1, i * 10 * degree).coeffs());
        pole.times.push_back(i / 10.);
        pole.values.push_back((turn(2, 0.3) * turn(0, i * 10 * degree) * turn(1, -0.4)).coeffs());
    }
    clip.tracks = {spin, pole};
    const Document document = written(rig, clip, {.framesPerSecond = 10, .order = "ZXY"});
    ASSERT_EQ(document.frames, 109);
    const std::size_t width = document.channelCount();
    ASSERT_EQ(width, 9u);
    for (std::size_t f = 0; f < 109; ++f) {
        const double* row = document.values.data() + f * width;
        EXPECT_NEAR(row[5], 10. * static_cast<double>(f), angleTolerance);
        EXPECT_NEAR(row[6], 0.3 / degree, angleTolerance) << f;
        EXPECT_NEAR(row[7], 10. * static_cast<double>(f), angleTolerance);
        EXPECT_NEAR(row[8], -0.4 / degree, angleTolerance) << f;
    }
}

// A character as glTF has them: a node that only places others, turned and scaled bones, two skeletons,
// ends. A wild one has also nodes within the tree that move others, and scale that changes.
Rig character(Random& random, bool wild, Clip& clip)
{
    Rig rig;
    for (int i = 0; i < 24; ++i) {
        Bone bone;
        bone.name = "bone:" + std::to_string(i);
        bone.parent = i < 3 ? std::min(i - 1, 0) : 1 + random.below(i - 1);
        bone.rest.rotation = randomRotation(random);
        bone.rest.translation = randomVector(random, 30);
        if (i % 7 == 0) bone.rest.scale = Vec3::Constant(random.uniform(0.5, 2));
        if (i == 0 || (wild && i % 9 == 0)) bone.joint = false;
        if (i % 5 == 0) bone.ends = {randomVector(random, 10), randomVector(random, 10)};
        rig.bones.push_back(bone);
    }
    rig.bones[0].rest.scale = Vec3::Constant(0.01);
    for (int b = wild ? 0 : 1; b < 24; ++b) {
        const auto add = [&](Track::Quantity quantity, auto value) {
            Track track;
            track.bone = b;
            track.quantity = quantity;
            for (int key = 0; key <= 20; ++key) {
                track.times.push_back(key * 0.1);
                track.values.push_back(value());
            }
            clip.tracks.push_back(track);
        };
        const auto with0 = [](const Vec3& v) { return Vec4(v.x(), v.y(), v.z(), 0); };
        add(Track::Quantity::rotation, [&]() -> Vec4 { return randomRotation(random).coeffs(); });
        if (b == 1 || b == 12)
            add(Track::Quantity::translation, [&] { return with0(randomVector(random, 50)); });
        if (wild && b == 4)
            add(Track::Quantity::scale, [&] { return with0(Vec3::Constant(random.uniform(0.5, 2))); });
    }
    return rig;
}

// Places are written to 1e-8 of the skeleton's size, below angles of 1e-6°.
constexpr double placeTolerance = 1e-6;  // of the skeleton's size

void expectSamePlaces(const Rig& rig, const Clip& clip, const Rig& back, double time)
{
    const auto there = worldAt(rig, clip, time), here = worldAt(back, back.clips[0], time);
    const auto rest = worldFrames(rig, restPose(rig));
    double size = 0;
    for (const WorldFrame& frame : rest)
        size = std::max(size, (frame.pose.position - rest[1].pose.position).norm());
    for (std::size_t b = 0; b < rig.bones.size(); ++b) {
        const int j = back.find(rig.bones[b].name);
        ASSERT_EQ(j >= 0, rig.bones[b].joint) << rig.bones[b].name;
        if (j < 0) continue;
        const WorldFrame& frame = here[static_cast<std::size_t>(j)];
        EXPECT_LT((frame.pose.position - there[b].pose.position).norm(), placeTolerance * size)
            << rig.bones[b].name << " at " << time;
        // Ends hang on the bone's own scale, which BVH keeps at that of rest.
        const double grown = there[b].scale / rest[b].scale;
        for (std::size_t e = 0; e < rig.bones[b].ends.size(); ++e)
            EXPECT_LT(
                (grown * (frame * back.bones[static_cast<std::size_t>(j)].ends[e] - frame.pose.position) -
                 (there[b] * rig.bones[b].ends[e] - there[b].pose.position))
                    .norm(),
                grown * placeTolerance * size);
    }
}

TEST(BvhRig, joints_of_a_turned_and_scaled_rig_are_where_they_were_at_all_times)
{
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Random random(seed);
        Clip clip;
        const Rig rig = character(random, false, clip);
        // Frames at all keys: between them both rigs turn evenly about the same axes.
        const Rig back = toRig(written(rig, clip, {.framesPerSecond = 10}), "back");
        EXPECT_EQ(back.clips[0].duration(), clip.duration());
        for (int i = 0; i < 50; ++i) expectSamePlaces(rig, clip, back, random.uniform(0, 2.5));
    }
}

TEST(BvhRig, joints_below_moving_nodes_and_changing_scales_are_where_they_were_in_every_frame)
{
    Random random(4);
    Clip clip;
    const Rig rig = character(random, true, clip);
    const double fps = 24;
    const Rig back = toRig(written(rig, clip, {.framesPerSecond = fps, .order = "XYZ"}), "back");
    for (int i = 0; i <= 48; ++i) expectSamePlaces(rig, clip, back, i * (1 / fps));
}

TEST(BvhRig, only_joints_that_leave_their_offset_have_position_channels)
{
    Random random(5);
    Clip clip;
    const Rig rig = character(random, false, clip);
    const Document document = written(rig, clip, {.framesPerSecond = 10});
    for (const Joint& joint : document.joints) {
        const bool moves = joint.parent < 0 || joint.name == "bone:12";
        EXPECT_EQ(joint.channels.size(), moves ? 6u : 3u) << joint.name;
        EXPECT_EQ(joint.channels.back(), Channel::yRotation);
        if (joint.parent < 0) EXPECT_EQ(joint.offset, Vec3(0, 0, 0));
    }
}

TEST(BvhRig, names_that_other_readers_would_cut_are_made_plain_and_stay_apart)
{
    Rig rig;
    for (const char* name : {"left foot", "left_foot", "left\tfoot", "mixamorig:Hips", "a{b}",
                             "F\xc3\xbc\xc3\x9f"
                             "e",
                             "\xff"}) {
        rig.bones.emplace_back();
        rig.bones.back().name = name;
        rig.bones.back().parent = static_cast<int>(rig.bones.size()) - 2;
    }
    const Document document = written(rig, {});
    std::vector<std::string> names;
    for (const Joint& joint : document.joints) names.push_back(joint.name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"left_foot", "left_foot_2", "left_foot_3", "mixamorig:Hips", "a_b_",
                                        "F\xc3\xbc\xc3\x9f"
                                        "e",
                                        "_"}));
    EXPECT_EQ(document.frames, 1);  // an empty clip is a pose
}

TEST(BvhRig, rigs_and_settings_that_cannot_be_written_are_refused)
{
    Rig rig;
    rig.bones.resize(1);
    rig.bones[0].name = "root";
    const auto refusal = [&](const Clip& clip, const WriteOptions& options) {
        const Result<Document> result = fromRig(rig, clip, options);
        return result ? std::string() : result.error().message;
    };
    EXPECT_EQ(refusal({}, {}), "");
    EXPECT_NE(refusal({}, {.order = "XYX"}).find("such as ZXY"), std::string::npos);
    EXPECT_NE(refusal({}, {.order = "zxy"}).find("such as ZXY"), std::string::npos);
    EXPECT_NE(refusal({}, {.framesPerSecond = -1}).find("frames per second"), std::string::npos);
    EXPECT_NE(refusal({}, {.framesPerSecond = std::nan("")}).find("frames per second"), std::string::npos);
    Track track;
    track.times = {0, 1e9};
    track.values = {Quat::Identity().coeffs(), Quat::Identity().coeffs()};
    EXPECT_NE(refusal({"", {track}}, {}).find("more frames"), std::string::npos);
    rig.bones[0].rest.scale = Vec3(1, 2, 1);
    EXPECT_NE(refusal({}, {}).find("bone \"root\" is mirrored or scaled differently"), std::string::npos);
    rig.bones.clear();
    EXPECT_NE(refusal({}, {}).find("no bones"), std::string::npos);
}

TEST(BvhRig, channels_are_kept_when_a_file_is_written_back)
{
    const Document source = parsed(twoJoints);
    Rig rig = toRig(source, "walk");
    WriteOptions options;
    options.like = &source;
    const Document same = written(rig, rig.clips[0], options);
    ASSERT_EQ(same.joints.size(), 2u);
    EXPECT_EQ(same.frameTime, 0.5);
    EXPECT_EQ(same.frames, 3);
    for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_EQ(same.joints[j].channels, source.joints[j].channels);
        EXPECT_EQ(same.joints[j].offset, source.joints[j].offset);
        EXPECT_EQ(same.joints[j].ends, source.joints[j].ends);
    }
    EXPECT_EQ(same.values, source.values);
    // With other frames its angles are not kept, but go on from each other: 350° is −10° then, −300° is
    // 60°.
    options.framesPerSecond = 4;
    const Document finer = written(rig, rig.clips[0], options);
    ASSERT_EQ(finer.frames, 5);
    const std::size_t width = finer.channelCount();
    EXPECT_NEAR(finer.values[4 * width + 1], -10, angleTolerance);
    EXPECT_NEAR(finer.values[4 * width + 3], 60, angleTolerance);
    options.framesPerSecond = 0;

    // Motion that does not fit gets the channels that it lacks, behind the others.
    for (Track& track : rig.clips[0].tracks)
        if (track.quantity == Track::Quantity::rotation)
            track.values[1] = (turn(0, 0.1) * turn(1, 0.2) * turn(2, 0.3)).coeffs();
        else
            track.values[1].y() += 1;
    const Document more = written(rig, rig.clips[0], options);
    EXPECT_EQ(more.joints[0].channels,
              (std::vector<Channel>{Channel::zPosition, Channel::yRotation, Channel::xPosition,
                                    Channel::zRotation, Channel::yPosition, Channel::xRotation}));
    EXPECT_EQ(more.joints[1].channels.size(), 3u);
    const Rig back = toRig(more, "walk");
    for (double time : {0., 0.5, 1.})
        for (std::size_t b = 0; b < 2; ++b)
            EXPECT_LT((worldAt(back, back.clips[0], time)[b].pose.position -
                       worldAt(rig, rig.clips[0], time)[b].pose.position)
                          .norm(),
                      1e-5);
}

// The issue's own bound.
constexpr double sampleTolerance = 1e-4;  // degrees

TEST(BvhRig, samples_written_back_through_a_rig_have_the_same_angles)
{
    const std::string folder = sampleData("bvh");
    if (folder.empty()) GTEST_SKIP() << sampleDataMissing;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        SCOPED_TRACE(entry.path().filename().string());
        const Result<Document> source = read(entry.path().string());
        ASSERT_TRUE(source) << source.error().text();
        const Rig rig = toRig(source.value(), "clip");
        WriteOptions options;
        options.like = &source.value();
        const Document kept = written(rig, rig.clips[0], options);
        ASSERT_EQ(kept.frames, source.value().frames);
        ASSERT_EQ(kept.values.size(), source.value().values.size());
        for (std::size_t i = 0; i < kept.values.size(); ++i)
            ASSERT_NEAR(kept.values[i], source.value().values[i], sampleTolerance) << i;

        const Rig again = toRig(kept, "clip");
        options = {.framesPerSecond = 1 / source.value().frameTime, .order = "YXZ"};
        const Rig other = toRig(written(rig, rig.clips[0], options), "clip");
        for (const Rig& r : {again, other}) {
            ASSERT_EQ(r.bones.size(), rig.bones.size());
            double angle = 0, place = 0;
            for (int f = 0; f < kept.frames; ++f) {
                const double time = f * kept.frameTime;
                const auto a = localPose(rig, rig.clips[0], time), b = localPose(r, r.clips[0], time);
                for (std::size_t j = 0; j < rig.bones.size(); ++j) {
                    angle = std::max(angle, degreesBetween(a[j].rotation, b[j].rotation));
                    place = std::max(place, (a[j].translation - b[j].translation).norm());
                }
            }
            EXPECT_LT(angle, sampleTolerance);
            EXPECT_LT(place, 1e-5);
        }
    }
}

}  // namespace
}  // namespace sinew::bvh::bvh_rig_test
