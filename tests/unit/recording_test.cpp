// Recorded interaction: the same bits again, targets that are aimed, and what hands feel.
#include "sinew/simulation/live.h"

#include <gtest/gtest.h>

#include "sinew/figure/chain.h"
#include "sinew/force/laws/targets.h"
#include "sinew/math/rotation.h"

namespace sinew::recording_test {
namespace {

constexpr double turnStiffness = 5, stiffness = 500;

// Three links that float, with the first one drawn by a target; frames are not at the centres of mass.
Description drawnChain()
{
    ChainOptions options;
    options.links = 3;
    options.pinned = false;
    Description scene = makeChain(options);
    TargetDescription target;
    target.body = scene.bodies[0].name;
    target.stiffness = stiffness;
    target.damping = 20;
    target.turnStiffness = turnStiffness;
    target.turnDamping = 0.2;
    target.path.push_back({});
    scene.targets.push_back(target);
    return scene;
}

LiveSimulation made(const Description& scene, const Settings& settings = {})
{
    Result<LiveSimulation> live = LiveSimulation::create(scene, settings);
    EXPECT_TRUE(live) << live.error().text();
    return std::move(live.value());
}

void run(LiveSimulation& live, int steps)
{
    for (int i = 0; i < steps; ++i) {
        const StepReport report = live.step();
        ASSERT_TRUE(report.ok) << report.message;
    }
}

PathPoint targetOf(const LiveSimulation& live)
{
    return targetAt(live.simulation().model().targets[0], {}, live.simulation().state.time);
}

// Everything that can be done, some of it twice before the same step.
void doEverything(LiveSimulation& live)
{
    const std::string& first = live.simulation().model().bodies[0].name;
    run(live, 7);
    ASSERT_FALSE(live.grab(2, Vec3(0.01, 0.02, 0.003), Vec3(0.3, -0.1, 0.1)));
    ASSERT_FALSE(live.push(1, Vec3(0.1, 0, 0), Vec3(0.01, 0.02, 0.03)));
    run(live, 5);
    ASSERT_FALSE(live.moveGrab(Vec3(0.1, 0.2, 0.3)));
    ASSERT_FALSE(live.aimTarget({first, Vec3(0.1, 0.1, 0), Quat(0, 0.6, 0, 0.8), 0.1}));
    run(live, 5);
    LiveSimulation::Parameters parameters = live.parameters();
    parameters.gravity = Vec3(0.1, -3.7, 0);
    parameters.addedStiffness = 1. / 3;
    ASSERT_FALSE(live.change(parameters));
    run(live, 5);
    ASSERT_FALSE(live.choose({"baraff", "implicit", 1. / 90}));
    live.release();
    run(live, 5);
    live.reset();
    run(live, 5);
    ASSERT_FALSE(live.push(0, Vec3::Zero(), Vec3(0.1, 0, 0)));
}

TEST(Recording, done_again_it_gives_the_same_bits)
{
    LiveSimulation live = made(drawnChain());
    doEverything(live);
    const std::vector<Interaction> recording = live.recording();
    ASSERT_EQ(recording.size(), 9u);

    LiveSimulation again = made(drawnChain(), live.startSettings());
    std::size_t next = 0;
    for (;;) {
        ASSERT_FALSE(applyDue(recording, next, again));
        if (again.stepsMade() == live.stepsMade()) break;
        run(again, 1);
    }
    EXPECT_EQ(next, recording.size());
    EXPECT_EQ(stateHash(again.simulation().state), stateHash(live.simulation().state));
    EXPECT_EQ(again.simulation().state.time, live.simulation().state.time);
    EXPECT_EQ(again.elapsed(), live.elapsed());
    EXPECT_EQ(again.recording().size(), recording.size());
}

TEST(Recording, steps_and_elapsed_time_go_on_over_a_reset)
{
    LiveSimulation live = made(drawnChain());
    const double h = live.simulation().h;
    run(live, 10);
    EXPECT_EQ(live.elapsed(), live.simulation().state.time);
    live.reset();
    run(live, 5);
    EXPECT_EQ(live.stepsMade(), 15u);
    EXPECT_EQ(live.simulation().state.time, 5 * h);
    EXPECT_NEAR(live.elapsed(), 15 * h, 1e-12);
    ASSERT_EQ(live.recording().size(), 1u);
    EXPECT_EQ(live.recording()[0].step, 10u);
}

TEST(Recording, what_is_refused_is_not_recorded_and_changes_nothing)
{
    LiveSimulation live = made(drawnChain());
    run(live, 3);
    const std::uint64_t state = stateHash(live.simulation().state);
    const std::string first = live.simulation().model().bodies[0].name;
    const std::string last = live.simulation().model().bodies[2].name;
    const auto says = [&](const Interaction::Action& action, const std::string& what) {
        const auto fault = live.apply(action);
        ASSERT_TRUE(fault) << what;
        EXPECT_NE(fault->text().find(what), std::string::npos) << fault->text();
    };
    says(Interaction::Grab{"nobody", {}, Vec3::Zero()}, "/grab/body: there is no body 'nobody'");
    says(Interaction::Grab{first, {}, Vec3(NAN, 0, 0)}, "/grab/to: has a number that is not finite");
    says(Interaction::MoveGrab{Vec3::Zero()}, "/move: nothing is held");
    says(Interaction::Push{"nobody", {}, Vec3::Zero()}, "/push/body: there is no body");
    says(Interaction::AimTarget{"nobody", Vec3(Vec3::Zero()), {}, {}}, "/target/body: there is no body");
    says(Interaction::AimTarget{last, Vec3(Vec3::Zero()), {}, {}}, "has no target");
    says(Interaction::AimTarget{first, {}, {}, {}}, "neither");
    says(Interaction::AimTarget{first, {}, Quat(0, 0, 0, 0), {}}, "length 1");
    says(Interaction::AimTarget{first, Vec3(Vec3::Zero()), {}, 0.}, "/target/over: is 0");
    says(Interaction::Choose{{"nobody", "", {}}}, "/choose/solver: there is no solver 'nobody'");
    says(Interaction::Choose{{"", "implicit", {}, "", 2}},
         "/choose/slow_band: integrator 'implicit' has no slow band");
    EXPECT_TRUE(live.recording().empty());
    EXPECT_EQ(stateHash(live.simulation().state), state);
    EXPECT_EQ(targetOf(live).velocity, Vec3(Vec3::Zero()));
}

TEST(AimedTarget, a_stream_of_places_moves_it_with_the_velocity_of_the_stream)
{
    LiveSimulation live = made(drawnChain());
    const double h = live.simulation().h;
    const std::string name = live.simulation().model().bodies[0].name;
    const Vec3 velocity(0.3, 0.1, -0.2), start = targetOf(live).position;
    const double spin = 0.7;
    // Farther than the moment by which a way ends late, no nearer than rounding.
    constexpr double slack = 1e-8;
    for (int i = 1; i <= 60; ++i) {
        const double time = i * h;
        ASSERT_FALSE(live.aimTarget(
            {name, Vec3(start + velocity * time), expRotation(Vec3(0, spin * time, 0)), {}}));
        run(live, 1);
        const PathPoint now = targetOf(live);
        EXPECT_LT((now.position - start - velocity * time).norm(), slack);
        EXPECT_LT((now.velocity - velocity).norm(), 1e-5) << "also at the very end of the step";
        EXPECT_LT((now.spin - Vec3(0, spin, 0)).norm(), 1e-5);
    }
    const Vec3 last = start + velocity * (60 * h);
    run(live, 1);
    EXPECT_LT((targetOf(live).position - last).norm(), slack);
    EXPECT_EQ(targetOf(live).velocity, Vec3(Vec3::Zero())) << "then it stands";
}

TEST(AimedTarget, survives_a_change_of_the_scene_and_of_the_solver_but_not_a_reset)
{
    LiveSimulation live = made(drawnChain());
    const std::string name = live.simulation().model().bodies[0].name;
    const Vec3 start = targetOf(live).position, place = start + Vec3(0.2, 0.1, 0);
    ASSERT_FALSE(live.aimTarget({name, place, {}, 0.5}));
    run(live, 10);
    const PathPoint before = targetOf(live);
    EXPECT_GT(before.velocity.norm(), 0.1);
    ASSERT_FALSE(live.grab(2, Vec3::Zero(), Vec3::Zero()));
    LiveSimulation::Parameters parameters = live.parameters();
    parameters.gravity = Vec3::Zero();
    ASSERT_FALSE(live.change(parameters));
    ASSERT_FALSE(live.choose({"", "semi_implicit_euler", 1e-3}));
    EXPECT_EQ(targetOf(live).position, before.position);
    EXPECT_EQ(targetOf(live).velocity, before.velocity);
    ASSERT_EQ(live.simulation().model().targets.size(), 2u);
    run(live, 1000);
    EXPECT_EQ(targetOf(live).position, place);
    live.reset();
    EXPECT_EQ(targetOf(live).position, start);
    EXPECT_EQ(live.simulation().model().targets.size(), 1u);
}

TEST(Feeling, a_target_that_bears_a_figure_at_rest_feels_its_weight)
{
    Description scene = drawnChain();
    for (JointDescription& joint : scene.joints) joint.damping = 0.05;  // so that it comes to rest
    LiveSimulation live = made(scene);
    run(live, 1200);
    const double weight = live.simulation().model().mass() * scene.gravity.norm();
    const Force force = live.targetForce(0);
    EXPECT_LT((force.force - Vec3(0, weight, 0)).norm(), 1e-3 * weight);
    // A turned target turns the figure its own way.
    ASSERT_FALSE(
        live.aimTarget({live.simulation().model().bodies[0].name, {}, expRotation(Vec3(0, 0.3, 0)), {}}));
    run(live, 1);
    constexpr double part = 0.01;  // of the spring's torque: a light link has followed most of the way
    EXPECT_GT(live.targetForce(0).torque.y(), part * turnStiffness * 0.3);
    EXPECT_EQ(live.grabForce(), Vec3(Vec3::Zero())) << "nothing is held";
}

TEST(Feeling, a_hand_that_bears_a_figure_at_rest_feels_its_weight_and_never_more_than_its_strength)
{
    Description scene = drawnChain();
    scene.targets.clear();
    for (JointDescription& joint : scene.joints) joint.damping = 0.05;
    LiveSimulation live = made(scene);
    const double mass = live.simulation().model().mass(), weight = mass * scene.gravity.norm();
    const Vec3 place = live.simulation().state.bodies[0].position;
    ASSERT_FALSE(live.grab(0, Vec3::Zero(), place));
    run(live, 1200);
    EXPECT_LT((live.grabForce() - Vec3(0, weight, 0)).norm(), 1e-2 * weight);
    EXPECT_LT((live.grabbedPlace() - place).norm(), 0.1);
    ASSERT_FALSE(live.moveGrab(Vec3(1e6, 0, 0)));
    EXPECT_LT(live.grabForce().norm(), 100 * mass);
}

}  // namespace
}  // namespace sinew::recording_test
