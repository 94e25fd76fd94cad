// What outputs tell of contacts, and how their table is written and read back.
#include "sinew/state/contacts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sinew/collision/detect.h"
#include "sinew/io/csv/contacts_csv.h"
#include "sinew/io/csv/text_reader.h"
#include "sinew/io/json/scene.h"
#include "sinew/state/measure.h"

namespace sinew::contacts_test {
namespace {

constexpr double rounding = 1e-14;

struct Scene {
    Description description;
    Model model;
    State state;

    explicit Scene(const std::string& text)
        : description(parseScene(text, "test").value()),
          model(compile(description).value()),
          state(initialState(model, description).value())
    {
    }
};

// A ball that lies on a floor with a strange name, and a box beside it.
Scene twoOnAFloor()
{
    return Scene(R"({"sinew": 1, "contact": true,
        "bodies": [{"name": "ball", "position": [1, 0.2, 0], "shapes": [{"type": "sphere", "radius": 0.2}]},
                   {"name": "box", "position": [2, 0.5, 0], "shapes": [{"type": "box", "size": [1, 1, 1]}]}],
        "obstacles": [{"type": "plane", "name": "floor, \"wood\""}]})");
}

// The ball (A) on the floor (B), as deep as that, with an impulse along the normal and the first tangent.
Contact ballOnFloor(const Scene& scene, double depth)
{
    Contact c;
    c.bodyA = scene.model.findBody("ball");
    c.bodyB = -1;
    for (std::size_t i = 0; i < scene.model.colliders.size(); ++i) {
        if (scene.model.colliders[i].body == c.bodyA) c.colliderA = static_cast<int>(i);
        if (scene.model.colliders[i].body < 0) c.colliderB = static_cast<int>(i);
    }
    c.roundA = 0.2;
    c.pointB = Vec3(1, depth, 0);
    c.normal = -Vec3::UnitY();
    c.gap = -depth;
    c.impulse = Vec3(0.3, 0.04, 0);
    return c;
}

TEST(Contacts, gap_place_and_force_are_those_of_the_anchors_and_the_impulse)
{
    Scene scene = twoOnAFloor();
    Contact c = ballOnFloor(scene, 0.01);
    EXPECT_NEAR(contactGap(c, scene.state), -0.01, rounding);
    EXPECT_NEAR((contactPlace(c, scene.state) - Vec3(1, 0.005, 0)).norm(), 0, rounding);
    // On B, the floor: down, and along the tangent that contactFrame has.
    const Vec3 tangent = contactFrame(c.normal).row(1).transpose();
    EXPECT_NEAR((contactForce(c, 0.1) - (3 * c.normal + 0.4 * tangent)).norm(), 0, rounding);

    scene.state.bodies[c.bodyA].position.y() += 0.03;  // the gap follows the body, not what was found
    EXPECT_NEAR(contactGap(c, scene.state), 0.02, rounding);
}

TEST(Contacts, readings_speak_of_a_body_and_of_the_force_on_it)
{
    const Scene scene = twoOnAFloor();
    const Contact c = ballOnFloor(scene, 0);
    const ContactReading reading = readContact(c, scene.state, 0.1);
    EXPECT_EQ(reading.first, c.colliderB);
    EXPECT_EQ(reading.second, c.colliderA);
    EXPECT_NEAR((reading.normal - Vec3::UnitY()).norm(), 0, rounding);
    EXPECT_NEAR(reading.force.y(), 3, rounding);
    EXPECT_NEAR((reading.force + contactForce(c, 0.1)).norm(), 0, rounding);
}

TEST(Contacts, depth_is_that_of_the_shapes_where_they_are)
{
    Scene scene = twoOnAFloor();
    Collisions collisions;
    const int ball = scene.model.findBody("ball");
    EXPECT_NEAR(collisions.depth(scene.model, scene.state), 0, rounding);
    scene.state.bodies[ball].position.y() -= 0.004;
    EXPECT_NEAR(collisions.depth(scene.model, scene.state), 0.004, rounding);
    // Anchors that are no more where shapes touch count for nothing.
    scene.state.contacts = {ballOnFloor(scene, 0.1)};
    EXPECT_NEAR(collisions.depth(scene.model, scene.state), 0.004, rounding);
    scene.state.bodies[ball].position.y() += 0.01;
    EXPECT_EQ(collisions.depth(scene.model, scene.state), 0);

    EXPECT_EQ(contactCount(scene.state), 1);
    scene.state.contacts[0].impulse.setZero();  // only near
    EXPECT_EQ(contactCount(scene.state), 0);
}

TEST(Contacts, the_table_tells_when_a_pair_begins_holds_and_ends)
{
    Scene scene = twoOnAFloor();
    std::vector<TouchingPair> touching;
    const auto rows = [&](double time) {
        std::string text;
        appendContactRows(time, scene.model, scene.description, scene.state, 0.1, touching, text);
        return text;
    };
    EXPECT_EQ(rows(0), "");
    scene.state.contacts = {ballOnFloor(scene, 0)};
    scene.state.contacts[0].impulse = Vec3(0.5, 0, 0);
    const std::string names = R"("floor, ""wood""",ball)";
    const std::string begin = rows(1), hold = rows(2), end = [&] {
        scene.state.contacts.clear();
        return rows(3);
    }();
    EXPECT_TRUE(begin.starts_with("1,begin," + names + ",1,0,0,")) << begin;
    EXPECT_TRUE(hold.starts_with("2,hold," + names + ",1,0,0,")) << hold;
    EXPECT_EQ(end, "3,end," + names + ",,,,,,,,,,\n");
    EXPECT_EQ(rows(4), "");

    // What was written reads back, quotes and empty fields too.
    const std::string path = ::testing::TempDir() + "contacts_test.csv";
    std::ofstream(path) << contactsHeader() << begin << end;
    Result<TextReader> reader = TextReader::open(path, contactsHeader());
    ASSERT_TRUE(reader);
    TextReader& table = reader.value();
    ASSERT_TRUE(table.readRow());
    EXPECT_EQ(table.field(2), R"(floor, "wood")");
    EXPECT_EQ(table.number(11), 5);  // fy
    ASSERT_TRUE(table.readRow());
    EXPECT_EQ(table.field(1), "end");
    EXPECT_EQ(table.fault(), "");
    EXPECT_EQ(table.number(4), 0);
    EXPECT_NE(table.fault().find("row 2 holds something that is not a number"), std::string::npos);
    EXPECT_FALSE(table.readRow());
    std::filesystem::remove(path);
}

TEST(Contacts, text_tables_that_are_cut_or_uneven_are_faults)
{
    const std::string path = ::testing::TempDir() + "contacts_cut.csv";
    const auto faultOf = [&](const std::string& text) {
        std::ofstream(path) << text;
        Result<TextReader> reader = TextReader::open(path, "a,b\n");
        if (!reader) return reader.error().text();
        while (reader.value().readRow()) {
        }
        return reader.value().fault();
    };
    EXPECT_EQ(faultOf("a,b\n\"\"\"x\n\"\"\",2\n"), "");  // a quote first, and a line break in the text
    EXPECT_NE(faultOf("a,b\n1,2\n1").find("row 2 is cut off"), std::string::npos);
    EXPECT_NE(faultOf("a,b\n\"1,2\n").find("row 1 is cut off"), std::string::npos);
    EXPECT_NE(faultOf("a,b\n1\n").find("row 1 does not have as many fields"), std::string::npos);
    EXPECT_NE(faultOf("a,c\n").find("columns"), std::string::npos);
    std::filesystem::remove(path);
    EXPECT_FALSE(TextReader::open(path, "a,b\n"));
}

TEST(Contacts, a_torn_loop_counts_as_a_joint_gap)
{
    Scene scene(R"({"sinew": 1,
        "bodies": [{"name": "a", "position": [0, 0, 0], "shapes": [{"type": "sphere", "radius": 0.1}]},
                   {"name": "b", "position": [1, 0, 0], "shapes": [{"type": "sphere", "radius": 0.1}]}],
        "joints": [{"name": "one", "type": "slide", "first": "world", "second": "a", "axis": [1, 0, 0]},
                   {"name": "two", "type": "slide", "first": "world", "second": "b", "axis": [1, 0, 0]},
                   {"name": "closing", "type": "spherical", "first": "a", "second": "b", "position": [0.5, 0, 0]}]})");
    ASSERT_EQ(scene.model.loops.size(), 1u);
    EXPECT_NEAR(largestJointError(scene.model, scene.state).gap, 0, rounding);
    scene.state.bodies[scene.model.loops[0].child].position.x() += 0.25;  // along its slide
    EXPECT_NEAR(largestJointError(scene.model, scene.state).gap, 0.25, rounding);
}

}  // namespace
}  // namespace sinew::contacts_test
