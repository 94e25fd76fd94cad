// A step that somebody wants to end early, and one whose numbers are beyond all bounds: both end, with the
// state as it was.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sinew/contact/solve.h"
#include "sinew/figure/chain.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/state.h"
#include "support/contact_problems.h"

namespace sinew::stop_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Wants a stop when it has been asked so many times.
struct Patience {
    int left = 0;
    static bool isOver(void* self) { return static_cast<Patience*>(self)->left-- <= 0; }
    Stop stop() { return {isOver, this}; }
};

Description fallingChain(bool touches)
{
    ChainOptions options;
    options.links = 4;
    options.horizontal = true;
    Description d = makeChain(options);
    if (!touches) return d;
    d.contact.emplace();
    ObstacleDescription ground;
    ground.position = Vec3(0, -0.3, 0);
    d.obstacles = {ground};
    return d;
}

struct Way {
    const char *solver, *integrator;
    bool touches;
};

class Stopped : public ::testing::TestWithParam<Way> {};

TEST_P(Stopped, a_step_leaves_the_state_as_it_was_and_can_be_made_later)
{
    Settings settings;
    settings.solver = GetParam().solver;
    settings.integrator = GetParam().integrator;
    const auto make = [&] {
        Result<Simulation> created = Simulation::create(fallingChain(GetParam().touches), settings);
        EXPECT_TRUE(created) << created.error().text();
        return std::move(created.value());
    };
    Simulation s = make(), undisturbed = make();
    int stops = 0;
    for (int i = 0; i < 60; ++i) {
        Patience patience{i % 4};
        const std::uint64_t before = stateHash(s.state);
        s.stop = patience.stop();
        const StepReport report = s.step();
        if (report.stopped) {
            ++stops;
            EXPECT_FALSE(report.ok);
            EXPECT_EQ(stateHash(s.state), before);
            s.stop = {};
            ASSERT_TRUE(s.step().ok);
        }
        ASSERT_TRUE(undisturbed.step().ok);
        ASSERT_EQ(stateHash(s.state), stateHash(undisturbed.state)) << "step " << i;
    }
    EXPECT_GT(stops, 30);
}

INSTANTIATE_TEST_SUITE_P(Steps, Stopped,
                         ::testing::Values(Way{"featherstone", "implicit", false},
                                           Way{"featherstone", "implicit", true},
                                           Way{"featherstone", "implicit_euler", true},
                                           Way{"baraff", "implicit_euler", false},
                                           Way{"baraff", "conservative", false}),
                         [](const auto& info) {
                             return std::string(info.param.integrator) + "_" + info.param.solver +
                                    (info.param.touches ? "_contact" : "");
                         });

// Each way of solving an island, on numbers that nothing can be made of.
TEST(Endless, numbers_that_are_not_finite_end_every_solver)
{
    using Choice = ConstraintSolverSettings::Choice;
    for (const double bad : {infinity, -infinity, std::nan(""), 1e300, -1e300})
        for (const auto kind : {ConstraintBlock::Kind::contact, ConstraintBlock::Kind::equality})
            for (const Choice choice : {Choice::automatic, Choice::exact, Choice::iterative})
                for (const double mass : {1e-260, 1., 1e260}) {
                    testing_support::ContactProblem problem;
                    problem.inertias.push_back(mass * MatX::Identity(3, 3));
                    ConstraintBlock block;
                    block.kind = kind;
                    block.friction = 0.5;
                    block.offset = Vec3(bad, 1, -1);
                    problem.add(0, MatX::Identity(3, 3), -1, {}, block);
                    Delassus delassus = problem.delassus();
                    ConstraintSolverSettings settings;
                    settings.choice = choice;
                    ConstraintSolverWork work;
                    solveConstraints(delassus, problem.blocks, settings, work);
                }
}

TEST(Endless, a_state_that_is_not_finite_ends_in_a_report)
{
    for (const double bad : {infinity, std::nan("")})
        for (const bool touches : {false, true}) {
            Result<Simulation> created = Simulation::create(fallingChain(touches), {});
            ASSERT_TRUE(created);
            Simulation& s = created.value();
            s.state.u[0] = s.state.bodies[0].velocity[1] = bad;
            const StepReport report = s.step();
            EXPECT_FALSE(report.ok);
            EXPECT_FALSE(report.stopped);
        }
}

}  // namespace
}  // namespace sinew::stop_test
