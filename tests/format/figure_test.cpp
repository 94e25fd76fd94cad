// The figure of a scene file: what becomes of it, and where its faults are said to be.
#include <gtest/gtest.h>

#include "sinew/io/json/scene.h"
#include "sinew/state/state.h"
#include "support/same_scene.h"

namespace sinew::figure_test {
namespace {

// A pelvis with two legs, of which one is written; each part may be replaced to spoil it.
struct Parts {
    std::string figure = R"("mass": 70, "mirror": ["left_", "right_"])";
    std::string joint = R"("damping": 2, "stiffness": 30)";
    std::string pelvis = R"("name": "pelvis", "from": [0, 1, 0], "to": [0, 1.1, 0], "segment": "pelvis")";
    std::string thigh =
        R"("name": "left_thigh", "parent": "pelvis", "from": [0.1, 1, 0], "to": [0.1, 0.5, 0], "segment": "thigh")";
    std::string hip = R"("type": "hinge", "axis": [1, 0, 0.5], "damping": 3)";
    std::string rest = R"("bodies": [{"name": "ball", "shapes": [{"type": "sphere", "radius": 0.1}]}],
        "joints": [{"name": "held", "type": "weld", "first": "right_thigh", "second": "ball"}])";

    std::string text() const
    {
        return "{\"sinew\": 1, " + rest + ", \"figure\": {" + figure + ", \"joint\": {" + joint +
               "}, \"bones\": [{" + pelvis + "}, {" + thigh + ", \"joint\": {" + hip + "}}]}}";
    }
};

std::string with(std::string Parts::*part, const std::string& value)
{
    Parts parts;
    parts.*part = value;
    return parts.text();
}

// What is said of the scene by whoever finds the fault: the reader, compile() or initialState().
std::string verdict(const std::string& text)
{
    const Result<Description> scene = parseScene(text, "f");
    if (!scene) return scene.error().text();
    const Result<Model> model = compile(scene.value());
    if (!model) return inFile(model.error(), "f").text();
    const Result<State> state = initialState(model.value(), scene.value());
    return state ? "good" : inFile(state.error(), "f").text();
}

TEST(Figure, bones_become_the_first_bodies_and_joints_each_followed_by_its_twin)
{
    const Result<Description> scene = parseScene(Parts().text(), "f");
    ASSERT_TRUE(scene) << scene.error().text();
    const Description& d = scene.value();
    ASSERT_EQ(d.bodies.size(), 4u);
    const char* bodies[] = {"pelvis", "left_thigh", "right_thigh", "ball"};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(d.bodies[i].name, bodies[i]);
    ASSERT_EQ(d.joints.size(), 3u);
    EXPECT_EQ(d.joints[0].name, "left_thigh");
    EXPECT_EQ(d.joints[0].first, "pelvis");
    EXPECT_EQ(d.joints[0].position, Vec3(0.1, 1, 0));
    EXPECT_EQ(d.joints[0].damping, 3);     // its own
    EXPECT_EQ(d.joints[0].stiffness, 30);  // the figure's
    EXPECT_EQ(d.joints[1].name, "right_thigh");
    EXPECT_EQ(d.joints[1].position, Vec3(-0.1, 1, 0));
    EXPECT_EQ(*d.joints[1].axis, Vec3(1, 0, -0.5));
    EXPECT_EQ(*d.bodies[1].mass, 7);
    EXPECT_EQ(d.bodies[1].pose.position, Vec3(0.1, 0.75, 0));
    EXPECT_EQ(verdict(Parts().text()), "good");
}

TEST(Figure, the_expanded_scene_survives_writing_and_reading)
{
    const Result<Description> scene = parseScene(Parts().text(), "f");
    ASSERT_TRUE(scene) << scene.error().text();
    const std::string text = writeScene(scene.value());
    const Result<Description> again = parseScene(text, "f");
    ASSERT_TRUE(again) << again.error().text();
    expectSame(scene.value(), again.value());
    EXPECT_TRUE(again.value().origins.empty());
    EXPECT_EQ(text.find("-0,"), std::string::npos) << "negative zeros:\n" << text;
}

TEST(Figure, the_standing_person_has_21_bones_70_kilograms_and_stands_on_the_ground)
{
    const Result<Description> scene = readScene(SINEW_SCENE_DIR "/standing.json");
    ASSERT_TRUE(scene) << scene.error().text();
    const Result<Model> compiled = compile(scene.value());
    ASSERT_TRUE(compiled) << inFile(compiled.error(), "standing.json").text();
    const Model& model = compiled.value();
    EXPECT_EQ(model.size(), 21);
    EXPECT_EQ(model.skeletons.size(), 1u);
    EXPECT_EQ(model.bodies[0].name, "pelvis");
    EXPECT_EQ(model.joints[0].type, JointType::free);
    EXPECT_NEAR(model.mass(), 70, 1e-12);
    double low = 1, high = 0;
    for (const BodyDescription& body : scene.value().bodies) {
        for (const ShapeDescription& part : body.shapes) {
            const Pose placed = body.pose * part.pose;
            const Vec3 up = placed.orientation.conjugate() * Vec3::UnitY();
            double reach = 0;
            if (const Box* box = std::get_if<Box>(&part.shape)) reach = up.cwiseAbs().dot(box->size) / 2;
            if (const Capsule* capsule = std::get_if<Capsule>(&part.shape))
                reach = capsule->radius + std::abs(up.y()) * capsule->length / 2;
            ASSERT_GT(reach, 0) << body.name;
            low = std::min(low, placed.position.y() - reach);
            high = std::max(high, placed.position.y() + reach);
        }
    }
    constexpr double centimetre = 0.01;  // the head's radius is fitted to its mass, and the knees are bent
    EXPECT_NEAR(low, 0, 1e-12);
    EXPECT_NEAR(high, 1.74, centimetre);
}

struct Refused {
    std::string Parts::*part;
    const char* value;
    const char* says;  // the start of the line
};

TEST(Figure, faults_point_to_the_place_in_the_file_whoever_finds_them)
{
    const Refused refused[] = {
        // The reader.
        {&Parts::figure, R"("mass": "heavy")", "f: /figure/mass: a number is expected"},
        {&Parts::figure, R"("table": "wintre")",
         "f: /figure/table: unknown table \"wintre\"; did you mean \"winter\"?"},
        {&Parts::figure, R"("table": "me")",
         "f: /figure/table: unknown table \"me\"; the tables are winter, leva_male, leva_female"},
        {&Parts::figure, R"("mirror": ["left_"])",
         "f: /figure/mirror: a list of 2 beginnings of names is expected"},
        {&Parts::figure, R"("mirror": ["left_", ""])", "f: /figure/mirror/1: is empty"},
        {&Parts::figure, R"("mirror_axis": "left")",
         "f: /figure/mirror_axis: unknown axis \"left\"; the axes are x, y, z"},
        {&Parts::figure, R"("tables": "winter")",
         "f: /figure/tables: unknown key \"tables\"; did you mean \"table\"?"},
        {&Parts::joint, R"("position": [0, 0, 0])", "f: /figure/joint/position: unknown key"},
        {&Parts::hip, R"("first": "pelvis")", "f: /figure/bones/1/joint/first: unknown key"},
        {&Parts::thigh, R"("name": "left_thigh", "from": [0.1, 1, 0])",
         "f: /figure/bones/1: a bone needs the key \"to\""},
        {&Parts::thigh, R"("name": "t", "from": [0, 1, 0], "to": [0, 0, 0], "mass": 1)",
         "f: /figure/bones/1: a bone without a parent has no joint"},
        {&Parts::pelvis, R"("name": "pelvis", "from": [0, 1, 0], "to": [0, 1.1, 0], "segment": "pelvs")",
         "f: /figure/bones/0/segment: unknown segment \"pelvs\"; did you mean \"pelvis\"?"},
        // The making of bodies.
        {&Parts::pelvis, R"("name": "pelvis", "from": [0, 1, 0], "to": [0, 1, 0], "segment": "pelvis")",
         "f: /figure/bones/0/to: is where from is"},
        // compile(), in an original, in a twin, in a joint of the figure, in what follows it.
        {&Parts::thigh,
         R"("name": "left_thigh", "parent": "hips", "from": [0.1, 1, 0], "to": [0.1, 0, 0], "mass": 1)",
         "f: /figure/bones/1/parent: there is no body 'hips'"},
        {&Parts::thigh,
         R"("name": "left_thigh", "parent": "left_hip", "from": [0.1, 1, 0], "to": [0.1, 0, 0], "mass": 1)",
         "f: /figure/bones/1/parent: there is no body 'left_hip'"},
        {&Parts::pelvis,
         R"("name": "right_thigh", "from": [0, 1, 0], "to": [0, 1.1, 0], "segment": "pelvis")",
         "f: /figure/bones/1/name: there is a body 'right_thigh' already"},
        {&Parts::hip, R"("type": "hinge")", "f: /figure/bones/1/joint/axis: is missing"},
        {&Parts::hip, R"("name": "hip", "type": "weld", "stiffness": 0, "damping": 0)",
         "f: /figure/bones/1/joint/name: there is a joint 'hip' already"},
        {&Parts::joint, R"("stiffness": -1)", "f: /figure/joint/stiffness: is -1; it must be zero or more"},
        {&Parts::hip, R"("type": "hinge", "axis": [1, 0, 0], "damping": -3)",
         "f: /figure/bones/1/joint/damping: is -3; it must be zero or more"},
        {&Parts::rest, R"("bodies": [{"name": "ball", "shapes": [{"type": "sphere", "radius": -1}]}])",
         "f: /bodies/0/shapes/0/radius: "},
        {&Parts::rest,
         R"("bodies": [], "joints": [{"name": "j", "type": "weld", "first": "world", "second": "it"}])",
         "f: /joints/0/second: there is no body 'it'"},
        {&Parts::thigh,
         R"("name": "left_thigh", "parent": "pelvis", "from": [0.1, 1, 0], "to": [0.1, 0, 0], "mass": 1,
            "shapes": [{"type": "sphere", "radius": 0}])",
         "f: /figure/bones/1/shapes/0/radius: "},
        // initialState().
        {&Parts::thigh,
         R"("name": "left_thigh", "parent": "pelvis", "from": [0.1, 1, 0], "to": [0.1, 0, 0], "mass": 1,
            "velocity": [9, 9, 9])",
         "f: /figure/bones/1/velocity: would tear joint"},
    };
    for (const Refused& r : refused) {
        const std::string text = verdict(with(r.part, r.value));
        EXPECT_TRUE(text.starts_with(r.says)) << text << "\n" << r.says;
    }
    EXPECT_EQ(verdict(R"({"sinew": 1})"),
              "f: a scene needs the key \"bodies\" or the key \"figure\", \"meshes\" or \"particles\"");
}

}  // namespace
}  // namespace sinew::figure_test
