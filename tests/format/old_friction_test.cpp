// The key `friction` of a joint meant viscous damping. It is read as such, with a note; scenes are written
// with `damping`.
#include <gtest/gtest.h>

#include "sinew/io/json/scene.h"

namespace sinew::old_friction_test {
namespace {

std::string sceneWith(const std::string& keys)
{
    return R"({"sinew": 1, "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1]}],
"joints": [{"name": "j", "type": "hinge", "first": "world", "second": "a", "axis": [0, 0, 1])" +
           keys + "}]}";
}

TEST(OldFriction, is_added_to_damping_in_either_order)
{
    for (const char* keys :
         {R"(, "damping": 0.1, "friction": 0.2)", R"(, "friction": 0.2, "damping": 0.1)"}) {
        std::vector<Diagnostic> notes;
        const Result<Description> scene = parseScene(sceneWith(keys), "f.json", &notes);
        ASSERT_TRUE(scene) << scene.error().text();
        EXPECT_EQ(scene.value().joints[0].damping, 0.1 + 0.2);
        ASSERT_EQ(notes.size(), 1u);
        EXPECT_EQ(notes[0].text(),
                  "f.json: /joints/0/friction: is viscous damping, and is added to \"damping\"; write "
                  "damping (dry friction is coulomb)");
        const std::string text = writeScene(scene.value());
        EXPECT_EQ(text.find("friction"), std::string::npos) << text;
        std::vector<Diagnostic> none;
        EXPECT_EQ(parseScene(text, "f.json", &none).value().joints[0].damping, 0.1 + 0.2);
        EXPECT_TRUE(none.empty());
    }
    EXPECT_EQ(parseScene(sceneWith(R"(, "friction": 0.2)"), "f").value().joints[0].damping, 0.2);
}

TEST(OldFriction, of_one_joint_is_not_that_of_the_next)
{
    const char* text = R"({"sinew": 1, "figure": {"joint": {"damping": 1}, "bones": [
 {"name": "a", "from": [0, 0, 0], "to": [0, 1, 0], "mass": 1},
 {"name": "b", "from": [0, 1, 0], "to": [0, 2, 0], "mass": 1, "parent": "a",
  "joint": {"type": "spherical", "friction": 2}},
 {"name": "c", "from": [0, 2, 0], "to": [0, 3, 0], "mass": 1, "parent": "b", "joint": {"type": "spherical"}}]}})";
    std::vector<Diagnostic> notes;
    const Result<Description> scene = parseScene(text, "f", &notes);
    ASSERT_TRUE(scene) << scene.error().text();
    ASSERT_EQ(scene.value().joints.size(), 2u);
    EXPECT_EQ(scene.value().joints[0].damping, 3);
    EXPECT_EQ(scene.value().joints[1].damping, 1);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(notes[0].pointer, "/figure/bones/1/joint/friction");
}

TEST(OldFriction, that_is_negative_or_no_number_is_refused)
{
    const auto error = [](const std::string& keys) {
        const Result<Description> scene = parseScene(sceneWith(keys), "f");
        return scene ? std::string() : scene.error().text();
    };
    EXPECT_EQ(error(R"(, "friction": -1)"), "f: /joints/0/friction: is negative; it must be zero or more");
    EXPECT_NE(error(R"(, "friction": "much")"), "");
}

}  // namespace
}  // namespace sinew::old_friction_test
