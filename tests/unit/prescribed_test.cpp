// Prescribed joints: what compile() refuses, which solvers can, and how a joint is led and let go.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "sinew/simulation/live.h"
#include "support/prescribed_scene.h"

namespace sinew::test::prescribed_test {
namespace {

struct Case {
    const char* name;
    std::function<void(Description&)> spoil;
    const char* pointer;
    const char* words;  // part of the message
};

const Case cases[] = {
    {"unknown_joint", [](Description& d) { d.prescribed[0].joint = "elbow"; }, "/prescribed/0/joint",
     "no joint 'elbow'"},
    {"unknown_body", [](Description& d) { d.prescribed[4].body = "tail"; }, "/prescribed/4/body",
     "no body 'tail'"},
    {"the_world", [](Description& d) { d.prescribed[4].body = "world"; }, "/prescribed/4/body",
     "the world does not move"},
    {"neither", [](Description& d) { d.prescribed[0].joint.clear(); }, "/prescribed/0",
     "name a joint or a body"},
    {"both", [](Description& d) { d.prescribed[0].body = "pelvis"; }, "/prescribed/0",
     "name a joint or a body"},
    {"no_motion", [](Description& d) { d.prescribed[0].motion.clear(); }, "/prescribed/0", "has no motion"},
    {"too_few_signals", [](Description& d) { d.prescribed[1].motion.pop_back(); }, "/prescribed/1/motion",
     "has 2 signals; this joint takes 3"},
    {"unsorted_keys",
     [](Description& d) {
         d.prescribed[0].motion = {keys({{1, 0}, {0.5, 1}})};
     },
     "/prescribed/0/motion/keys/1/0", "times must rise"},
    {"unsorted_path", [](Description& d) { d.prescribed[4].path[1].time = -1; },
     "/prescribed/4/path/1/time", "times must rise"},
    {"empty_path", [](Description& d) { d.prescribed[4].path.clear(); }, "/prescribed/4/path",
     "at least one key"},
    {"path_of_a_joint", [](Description& d) { d.prescribed[0].path = d.prescribed[4].path; },
     "/prescribed/0/path", "is for bodies"},
    {"motion_of_a_body", [](Description& d) { d.prescribed[4].motion = {Signal(1.)}; },
     "/prescribed/4/motion", "is for joints"},
    {"weld",
     [](Description& d) {
         d.joints[1].type = JointType::weld;
         d.prescribed.push_back(prescribedJoint("to_hand", {Signal(0.)}));
     },
     "/prescribed/5/joint", "weld"},
    {"free",
     [](Description& d) {
         d.joints[1] = {};
         d.joints[1].name = "to_hand";
         d.joints[1].type = JointType::free;
         d.joints[1].first = "arm";
         d.joints[1].second = "hand";
         d.prescribed.push_back(prescribedJoint("to_hand", std::vector<Signal>(6)));
     },
     "/prescribed/5/joint", "is a free joint; give the body that floats a path"},
    {"twice", [](Description& d) { d.prescribed.push_back(d.prescribed[2]); }, "/prescribed/5/joint",
     "'to_box' is prescribed already"},
    {"body_twice", [](Description& d) { d.prescribed.push_back(d.prescribed[4]); }, "/prescribed/5/body",
     "'pelvis' is prescribed already"},
    {"two_bodies_of_a_skeleton",
     [](Description& d) {
         d.prescribed.push_back(d.prescribed[4]);
         d.prescribed.back().body = "hand";
     },
     "/prescribed/5/body", "'hand' can follow a path only as the root of its skeleton, which 'pelvis' is"},
    {"another_root_named", [](Description& d) { d.roots = {"hand"}; }, "/prescribed/4/body",
     "which 'hand' is, by roots; prescribe joints instead"},
    {"tied_to_the_world",
     [](Description& d) {
         d.joints[0].type = JointType::hinge;
         d.joints.push_back(d.joints[0]);
         d.joints.back().name = "hook";
         d.joints.back().first = "world";
         d.joints.back().second = "hand";
     },
     "/prescribed/4/body", "joint 'hook' ties to the world; prescribe the joint instead"},
    {"ends_before_it_begins",
     [](Description& d) {
         d.prescribed[0].from = 2;
         d.prescribed[0].until = 1;
     },
     "/prescribed/0/until", "is 1, not later than the beginning, 2"},
    {"blends_past_its_end",
     [](Description& d) {
         d.prescribed[0].until = 1;
         d.prescribed[0].blend = 2;
     },
     "/prescribed/0/blend", "longer than"},
    {"negative_from", [](Description& d) { d.prescribed[0].from = -1; }, "/prescribed/0/from",
     "zero or more"},
    {"nan_blend", [](Description& d) { d.prescribed[0].blend = std::numeric_limits<double>::quiet_NaN(); },
     "/prescribed/0/blend", "zero or more"},
};

class BadPrescribed : public testing::TestWithParam<Case> {};

TEST_P(BadPrescribed, is_told_in_one_line_with_its_place)
{
    Description d = prescribedFigure(true);
    ASSERT_TRUE(compile(d));
    GetParam().spoil(d);
    const Result<Model> model = compile(d);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().pointer, GetParam().pointer);
    EXPECT_NE(model.error().message.find(GetParam().words), std::string::npos) << model.error().message;
    EXPECT_EQ(model.error().message.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, BadPrescribed, testing::ValuesIn(cases),
                         [](const auto& info) { return info.param.name; });

TEST(Prescribed, methods_and_steps_that_cannot_say_so_and_name_what_can)
{
    Description d;
    d.bodies.emplace_back();
    d.bodies[0].name = "post";
    d.bodies[0].mass = 1;
    d.bodies[0].inertia = Mat3::Identity();
    addBone(d, "post", "arm", JointType::spherical, Vec3(0.3, 0, 0));
    d.prescribed = {prescribedJoint("to_arm", {sine(1, 1), 0., 0.})};
    int refused = 0;
    for (const Method& method : methods())
        for (const Integrator& integrator : integrators()) {
            if (!integrator.stepFor(method) || integrator.placesOnly) continue;
            const std::string names = std::string(method.name) + " with " + integrator.name;
            const Result<Simulation> made = Simulation::create(d, {method.name, integrator.name, 1e-3});
            const bool able = integrator.bringsEquations ? std::string(integrator.name) != "hernandez"
                                                         : std::string(method.name) == "featherstone";
            EXPECT_EQ(static_cast<bool>(made), able) << names;
            if (made) continue;
            ++refused;
            EXPECT_NE(
                made.error().text().find("cannot do the prescribed motion of joint 'to_arm'; featherst"),
                std::string::npos)
                << made.error().text();
        }
    EXPECT_EQ(refused, 4 * 9 + 2);  // four methods with nine explicit steps; hernandez and bands
}

TEST(Prescribed, a_body_on_a_path_becomes_the_root_of_its_skeleton)
{
    Description d = prescribedFigure(true);
    d.prescribed.back().body = "shin";
    const Model model = mustCompile(d);
    EXPECT_EQ(model.bodies[0].name, "shin");
    // A free joint to the world ties nothing.
    JointDescription loose;
    loose.name = "loose";
    loose.type = JointType::free;
    loose.first = "world";
    loose.second = "shin";
    d.joints.push_back(loose);
    EXPECT_EQ(mustCompile(d).bodies[0].name, "shin");
    EXPECT_TRUE(Simulation::create(d, {}));
}

TEST(Prescribed, the_start_is_put_on_the_curve_with_its_velocity)
{
    const Description d = prescribedFigure(true);
    Simulation s = mustCreate(d, {"rk4", "joint", 4}, 1e-3);
    EXPECT_LT(offCurve(d, s), 1e-12);
    const int link = s.model().findJoint("to_arm");
    EXPECT_NEAR(s.state.u[s.model().joints[link].u], d.prescribed[0].motion[0].at(0).rate, 1e-12);
}

// ---- led and let go --------------------------------------------------------------------------------

// Dynamic at first, led onto the curves, let go again.
constexpr double from = 0.1, until = 0.5, blend = 0.2;
Description handedOver()
{
    Description d = prescribedFigure(true);
    for (PrescribedDescription& given : d.prescribed) {
        given.from = from;
        given.until = until;
        given.blend = blend;
    }
    for (JointDescription& joint : d.joints) joint.velocity.assign(jointTypeInfo(joint.type).freedoms, 0.7);
    d.bodies[0].velocity = Vec3(0.2, 1, 0);
    d.bodies[0].angularVelocity = Vec3(0.5, 0.3, -0.4);
    return d;
}

// q' ⊖ q over the time between.
Vec6 averageRate(const Joint& joint, const double* q, const double* qNext, double h)
{
    Vec6 rate = Vec6::Zero();
    const int straight = joint.type == JointType::free ? 3 : joint.type == JointType::spherical ? 0 : -1;
    for (int i = 0; i < (straight < 0 ? joint.freedoms() : straight); ++i) rate[i] = (qNext[i] - q[i]) / h;
    if (straight < 0) return rate;
    const auto quaternion = [&](const double* p) { return Quat(p[3], p[0], p[1], p[2]); };
    rate.segment<3>(straight) =
        logRotation(quaternion(q + straight).conjugate() * quaternion(qNext + straight)) / h;
    return rate;
}

TEST(Prescribed, motion_velocity_and_acceleration_belong_together_during_the_blend)
{
    constexpr double step = 1e-5, differenceError = 1e-7;
    const Model model = mustCompile(handedOver());
    Random random(3);
    State state = randomState(random, model);
    state.time = from;
    ASSERT_TRUE(handOver(model, state));
    for (const Prescription& given : model.prescribed) {
        const Joint& joint = model.joints[given.joint];
        const auto at = [&](double time) { return prescribedMotion(model, state, given.joint, time); };
        const JointMotion start = at(from);
        for (int i = 0; i < joint.coordinates(); ++i)
            EXPECT_NEAR(start.q[i], state.q[joint.q + i], 1e-12) << joint.name;
        for (int i = 0; i < joint.freedoms(); ++i)
            EXPECT_NEAR(start.u[i], state.u[joint.u + i], 1e-12) << joint.name;
        for (double time : {from + 0.03, from + 0.11, from + 0.19, from + blend + 0.05}) {
            const JointMotion a = at(time - step), b = at(time), c = at(time + step);
            const Vec6 rate = averageRate(joint, a.q, c.q, 2 * step);
            for (int i = 0; i < joint.freedoms(); ++i) {
                EXPECT_NEAR(rate[i], b.u[i], differenceError * (1 + std::abs(b.acceleration[i])));
                EXPECT_NEAR((c.u[i] - a.u[i]) / (2 * step), b.acceleration[i],
                            differenceError * (100 + std::abs(b.acceleration[i])));
            }
        }
    }
}

class HandOver : public testing::TestWithParam<Stepper> {};

// The largest changes of q̇ and u of the prescribed joints from step to step, next to the hand-overs.
struct Changes {
    double place = 0, velocity = 0;
};
Changes changesAtHandOvers(const Stepper& stepper, double h)
{
    const Description d = handedOver();
    Simulation s = mustCreate(d, stepper, h);
    Changes worst;
    while (s.state.time < 0.6) {
        const State before = s.state;
        EXPECT_TRUE(s.step().ok);
        const double t = s.state.time;
        EXPECT_EQ(isPrescribed(s.model(), s.state, 0), t > from - 1e-9 && t < until - 1e-9) << t;
        if (t > from + blend + h / 2 && t < until + h / 2) {
            EXPECT_LT(offCurve(d, s), 1e-9) << t;
        } else if (t < from || t > until + 0.05) {
            EXPECT_GT(offCurve(d, s), 1e-3) << t;
        }
        if (std::abs(t - from) > 1.5 * h && std::abs(t - until) > 1.5 * h) continue;
        for (const Prescription& given : s.model().prescribed) {
            const Joint& joint = s.model().joints[given.joint];
            const int k = joint.freedoms();
            const Vec6 rate = averageRate(joint, before.q.data() + joint.q, s.state.q.data() + joint.q, h);
            worst.place = std::max(worst.place, h * rate.head(k).cwiseAbs().maxCoeff());
            worst.velocity =
                std::max(worst.velocity, (s.state.u - before.u).segment(joint.u, k).cwiseAbs().maxCoeff());
        }
    }
    return worst;
}

TEST_P(HandOver, is_continuous_in_place_and_velocity_both_ways)
{
    const Changes coarse = changesAtHandOvers(GetParam(), 2e-3),
                  fine = changesAtHandOvers(GetParam(), 5e-4);
    std::printf("%s: place by %.1e, %.1e; velocity by %.1e, %.1e\n", nameOf(GetParam()).c_str(),
                coarse.place, fine.place, coarse.velocity, fine.velocity);
    // What is continuous changes a fourth as much over a fourth of the time; a jump stays as it is.
    EXPECT_LT(fine.place, 0.3 * coarse.place);
    EXPECT_LT(fine.velocity, 0.3 * coarse.velocity);
}

INSTANTIATE_TEST_SUITE_P(All, HandOver, testing::ValuesIn(prescribedSteppers),
                         [](const auto& info) { return nameOf(info.param); });

TEST(Prescribed, without_a_blend_the_joint_is_on_its_curve_at_once)
{
    Description d = handedOver();
    for (PrescribedDescription& given : d.prescribed) given.blend = 0;
    Simulation s = mustCreate(d, {"implicit_bdf2", "maximal", 2}, 1e-2);
    while (s.state.time < from - 1e-9) {
        EXPECT_GT(offCurve(d, s), 1e-3);
        ASSERT_TRUE(s.step().ok);
    }
    EXPECT_LT(offCurve(d, s), 1e-12);
    EXPECT_TRUE(s.state.previous.empty());
}

TEST(Prescribed, a_hand_over_is_at_the_first_end_of_a_step_at_or_after_its_time)
{
    Description d = handedOver();
    Simulation s = mustCreate(d, {"rk4", "joint", 4}, 0.03);
    for (double on : {0, 0, 0, 0, 1}) {  // 0, 0.03 … 0.12
        EXPECT_EQ(isPrescribed(s.model(), s.state, 0), on == 1) << s.state.time;
        ASSERT_TRUE(s.step().ok);
    }
}

TEST(Prescribed, a_push_does_not_move_prescribed_joints)
{
    Result<LiveSimulation> made = LiveSimulation::create(prescribedFigure(true), {"", "rk4", 1e-3});
    ASSERT_TRUE(made);
    LiveSimulation& live = made.value();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(live.step().ok);
    const Model& model = live.simulation().model();
    const VecX before = live.simulation().state.u;
    live.push(model.findBody("hand"), Vec3::Zero(), Vec3(1, 2, 3));
    const VecX change = live.simulation().state.u - before;
    for (const Prescription& given : model.prescribed) {
        const Joint& joint = model.joints[given.joint];
        EXPECT_LT(change.segment(joint.u, joint.freedoms()).norm(), 1e-12) << joint.name;
    }
    EXPECT_GT(change.norm(), 0.1);
}

}  // namespace
}  // namespace sinew::test::prescribed_test
