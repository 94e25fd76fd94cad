// Figures in contact with a fixed budget of work: what their steps must keep although sweeps do not
// converge (integrate/fast_figures.h).
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sinew/base/random.h"
#include "sinew/math/rotation.h"
#include "sinew/measure/energy.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/contacts.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

constexpr double picture = 1. / 60;

Description fastScene(bool hasGround)
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

Simulation begun(const Description& d, double step = picture)
{
    Settings settings;
    settings.step = step;
    Result<Simulation> made = Simulation::create(d, settings);
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    return std::move(made.value());
}

Vec3 anyVector(Random& random, double size)
{
    const double x = random.uniform(-size, size), y = random.uniform(-size, size);
    return {x, y, random.uniform(-size, size)};
}

// A trunk with limbs of one or two bones, all joints somewhat damped, some with springs and limits.
void addDoll(Random& random, const Vec3& place, const Vec3& velocity, Description& d)
{
    const std::string own = "_" + std::to_string(d.bodies.size());
    const Quat turn(expRotation(anyVector(random, 2)));
    const Vec3 spin = anyVector(random, 2);
    const auto add = [&](const std::string& name, const Shape& shape, const Vec3& at, const Quat& how) {
        BodyDescription body;
        body.name = name + own;
        body.pose = {place + turn * at, turn * how};
        body.shapes.push_back({shape, {}, {}, {}});
        body.velocity = velocity;
        body.angularVelocity = spin;
        // As one: how each joint turns is its own affair from then on.
        body.velocity = velocity + spin.cross(turn * at);
        d.bodies.push_back(body);
    };
    const auto join = [&](const std::string& first, const std::string& second, const Vec3& at) {
        JointDescription joint;
        joint.name = first + second + own;
        joint.first = first + own;
        joint.second = second + own;
        joint.position = place + turn * at;
        joint.damping = random.uniform(0.005, 0.1);
        if (random.below(2) == 0) {
            joint.type = JointType::hinge;
            joint.axis = turn * Vec3(0, 0, 1);
            if (random.below(2) == 0) {
                joint.lower = {-0.5};
                joint.upper = {random.uniform(0.2, 2)};
                joint.limitStiffness = 50;
            }
        } else {
            joint.type = JointType::spherical;
        }
        if (random.below(3) == 0) joint.stiffness = random.uniform(0.1, 5);
        d.joints.push_back(joint);
    };
    add("trunk", Box{Vec3(0.2, 0.3, 0.12)}, Vec3::Zero(), Quat::Identity());
    const Quat flat = Quat(AngleAxis(pi / 2, Vec3(0, 0, 1)));
    int limb = 0;
    for (const double side : {-1., 1.})
        for (const double height : {-0.13, 0.12}) {
            const std::string upper = "upper" + std::to_string(limb),
                              lower = "lower" + std::to_string(limb);
            ++limb;
            add(upper, Capsule{0.035, 0.14}, Vec3(side * 0.21, height, 0), flat);
            join("trunk", upper, Vec3(side * 0.11, height, 0));
            if (random.below(2) == 0) continue;
            add(lower, Sphere{0.045}, Vec3(side * 0.36, height, 0), Quat::Identity());
            join(upper, lower, Vec3(side * 0.3, height, 0));
        }
}

Description dolls(int seed, bool hasGround)
{
    Random random(seed);
    Description d = fastScene(hasGround);
    d.contact->friction = random.uniform(0, 1.2);
    if (seed % 5 == 0) d.contact->rollingFriction = d.contact->spinningFriction = 0.01;
    if (seed % 4 == 0) d.contact->staticFriction = d.contact->friction + 0.3;
    const int count = 2 + random.below(3);
    for (int k = 0; k < count; ++k) {
        const Vec3 place(0.4 * (k % 2), 0.5 + 0.5 * k, 0.1 * k);
        const Vec3 middle(0.2, 0.5 + 0.25 * (count - 1), 0);
        addDoll(random, place, hasGround ? anyVector(random, 1) : Vec3(2 * (middle - place)), d);
    }
    BodyDescription crate;
    crate.name = "crate";
    crate.pose.position = Vec3(0.2, 0.7 + 0.5 * count, 0.1);
    crate.shapes.push_back({Box{Vec3(0.3, 0.2, 0.2)}, {}, {}, {}});
    if (hasGround) d.bodies.push_back(crate);
    return d;
}

double deepestOf(const Simulation& s)
{
    double depth = 0;
    for (const Contact& c : s.state.contacts) depth = std::max(depth, -contactGap(c, s.state));
    return depth;
}

TEST(FastFigures, no_step_of_random_dolls_gains_energy_or_opens_a_joint)
{
    for (int seed = 1; seed <= 24; ++seed) {
        Simulation s = begun(dolls(seed, seed % 4 != 1));
        const Model& model = s.model();
        double before = energy(model, s.state).total();
        for (int step = 0; step < 120; ++step) {
            const double kinetic = energy(model, s.state).kinetic;
            const StepReport report = s.step();
            ASSERT_TRUE(report.ok) << seed << report.message;
            const double now = energy(model, s.state).total();
            // What is inside may be lifted out, by as much as a step takes back, and once more into
            // springs.
            const double fall = 0.3 * model.gravity.norm() * picture * picture + 1e-4 * model.contactLength;
            const double lifted = 2 * model.mass() * model.gravity.norm() * fall;
            // What touches nothing looks back (BDF2), whose energy of a single step is not told.
            const double free = contactCount(s.state) == 0 ? 0.01 * kinetic : 0;
            EXPECT_LE(now, before + lifted + free + 1e-9 * kinetic) << seed << ", step " << step;
            before = now;
            for (const Contact& c : s.state.contacts) {
                EXPECT_GE(c.impulse[0], 0);
                EXPECT_LE(c.impulse.tail<2>().norm(), (1 + 1e-9) * c.staticFriction * c.impulse[0]);
            }
        }
        EXPECT_LT(largestJointError(model, s.state).gap, 1e-12) << seed;
        EXPECT_LT(largestJointError(model, s.state).misalignment, 1e-12) << seed;
    }
}

TEST(FastFigures, dolls_that_collide_in_space_keep_their_momenta)
{
    for (int seed = 1; seed <= 12; ++seed) {
        Simulation s = begun(dolls(seed, false), 1. / 240);
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
        for (int step = 0; step < 120; ++step) {
            ASSERT_TRUE(s.step().ok);
            for (const Contact& c : s.state.contacts) touched |= c.impulse[0] > 0;
        }
        const Vec6 change = momenta() - before;
        EXPECT_TRUE(touched) << seed;
        EXPECT_LT(change.head<3>().norm(), 1e-6 * scale) << seed;
        EXPECT_LT(change.tail<3>().norm(), 2e-2 * scale) << seed;
    }
}

// Two boxes on a hinge along the slope, so that both lie flat.
Description plank(double friction, const Vec3& gravity)
{
    Description d = fastScene(true);
    d.contact->friction = friction;
    d.gravity = gravity;
    for (int k = 0; k < 2; ++k) {
        BodyDescription half;
        half.name = "half" + std::to_string(k);
        half.pose.position = Vec3(0.32 * k, 0.05, 0);
        half.shapes.push_back({Box{Vec3(0.3, 0.1, 0.2)}, {}, {}, {}});
        d.bodies.push_back(half);
    }
    JointDescription hinge;
    hinge.name = "hinge";
    hinge.type = JointType::hinge;
    hinge.first = "half0";
    hinge.second = "half1";
    hinge.position = Vec3(0.16, 0.05, 0);
    hinge.axis = Vec3(0, 0, 1);
    d.joints.push_back(hinge);
    return d;
}

TEST(FastFigures, a_figure_on_a_slope_holds_or_slides_as_Coulomb_has_it)
{
    for (const double slope : {0.4, 0.7}) {  // the coefficient is 0.5
        Simulation s = begun(plank(0.5, 9.81 * Vec3(slope, -1, 0).normalized()));
        for (int step = 0; step < 60; ++step) ASSERT_TRUE(s.step().ok);
        const double pull = 9.81 * (slope - 0.5) / std::hypot(slope, 1);
        if (slope < 0.5)
            EXPECT_LT(std::abs(s.state.bodies[0].position.x()), 1e-4);
        else
            EXPECT_NEAR(s.state.bodies[0].velocity.x(), pull * s.state.time, 1e-2 * pull);
        EXPECT_LT(deepestOf(s), 1e-4);
    }
}

TEST(FastFigures, a_figure_bounces_by_its_restitution)
{
    Description d = plank(0.5, Vec3(0, -9.81, 0));
    for (BodyDescription& body : d.bodies) body.pose.position.y() += 0.5;
    for (JointDescription& joint : d.joints) joint.position.y() += 0.5;
    d.contact->restitution = 0.5;
    Simulation s = begun(d, 1. / 240);
    double high = 0;
    bool came = false;
    while (s.state.time < 0.55) {
        ASSERT_TRUE(s.step().ok);
        for (const Contact& c : s.state.contacts) came |= c.impulse[0] > 0;
        if (came) high = std::max(high, s.state.bodies[0].position.y() - 0.05);
    }
    EXPECT_TRUE(came);
    EXPECT_NEAR(high, 0.125, 0.01);
}

TEST(FastFigures, dolls_come_to_lie_still_and_hardly_in_each_other)
{
    for (int seed = 2; seed <= 8; seed += 3) {
        Simulation s = begun(dolls(seed, true));
        while (s.state.time < 6) ASSERT_TRUE(s.step().ok);
        EXPECT_LT(deepestOf(s), 2e-3) << seed;
        EXPECT_LT(energy(s.model(), s.state).kinetic, 0.05 * s.model().mass()) << seed;
        for (const BodyState& body : s.state.bodies) EXPECT_GT(body.position.y(), 0) << seed;
    }
}

TEST(FastFigures, threads_and_a_state_taken_up_again_make_no_difference)
{
    Description d = dolls(3, true);
    Random random(5);
    for (int k = 0; k < 6; ++k)  // islands of their own
        addDoll(random, Vec3(3 + 1.5 * k, 0.5, 0), Vec3::Zero(), d);
    Simulation one = begun(d), two = begun(d);
    two.threads = 2;
    State kept;
    for (int step = 0; step < 70; ++step) {
        if (step == 40) kept = one.state;
        ASSERT_TRUE(one.step().ok);
        ASSERT_TRUE(two.step().ok);
    }
    Simulation again = begun(d);
    ASSERT_FALSE(again.setState(kept));
    for (int step = 40; step < 70; ++step) ASSERT_TRUE(again.step().ok);
    for (std::size_t i = 0; i < one.state.bodies.size(); ++i)
        for (const Simulation* other : {&two, &again}) {
            const BodyState &a = one.state.bodies[i], &b = other->state.bodies[i];
            EXPECT_EQ(a.position, b.position) << i << (other == &two ? " threads" : " again");
            EXPECT_EQ(a.orientation.coeffs(), b.orientation.coeffs());
            EXPECT_EQ(a.velocity, b.velocity);
            EXPECT_EQ(a.angularVelocity, b.angularVelocity);
        }
}

// Sweeps are counted, and so are looks, corrections and parts: no step takes more than these.
TEST(FastFigures, a_step_has_a_bound_on_its_work)
{
    constexpr long mostCorrections = 3 * 2 * (7 + 6) + 4 * 2 * (4 + 6);
    for (int seed = 2; seed <= 12; seed += 2) {
        Simulation s = begun(dolls(seed, true));
        for (int step = 0; step < 90; ++step) {
            const StepReport report = s.step();
            ASSERT_TRUE(report.ok);
            EXPECT_LE(report.statistics.contactSweeps, 48);
            EXPECT_LE(report.statistics.newtonIterations, mostCorrections);
        }
    }
}

}  // namespace
}  // namespace sinew
