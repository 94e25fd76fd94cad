// BVH as syntax: what is read, what is refused and where, and that writing loses no bit.
#include "sinew/io/bvh/bvh.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/sample_data.h"

namespace sinew::bvh::bvh_test {
namespace {

const std::string head =
    "HIERARCHY\n"
    "ROOT Hips\n"
    "{\n"
    "  OFFSET 1 2 3\n"
    "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "  JOINT Leg\n"
    "  {\n"
    "    OFFSET 0 -4.5 0\n"
    "    CHANNELS 3 Zrotation Xrotation Yrotation\n"
    "    End Site\n"
    "    {\n"
    "      OFFSET 0 -4 0.25\n"
    "    }\n"
    "  }\n"
    "}\n";
const std::string plain = head +
                          "MOTION\n"
                          "Frames: 2\n"
                          "Frame Time: .0083333\n"
                          "1 2 3 10 20 30 0 90 0\n"
                          "1 2 3.5 11 21 31 5 -90 -0.0000\n";

Document parsed(const std::string& text)
{
    Result<Document> result = parse(text, "f.bvh");
    EXPECT_TRUE(result) << result.error().text();
    return result ? std::move(result.value()) : Document{};
}

std::string replaced(std::string text, const std::string& what, const std::string& by)
{
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
}

void expectSame(const Document& a, const Document& b)
{
    ASSERT_EQ(a.joints.size(), b.joints.size());
    for (std::size_t j = 0; j < a.joints.size(); ++j) {
        EXPECT_EQ(a.joints[j].name, b.joints[j].name);
        EXPECT_EQ(a.joints[j].parent, b.joints[j].parent);
        EXPECT_EQ(a.joints[j].offset, b.joints[j].offset);
        EXPECT_EQ(a.joints[j].channels, b.joints[j].channels);
        EXPECT_EQ(a.joints[j].ends, b.joints[j].ends);
    }
    EXPECT_EQ(a.frames, b.frames);
    EXPECT_EQ(a.frameTime, b.frameTime);
    EXPECT_EQ(a.values, b.values);
}

TEST(Bvh, hierarchy_channels_end_sites_and_frames_are_read)
{
    const Document document = parsed(plain);
    ASSERT_EQ(document.joints.size(), 2u);
    const Joint& hips = document.joints[0];
    const Joint& leg = document.joints[1];
    EXPECT_EQ(hips.name, "Hips");
    EXPECT_EQ(hips.parent, -1);
    EXPECT_EQ(hips.offset, Vec3(1, 2, 3));
    EXPECT_EQ(hips.channels,
              (std::vector<Channel>{Channel::xPosition, Channel::yPosition, Channel::zPosition,
                                    Channel::zRotation, Channel::xRotation, Channel::yRotation}));
    EXPECT_TRUE(hips.ends.empty());
    EXPECT_EQ(leg.parent, 0);
    EXPECT_EQ(leg.ends, std::vector<Vec3>{Vec3(0, -4, 0.25)});
    EXPECT_EQ(document.frames, 2);
    EXPECT_EQ(document.frameTime, 0.0083333);
    EXPECT_EQ(document.values,
              (std::vector<double>{1, 2, 3, 10, 20, 30, 0, 90, 0, 1, 2, 3.5, 11, 21, 31, 5, -90, 0}));
}

// Each line of this table is a way in which files of the wild differ from the plain one.
TEST(Bvh, variants_read_as_the_plain_file)
{
    std::string windows, mac, lower;
    for (char c : plain) {
        windows += c == '\n' ? "\r\n" : std::string(1, c);
        mac += c == '\n' ? '\r' : c;
    }
    const std::pair<const char*, std::string> variants[] = {
        {"CRLF", windows},
        {"CR", mac},
        {"byte order mark", "\xEF\xBB\xBF" + plain},
        {"no last line end", plain.substr(0, plain.size() - 1)},
        {"blank lines", "\n\n" + replaced(plain, "MOTION\n", "\n\nMOTION\n\n") + "\n \n\t\n"},
        {"brace on the same line", replaced(plain, "Leg\n  {", "Leg {")},
        {"tabs", replaced(plain, "OFFSET 1 2 3", "\tOFFSET\t1\t 2\t3\t")},
        {"blanks behind", replaced(plain, "Hips\n", "Hips  \t\n")},
        {"lower case", replaced(replaced(plain, "HIERARCHY", "hierarchy"), "Xposition", "xPosition")},
        {"upper case", replaced(replaced(plain, "End Site", "END SITE"), "Zrotation", "ZROTATION")},
        {"end site with a name", replaced(plain, "End Site", "End Site toe")},
        {"blank before the colon", replaced(plain, "Frames: 2", "Frames : 2")},
        {"no blank behind it", replaced(plain, "Frames: 2", "Frames:2")},
        {"no colon", replaced(plain, "Frame Time:", "Frame Time")},
        {"one word", replaced(plain, "Frame Time:", "FrameTime:")},
        {"tab behind it", replaced(plain, "Frame Time: ", "Frame Time:\t")},
        {"plus sign", replaced(plain, "OFFSET 1 ", "OFFSET +1 ")},
        {"exponent", replaced(plain, "31 5", "3.1E+01 5")},
        {"blanks around frames", replaced(plain, "\n1 2 3.5", "\n  1\t2   3.5")},
    };
    for (const auto& [name, text] : variants) {
        SCOPED_TRACE(name);
        expectSame(parsed(text), parsed(plain));
    }
}

TEST(Bvh, names_may_hold_colons_and_blanks)
{
    EXPECT_EQ(parsed(replaced(plain, "Hips", "mixamorig:Hips")).joints[0].name, "mixamorig:Hips");
    EXPECT_EQ(parsed(replaced(plain, "Leg", "Bip01 L Thigh")).joints[1].name, "Bip01 L Thigh");
    EXPECT_EQ(parsed(replaced(plain, "Leg\n  {", "Bip01 L {")).joints[1].name, "Bip01 L");
    EXPECT_EQ(parsed(replaced(plain, "Leg", "Füße")).joints[1].name, "Füße");
}

TEST(Bvh, several_roots_and_joints_without_channels_are_read)
{
    const Document document = parsed(
        "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Zrotation }\nROOT b\n{ OFFSET 0 0 0\nJOINT c\n{ OFFSET "
        "1 1 1 CHANNELS 0 } }\n"
        "MOTION Frames: 1 Frame Time: 0\n5");
    ASSERT_EQ(document.joints.size(), 3u);
    EXPECT_EQ(document.joints[1].parent, -1);
    EXPECT_EQ(document.joints[2].parent, 1);
    EXPECT_EQ(document.values, std::vector<double>{5});
}

struct Fault {
    std::string text;
    std::string place;    // line:column
    std::string message;  // a part of it
};

TEST(Bvh, faults_are_refused_with_line_and_column)
{
    const Fault faults[] = {
        {"", "1:1", "the file is empty"},
        {"solid cube", "1:1", "HIERARCHY is expected"},
        {"HIERARCHY\nMOTION", "2:1", "ROOT or MOTION is expected"},
        {head, "16:1", "the file ends before MOTION"},
        {head.substr(0, head.find("  CHANNELS")), "5:1", "inside joint \"Hips\", which starts at line 2"},
        {replaced(plain, "JOINT Leg", "JOINT Hips"), "6:9", "given twice, first at line 2"},
        {replaced(plain, "JOINT Leg", "JOINT"), "6:8", "a name is expected"},
        {replaced(plain, "JOINT Leg", "JOINT L\xff"), "6:10", "UTF-8"},
        {replaced(plain, "JOINT Leg", "ROOT Leg"), "6:3", "a ROOT cannot stand inside joint \"Hips\""},
        {replaced(plain, "OFFSET 1 2 3", "OFFSET 1 2"), "5:3", "three numbers of OFFSET"},
        {replaced(plain, "OFFSET 1 2 3", "OFFSET 1 2 x"), "4:14", "found \"x\""},
        {replaced(plain, "OFFSET 1 2 3", "OFFSET 1 2,5 3"), "4:12", "found \"2,5\""},
        {replaced(plain, "OFFSET 1 2 3", "OFFSET 1 nan 3"), "4:12", "is not a number that can be meant"},
        {replaced(plain, "OFFSET 1 2 3", "OFFSET 1 1e999 3"), "4:12", "reach up to 1e12"},
        {replaced(plain, "OFFSET 1 2 3\n", "\n"), "15:1", "an OFFSET is missing inside joint \"Hips\""},
        {replaced(plain, "CHANNELS 6", "CHANNELS 5"), "5:64", "more channels than the 5"},
        {replaced(plain, "CHANNELS 6", "CHANNELS 7"), "5:12", "at most 6"},
        {replaced(plain, "CHANNELS 6", "CHANNELS six"), "5:12", "the number of channels is expected"},
        {replaced(plain, "Yposition", "Xposition"), "5:24", "stands twice"},
        {replaced(plain, "Yposition", "Wposition"), "5:24", "a channel, such as Xposition"},
        {replaced(plain, "    }\n", ""), "15:1", "is expected inside joint \"Hips\""},
        {replaced(plain, "MOTION", "}\nMOTION"), "16:1", "closes nothing"},
        {replaced(plain, "Frames: 2", "Frames: -2"), "17:9", "a whole number"},
        {replaced(plain, "Frames: 2", "Frames: 2000000000"), "17:9", "at most"},
        {replaced(plain, "Frames: 2", "Frames: 10000000"), "17:9", "numbers that can be read"},
        {replaced(plain, "Frames: 2", "Frames: 3"), "21:1", "ends after 2 frames, but announces 3"},
        {replaced(plain, "Frames: 2", "Frames: 1"), "20:1", "goes on after the 1 frames"},
        {replaced(plain, ".0083333", "0"), "18:13", "more than 0"},
        {replaced(plain, ".0083333", "inf"), "18:13", "is not a number"},
        {replaced(plain, " 90 0", " 90"), "19:20", "frame 1 has 8 numbers, but the joints have 9 channels"},
        {replaced(plain, " 90 0", " 90 0 0"), "19:23", "frame 1 has more numbers than the 9 channels"},
        {replaced(plain, " 90 0", " 90 -1.#IND"), "19:21", "found \"-1.#IND\""},
    };
    for (const Fault& fault : faults) {
        const Result<Document> result = parse(fault.text, "f.bvh");
        ASSERT_FALSE(result) << fault.message;
        const std::string text = result.error().text();
        EXPECT_EQ(text.find("f.bvh:" + fault.place + ": "), 0u) << text << " for " << fault.place;
        EXPECT_NE(text.find(fault.message), std::string::npos) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos);
    }
}

TEST(Bvh, depth_and_joints_are_limited)
{
    const auto nested = [](int depth) {
        std::string text = "HIERARCHY\nROOT r\n{ OFFSET 0 0 0\n";
        for (int i = 1; i < depth; ++i) text += "JOINT j" + std::to_string(i) + "\n{ OFFSET 0 0 0\n";
        return text + std::string(static_cast<std::size_t>(depth), '}') + "MOTION Frames: 0 Frame Time: 1";
    };
    EXPECT_TRUE(parse(nested(maxDepth), "f"));
    const Result<Document> deep = parse(nested(maxDepth + 1), "f");
    ASSERT_FALSE(deep);
    EXPECT_NE(deep.error().message.find("deeper than"), std::string::npos);
    std::string wide = "HIERARCHY\n";
    for (int i = 0; i <= maxJoints; ++i) wide += "ROOT r" + std::to_string(i) + "\n{ OFFSET 0 0 0 }\n";
    const Result<Document> many = parse(wide, "f");
    ASSERT_FALSE(many);
    EXPECT_NE(many.error().message.find("joints"), std::string::npos);
}

TEST(Bvh, written_and_read_again_is_the_same_to_the_bit)
{
    Document document = parsed(plain);
    document.values = {1. / 3, -0.0, 1e12, 1e-9, 5e-324, -123456.789, 1e-300, 2.0 / 3e5, 180,
                       0,      1,    2,    3,    4,      5,           6,      7,         8};
    document.frameTime = 1. / 120;
    document.joints[0].ends = {Vec3(1, 1. / 7, 0), Vec3(0, 0, 1)};  // beside children
    const std::string text = write(document);
    expectSame(parsed(text), document);
    EXPECT_EQ(write(parsed(text)), text);
}

TEST(Bvh, samples_are_the_same_when_read_and_written_back)
{
    const std::string folder = sampleData("bvh");
    if (folder.empty()) GTEST_SKIP() << sampleDataMissing;
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        SCOPED_TRACE(entry.path().filename().string());
        const Result<Document> document = read(entry.path().string());
        ASSERT_TRUE(document) << document.error().text();
        EXPECT_EQ(document.value().joints.size(), 31u);
        EXPECT_EQ(document.value().channelCount(), 96u);
        expectSame(parsed(write(document.value())), document.value());
        ++files;
    }
    EXPECT_GE(files, 3);
}

}  // namespace
}  // namespace sinew::bvh::bvh_test
