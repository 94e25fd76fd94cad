// Soft parts of a skin: what they swing like, that still ones are still, and shapes that tell their motion.
#include "sinew/character/flesh.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/character/bake.h"
#include "sinew/math/rotation.h"

namespace sinew::flesh_test {
namespace {

constexpr int across = 5, along = 9;  // points of the sheet

// A root that glides along x for `glide` s at 1 unit/s and then stops, and a tip bone on it. The sheet lies
// in x and z; points with z > 0.5 follow the tip. Its middle row is there twice, as at a seam of a texture.
struct Character {
    Rig rig;
    SkinSurface skin;
};
Character sheet(double glide, bool allOnTip = false)
{
    Character made;
    Bone root, tip;
    root.name = "root";
    tip.name = "tip";
    tip.parent = 0;
    made.rig.bones = {root, tip};
    Clip clip;
    clip.name = "glide";
    Track track;
    track.bone = 0;
    track.quantity = Track::Quantity::translation;
    track.times = {0, 1, 3};
    track.values = {Vec4(0, 0, 0, 0), Vec4(glide, 0, 0, 0), Vec4(glide, 0, 0, 0)};
    clip.tracks = {track};
    made.rig.clips = {clip};

    made.skin.binds = {{0, {}}, {1, {}}};
    const auto row = [&](int z) {
        for (int x = 0; x < across; ++x) {
            made.skin.points.emplace_back(0.25 * x, 0, 0.125 * z);
            const bool isTip = allOnTip || z > along / 2;
            made.skin.shares.push_back({{isTip ? 1 : 0, 0.75}, {isTip ? 0 : 1, 0.25}});
        }
    };
    int first = 0;
    for (int z = 0; z + 1 < along; ++z) {
        if (z == 0 || z == along - 3) {  // a new piece: its first row again
            first = made.skin.size();
            row(z);
        } else {
            first = made.skin.size() - across;
        }
        row(z + 1);
        for (int x = 0; x + 1 < across; ++x) {
            made.skin.faces.push_back({first + x, first + x + 1, first + across + x});
            made.skin.faces.push_back({first + x + 1, first + across + x + 1, first + across + x});
        }
    }
    return made;
}

FleshMotion moved(const Character& character, const FleshOptions& flesh, double unit = 1,
                  const std::function<void(BakeOptions&)>& change = {})
{
    BakeOptions options;
    options.flesh = flesh;
    options.flesh.bones = {"tip"};
    options.body.unit = unit;
    if (change) change(options);
    const Result<BakePlan> plan = planBake(character.rig, options);
    EXPECT_TRUE(plan) << plan.error().text();
    const Result<FleshRegion> region = fleshRegion(character.rig, character.skin, options.flesh.bones);
    EXPECT_TRUE(region) << region.error().text();
    const Result<FleshMotion> motion =
        simulateFlesh(character.rig, character.skin, region.value(), plan.value().source, plan.value(),
                      options.flesh, options.gravity);
    EXPECT_TRUE(motion) << motion.error().text();
    return motion.value();
}

// Nothing holds it: all points swing as one, from the moment that the root stops.
TEST(Flesh, swingsAtItsFrequencyAndDamping)
{
    const Character character = sheet(1, true);
    for (const double frequency : {2.0, 5.0}) {
        FleshOptions options;
        options.stiffness = frequency;
        options.damping = 0.15;
        const FleshMotion motion = moved(character, options);
        const double w = 2 * pi * frequency, damped = w * std::sqrt(1 - 0.15 * 0.15);
        double worst = 0;
        for (std::size_t k = 0; k < motion.times.size(); ++k) {
            const double t = motion.times[k] - 1;
            const double expected = t <= 0 ? 0 : std::exp(-0.15 * w * t) * std::sin(damped * t) / damped;
            for (const Vec3& offset : motion.offsets[k])
                worst = std::max(worst, (offset - Vec3(expected, 0, 0)).norm());
        }
        EXPECT_LT(worst, 0.03 / w) << frequency;  // of the 1/w that it swings out by
    }
}

TEST(Flesh, stillCharactersAreStill)
{
    const FleshMotion motion = moved(sheet(0), {});
    EXPECT_EQ(motion.largest, 0);
    EXPECT_TRUE(fleshShapes(motion, 16, 0).shapes.empty());
}

TEST(Flesh, sagsByItsWeightWhereThatIsAskedFor)
{
    FleshOptions options;
    options.damping = 1;
    options.weight = 1;
    const FleshMotion motion = moved(sheet(0, true), options);
    const double sag = 9.81 / std::pow(2 * pi * options.stiffness, 2);
    for (const Vec3& offset : motion.offsets.back())
        EXPECT_LT((offset - Vec3(0, -sag, 0)).norm(), 1e-5 * sag);
}

// Neither the seam of a texture tears, nor the border to what is held has a crease.
TEST(Flesh, seamsStayClosedAndBordersAreFirm)
{
    const Character character = sheet(1);
    const Result<FleshRegion> made = fleshRegion(character.rig, character.skin, {"t*"});
    ASSERT_TRUE(made);
    const FleshRegion& region = made.value();
    EXPECT_EQ(region.softCount, across * (along / 2));
    EXPECT_EQ(region.points.size(), static_cast<std::size_t>(across * (along / 2 + 1)));
    EXPECT_EQ(region.bones, std::vector<std::string>{"tip"});
    EXPECT_EQ(static_cast<int>(region.vertices.size()),
              across * (along / 2 + 1));  // and a row that is held
    const FleshMotion motion = moved(character, {});
    // The farther from the held row, the farther it swings.
    std::vector<double> most(along, 0.0);
    for (const auto& offsets : motion.offsets)
        for (std::size_t v = 0; v < offsets.size(); ++v) {
            const double z = character.skin.points[static_cast<std::size_t>(region.vertices[v].point)].z();
            double& far = most[static_cast<std::size_t>(std::lround(8 * z))];
            far = std::max(far, offsets[v].norm());
        }
    for (int z = along / 2 + 1; z + 1 < along; ++z)
        EXPECT_LT(most[static_cast<std::size_t>(z)], most[static_cast<std::size_t>(z) + 1]) << z;
    EXPECT_LT(most[along / 2 + 1], 0.65 * most[along - 1]);
}

// The same character elsewhere, turned, or drawn in another unit.
TEST(Flesh, isTheSameForATurnedMovedOrScaledCharacter)
{
    const Character original = sheet(1);
    const FleshMotion plain = moved(original, {});
    Character turned = original;
    const Quat turn(AngleAxis(0.7, Vec3(1, 2, 3).normalized()));
    for (Vec4& value : turned.rig.clips[0].tracks[0].values) {
        const Vec3 at = turn * Vec3(value[0], value[1], value[2]) + Vec3(30, -20, 5);
        value = Vec4(at.x(), at.y(), at.z(), 0);
    }
    turned.rig.bones[0].rest.rotation = turn;
    Character scaled = original;
    for (Vec4& value : scaled.rig.clips[0].tracks[0].values) value = 100 * value;
    scaled.rig.bones[0].rest.scale = Vec3::Constant(100);
    const FleshMotion other = moved(turned, {}), larger = moved(scaled, {}, 0.01);
    EXPECT_NEAR(larger.largest, 100 * plain.largest, 1e-6 * larger.largest);
    EXPECT_NEAR(larger.size, 100 * plain.size, 1e-6 * larger.size);
    EXPECT_NEAR(larger.stretch, 100, 1e-6);
    for (std::size_t k = 0; k < plain.offsets.size(); ++k)
        for (std::size_t v = 0; v < plain.offsets[k].size(); ++v) {
            EXPECT_LT((other.offsets[k][v] - plain.offsets[k][v]).norm(), 1e-8);
            EXPECT_LT((larger.offsets[k][v] - plain.offsets[k][v]).norm(), 1e-8);
        }
}

TEST(Flesh, loopsAreClosed)
{
    Character character = sheet(1);
    // To and fro.
    Track& track = character.rig.clips[0].tracks[0];
    track.times = {0, 0.4, 0.8};
    track.values = {Vec4(0, 0, 0, 0), Vec4(0.3, 0, 0, 0), Vec4(0, 0, 0, 0)};
    const FleshMotion motion = moved(character, {}, 1, [](BakeOptions& o) { o.seamless = true; });
    EXPECT_GT(motion.largest, 0.01);
    EXPECT_LT(motion.seam, 1e-3 * motion.size);
    EXPECT_EQ(motion.times.back(), 0.8);
    for (std::size_t v = 0; v < motion.offsets.front().size(); ++v)
        EXPECT_EQ(motion.offsets.front()[v], motion.offsets.back()[v]);
    // And so it is from the first cycle on: it does not begin at rest.
    double start = 0;
    for (const Vec3& offset : motion.offsets.front()) start = std::max(start, offset.norm());
    EXPECT_GT(start, 0.1 * motion.largest);
}

double error(const FleshMotion& motion, const FleshShapes& shapes)
{
    double worst = 0;
    for (std::size_t k = 0; k < motion.offsets.size(); ++k)
        for (std::size_t v = 0; v < motion.offsets[k].size(); ++v) {
            Vec3 sum = Vec3::Zero();
            for (std::size_t t = 0; t < shapes.shapes.size(); ++t)
                sum += shapes.weights[k][t] * shapes.shapes[t][v];
            worst = std::max(worst, (sum - motion.offsets[k][v]).norm());
        }
    return motion.stretch * worst;
}

TEST(FleshShapes, aFewTellTheMotionWithinTheStatedError)
{
    Character character = sheet(1);
    Track turn;
    turn.bone = 1;
    turn.times = {0, 0.5, 1, 1.5, 3};
    for (const double angle : {0.0, 0.5, -0.3, 0.2, 0.0})
        turn.values.push_back(Quat(AngleAxis(angle, Vec3(1, 1, 0).normalized())).coeffs());
    character.rig.clips[0].tracks.push_back(turn);
    const FleshMotion motion = moved(character, {});
    double last = INFINITY;
    for (const int most : {1, 2, 4, 8, 16}) {
        const FleshShapes shapes = fleshShapes(motion, most, 0);
        EXPECT_EQ(static_cast<int>(shapes.shapes.size()), most);
        EXPECT_NEAR(shapes.error, error(motion, shapes), 1e-9 * motion.size);
        EXPECT_LT(shapes.error, last);
        last = shapes.error;
        for (const auto& weights : shapes.weights)
            for (const double weight : weights) EXPECT_LE(std::abs(weight), 1);
    }
    EXPECT_LT(last, 1e-3 * motion.size);
    // No more of them than the error asks for.
    const double wanted = 0.01 * motion.size;
    const FleshShapes enough = fleshShapes(motion, 16, wanted);
    EXPECT_LE(enough.error, wanted);
    const auto fewer = static_cast<int>(enough.shapes.size()) - 1;
    ASSERT_GT(fewer, 0);
    EXPECT_GT(fleshShapes(motion, fewer, wanted).error, wanted);
}

// A motion that is made of two shapes needs two.
TEST(FleshShapes, findWhatTheMotionIsMadeOf)
{
    FleshMotion motion;
    for (int k = 0; k < 40; ++k) {
        motion.times.push_back(k / 60.0);
        std::vector<Vec3>& offsets = motion.offsets.emplace_back();
        for (int v = 0; v < 30; ++v)
            offsets.push_back(std::sin(0.3 * k) * Vec3(1, v, 0) +
                              0.01 * std::cos(0.7 * k) * Vec3(v * v, 0, 1));
    }
    motion.size = 30;
    const FleshShapes shapes = fleshShapes(motion, 16, 1e-4);
    EXPECT_EQ(shapes.shapes.size(), 2u);
    EXPECT_LT(error(motion, shapes), 1e-4);
}

TEST(Flesh, mistakesNameTheirSetting)
{
    const Character character = sheet(1);
    const auto refusal = [&](const std::vector<std::string>& patterns) {
        const Result<FleshRegion> made = fleshRegion(character.rig, character.skin, patterns);
        return made ? "" : made.error().setting + ": " + made.error().message;
    };
    EXPECT_EQ(refusal({"wing"}), "flesh: no bone matches 'wing'; bones are root, tip");
    EXPECT_EQ(refusal({"tip", "wing"}), "flesh: no bone matches 'wing'; bones are root, tip");
    const Character onTip = sheet(1, true);
    EXPECT_EQ(fleshRegion(onTip.rig, onTip.skin, {"root"}).error().message,
              "no point of the skin follows one of these bones most: root");
    EXPECT_EQ(fleshRegion(onTip.rig, {}, {"root"}).error().message,
              "the character has no skin whose points could be soft");
    for (const double stiffness : {-1.0, 0.0, 1000.0, std::nan("")}) {
        BakeOptions options;
        options.flesh.bones = {"tip"};
        options.flesh.stiffness = stiffness;
        const Result<BakePlan> plan = planBake(character.rig, options);
        ASSERT_FALSE(plan);
        EXPECT_EQ(plan.error().setting, "flesh_stiffness");
    }
}

}  // namespace
}  // namespace sinew::flesh_test
