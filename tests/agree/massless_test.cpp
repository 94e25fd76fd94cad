// Links without mass between joints: the same mechanics as the joint that they spell out.
#include <gtest/gtest.h>

#include "sinew/base/random.h"
#include "sinew/io/json/scene.h"
#include "sinew/simulation/simulation.h"
#include "support/random_tree.h"
#include "support/same_scene.h"

namespace sinew {
namespace {

constexpr double rounding = 1e-10;

BodyDescription bob(const std::string& name, const Vec3& place)
{
    BodyDescription body;
    body.name = name;
    body.pose.position = place;
    body.mass = 1.5;
    body.inertia = Vec3(0.02, 0.03, 0.04).asDiagonal();
    return body;
}

// Two bodies in a row, the second on two turns at right angles: a universal joint, or two hinges with a
// link of nothing between them.
Description swing(bool isSpelled, bool floats, double damping = 0.05)
{
    Description d;
    d.bodies = {bob("upper", {0.1, -0.3, 0}), bob("lower", {0.2, -0.9, 0.1})};
    const Vec3 place(0.1, -0.6, 0);
    if (!floats) {
        JointDescription pivot;
        pivot.name = "pivot";
        pivot.first = "world";
        pivot.second = "upper";
        pivot.coordinate = {0.4, 0.2, -0.3};
        pivot.velocity = {1, -2, 0.5};
        d.joints.push_back(pivot);
    } else {
        d.bodies[0].velocity = Vec3(0.3, 1, -0.5);
        d.bodies[0].angularVelocity = Vec3(2, -1, 1);
    }
    JointDescription first;
    first.name = "first";
    first.first = "upper";
    first.second = "lower";
    first.position = place;
    first.axis = Vec3(1, 0, 0);
    first.stiffness = 3;
    first.damping = damping;
    first.coordinate = {0.3};
    first.velocity = {2};
    if (!isSpelled) {
        first.type = JointType::universal;
        first.axis2 = Vec3(0, 0, 1);
        first.coordinate = {0.3, -0.5};
        first.velocity = {2, 1};
        d.joints.push_back(first);
        return d;
    }
    BodyDescription link;
    link.name = "link";
    link.pose.position = place;
    link.mass = 0;
    d.bodies.push_back(link);
    JointDescription second = first;
    first.type = second.type = JointType::hinge;
    first.second = second.first = "link";
    second.name = "second";
    second.axis = Vec3(0, 0, 1);
    second.coordinate = {-0.5};
    second.velocity = {1};
    d.joints.push_back(first);
    d.joints.push_back(second);
    return d;
}

Simulation start(const Description& d, const Settings& settings)
{
    Result<Simulation> simulation = Simulation::create(d, settings);
    EXPECT_TRUE(simulation) << simulation.error().text();
    return simulation ? simulation.value() : Simulation();
}

double farthest(const Simulation& a, const Simulation& b)
{
    double worst = 0;
    for (const char* name : {"upper", "lower"}) {
        const BodyState &x = a.state.bodies[a.model().findBody(name)],
                        &y = b.state.bodies[b.model().findBody(name)];
        worst = std::max({worst, (x.position - y.position).norm(), (x.velocity - y.velocity).norm(),
                          (x.angularVelocity - y.angularVelocity).norm()});
    }
    return worst;
}

TEST(Massless, two_hinges_and_a_link_accelerate_as_a_universal_joint)
{
    for (const char* method : {"featherstone", "kkt"})
        for (bool floats : {false, true}) {
            const Settings settings{method, "rk4", 1e-3};
            Simulation spelled = start(swing(true, floats), settings);
            Simulation plain = start(swing(false, floats), settings);
            const Accelerations &a = spelled.accelerate(), &b = plain.accelerate();
            for (const char* name : {"upper", "lower"}) {
                const Motion &x = a.body[spelled.model().findBody(name)],
                             &y = b.body[plain.model().findBody(name)];
                EXPECT_LT((x.linear - y.linear).norm(), rounding * (1 + y.linear.norm())) << method;
                EXPECT_LT((x.angular - y.angular).norm(), rounding * (1 + y.angular.norm())) << method;
            }
            // The link hands on what it gets: the load of both hinges is that of the joint.
            const auto load = [](const Simulation& s, const Accelerations& from, const char* joint) {
                return from.load[s.model().findJoint(joint)];
            };
            for (const char* hinge : {"first", "second"})
                EXPECT_LT((load(spelled, a, hinge).force - load(plain, b, "first").force).norm(),
                          rounding * 100)
                    << method;
        }
}

struct Way {
    const char *solver, *integrator;
    double step;
};

TEST(Massless, two_hinges_and_a_link_move_as_a_universal_joint_does)
{
    // The implicit steps stop at 1e-10 of their own. Their joint velocities are displacements over the
    // step, of a universal joint's two turns together and of hinges one by one: dampers differ by as much
    // as the step is long.
    for (const Way& way :
         {Way{"featherstone", "rk4", 1e-3}, Way{"featherstone", "semi_implicit_euler", 1e-3},
          Way{"featherstone", "implicit_euler", 1e-2}, Way{"featherstone", "implicit", 1e-2}})
        for (bool floats : {false, true}) {
            const Settings settings{way.solver, way.integrator, way.step};
            const bool isImplicit = std::string_view(way.integrator).substr(0, 8) == "implicit";
            const double damping = isImplicit ? 0 : 0.05;
            Simulation spelled = start(swing(true, floats, damping), settings);
            Simulation plain = start(swing(false, floats, damping), settings);
            for (int i = 0; i < 50; ++i) {
                ASSERT_TRUE(spelled.step().ok) << way.integrator;
                ASSERT_TRUE(plain.step().ok);
            }
            EXPECT_LT(farthest(spelled, plain), 50 * rounding)
                << way.integrator << (floats ? ", floating" : "");
            const Energy a = energy(spelled.model(), spelled.state), b = energy(plain.model(), plain.state);
            EXPECT_NEAR(a.kinetic, b.kinetic, 100 * rounding) << way.integrator;
            EXPECT_NEAR(a.potential, b.potential, 100 * rounding);
            EXPECT_NEAR(a.elastic, b.elastic, 100 * rounding);
        }
}

TEST(Massless, featherstone_agrees_with_the_oracle_where_some_bodies_of_a_tree_lose_their_mass)
{
    Random random(11);
    int tried = 0;
    for (int round = 0; round < 40; ++round) {
        Description d = test::randomTree(random, {8, {JointType::hinge}, {JointType::hinge}, true});
        // Every other one, where something hangs from it.
        for (std::size_t i = 1; i + 1 < d.bodies.size(); i += 2) {
            d.bodies[i].mass = 0;
            d.bodies[i].inertia.reset();
            d.bodies[i].shapes.clear();
        }
        const Result<Model> model = compile(d);
        if (!model) continue;  // a leaf
        ++tried;
        Simulation a = start(d, {"featherstone", "rk4", 1e-3}), b = start(d, {"kkt", "rk4", 1e-3});
        const VecX x = a.accelerate().joint, y = b.accelerate().joint;
        EXPECT_LT((x - y).norm(),
                  1e-8 * (1 + y.norm()));  // trees of hinges with nothing between may be near singular
    }
    EXPECT_GT(tried, 5);
}

TEST(Massless, keeps_its_energy_with_a_fine_step)
{
    const Description d = swing(true, false, 0);
    Simulation simulation = start(d, {"featherstone", "rk4", 1e-3});
    const double before = energy(simulation.model(), simulation.state).total();
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(simulation.step().ok);
    constexpr double orderFour = 1e-7;  // of rk4 at this step
    EXPECT_NEAR(energy(simulation.model(), simulation.state).total(), before, orderFour * std::abs(before));
}

TEST(Massless, a_scene_with_one_reads_back_as_it_was)
{
    const Description d = swing(true, false);
    const Result<Description> again = parseScene(writeScene(d), "again.json");
    ASSERT_TRUE(again) << again.error().text();
    expectSame(again.value(), d);
}

std::string refusal(const Description& d, const Settings& settings = {})
{
    const Result<Simulation> simulation = Simulation::create(d, settings);
    return simulation ? "was taken" : simulation.error().text();
}

TEST(Massless, methods_that_need_every_bodys_inertia_refuse_it_in_one_line)
{
    const Description d = swing(true, true);
    const std::string why =
        "cannot do body 'link', which has no mass; featherstone, kkt and implicit in joint coordinates can";
    for (const char* method : {"baraff", "hakenberg"})
        EXPECT_EQ(refusal(d, {method, "rk4", 1e-3}), std::string("solver: ") + method + " " + why);
    EXPECT_EQ(refusal(d, {"baraff", "conservative", 1e-3}),
              "integrator: conservative in maximal coordinates " + why);
    EXPECT_EQ(refusal(d, {"baraff", "hernandez", 1e-3}),
              "integrator: hernandez in maximal coordinates " + why);
    EXPECT_EQ(refusal(d, {"baraff", "implicit", 1e-3}), "solver: implicit in maximal coordinates " + why);
}

TEST(Massless, what_nothing_holds_is_refused_with_its_place)
{
    Description leaf = swing(true, false);
    leaf.joints.pop_back();
    leaf.bodies.erase(leaf.bodies.begin() + 1);
    EXPECT_EQ(refusal(leaf),
              "/bodies/1/mass: body 'link' has no mass, and nothing with mass hangs from it; give it some, "
              "or weld it");

    Description twice = swing(true, false);
    twice.joints[2].axis = twice.joints[1].axis;
    EXPECT_EQ(refusal(twice),
              "/bodies/2/mass: body 'link' has no mass, and the joints on its sides can turn or shift "
              "it without moving anything with mass");
    twice.joints[1].armature = 0.1;  // a rotor resists
    EXPECT_EQ(refusal(twice), "was taken");

    Description ball = swing(true, false);
    ball.joints[1].type = JointType::spherical;
    ball.joints[1].coordinate = ball.joints[1].velocity = {0, 0, 0};
    EXPECT_NE(refusal(ball).find("without moving anything"), std::string::npos);

    Description heavy = swing(true, false);
    heavy.bodies[2].inertia = Vec3(1, 1, 1).asDiagonal();
    EXPECT_EQ(refusal(heavy), "/bodies/2/inertia: a body without mass has no inertia either; leave it out");

    // A root that floats is held by its two branches, if they do not turn alike.
    Description root = swing(true, true);
    root.roots = {"link"};
    root.bodies[0].velocity.reset();
    root.bodies[0].angularVelocity.reset();
    EXPECT_EQ(refusal(root), "was taken");
}

TEST(Massless, a_leaf_that_is_welded_is_a_mere_place)
{
    Description d = swing(false, false);
    BodyDescription mark;
    mark.name = "mark";
    mark.pose.position = Vec3(0.3, -1, 0);
    mark.mass = 0;
    d.bodies.push_back(mark);
    JointDescription weld;
    weld.name = "weld";
    weld.type = JointType::weld;
    weld.first = "lower";
    weld.second = "mark";
    d.joints.push_back(weld);
    Simulation with = start(d, {"featherstone", "implicit", 1e-2});
    Simulation without = start(swing(false, false), {"featherstone", "implicit", 1e-2});
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(with.step().ok);
        ASSERT_TRUE(without.step().ok);
    }
    EXPECT_LT(farthest(with, without), rounding);
}

}  // namespace
}  // namespace sinew
