// The figures of the papers, as scenes: Armstrong & Green's finger, Hernandez' hand and robot, a strand;
// and a person who is held up by support forces, as Armstrong & Green's was. The one that stands:
// balance_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/force/guides.h"
#include "sinew/force/laws/obstacles.h"
#include "sinew/io/json/scene.h"
#include "sinew/math/rotation.h"
#include "sinew/model/joint_curve.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/contacts.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

constexpr double degree = pi / 180;

Description scene(const std::string& name)
{
    Result<Description> d = readScene(std::string(SINEW_SCENE_DIR "/") + name + ".json");
    EXPECT_TRUE(d) << d.error().text();
    return d.value();
}

Simulation start(const Description& description, const Settings& settings = {})
{
    Result<Simulation> made = Simulation::create(description, settings);
    EXPECT_TRUE(made) << made.error().text();
    return std::move(made.value());
}

// Calls f after every step until the time.
template <class Function>
void runUntil(Simulation& s, double time, Function f)
{
    while (s.state.time < time - 0.5 * s.h) {
        ASSERT_TRUE(s.step().ok) << s.state.time;
        f();
    }
}

// The largest angle between the joints of two states: by how far one figure's pose is off another's.
double poseError(const Model& model, const VecX& a, const VecX& b)
{
    double worst = 0;
    for (const Joint& joint : model.joints) {
        if (joint.type == JointType::free || joint.type == JointType::weld) continue;
        const double *p = a.data() + joint.q, *q = b.data() + joint.q;
        if (joint.type == JointType::spherical) {
            const Quat turn = Quat(p[3], p[0], p[1], p[2]).conjugate() * Quat(q[3], q[0], q[1], q[2]);
            worst = std::max(worst, logRotation(turn).norm());
        } else {
            for (int i = 0; i < joint.freedoms(); ++i) worst = std::max(worst, std::abs(p[i] - q[i]));
        }
    }
    return worst;
}

// ---- the finger -----------------------------------------------------------------------------------

// Where the finger hangs by itself: an implicit run of the same scene without spikes, to the end.
VecX fingerAtRest()
{
    Description d = scene("finger");
    d.forces.clear();
    d.run = {};
    Simulation s = start(d, {"", "implicit_euler", 1. / 60});
    runUntil(s, 30, [] {});
    EXPECT_LT(s.state.u.cwiseAbs().maxCoeff(), 1e-6);
    return s.state.q;
}

TEST(Finger, is_the_papers_skeleton)
{
    const Description d = scene("finger");
    Simulation s = start(d);
    EXPECT_EQ(s.model().size(), 5);
    EXPECT_STREQ(s.method->name, "armstrong_green");
    EXPECT_STREQ(s.integrator->name, "bands");
    EXPECT_EQ(s.h, 0.01);
    EXPECT_EQ(*d.run.duration, 8);
    const auto massOf = [&](const char* name) { return s.model().bodies[s.model().findBody(name)].mass; };
    EXPECT_NEAR(massOf("hand"), 100 * massOf("proximal"), 1e-12);
    EXPECT_EQ(massOf("proximal"), massOf("distal"));
    const auto& pulse = std::get<PulseSignal>(d.forces[0].signal->parts[0]);
    EXPECT_EQ(pulse.start, 2);
    EXPECT_EQ(pulse.length, 0.11);
    EXPECT_EQ(pulse.period, 2);
}

TEST(Finger, taps_and_is_at_rest_a_second_after_each_spike)
{
    const VecX rest = fingerAtRest();
    for (int slowBand : {1, 2}) {
        Settings settings;
        settings.slowBand = slowBand;
        Simulation s = start(scene("finger"), settings);
        double worst = 0, swing = 0;
        int taps = 0;
        bool touched = false;
        runUntil(s, 8, [&] {
            const double since = s.state.time < 2 ? -1 : std::fmod(s.state.time, 2);
            const double error = poseError(s.model(), s.state.q, rest);
            if (since < 0 ? s.state.time > 1.5 : since >= 1) worst = std::max(worst, error);
            if (since >= 0) swing = std::max(swing, error);
            const bool touches = std::any_of(s.state.contacts.begin(), s.state.contacts.end(), bearsForce);
            taps += touches && !touched;
            touched = touches;
            // It comes to the table and not into it.
            const int tip = s.model().findBody("tip");
            EXPECT_GT(s.state.bodies[tip].position.y() - 0.009, 0.02 - 1e-4);
        });
        std::printf(
            "finger, slow band every %d: %.2f degrees from rest a second after a spike, swings by "
            "%.0f degrees, touches the table %d times\n",
            slowBand, worst / degree, swing / degree, taps);
        EXPECT_LT(worst, 2 * degree);
        EXPECT_GT(swing, 8 * degree);
        EXPECT_GE(taps, 3);
    }
}

TEST(Finger, bears_a_push_to_the_side)
{
    for (int slowBand : {1, 2}) {
        Description d = scene("finger");
        ForceDescription push;
        push.body = "distal";
        push.force = {0, 0, 0.3};
        push.signal = Signal(PulseSignal{1, 1, 0.1, 0, 0});
        d.forces.push_back(push);
        Settings settings;
        settings.slowBand = slowBand;
        Simulation s = start(d, settings);
        const VecX rest = fingerAtRest();
        double swing = 0;
        runUntil(s, 1.9, [&] { swing = std::max(swing, poseError(s.model(), s.state.q, rest)); });
        EXPECT_GT(swing, 5 * degree);
        EXPECT_LT(poseError(s.model(), s.state.q, rest), 10 * degree);
    }
}

// ---- the hand -------------------------------------------------------------------------------------

TEST(Hand, follows_the_glove_within_two_degrees)
{
    Description d = scene("hand");
    Simulation s = start(d, {"", "implicit", 1. / 60});
    ASSERT_EQ(s.model().motions.size(), 1u);
    double squares = 0, range = 0;
    int count = 0;
    runUntil(s, 4, [&] {
        if (s.state.time < 1) return;
        for (int i = 0; i < s.model().size(); ++i) {
            const Joint& joint = s.model().joints[i];
            const std::vector<Signal>& glove = s.model().motions[0].joints[i];
            if (glove.empty()) continue;
            const JointMotion wanted = jointMotionAt(joint, glove, s.state.time);
            const double* q = s.state.q.data() + joint.q;
            if (joint.type == JointType::spherical) {
                const Quat turn = Quat(wanted.q[3], wanted.q[0], wanted.q[1], wanted.q[2]).conjugate() *
                                  Quat(q[3], q[0], q[1], q[2]);
                squares += logRotation(turn).squaredNorm();
                ++count;
                continue;
            }
            for (int k = 0; k < joint.freedoms(); ++k) {
                squares += (q[k] - wanted.q[k]) * (q[k] - wanted.q[k]);
                range = std::max(range, std::abs(wanted.q[k]));
                ++count;
            }
        }
    });
    const double rms = std::sqrt(squares / count) / degree;
    std::printf("hand: %.2f degrees RMS off the glove over %d samples\n", rms, count);
    EXPECT_LT(rms, 2);
    EXPECT_GT(range, 0.7);  // the glove does move
}

TEST(Hand, flies_apart_in_explicit_steps_of_the_same_size)
{
    Simulation s = start(scene("hand"), {"", "semi_implicit_euler", 1. / 60});
    bool ok = true;
    for (int i = 0; i < 600 && ok; ++i) ok = s.step().ok;
    EXPECT_FALSE(ok);
}

TEST(Hand, is_stopped_by_the_table_and_by_its_limits)
{
    Simulation s = start(scene("hand"));
    double lowest = 1, beyond = 0;
    bool touched = false;
    runUntil(s, 10, [&] {
        forEachTouch(s.model(), s.state, {},
                     [&](const ContactPoint&, const Obstacle&, const Touch&) { touched = true; });
        for (const BodyState& body : s.state.bodies) lowest = std::min(lowest, body.position.y());
        for (const Joint& joint : s.model().joints)
            if (joint.type == JointType::hinge)
                beyond = std::max(
                    beyond, std::abs(beyondLimits(s.state.q[joint.q], joint.lower[0], joint.upper[0])));
    });
    EXPECT_TRUE(touched);
    EXPECT_GT(lowest, 0);
    EXPECT_LT(beyond, 5 * degree);
}

// ---- the robot ------------------------------------------------------------------------------------

TEST(Robot, is_pulled_by_its_hand_and_hangs_otherwise_without_torques)
{
    Simulation with = start(scene("robot"));
    Description d = scene("robot");
    d.switches.clear();
    Simulation always = start(d);
    for (const char* name :
         {"left_shoulder", "left_elbow", "left_wrist", "right_shoulder", "right_elbow", "right_wrist"})
        EXPECT_EQ(with.model().joints[with.model().findJoint(name)].type, JointType::spherical) << name;
    const int hand = with.model().findBody("left_hand");
    Guides guides;
    const auto farOff = [&](const Simulation& s) {
        placeGuides(s.model(), s.state.time, guides);
        return (s.state.bodies[hand].position - guides.figures[0].bodies[hand].position).norm();
    };
    double before = 0, during = 0, farthest = 0;
    while (with.state.time < 10 - 1e-9) {
        ASSERT_TRUE(with.step().ok);
        ASSERT_TRUE(always.step().ok);
        const double off = poseError(with.model(), with.state.q, always.state.q);
        (with.state.time < 2.99 ? before : during) =
            std::max(with.state.time < 2.99 ? before : during, with.state.time < 6 ? off : 0);
        farthest = std::max(farthest, farOff(with));
    }
    EXPECT_EQ(before, 0);
    EXPECT_GT(during, 20 * degree);  // another pose of the arm leads the hand along the same path
    EXPECT_LT(farthest, 0.1);
    // Four seconds after the torques came back nothing is left of the difference.
    EXPECT_LT(poseError(with.model(), with.state.q, always.state.q), 2 * degree);
}

// ---- the person on support forces -------------------------------------------------------------------

Description heldPerson()
{
    const Result<Description> d = readScene(SINEW_SCENE_DIR "/../tests/data/held_person.json");
    EXPECT_TRUE(d) << d.error().text();
    return d.value();
}

struct Stand {
    double sway = 0, left = 0, head = 10;
};
Stand push(double newtons)
{
    Description d = heldPerson();
    d.forces[0].force = {0, 0, -newtons};
    d.run.duration.reset();
    Simulation s = start(d, {"", "implicit", 1. / 60});
    Stand stand;
    runUntil(s, 1, [] {});
    const VecX pose = s.state.q;
    const int head = s.model().findBody("head");
    runUntil(s, 4.2, [&] {
        stand.sway = std::max(stand.sway, poseError(s.model(), pose, s.state.q));
        stand.head = std::min(stand.head, s.state.bodies[head].position.y());
    });
    stand.left = poseError(s.model(), pose, s.state.q);
    std::printf("held person: %.0f N for 0.2 s sway it by %.1f degrees, of which %.2f are left 3 s later\n",
                newtons, stand.sway / degree, stand.left / degree);
    return stand;
}

TEST(HeldPerson, has_twenty_bones_and_keeps_its_pose)
{
    const Simulation s = start(heldPerson());
    EXPECT_GE(s.model().size(), 20);
    EXPECT_NEAR(s.model().mass(), 70, 1e-9);
    const Stand still = push(0);
    EXPECT_LT(still.sway, 1 * degree);
}

TEST(HeldPerson, comes_back_from_a_push_of_fifty_newtons)
{
    const Stand stand = push(50);
    EXPECT_GT(stand.sway, 1.5 * degree);
    EXPECT_LT(stand.left, 5 * degree);
}

TEST(HeldPerson, rolls_with_five_hundred_newtons)
{
    const Stand stand = push(500);
    EXPECT_GT(stand.sway, 15 * degree);
    EXPECT_GT(stand.head, 1.2);  // and does not go down
}

// ---- the strand -----------------------------------------------------------------------------------

TEST(Strand, softens_toward_its_tip_and_follows_the_head)
{
    Simulation s = start(scene("strand"));
    double previous = 1e9;
    for (const Joint& joint : s.model().joints) {
        if (joint.stiffness == 0) continue;
        EXPECT_LT(joint.stiffness, previous) << joint.name;
        previous = joint.stiffness;
    }
    const int tip = s.model().size() - 1;
    double near = 10, far = 0;
    runUntil(s, 8, [&] {
        const Vec3 root(0, 1.4, 0);
        const double distance = (s.state.bodies[tip].position - root).norm();
        near = std::min(near, distance);
        far = std::max(far, distance);
    });
    EXPECT_LT(far, 0.7);  // no link lets go
    EXPECT_GT(far - near, 0.01);
}

}  // namespace
}  // namespace sinew
