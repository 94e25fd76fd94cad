// GLB files of runs: what is in them, that they tell the run's motion, and what others make of them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

#include "sinew/io/gltf/export_run.h"
#include "sinew/io/json/json.h"
#include "support/recorded_run.h"

namespace sinew::test {
namespace {

// The least of a reader, so that the writer is not its own judge.
class GltfFile {
public:
    explicit GltfFile(const Glb& glb) : binary_(glb.binary)
    {
        Result<json::Value> parsed = json::parse(glb.json, "test");
        EXPECT_TRUE(parsed);
        if (parsed) root_ = std::move(parsed.value());
    }
    const std::vector<json::Value>& list(const char* key) const
    {
        static const std::vector<json::Value> none;
        const json::Value* found = root_.find(key);
        return found ? found->items() : none;
    }
    static int number(const json::Value& of, const char* key)
    {
        const json::Value* found = of.find(key);
        return found ? static_cast<int>(found->number()) : -1;
    }
    std::vector<double> floats(int accessor) const
    {
        const json::Value& a = list("accessors")[accessor];
        const json::Value& view = list("bufferViews")[number(a, "bufferView")];
        const std::string& type = a.find("type")->string();
        const int width = type == "SCALAR" ? 1 : type == "VEC3" ? 3 : type == "VEC4" ? 4 : 16;
        std::vector<double> out;
        const std::size_t at =
            static_cast<std::size_t>(number(a, "byteOffset") + number(view, "byteOffset"));
        for (int i = 0; i < width * number(a, "count"); ++i) {
            std::uint32_t bits = 0;
            for (std::size_t k = 4; k-- > 0;)
                bits = bits << 8 |
                       static_cast<unsigned char>(binary_.at(at + 4 * static_cast<std::size_t>(i) + k));
            out.push_back(static_cast<double>(std::bit_cast<float>(bits)));
        }
        return out;
    }
    std::string nameOf(int node) const { return list("nodes")[node].find("name")->string(); }
    int nodeNamed(const std::string& name) const
    {
        for (std::size_t n = 0; n < list("nodes").size(); ++n)
            if (nameOf(static_cast<int>(n)) == name) return static_cast<int>(n);
        return -1;
    }
    // The value of a node's channel at a time, straight between keys.
    std::vector<double> value(int node, const std::string& path, double time) const
    {
        const json::Value& animation = list("animations")[0];
        for (const json::Value& channel : animation.find("channels")->items()) {
            if (number(*channel.find("target"), "node") != node ||
                channel.find("target")->find("path")->string() != path)
                continue;
            const json::Value& sampler = animation.find("samplers")->items()[number(channel, "sampler")];
            const std::vector<double> times = floats(number(sampler, "input")),
                                      values = floats(number(sampler, "output"));
            const std::size_t width = path == "rotation" ? 4 : 3;
            std::size_t after = 0;
            while (after < times.size() && times[after] <= time) ++after;
            const std::size_t before = after > 0 ? after - 1 : 0;
            if (after == times.size()) after = before;
            const double span = times[after] - times[before];
            const double s = span > 0 ? (time - times[before]) / span : 0;
            std::vector<double> out;
            for (std::size_t i = 0; i < width; ++i)
                out.push_back((1 - s) * values[before * width + i] + s * values[after * width + i]);
            return out;
        }
        return {};
    }
    std::size_t keyCount() const
    {
        std::size_t keys = 0;
        for (const json::Value& sampler : list("animations")[0].find("samplers")->items())
            keys += floats(number(sampler, "input")).size();
        return keys;
    }

private:
    json::Value root_;
    const std::string& binary_;
};

TEST(GlbOfARun, bodies_keep_names_and_motion_within_the_bound)
{
    const RecordedRun run = recordedRun(shippedScene("humanoid"), 1);
    GlbRunOptions options;
    options.bounds = {2e-3, 1e-2, 0};  // loose enough that most tracks are smaller with times of their own
    const Result<Glb> glb = runGlb(run.description, run.motion, options);
    ASSERT_TRUE(glb);
    const GltfFile file(glb.value());
    constexpr double single = 1e-6;  // single precision at a few metres
    for (std::size_t b = 0; b < run.description.bodies.size(); ++b) {
        const int node = file.nodeNamed(run.description.bodies[b].name);
        ASSERT_GE(node, 0);
        EXPECT_GE(GltfFile::number(file.list("nodes")[node], "mesh"), 0);
        for (const Frame& frame : run.motion) {
            const std::vector<double> p = file.value(node, "translation", frame.time);
            const std::vector<double> q = file.value(node, "rotation", frame.time);
            ASSERT_EQ(p.size(), 3u);
            ASSERT_EQ(q.size(), 4u);
            EXPECT_LE((Vec3(p[0], p[1], p[2]) - frame.bodies[b].position).norm(),
                      options.bounds.length + single);
            // Straight between quaternions and then normalised, as some programs do it: an even turn is
            // near enough for keys that are so close.
            EXPECT_LE(
                Quat(q[3], q[0], q[1], q[2]).normalized().angularDistance(frame.bodies[b].orientation),
                2 * options.bounds.angle);
        }
    }
    GlbRunOptions every;
    every.bounds = {};
    const Result<Glb> full = runGlb(run.description, run.motion, every);
    ASSERT_TRUE(full);
    const GltfFile fullFile(full.value());
    EXPECT_EQ(fullFile.keyCount(), run.motion.size() * 2 * run.description.bodies.size());
    EXPECT_LT(file.keyCount(), fullFile.keyCount());
    // All keys share one list of times.
    EXPECT_EQ(GltfFile::number(fullFile.list("animations")[0].find("samplers")->items().back(), "input"),
              GltfFile::number(fullFile.list("animations")[0].find("samplers")->items().front(), "input"));
}

TEST(GlbOfARun, identical_shapes_share_one_mesh_and_obstacles_stand_still)
{
    Description scene;
    for (int i = 0; i < 20; ++i)
        scene.bodies.push_back(solid("box" + std::to_string(i), Box{Vec3(1, 1, 1)}, Vec3(3. * i, 1, 0)));
    scene.obstacles = {ground()};
    const RecordedRun run = recordedRun(scene, 0.1);
    const Result<Glb> glb = runGlb(run.description, run.motion);
    ASSERT_TRUE(glb);
    const GltfFile file(glb.value());
    EXPECT_EQ(file.list("nodes").size(), 21u);
    EXPECT_EQ(file.list("meshes").size(), 9u);  // eight colours of boxes, and the ground
    std::set<int> positions;
    for (const json::Value& mesh : file.list("meshes"))
        positions.insert(
            GltfFile::number(*mesh.find("primitives")->items()[0].find("attributes"), "POSITION"));
    EXPECT_EQ(positions.size(), 2u);
    EXPECT_TRUE(file.value(file.nodeNamed("ground"), "translation", 0).empty());
}

TEST(GlbOfARun, a_skeleton_is_one_tree_with_one_skin)
{
    const RecordedRun run = recordedRun(shippedScene("humanoid"), 0.2);
    GlbRunOptions options;
    options.skeleton = true;
    const Result<Glb> glb = runGlb(run.description, run.motion, options);
    ASSERT_TRUE(glb);
    const GltfFile file(glb.value());
    ASSERT_EQ(file.list("skins").size(), 1u);
    const json::Value& skin = file.list("skins")[0];
    const auto& joints = skin.find("joints")->items();
    EXPECT_EQ(joints.size(), run.description.bodies.size());
    // Every joint but the roots hangs below another one, and the roots below the armature.
    std::set<int> below;
    for (const json::Value& node : file.list("nodes"))
        if (const json::Value* children = node.find("children"))
            for (const json::Value& child : children->items())
                EXPECT_TRUE(below.insert(static_cast<int>(child.number())).second);
    EXPECT_EQ(below.size(), joints.size());
    // A point of the skin at rest is where its bone's inverse bind matrix says: the matrix is a shift here.
    const std::vector<double> matrices = file.floats(GltfFile::number(skin, "inverseBindMatrices"));
    ASSERT_EQ(matrices.size(), 16 * joints.size());
    EXPECT_EQ(matrices[15], 1);
    EXPECT_EQ(matrices[0], 1);
}

TEST(GlbOfARun, one_frame_alone_is_a_still_picture)
{
    const RecordedRun run = recordedRun(shippedScene("finger"), 0);
    const Result<Glb> glb = runGlb(run.description, run.motion);
    ASSERT_TRUE(glb);
    EXPECT_TRUE(GltfFile(glb.value()).list("animations").empty());
}

TEST(GlbOfARun, names_become_their_own)
{
    EXPECT_EQ(ownNames({"a", "b", "a", "", "a.001", "a"}),
              (std::vector<std::string>{"a", "b", "a.002", "unnamed", "a.001", "a.003"}));
}

const char* const shippedScenes[] = {"humanoid", "hand", "stairs", "slope", "necklace", "wall"};

TEST(GlbOfARun, the_validator_of_khronos_finds_no_errors)
{
    const std::string modules = SINEW_DOC_DIR "/../web/node_modules/gltf-validator";
    if (!hasTool("node") || runTool("test -d '" + modules + "'").exitCode != 0)
        GTEST_SKIP() << "node or web/node_modules/gltf-validator is not there: npm ci in web brings it";
    std::string files;
    for (const char* name : shippedScenes) {
        const RecordedRun run = recordedRun(shippedScene(name), 0.05);
        for (bool skeleton : {false, true}) {
            GlbRunOptions options;
            options.skeleton = skeleton;
            const Result<Glb> glb = runGlb(run.description, run.motion, options);
            ASSERT_TRUE(glb);
            const std::string path = outputFile(std::string(name) + (skeleton ? "_skeleton" : "") + ".glb");
            ASSERT_TRUE(writeGlb(glb.value(), path));
            files += " '" + path + "'";
        }
    }
    const ToolOutcome outcome = runTool("node '" SINEW_DOC_DIR "/../tests/gltf/validate_runs.mjs'" + files);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
    std::printf("%s", outcome.text.c_str());
}

TEST(GlbOfARun, blender_reads_objects_bones_frames_and_places)
{
    if (!hasTool("blender")) GTEST_SKIP() << "blender is not installed";
    const RecordedRun run = recordedRun(shippedScene("humanoid"), 0.5);
    const std::size_t frame = 20;
    std::string expected = "{\"fps\": 60, \"frame\": " + std::to_string(frame) +
                           ", \"last\": " + std::to_string(run.motion.size() - 1) + ", \"places\": {";
    for (std::size_t b = 0; b < run.description.bodies.size(); ++b) {
        const Vec3& p = run.motion[frame].bodies[b].position;
        expected += (b > 0 ? ", \"" : "\"") + run.description.bodies[b].name + "\": [" +
                    json::numberText(p.x()) + ", " + json::numberText(p.y()) + ", " +
                    json::numberText(p.z()) + "]";
    }
    std::ofstream(outputFile("expected.json")) << expected << "}}";
    for (bool skeleton : {false, true}) {
        GlbRunOptions options;
        options.skeleton = skeleton;
        const Result<Glb> glb = runGlb(run.description, run.motion, options);
        ASSERT_TRUE(glb);
        const std::string path = outputFile(skeleton ? "blender_skeleton.glb" : "blender.glb");
        ASSERT_TRUE(writeGlb(glb.value(), path));
        const ToolOutcome outcome =
            runTool("blender --background --factory-startup --python-exit-code 1 --python '" SINEW_DOC_DIR
                    "/../tests/blender/check_run_glb.py' -- '" +
                    path + "' '" + outputFile("expected.json") + "'");
        EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
        EXPECT_NE(outcome.text.find("blender agrees"), std::string::npos) << outcome.text;
    }
}

}  // namespace
}  // namespace sinew::test
