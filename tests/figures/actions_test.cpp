// People who throw, dive, get up and hand over from keyed poses to their balance, by the torques of their
// joints.
//
// SINEW_BALANCE=long: thirty random starts of getting up instead of three.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "sinew/base/random.h"
#include "sinew/force/laws.h"
#include "sinew/force/spring_force.h"
#include "sinew/io/json/scene.h"
#include "sinew/model/action.h"
#include "sinew/model/balance.h"
#include "sinew/simulation/energy_balance.h"
#include "sinew/state/measure.h"

namespace sinew::actions_test {
namespace {

Description scene(const std::string& name)
{
    Result<Description> d = readScene(std::string(SINEW_SCENE_DIR "/") + name + ".json");
    EXPECT_TRUE(d) << d.error().text();
    return d.value();
}

Simulation start(const Description& description)
{
    Result<Simulation> made = Simulation::create(description, {});
    EXPECT_TRUE(made) << made.error().text();
    return std::move(made.value());
}

const BodyState& body(const Simulation& s, const char* name)
{
    return s.state.bodies[s.model().findBody(name)];
}

// Of the bodies of the first skeleton, about their centre of mass.
Vec3 angularMomentum(const Simulation& s)
{
    const Skeleton& figure = s.model().skeletons[0];
    Vec3 center = Vec3::Zero(), velocity = Vec3::Zero(), sum = Vec3::Zero();
    double mass = 0;
    const auto each = [&](auto&& function) {
        for (int i = figure.first; i < figure.first + figure.count; ++i)
            function(s.model().bodies[i], s.state.bodies[i]);
    };
    each([&](const Body& b, const BodyState& at) {
        mass += b.mass;
        center += b.mass * at.position;
        velocity += b.mass * at.velocity;
    });
    center /= mass;
    velocity /= mass;
    each([&](const Body& b, const BodyState& at) {
        sum += b.mass * (at.position - center).cross(at.velocity - velocity) +
               at.orientation * (b.inertia * at.angularVelocity);
    });
    return sum;
}

// What every drive of a joint gives, against its strength.
void expectWithinStrength(const Simulation& s, const Description& description)
{
    for (const ActionDescription& action : description.actions)
        for (const StrengthDescription& strength : action.joints) {
            Vec3 torque = Vec3::Zero();
            addDriveForce(s.model(), s.state, s.model().findJoint(strength.joint), torque.data());
            EXPECT_LE(torque.norm(), *strength.limit * (1 + 1e-12)) << strength.joint;
        }
}

class Throw : public testing::TestWithParam<double> {};

TEST_P(Throw, a_ball_leaves_the_hand_on_time_and_lands_in_the_basket)
{
    Description d = scene("throw_ball");
    d.run.step = GetParam();
    const double release = *d.joints.back().release;
    Simulation s = start(d);
    const Vec3 basket(-0.17, 0.3, 3.22);
    const Vec3 held = body(s, "ball").position - body(s, "right_hand").position;
    double landed = -1;
    Vec3 before = body(s, "ball").position;
    Vec3 thrown = Vec3::Zero(), velocity = Vec3::Zero();
    double left = 0;
    while (s.state.time < 3.5 - 1e-9) {
        const StepReport report = s.step();
        ASSERT_TRUE(report.ok) << report.message;
        expectWithinStrength(s, d);
        const Vec3 ball = body(s, "ball").position;
        const double time = s.state.time;
        if (time < release + 1e-9) {
            // As far from the hand as it was, and as fast as that point of it.
            EXPECT_NEAR((ball - body(s, "right_hand").position).norm(), held.norm(), 1e-7);
            thrown = ball;
            velocity = body(s, "ball").velocity;
            left = time;
        } else if (ball.y() > basket.y() && landed < 0) {
            // Free: the parabola from where the hand let go, but for the one step of first order there.
            const double t = time - left;
            const Vec3 place = thrown + t * velocity + 0.5 * t * t * s.model().gravity;
            EXPECT_LT((ball - place).norm(), 0.01 + 0.1 * t * GetParam() * 9.81) << time;
        }
        if (landed < 0 && time > release + 0.2 && ball.y() <= basket.y()) {
            const double part = (before.y() - basket.y()) / (before.y() - ball.y());
            const Vec3 through = before + part * (ball - before);
            landed = std::hypot(through.x() - basket.x(), through.z() - basket.z());
        }
        before = ball;
    }
    EXPECT_NEAR(left, 1.25, 1e-9);
    EXPECT_GT(velocity.norm(), 4);
    EXPECT_GE(landed, 0);
    EXPECT_LT(landed, 0.05);
    // It stays in, and the thrower on his feet.
    EXPECT_LT(std::abs(before.x() - basket.x()), 0.2);
    EXPECT_LT(std::abs(before.z() - basket.z()), 0.2);
    EXPECT_GT(body(s, "head").position.y(), 1.55);
}

INSTANTIATE_TEST_SUITE_P(Steps, Throw, testing::Values(1. / 60, 1. / 240));

TEST(Diving, tucks_and_opens_on_time_and_keeps_its_angular_momentum)
{
    Description d = scene("dive");
    Simulation s = start(d);
    s.measuresEnergy = true;
    EnergyMeter meter;
    meter.start(s);
    Vec3 kept = Vec3::Zero();
    double lost = 0, turned = 0, tucked = 10;
    Vec3 up = Vec3::UnitY();
    bool flies = false;
    while (s.state.time < *d.run.duration - 1e-9) {
        const StepReport report = s.step();
        ASSERT_TRUE(report.ok) << report.message;
        meter.add(s, report);
        expectWithinStrength(s, d);
        const Vec3 L = angularMomentum(s);
        if (s.state.time > 0.75 && !flies) {
            flies = true;
            kept = L;
        }
        if (flies) lost = std::max(lost, (L - kept).norm() / kept.norm());
        const Vec3 now = body(s, "pelvis").orientation * Vec3::UnitY();
        turned += std::atan2(up.cross(now).x(), up.dot(now));
        up = now;
        tucked = std::min(tucked, (body(s, "head").position - body(s, "left_shin").position).norm());
    }
    EXPECT_GT(kept.norm(), 15);
    EXPECT_LT(lost, 1e-9);
    EXPECT_GT(turned, 5.6);  // rad: all but once around
    EXPECT_LT(tucked, 0.75);
    // Feet first, stretched, in front of the board.
    EXPECT_LT(body(s, "left_toes").position.y(), body(s, "head").position.y() - 1.3);
    EXPECT_GT(body(s, "head").position.z(), 0.5);
    const EnergyBalance& energy = meter.balance;
    EXPECT_LT(std::abs(energy.unaccounted()), 0.02 * energy.drives);
}

// An action holds the figure, then lets go of it, and the balance takes over where it stands.
TEST(HandOver, from_keyed_poses_to_the_balance)
{
    Description d = scene("standing");
    d.forces.clear();
    ActionDescription action;
    action.joints = d.balances[0].joints;
    action.keys.push_back({0, {}});
    ActionDescription::Key bent{0.8, {}};
    for (const char* side : {"left", "right"}) {
        const std::string s = side;
        action.keys[0].pose.push_back({s + "_thigh", {0, 0, 0}});
        action.keys[0].pose.push_back({s + "_shin", {0}});
        action.keys[0].pose.push_back({s + "_foot", {0, 0, 0}});
        bent.pose.push_back({s + "_thigh", {-0.25, 0, 0}});
        bent.pose.push_back({s + "_shin", {0.45}});
        bent.pose.push_back({s + "_foot", {-0.2, 0, 0}});
    }
    action.keys.push_back(bent);
    for (StrengthDescription& strength : action.joints) strength.stiffness *= 2;
    const auto step = [](double from, double to) {
        StepSignal signal;
        signal.from = from;
        signal.to = to;
        signal.time = 0.8;
        signal.ramp = 0.2;
        return Signal(SignalPart(signal));
    };
    action.weight = step(1, 0);
    d.actions = {action};
    d.balances[0].weight = step(0, 1);
    Simulation s = start(d);
    double lowest = 2;
    while (s.state.time < 5) {
        const StepReport report = s.step();
        ASSERT_TRUE(report.ok) << report.message;
        if (s.state.time > 0.7) lowest = std::min(lowest, body(s, "head").position.y());
    }
    EXPECT_LT(lowest, 1.605);                                // it has bent its knees
    EXPECT_NEAR(body(s, "head").position.y(), 1.615, 0.01);  // and stands
    EXPECT_LT(body(s, "pelvis").velocity.norm(), 1e-3);
    // Without the balance it falls.
    d.balances[0].weight.reset();
    d.balances.clear();
    Simulation falls = start(d);
    while (falls.state.time < 5) ASSERT_TRUE(falls.step().ok);
    EXPECT_LT(body(falls, "head").position.y(), 1);
}

// ---- getting up -------------------------------------------------------------------------------------

// Every angle off by up to 3° as it falls; 0: as the scene has it.
Description fallen(std::uint64_t seed)
{
    Description d = scene("get_up");
    if (seed == 0) return d;
    Random random(seed);
    const auto angle = [&] { return random.uniform(-3, 3) * pi / 180; };
    for (JointDescription& joint : d.joints) {
        if (joint.type == JointType::hinge) joint.coordinate = {angle()};
        if (joint.type == JointType::spherical) joint.coordinate = {angle(), angle(), angle()};
    }
    return d;
}

// The part of a joint's strength that all its drives together give. As the action hands over there are two.
double partOfStrength(const Simulation& s, const StrengthDescription& strength)
{
    Vec3 torque = Vec3::Zero();
    addDriveForce(s.model(), s.state, s.model().findJoint(strength.joint), torque.data());
    if (strength.limit) return torque.norm() / *strength.limit;
    double square = 0;
    for (std::size_t i = 0; i < strength.limits.size(); ++i)
        square += std::pow(torque[i] / strength.limits[i][torque[i] < 0 ? 0 : 1], 2);
    return std::sqrt(square);
}

struct Rise {
    double lying = 0;                  // m: highest that the head is while it lies
    double lyingSpeed = 0;             // m/s: fastest that the centre of the trunk is then
    double strength = 0;               // the largest part of a joint's strength
    double head = 0;                   // m, lowest of the last second
    double speed = 0;                  // m/s, fastest of the pelvis then
    double work = 0, unaccounted = 0;  // J
};
Rise getUp(const Description& d)
{
    Rise rise;
    Simulation s = start(d);
    s.measuresEnergy = true;
    EnergyMeter meter;
    meter.start(s);
    rise.head = 10;
    while (s.state.time < 10 - 1e-9) {
        const StepReport report = s.step();
        EXPECT_TRUE(report.ok) << report.message;
        if (!report.ok) break;
        meter.add(s, report);
        for (const StrengthDescription& strength : d.balances[0].joints)
            rise.strength = std::max(rise.strength, partOfStrength(s, strength));
        const double head = body(s, "head").position.y(), speed = body(s, "pelvis").velocity.norm();
        if (s.state.time > 2.5 && s.state.time < 3.2) {
            rise.lying = std::max(rise.lying, head);
            rise.lyingSpeed = std::max(rise.lyingSpeed, speed);
        }
        if (s.state.time > 9) {
            rise.head = std::min(rise.head, head);
            rise.speed = std::max(rise.speed, speed);
        }
    }
    rise.work = meter.balance.drives;
    rise.unaccounted = meter.balance.unaccounted();
    return rise;
}

TEST(GetUp, from_lying_on_the_front_by_its_own_torques)
{
    const Description d = fallen(0);
    EXPECT_TRUE(d.supports.empty() && d.targets.empty());
    ASSERT_EQ(d.forces.size(), 1u);  // the push, over long before it lies
    const Rise rise = getUp(d);
    EXPECT_LT(rise.lying, 0.35);
    EXPECT_LT(rise.lyingSpeed, 0.05);
    EXPECT_GT(rise.head, 1.58);
    EXPECT_LT(rise.speed, 0.05);
    EXPECT_LE(rise.strength, 1 + 1e-9);
    EXPECT_GT(rise.work, 0.85 * 70 * 9.81 * 0.85);  // it raised itself by more than 0.85 m, J
    EXPECT_LT(std::abs(rise.unaccounted), 0.05 * rise.work);
    // And does not without its action.
    Description limp = d;
    limp.actions.clear();
    EXPECT_LT(getUp(limp).head, 0.6);
}

TEST(GetUp, from_random_starts)
{
    const char* wish = std::getenv("SINEW_BALANCE");
    const int starts = wish && std::string(wish) == "long" ? 30 : 3;
    int up = 0;
    for (int seed = 1; seed <= starts; ++seed) {
        const Rise rise = getUp(fallen(static_cast<std::uint64_t>(seed)));
        EXPECT_LT(rise.lying, 0.4) << seed;
        EXPECT_LE(rise.strength, 1 + 1e-9) << seed;
        up += rise.head > 1.55 && rise.speed < 0.1;
    }
    std::printf("%d of %d get up\n", up, starts);
    EXPECT_GE(up, starts - starts / 10);
}

// A joint that lets go gives and takes no momentum, wherever it lets go.
TEST(Release, keeps_momentum)
{
    const Result<Description> d = parseScene(R"({"sinew": 1, "gravity": [0, 0, 0],
        "bodies": [
          {"name": "stick", "mass": 2, "shapes": [{"type": "capsule", "radius": 0.02, "length": 1}],
           "velocity": [0, 0.3, 0], "angular_velocity": [0, 0, 3]},
          {"name": "ball", "position": [0.1, 0.5, 0], "mass": 0.5, "shapes": [{"type": "sphere", "radius": 0.05}],
           "velocity": [-1.5, 0.6, 0], "angular_velocity": [0, 0, 3]}],
        "joints": [{"name": "grip", "type": "weld", "first": "stick", "second": "ball", "position": [0.05, 0.5, 0],
                    "release": 0.5}],
        "run": {"step": 0.01}})",
                                             "release");
    ASSERT_TRUE(d) << d.error().text();
    Simulation s = start(d.value());
    const auto momentum = [&] {
        Vec3 sum = Vec3::Zero();
        for (int i = 0; i < s.model().size(); ++i)
            sum += s.model().bodies[i].mass * s.state.bodies[i].velocity;
        return sum;
    };
    const auto apart = [&] { return (body(s, "ball").position - body(s, "stick").position).norm(); };
    const Vec3 p = momentum();
    const double held = apart();
    Vec3 free = Vec3::Zero();
    while (s.state.time < 1 - 1e-9) {
        ASSERT_TRUE(s.step().ok);
        EXPECT_LT((momentum() - p).norm(), 1e-9);
        if (s.state.time < 0.5 + 1e-9) {
            EXPECT_NEAR(apart(), held, 1e-8);
            free = body(s, "ball").velocity;
        } else {
            EXPECT_LT((body(s, "ball").velocity - free).norm(), 1e-9) << s.state.time;
        }
    }
    EXPECT_GT(apart(), held + 0.3);
}

// What supports at feet take, the ground does not bear; with all of the weight the figure lies there all
// the same, and does not come and go.
TEST(Supports, at_feet_beside_contact)
{
    for (const double share : {0.7, 1.}) {
        const Result<Description> d = parseScene(R"({"sinew": 1,
            "bodies": [{"name": "crate", "position": [0, 0.25, 0], "mass": 10,
                        "shapes": [{"type": "box", "size": [0.4, 0.5, 0.3]}]}],
            "obstacles": [{"type": "plane"}], "contact": true,
            "supports": [{"at": "feet", "bodies": ["crate"], "share": )" +
                                                     std::to_string(share) + "}]}",
                                                 "supports");
        ASSERT_TRUE(d) << d.error().text();
        Simulation s = start(d.value());
        while (s.state.time < 2) {
            ASSERT_TRUE(s.step().ok);
            if (s.state.time < 0.1) continue;
            double borne = 0;  // N
            for (const Contact& contact : s.state.contacts) borne += contact.impulse[0] / s.h;
            EXPECT_NEAR(borne, (1 - share) * 10 * 9.81, 1e-3) << s.state.time;
        }
        EXPECT_NEAR(body(s, "crate").position.y(), 0.25, 1e-4);
    }
}

// What a joint gives ends where its strength does, farther to one side than to the other, and its
// derivative is the one that differences tell.
TEST(Strength, of_two_sides)
{
    const TorqueBounds bounds{Vec3(10, 40, 25), Vec3(30, 20, 25)};
    for (const Vec3& way :
         {Vec3(1, 0.1, -0.2), Vec3(-1, -0.05, 0.1), Vec3(0.3, -0.8, 0.5), Vec3(-0.6, 0.2, -0.77)}) {
        const auto law = [&](const Vec3& x) {
            SpringForce force{-100 * x, 100 * Mat3::Identity(), 3 * Mat3::Identity()};
            force.limit(bounds, 3);
            return force;
        };
        const Vec3 x = -way;
        const SpringForce force = law(x);
        double size = 0;
        for (int i = 0; i < 3; ++i) {
            const double part = force.force[i] / bounds.of(i, force.force[i]);
            size += part * part;
        }
        EXPECT_NEAR(size, 1, 1e-12);
        EXPECT_LT(force.force.cross(way).norm(), 1e-10);
        constexpr double h = 1e-5;
        for (int k = 0; k < 3; ++k) {
            const Vec3 d = h * Vec3::Unit(k);
            const Vec3 slope = -(law(x + d).force - law(x - d).force) / (2 * h);
            EXPECT_LT((slope - force.stiffness.col(k)).norm(), 1e-5) << k;
        }
    }
    // Along one freedom it is what was given.
    SpringForce weak{Vec3(-100, 0, 0), Mat3::Zero(), Mat3::Zero()},
        strong{Vec3(100, 0, 0), Mat3::Zero(), Mat3::Zero()};
    weak.limit(bounds, 1);
    strong.limit(bounds, 1);
    EXPECT_DOUBLE_EQ(weak.force[0], -10);
    EXPECT_DOUBLE_EQ(strong.force[0], 30);
}

}  // namespace
}  // namespace sinew::actions_test
