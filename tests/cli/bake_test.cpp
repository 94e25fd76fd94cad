// sinew bake, convert and info, from the command line.
#include "sinew/character/bake.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "cli/command.h"
#include "sinew/io/bvh/bvh.h"
#include "sinew/io/csv/trajectory_csv.h"
#include "sinew/io/gltf/character.h"
#include "sinew/io/whole_file.h"
#include "sinew/simulation/simulation.h"
#include "support/sample_data.h"
#include "support/sanitized.h"

namespace sinew::testing {
namespace {

GltfCharacter character(const fs::path& path)
{
    Result<GltfFile> file = readGltf(path.string());
    EXPECT_TRUE(file) << file.error().text();
    Result<GltfCharacter> made = gltfCharacter(file.value());
    EXPECT_TRUE(made) << made.error().text();
    return made.value();
}

const Clip& clipOf(const Rig& rig, const std::string& name)
{
    for (const Clip& clip : rig.clips)
        if (clip.name == name) return clip;
    ADD_FAILURE() << "there is no clip " << name;
    return rig.clips.front();
}

class BakeTest : public CommandTest {
protected:
    std::string strip() const { return std::string(SINEW_TEST_DIR) + "/data/strip.glb"; }
    std::string sample(const std::string& name) const { return sampleData("gltf") + "/" + name; }
};

// The hair of an avatar, as the file has it; a file without spring bones is told so.
TEST_F(BakeTest, movesTheSpringBonesOfAnAvatar)
{
    const std::string make = std::string(SINEW_TEST_DIR) + "/../examples/assets/make_characters.py";
    ASSERT_EQ(std::system(("python3 '" + make + "' '" + at("made").string() + "' vrm gear").c_str()), 0);
    const Outcome baked = run({"bake", at("made/vrm.glb").string(), "--dynamic", "vrm", "-o", "baked.glb"});
    EXPECT_EQ(baked.exitCode, 0) << baked.err;
    EXPECT_NE(baked.out.find("70 bones: Hair_0_0"), std::string::npos) << baked.out;
    const Outcome none = run({"bake", at("made/gear.glb").string(), "--dynamic", "vrm", "-o", "none.glb"});
    EXPECT_EQ(none.exitCode, 2);
    EXPECT_NE(none.err.find("has no spring bones of VRM"), std::string::npos) << none.err;
    EXPECT_FALSE(fs::exists(at("none.glb")));
}

// Bones without extent: the hips stand still to rounding while the legs turn.
TEST_F(BakeTest, aCharacterWithoutFleshBecomesASceneThatRuns)
{
    const std::string make = std::string(SINEW_TEST_DIR) + "/../examples/assets/make_characters.py";
    ASSERT_EQ(std::system(("python3 '" + make + "' '" + at("made").string() + "' draco points").c_str()),
              0);
    for (const char* name : {"draco", "points"}) {
        const Outcome made = run(
            {"convert", at(std::string("made/") + name + ".glb").string(), "scene.json", "--ground", "0"});
        EXPECT_EQ(made.exitCode, 0) << made.err;
        const Outcome checked = run({"check", "scene.json"});
        EXPECT_EQ(checked.exitCode, 0) << checked.err;
    }
}

// With Assimp or without: one line, and nothing is written.
TEST_F(BakeTest, refusesFbxThatCannotBeRead)
{
    writeWhole(at("broken.fbx").string(), "Kaydara FBX Binary  ");
    for (const char* to : {"out.glb", "out.json"}) {
        const Outcome outcome = run({"convert", "broken.fbx", to});
        EXPECT_EQ(outcome.exitCode, 2);
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        EXPECT_FALSE(fs::exists(at(to)));
    }
}

TEST_F(BakeTest, addsAClipAndLeavesTheRestOfTheFile)
{
    const Outcome baked = run({"bake", strip(), "--dynamic", "upper", "-o", "baked.glb"});
    EXPECT_EQ(baked.exitCode, 0) << baked.err;
    EXPECT_NE(baked.out.find("'Bend physics' from 'Bend'"), std::string::npos) << baked.out;
    const GltfCharacter before = character(strip()), after = character(at("baked.glb"));
    ASSERT_EQ(after.rig.clips.size(), before.rig.clips.size() + 1);
    const Rig& rig = after.rig;
    const Clip &old = clipOf(rig, "Bend"), &fresh = clipOf(rig, "Bend physics");
    double moved = 0;
    for (double t = 0; t <= 1; t += 0.05) {
        const auto a = localPose(rig, old, t), b = localPose(rig, fresh, t);
        for (std::size_t i = 0; i < rig.bones.size(); ++i) {
            if (rig.bones[i].name == "upper")
                moved = std::max(moved, a[i].rotation.angularDistance(b[i].rotation));
            else
                EXPECT_EQ(a[i].rotation.coeffs(), b[i].rotation.coeffs());
        }
    }
    EXPECT_GT(moved, 0.01);
    keep("baked.glb");
}

TEST_F(BakeTest, theWrittenSceneRunsToTheSameBits)
{
    good({"bake", strip(), "--dynamic", "upper", "--duration", "0.5", "-o", "one.glb", "--scene",
          "scene.json"});
    // What is seen by running the scene…
    good({"run", "scene.json", "-o", "preview", "--no-page"});
    BakeOptions options;
    options.dynamic = {"upper"};
    options.duration = 0.5;
    const GltfCharacter original = character(strip());
    const BakePlan plan = planBake(original.rig, options).value();
    const Model model = Simulation::create(plan.scene, {}).value().model();
    const Trajectory seen = readTrajectory(at("preview/trajectory.csv").string(), model).value();
    // …is what was baked: every pose to the last bit of a double, every key of the file to that of a float.
    const Trajectory baked = simulatePlan(plan).value();
    ASSERT_EQ(seen.size(), baked.size());
    for (std::size_t k = 0; k < seen.size(); ++k)
        for (std::size_t b = 0; b < seen[k].bodies.size(); ++b) {
            EXPECT_EQ(seen[k].bodies[b].position, baked[k].bodies[b].position);
            EXPECT_EQ(seen[k].bodies[b].orientation.coeffs(), baked[k].bodies[b].orientation.coeffs());
        }
    const BakedClip preview = bakedClip(original.rig, plan, seen);
    const GltfCharacter written = character(at("one.glb"));
    const Clip& clip = clipOf(written.rig, "Bend physics");
    const int bone = written.rig.find("upper");
    int compared = 0;
    for (const Track& a : preview.clip.tracks)
        for (const Track& b : clip.tracks) {
            if (a.bone != bone || b.bone != bone || a.quantity != b.quantity ||
                a.quantity != Track::Quantity::rotation)
                continue;
            ASSERT_EQ(a.values.size(), b.values.size());
            for (std::size_t k = 0; k < a.values.size(); ++k, ++compared)
                // The reader makes quaternions of floats unit ones again.
                for (int i = 0; i < 4; ++i) EXPECT_NEAR(a.values[k][i], b.values[k][i], 1.2e-7) << k;
        }
    EXPECT_EQ(compared, 31);
}

TEST_F(BakeTest, mistakesAreOneLine)
{
    refused({"bake", strip(), "--dynamic", "wing*", "-o", "x.glb"},
            {"--dynamic", "no bone matches", "lower, upper"});
    refused({"bake", strip(), "--dynamic", "upper", "-o", "x.fbx"}, {"--output", ".glb"});
    refused({"bake", strip(), "--dynamic", "upper", "-o", strip()}, {"--output", "own files"});
    refused({"bake", strip(), "--dynamic", "upper", "-o", "x.glb", "--clip", "Fly"},
            {"--clip", "Fly", "Bend"});
    refused({"bake", strip(), "--dynamic", "upper", "-o", "x.glb", "--unit", "ell"}, {"--unit", "ell"});
    refused({"bake", strip(), "--dynamic", "upper", "-o", "x.glb", "--set", "upper:stifness=3"},
            {"--set", "stifness", "stiffness"});
    refused({"bake", strip(), "--dynamic", "upper", "-o", "x.glb", "--name", "Bend"}, {"Bend"});
    refused({"bake", strip(), "--dynamic", "upper", "-o", "x.glb", "--loop", "--from", "0.5"},
            {"--loop: takes the whole clip"});
    refused({"bake", "nothing.glb", "--dynamic", "*", "-o", "x.glb"}, {"nothing.glb"});
    writeText(at("broken.glb"), "glTF and then nothing");
    refused({"bake", "broken.glb", "--dynamic", "*", "-o", "x.glb"}, {"broken.glb"});
    refused({"bake", "notes.txt", "--dynamic", "*", "-o", "x.glb"}, {"notes.txt", "not a character"});
    EXPECT_FALSE(fs::exists(at("x.glb")));
}

TEST_F(BakeTest, aCharacterPlantsNoFiles)
{
    const std::string data = std::string(SINEW_TEST_DIR) + "/data/";
    std::string text = readText(data + "strip.gltf");
    const std::string mark = "\"asset\"";
    ASSERT_NE(text.find(mark), std::string::npos);
    text.insert(text.find(mark), R"("images":[{"uri":".config/autostart/x.desktop"},{"uri":"p.png"}],)");
    fs::create_directories(at("in/.config/autostart"));
    fs::create_directories(at("home"));
    writeText(at("in/evil.gltf"), text);
    writeText(at("in/.config/autostart/x.desktop"), "[Desktop Entry]");
    writeText(at("in/p.png"), "\x89PNG\r\n\x1a\n");
    fs::copy_file(data + "strip mesh.bin", at("in/strip mesh.bin"));
    const Outcome baked = run({"bake", "in/evil.gltf", "--dynamic", "upper", "-o", "home/out.gltf"});
    EXPECT_EQ(baked.exitCode, 0) << baked.err;
    EXPECT_FALSE(fs::exists(at("home/.config")));
    EXPECT_TRUE(fs::exists(at("home/p.png")));
    EXPECT_NE(baked.err.find("x.desktop\" has a hidden name; it was not copied along"), std::string::npos)
        << baked.err;
    EXPECT_NE(baked.out.find("2 files: strip mesh.bin, p.png"), std::string::npos) << baked.out;
    refused({"bake", "in/evil.gltf", "--dynamic", "upper", "-o", "in/evil.gltf"}, {"own files"});
    refused({"bake", "in/evil.gltf", "--dynamic", "upper", "-o", "o.gltf", "--scene", "in/p.png"},
            {"--scene", "own files"});
}

TEST_F(BakeTest, deepNestingFillsNoScreen)
{
    constexpr int count = 20'000;
    std::string nodes, joints;
    for (int i = 0; i < count; ++i) {
        nodes += (i == 0 ? "" : ",") + (R"({"name":"n)" + std::to_string(i) + "\"");
        nodes += i + 1 < count ? ",\"children\":[" + std::to_string(i + 1) + "]}" : "}";
        joints += (i == 0 ? "" : ",") + std::to_string(i);
    }
    writeText(at("deep.gltf"), R"({"asset":{"version":"2.0"},"nodes":[)" + nodes +
                                   R"(],"skins":[{"joints":[)" + joints + "]}]}");
    const Outcome info = run({"info", "deep.gltf"});
    EXPECT_EQ(info.exitCode, 0) << info.err;
    EXPECT_LT(info.out.size(), 200u * count);  // by indentation alone it was 400 MB
    EXPECT_NE(info.out.find("(19999 levels down) n19999"), std::string::npos);
}

// Each joint adds its turn to those before it: a step of ten thousand was taken in ever smaller parts.
TEST_F(BakeTest, chainsWithoutEndAreRefused)
{
    constexpr int count = 1'100;
    std::string nodes, joints;
    for (int i = 0; i < count; ++i) {
        nodes +=
            (i == 0 ? "" : ",") + (R"({"name":"n)" + std::to_string(i)) + R"(","translation":[0,0.001,0])";
        nodes += i + 1 < count ? ",\"children\":[" + std::to_string(i + 1) + "]}" : "}";
        joints += (i == 0 ? "" : ",") + std::to_string(i);
    }
    writeText(at("deep.gltf"), R"({"asset":{"version":"2.0"},"nodes":[)" + nodes +
                                   R"(],"skins":[{"joints":[)" + joints + "]}]}");
    const std::vector<std::string> bake = {"bake", "deep.gltf", "--unit",     "m",
                                           "-o",   "out.gltf",  "--duration", "0.02"};
    std::vector<std::string> all = bake, some = bake;
    all.insert(all.end(), {"--dynamic", "*"});
    some.insert(some.end(), {"--dynamic", "n1?"});
    const Outcome outcome = run(all);
    EXPECT_EQ(outcome.exitCode, 2);
    EXPECT_NE(outcome.err.find(
                  "--dynamic: bone 'n1000' is number 1001 of a chain of dynamic bones; at most 1000"),
              std::string::npos)
        << outcome.err;
    EXPECT_FALSE(fs::exists(at("out.gltf")));
    EXPECT_EQ(run(some).exitCode, 0);
}

// All pairs of them were listed before they were counted: 400 MB here.
TEST_F(BakeTest, manyBonesInOnePlaceAreRefusedInLittleMemory)
{
    if (test::isSanitized) GTEST_SKIP() << "a sanitizer maps more than any limit";
    constexpr int count = 10'000;
    std::string nodes, children, joints = "0";
    for (int i = 0; i < count; ++i) {
        const std::string own = std::to_string(2 * i + 1), end = std::to_string(2 * i + 2);
        nodes += R"(,{"name":"n)" + own + R"(","children":[)" + end + R"(]},{"name":"n)" + end +
                 R"(","translation":[0,0.1,0]})";
        children += (i == 0 ? "" : ",") + own;
        joints += "," + own + "," + end;
    }
    writeText(at("heap.gltf"), R"({"asset":{"version":"2.0"},"nodes":[{"name":"root","children":[)" +
                                   children + "]}" + nodes + R"(],"skins":[{"joints":[)" + joints + "]}]}");
    const std::string command = "cd '" + folder.string() +
                                "' && ulimit -v 300000 && '" SINEW_COMMAND
                                "' bake heap.gltf --unit m --collide --dynamic '*' --duration 0.02 "
                                "-o out.gltf >stdout.txt 2>stderr.txt";
    const int status = std::system(command.c_str());
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 2);
    EXPECT_NE(readText(at("stderr.txt")).find("more than 1000000 pairs of bones overlap at the start"),
              std::string::npos)
        << readText(at("stderr.txt"));
}

TEST_F(BakeTest, motionCaptureGoesThroughEveryFormat)
{
    writeText(at("arm.bvh"),
              "HIERARCHY\nROOT arm\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
              "Xrotation "
              "Yrotation\nJOINT forearm\n{\nOFFSET 0 -30 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd "
              "Site\n{\nOFFSET 0 -25 0\n}\n}\n}\nMOTION\nFrames: 3\nFrame Time: 0.1\n0 150 0 0 0 0 0 0 "
              "0\n0 150 0 10 0 0 20 0 "
              "0\n5 150 0 20 0 0 40 0 0\n");
    for (const char* out : {"arm.glb", "arm.usda", "arm.json", "again.bvh", "arm.csv", "arm.sinewt"}) {
        const Outcome converted = run({"convert", "arm.bvh", out, "--unit", "cm"});
        EXPECT_EQ(converted.exitCode, 0) << out << converted.err;
        EXPECT_GT(fs::file_size(at(out)), 100u) << out;
    }
    good({"check", "arm.json"});
    const Outcome info = run({"info", "arm.bvh"});
    EXPECT_NE(info.out.find("'arm', 0.2 s"), std::string::npos) << info.out;
    EXPECT_EQ(run({"info", "arm.sinewt"}).exitCode, 0);
    const GltfCharacter moved = character(at("arm.glb"));
    EXPECT_GE(moved.rig.find("forearm"), 0);
    const Outcome baked =
        run({"bake", "arm.bvh", "--dynamic", "forearm", "--unit", "cm", "-o", "swing.bvh"});
    EXPECT_EQ(baked.exitCode, 0) << baked.err;
    EXPECT_NE(readText(at("swing.bvh")).find("JOINT forearm"), std::string::npos);
    refused({"convert", "arm.bvh", "arm.fbx"}, {"OUT", ".fbx"});
    refused({"convert", "arm.bvh", "arm.bvh"}, {"OUT", "file to convert"});
}

TEST_F(BakeTest, motionCaptureIsBakedIntoAFigureAndSeen)
{
    const std::string turns = "CHANNELS 3 Zrotation Xrotation Yrotation\n";
    std::string text =
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
        "Yrotation\nJOINT b\n{\nOFFSET 0 .5 0\n" +
        turns + "JOINT c\n{\nOFFSET 0 .5 0\n" + turns +
        "End Site\n{\nOFFSET 0 .5 0\n}\n}\n}\n}\nMOTION\nFrames: 30\nFrame Time: 0.03\n";
    for (int i = 0; i < 30; ++i)
        text += "0 1 0 0 0 0 " + std::to_string(10 * std::sin(0.5 * i)) + " 0 0 0 0 0\n";
    writeText(at("walk.bvh"), text);
    good({"bake", "walk.bvh", "--dynamic", "c", "-o", "walk.glb"});
    const GltfCharacter figure = character(at("walk.glb"));
    ASSERT_EQ(figure.rig.clips.size(), 1u);
    EXPECT_NEAR(figure.rig.clips[0].duration(), 0.87, 0.02);
    EXPECT_GE(figure.rig.find("c"), 0);
    good({"view", "walk.bvh", "--no-open", "-o", "page"});
    EXPECT_TRUE(fs::exists(at("page/index.html")));
    refused({"bake", "walk.bvh", "--dynamic", "c", "-o", "walk.gltf"}, {"--output", ".bvh", ".glb"});
    refused({"view", "walk.bvh", "--no-open", "-o", "page", "--step", "0.1"}, {"--step", "is a character"});
}

TEST_F(BakeTest, runsAreExported)
{
    makeChain();
    good({"run", "chain.json", "-o", "out", "--duration", "0.5", "--no-page"});
    for (const char* out : {"chain.glb", "chain.usda", "chain.bvh", "chain.csv", "chain.sinewt"}) {
        good({"convert", "out", out, "--fps", "30"});
        EXPECT_GT(fs::file_size(at(out)), 100u) << out;
    }
    // The format has no unit: metres unless told otherwise.
    good({"convert", "out", "centimetres.bvh", "--unit", "cm"});
    const Vec3 metres = bvh::read(at("chain.bvh").string()).value().joints[1].offset;
    EXPECT_LT((bvh::read(at("centimetres.bvh").string()).value().joints[1].offset - 100 * metres).norm(),
              1e-5);
    EXPECT_GT(metres.norm(), 0);
    good({"convert", "out", "bones.glb", "--skeleton"});
    keep("bones.glb");
    EXPECT_EQ(lines(readText(at("chain.csv"))).size(), 17u);  // a header, and 16 frames in half a second
    refused({"convert", "nowhere", "x.glb"}, {"nowhere"});
}

TEST_F(BakeTest, newOptionsAreRefusedInOneLine)
{
    const auto bad = [&](std::vector<std::string> words, const std::vector<std::string>& said) {
        std::vector<std::string> all = {"bake", strip(), "-o", "x.glb"};
        all.insert(all.end(), words.begin(), words.end());
        refused(all, said);
    };
    bad({"--preset", "wing"}, {"--preset", "wing", "antenna"});
    bad({"--preset", "tail"}, {"--preset", "finds no bone"});
    bad({"--dynamic", "upper", "--hit", "upper,1,2"}, {"--hit", "BONE,TIME,X,Y,Z"});
    bad({"--dynamic", "upper", "--hit", "lower,0.1,0,0,1"}, {"--hit", "'lower' is not dynamic"});
    bad({"--dynamic", "upper", "--weight", "1"}, {"--weight", "TIME=WEIGHT"});
    bad({"--dynamic", "upper", "--weight", "0=2"}, {"--weight", "from 0 to 1"});
    bad({"--dynamic", "upper", "--to", "0.1"}, {"--to", "--blend"});
    bad({"--dynamic", "upper", "--blend", "0.1"}, {"--blend", "--to"});
    bad({"--dynamic", "upper", "--then", "Fly,0.2"}, {"--then", "Fly", "Bend"});
    bad({"--dynamic", "upper", "--root", "up"}, {"--root", "tracked or free"});
    bad({"--dynamic", "upper", "--lag", "0"}, {"--lag", "above 0"});
    bad({"--dynamic", "upper", "--drag", "-1"}, {"--drag", "-1"});
    bad({"--dynamic", "upper", "--stiffness", "-1"}, {"--stiffness", "-1"});
    bad({"--dynamic", "upper", "--collide", "--no-collide"}, {"--no-collide", "choose one"});
    bad({"--dynamic", "upper", "--set", "upper:weight=3"}, {"--set", "weight must be from 0 to 1"});
    bad({"--dynamic", "upper", "--set", "upper:link=perhaps"}, {"--set", "link must be yes or no"});
    EXPECT_FALSE(fs::exists(at("x.glb")));
}

// Characters of examples/assets/make_hero.py, as animators have them.
class MadeCharacterTest : public BakeTest {
protected:
    bool make(const std::string& options, const std::string& name)
    {
        const std::string script = std::string(SINEW_TEST_DIR) + "/../examples/assets/make_hero.py";
        const std::string command = "cd '" + folder.string() + "' && python3 -B '" + script + "' " + name +
                                    " " + options + " >made.txt";
        return std::system(command.c_str()) == 0;
    }
};

TEST_F(MadeCharacterTest, hairAndACapeAreBakedByTheirNames)
{
    if (!make("--parts hair,cape,gear --uneven", "hero.glb")) GTEST_SKIP() << "no python3";
    const Outcome baked =
        run({"bake", "hero.glb", "--preset", "hair", "--preset", "cape", "--loop", "-o", "baked.glb"});
    EXPECT_EQ(baked.exitCode, 0) << baked.err;
    EXPECT_NE(baked.err.find("without extent, they move with their parents: Cape0_5"), std::string::npos);
    EXPECT_NE(baked.out.find("dynamic    40 bones: Hair0_0"), std::string::npos) << baked.out;
    EXPECT_NE(baked.out.find("found      stiffness "), std::string::npos) << baked.out;
    const Rig rig = character(at("baked.glb")).rig;
    const Clip &old = clipOf(rig, "Run"), &fresh = clipOf(rig, "Run physics");
    std::map<char, std::pair<double, int>> lags;
    for (double t = 0; t < old.duration(); t += 1.0 / 60) {
        const auto a = worldFrames(rig, localPose(rig, old, t)),
                   b = worldFrames(rig, localPose(rig, fresh, t));
        for (std::size_t i = 0; i < rig.bones.size(); ++i) {
            const std::string& name = rig.bones[i].name;
            const bool isTip = (name.starts_with("Hair") && name.ends_with("4")) ||
                               (name.starts_with("Cape") && name.ends_with("5"));
            if (!isTip) continue;
            lags[name[0]].first += a[i].pose.orientation.angularDistance(b[i].pose.orientation) * 180 / pi;
            ++lags[name[0]].second;
        }
    }
    for (const auto& [kind, lag] : lags) {
        EXPECT_GT(lag.first / lag.second, 3) << kind;
        EXPECT_LT(lag.first / lag.second, 12) << kind;
    }
    const auto first = worldFrames(rig, localPose(rig, fresh, 0)),
               last = worldFrames(rig, localPose(rig, fresh, fresh.duration()));
    for (std::size_t i = 0; i < rig.bones.size(); ++i)
        EXPECT_LT(first[i].pose.orientation.angularDistance(last[i].pose.orientation), 0.1 * pi / 180);
    keep("baked.glb");
}

TEST_F(MadeCharacterTest, itFallsOnTheFloorWhereverItsRestPoseIs)
{
    if (!make("--parts gear --sunk --plain", "sunk.glb")) GTEST_SKIP() << "no python3";
    const Outcome converted = run({"convert", "sunk.glb", "sunk.json", "--ground", "0"});
    EXPECT_EQ(converted.exitCode, 0) << converted.err;
    const std::string scene = readText(at("sunk.json"));
    EXPECT_NE(scene.find("\"Sword\""), std::string::npos);
    EXPECT_NE(scene.find("\"Pack\""), std::string::npos);
    good({"run", "sunk.json", "-o", "out", "--duration", "1", "--no-page"});
    good({"convert", "sunk.glb", "stands.json", "--ground", "0", "--stiffness", "4"});
    good({"run", "stands.json", "-o", "out", "--duration", "0.5", "--no-page"});
    const Outcome limp = run({"bake", "sunk.glb", "--preset", "limp", "--ground", "0.4", "-o", "limp.glb"});
    EXPECT_EQ(limp.exitCode, 0) << limp.err;
    EXPECT_NE(limp.err.find("lifted by 0."), std::string::npos) << limp.err;
    keep("limp.glb");
}

TEST_F(MadeCharacterTest, aSeamThatShowsIsAWarning)
{
    if (!make("--parts hair", "hair.glb")) GTEST_SKIP() << "no python3";
    // Hardly damped, at the frequency of the gait.
    const Outcome baked = run({"bake", "hair.glb", "--preset", "hair", "--loop", "--stiffness", "1.1",
                               "--damping", "0.001", "--no-collide", "-o", "wild.glb"});
    EXPECT_EQ(baked.exitCode, 0) << baked.err;
    EXPECT_NE(baked.err.find("warning: the motion does not repeat: its seam of "), std::string::npos)
        << baked.err << baked.out;
}

TEST_F(BakeTest, foxSwingsItsTail)
{
    if (sampleData("gltf").empty()) GTEST_SKIP() << sampleDataMissing;
    EXPECT_EQ(run({"bake", sample("Fox.glb"), "--dynamic", "*Tail*", "-o", "fox.glb"}).exitCode, 0);
    const Rig rig = character(at("fox.glb")).rig;
    const Clip &old = clipOf(rig, "Survey"), &fresh = clipOf(rig, "Survey physics");
    double tail = 0, rest = 0;
    for (double t = 0; t <= old.duration(); t += 1.0 / 60) {
        const auto a = worldFrames(rig, localPose(rig, old, t)),
                   b = worldFrames(rig, localPose(rig, fresh, t));
        for (std::size_t i = 0; i < rig.bones.size(); ++i) {
            const bool isTail = rig.bones[i].name.find("Tail") != std::string::npos;
            const double turn = a[i].pose.orientation.angularDistance(b[i].pose.orientation);
            if (isTail)
                tail = std::max(tail, turn);
            else
                rest = std::max({rest, turn, (a[i].pose.position - b[i].pose.position).norm()});
        }
    }
    EXPECT_LE(rest, 1e-6);
    EXPECT_GT(tail, 0.1);  // rad from the animation, which turns it slowly
    keep("fox.glb");
    // Nothing of the original is lost: its bytes are the beginning of the new binary chunk.
    const Glb before = parseGlb(readText(sample("Fox.glb")), "").value(),
              after = parseGlb(readText(at("fox.glb")), "").value();
    EXPECT_EQ(after.binary.compare(0, before.binary.size(), before.binary), 0);
}

TEST_F(BakeTest, cesiumManGoesLimpAndEndsLying)
{
    if (sampleData("gltf").empty()) GTEST_SKIP() << sampleDataMissing;
    EXPECT_EQ(run({"bake", sample("CesiumMan.glb"), "--dynamic", "*", "--from", "1", "--duration", "5",
                   "--stiffness", "0", "--ground", "0", "-o", "limp.glb"})
                  .exitCode,
              0);
    const Rig rig = character(at("limp.glb")).rig;
    const Clip &old = rig.clips[0], &fresh = rig.clips[1];
    const auto at = [&](const Clip& clip, double t) { return worldFrames(rig, localPose(rig, clip, t)); };
    for (double t = 0; t < 1; t += 0.1)
        for (std::size_t i = 0; i < rig.bones.size(); ++i)
            EXPECT_LT((at(old, t)[i].pose.position - at(fresh, t)[i].pose.position).norm(), 1e-6) << t;
    const auto standing = at(fresh, 1), lying = at(fresh, 5), before = at(fresh, 4.5);
    double highest = 0;
    for (std::size_t i = 0; i < rig.bones.size(); ++i) {
        if (!rig.bones[i].joint) continue;
        EXPECT_LT(lying[i].pose.position.y(), 0.3) << rig.bones[i].name;
        EXPECT_GT(lying[i].pose.position.y(), -0.03) << rig.bones[i].name;
        EXPECT_LT((lying[i].pose.position - before[i].pose.position).norm(), 0.01) << rig.bones[i].name;
        highest = std::max(highest, standing[i].pose.position.y());
    }
    EXPECT_GT(highest, 1);
    keep("limp.glb");
}

}  // namespace
}  // namespace sinew::testing
