// Hands on a running simulation.
#include "sinew/simulation/live.h"

#include <gtest/gtest.h>

#include "sinew/figure/chain.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/measure.h"

namespace sinew::live_test {
namespace {

LiveSimulation made(const ChainOptions& options, const Settings& settings = {})
{
    Result<LiveSimulation> live = LiveSimulation::create(makeChain(options), settings);
    EXPECT_TRUE(live) << live.error().text();
    return std::move(live.value());
}

ChainOptions chainOf(int links)
{
    ChainOptions options;
    options.links = links;
    return options;
}

void run(LiveSimulation& live, double seconds)
{
    const double end = live.simulation().state.time + seconds - 1e-9;
    while (live.simulation().state.time < end) {
        const StepReport report = live.step();
        ASSERT_TRUE(report.ok) << report.message;
    }
}

Vec3 momentumOf(const LiveSimulation& live)
{
    return momentum(live.simulation().model(), live.simulation().state).linear;
}

Vec3 tipOf(const LiveSimulation& live)
{
    return live.simulation().state.bodies.back().position;
}

TEST(LiveSimulation, untouched_it_goes_through_the_states_of_a_simulation)
{
    ChainOptions options = chainOf(5);
    options.horizontal = true;
    Simulation plain = std::move(Simulation::create(makeChain(options), {}).value());
    LiveSimulation live = made(options);
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(plain.step().ok);
        ASSERT_TRUE(live.step().ok);
    }
    EXPECT_EQ(stateHash(live.simulation().state), stateHash(plain.state));
}

TEST(LiveSimulation, a_grabbed_body_comes_to_the_hand_with_every_kind_of_step)
{
    for (const char* integrator : {"implicit", "conservative", "hernandez", "semi_implicit_euler", "rk4"}) {
        ChainOptions options = chainOf(4);
        options.damping = 2e-3;  // so that the rest of the chain comes to rest
        Settings settings;
        settings.integrator = integrator;
        LiveSimulation live = made(options, settings);
        const int last = live.simulation().model().size() - 1;
        const Vec3 place = tipOf(live) + Vec3(0.15, 0.08, 0.05);
        live.grab(last, Vec3::Zero(), place);
        run(live, 4);
        EXPECT_LT((tipOf(live) - place).norm(), 0.03) << integrator;
        live.release();
        run(live, 1);
        EXPECT_GT((tipOf(live) - place).norm(), 0.05) << integrator << ": let go, it falls";
    }
}

TEST(LiveSimulation, a_hand_far_away_pulls_no_harder_than_its_strength)
{
    LiveSimulation live = made(chainOf(3));
    const double mass = live.simulation().model().mass();
    live.grab(2, Vec3::Zero(), Vec3(1e6, 0, 0));
    const StepReport report = live.step();
    EXPECT_TRUE(report.ok) << report.message;
    EXPECT_LT(momentumOf(live).norm(), 200 * mass * live.simulation().h);
}

TEST(LiveSimulation, a_push_is_the_change_of_momentum)
{
    ChainOptions options = chainOf(6);
    options.pinned = false;
    LiveSimulation live = made(options);
    run(live, 0.1);
    const Momentum before = momentum(live.simulation().model(), live.simulation().state);
    const Vec3 impulse(0.3, 0.1, -0.2), point(0.01, 0.02, 0);
    const BodyState& body = live.simulation().state.bodies[4];
    const Vec3 place = body.position + body.orientation * point;
    live.push(4, point, impulse);
    const Momentum after = momentum(live.simulation().model(), live.simulation().state);
    EXPECT_LT((after.linear - before.linear - impulse).norm(), 1e-13);
    EXPECT_LT((after.angular - before.angular - place.cross(impulse)).norm(), 1e-13);
    EXPECT_LT(largestJointError(live.simulation().model(), live.simulation().state).gap, 1e-12);
    // Joint and body velocities still tell the same motion.
    State byJoints = live.simulation().state;
    bodiesFromJoints(live.simulation().model(), byJoints);
    for (int i = 0; i < live.simulation().model().size(); ++i) {
        const BodyState &a = byJoints.bodies[i], &b = live.simulation().state.bodies[i];
        EXPECT_LT((a.velocity - b.velocity).norm(), 1e-11);
        EXPECT_LT((a.angularVelocity - b.angularVelocity).norm(), 1e-10);
    }
}

TEST(LiveSimulation, gravity_springs_and_torques_can_be_changed_and_nonsense_is_refused)
{
    ChainOptions options = chainOf(3);
    options.horizontal = true;
    LiveSimulation live = made(options);
    LiveSimulation::Parameters parameters = live.parameters();
    parameters.gravity = Vec3::Zero();
    ASSERT_FALSE(live.change(parameters));
    const Vec3 start = tipOf(live);
    run(live, 0.5);
    EXPECT_LT((tipOf(live) - start).norm(), 1e-12) << "nothing pulls";

    parameters.gravity = Vec3(0, -9.81, 0);
    parameters.addedStiffness = 1e5;
    ASSERT_FALSE(live.change(parameters));
    run(live, 0.5);
    EXPECT_LT((tipOf(live) - start).norm(), 1e-3) << "held by stiff springs";

    const std::uint64_t state = stateHash(live.simulation().state);
    LiveSimulation::Parameters wrong = parameters;
    wrong.addedStiffness = -1;
    const auto fault = live.change(wrong);
    ASSERT_TRUE(fault);
    EXPECT_NE(fault->text().find("stiffness"), std::string::npos) << fault->text();
    EXPECT_EQ(stateHash(live.simulation().state), state);
    EXPECT_EQ(live.parameters().addedStiffness, 1e5);

    parameters.torques = false;
    ASSERT_FALSE(live.change(parameters));
    run(live, 0.3);
    EXPECT_GT((tipOf(live) - start).norm(), 0.05) << "switched off, it falls";
}

TEST(LiveSimulation, the_solver_changes_under_way_and_joints_that_drifted_close)
{
    ChainOptions options = chainOf(5);
    options.horizontal = true;
    LiveSimulation live = made(options, {"hakenberg", "explicit_euler", 2e-3});
    run(live, 0.4);
    const JointError open = largestJointError(live.simulation().model(), live.simulation().state);
    ASSERT_GT(open.gap, 1e-6);
    const Vec3 tip = tipOf(live);
    ASSERT_FALSE(live.choose({"", "implicit", {}}));
    EXPECT_LT(largestJointError(live.simulation().model(), live.simulation().state).gap, 1e-12);
    EXPECT_LT((tipOf(live) - tip).norm(), 10 * open.gap + 1e-9);
    EXPECT_NEAR(live.simulation().state.time, 0.4, 1e-9);
    ASSERT_TRUE(live.choose({"nobody", "", {}}));
    run(live, 0.2);
    EXPECT_NEAR(live.simulation().state.time, 0.6, live.simulation().h);
}

TEST(LiveSimulation, reset_goes_back_to_the_start_and_lets_go)
{
    LiveSimulation live = made(chainOf(4));
    const std::uint64_t start = stateHash(live.simulation().state);
    live.grab(3, Vec3::Zero(), Vec3(1, 1, 1));
    run(live, 0.3);
    EXPECT_NE(stateHash(live.simulation().state), start);
    live.reset();
    EXPECT_EQ(stateHash(live.simulation().state), start);
    EXPECT_FALSE(live.isGrabbing());
    EXPECT_TRUE(live.simulation().model().targets.empty());
    EXPECT_EQ(live.simulation().state.time, 0);
}

}  // namespace
}  // namespace sinew::live_test
