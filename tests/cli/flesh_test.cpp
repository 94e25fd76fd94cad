// sinew bake --flesh: the written file, decoded and skinned as a viewer does it, against the simulation.
#include "sinew/character/flesh.h"

#include <cstdlib>

#include "cli/command.h"
#include "sinew/character/bake.h"
#include "sinew/io/gltf/accessor.h"
#include "sinew/io/gltf/skin_surface.h"
#include "support/sample_data.h"

namespace sinew::testing {
namespace flesh {
namespace {

struct Decoded {
    GltfFile file;
    GltfCharacter character;
    GltfSkin skin;
};
Decoded decoded(const fs::path& path)
{
    Result<GltfFile> file = readGltf(path.string());
    EXPECT_TRUE(file) << file.error().text();
    Result<GltfCharacter> character = gltfCharacter(file.value());
    EXPECT_TRUE(character) << character.error().text();
    Result<GltfSkin> skin = gltfSkin(file.value(), character.value());
    EXPECT_TRUE(skin) << skin.error().text();
    return {std::move(file.value()), std::move(character.value()), std::move(skin.value())};
}

int animationOf(const Decoded& in, const std::string& name)
{
    for (std::size_t c = 0; c < in.character.rig.clips.size(); ++c)
        if (in.character.rig.clips[c].name == name) return static_cast<int>(c);
    ADD_FAILURE() << "there is no clip " << name;
    return 0;
}

// The accessors of the targets of a primitive, by the JSON of the file.
std::vector<int> targetsOf(const Decoded& in, const GltfSkin::Part& part)
{
    const json::Value root = parsed(in.file.container.json);
    const json::Value& primitive = root.find("meshes")
                                       ->items()[static_cast<std::size_t>(part.mesh)]
                                       .find("primitives")
                                       ->items()[static_cast<std::size_t>(part.primitive)];
    std::vector<int> out;
    if (const json::Value* targets = primitive.find("targets"))
        for (const json::Value& target : targets->items())
            out.push_back(static_cast<int>(target.find("POSITION")->number()));
    return out;
}

struct Weights {
    std::vector<double> times, values;
    std::size_t width = 0;
};
Weights weightsOf(const Decoded& in, int animation, std::size_t width)
{
    gltf::Budget budget(in.file);
    const gltf::Animation& found = in.file.document.animations[static_cast<std::size_t>(animation)];
    for (const gltf::Animation::Channel& channel : found.channels) {
        if (channel.path != gltf::Animation::Path::weights) continue;
        const auto& sampler = found.samplers[static_cast<std::size_t>(channel.sampler)];
        return {gltf::numbers(in.file, sampler.input, gltf::Shape::scalar, gltf::Numbers::floats, budget),
                gltf::numbers(in.file, sampler.output, gltf::Shape::scalar, gltf::Numbers::floats, budget),
                width};
    }
    return {};
}

// Where a viewer has the points of the first part at a key of the weights.
std::vector<Vec3> shown(const Decoded& in, int animation, const Weights& weights, std::size_t key)
{
    gltf::Budget budget(in.file);
    const GltfSkin::Part& part = in.skin.parts.front();
    std::vector<Vec3> points(in.skin.surface.points.begin(), in.skin.surface.points.begin() + part.count);
    const std::vector<int> targets = targetsOf(in, part);
    for (std::size_t t = 0; t < targets.size(); ++t) {
        const std::vector<double> ways =
            gltf::numbers(in.file, targets[t], gltf::Shape::vec3, gltf::Numbers::floats, budget);
        EXPECT_EQ(ways.size(), 3 * points.size());
        for (std::size_t v = 0; v < points.size(); ++v)
            for (int i = 0; i < 3; ++i)
                points[v][i] +=
                    weights.values[key * weights.width + t] * ways[3 * v + static_cast<std::size_t>(i)];
    }
    const Rig& rig = in.character.rig;
    const auto maps = bindMaps(
        in.skin.surface,
        boneMaps(rig, localPose(rig, rig.clips[static_cast<std::size_t>(animation)], weights.times[key])));
    for (std::size_t v = 0; v < points.size(); ++v)
        points[v] = skinMap(in.skin.surface, maps, static_cast<int>(v)) * points[v];
    return points;
}

class FleshTest : public CommandTest {
protected:
    std::string data(const std::string& name) const
    {
        return std::string(SINEW_TEST_DIR) + "/data/" + name;
    }

    // The largest distance of what is shown from what was simulated, and of that from the mere clip.
    struct Compared {
        double error = 0, moved = 0, size = 0;
        std::size_t targets = 0;
    };
    Compared compare(const std::string& original, const std::string& baked, const BakeOptions& options,
                     std::size_t oldTargets)
    {
        const Decoded before = decoded(original), after = decoded(at(baked));
        const Result<BakePlan> plan = planBake(before.character.rig, options);
        EXPECT_TRUE(plan) << plan.error().text();
        const Result<FleshRegion> region =
            fleshRegion(before.character.rig, before.skin.surface, options.flesh.bones);
        EXPECT_TRUE(region) << region.error().text();
        const FleshMotion motion =
            simulateFlesh(before.character.rig, before.skin.surface, region.value(), plan.value().source,
                          plan.value(), options.flesh, options.gravity)
                .value();
        const int animation = animationOf(after, plan.value().name);
        Compared out;
        out.size = motion.size;
        out.targets = targetsOf(after, after.skin.parts.front()).size();
        const Weights weights = weightsOf(after, animation, out.targets);
        EXPECT_EQ(weights.values.size(), weights.times.size() * out.targets);
        EXPECT_EQ(weights.times.size(), motion.times.size());
        for (std::size_t k = 0; k < weights.times.size(); ++k) {
            Weights without = weights;
            for (std::size_t t = oldTargets; t < out.targets; ++t) without.values[k * out.targets + t] = 0;
            const std::vector<Vec3> seen = shown(after, animation, weights, k),
                                    stiff = shown(after, animation, without, k);
            const Rig& rig = before.character.rig;
            const auto maps = bindMaps(before.skin.surface,
                                       boneMaps(rig, localPose(rig, plan.value().source, motion.times[k])));
            for (std::size_t i = 0; i < region.value().points.size(); ++i) {
                const int p = region.value().points[i];
                const Vec3 way = skinMap(before.skin.surface, maps, p).linear *
                                 motion.offsets[k][static_cast<std::size_t>(region.value().vertexOf[i])];
                const Vec3 expected = stiff[static_cast<std::size_t>(p)] + way;
                out.error = std::max(out.error, (seen[static_cast<std::size_t>(p)] - expected).norm());
                out.moved = std::max(out.moved, way.norm());
            }
        }
        return out;
    }
};

TEST_F(FleshTest, theFileShowsWhatWasSimulated)
{
    const Outcome baked = run({"bake", data("strip.glb"), "--flesh", "upper", "-o", "soft.glb"});
    EXPECT_EQ(baked.exitCode, 0) << baked.err;
    EXPECT_NE(baked.out.find("1 bone: upper"), std::string::npos) << baked.out;
    EXPECT_NE(baked.out.find("morph targets"), std::string::npos) << baked.out;
    keep("soft.glb");
    BakeOptions options;
    options.flesh.bones = {"upper"};
    const Compared compared = compare(data("strip.glb"), "soft.glb", options, 0);
    EXPECT_GT(compared.moved, 0.02 * compared.size);
    EXPECT_LT(compared.error, 1e-3 * compared.size + 1e-6);
    EXPECT_LE(compared.targets, 16u);
    // Fewer targets on demand, and all that was there is the beginning of the new bytes.
    EXPECT_NE(baked.err.find("more than half of its size"), std::string::npos);  // its clip hops at once
    run({"bake", data("strip.glb"), "--flesh", "upper", "--flesh-targets", "2", "-o", "two.glb"});
    EXPECT_EQ(compare(data("strip.glb"), "two.glb", options, 0).targets, 2u);
    const Glb before = parseGlb(readText(data("strip.glb")), "").value(),
              after = parseGlb(readText(at("soft.glb")), "").value();
    EXPECT_EQ(after.binary.compare(0, before.binary.size(), before.binary), 0);
}

// Text with bytes beside it; several bones by commas and by several options.
TEST_F(FleshTest, takesTextFilesAndListsOfBones)
{
    run({"bake", data("strip.gltf"), "--flesh", "upper,lo*", "-o", "a.gltf"});
    run({"bake", data("strip.gltf"), "--flesh", "upper", "--flesh", "lower", "-o", "b.gltf"});
    EXPECT_EQ(readText(at("a.gltf")), readText(at("b.gltf")));
    keep("a.gltf");
    if (const char* wanted = std::getenv("SINEW_TEST_GLTF_OUT"))
        fs::copy_file(at("strip mesh.bin"), fs::path(wanted) / "strip mesh.bin",
                      fs::copy_options::overwrite_existing);
}

TEST_F(FleshTest, morphTargetsThatWereThereStay)
{
    const Outcome baked = run({"bake", data("morphs.glb"), "--flesh", "upper", "-o", "soft_morphs.glb"});
    EXPECT_EQ(baked.exitCode, 0) << baked.err;
    keep("soft_morphs.glb");
    BakeOptions options;
    options.flesh.bones = {"upper"};
    const Compared compared = compare(data("morphs.glb"), "soft_morphs.glb", options, 2);
    EXPECT_GT(compared.targets, 2u);
    EXPECT_LT(compared.error, 1e-3 * compared.size + 1e-6);
    const Decoded before = decoded(data("morphs.glb")), after = decoded(at("soft_morphs.glb"));
    gltf::Budget budget(after.file), old(before.file);
    const std::vector<int> was = targetsOf(before, before.skin.parts.front()),
                           is = targetsOf(after, after.skin.parts.front());
    ASSERT_EQ(was.size(), 2u);
    for (std::size_t t = 0; t < was.size(); ++t)
        EXPECT_EQ(gltf::numbers(after.file, is[t], gltf::Shape::vec3, gltf::Numbers::floats, budget),
                  gltf::numbers(before.file, was[t], gltf::Shape::vec3, gltf::Numbers::floats, old));
    // The old clip moves the old weights as it did, and none of the new ones.
    const Weights a = weightsOf(before, animationOf(before, "Bend"), 2),
                  b = weightsOf(after, animationOf(after, "Bend"), compared.targets);
    ASSERT_EQ(b.values.size(), a.times.size() * compared.targets);
    // The new one moves them alike.
    const Weights c = weightsOf(after, animationOf(after, "Bend physics"), compared.targets);
    for (std::size_t k = 0; k < a.times.size(); ++k)
        for (std::size_t t = 0; t < compared.targets; ++t) {
            EXPECT_EQ(b.values[k * b.width + t], t < 2 ? a.values[k * 2 + t] : 0);
            const auto same = static_cast<std::size_t>(std::lround(60 * a.times[k]));
            if (t < 2) EXPECT_NEAR(c.values[same * c.width + t], a.values[k * 2 + t], 1e-6);
        }
    const json::Value root = parsed(after.file.container.json);
    EXPECT_EQ(root.find("meshes")->items()[0].find("weights")->items().size(), compared.targets);
}

TEST_F(FleshTest, mistakesAreOneLine)
{
    const std::string strip = data("strip.glb");
    refused({"bake", strip, "-o", "x.glb"}, {"--dynamic", "--flesh"});
    refused({"bake", strip, "--flesh", "wing", "-o", "x.glb"},
            {"--flesh", "no bone matches 'wing'", "lower, upper"});
    refused({"bake", strip, "--flesh", "upper", "--flesh-stiffness", "-1", "-o", "x.glb"},
            {"--flesh-stiffness", "above 0"});
    refused({"bake", strip, "--flesh", "upper", "--flesh-damping", "-1", "-o", "x.glb"},
            {"--flesh-damping", "0 to 10"});
    refused({"bake", strip, "--flesh", "upper", "--flesh-targets", "0", "-o", "x.glb"},
            {"--flesh-targets", "1 to 256"});
    refused({"bake", strip, "--flesh", "upper", "-o", "x.bvh"}, {"--output", "no skin"});
    refused({"bake", strip, "--flesh", "upper", "-o", "x.glb", "--scene", "s.json"},
            {"--scene", "--dynamic"});
    writeText(at("arm.bvh"),
              "HIERARCHY\nROOT arm\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation "
              "Yrotation\nEnd Site\n{\nOFFSET 0 -25 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: "
              "0.1\n0 0 0\n0 0 10\n");
    refused({"bake", "arm.bvh", "--flesh", "arm", "-o", "x.glb"}, {"skin"});
    writeText(at("bare.gltf"),
              R"({"asset":{"version":"2.0"},"nodes":[{"name":"a"}],"scenes":[{"nodes":[0]}],)"
              R"("scene":0,"skins":[{"joints":[0]}]})");
    refused({"bake", "bare.gltf", "--flesh", "a", "-o", "x.gltf", "--unit", "m"}, {"--flesh", "no skin"});
    EXPECT_FALSE(fs::exists(at("x.glb")) || fs::exists(at("x.gltf")) || fs::exists(at("s.json")));
}

TEST_F(FleshTest, realCharactersJiggle)
{
    if (sampleData("gltf").empty()) GTEST_SKIP() << sampleDataMissing;
    const std::string fox = sampleData("gltf") + "/Fox.glb", man = sampleData("gltf") + "/CesiumMan.glb";
    run({"bake", fox, "--clip", "Run", "--flesh", "*Spine*,*Hip*", "-o", "fox.glb"});
    BakeOptions options;
    options.clip = "Run";
    options.flesh.bones = {"*Spine*", "*Hip*"};
    options.body.unit = 0.01;
    const Compared compared = compare(fox, "fox.glb", options, 0);
    EXPECT_LE(compared.targets, 16u);
    EXPECT_GT(compared.moved, 0.02 * compared.size);
    EXPECT_LT(compared.error, 0.01 * compared.size);
    keep("fox.glb");
    // Bones and flesh at once; the flesh follows the simulated bones.
    run({"bake", fox, "--flesh", "*Tail*", "--dynamic", "*Tail*", "--from", "1", "-o", "tail.glb"});
    keep("tail.glb");
    good({"bake", man, "--flesh", "*torso*", "-o", "man.glb"});
    keep("man.glb");
}

}  // namespace
}  // namespace flesh
}  // namespace sinew::testing
