#include "sinew/rig/reduce.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace sinew {
namespace {

// A minute of a swinging bone that also holds still for a while.
Track swing(Track::Quantity quantity, int keys)
{
    Track track;
    track.quantity = quantity;
    for (int i = 0; i < keys; ++i) {
        const double t = i / 60.0, calm = t > 20 && t < 30 ? 0 : 1;
        track.times.push_back(t);
        const Vec3 phi = calm * Vec3(1.2 * std::sin(3 * t), 0.5 * std::sin(7.1 * t), 0.9 * std::cos(t));
        if (quantity == Track::Quantity::rotation) {
            const Quat q(AngleAxis(phi.norm(), phi.norm() > 0 ? phi.normalized() : Vec3::UnitX()));
            track.values.push_back(q.coeffs());
        } else {
            track.values.push_back(Vec4(phi.x(), phi.y(), phi.z(), 0));
        }
    }
    return track;
}

double worstError(const Track& original, const Track& reduced)
{
    Rig rig;
    rig.bones.push_back({"bone", -1, {}, true, {}, {}});
    const Clip clip{"", {reduced}};
    double worst = 0;
    for (std::size_t i = 0; i < original.times.size(); ++i) {
        const BoneTransform there = localPose(rig, clip, original.times[i])[0];
        const Vec4& value = original.values[i];
        const double error = original.quantity == Track::Quantity::rotation
                                 ? there.rotation.angularDistance(Quat(value))
                                 : (there.translation - value.head<3>()).norm();
        worst = std::max(worst, error);
    }
    return worst;
}

TEST(ReduceKeys, errorStaysBelowTheBoundAtEveryOriginalKey)
{
    constexpr double rounding = 1e-12;  // of angularDistance and of the other formula for an even turn
    for (auto quantity : {Track::Quantity::rotation, Track::Quantity::translation})
        for (double bound : {1e-1, 1e-2, 1e-3}) {
            const Track original = swing(quantity, 3600);
            const Track reduced = reduceKeys(original, {bound, bound, bound});
            const double error = worstError(original, reduced);
            EXPECT_LE(error, bound + rounding);
            EXPECT_GT(error, bound / 3) << "the bound is not made use of";
            EXPECT_LT(reduced.times.size(), original.times.size());
            EXPECT_EQ(reduced.times.front(), original.times.front());
            EXPECT_EQ(reduced.times.back(), original.times.back());
        }
}

TEST(ReduceKeys, keptKeysKeepTheirBits)
{
    const Track original = swing(Track::Quantity::rotation, 600);
    const Track reduced = reduceKeys(original, {0, 1e-2, 0});
    std::size_t at = 0;
    for (std::size_t i = 0; i < original.times.size() && at < reduced.times.size(); ++i)
        if (original.times[i] == reduced.times[at]) {
            EXPECT_EQ(original.values[i], reduced.values[at]);
            ++at;
        }
    EXPECT_EQ(at, reduced.times.size());
}

TEST(ReduceKeys, whatStandsStillTakesTwoKeysWithoutAnyTolerance)
{
    for (auto between : {Track::Between::linear, Track::Between::step}) {
        Track still;
        still.between = between;
        for (int i = 0; i < 100; ++i) {
            still.times.push_back(i * 0.1);
            still.values.push_back(Quat(AngleAxis(0.7, Vec3(1, 2, 3).normalized())).coeffs());
        }
        EXPECT_EQ(reduceKeys(still, {}).times, (std::vector<double>{0, still.times.back()}));
    }
}

TEST(ReduceKeys, oppositeQuaternionsAreTheSameRotation)
{
    Track track = swing(Track::Quantity::rotation, 300);
    const std::size_t count = reduceKeys(track, {0, 1e-3, 0}).times.size();
    for (std::size_t i = 0; i < track.values.size(); i += 3) track.values[i] *= -1;
    EXPECT_EQ(reduceKeys(track, {0, 1e-3, 0}).times.size(), count);
}

TEST(ReduceKeys, turnsOfMoreThanHalfARoundAreNotTakenTheShortWay)
{
    Track track;
    for (int i = 0; i <= 36; ++i) {
        track.times.push_back(i);
        track.values.push_back(Quat(AngleAxis(i * pi / 9, Vec3::UnitZ())).coeffs());  // two rounds
    }
    const Track reduced = reduceKeys(track, {0, 1e-6, 0});
    EXPECT_LE(worstError(track, reduced), 2e-6);
    EXPECT_LE(reduced.times.size(), 6u);  // five pieces of less than half a round
}

TEST(ReduceKeys, cubicTracksStayAsTheyAre)
{
    Track track = swing(Track::Quantity::translation, 30);
    track.between = Track::Between::cubic;
    track.values.resize(90, Vec4::Zero());
    EXPECT_EQ(reduceKeys(track, {1, 1, 1}).times.size(), 30u);
}

TEST(ReduceKeys, longTracksTakeHardlyMoreThanLinearTime)
{
    // A straight line is the costliest: every test runs to its end. A quadratic method takes 10¹⁰ steps.
    Track line;
    line.quantity = Track::Quantity::translation;
    for (int i = 0; i < 100'000; ++i) {
        line.times.push_back(i);
        line.values.push_back(Vec4(i, 0, 0, 0));
    }
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(reduceKeys(line, {1e-6, 0, 0}).times.size(), 2u);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

}  // namespace
}  // namespace sinew
