// The implicit steps: never a joule gained, no gap, few iterations, the right order.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/random.h"
#include "sinew/model/chain.h"
#include "sinew/simulation/simulation.h"
#include "support/outcome.h"
#include "support/random_tree.h"

namespace sinew {
namespace {

using test::heavyTip;
using test::Outcome;
using test::simulate;

TEST(HeavyTip, of_a_thousand_times_the_mass_is_calm_at_frame_sized_steps)
{
    const double scale = 936;  // J from horizontal to the bottom
    for (bool horizontal : {true, false}) {
        for (double h : {1. / 60, 1. / 30}) {
            for (const char* integrator : {"implicit_euler", "implicit_bdf2"}) {
                const Outcome o = simulate(heavyTip(horizontal), integrator, h, 10);
                std::printf(
                    "%s %s h=1/%.0f: rise %.1e J, end %.2f J, gap %.1e m, %.2f iterations, %d halved\n",
                    horizontal ? "horizontal" : "hanging", integrator, 1 / h, o.rise, o.end, o.gap,
                    o.iterations, o.halvings);
                EXPECT_TRUE(o.ok);
                EXPECT_LE(o.rise, 1e-9 * scale);
                EXPECT_LT(o.gap, 1e-9);
                EXPECT_LE(o.iterations, 5);
            }
        }
    }
    EXPECT_GT(simulate(heavyTip(true), "implicit_bdf2", 1. / 60, 10).end, -40);
}

TEST(StiffChain, of_any_stiffness_never_gains_energy)
{
    for (double k : {0., 10., 1e3, 1e5, 1e7}) {
        for (double h : {1. / 60, 1. / 30}) {
            ChainOptions options;
            options.links = 50;
            options.stiffness = k;
            options.horizontal = true;
            const Outcome o = simulate(makeChain(options), "implicit", h, 60);
            std::printf("k=%g h=1/%.0f: rise %.1e J, end %.3f J, gap %.1e m, %.2f iterations, %d halved\n",
                        k, 1 / h, o.rise, o.end, o.gap, o.iterations, o.halvings);
            EXPECT_TRUE(o.ok);
            EXPECT_LE(o.rise, 1e-9 * 120);  // 120 J from horizontal to the bottom
            EXPECT_LT(o.gap, 1e-9);
        }
    }
}

TEST(StiffChain, loses_less_energy_than_any_stable_peer)
{
    // k = 10, damping 0.01 after 10 s: the fine reference has −52.5 J, the best stable engine −80.5 J.
    ChainOptions options;
    options.links = 50;
    options.stiffness = 10;
    options.damping = 0.01;
    options.horizontal = true;
    const Outcome o = simulate(makeChain(options), "implicit", 1. / 60, 10);
    std::printf("energy after 10 s: %.2f J\n", o.end);
    EXPECT_LT(std::abs(o.end + 52.5), std::abs(-80.5 + 52.5));
}

TEST(ImplicitStep, works_on_random_trees_of_every_joint_type)
{
    Random random(9);
    for (int t = 0; t < 30; ++t) {
        test::TreeOptions options;
        options.bodies = 2 + random.below(20);
        options.joints = {JointType::hinge, JointType::spherical, JointType::slide, JointType::universal,
                          JointType::weld};
        options.rootJoints = {JointType::hinge, JointType::spherical, JointType::universal};
        Description d = test::randomTree(random, options);
        for (JointDescription& joint : d.joints)
            if (joint.type != JointType::weld) joint.stiffness = std::pow(10, random.uniform(0, 5));
        const Outcome o = simulate(d, "implicit_euler", 1. / 60, 2);
        EXPECT_TRUE(o.ok) << t;
        EXPECT_LT(o.rise, 1e-8) << t;
        EXPECT_LT(o.iterations, 8) << t;
    }
}

// The end of a short motion against RK4 with tiny steps.
class ImplicitOrder : public testing::TestWithParam<std::pair<const char*, double>> {};

TEST_P(ImplicitOrder, is_the_slope_of_the_error)
{
    ChainOptions options;
    options.links = 4;
    options.stiffness = 0.5;
    options.damping = 0.002;
    options.horizontal = true;
    const Description d = makeChain(options);
    const double duration = 0.5;
    const auto tip = [&](const char* integrator, double h) {
        Result<Simulation> made = Simulation::create(d, {"featherstone", integrator, h});
        EXPECT_TRUE(made);
        const int steps = static_cast<int>(std::lround(duration / h));
        for (int i = 0; i < steps; ++i) EXPECT_TRUE(made.value().step().ok);
        return Vec3(made.value().state.bodies[3].position);
    };
    const Vec3 exact = tip("rk4", 1e-4);
    std::vector<double> logH, logE;
    for (double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
        const double error = (tip(GetParam().first, h) - exact).norm();
        std::printf("%s h=%g: %.3e m\n", GetParam().first, h, error);
        logH.push_back(std::log(h));
        logE.push_back(std::log(error));
    }
    const double slope = (logE.front() - logE.back()) / (logH.front() - logH.back());
    EXPECT_NEAR(slope, GetParam().second, 0.25);
}

INSTANTIATE_TEST_SUITE_P(Integrator, ImplicitOrder,
                         testing::Values(std::pair("implicit_euler", 1.), std::pair("implicit_bdf2", 2.)),
                         [](const auto& info) { return std::string(info.param.first); });

}  // namespace
}  // namespace sinew
