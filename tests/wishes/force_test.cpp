// Wishes that pull: force against the energy, tangent against the force, a closed form, energy in the
// balance, what is refused.
#include <gtest/gtest.h>

#include "sinew/force/laws.h"
#include "sinew/io/json/scene.h"
#include "sinew/measure/energy.h"
#include "sinew/model/wish.h"
#include "sinew/simulation/simulation.h"
#include "support/contact_scenes.h"
#include "support/random_tree.h"

namespace sinew::wish_force_test {
namespace {

using namespace sinew::test;

WishDescription acting(const char* type)
{
    WishDescription wish;
    wish.type = type;
    wish.of.body = "body2";
    wish.acts = true;
    wish.weight = 20;
    return wish;
}

std::vector<WishDescription> allActing(Random& random)
{
    std::vector<WishDescription> all;
    const auto add = [&](WishDescription wish) { all.push_back(std::move(wish)); };
    WishDescription point = acting("point");
    point.of.point = randomVector(random);
    point.to = WishPlace{"world", randomVector(random)};
    add(point);
    WishDescription distance = point;
    distance.type = "distance";
    distance.length = 0.4;
    add(distance);
    WishDescription surface = acting("surface");
    surface.of.point = randomVector(random);
    surface.on = SpringSphere{randomVector(random), 0.5};
    add(surface);
    surface.on = SpringPlane{randomVector(random), randomVector(random)};
    add(surface);
    WishDescription upright = acting("upright");
    upright.axis = randomVector(random);
    upright.direction = randomVector(random);
    add(upright);
    WishDescription orientation = acting("orientation");
    orientation.orientation = expRotation(randomVector(random));
    add(orientation);
    add(acting("pin"));
    return all;
}

Description scene(Random& random, const WishDescription& wish)
{
    TreeOptions options;
    options.bodies = 3;
    options.joints = {JointType::hinge, JointType::spherical, JointType::universal};
    options.rootJoints = {JointType::spherical};
    Description d = randomTree(random, options);
    d.gravity = Vec3::Zero();
    d.wishes = {wish};
    d.wishes[0].of.body = d.bodies.back().name;
    return d;
}

double elasticEnergy(const Model& model, const State& state)
{
    Energy all;
    findForceLaw("wish")->addEnergies(model, state, [&](int) -> Energy& { return all; });
    return all.elastic;
}

Force forceOn(const Model& model, const State& state, int body)
{
    Forces forces;
    forces.setZero(model);
    findForceLaw("wish")->addForces(model, state, forces);
    return forces.body[body];
}

State moved(State state, int body, int axis, double h)
{
    BodyState& b = state.bodies[body];
    if (axis < 3)
        b.position[axis] += h;
    else
        b.orientation = (expRotation(h * Vec3::Unit(axis - 3)) * b.orientation).normalized();
    return state;
}

TEST(WishForces, are_minus_the_gradient_and_their_tangents_are_their_derivatives)
{
    Random random(23);
    for (int trial = 0; trial < 10; ++trial)
        for (const WishDescription& wish : allActing(random)) {
            const Model model = mustCompile(scene(random, wish));
            State state = randomState(random, model);
            state.u.setZero();
            bodiesFromJoints(model, state);
            const int body = model.wishes[0].points[0].body;
            const Vec6 force = forceOn(model, state, body).vector();
            std::vector<BodyTangent> tangents;
            findForceLaw("wish")->addTangents(model, state, Forces(), tangents);
            ASSERT_EQ(tangents.size(), 1u);
            ASSERT_EQ(tangents[0].body, body);
            constexpr double h = 1e-4;
            for (int axis = 0; axis < 6; ++axis) {
                const State after = moved(state, body, axis, h), before = moved(state, body, axis, -h);
                const double slope = (elasticEnergy(model, after) - elasticEnergy(model, before)) / (2 * h);
                EXPECT_NEAR(force[axis], -slope, 2e-6 * (1 + force.norm())) << wish.type;
                const Vec6 change =
                    (forceOn(model, after, body).vector() - forceOn(model, before, body).vector()) /
                    (2 * h);
                for (int i = 0; i < 6; ++i)
                    EXPECT_NEAR(tangents[0].stiffness(i, axis), -change[i], 1e-4) << wish.type;
            }
        }
}

// A mass that is wished to the origin swings at √(k/m), damped by c.
TEST(WishForces, of_a_point_are_a_spring_and_damper)
{
    Description d;
    BodyDescription ball;
    ball.name = "ball";
    ball.mass = 2;
    ball.inertia = 0.1 * Mat3::Identity();
    ball.pose.position = Vec3(0.3, 0, 0);
    d.bodies = {ball};
    d.gravity = Vec3::Zero();
    WishDescription wish;
    wish.type = "point";
    wish.of.body = "ball";
    wish.to = WishPlace{"world", Vec3(Vec3::Zero())};
    wish.acts = true;
    wish.weight = 50;
    wish.damping = 2;
    d.wishes = {wish};
    // x = a e^{−γ t} (cos ω t + γ/ω sin ω t), γ = c/2m, ω² = k/m − γ².
    const double gamma = 0.5, omega = std::sqrt(25 - gamma * gamma);
    for (const char* integrator : {"rk4", "implicit"}) {
        Simulation simulation = started(d, stepping(integrator, 1e-3));
        for (int i = 0; i < 1000; ++i) ASSERT_TRUE(simulation.step().ok);
        const double truth = 0.3 * std::exp(-gamma) * (std::cos(omega) + gamma / omega * std::sin(omega));
        const double bound = std::string(integrator) == "rk4" ? 1e-9 : 1e-4;
        EXPECT_NEAR(simulation.state.bodies[0].position.x(), truth, bound) << integrator;
    }
    // A wish that is not on does not pull.
    d.wishes[0].from = 10;
    Simulation still = started(d, stepping("implicit", 1e-2));
    ASSERT_TRUE(still.step().ok);
    EXPECT_EQ(still.state.bodies[0].position.x(), 0.3);
}

// What it takes up and gives back is the energy of the scene: nothing is lost in a swing without damping.
TEST(WishForces, keep_the_energy_that_they_take)
{
    Random random(4);
    for (const WishDescription& wish : allActing(random)) {
        const Description d = scene(random, wish);
        Simulation simulation = started(d, stepping("rk4", 1e-3));
        const auto total = [&] { return energy(simulation.model(), simulation.state).total(); };
        const double start = total();
        for (int i = 0; i < 500; ++i) ASSERT_TRUE(simulation.step().ok);
        EXPECT_NEAR(total(), start, 1e-6 * (1 + start)) << wish.type;
    }
}

TEST(WishForces, what_cannot_pull_is_refused_with_what_does_instead)
{
    const auto message = [](const std::string& wish) {
        const std::string scene =
            R"({"sinew": 1, "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1]},
                {"name": "b", "position": [1, 0, 0], "mass": 1, "inertia": [1, 1, 1]}],
                "joints": [{"name": "j", "type": "hinge", "axis": [0, 0, 1], "first": "a", "second": "b"}],
                "wishes": [)" +
            wish + "]}";
        const Result<Description> read = parseScene(scene, "test.json");
        if (!read) return read.error().text();
        const Result<Model> model = compile(read.value());
        return model ? std::string() : model.error().text();
    };
    EXPECT_EQ(
        message(R"({"type": "point", "body": "a", "to": "b", "acts": true})"),
        "/wishes/0/acts: a wish that pulls is of one body and the world; springs pull between bodies");
    EXPECT_EQ(message(R"({"type": "pose", "acts": true})"),
              "/wishes/0/acts: a wish of type pose does not pull; controllers do, in joints");
    EXPECT_EQ(message(R"({"type": "point", "body": "a", "to": [0, 0, 0], "damping": 1})"),
              "/wishes/0/damping: is for wishes that pull in a simulation; say \"acts\": true");
    // And what is malformed.
    EXPECT_EQ(message(R"({"type": "pint", "body": "a"})").substr(0, 51),
              "/wishes/0/type: there is no type of wish 'pint'; on");
    EXPECT_EQ(message(R"({"type": "point", "body": "a"})"),
              "/wishes/0: a wish of type point needs the key \"to\"");
    EXPECT_EQ(message(R"({"type": "surface", "body": "a"})"),
              "/wishes/0: a wish of type surface needs the key \"plane\", \"sphere\" or \"cylinder\"");
    EXPECT_EQ(message(R"({"type": "upright", "body": "a", "length": 1})"),
              "/wishes/0/length: a wish of type upright does not take this key");
    EXPECT_EQ(message(R"({"type": "point", "body": "c", "to": "a"})"),
              "/wishes/0/body: there is no body 'c'");
    EXPECT_EQ(message(R"({"type": "point", "body": "a", "to": "a"})"), "/wishes/0/to: is on the same body");
    EXPECT_EQ(message(R"({"type": "point", "body": "a", "to": "b", "weight": 0})"),
              "/wishes/0/weight: is 0; it must be positive");
    EXPECT_EQ(message(R"({"type": "point", "body": "a", "to": "b", "from": 2, "until": 1})"),
              "/wishes/0/until: is before \"from\"");
    EXPECT_EQ(message(R"({"type": "pose", "joints": {"k": 1}})"),
              "/wishes/0/joints/k: there is no joint 'k' that moves");
    EXPECT_EQ(message(R"({"type": "pose", "joints": {"j": [1, 2]}})"),
              "/wishes/0/joints/j: has 2 numbers; joint 'j' has 1 freedoms");
    EXPECT_EQ(message(R"({"type": "smooth", "points": ["a", "b"]})"),
              "/wishes/0/points: has fewer than 3 points");
    EXPECT_NE(message(R"({"type": "point", "body": "a", "two": "b"})").find("/wishes/0/two: unknown key"),
              std::string::npos);
    EXPECT_NE(
        message(R"({"type": "surface", "body": "a", "plane": {"point": [0, 0, 0], "normal": [0, 1, 0]},
                          "sphere": {"center": [0, 0, 0], "radius": 1}})")
            .find("a wish has one of path, plane, sphere and cylinder"),
        std::string::npos);
}

TEST(WishForces, every_wish_reads_back_as_it_was_written)
{
    Random random(2);
    Description d;
    d.wishes = allActing(random);
    for (WishDescription& wish : d.wishes) {
        wish.name = "w" + std::to_string(&wish - d.wishes.data());
        wish.damping = 0.1;
        wish.from = 0.2;
        wish.until = 3;
    }
    WishDescription pose;
    pose.type = "pose";
    pose.joints = {{"a", {0.1}}, {"b", {0.1, 0.2, 0.3}}};
    pose.soft = true;
    d.wishes.push_back(pose);
    WishDescription balance;
    balance.type = "balance";
    balance.points = {{"left", std::nullopt}, {"right", Vec3(1, 2, 3)}, {"world", Vec3(0, 0, 1)}};
    d.wishes.push_back(balance);
    WishDescription curve;
    curve.type = "curve";
    curve.of.body = "left";
    curve.on = SpringCurve{{Vec3(0, 0, 0), Vec3(1, 0.1, 0), Vec3(2, 0, 0)}, true, false};
    curve.side = WishDescription::Side::atMost;
    curve.velocity = Vec3(0.1, 0.2, 0.3);
    d.wishes.push_back(curve);
    const std::string text = writeScene(d);
    const Result<Description> back = parseScene(text, "test.json");
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(writeScene(back.value()), text);
    ASSERT_EQ(back.value().wishes.size(), d.wishes.size());
    EXPECT_EQ(back.value().wishes.back().on.index(), curve.on.index());
    EXPECT_EQ(*back.value().wishes[0].to->point, *d.wishes[0].to->point);
}

}  // namespace
}  // namespace sinew::wish_force_test
