// Runs as rigs: other frame rates, bones along joints, surfaces to look at.
#include "sinew/rig/run_rig.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/rig/resample.h"
#include "sinew/rig/surface.h"
#include "support/recorded_run.h"

namespace sinew::test::run_rig_test {
namespace {

// A body that flies straight and turns evenly about z.
Trajectory flight(double fps, int frames)
{
    Trajectory motion;
    for (int k = 0; k < frames; ++k) {
        const double t = k / fps;
        motion.push_back({t, {{Vec3(t, 2 * t, 0), Quat(AngleAxis(t, Vec3::UnitZ()))}}});
    }
    return motion;
}

TEST(Resample, even_motion_is_the_same_at_any_rate)
{
    const Result<Trajectory> frames = resampled(flight(60, 61), 47);
    ASSERT_TRUE(frames);
    ASSERT_EQ(frames.value().size(), 48u);
    for (const Frame& frame : frames.value()) {
        constexpr double rounding = 1e-14;
        EXPECT_LT((frame.bodies[0].position - Vec3(frame.time, 2 * frame.time, 0)).norm(), rounding);
        EXPECT_LT(frame.bodies[0].orientation.angularDistance(Quat(AngleAxis(frame.time, Vec3::UnitZ()))),
                  1e-7);  // acos near one
    }
}

TEST(Resample, frames_on_the_grid_keep_their_bits)
{
    Trajectory motion = flight(60, 61);
    for (Frame& frame : motion) frame.time += 3e-8;  // as sums of steps are
    const Result<Trajectory> frames = resampled(motion, 30);
    ASSERT_TRUE(frames);
    ASSERT_EQ(frames.value().size(), 31u);
    for (std::size_t k = 0; k < 31; ++k) {
        EXPECT_EQ(frames.value()[k].bodies[0].position, motion[2 * k].bodies[0].position);
        EXPECT_EQ(frames.value()[k].bodies[0].orientation.coeffs(),
                  motion[2 * k].bodies[0].orientation.coeffs());
    }
    EXPECT_EQ(evenRate(motion), 60);
    motion[7].time += 1e-3;
    EXPECT_EQ(evenRate(motion), 0);
}

TEST(Resample, rates_that_cannot_be_are_refused)
{
    for (double fps : {0.0, -1.0, std::nan(""), 1e9}) {
        const Result<Trajectory> frames = resampled(flight(60, 3), fps);
        ASSERT_FALSE(frames) << fps;
        EXPECT_EQ(frames.error().setting, "fps");
    }
}

TEST(RunRig, bones_follow_the_joints_and_carry_every_body_where_it_was)
{
    const RecordedRun run = recordedRun(shippedScene("humanoid"), 0.5);
    const Result<RunRig> figure = figureOf(run.description);
    const Result<Rig> rig = rigOf(run.description, run.motion);
    ASSERT_TRUE(figure);
    ASSERT_TRUE(rig);
    ASSERT_EQ(rig.value().bones.size(), run.description.bodies.size());
    int roots = 0;
    for (const Bone& bone : rig.value().bones) roots += bone.parent < 0 ? 1 : 0;
    EXPECT_EQ(roots, 1);
    for (std::size_t k : {std::size_t{0}, run.motion.size() / 2, run.motion.size() - 1}) {
        const auto local = localPose(rig.value(), rig.value().clips[0], run.motion[k].time);
        const auto world = worldFrames(rig.value(), local);
        for (std::size_t b = 0; b < world.size(); ++b) {
            const int body = figure.value().bodies[b];
            EXPECT_EQ(run.description.bodies[body].name, rig.value().bones[b].name);
            const Pose there = run.motion[k].bodies[body] * figure.value().inBody[b];
            constexpr double chain = 2e-5;  // what stays within `stillness` has no track, link after link
            EXPECT_LT((world[b].pose.position - there.position).norm(), chain);
            EXPECT_LT(world[b].pose.orientation.angularDistance(there.orientation), chain);
        }
    }
}

TEST(RunRig, bones_start_at_their_joints_and_leaves_end_at_the_far_side)
{
    Description scene;
    scene.bodies = {solid("upper", Capsule{0.1, 1}, Vec3(0, 2, 0)),
                    solid("lower", Capsule{0.1, 1}, Vec3(0, 0.8, 0))};
    scene.joints = {joined("shoulder", JointType::hinge, "world", "upper", Vec3(0, 2.6, 0)),
                    joined("elbow", JointType::hinge, "upper", "lower", Vec3(0, 1.4, 0))};
    const Result<RunRig> figure = figureOf(scene);
    ASSERT_TRUE(figure);
    const std::vector<Bone>& bones = figure.value().bones;
    ASSERT_EQ(bones.size(), 2u);
    constexpr double rounding = 1e-14;
    EXPECT_LT((bones[0].rest.translation - Vec3(0, 2.6, 0)).norm(), rounding);
    EXPECT_LT((bones[1].rest.translation - Vec3(0, -1.2, 0)).norm(), rounding);
    EXPECT_TRUE(bones[0].ends.empty());
    ASSERT_EQ(bones[1].ends.size(), 1u);
    EXPECT_LT((bones[1].ends[0] - Vec3(0, -1.2, 0)).norm(), rounding);

    Rig rig;
    rig.bones = bones;
    EXPECT_LT((inUnit(rig, 100).bones[1].ends[0] - Vec3(0, -120, 0)).norm(), 1e-12);
}

TEST(RunRig, figures_have_roots_of_their_own_and_a_turned_body_gives_an_unturned_bone)
{
    Description scene;
    const Quat turned(AngleAxis(1, Vec3(1, 2, 3).normalized()));
    scene.bodies = {solid("a", Box{Vec3(1, 2, 3)}, Vec3(0, 5, 0), turned),
                    solid("b", Sphere{1}, Vec3(9, 5, 0))};
    const Result<RunRig> figure = figureOf(scene);
    ASSERT_TRUE(figure);
    EXPECT_EQ(figure.value().bones[0].parent, -1);
    EXPECT_EQ(figure.value().bones[1].parent, -1);
    EXPECT_NE(figure.value().skeletons[0], figure.value().skeletons[1]);
    const Pose rest = scene.bodies[0].pose * figure.value().inBody[0];
    EXPECT_LT(rest.orientation.angularDistance(Quat::Identity()), 1e-7);  // acos near one
}

// Six times the volume inside, by the divergence theorem: only right if all faces look outwards.
double volumeOf(const Surface& surface)
{
    double six = 0;
    for (const auto& [a, b, c] : surface.faces)
        six += surface.points[a].dot(surface.points[b].cross(surface.points[c]));
    return six / 6;
}

TEST(Surface, every_shape_is_closed_looks_outwards_and_nearly_fills_its_volume)
{
    ConvexMesh hull;
    for (int i = 0; i < 8; ++i) hull.vertices.emplace_back(i & 1, i >> 1 & 1, i >> 2 & 1);
    const Shape shapes[] = {Sphere{0.5},        Box{Vec3(1, 2, 3)},         Capsule{0.2, 1},
                            Cylinder{0.3, 0.7}, Ellipsoid{Vec3(1, 0.5, 2)}, hull};
    for (const Shape& shape : shapes) {
        const Surface surface = surfaceOf(shape);
        const double whole = unitDensityInertia(checkedShape(shape).value()).mass;
        // 24 corners to a turn lose 1.1 % of a circle's area, and twice that of a ball.
        EXPECT_LE(volumeOf(surface), whole * (1 + 1e-12)) << shapeName(shape);
        EXPECT_GT(volumeOf(surface), 0.96 * whole) << shapeName(shape);
        ASSERT_EQ(surface.points.size(), surface.normals.size());
        for (const auto& face : surface.faces) {
            const Vec3 &a = surface.points[face[0]], &b = surface.points[face[1]],
                       &c = surface.points[face[2]];
            const Vec3 out = (b - a).cross(c - a).normalized();
            for (int corner : face) {
                EXPECT_NEAR(surface.normals[corner].norm(), 1, 1e-12);
                EXPECT_GT(surface.normals[corner].dot(out), 0.5) << shapeName(shape);
            }
        }
    }
}

}  // namespace
}  // namespace sinew::test::run_rig_test
