// USD text of runs and rigs: a strict look at the text, and three's loader where it is there.
#include "sinew/io/usd/export_usd.h"

#include <gtest/gtest.h>

#include "sinew/io/usd/usd_text.h"
#include "sinew/rig/run_rig.h"
#include "support/recorded_run.h"

namespace sinew::test {
namespace {

std::size_t countOf(const std::string& text, const std::string& part)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

// Brackets close in the order in which they open, strings within their line, and a line that opens a block
// opens nothing else.
void expectWellFormed(const std::string& text)
{
    std::string open;
    bool quoted = false;
    int line = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') {
            ASSERT_FALSE(quoted) << "line " << line;
            ++line;
        } else if (c == '"' && (i == 0 || text[i - 1] != '\\')) {
            quoted = !quoted;
        } else if (quoted) {
            continue;
        } else if (c == '(' || c == '[' || c == '{') {
            open += c;
        } else if (c == ')' || c == ']' || c == '}') {
            ASSERT_FALSE(open.empty()) << "line " << line;
            ASSERT_EQ(open.back(), c == ')' ? '(' : c == ']' ? '[' : '{') << "line " << line;
            open.pop_back();
        }
    }
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(text.find("nan"), std::string::npos);
    EXPECT_EQ(text.rfind("#usda 1.0\n(\n", 0), 0u);
}

TEST(UsdOfARun, bodies_are_transforms_with_a_sample_for_each_frame)
{
    const RecordedRun run = recordedRun(shippedScene("humanoid"), 0.5);
    const std::string path = outputFile("run.usda");
    const Result<std::uint64_t> size = writeRunUsd(path, run.description, run.motion);
    ASSERT_TRUE(size);
    const std::string text = contentOf(path);
    EXPECT_EQ(size.value(), text.size());
    expectWellFormed(text);
    const std::size_t bodies = run.description.bodies.size();
    EXPECT_EQ(countOf(text, "def Xform "), bodies + 1);
    EXPECT_EQ(countOf(text, "quatf xformOp:orient.timeSamples"), bodies);
    EXPECT_EQ(countOf(text, "            30: ("), 2 * bodies);
    EXPECT_EQ(countOf(text, "            31: ("), 0u);
    EXPECT_NE(text.find("    upAxis = \"Y\"\n"), std::string::npos);
    EXPECT_NE(text.find("    metersPerUnit = 1\n"), std::string::npos);
    EXPECT_NE(text.find("    timeCodesPerSecond = 60\n"), std::string::npos);
    EXPECT_NE(text.find("    startTimeCode = 0\n"), std::string::npos);
    EXPECT_NE(text.find("    endTimeCode = 30\n"), std::string::npos);
    EXPECT_NE(text.find("def Capsule "), std::string::npos);
    EXPECT_NE(text.find("def Sphere "), std::string::npos);
}

TEST(UsdOfARun, names_become_identifiers_and_the_old_ones_are_kept)
{
    EXPECT_EQ(usdNames({"left arm", "left_arm", "3", ""}),
              (std::vector<std::string>{"left_arm", "left_arm_1", "_3", "_"}));
    Description scene;
    scene.bodies = {solid("a \"ball\"", Sphere{1}, Vec3::Zero())};
    const RecordedRun run = recordedRun(scene, 0.1);
    const std::string path = outputFile("names.usda");
    ASSERT_TRUE(writeRunUsd(path, run.description, run.motion));
    const std::string text = contentOf(path);
    expectWellFormed(text);
    EXPECT_NE(text.find("string name = \"a \\\"ball\\\"\""), std::string::npos);
}

TEST(UsdOfARun, a_skeleton_has_all_joints_in_every_sample)
{
    const RecordedRun run = recordedRun(shippedScene("humanoid"), 0.5);
    const std::string path = outputFile("skeleton.usda");
    UsdRunOptions options;
    options.skeleton = true;
    ASSERT_TRUE(writeRunUsd(path, run.description, run.motion, options));
    const std::string text = contentOf(path);
    expectWellFormed(text);
    EXPECT_EQ(countOf(text, "def SkelRoot "), 1u);
    EXPECT_EQ(countOf(text, "def Skeleton "), 1u);
    EXPECT_EQ(countOf(text, "def SkelAnimation "), 1u);
    const std::size_t at = text.find("quatf[] rotations.timeSamples = {");
    ASSERT_NE(at, std::string::npos);
    const std::string samples = text.substr(at, text.find("\n            }", at) - at);
    EXPECT_EQ(countOf(samples, ": [("), run.motion.size());
    EXPECT_EQ(countOf(samples, "("), run.motion.size() * run.description.bodies.size());

    const Result<Rig> rig = rigOf(run.description, run.motion);
    ASSERT_TRUE(rig);
    const std::string rigPath = outputFile("rig.usda");
    ASSERT_TRUE(writeRigUsd(rigPath, inUnit(rig.value(), 100), 0, 30, 0.01));
    const std::string rigText = contentOf(rigPath);
    expectWellFormed(rigText);
    EXPECT_NE(rigText.find("    metersPerUnit = 0.01\n"), std::string::npos);
    EXPECT_NE(rigText.find("    endTimeCode = 15\n"), std::string::npos);
}

TEST(UsdOfARun, paths_that_would_fill_disks_are_refused)
{
    Rig rig;
    for (int i = 0; i < 10'000; ++i) {
        Bone& bone = rig.bones.emplace_back();
        bone.name = "bone" + std::to_string(i);
        bone.parent = i - 1;
    }
    const auto written = writeRigUsd(outputFile("deep.usda"), rig, -1, 30, 1);
    ASSERT_FALSE(written);
    EXPECT_NE(written.error().message.find("have 419 MiB; at most 64"), std::string::npos)
        << written.error().message;
}

TEST(UsdOfARun, three_reads_bones_and_animations)
{
    if (!hasTool("node") || runTool("test -d '" SINEW_DOC_DIR "/../web/node_modules/three'").exitCode != 0)
        GTEST_SKIP() << "node or web/node_modules/three is not there: npm ci in web brings it";
    const RecordedRun run = recordedRun(shippedScene("humanoid"), 0.5);
    const std::size_t bodies = run.description.bodies.size();
    const std::string plain = outputFile("three.usda"), skeleton = outputFile("three_skeleton.usda");
    ASSERT_TRUE(writeRunUsd(plain, run.description, run.motion));
    UsdRunOptions options;
    options.skeleton = true;
    ASSERT_TRUE(writeRunUsd(skeleton, run.description, run.motion, options));
    const Vec3& head = run.motion[20].bodies[5].position;
    ASSERT_EQ(run.description.bodies[5].name, "head");
    const ToolOutcome outcome =
        runTool("node '" SINEW_DOC_DIR "/../tests/usd/read.mjs' '" + plain + "' '" + skeleton + "' " +
                std::to_string(bodies) + " head " + std::to_string(head.x()) + " " +
                std::to_string(head.y()) + " " + std::to_string(head.z()));
    EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
    std::printf("%s", outcome.text.c_str());
}

}  // namespace
}  // namespace sinew::test
