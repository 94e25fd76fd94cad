// Contacts of figures with what does not move, which are terms of the tree (contact/tree_contacts.h),
// against the same with rows, and against what must be: weight, friction, rest.
#include <gtest/gtest.h>

#include "sinew/figure/chain.h"
#include "support/contact_runs.h"

namespace sinew {
namespace {

// A little rolling friction, too little to be felt, and all contacts have rows.
Description withRows(Description d)
{
    d.contact->rollingFriction = 1e-13;
    return d;
}

// A chain above the floor, bent and thrown along it.
Description thrownChain(int links, double friction, double speed)
{
    ChainOptions options;
    options.links = links;
    options.horizontal = true;
    options.pinned = false;
    options.damping = 1e-3;
    Description d = makeChain(options);
    for (BodyDescription& body : d.bodies) {
        body.pose.position.y() += 0.05;
        body.velocity = Vec3(speed, 0, 0.3 * speed);
    }
    for (JointDescription& joint : d.joints) joint.position.y() += 0.05;
    ObstacleDescription floor;
    floor.name = "floor";
    d.obstacles.push_back(floor);
    d.contact.emplace();
    d.contact->friction = friction;
    return d;
}

// Balls on rods: capsules that end in one joint touch at one place, and which of them bears is open.
Description ballChain(double friction, double speed)
{
    Description d = thrownChain(12, friction, speed);
    for (BodyDescription& body : d.bodies) body.shapes[0].shape = Ellipsoid{Vec3::Constant(0.03)};
    return d;
}

double apart(const Simulation& a, const Simulation& b)
{
    double most = 0;
    for (std::size_t i = 0; i < a.state.bodies.size(); ++i)
        most = std::max(most, (a.state.bodies[i].position - b.state.bodies[i].position).norm());
    return most;
}

Vec3 carried(const Simulation& s)
{
    Vec3 sum = Vec3::Zero();
    for (const Contact& c : s.state.contacts) sum += contactFrame(c.normal).transpose() * c.impulse / s.h;
    return sum;
}

double massOf(const Simulation& s)
{
    double mass = 0;
    for (const Body& body : s.model().bodies) mass += body.mass;
    return mass;
}

TEST(GroundContact, is_the_same_in_the_tree_as_with_rows)
{
    for (const double friction : {0., 0.3, 0.9})
        for (const double speed : {0., 1., 4.}) {
            const Description d = ballChain(friction, speed);
            Simulation tree = test::started(d, test::stepping("implicit", test::frame));
            Simulation rows = test::started(withRows(d), test::stepping("implicit", test::frame));
            for (int i = 0; i < 40; ++i) {
                ASSERT_TRUE(tree.step().ok);
                ASSERT_TRUE(rows.step().ok);
            }
            EXPECT_LT(apart(tree, rows), 1e-6) << friction << " " << speed;
            EXPECT_NEAR(carried(tree).y(), carried(rows).y(), 1e-4 * massOf(tree) * 9.81);
        }
}

TEST(GroundContact, carries_the_weight_of_a_chain_of_a_thousand_links)
{
    Description d = thrownChain(1000, 0.6, 0);
    Simulation s = test::started(d, test::stepping("implicit", test::frame));
    double deepest = 0;
    for (int i = 0; i < 60; ++i) {
        ASSERT_TRUE(s.step().ok);
        deepest = std::max(deepest, test::penetration(s));
    }
    const double weight = 9.81 * massOf(s);
    EXPECT_NEAR(carried(s).norm(), weight, 1e-6 * weight);
    EXPECT_LT(deepest, 1e-6);
    EXPECT_LT(energy(s.model(), s.state).kinetic, 1e-9);
}

TEST(GroundContact, slows_what_slides_by_friction_alone)
{
    constexpr double friction = 0.25, speed = 5;
    Description d = thrownChain(8, friction, 0);
    for (BodyDescription& body : d.bodies) body.velocity = Vec3(speed, 0, 0);
    for (JointDescription& joint : d.joints) joint.stiffness = 1e3;
    Simulation s = test::started(d, test::stepping("implicit", test::frame));
    const auto velocity = [&] { return momentum(s.model(), s.state).linear.x() / massOf(s); };
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(s.step().ok);
    const double before = velocity();
    for (int i = 0; i < 30; ++i) ASSERT_TRUE(s.step().ok);
    EXPECT_NEAR(velocity(), before - friction * 9.81 * 30 * s.h, 1e-4);
}

// Each slip costs another factorisation at most: a chain that is ten times as long takes ten times as long.
TEST(GroundContact, costs_iterations_that_do_not_grow_with_the_chain)
{
    const auto iterations = [](int links) {
        Simulation s = test::started(thrownChain(links, 0.6, 0), test::stepping("implicit", test::frame));
        long sum = 0;
        for (int i = 0; i < 30; ++i) sum += s.step().statistics.newtonIterations;
        return sum;
    };
    EXPECT_LE(iterations(500), 2 * iterations(50));
}

}  // namespace
}  // namespace sinew
