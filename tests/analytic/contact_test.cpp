// Bounces, springs, stacks, filters and fast bodies: contact where the answer is known.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/contact_scenes.h"

namespace sinew::contact_test {
namespace {

using test::bodyOf;
using test::frame;
using test::g;
using test::ground;
using test::joined;
using test::penetration;
using test::runFor;
using test::solid;
using test::started;
using test::stepping;
using Response = ContactDescription::Response;

Description onGround(const BodyDescription& body)
{
    Description d;
    d.bodies = {body};
    d.obstacles = {ground()};
    d.contact.emplace();
    return d;
}

// Heights of the flights of a dropped ball, from its energy in the middle of each.
std::vector<double> flights(const Description& d, const Settings& settings, double duration)
{
    Simulation s = started(d, settings);
    std::vector<double> heights;
    double last = 0;
    runFor(s, duration, [&](const StepReport&) {
        const BodyState& ball = s.state.bodies[0];
        const double v = ball.velocity.y();
        // The top is between the steps around which the velocity changes its sign.
        if (last > 0 && v <= 0) heights.push_back(ball.position.y() - 0.1 + v * v / (2 * g));
        last = v;
    });
    return heights;
}

class Bounces : public testing::TestWithParam<double> {};

TEST_P(Bounces, in_impulse_steps_reach_the_square_of_the_restitution_of_the_height)
{
    const double e = GetParam();
    Description d = onGround(solid("ball", Sphere{0.1}, Vec3(0, 1.1, 0)));
    d.contact->restitution = e;
    d.contact->response = Response::impulse;
    const std::vector<double> heights = flights(d, stepping("rk4", 1e-2), 3);
    ASSERT_GE(heights.size(), 2u);
    // RK4 is exact in a parabola. The moment of touch is found to 1e-7 m, of heights down to e⁶ m.
    constexpr double ofTheMoment = 2e-7;
    double wanted = 1;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, heights.size()); ++i) {
        wanted *= e * e;
        EXPECT_NEAR(heights[i], wanted, ofTheMoment * double(i + 1)) << i;
    }
}

TEST_P(Bounces, in_implicit_steps_do_so_within_the_error_of_the_step)
{
    const double e = GetParam();
    Description d = onGround(solid("ball", Sphere{0.1}, Vec3(0, 1.1, 0)));
    d.contact->restitution = e;
    double errors[2];
    for (int k = 0; k < 2; ++k) {
        const std::vector<double> heights = flights(d, stepping("implicit", frame / (k ? 8 : 1)), 3);
        ASSERT_GE(heights.size(), 2u);
        double wanted = 1;
        errors[k] = 0;
        for (std::size_t i = 0; i < std::min<std::size_t>(3, heights.size()); ++i) {
            wanted *= e * e;
            errors[k] = std::max(errors[k], std::abs(heights[i] - wanted));
        }
        std::printf("e = %g, h = 1/%d s: %.1e m\n", e, k ? 480 : 60, errors[k]);
    }
    // BDF2 begins afresh with a step of backward Euler at every bounce, whose error in height is at most
    // ½ g h² at the start of a flight and v h at the moment of a bounce, v = 4.4 m/s.
    EXPECT_LT(errors[0], 4.43 * frame / 2);
    EXPECT_LT(errors[1], errors[0] / 3);
}

INSTANTIATE_TEST_SUITE_P(Restitution, Bounces, testing::Values(0.9, 0.8, 0.5),
                         [](const auto& info) { return std::to_string(int(100 * info.param + 0.5)); });

TEST(KinematicResponse, turns_the_normal_velocity_round_and_keeps_its_part)
{
    for (const char* integrator : {"rk4", "semi_implicit_euler", "conservative", "implicit"}) {
        Description d = onGround(solid("ball", Sphere{0.1}, Vec3(0, 1, 0)));
        d.gravity.setZero();
        d.bodies[0].velocity = Vec3(0.7, -2, 0);
        d.contact->response = Response::kinematic;
        d.contact->keep = 0.4;
        Simulation s = started(d, stepping(integrator, 1e-2));
        runFor(s, 1);
        constexpr double rounding = 1e-9;  // implicit velocities are differences of places, over h
        EXPECT_NEAR(bodyOf(s, "ball").velocity.y(), 0.8, rounding) << integrator;
        EXPECT_NEAR(bodyOf(s, "ball").velocity.x(), 0.7, rounding) << integrator;
    }
}

TEST(PenaltyResponse, lets_a_ball_rest_as_deep_as_its_spring_needs)
{
    for (const auto& [integrator, h] :
         {std::pair("implicit", frame), std::pair("semi_implicit_euler", 1e-3)}) {
        Description d = onGround(solid("ball", Sphere{0.1}, Vec3(0, 0.12, 0)));
        d.contact->response = Response::penalty;
        d.contact->stiffness = 2e4;
        d.contact->damping = 400;
        Simulation s = started(d, stepping(integrator, h));
        runFor(s, 4);
        const double depth = s.model().bodies[0].mass * g / 2e4;
        constexpr double decayed = 1e-6;  // of the depth; ζ = 0.7 at 69 rad/s leaves far less after 4 s
        EXPECT_NEAR(0.1 - bodyOf(s, "ball").position.y(), depth, decayed * depth) << integrator;
        EXPECT_LT(bodyOf(s, "ball").velocity.norm(), 1e-8) << integrator;
    }
}

TEST(Stack, of_five_boxes_carries_at_every_level_the_weight_above)
{
    Description d;
    d.obstacles = {ground()};
    d.contact.emplace();
    for (int i = 0; i < 5; ++i)
        d.bodies.push_back(solid("box" + std::to_string(i), Box{Vec3(0.3, 0.2, 0.3)},
                                 Vec3(0.01 * i, 0.1 + 0.2 * i, 0.005 * i)));
    Simulation s = started(d, stepping("implicit", frame));
    runFor(s, 1);
    std::map<int, double> borne;  // by the body above
    for (const Contact& c : s.state.contacts) {
        const bool isUp = c.normal.y() > 0;
        borne[isUp ? c.bodyB : c.bodyA] += c.impulse[0] / frame * std::abs(c.normal.y());
    }
    ASSERT_EQ(borne.size(), 5u);
    double weight = 0;
    constexpr double solved =
        1e-6;  // relative: the solver's tolerance is 1e-8 m of the 2.7 mm of free fall
    for (int i = 4; i >= 0; --i) {
        weight += s.model().bodies[i].mass * g;
        EXPECT_NEAR(borne[s.model().findBody("box" + std::to_string(i))] / weight, 1, solved) << i;
    }
    EXPECT_LT(penetration(s), 1e-6);
}

TEST(Figures, that_meet_push_each_other_and_what_one_loses_the_other_gets)
{
    Description d;
    d.gravity.setZero();
    for (int i = 0; i < 2; ++i) {
        const std::string who = i ? "b" : "a";
        const double x = i ? 0.4 : -0.4;
        d.bodies.push_back(solid(who + "_upper", Capsule{0.08, 0.3}, Vec3(x, 0.2, i ? 0.03 : 0)));
        d.bodies.push_back(solid(who + "_lower", Capsule{0.06, 0.3}, Vec3(x, -0.2, i ? 0.03 : 0)));
        d.joints.push_back(
            joined(who, JointType::spherical, who + "_upper", who + "_lower", Vec3(x, 0, i ? 0.03 : 0)));
        d.joints.back().stiffness = 10;
        d.joints.back().damping = 0.5;
        for (int k = 0; k < 2; ++k)
            d.bodies[d.bodies.size() - 1 - static_cast<std::size_t>(k)].velocity = Vec3(i ? 0 : 2, 0, 0);
    }
    d.contact.emplace();
    Simulation s = started(d, stepping("implicit", frame));
    const auto momentumOf = [&](int skeleton) {
        Vec3 p = Vec3::Zero();
        const Skeleton& k = s.model().skeletons[static_cast<std::size_t>(skeleton)];
        for (int i = k.first; i < k.first + k.count; ++i)
            p += s.model().bodies[i].mass * s.state.bodies[i].velocity;
        return p;
    };
    const Vec3 a = momentumOf(0), b = momentumOf(1);
    double worst = 0, deepest = 0;
    runFor(s, 1, [&](const StepReport&) {
        worst = std::max(worst, (momentumOf(0) - a + momentumOf(1) - b).norm());
        deepest = std::max(deepest, penetration(s));
    });
    std::printf("passed on %.3f of %.3f N·s, lost %.1e; %.1e m deep\n", (momentumOf(1) - b).norm(),
                a.norm(), worst / a.norm(), deepest);
    EXPECT_GT((momentumOf(1) - b).x(), 0.4 * a.norm());
    // Newton's method leaves forces unbalanced by its tolerance.
    EXPECT_LT(worst / a.norm(), 1e-6);
    EXPECT_LT(deepest, 2e-3);
}

// Where a ball dropped from 0.5 m is after a second: on the table, or past it.
bool fallsThrough(const Description& d)
{
    Simulation s = started(d, stepping("implicit", frame));
    runFor(s, 1);
    const double y = bodyOf(s, "ball").position.y();
    EXPECT_TRUE(std::abs(y - 0.15) < 1e-3 || y < -1) << y;
    return y < -1;
}

Description table()
{
    Description d;
    d.bodies = {solid("ball", Sphere{0.1}, Vec3(0, 0.65, 0))};
    ObstacleDescription top;
    top.name = "table";
    top.type = ObstacleDescription::Type::shape;
    top.shape = Box{Vec3(1, 0.1, 1)};
    top.layer = "furniture";
    d.obstacles = {top};
    d.contact.emplace();
    return d;
}

TEST(Filters, let_through_what_the_scene_says_and_nothing_else)
{
    Description d = table();
    EXPECT_FALSE(fallsThrough(d));
    d.contact->ignore = {{"ball", "furniture"}};
    EXPECT_TRUE(fallsThrough(d));
    d.contact->ignore = {{"default", "furniture"}};
    EXPECT_TRUE(fallsThrough(d));
    d.contact->ignore = {{"default", "default"}};
    EXPECT_FALSE(fallsThrough(d));
    d.contact->ignore.clear();
    d.bodies[0].collides = false;
    EXPECT_TRUE(fallsThrough(d));
}

TEST(Filters, bones_that_a_joint_connects_do_not_touch_but_others_do)
{
    // Springs fold three bones onto each other: neighbours pass, the outer ones meet.
    Description d;
    d.gravity.setZero();
    d.bodies = {solid("a", Capsule{0.05, 0.3}, Vec3(0, 0, 0)),
                solid("b", Capsule{0.05, 0.3}, Vec3(0, 0.3, 0)),
                solid("c", Capsule{0.05, 0.3}, Vec3(0, 0.6, 0))};
    d.joints = {joined("ab", JointType::hinge, "a", "b", Vec3(0, 0.15, 0)),
                joined("bc", JointType::hinge, "b", "c", Vec3(0, 0.45, 0))};
    for (JointDescription& joint : d.joints) {
        joint.stiffness = 5;
        joint.damping = 0.3;
    }
    d.joints[0].rest = {2};  // c stays away from a
    d.contact.emplace();
    const auto outerOnesTouch = [&] {
        Simulation s = started(d, stepping("implicit", frame));
        const int a = s.model().findBody("a"), c = s.model().findBody("c");
        bool touch = false;
        runFor(s, 2, [&](const StepReport&) {
            for (const Contact& contact : s.state.contacts) {
                EXPECT_EQ(std::min(contact.bodyA, contact.bodyB), std::min(a, c));
                EXPECT_EQ(std::max(contact.bodyA, contact.bodyB), std::max(a, c));
                touch |= contact.impulse[0] > 0;
            }
        });
        EXPECT_GT(s.state.q[s.model().joints[s.model().findJoint("ab")].q], 1.2);  // it did fold
        return touch;
    };
    EXPECT_FALSE(outerOnesTouch());
    d.joints[1].rest = {2.8};  // it comes round
    EXPECT_TRUE(outerOnesTouch());
    d.contact->ignore = {{"a", "c"}};
    EXPECT_FALSE(outerOnesTouch());
}

TEST(Touch, fires_when_a_body_lands_and_not_before)
{
    Description d = onGround(solid("ball", Sphere{0.1}, Vec3(0, 0.6, 0)));
    const double weight = 4. / 3 * pi * 1e-3 * 1000 * g;
    ForceDescription lift;
    lift.body = "ball";
    lift.force = Vec3(0, 2 * weight, 0);
    lift.when.emplace();
    lift.when->quantity = ConditionDescription::Quantity::touch;
    lift.when->of = "ball";
    d.forces = {lift};
    Result<Simulation> made = Simulation::create(d, stepping("implicit", frame));
    ASSERT_TRUE(made) << made.error().text();
    Simulation& s = made.value();
    runFor(s, 0.3);
    EXPECT_NEAR(bodyOf(s, "ball").velocity.y(), -0.3 * g, 1e-9);  // falls: 0.5 m take 0.319 s
    runFor(s, 0.7);
    // It rests for the step that the force is late by, then rises by g.
    const double since = 1 - std::sqrt(2 * 0.5 / g);
    EXPECT_NEAR(bodyOf(s, "ball").velocity.y(), g * since, 3 * frame * g);
}

struct Shot {
    const char* integrator;
    Response response;
    double restitution;
};
class FastBall : public testing::TestWithParam<Shot> {};

TEST_P(FastBall, at_a_hundred_metres_per_second_does_not_pass_a_wall_of_a_centimetre)
{
    Description d;
    d.gravity.setZero();
    d.bodies = {solid("ball", Sphere{0.05}, Vec3(-5, 0, 0))};
    d.bodies[0].velocity = Vec3(100, 0, 0);
    ObstacleDescription wall;
    wall.name = "wall";
    wall.type = ObstacleDescription::Type::shape;
    wall.shape = Box{Vec3(0.01, 4, 4)};
    d.obstacles = {wall};
    d.contact.emplace();
    d.contact->response = GetParam().response;
    d.contact->restitution = GetParam().restitution;
    for (double start : {-5.0, -5.3, -5.7, -6.1}) {
        d.bodies[0].pose.position.x() = start;
        Simulation s = started(d, stepping(GetParam().integrator, frame));
        double farthest = start;
        runFor(s, 0.2,
               [&](const StepReport&) { farthest = std::max(farthest, s.state.bodies[0].position.x()); });
        EXPECT_LT(farthest, -0.055 + 1e-3) << start;
        EXPECT_LE(bodyOf(s, "ball").velocity.x(), 1e-3) << start;
        if (GetParam().restitution > 0)
            EXPECT_NEAR(bodyOf(s, "ball").velocity.x(), -100 * GetParam().restitution, 1e-3) << start;
    }
}

INSTANTIATE_TEST_SUITE_P(By, FastBall,
                         testing::Values(Shot{"implicit", Response::resting, 0},
                                         Shot{"implicit", Response::resting, 0.5},
                                         Shot{"rk4", Response::impulse, 0.5}),
                         [](const auto& info) {
                             return std::string(info.param.integrator) +
                                    (info.param.restitution > 0 ? "_elastic" : "_plastic");
                         });

TEST(FastBall, does_not_pass_another_body_either)
{
    Description d;
    d.gravity.setZero();
    d.bodies = {solid("ball", Sphere{0.05}, Vec3(-5.3, 0, 0)),
                solid("plate", Box{Vec3(0.01, 1, 1)}, Vec3::Zero())};
    d.bodies[0].velocity = Vec3(100, 0, 0);
    d.contact.emplace();
    Simulation s = started(d, stepping("implicit", frame));
    runFor(s, 0.2, [&](const StepReport&) {
        EXPECT_LT(bodyOf(s, "ball").position.x(), bodyOf(s, "plate").position.x() - 0.054);
    });
    EXPECT_GT(bodyOf(s, "plate").velocity.x(), 1);
}

}  // namespace
}  // namespace sinew::contact_test
