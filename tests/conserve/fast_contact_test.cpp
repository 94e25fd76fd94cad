// Contact with a fixed budget of work: what it must keep although it does not converge (contact/pile.h).
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sinew/base/random.h"
#include "sinew/measure/energy.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/contacts.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

constexpr double frame = 1. / 60;

Description scene(bool hasGround)
{
    Description d;
    d.contact = ContactDescription{};
    d.contact->accuracy = ContactDescription::Accuracy::fast;
    if (hasGround)
        d.obstacles.resize(1);
    else
        d.gravity = Vec3::Zero();
    return d;
}

BodyDescription shaped(int number, const Shape& shape, const Vec3& place)
{
    BodyDescription body;
    body.name = "b" + std::to_string(number);
    body.pose.position = place;
    body.shapes.push_back({shape, {}, {}, {}});
    return body;
}

Simulation started(const Description& d, double step = frame)
{
    Settings settings;
    settings.step = step;
    Result<Simulation> made = Simulation::create(d, settings);
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    return std::move(made.value());
}

double deepest(const Simulation& s)
{
    double depth = 0;
    for (const Contact& c : s.state.contacts) depth = std::max(depth, -contactGap(c, s.state));
    return depth;
}

Vec3 randomVector(Random& random, double size)
{
    const double x = random.uniform(-size, size), y = random.uniform(-size, size);
    return {x, y, random.uniform(-size, size)};
}

Shape randomShape(Random& random)
{
    const double a = random.uniform(0.06, 0.15), b = random.uniform(0.06, 0.15);
    switch (random.below(5)) {
        case 0:
            return Box{Vec3(2 * a, 2 * b, 0.2)};
        case 1:
            return Sphere{a};
        case 2:
            return Capsule{0.5 * a, 2 * b};
        case 3:
            return Ellipsoid{Vec3(a, b, 0.1)};
        default:
            return Cylinder{a, b};
    }
}

// Bodies of all shapes, that fall onto the ground or, without weight, fly at each other.
Description randomHeap(int seed, bool hasGround)
{
    Random random(seed);
    Description d = scene(hasGround);
    d.contact->friction = random.uniform(0, 1.2);
    if (seed % 3 == 0) d.contact->restitution = random.uniform(0, 1);
    if (seed % 4 == 0) d.contact->rollingFriction = d.contact->spinningFriction = 0.01;
    if (seed % 5 == 0) d.contact->staticFriction = d.contact->friction + 0.3;
    const int count = 4 + random.below(12);
    for (int k = 0; k < count; ++k) {
        const Vec3 cell(0.35 * (k % 3), 0.4 + 0.4 * (k / 9), 0.35 * (k / 3 % 3));
        BodyDescription body = shaped(k, randomShape(random), cell + randomVector(random, 0.02));
        body.pose.orientation =
            Quat(1, random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)).normalized();
        body.velocity = hasGround ? randomVector(random, 2) : Vec3(3 * (Vec3(0.35, 0.6, 0.35) - cell));
        body.angularVelocity = randomVector(random, 6);
        d.bodies.push_back(body);
    }
    return d;
}

TEST(FastContact, no_step_of_random_heaps_gains_energy)
{
    double most = 0;
    for (int seed = 1; seed <= 60; ++seed) {
        const bool hasGround = seed % 4 != 1;
        Simulation s = started(randomHeap(seed, hasGround));
        const Model& model = s.model();
        double before = energy(model, s.state).total();
        const double scale = model.mass() * 0.1;
        for (int step = 0; step < 120; ++step) {
            const double depth = deepest(s);
            const double kinetic = energy(model, s.state).kinetic;
            ASSERT_TRUE(s.step().ok) << seed;
            const double now = energy(model, s.state).total();
            // What is inside may be lifted out, by as much as a step takes back.
            const double lifted =
                model.mass() * model.gravity.norm() * 0.3 * model.gravity.norm() * frame * frame;
            EXPECT_LE(now, before + lifted + 1e-9 * (scale + kinetic))
                << seed << ", step " << step << ", " << depth;
            most = std::max(most, (now - before) / (scale + kinetic));
            before = now;
        }
    }
    std::printf("the most that a step gained: %.1e\n", most);
}

TEST(FastContact, what_collides_in_space_keeps_its_momentum)
{
    for (int seed = 1; seed <= 20; ++seed) {
        Simulation s = started(randomHeap(seed, false));
        const Model& model = s.model();
        const auto momenta = [&] {
            Vec6 sum = Vec6::Zero();
            for (int i = 0; i < model.size(); ++i) {
                const Vec3 p = linearMomentum(model, s.state, i);
                sum.head<3>() += p;
                sum.tail<3>() += s.state.bodies[i].position.cross(p) + angularMomentum(model, s.state, i);
            }
            return sum;
        };
        double scale = 0;
        for (int i = 0; i < model.size(); ++i) scale += linearMomentum(model, s.state, i).norm();
        const Vec6 before = momenta();
        bool touched = false;
        for (int step = 0; step < 60; ++step) {
            ASSERT_TRUE(s.step().ok);
            touched |= contactCount(s.state) > 0;
        }
        const Vec6 change = momenta() - before;
        EXPECT_TRUE(touched) << seed;
        EXPECT_LT(change.head<3>().norm(), 1e-12 * scale) << seed;
        // Arms end at the two surfaces, which touch but for what a part of a step closes or takes back.
        EXPECT_LT(change.tail<3>().norm(), 3e-3 * scale) << seed;
    }
}

TEST(FastContact, a_free_top_keeps_energy_and_angular_momentum_to_rounding)
{
    Description d = scene(false);
    BodyDescription top = shaped(0, Box{Vec3(0.1, 0.2, 0.4)}, Vec3(0, 1, 0));
    top.angularVelocity = Vec3(0.1, 9, 0.2);  // about the middle axis: it turns over
    d.bodies = {top};
    Simulation s = started(d);
    const double before = energy(s.model(), s.state).kinetic;
    const Vec3 L = angularMomentum(s.model(), s.state, 0);
    for (int step = 0; step < 600; ++step) ASSERT_TRUE(s.step().ok);
    EXPECT_NEAR(energy(s.model(), s.state).kinetic, before, 1e-11 * before);
    EXPECT_LT((angularMomentum(s.model(), s.state, 0) - L).norm(), 1e-11 * L.norm());
}

TEST(FastContact, a_box_on_a_slope_holds_or_slides_as_Coulomb_has_it)
{
    for (const double slope : {0.4, 0.7}) {  // the coefficient is 0.5
        Description d = scene(true);
        d.contact->friction = 0.5;
        d.gravity = 9.81 * Vec3(slope, -1, 0).normalized();
        d.bodies = {shaped(0, Box{Vec3::Constant(0.2)}, Vec3(0, 0.1, 0))};
        Simulation s = started(d);
        for (int step = 0; step < 60; ++step) ASSERT_TRUE(s.step().ok);
        const double pull = 9.81 * (slope - 0.5) / std::hypot(slope, 1);
        if (slope < 0.5)
            EXPECT_LT(std::abs(s.state.bodies[0].position.x()), 1e-5);
        else
            EXPECT_NEAR(s.state.bodies[0].velocity.x(), pull * s.state.time, 1e-3 * pull);
    }
}

TEST(FastContact, a_ball_bounces_by_its_restitution)
{
    Description d = scene(true);
    d.contact->restitution = 0.5;
    d.bodies = {shaped(0, Sphere{0.1}, Vec3(0, 1.1, 0))};
    Simulation s = started(d);
    double high = 0;
    bool came = false;
    while (s.state.time < 0.8) {
        ASSERT_TRUE(s.step().ok);
        came |= contactCount(s.state) > 0;
        if (came) high = std::max(high, s.state.bodies[0].position.y() - 0.1);
    }
    EXPECT_NEAR(high, 0.25, 0.02);
}

TEST(FastContact, a_tower_of_ten_comes_to_rest_without_sinking_in)
{
    Description d = scene(true);
    Random random(3);
    for (int k = 0; k < 10; ++k)
        d.bodies.push_back(
            shaped(k, Box{Vec3::Constant(0.2)},
                   Vec3(random.uniform(-0.01, 0.01), 0.11 + 0.21 * k, random.uniform(-0.01, 0.01))));
    Simulation s = started(d);
    int most = 0;
    while (s.state.time < 3) {
        const StepReport report = s.step();
        ASSERT_TRUE(report.ok);
        most = std::max(most, report.statistics.contactSweeps);
    }
    EXPECT_LE(most, 36);  // the budget, which is the same wherever a step comes to
    EXPECT_LT(energy(s.model(), s.state).kinetic, 1e-8);
    EXPECT_LT(deepest(s), 1e-4);
    EXPECT_NEAR(s.state.bodies[9].position.y(), 1.9, 1e-3);
}

TEST(FastContact, a_blow_knocks_a_tower_over)
{
    Description d = scene(true);
    for (int k = 0; k < 6; ++k)
        d.bodies.push_back(shaped(k, Box{Vec3(0.1, 0.2, 0.1)}, Vec3(0, 0.1 + 0.2 * k, 0)));
    d.bodies.push_back(shaped(6, Sphere{0.1}, Vec3(-1, 1, 0)));
    Simulation s = started(d);
    while (s.state.time < 1) ASSERT_TRUE(s.step().ok);
    EXPECT_NEAR(s.state.bodies[5].position.y(), 1.1, 1e-3);  // it stands
    BodyMotion motion = s.body("b6").value();
    motion.pose.position = Vec3(-0.5, 1, 0);
    motion.velocity = Vec3(4, 1, 0);
    ASSERT_FALSE(s.setBody("b6", motion));
    while (s.state.time < 3) ASSERT_TRUE(s.step().ok);
    EXPECT_LT(s.state.bodies[5].position.y(), 0.5);
}

TEST(FastContact, threads_and_a_state_taken_up_again_make_no_difference)
{
    Simulation one = started(randomHeap(7, true)), two = started(randomHeap(7, true));
    two.threads = 2;
    State kept;
    for (int step = 0; step < 90; ++step) {
        if (step == 45) kept = one.state;
        ASSERT_TRUE(one.step().ok);
        ASSERT_TRUE(two.step().ok);
    }
    Simulation again = started(randomHeap(7, true));
    ASSERT_FALSE(again.setState(kept));
    for (int step = 45; step < 90; ++step) ASSERT_TRUE(again.step().ok);
    for (std::size_t i = 0; i < one.state.bodies.size(); ++i)
        for (const Simulation* other : {&two, &again}) {
            const BodyState &a = one.state.bodies[i], &b = other->state.bodies[i];
            EXPECT_EQ(a.position, b.position);
            EXPECT_EQ(a.orientation.coeffs(), b.orientation.coeffs());
            EXPECT_EQ(a.velocity, b.velocity);
            EXPECT_EQ(a.angularVelocity, b.angularVelocity);
        }
}

TEST(FastContact, figures_beside_piles_keep_their_joints_and_hold_what_lies_on_them)
{
    Description d = scene(true);
    for (int k = 0; k < 3; ++k)
        d.bodies.push_back(shaped(k, Box{Vec3::Constant(0.2)}, Vec3(2, 0.1 + 0.21 * k, 0)));
    BodyDescription low = shaped(3, Box{Vec3(0.6, 0.2, 0.3)}, Vec3(0, 0.12, 0)),
                    high = shaped(4, Box{Vec3(0.6, 0.2, 0.3)}, Vec3(0.6, 0.12, 0));
    d.bodies.push_back(low);
    d.bodies.push_back(high);
    d.bodies.push_back(shaped(5, Sphere{0.1}, Vec3(0.1, 0.6, 0)));
    d.joints.resize(1);
    d.joints[0].name = "hinge";
    d.joints[0].type = JointType::hinge;
    d.joints[0].first = "b3";
    d.joints[0].second = "b4";
    d.joints[0].position = Vec3(0.3, 0.12, 0);
    d.joints[0].axis = Vec3(0, 0, 1);
    Simulation s = started(d);
    while (s.state.time < 2) ASSERT_TRUE(s.step().ok);
    EXPECT_LT(largestJointError(s.model(), s.state).gap, 1e-12);
    EXPECT_LT(deepest(s), 1e-4);
    const auto heightOf = [&](const char* name) { return s.body(name).value().pose.position.y(); };
    EXPECT_NEAR(heightOf("b2"), 0.5, 1e-3);
    EXPECT_NEAR(heightOf("b3"), 0.1, 1e-3);
    EXPECT_GT(heightOf("b5"), 0.09);
}

TEST(FastContact, it_is_for_resting_contact)
{
    Description d = scene(true);
    d.bodies = {shaped(0, Sphere{0.1}, Vec3(0, 1, 0))};
    d.contact->response = ContactDescription::Response::impulse;
    const Result<Simulation> made = Simulation::create(d, {});
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().text().find("accuracy 'fast' is for resting contact"), std::string::npos)
        << made.error().text();
}

}  // namespace
}  // namespace sinew
