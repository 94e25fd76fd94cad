#include "sinew/rig/rig.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew {
namespace {

// Two bones: a scaled root that is turned a quarter, and one that hangs from it.
Rig arm()
{
    Rig rig;
    Bone root;
    root.name = "root";
    root.rest.scale = Vec3::Constant(2);
    root.rest.rotation = Quat(AngleAxis(pi / 2, Vec3::UnitZ()));
    Bone hand;
    hand.name = "hand";
    hand.parent = 0;
    hand.rest.translation = Vec3(1, 0, 0);
    rig.bones = {root, hand};
    return rig;
}

TEST(Rig, worldFramesScaleThenTurnThenShift)
{
    const Rig rig = arm();
    const auto world = worldFrames(rig, restPose(rig));
    EXPECT_LT((world[1].pose.position - Vec3(0, 2, 0)).norm(), 1e-15);
    EXPECT_EQ(world[1].scale, 2);
    const double rounding = 4 * 0x1p-51;  // of a quarter turn, at this distance
    EXPECT_LT((world[1] * Vec3(1, 0, 0) - Vec3(0, 4, 0)).norm(), rounding);
}

TEST(Rig, tracksAreHeldStraightOrCubicBetweenTheirKeys)
{
    const Rig rig = arm();
    Track track;
    track.bone = 1;
    track.quantity = Track::Quantity::translation;
    track.times = {1, 3};
    track.values = {Vec4(0, 0, 0, 0), Vec4(8, 0, 0, 0)};
    const auto at = [&](double time) { return localPose(rig, Clip{"", {track}}, time)[1].translation.x(); };
    EXPECT_EQ(at(0), 0);
    EXPECT_EQ(at(1.5), 2);
    EXPECT_EQ(at(4), 8);
    track.between = Track::Between::step;
    EXPECT_EQ(at(2.999), 0);
    EXPECT_EQ(at(3), 8);
    // x = (t-1)³ has slopes 0 and 12 at its ends.
    track.between = Track::Between::cubic;
    const Vec4 zero = Vec4::Zero();
    track.values = {zero, zero, zero, Vec4(12, 0, 0, 0), Vec4(8, 0, 0, 0), zero};
    EXPECT_NEAR(at(1.5), 0.125, 1e-15);
}

TEST(Rig, rotationsTurnEvenlyTheShorterWay)
{
    const Rig rig = arm();
    Track track;
    track.bone = 1;
    track.times = {0, 1};
    const Quat end(AngleAxis(1.0, Vec3::UnitX()));
    track.values = {Quat::Identity().coeffs(), -end.coeffs()};  // the same rotation, other sign
    const Quat half = localPose(rig, Clip{"", {track}}, 0.5)[1].rotation;
    EXPECT_NEAR(half.angularDistance(Quat(AngleAxis(0.5, Vec3::UnitX()))), 0, 1e-7);
}

TEST(Rig, unevenScaleIsFound)
{
    Rig rig = arm();
    EXPECT_EQ(unevenlyScaled(rig, restPose(rig)), -1);
    rig.bones[1].rest.scale = Vec3(1, 2, 1);
    EXPECT_EQ(unevenlyScaled(rig, restPose(rig)), 1);
    rig.bones[1].rest.scale = Vec3(-1, -1, -1);
    EXPECT_EQ(unevenlyScaled(rig, restPose(rig)), 1);
}

}  // namespace
}  // namespace sinew
