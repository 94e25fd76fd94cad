// The same glTF file with one clip more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "sinew/io/gltf/add_clip.h"
#include "sinew/io/gltf/splice.h"
#include "sinew/io/json/json.h"
#include "sinew/io/whole_file.h"
#include "support/gltf_text.h"
#include "support/sample_data.h"

namespace sinew::gltf_clip_test {
namespace {

namespace fs = std::filesystem;

// Values and times are rounded to 6e-8 of themselves; the clip turns by some 2 rad/s for 2 s.
constexpr double rounding = 1e-6;

GltfFile fileAt(const std::string& path)
{
    Result<GltfFile> file = readGltf(path);
    EXPECT_TRUE(file) << file.error().text();
    return file ? std::move(file.value()) : GltfFile{};
}

// Every file that can be had: our own, and real ones where they are.
std::vector<std::string> allFiles()
{
    std::vector<std::string> files;
    std::vector<std::string> folders = {std::string(SINEW_TEST_DIR) + "/data"};
    if (!sampleData("gltf").empty()) folders.push_back(sampleData("gltf"));
    for (const std::string& folder : folders)
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            if (entry.path().extension() == ".glb" || entry.path().extension() == ".gltf")
                files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

// Five joints sway (of a file that has none, any bones); the others take the first clip's channels.
ClipAddition sway(const GltfCharacter& character, const std::string& name)
{
    const std::vector<Bone>& bones = character.rig.bones;
    const bool anyJoint =
        std::any_of(bones.begin(), bones.end(), [](const Bone& bone) { return bone.joint; });
    ClipAddition addition;
    addition.clip.name = name;
    std::vector<bool> moved(bones.size(), false);
    for (std::size_t b = 0; b < bones.size() && addition.clip.tracks.size() < 10; ++b) {
        if (anyJoint && !bones[b].joint) continue;
        moved[b] = true;
        Track turn, shift;
        turn.bone = shift.bone = static_cast<int>(b);
        shift.quantity = Track::Quantity::translation;
        for (int i = 0; i <= 60; ++i) {
            const double angle = 0.3 * std::sin(i * 0.2 + static_cast<double>(b));
            turn.times.push_back(i / 30.0);
            turn.values.push_back(
                (bones[b].rest.rotation * Quat(AngleAxis(angle, Vec3::UnitX()))).coeffs() *
                (i % 2 == 0 ? 1 : -1));
            shift.values.push_back(Vec4(angle, 0, 0, 0));
            shift.values.back().head<3>() += bones[b].rest.translation;
        }
        shift.times = turn.times;
        addition.clip.tracks.push_back(turn);
        addition.clip.tracks.push_back(shift);
    }
    if (!character.rig.clips.empty())
        for (std::size_t t = 0; t < character.rig.clips[0].tracks.size(); ++t)
            if (!moved[static_cast<std::size_t>(character.rig.clips[0].tracks[t].bone)])
                addition.taken.push_back({0, character.channelOfTrack[0][t]});
    return addition;
}

// What both clips do at the same time, in the local frames of all bones.
double difference(const Rig& rigA, const Clip& a, const Rig& rigB, const Clip& b)
{
    double worst = 0;
    for (double time = 0; time < 2.5; time += 0.013) {
        const auto poseA = localPose(rigA, a, time), poseB = localPose(rigB, b, time);
        for (std::size_t i = 0; i < poseA.size(); ++i) {
            const double size = 1 + poseA[i].translation.norm();
            worst = std::max({worst, (poseA[i].translation - poseB[i].translation).norm() / size,
                              poseA[i].rotation.angularDistance(poseB[i].rotation),
                              (poseA[i].scale - poseB[i].scale).norm()});
        }
    }
    return worst;
}

// The clip as it should read back.
Clip wholeClip(const GltfCharacter& character, const ClipAddition& addition)
{
    Clip clip = addition.clip;
    for (const auto& taken : addition.taken) {
        const auto& channels = character.channelOfTrack[static_cast<std::size_t>(taken.animation)];
        for (std::size_t t = 0; t < channels.size(); ++t)
            if (channels[t] == taken.channel)
                clip.tracks.push_back(
                    character.rig.clips[static_cast<std::size_t>(taken.animation)].tracks[t]);
    }
    return clip;
}

// Claims that a text is another one with something put in: at the end of these four lists, in the length of
// the first buffer, and for matrices.
void expectOnlyInsertions(const std::string& before, const std::string& after, bool isGlb)
{
    using namespace gltf;
    const auto old = memberSpans(before, rootSpan(before)), now = memberSpans(after, rootSpan(after));
    ASSERT_GE(now.size(), old.size());
    for (std::size_t i = 0; i < old.size(); ++i) {
        const std::string& key = old[i].key;
        ASSERT_EQ(key, now[i].key);
        // The text between members: blanks and commas.
        const std::size_t oldEnd = i == 0 ? 0 : old[i - 1].all.end,
                          nowEnd = i == 0 ? 0 : now[i - 1].all.end;
        EXPECT_EQ(before.substr(oldEnd, old[i].value.begin - oldEnd),
                  after.substr(nowEnd, now[i].value.begin - nowEnd));
        if (key == "accessors" || key == "bufferViews" || key == "animations" ||
            (key == "buffers" && !isGlb)) {
            const std::size_t last = itemSpans(before, old[i].value).back().end;
            const std::size_t length = last - old[i].value.begin;
            EXPECT_EQ(before.substr(old[i].value.begin, length), after.substr(now[i].value.begin, length));
            // What follows the last item, blanks and the bracket, is there too.
            const std::string_view tail = std::string_view(before).substr(last, old[i].value.end - last);
            EXPECT_TRUE(now[i].value.of(after).ends_with(tail)) << key;
        } else if (key != "buffers" && key != "nodes") {
            EXPECT_EQ(old[i].value.of(before), now[i].value.of(after));
        }
    }
    EXPECT_EQ(before.substr(old.back().all.end),
              after.substr(now.back().all.end, before.size() - old.back().all.end));
}

TEST(GltfOutput, clipsComeBackAndAllElseIsUntouched)
{
    // The tests that open the files with other tools say where they want them.
    const char* wanted = std::getenv("SINEW_TEST_GLTF_OUT");
    const std::string folder = wanted != nullptr ? wanted : std::string(SINEW_TEST_OUTPUT_DIR) + "/gltf";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    for (const std::string& path : allFiles()) {
        SCOPED_TRACE(path);
        const GltfFile file = fileAt(path);
        const GltfCharacter character = readCharacter(file);
        const ClipAddition addition = sway(character, "Sway");
        const Result<std::string> bytes = addClip(file, character, addition);
        ASSERT_TRUE(bytes) << bytes.error().text();
        EXPECT_EQ(bytes.value(), addClip(file, character, addition).value());

        const std::string out = folder + "/" + std::filesystem::path(path).filename().string();
        const auto written = writeGltf(file, bytes.value(), out);
        ASSERT_TRUE(written) << written.error().text();
        EXPECT_TRUE(written.value().notes.empty());

        const GltfFile again = fileAt(out);
        const GltfCharacter back = readCharacter(again);
        ASSERT_EQ(back.rig.clips.size(), character.rig.clips.size() + 1);
        const Clip& clip = back.rig.clips.back();
        EXPECT_EQ(clip.name, "Sway");
        EXPECT_EQ(clip.tracks.size(), addition.clip.tracks.size() + addition.taken.size());
        EXPECT_LT(difference(character.rig, wholeClip(character, addition), back.rig, clip), rounding);
        for (std::size_t c = 0; c < character.rig.clips.size(); ++c)
            EXPECT_EQ(difference(character.rig, character.rig.clips[c], back.rig, back.rig.clips[c]), 0);

        expectOnlyInsertions(file.container.json, again.container.json, file.isGlb);
        EXPECT_TRUE(again.container.binary.starts_with(file.container.binary));
        for (std::size_t b = 0; b < file.document.buffers.size(); ++b)
            EXPECT_EQ(again.document.buffers[b].file, file.document.buffers[b].file);
    }
}

TEST(GltfOutput, rotationsDoNotJumpInSign)
{
    const GltfFile file = fileAt(std::string(SINEW_TEST_DIR) + "/data/strip.glb");
    const GltfCharacter character = readCharacter(file);
    const std::string bytes = addClip(file, character, sway(character, "Sway")).value();
    const GltfFile again = parseGltf(bytes, "f", noFilesBeside).value();
    const Clip clip = readCharacter(again).rig.clips.back();
    for (const Track& track : clip.tracks)
        for (std::size_t i = 1; track.quantity == Track::Quantity::rotation && i < track.values.size(); ++i)
            EXPECT_GT(track.values[i].dot(track.values[i - 1]), 0.9);
}

TEST(GltfOutput, tracksWithTheSameTimesShareThem)
{
    const GltfFile file = fileAt(std::string(SINEW_TEST_DIR) + "/data/strip.glb");
    const GltfCharacter character = readCharacter(file);
    const ClipAddition addition = sway(character, "Sway");
    const GltfFile again =
        parseGltf(addClip(file, character, addition).value(), "f", noFilesBeside).value();
    EXPECT_EQ(again.document.accessors.size(),
              file.document.accessors.size() + 1 + addition.clip.tracks.size());
}

TEST(GltfOutput, theSameNameIsAnErrorOrReplaces)
{
    const GltfFile file = fileAt(std::string(SINEW_TEST_DIR) + "/data/strip.glb");
    const GltfCharacter character = readCharacter(file);
    const ClipAddition addition = sway(character, "Bend");
    const Result<std::string> refused = addClip(file, character, addition);
    ASSERT_FALSE(refused);
    EXPECT_EQ(
        refused.error().pointer + ": " + refused.error().message,
        "/animations/0: there is a clip \"Bend\" already; give another name, or ask for it to be replaced");
    const Result<std::string> replaced = addClip(file, character, addition, true);
    ASSERT_TRUE(replaced) << replaced.error().text();
    const GltfFile again = parseGltf(replaced.value(), "f", noFilesBeside).value();
    const GltfCharacter back = readCharacter(again);
    ASSERT_EQ(back.rig.clips.size(), 2u);
    EXPECT_LT(difference(character.rig, wholeClip(character, addition), back.rig, back.rig.clips[0]),
              rounding);
    EXPECT_EQ(difference(character.rig, character.rig.clips[1], back.rig, back.rig.clips[1]), 0);
}

TEST(GltfOutput, aFileWithoutListsGetsThem)
{
    // Blanks, a comment and an escaped key, as somebody may have written them.
    const std::string text =
        "{ \"asset\" : {\"version\":\"2.0\"}, // the one below is \"nodes\"\n"
        " \"\\u006eodes\" : [ {\"name\":\"a\"} ] /* ] */ }\n";
    for (bool binary : {false, true}) {
        Glb glb;
        glb.json = text;
        const Result<GltfFile> file = parseGltf(binary ? glbBytes(glb).value() : text, "f", noFilesBeside);
        ASSERT_TRUE(file) << file.error().text();
        const GltfCharacter character = readCharacter(file.value());
        const ClipAddition addition = sway(character, "\"quoted\"\n");
        const Result<std::string> bytes = addClip(file.value(), character, addition);
        ASSERT_TRUE(bytes) << bytes.error().text();
        const Result<GltfFile> again = parseGltf(bytes.value(), "f", noFilesBeside);
        ASSERT_TRUE(again) << again.error().text();
        EXPECT_EQ(again.value().container.binary.empty(), !binary);
        const GltfCharacter back = readCharacter(again.value());
        ASSERT_EQ(back.rig.clips.size(), 1u);
        EXPECT_LT(difference(character.rig, addition.clip, back.rig, back.rig.clips[0]), rounding);
        EXPECT_EQ(again.value().document.animations[0].name, addition.clip.name);
        expectOnlyInsertions(file.value().container.json, again.value().container.json, binary);
    }
}

TEST(GltfOutput, whatCannotBeWrittenIsSaid)
{
    const GltfFile file = fileAt(std::string(SINEW_TEST_DIR) + "/data/strip.glb");
    const GltfCharacter character = readCharacter(file);
    const auto errorOf = [&](const ClipAddition& addition) {
        const Result<std::string> bytes = addClip(file, character, addition);
        return bytes ? "" : bytes.error().message;
    };
    ClipAddition addition;
    EXPECT_EQ(errorOf(addition), "the new clip needs a name");
    addition.clip.name = "New";
    EXPECT_EQ(errorOf(addition), "clip \"New\": a clip that moves nothing cannot be written");
    addition.taken = {{0, 0}, {0, 0}};
    EXPECT_EQ(errorOf(addition), "clip \"New\": two tracks move the rotation of node 3");
    addition.taken.clear();
    Track& track = addition.clip.tracks.emplace_back();
    track.quantity = Track::Quantity::scale;
    track.times = {100000, 100000.001};
    track.values.assign(2, Vec4(1, 1, 1, 0));
    EXPECT_EQ(errorOf(addition), "clip \"New\": two keys at 100000.001 s are one in single precision");
    track.times = {0, 1};
    track.values[1].x() = 1e39;
    EXPECT_EQ(errorOf(addition), "clip \"New\": a key is not finite in single precision");
}

TEST(GltfOutput, movedNodesHaveNoMatrixAnyMore)
{
    const GltfFile file = fileAt(std::string(SINEW_TEST_DIR) + "/data/strip.glb");
    const GltfCharacter character = readCharacter(file);
    ClipAddition addition = sway(character, "Sway");
    addition.clip.tracks[0].bone = character.rig.find("Stage");
    const GltfFile again =
        parseGltf(addClip(file, character, addition).value(), "f", noFilesBeside).value();
    const int stage = character.nodeOfBone[static_cast<std::size_t>(character.rig.find("Stage"))];
    EXPECT_TRUE(file.document.nodes[static_cast<std::size_t>(stage)].hasMatrix);
    EXPECT_FALSE(again.document.nodes[static_cast<std::size_t>(stage)].hasMatrix);
    const auto before = worldFrames(character.rig, restPose(character.rig));
    const Rig rig = readCharacter(again).rig;
    const auto after = worldFrames(rig, restPose(rig));
    for (std::size_t b = 0; b < before.size(); ++b)
        EXPECT_LT((before[b].pose.position - after[b].pose.position).norm(), 1e-15);
}

// A folder with a character that refers to files, and an empty one for what is written.
class GltfBeside : public ::testing::Test {
protected:
    void SetUp() override
    {
        fs::remove_all(base);
        fs::create_directories(base / "in");
        fs::create_directories(base / "out");
    }

    void put(const std::string& name, const std::string& bytes) const
    {
        fs::create_directories((base / name).parent_path());
        EXPECT_EQ(writeWhole((base / name).string(), bytes), "");
    }
    // The character `in/c.gltf`, with a buffer and pictures by these names.
    GltfFile character(const std::string& buffer, const std::vector<std::string>& pictures) const
    {
        std::string members = R"("nodes":[{"name":"bone"}])", images;
        if (!buffer.empty()) members += R"(,"buffers":[{"byteLength":1,"uri":")" + buffer + "\"}]";
        for (const std::string& picture : pictures)
            images += (images.empty() ? "" : ",") + (R"({"uri":")" + picture + "\"}");
        put("in/c.gltf", gltfText(members + ",\"images\":[" + images + "]"));
        return fileAt((base / "in/c.gltf").string());
    }
    Result<GltfWritten> write(const GltfFile& file, const std::string& to) const
    {
        return writeGltf(file, "the new one", (base / to).string());
    }
    // All files below the folder `out`.
    std::vector<std::string> there() const
    {
        std::vector<std::string> names;
        for (const auto& entry : fs::recursive_directory_iterator(base / "out"))
            names.push_back(entry.path().lexically_relative(base / "out").string());
        std::sort(names.begin(), names.end());
        return names;
    }
    std::string read(const std::string& name) const
    {
        return json::readFile((base / name).string()).value();
    }

    // Of each test its own: they may run at the same time.
    const fs::path base =
        fs::path(SINEW_TEST_OUTPUT_DIR) /
        ("gltf_beside_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    const std::string png = "\x89PNG\r\n\x1a\n and so on";
    using Names = std::vector<std::string>;
};

TEST_F(GltfBeside, buffersAndPicturesGoAlongAndAreNamed)
{
    put("in/mesh data.BIN", "b");
    put("in/a/p.PNG", png);
    put("in/q.jpeg", "\xff\xd8\xff\xe0");
    const GltfFile file = character("mesh%20data.BIN", {"./a//p.PNG", "a/p.PNG", "q.jpeg"});
    const auto written = write(file, "out/o.gltf");
    ASSERT_TRUE(written) << written.error().text();
    EXPECT_EQ(written.value().copied, (Names{"mesh data.BIN", "a/p.PNG", "q.jpeg"}));
    EXPECT_TRUE(written.value().notes.empty());
    EXPECT_EQ(there(), (Names{"a", "a/p.PNG", "mesh data.BIN", "o.gltf", "q.jpeg"}));
    EXPECT_EQ(read("out/a/p.PNG"), png);
    // The same ones are there already.
    const auto again = write(file, "out/again.gltf");
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_TRUE(again.value().copied.empty());
}

TEST_F(GltfBeside, whatIsNoPictureOrHidesStaysBehind)
{
    const Names bad = {".config/autostart/x.desktop",
                       ".hidden.png",
                       "a/.b/c.png",
                       "run.desktop",
                       "x.png.sh",
                       "Makefile",
                       "text.png"};
    for (const std::string& name : bad) put("in/" + name, name == "text.png" ? "[Desktop Entry]" : png);
    const auto written =
        write(character("", {".config/autostart/x.desktop", "%2Ehidden.png", "./a/.b/c.png", "run.desktop",
                             "x.png.sh", "Makefile", "text.png"}),
              "out/o.gltf");
    ASSERT_TRUE(written) << written.error().text();
    EXPECT_TRUE(written.value().copied.empty());
    EXPECT_EQ(written.value().notes.size(), bad.size());
    EXPECT_EQ(there(), Names{"o.gltf"});
}

TEST_F(GltfBeside, buffersByOtherNamesAreAnErrorAndNothingIsWritten)
{
    for (const char* name : {".bashrc", "run.sh", "o.gltf", "p.png", ".x/m.bin"}) {
        put(std::string("in/") + name, "b");
        const auto written = write(character(name, {}), "out/o.gltf");
        ASSERT_FALSE(written) << name;
        EXPECT_NE(written.error().message.find("not copied to another folder"), std::string::npos);
        EXPECT_TRUE(there().empty()) << name;
    }
}

TEST_F(GltfBeside, nothingIsWrittenOverOrThroughLinksAndAllIsTakenBack)
{
    put("in/m.bin", "b");
    put("in/a/p.png", png);
    const GltfFile file = character("m.bin", {"a/p.png"});
    // Somebody's own file where the second one has to go: the first is taken back.
    put("out/a/p.png", "own");
    const auto over = write(file, "out/o.gltf");
    ASSERT_FALSE(over);
    EXPECT_NE(over.error().message.find("another file lies where one that"), std::string::npos);
    EXPECT_EQ(there(), (Names{"a", "a/p.png"}));
    EXPECT_EQ(read("out/a/p.png"), "own");
    // A link to nowhere is there, too.
    fs::remove(base / "out/a/p.png");
    fs::create_symlink("../../elsewhere.png", base / "out/a/p.png");
    EXPECT_FALSE(write(file, "out/o.gltf"));
    EXPECT_TRUE(fs::is_symlink(base / "out/a/p.png"));
    EXPECT_FALSE(fs::exists(base / "elsewhere.png"));
    // A folder of the output that is a link leads out of it.
    fs::remove_all(base / "out/a");
    fs::create_directories(base / "elsewhere");
    fs::create_directory_symlink("../elsewhere", base / "out/a");
    EXPECT_FALSE(write(file, "out/o.gltf"));
    EXPECT_TRUE(fs::is_empty(base / "elsewhere"));
    EXPECT_EQ(there(), Names{"a"});
}

TEST_F(GltfBeside, theOutputIsNoneOfTheCharactersOwnFiles)
{
    put("in/same.gltf", "b");
    put("in/p.gltf", png);
    const GltfFile file = character("same.gltf", {"p%2egltf"});
    fs::create_directory_symlink("in", base / "link");  // the same folder by another way
    for (const char* own : {"in/c.gltf", "in/same.gltf", "in/p.gltf", "in/./same.gltf", "link/same.gltf"}) {
        const auto written = write(file, own);
        ASSERT_FALSE(written) << own;
        EXPECT_NE(written.error().message.find("choose another name"), std::string::npos);
    }
    EXPECT_EQ(read("in/same.gltf"), "b");
    EXPECT_EQ(read("in/p.gltf"), png);
    // Into the same folder nothing is copied.
    const auto beside = write(file, "link/new.gltf");
    ASSERT_TRUE(beside) << beside.error().text();
    EXPECT_TRUE(beside.value().copied.empty());
}

}  // namespace
}  // namespace sinew::gltf_clip_test
