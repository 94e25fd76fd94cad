// sinew convert --onto, bake --motion and motions in scenes: motions of one file for the character of
// another.
#include "cli/command.h"
#include "sinew/io/character_file.h"

namespace sinew::testing {

namespace {

// A person in a few bones as a BVH, `scale` times as large, walking along z: names from `prefix`.
std::string person(double scale, const std::string& prefix, int frames)
{
    std::string text = "HIERARCHY\n";
    const auto joint = [&](const char* kind, const std::string& name, double x, double y, double z) {
        const auto number = [&](double v) { return std::to_string(scale * v); };
        text += std::string(kind) + " " + prefix + name + "\n{\nOFFSET " + number(x) + " " + number(y) +
                " " + number(z) +
                (kind == std::string("ROOT")
                     ? "\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
                     : "\nCHANNELS 3 Zrotation Xrotation Yrotation\n");
    };
    joint("ROOT", "Hips", 0, 0, 0);
    joint("JOINT", "Spine", 0, 0.1, 0);
    joint("JOINT", "Head", 0, 0.5, 0);
    text += "End Site\n{\nOFFSET 0 " + std::to_string(0.2 * scale) + " 0\n}\n}\n}\n";
    for (const auto& [side, x] : {std::pair<std::string, double>{"Left", 0.1}, {"Right", -0.1}}) {
        joint("JOINT", side + "UpLeg", x, 0, 0);
        joint("JOINT", side + "Leg", 0, -0.45, 0);
        joint("JOINT", side + "Foot", 0, -0.45, 0);
        text += "End Site\n{\nOFFSET 0 " + std::to_string(-0.05 * scale) + " " +
                std::to_string(0.15 * scale) + "\n}\n}\n}\n}\n";
    }
    text += "}\nMOTION\nFrames: " + std::to_string(frames) + "\nFrame Time: 0.0333333\n";
    for (int k = 0; k < frames; ++k) {
        const double swing = 20 * std::sin(0.4 * k);
        text += "0 " + std::to_string(0.9 * scale) + " " + std::to_string(0.03 * k * scale) +
                " 0 0 0  0 0 " + std::to_string(swing) + " 0 0 0 ";
        for (const double sign : {1.0, -1.0})
            text += "0 " + std::to_string(sign * swing) + " 0  0 " +
                    std::to_string(10 - 10 * std::cos(0.4 * k)) + " 0 0 0 0 ";
        text += "\n";
    }
    return text;
}

class RetargetCommand : public CommandTest {
protected:
    void SetUp() override
    {
        CommandTest::SetUp();
        writeText(at("walk.bvh"), person(1, "", 31));
        writeText(at("other.bvh"), person(0.5, "", 1));
        writeText(at("named.bvh"), person(0.5, "x_", 1));
    }
    static Vec3 place(const CharacterFile& file, const std::string& bone, double time)
    {
        const Rig& rig = file.rig;
        return worldFrames(
                   rig, localPose(rig, rig.clips.front(), time))[static_cast<std::size_t>(rig.find(bone))]
            .pose.position;
    }
};

TEST_F(RetargetCommand, convert_puts_a_motion_onto_a_character_half_the_size)
{
    const Outcome outcome = run({"convert", "walk.bvh", "out.bvh", "--onto", "other.bvh"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("9 bones are led, lengths times 0.5, the feet of 2 legs"), std::string::npos)
        << outcome.err;
    const Result<CharacterFile> walk = readCharacter(at("walk.bvh")), made = readCharacter(at("out.bvh"));
    ASSERT_TRUE(walk && made);
    for (const double time : {0.0, 0.3, 0.9})
        for (const char* bone : {"Hips", "Head", "LeftFoot", "RightLeg"})
            EXPECT_LT((place(made.value(), bone, time) - 0.5 * place(walk.value(), bone, time)).norm(),
                      1e-4)
                << bone;
}

TEST_F(RetargetCommand, a_map_leads_bones_that_have_other_names)
{
    writeText(at("map.txt"),
              "# theirs = ours\nHips = x_Hips\n\nSpine=x_Spine # the only one\nLeftUpLeg = "
              "x_LeftUpLeg\nHead =\n");
    const Outcome outcome =
        run({"convert", "walk.bvh", "out.bvh", "--onto", "named.bvh", "--map", "map.txt"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("of the motion no partner was found for 1 bone: Head"), std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("of the character nothing leads 1 bone: x_Head"), std::string::npos)
        << outcome.err;
}

TEST_F(RetargetCommand, bad_maps_are_one_line)
{
    const std::pair<const char*, std::vector<std::string>> cases[] = {
        {"Hips x_Hips\n", {"map.txt:1", "is no pair"}},
        {"\n= x_Hips\n", {"map.txt:2", "names no bone of the motion"}},
        {"Hips = x_Hips\nSpine = x_Hips\n", {"map.txt:2", "x_Hips", "line 1"}},
        {"Hip = x_Hips\n", {"map.txt:1", "the motion has no bone", "perhaps \"Hips\""}},
        {"Hips = Hips\n", {"map.txt:1", "the character has no bone"}},
    };
    for (const auto& [text, says] : cases) {
        writeText(at("map.txt"), text);
        refused({"convert", "walk.bvh", "out.bvh", "--onto", "named.bvh", "--map", "map.txt"}, says);
        refused({"bake", "named.bvh", "--motion", "walk.bvh", "--map", "map.txt", "--dynamic", "*Head*",
                 "-o", "out.bvh"},
                says);
        EXPECT_FALSE(fs::exists(at("out.bvh")));
    }
    refused({"convert", "walk.bvh", "out.bvh", "--map", "map.txt"}, {"--map", "--onto"});
    refused({"convert", "walk.bvh", "out.bvh", "--onto", "named.bvh", "--map", "none.txt"}, {"none.txt"});
    refused({"convert", "walk.bvh", "out.bvh", "--onto", "none.bvh"}, {"none.bvh"});
    refused({"convert", "walk.bvh", "other.bvh", "--onto", "other.bvh"}, {"OUT", "own files"});
    refused({"convert", "walk.bvh", "out.bvh", "--onto", "other.bvh", "--clip", "run"},
            {"--clip", "no clip \"run\""});
    makeChain();
    refused({"convert", "chain.json", "out.bvh", "--onto", "other.bvh"}, {"--onto", "chain.json"});
}

TEST_F(RetargetCommand, bake_begins_with_the_motion)
{
    const Outcome outcome = run(
        {"bake", "other.bvh", "--motion", "walk.bvh", "--dynamic", "Head", "-o", "out.bvh", "--fps", "30"});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("from 'walk'"), std::string::npos) << outcome.out;
    const Result<CharacterFile> walk = readCharacter(at("walk.bvh")), made = readCharacter(at("out.bvh"));
    ASSERT_TRUE(walk && made);
    // What is not dynamic is where the motion has it.
    EXPECT_LT((place(made.value(), "LeftFoot", 0.5) - 0.5 * place(walk.value(), "LeftFoot", 0.5)).norm(),
              1e-3);
    EXPECT_GT((place(made.value(), "Hips", 1) - place(made.value(), "Hips", 0)).norm(), 0.4);
}

TEST_F(RetargetCommand, a_scene_tracks_the_motion_on_its_own_character)
{
    good({"convert", "other.bvh", "scene.json", "--unit", "m"});
    std::string text = readText(at("scene.json"));
    const std::size_t end = text.rfind('}');
    ASSERT_NE(end, std::string::npos);
    const auto with = [&](const std::string& motion) {
        writeText(at("tracked.json"),
                  text.substr(0, end) + ", \"motions\": [" + motion +
                      "], \"tracks\": [{\"motion\": \"walk\", \"turn_stiffness\": 20}]}");
    };
    with(R"({"name": "walk", "file": "walk.bvh", "onto": "other.bvh"})");
    good({"run", "tracked.json", "-o", "out", "--duration", "0.1"});
    writeText(at("map.txt"), "Hips = Hip\n");
    with(R"({"name": "walk", "file": "walk.bvh", "onto": "other.bvh", "map": "map.txt"})");
    refused({"check", "tracked.json"}, {"map.txt:1"});
    with(R"({"name": "walk", "file": "walk.bvh", "map": "map.txt"})");
    refused({"check", "tracked.json"}, {"/motions/0/map", "onto"});
    with(R"({"name": "walk", "file": "walk.bvh", "onto": "none.bvh"})");
    refused({"check", "tracked.json"}, {"none.bvh"});
}

}  // namespace

}  // namespace sinew::testing
