// Contact in scene files: what it is without a word, and how what is wrong with it is said.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sinew/io/json/scene.h"
#include "sinew/state/state.h"
#include "support/same_scene.h"

namespace sinew::contact_scene_test {
namespace {

// A ball over an obstacle; each part may be replaced to spoil it.
struct Parts {
    std::string body = R"("name": "ball", "layer": "toys")";
    std::string obstacle = R"("type": "plane")";
    std::string contact = R"("contact": true)";

    std::string text() const
    {
        return R"({"sinew": 1, "bodies": [{)" + body +
               R"(, "position": [0, 2, 0], "shapes": [{"type": "sphere", "radius": 1}]}], "obstacles": [{)" +
               obstacle + "}], " + contact + "}";
    }
};

std::string with(std::string Parts::*part, const std::string& value)
{
    Parts parts;
    parts.*part = value;
    return parts.text();
}

// What is said of the scene by whoever finds the fault: the reader or compile().
std::string verdict(const std::string& text)
{
    const Result<Description> scene = parseScene(text, "f");
    if (!scene) return scene.error().text();
    const Result<Model> model = compile(scene.value());
    return model ? "good" : inFile(model.error(), "f").text();
}

TEST(ContactScene, true_and_an_empty_object_are_contact_as_it_is_without_a_word)
{
    for (const char* text : {R"("contact": true)", R"("contact": {})"}) {
        const Result<Description> scene = parseScene(with(&Parts::contact, text), "f");
        ASSERT_TRUE(scene) << scene.error().text();
        ASSERT_TRUE(scene.value().contact.has_value());
        expectSame(*scene.value().contact, ContactDescription{});
        EXPECT_NE(writeScene(scene.value()).find("\"contact\": true"), std::string::npos);
    }
    const Result<Description> without = parseScene(with(&Parts::contact, R"("contact": false)"), "f");
    ASSERT_TRUE(without) << without.error().text();
    EXPECT_FALSE(without.value().contact.has_value());
}

// The defaults that docs/scene.md states.
TEST(ContactScene, has_the_documented_defaults)
{
    const ContactDescription usual;
    EXPECT_EQ(usual.response, ContactDescription::Response::resting);
    EXPECT_EQ(usual.friction, 0.6);
    EXPECT_FALSE(usual.staticFriction.has_value());
    EXPECT_EQ(usual.rollingFriction, 0);
    EXPECT_EQ(usual.spinningFriction, 0);
    EXPECT_EQ(usual.restitution, 0);
    EXPECT_FALSE(usual.bounceSpeed);
    EXPECT_EQ(usual.keep, 0.5);
    EXPECT_EQ(usual.stiffness, 100000);
    EXPECT_EQ(usual.damping, 500);
    EXPECT_TRUE(usual.atFraction);
    EXPECT_EQ(usual.accuracy, ContactDescription::Accuracy::exact);
    EXPECT_EQ(usual.solver, ContactDescription::Solver::automatic);
    EXPECT_EQ(usual.sweeps, 200);
    EXPECT_FALSE(usual.tolerance);
    EXPECT_FALSE(usual.plainInertia);
    EXPECT_FALSE(usual.sleeping);
}

TEST(ContactScene, every_key_goes_where_it_belongs)
{
    const Result<Description> scene =
        parseScene(with(&Parts::contact,
                        R"("contact": {"response": "penalty", "friction": 1, "static_friction": 1.5,
             "rolling_friction": 0.125, "spinning_friction": 0.5, "restitution": 0.25, "bounce_speed": 2,
             "keep": 0.75, "stiffness": 3, "damping": 4, "time": "step", "accuracy": "fast", "solver": "exact",
             "sweeps": 5,
             "tolerance": 6, "inertia": "plain", "sleeping": true, "ignore": [["ball", "toys"]]})"),
                   "f");
    ASSERT_TRUE(scene) << scene.error().text();
    ContactDescription expected;
    expected.response = ContactDescription::Response::penalty;
    expected.friction = 1;
    expected.staticFriction = 1.5;
    expected.rollingFriction = 0.125;
    expected.spinningFriction = 0.5;
    expected.restitution = 0.25;
    expected.bounceSpeed = 2;
    expected.keep = 0.75;
    expected.stiffness = 3;
    expected.damping = 4;
    expected.atFraction = false;
    expected.accuracy = ContactDescription::Accuracy::fast;
    expected.solver = ContactDescription::Solver::exact;
    expected.sweeps = 5;
    expected.tolerance = 6;
    expected.plainInertia = true;
    expected.sleeping = true;
    expected.ignore = {{"ball", "toys"}};
    expectSame(*scene.value().contact, expected);
}

TEST(ContactScene, an_obstacle_can_have_every_shape)
{
    for (
        const char* obstacle :
        {R"("type": "plane", "normal": [0, 2, 1], "friction": 0.1, "restitution": 1, "layer": "ground")",
         R"("type": "sphere", "radius": 1)",
         R"("type": "box", "size": [1, 2, 3], "orientation": [0, 0, 1, 0])",
         R"("type": "capsule", "radius": 1, "length": 2)",
         R"("type": "cylinder", "radius": 1, "length": 2)", R"("type": "ellipsoid", "radii": [1, 2, 3])",
         R"("type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])",
         R"("type": "height_field", "columns": 2, "rows": 3, "spacing": 0.5, "heights": [0, 1, 2, 3, 4, 5])",
         R"("type": "triangles", "vertices": [[0, 0, 0], [1, 0, 0], [0, 0, 1]], "faces": [[0, 2, 1]])"})
        EXPECT_EQ(verdict(with(&Parts::obstacle, obstacle)), "good") << obstacle;
}

TEST(ContactScene, a_figure_has_materials_for_all_its_bones_and_a_bone_has_its_own)
{
    const std::string start = R"({"sinew": 1, "contact": true, "figure": {"mirror": ["left_", "right_"],
        "body": {"friction": )";
    const std::string end =
        R"(, "restitution": 0.2, "layer": "people", "collides": false, "color": [0.2, 0.4, 1]}, "bones": [
        {"name": "trunk", "from": [0, 1, 0], "to": [0, 2, 0], "radius": 0.1},
        {"name": "left_leg", "parent": "trunk", "from": [0.1, 1, 0], "to": [0.1, 0, 0], "radius": 0.1,
         "friction": 0.9, "collides": true, "color": [1, 0, 0]}]}})";
    const Result<Description> scene = parseScene(start + "0.4" + end, "f");
    ASSERT_TRUE(scene) << scene.error().text();
    for (const BodyDescription& body : scene.value().bodies) {
        const bool leg = body.name != "trunk";
        EXPECT_EQ(body.friction, leg ? 0.9 : 0.4) << body.name;
        EXPECT_EQ(body.restitution, 0.2);
        EXPECT_EQ(body.layer, "people");
        EXPECT_EQ(body.collides, leg);
        EXPECT_EQ(body.color, leg ? Vec3(1, 0, 0) : Vec3(0.2, 0.4, 1));
    }
    EXPECT_EQ(verdict(start + "-1" + end), "f: /figure/body/friction: is -1; it must be zero or more");
}

struct Refused {
    std::string Parts::*part;
    const char* value;
    const char* says;  // the whole line, or its start
};

const Refused refused[] = {
    {&Parts::contact, R"("contact": 1)", "f: /contact: an object is expected, found a number"},
    {&Parts::contact, R"("contact": {"friction": 0.5, "static_friction": 0.4})",
     "f: /contact/static_friction: is 0.4; it must not be less than the friction, 0.5"},
    {&Parts::body, R"("name": "ball", "static_friction": 0.4)",
     "f: /bodies/0/static_friction: is 0.4; it must not be less than the friction, 0.6"},
    {&Parts::obstacle, R"("type": "plane", "friction": 0.5, "static_friction": -1)",
     "f: /obstacles/0/static_friction: is -1; it must not be less than the friction, 0.5"},
    {&Parts::contact, R"("contact": {"rolling_friction": -1})",
     "f: /contact/rolling_friction: is -1; it must be zero or more"},
    {&Parts::body, R"("name": "ball", "spinning_friction": -0.1)",
     "f: /bodies/0/spinning_friction: is -0.1; it must be zero or more"},
    {&Parts::contact, R"("contact": {"response": "kinematic", "static_friction": 0.7})",
     "f: /contact/static_friction: is for the responses resting and penalty"},
    {&Parts::contact, R"("contact": {"response": "impulse", "rolling_friction": 0.01})",
     "f: /contact/rolling_friction: is for the responses resting and penalty"},
    {&Parts::contact, R"("contact": {"response": "spring"})",
     "f: /contact/response: unknown response \"spring\"; the responses are kinematic, penalty, impulse, "
     "resting"},
    {&Parts::contact, R"("contact": {"response": "impuls"})",
     "f: /contact/response: unknown response \"impuls\"; did you mean \"impulse\"?"},
    {&Parts::contact, R"("contact": {"solver": "fast"})",
     "f: /contact/solver: unknown solver \"fast\"; the solvers are auto, exact, iterative"},
    {&Parts::contact, R"("contact": {"time": 1})",
     "f: /contact/time: a string is expected, found a number"},
    {&Parts::contact, R"("contact": {"inertia": [1, 2, 3]})",
     "f: /contact/inertia: a string is expected, found a list"},
    {&Parts::contact, R"("contact": {"mu": 1})",
     "f: /contact/mu: unknown key \"mu\"; contact has response, "},
    {&Parts::contact, R"("contact": {"friction": -1})",
     "f: /contact/friction: is -1; it must be zero or more"},
    {&Parts::contact, R"("contact": {"restitution": 2})",
     "f: /contact/restitution: is 2; it must be from 0 to 1"},
    {&Parts::contact, R"("contact": {"keep": -0.5})", "f: /contact/keep: is -0.5; it must be from 0 to 1"},
    {&Parts::contact, R"("contact": {"bounce_speed": -1})",
     "f: /contact/bounce_speed: is -1; it must be zero or more"},
    {&Parts::contact, R"("contact": {"stiffness": 0})", "f: /contact/stiffness: is 0; it must be positive"},
    {&Parts::contact, R"("contact": {"tolerance": 0})", "f: /contact/tolerance: is 0; it must be positive"},
    {&Parts::contact, R"("contact": {"sweeps": 0})",
     "f: /contact/sweeps: is 0; at least one sweep is needed"},
    {&Parts::contact, R"("contact": {"sweeps": 1.5})",
     "f: /contact/sweeps: is 1.5; a whole number is expected"},
    {&Parts::contact, R"("contact": {"ignore": ["ball", "toys"]})",
     "f: /contact/ignore/0: a pair of names is expected, of bodies or layers"},
    {&Parts::contact, R"("contact": {"ignore": [["ball", "default"], ["ball", "cube"]]})",
     "f: /contact/ignore/1/1: there is neither a body nor a layer 'cube'"},
    {&Parts::contact, R"("contact": {"friction": NaN})", "f:1:"},
    {&Parts::body, R"("name": "a", "friction": -0.1)",
     "f: /bodies/0/friction: is -0.1; it must be zero or more"},
    {&Parts::body, R"("name": "a", "restitution": 1.5)",
     "f: /bodies/0/restitution: is 1.5; it must be from 0 to 1"},
    {&Parts::body, R"("name": "a", "collides": 0)",
     "f: /bodies/0/collides: true or false is expected, found a number"},
    {&Parts::body, R"("name": "a", "color": [0.5, 2, 0])",
     "f: /bodies/0/color/1: is 2; it must be from 0 to 1"},
    {&Parts::obstacle, R"("type": "plane", "friction": -1)",
     "f: /obstacles/0/friction: is -1; it must be zero or more"},
    {&Parts::obstacle, R"("type": "plane", "orientation": [0, 0, 0, 1])",
     "f: /obstacles/0/orientation: unknown key \"orientation\"; the obstacle plane has type, "},
    {&Parts::obstacle, R"("type": "box", "size": [1, 1, 1], "radius": 1)",
     "f: /obstacles/0/radius: unknown key \"radius\"; the obstacle box has type, "},
    {&Parts::obstacle, R"("type": "box", "size": [1, 1, 1], "stiffness": 1)",
     "f: /obstacles/0/stiffness: unknown key \"stiffness\"; the obstacle box has type, "},
    {&Parts::obstacle, R"("type": "box")", "f: /obstacles/0: the obstacle box needs the key \"size\""},
    {&Parts::obstacle, R"("type": "box", "size": [1, 0, 1])",
     "f: /obstacles/0/size/1: edge length is 0, it must be a positive number"},
    {&Parts::obstacle, R"("type": "sphere", "radius": 0)",
     "f: /obstacles/0/radius: radius is 0, it must be a positive number"},
    {&Parts::obstacle, R"("type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])",
     "f: /obstacles/0/vertices: "},
    {&Parts::obstacle, R"("type": "mesh", "vertices": [[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2, 3]])",
     "f: /obstacles/0/vertices: "},
    {&Parts::obstacle,
     R"("type": "height_field", "columns": 3, "rows": 2, "spacing": 1, "heights": [0, 0])",
     "f: /obstacles/0/heights: has 2 numbers, not columns × rows = 6"},
    {&Parts::obstacle,
     R"("type": "height_field", "columns": 1, "rows": 2, "spacing": 1, "heights": [0, 0])",
     "f: /obstacles/0/columns: is less than 2"},
    {&Parts::obstacle,
     R"("type": "height_field", "columns": 2, "rows": 2, "spacing": 0, "heights": [0, 0, 0, 0])",
     "f: /obstacles/0/spacing: must be positive, from 1e-9 to 1e6 m"},
    {&Parts::obstacle,
     R"("type": "height_field", "columns": 2, "rows": 2, "spacing": 1, "heights": [0, 1e9, 0, 0])",
     "f: /obstacles/0/heights/1: is not finite, or beyond 1e6 m"},
    {&Parts::obstacle, R"("type": "triangles", "vertices": [[0, 0, 0]], "faces": [[0, 1, 2]])",
     "f: /obstacles/0/faces/0/1: there is no vertex 1; the mesh has 1, counted from 0"},
    {&Parts::obstacle,
     R"("type": "triangles", "vertices": [[0, 0, 0], [1, 1, 1], [1, 1, 1]], "faces": [[0, 1, 2]])",
     "f: /obstacles/0/faces/0: has no area"},
    {&Parts::obstacle, R"("type": "triangles", "vertices": [], "faces": [])",
     "f: /obstacles/0/vertices: is empty"},
};

TEST(ContactScene, faults_are_told_in_one_line_with_their_place)
{
    ASSERT_EQ(verdict(Parts().text()), "good");
    for (const Refused& each : refused) {
        const std::string text = verdict(with(each.part, each.value));
        EXPECT_EQ(text.rfind(each.says, 0), 0u) << text << "\n" << each.value;
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
}

TEST(ContactScene, obstacles_other_than_planes_and_spheres_need_contact)
{
    Parts parts;
    parts.contact = R"("contact": false)";
    EXPECT_EQ(verdict(parts.text()), "good");
    parts.obstacle = R"("type": "box", "size": [1, 1, 1])";
    EXPECT_EQ(verdict(parts.text()),
              "f: /obstacles/0/type: needs contact; without it there are plane and sphere");
}

// JSON has no such numbers; programs do.
TEST(ContactScene, numbers_that_are_not_finite_are_refused_wherever_a_program_puts_them)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Description good = parseScene(Parts().text(), "f").value();
    const auto pointerOf = [](const Description& description) {
        const Result<Model> model = compile(description);
        return model ? std::string("good") : model.error().pointer;
    };
    const auto obstacle = [&](const auto& form) {
        Description description = good;
        ObstacleDescription& o = description.obstacles[0];
        if constexpr (std::is_constructible_v<Terrain, decltype(form)>) {
            o.type = ObstacleDescription::Type::terrain;
            o.terrain = form;
        } else {
            o.type = ObstacleDescription::Type::shape;
            o.shape = form;
        }
        return pointerOf(description);
    };
    EXPECT_EQ(obstacle(Box{{1, nan, 1}}), "/obstacles/0/size/1");
    EXPECT_EQ(obstacle(ConvexMesh{{{0, 0, 0}, {1, 0, 0}, {0, nan, 0}, {0, 0, 1}}, {}}),
              "/obstacles/0/vertices/2");
    EXPECT_EQ(obstacle(HeightField{2, 2, 1, {0, 0, nan, 0}}), "/obstacles/0/heights/2");
    EXPECT_EQ(obstacle(TriangleMesh{{{0, 0, 0}, {1, 0, nan}, {0, 1, 0}}, {{0, 1, 2}}}),
              "/obstacles/0/vertices/1");
    Description friction = good, restitution = good, position = good;
    friction.bodies[0].friction = nan;
    EXPECT_EQ(pointerOf(friction), "/bodies/0/friction");
    restitution.contact->restitution = nan;
    EXPECT_EQ(pointerOf(restitution), "/contact/restitution");
    position.obstacles[0].position.x() = nan;
    EXPECT_EQ(pointerOf(position), "/obstacles/0/position");
}

}  // namespace
}  // namespace sinew::contact_scene_test
