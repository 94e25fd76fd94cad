// The response `impulse` where the answer is known: rest with every integrator at any scale, slopes, and
// blows that are passed on.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/math/rotation.h"
#include "support/contact_scenes.h"

namespace sinew::impulse_test {
namespace {

using test::bodyOf;
using test::frame;
using test::g;
using test::ground;
using test::penetration;
using test::runFor;
using test::solid;
using test::started;
using Response = ContactDescription::Response;

struct Way {
    const char *integrator, *coordinates;
};
constexpr Way ways[] = {{"rk4", "joint"},
                        {"rk4", "maximal"},
                        {"semi_implicit_euler", "joint"},
                        {"explicit_euler", "joint"},
                        {"conservative", "maximal"},
                        {"implicit", "joint"},
                        {"implicit", "maximal"},
                        {"hernandez", "maximal"}};

Settings stepping(const Way& way, double h)
{
    Settings settings = test::stepping(way.integrator, h);
    settings.coordinates = way.coordinates;
    return settings;
}

Description withImpulses(double restitution = 0)
{
    Description d;
    d.contact.emplace();
    d.contact->response = Response::impulse;
    d.contact->restitution = restitution;
    return d;
}

// A scene of another size under the same gravity: times and speeds go with its root.
Description scaled(Description d, double size)
{
    for (BodyDescription& body : d.bodies) {
        body.pose.position *= size;
        if (body.velocity) *body.velocity *= std::sqrt(size);
        if (body.angularVelocity) *body.angularVelocity /= std::sqrt(size);
        for (ShapeDescription& shape : body.shapes) {
            if (auto* box = std::get_if<Box>(&shape.shape)) box->size *= size;
            if (auto* ball = std::get_if<Sphere>(&shape.shape)) ball->radius *= size;
            if (auto* pill = std::get_if<Capsule>(&shape.shape)) {
                pill->radius *= size;
                pill->length *= size;
            }
        }
    }
    if (d.contact->bounceSpeed) *d.contact->bounceSpeed *= std::sqrt(size);
    if (d.contact->tolerance) *d.contact->tolerance *= size;
    return d;
}

Description turned(Description d, const Quat& turn)
{
    d.gravity = turn * d.gravity;
    for (BodyDescription& body : d.bodies) {
        body.pose = {turn * body.pose.position, turn * body.pose.orientation};
        if (body.velocity) body.velocity = Vec3(turn * *body.velocity);
        if (body.angularVelocity) body.angularVelocity = Vec3(turn * *body.angularVelocity);
    }
    for (ObstacleDescription& obstacle : d.obstacles) obstacle.normal = turn * obstacle.normal;
    return d;
}

const Box brick{Vec3(0.3, 0.2, 0.15)};

class Rest : public testing::TestWithParam<Way> {};

// A box, a ball and a stack of three, put down without a gap.
Description things()
{
    Description d = withImpulses();
    d.bodies = {solid("box", brick, Vec3(0, 0.1, 0)), solid("ball", Sphere{0.1}, Vec3(1, 0.1, 0)),
                solid("low", brick, Vec3(-1, 0.1, 0)), solid("middle", brick, Vec3(-1.02, 0.3, 0.01)),
                solid("high", brick, Vec3(-1, 0.5, 0))};
    d.obstacles = {ground()};
    return d;
}

TEST_P(Rest, does_not_sink_at_any_step_and_scale)
{
    struct Case {
        double size, h;
    };
    for (const Case& c : {Case{1, frame}, {1, 2 * frame}, {1, 1. / 960}, {1e-3, frame}, {1e3, frame}}) {
        const double time = std::sqrt(c.size);
        Simulation s = started(scaled(things(), c.size), stepping(GetParam(), c.h * time));
        const LargeVector<BodyState> before = s.state.bodies;
        double speed = 0;
        runFor(s, 3 * time, [&](const StepReport& report) {
            EXPECT_EQ(report.statistics.contactCaps, 0);
            for (const BodyState& b : s.state.bodies) speed = std::max(speed, b.velocity.norm());
        });
        // Solves end at a millionth of what is fallen through in a step, g h², and places do not add up.
        const double solved = 1e-5 * g * c.h * c.h * c.size + 1e-9 * c.size;
        EXPECT_LT(test::drift(before, s.state), 10 * solved) << c.size << " " << c.h;
        EXPECT_LT(penetration(s), solved) << c.size << " " << c.h;
        EXPECT_LT(speed * c.h * time, 10 * solved) << c.size << " " << c.h;
    }
}

TEST_P(Rest, on_a_slope_stays_within_the_angle_of_friction_and_slides_by_coulombs_law_beyond)
{
    const double angle = 20 * 3.14159265358979 / 180;
    for (const Quat& turn : {Quat::Identity(), expRotation(Vec3(0.7, -1.1, 0.4))})
        for (double friction : {0.5, 0.2}) {
            const Vec3 n(std::sin(angle), std::cos(angle), 0), down(std::cos(angle), -std::sin(angle), 0);
            Description d = withImpulses();
            d.bodies = {solid("box", brick, 0.1 * n, expRotation(Vec3(0, 0, -angle)))};
            d.obstacles = {ground(n)};
            d.contact->friction = friction;
            Simulation s = started(turned(d, turn), stepping(GetParam(), frame));
            const Vec3 from = bodyOf(s, "box").position;
            runFor(s, 2);
            const Vec3 way = turn.conjugate() * (bodyOf(s, "box").position - from);
            const double a =
                friction < std::tan(angle) ? g * (std::sin(angle) - friction * std::cos(angle)) : 0;
            constexpr double solved = 1e-8;
            EXPECT_NEAR(bodyOf(s, "box").velocity.dot(turn * down), a * 2, solved + 1e-7 * a) << friction;
            // Steps of first order are off by a h t/2.
            EXPECT_NEAR(way.dot(down), a * 2, solved + 1.01 * a * frame) << friction;
            EXPECT_NEAR(way.dot(n), 0, 1e-7) << friction;
        }
}

std::string nameOf(const testing::TestParamInfo<Way>& info)
{
    return std::string(info.param.integrator) + "_" + info.param.coordinates;
}
INSTANTIATE_TEST_SUITE_P(With, Rest, testing::ValuesIn(ways), nameOf);

TEST(Rest, of_a_rolling_ball_does_not_stop_it_and_of_a_sliding_one_makes_it_roll)
{
    for (const char* integrator : {"rk4", "conservative", "implicit"}) {
        Description d = withImpulses();
        d.bodies = {solid("ball", Sphere{0.1}, Vec3(0, 0.1, 0))};
        d.bodies[0].velocity = Vec3(1, 0, 0);
        d.obstacles = {ground()};
        Simulation s = started(d, test::stepping(integrator, frame));
        runFor(s, 2);
        // From sliding to rolling a ball keeps 5/7 of its speed.
        EXPECT_NEAR(bodyOf(s, "ball").velocity.x(), 5. / 7, 1e-6) << integrator;
        EXPECT_NEAR(bodyOf(s, "ball").angularVelocityWorld().z(), -50. / 7, 1e-5) << integrator;
        EXPECT_LT(penetration(s), 1e-7) << integrator;
    }
}

TEST(Rest, of_a_stiff_figure_on_its_feet_loads_no_springs)
{
    for (const char* coordinates : {"joint", "maximal"}) {
        Description d = test::shippedScene("stiff_stand");
        d.contact->response = Response::impulse;
        Simulation s = started(d, stepping({"implicit", coordinates}, 0.005));
        const double E = energy(s.model(), s.state).total();
        const LargeVector<BodyState> before = s.state.bodies;
        runFor(s, 0.5);
        // The weight settles into the springs by (m g)²/2k, 1e-5 J.
        EXPECT_NEAR(energy(s.model(), s.state).total(), E, 1e-7 * E) << coordinates;
        EXPECT_LT(test::drift(before, s.state), 1e-5) << coordinates;
        EXPECT_LT(penetration(s), 1e-7) << coordinates;
    }
}

// Touching balls in a row, the first of which come in.
std::vector<double> cradle(const Way& way, int count, int coming, double restitution, const Quat& turn,
                           double size, bool reversed)
{
    Description d = withImpulses(restitution);
    d.gravity.setZero();
    d.contact->bounceSpeed = 0.2;
    for (int i = 0; i < count; ++i) {
        d.bodies.push_back(
            solid("ball" + std::to_string(i), Sphere{0.1}, Vec3(0.2 * i - (i < coming ? 0.31 : 0), 0, 0)));
        if (i < coming) d.bodies.back().velocity = Vec3(1, 0, 0);
    }
    if (reversed) std::reverse(d.bodies.begin(), d.bodies.end());
    Simulation s = started(turned(scaled(d, size), turn), stepping(way, frame * std::sqrt(size)));
    runFor(s, std::sqrt(size));
    std::vector<double> speeds;
    for (int i = 0; i < count; ++i) {
        const Vec3 v = turn.conjugate() * bodyOf(s, "ball" + std::to_string(i)).velocity / std::sqrt(size);
        EXPECT_LT(std::hypot(v.y(), v.z()), 1e-9);
        speeds.push_back(v.x());
    }
    return speeds;
}

TEST(Cradle, as_many_leave_as_come_in)
{
    const Quat turn = expRotation(Vec3(0.4, 1.2, -0.8));
    for (const Way& way : ways)
        for (int coming = 1; coming <= 4; ++coming)
            for (int k = 0; k < 4; ++k) {
                const double size = k == 1 ? 1e-3 : k == 2 ? 1e3 : 1;
                const std::vector<double> speeds =
                    cradle(way, 5, coming, 1, k == 3 ? turn : Quat::Identity(), size, k == 3);
                // Turned, the moment of touch turns the normals by a millionth.
                for (int i = 0; i < 5; ++i)
                    EXPECT_NEAR(speeds[i], i >= 5 - coming ? 1 : 0, 1e-9)
                        << way.integrator << " " << coming << " " << k << " " << i;
            }
}

TEST(Cradle, with_less_restitution_passes_the_blow_on_ball_by_ball)
{
    // (1 + e)/2 of the speed goes on to the next at each contact; what is left of it is (1 − e)/2.
    constexpr double e = 0.9;
    const std::vector<double> speeds = cradle(ways[0], 4, 1, e, Quat::Identity(), 1, false);
    const double on = (1 + e) / 2, stays = (1 - e) / 2;
    EXPECT_NEAR(speeds[3], on * on * on, 1e-9);
    // These come on to each other, slower than bounce_speed, and stay together.
    const double together = (stays + on * stays + on * on * stays) / 3;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(speeds[i], together, 1e-9) << i;
}

TEST(Cradle, a_ball_between_two_stays_symmetric_and_keeps_energy_and_momentum)
{
    // Onto two that touch each other, from the middle; and two from both sides onto one.
    const double height = std::sqrt(3.) / 10;
    for (double e : {1.0, 0.5}) {
        Description d = withImpulses(e);
        d.gravity.setZero();
        d.contact->friction = 0;
        d.bodies = {solid("left", Sphere{0.1}, Vec3(-0.1, 0, 0)),
                    solid("right", Sphere{0.1}, Vec3(0.1, 0, 0)),
                    solid("top", Sphere{0.1}, Vec3(0, height + 0.3, 0))};
        d.bodies[2].velocity = Vec3(0, -1, 0);
        Simulation s = started(d, test::stepping("conservative", frame));
        runFor(s, 1);
        const Vec3 left = bodyOf(s, "left").velocity, right = bodyOf(s, "right").velocity,
                   top = bodyOf(s, "top").velocity;
        EXPECT_NEAR(left.x(), -right.x(), 1e-12);
        EXPECT_NEAR(left.y(), right.y(), 1e-12);
        EXPECT_NEAR(top.x(), 0, 1e-12);
        // Along the lines of centres 1/2 and √3/2: impulse j of each with (1 + e) cos 30° = j (2 + 1/2).
        const double j = (1 + e) * std::sqrt(0.75) / 2.5;
        EXPECT_NEAR(right.x(), j / 2, 1e-6);
        EXPECT_NEAR(right.y(), -j * std::sqrt(0.75), 1e-6);
        EXPECT_NEAR(top.y(), -1 + 2 * j * std::sqrt(0.75), 1e-6);

        d.bodies = {solid("left", Sphere{0.1}, Vec3(-0.5, 0, 0)), solid("one", Sphere{0.1}, Vec3::Zero()),
                    solid("right", Sphere{0.1}, Vec3(0.5, 0, 0))};
        d.bodies[0].velocity = Vec3(1, 0, 0);
        d.bodies[2].velocity = Vec3(-1, 0, 0);
        Simulation both = started(d, test::stepping("conservative", frame));
        runFor(both, 1);
        EXPECT_NEAR(bodyOf(both, "one").velocity.norm(), 0, 1e-12);
        EXPECT_NEAR(bodyOf(both, "left").velocity.x(), -e, 1e-12);
        EXPECT_NEAR(bodyOf(both, "right").velocity.x(), e, 1e-12);
    }
}

TEST(Blow, of_a_ball_on_a_box_that_rests_goes_through_it_and_comes_back)
{
    // A ball falls on a box that lies on the ground, all elastic: the box is driven down, the ground turns
    // it round, and it strikes the ball from below; the energy is all there.
    Description d = withImpulses(1);
    d.contact->friction = 0;
    d.gravity.setZero();
    d.bodies = {solid("box", brick, Vec3(0, 0.1, 0)), solid("ball", Sphere{0.1}, Vec3(0, 0.8, 0))};
    d.bodies[1].velocity = Vec3(0, -1, 0);
    d.obstacles = {ground()};
    Simulation s = started(d, test::stepping("conservative", frame));
    const double before = energy(s.model(), s.state).kinetic;
    runFor(s, 1.5);
    EXPECT_NEAR(energy(s.model(), s.state).kinetic / before, 1, 1e-12);
    EXPECT_GT(bodyOf(s, "ball").velocity.y(), 0);
    EXPECT_GT(bodyOf(s, "ball").velocity.y(), bodyOf(s, "box").velocity.y() - 1e-12);
    EXPECT_GE(bodyOf(s, "box").velocity.y(), -1e-12);
    EXPECT_LT(bodyOf(s, "box").angularVelocity.norm(), 1e-9);
}

}  // namespace
}  // namespace sinew::impulse_test
