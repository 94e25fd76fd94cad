// Springs, media and fields in scene files: read and written back, and the one clear line for each mistake.
#include <gtest/gtest.h>

#include "sinew/io/json/scene.h"
#include "sinew/model/fields.h"
#include "sinew/model/model.h"
#include "sinew/model/springs.h"

namespace sinew::springs_scene_test {
namespace {

const std::string bodies = R"("sinew": 1,
  "bodies": [{"name": "a", "shapes": [{"type": "sphere", "radius": 0.2}], "drag": {"area": 2, "coefficient": 1}},
             {"name": "b", "position": [1, 0, 0], "mass": 1, "inertia": [1, 1, 1], "drag": {"radius": 0.3}}])";

const std::string everything = "{" + bodies + R"(,
  "springs": [
    {"name": "s", "first": "a", "second": {"body": "world", "point": [0, 2, 0]}, "length": 1, "stiffness": 3,
     "damping": 2, "acts": "pull"},
    {"first": {"body": "a", "path": {"points": [[0, 0, 0], [1, 0, 0], [1, 1, 0]], "smooth": true, "closed": true}},
     "second": "b", "stiffness": 5, "acts": "push", "length": 3},
    {"first": "a", "second": {"body": "b", "plane": {"point": [0, 1, 0], "normal": [0, 2, 0]}}, "stiffness": 1},
    {"first": "a", "second": {"body": "b", "sphere": {"center": [0, 1, 0], "radius": 0.5}}, "stiffness": 1},
    {"first": "a", "second": {"cylinder": {"point": [0, 1, 0], "axis": [1, 0, 0], "radius": 0.5}}, "damping": 1},
    {"first": "a", "second": "b", "turn_stiffness": 4, "turn_damping": 0.5}],
  "medium": {"viscosity": 0.1, "density": 2},
  "fields": [{"type": "wind", "name": "w", "velocity": [1, 2, 3], "signal": {"sine": {}}},
             {"type": "gusts", "speed": 1, "size": 2, "duration": 3, "velocity": [1, 0, 0], "seed": 9,
              "position": [1, 1, 1], "orientation": [0, 0.6, 0, 0.8], "mirrored": true},
             {"type": "vortex", "position": [1, 0, 0], "axis": [1, 1, 0], "radius": 0.5, "speed": -2},
             {"type": "attractor", "position": [0, 1, 0], "strength": -2, "exponent": 3, "softening": 0.1,
              "gives": "force"}]})";

TEST(SpringsScene, reads_and_compiles)
{
    const Result<Description> d = parseScene(everything, "all.json");
    ASSERT_TRUE(d) << d.error().text();
    const Result<Model> model = compile(d.value());
    ASSERT_TRUE(model) << model.error().text();
    const Model& m = model.value();
    ASSERT_EQ(m.springs.size(), 6u);
    EXPECT_EQ(m.springs[0].acts, SpringActs::pull);
    EXPECT_TRUE(m.springs[1].isSwapped);  // the end that does not slide is `a`
    EXPECT_EQ(m.springs[1].a.body, m.findBody("b"));
    EXPECT_EQ(m.springs[2].length, -1);  // a is a metre behind the plane
    EXPECT_EQ(m.springs[3].length, 0.5);
    EXPECT_EQ(m.drags[0].area, 2);
    EXPECT_NEAR(m.drags[0].radius, 0.2, 1e-15);  // of its sphere
    EXPECT_EQ(m.drags[1].radius, 0.3);
    EXPECT_NEAR(m.drags[1].area, 0.47 * pi * 0.09, 1e-15);
    EXPECT_EQ(m.fields[1].waves.size(), 12u);
    EXPECT_NEAR(m.fields[2].axis.norm(), 1, 1e-15);
    EXPECT_EQ(m.runs.size(), 1u);
}

TEST(SpringsScene, is_written_so_that_it_reads_back_the_same)
{
    const Result<Description> first = parseScene(everything, "all.json");
    ASSERT_TRUE(first) << first.error().text();
    const std::string written = writeScene(first.value());
    const Result<Description> second = parseScene(written, "written.json");
    ASSERT_TRUE(second) << second.error().text() << written;
    EXPECT_EQ(writeScene(second.value()), written);
    for (const char* word : {"\"closed\"", "\"push\"", "\"mirrored\"", "\"gives\"", "\"coefficient\"",
                             "\"viscosity\"", "\"turn_damping\"", "\"cylinder\"", "\"normal\"", "\"seed\""})
        EXPECT_NE(written.find(word), std::string::npos) << word;
}

// What is said of a scene with this beside its bodies.
std::string fault(const std::string& more)
{
    const Result<Description> d = parseScene("{" + bodies + ", " + more + "}", "bad.json");
    if (!d) return d.error().text();
    const Result<Model> model = compile(d.value());
    return model ? "good" : model.error().text();
}
std::string springFault(const std::string& spring)
{
    return fault("\"springs\": [{" + spring + "}]");
}

TEST(SpringsScene, says_what_is_wrong_with_a_spring)
{
    const std::string ends = R"("first": "a", "second": "b", )";
    const auto expect = [](const std::string& found, const std::string& expected) {
        EXPECT_NE(found.find(expected), std::string::npos) << found << "\n  instead of\n" << expected;
    };
    expect(springFault(ends + R"("stiffness": -1)"),
           "/springs/0/stiffness: is -1; it must be zero or more");
    expect(springFault(ends + R"("damping": -1)"), "/springs/0/damping: is -1");
    expect(springFault(ends + R"("turn_stiffness": -1)"), "/springs/0/turn_stiffness: is -1");
    expect(springFault(ends + R"("stiffness": 1, "length": -2)"), "/springs/0/length: is -2");
    expect(springFault(ends + R"("stiffness": 1e99)"),
           "/springs/0/stiffness: is 1e+99; at most 1e30 is taken");
    expect(springFault(ends + R"("length": 1)"), "/springs/0: has no spring and no damper");
    expect(springFault(R"("first": "a", "second": "c", "stiffness": 1)"), "/springs/0/second/body: ");
    expect(springFault(R"("first": "a", "stiffness": 1)"), "a spring needs the key \"second\"");
    expect(springFault(R"("first": "a", "second": "world", "stiffness": 1)"),
           "/springs/0/second/point: is missing; an end in the world needs it");
    expect(springFault(R"("first": "a", "second": {"body": "a", "point": [1, 0, 0]}, "stiffness": 1)"),
           "/springs/0: both ends are on body 'a', which does not stretch");
    expect(springFault(R"("first": {"point": [0, 0, 0]}, "second": {"point": [1, 0, 0]}, "stiffness": 1)"),
           "/springs/0: both ends are in the world");
    expect(springFault(ends + R"("stiffness": 1, "acts": "shove")"), "/springs/0/acts: ");
    expect(springFault(ends + R"("stiffness": 1, "length": 0, "acts": "push")"),
           "/springs/0/acts: is push");
    expect(springFault(R"("first": {"body": "a", "sphere": {"center": [0, 0, 0], "radius": 1}},
                          "second": {"body": "b", "plane": {"point": [0, 0, 0], "normal": [0, 1, 0]}}, "stiffness": 1)"),
           "/springs/0: both ends slide");
    expect(
        springFault(
            R"("first": "a", "second": {"body": "b", "point": [0, 0, 0], "sphere": {}}, "stiffness": 1)"),
        "/springs/0/second/sphere: an end is one of point, path, plane, sphere and cylinder");
    expect(
        springFault(
            R"("first": "a", "second": {"body": "b", "sphere": {"center": [0, 0, 0], "radius": 0}}, "stiffness": 1)"),
        "/springs/0/second/sphere/radius: is 0; it must be positive");
    expect(
        springFault(
            R"("first": "a", "second": {"plane": {"point": [0, 0, 0], "normal": [0, 0, 0]}}, "stiffness": 1)"),
        "/springs/0/second/plane/normal: is zero or not finite");
    expect(springFault(R"("first": "a", "second": {"path": {"points": [[0, 0, 0]]}}, "stiffness": 1)"),
           "/springs/0/second/path/points: has fewer than 2 points");
    expect(springFault(
               R"("first": "a", "second": {"path": {"points": [[0, 0, 0], [0, 0, 0]]}}, "stiffness": 1)"),
           "/springs/0/second/path/points/1: is the same as the point before it");
    expect(springFault(R"("first": 3, "second": "b", "stiffness": 1)"), "/springs/0/first: ");
    expect(fault(R"("springs": [{"name": "s", "first": "a", "second": "b", "stiffness": 1},
                               {"name": "s", "first": "a", "second": "b", "stiffness": 1}])"),
           "/springs/1/name: there is a spring 's' already");
}

TEST(SpringsScene, says_what_is_wrong_with_a_medium_or_a_field)
{
    const auto expect = [](const std::string& found, const std::string& expected) {
        EXPECT_NE(found.find(expected), std::string::npos) << found << "\n  instead of\n" << expected;
    };
    expect(fault(R"("medium": {"viscosity": -1})"), "/medium/viscosity: is -1; it must be zero or more");
    expect(fault(R"("medium": {"density": -1})"), "/medium/density: is -1");
    expect(fault(R"("medium": {"thickness": 1})"), "/medium/thickness: ");
    expect(fault(R"("fields": [{"type": "storm"}])"), "/fields/0/type: ");
    expect(fault(R"("fields": [{"velocity": [1, 0, 0]}])"), "/fields/0: a field needs the key \"type\"");
    expect(fault(R"("fields": [{"type": "wind", "velocity": [1, 0, 0], "radius": 1}])"),
           "/fields/0/radius: ");
    expect(fault(R"("fields": [{"type": "wind"}])"), "velocity");
    expect(fault(R"("fields": [{"type": "gusts", "speed": 1, "size": 0}])"), "/fields/0/size: is 0");
    expect(fault(R"("fields": [{"type": "gusts", "speed": -1, "size": 1}])"), "/fields/0/speed: is -1");
    expect(fault(R"("fields": [{"type": "gusts", "speed": 1, "size": 1, "seed": 1.5}])"),
           "/fields/0/seed: ");
    expect(fault(R"("fields": [{"type": "vortex", "speed": 1, "radius": -1}])"), "/fields/0/radius: is -1");
    expect(fault(R"("fields": [{"type": "vortex", "speed": 1, "radius": 1, "axis": [0, 0, 0]}])"),
           "/fields/0/axis: is zero or not finite");
    expect(fault(R"("fields": [{"type": "attractor", "strength": 1, "exponent": 7}])"),
           "/fields/0/exponent: is 7; it must be from -1 to 4");
    expect(fault(R"("fields": [{"type": "attractor", "strength": 1, "softening": -1}])"),
           "/fields/0/softening: ");
    const std::string negative = R"({"sinew": 1, "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1],
                                     "drag": {"radius": -1}}]})";
    const Result<Model> model = compile(parseScene(negative, "bad.json").value());
    ASSERT_FALSE(model);
    expect(model.error().text(), "/bodies/0/drag/radius: is -1");
}

}  // namespace
}  // namespace sinew::springs_scene_test
