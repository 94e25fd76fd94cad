// Crowds: every lane comes to the bits of a character alone, steps agree with the engine's own, and springs
// that are taken linearly implicitly hold at any stiffness.
#include <gtest/gtest.h>

#include "sinew/crowd/crowd.h"
#include "sinew/figure/chain.h"
#include "sinew/force/laws.h"
#include "sinew/math/rotation.h"
#include "sinew/measure/energy.h"
#include "sinew/recursion/springs.h"
#include "sinew/simulation/simulation.h"
#include "support/crowds.h"
#include "support/random_tree.h"

namespace sinew::test::crowd_test {
namespace {

// A tree of all joint types with springs, floating or not.
Description springyTree(Random& random, int bodies, double stiffness)
{
    TreeOptions options;
    options.bodies = bodies;
    options.joints = {JointType::spherical, JointType::hinge,     JointType::slide,
                      JointType::universal, JointType::weld,      JointType::planar,
                      JointType::spherical, JointType::spherical, JointType::cylindrical};
    options.rootJoints = {JointType::spherical};
    Description d = randomTree(random, options);
    for (JointDescription& joint : d.joints) {
        if (!jointTypeInfo(joint.type).isArticulated()) continue;
        joint.stiffness = stiffness;
        joint.damping = 0.02 * stiffness;
        if (random.below(3) == 0) joint.armature = 0.1;
    }
    return d;
}

TEST(Crowd, comes_to_the_same_bits_in_every_lane)
{
    Random random(1);
    for (bool single : {false, true})
        for (bool implicitSprings : {false, true})
            for (int t = 0; t < 6; ++t) {
                const Model model = mustCompile(springyTree(random, 12, 5));
                CrowdSettings settings;
                settings.count = 11;  // a ragged end
                settings.single = single;
                settings.implicitSprings = implicitSprings;
                settings.step = 1e-3;
                Crowd wide = mustCrowd(model, settings);
                settings.lanes = 1;
                Crowd alone = mustCrowd(model, settings);
                settings.lanes = single ? 4 : 2;
                Crowd narrow = mustCrowd(model, settings);
                EXPECT_EQ(alone.lanes(), 1);
                EXPECT_GT(narrow.lanes(), 1);
                for (int i = 0; i < settings.count; ++i) {
                    const State start = randomState(random, model);
                    const double mass = random.uniform(0.5, 2), k = random.uniform(0, 50);
                    for (Crowd* crowd : {&wide, &alone, &narrow}) {
                        crowd->write(i, start);
                        crowd->scaleMass(i, mass);
                        for (int j = 0; j < model.size(); ++j) crowd->setSpring(i, j, k, 0.01 * k);
                    }
                }
                for (Crowd* crowd : {&wide, &alone, &narrow}) crowd->step(40);
                State a = restState(model), b = a;
                for (int i = 0; i < settings.count; ++i) {
                    alone.read(i, a);
                    for (Crowd* crowd : {&wide, &narrow}) {
                        crowd->read(i, b);
                        EXPECT_EQ(numbersOf(a), numbersOf(b))
                            << "character " << i << " in " << crowd->lanes() << " lanes";
                    }
                }
            }
}

TEST(Crowd, steps_as_the_simulation_does)
{
    Random random(2);
    for (int t = 0; t < 5; ++t) {
        Description d = springyTree(random, 10, 3);
        Settings settings;
        settings.solver = "featherstone";
        settings.integrator = "semi_implicit_euler";
        settings.step = 1e-3;
        Result<Simulation> simulation = Simulation::create(d, settings);
        ASSERT_TRUE(simulation);
        const Model& model = simulation.value().model();
        Crowd crowd = mustCrowd(model, {.count = 1, .step = 1e-3, .implicitSprings = false});
        const State start = randomState(random, model);
        simulation.value().state.q = start.q;
        simulation.value().state.u = start.u;
        simulation.value().state.bodies = start.bodies;
        crowd.write(0, start);
        crowd.step(30);
        ASSERT_TRUE(simulation.value().advance(0.03).ok);
        State end = start;
        crowd.read(0, end);
        const std::vector<double> a = numbersOf(end), b = numbersOf(simulation.value().state);
        double away = 0;
        for (std::size_t k = 0; k < a.size(); ++k) away = std::max(away, std::abs(a[k] - b[k]));
        EXPECT_LT(away, 1e-10);
    }
}

// Both steps are of first order and go to the same motion.
TEST(Crowd, converges_with_implicit_springs_to_the_motion_with_explicit_ones)
{
    Random random(3);
    const Model model = mustCompile(springyTree(random, 6, 20));
    const State start = randomState(random, model);
    const auto at = [&](double h, bool implicitSprings) {
        Crowd crowd = mustCrowd(model, {.count = 1, .step = h, .implicitSprings = implicitSprings});
        crowd.write(0, start);
        crowd.step(static_cast<int>(std::lround(0.1 / h)));
        State end = start;
        crowd.read(0, end);
        return numbersOf(end);
    };
    const std::vector<double> truth = at(1e-6, false);
    double before = 0;
    for (double h : {2e-4, 1e-4, 5e-5}) {
        const std::vector<double> found = at(h, true);
        double away = 0;
        for (std::size_t k = 0; k < truth.size(); ++k) away = std::max(away, std::abs(found[k] - truth[k]));
        if (before > 0) {
            EXPECT_NEAR(before / away, 2, 0.2) << h;
        }
        before = away;
    }
    EXPECT_LT(before, 0.02);
}

TEST(Crowd, stands_springs_of_any_stiffness)
{
    for (double stiffness : {1e3, 1e6, 1e9}) {
        ChainOptions options;
        options.links = 10;
        options.horizontal = true;
        options.stiffness = stiffness;
        options.damping = 0.01 * stiffness;
        const Model model = mustCompile(makeChain(options));
        Crowd crowd = mustCrowd(model, {.count = 3, .step = 1. / 60});
        crowd.step(600);
        State state = restState(model);
        crowd.read(1, state);
        const Vec3 tip = state.bodies.back().position;
        EXPECT_TRUE(tip.allFinite());
        // It bends under its weight, the less the stiffer.
        const double sag = restState(model).bodies.back().position.y() - tip.y();
        EXPECT_GT(sag, 0);
        EXPECT_LT(sag, 30 / stiffness) << stiffness;
    }
}

TEST(Crowd, holds_what_it_is_told_to)
{
    ChainOptions options;
    options.links = 4;
    options.joint = JointType::hinge;
    options.stiffness = 1e5;
    options.damping = 1e3;
    const Model model = mustCompile(makeChain(options));
    Crowd crowd = mustCrowd(model, {.count = 2, .step = 1. / 60});
    const double there = 0.5;
    crowd.setTarget(1, 2, {&there, 1});
    crowd.step(300);
    State state = restState(model);
    crowd.read(0, state);
    EXPECT_NEAR(state.q[model.joints[2].q], 0, 1e-3);
    crowd.read(1, state);
    EXPECT_NEAR(state.q[model.joints[2].q], there, 1e-3);
    EXPECT_NEAR(crowd.time(), 5, 1e-9);
}

TEST(Crowd, says_what_it_cannot_do)
{
    ChainOptions options;
    options.links = 3;
    Description d = makeChain(options);
    const Model model = mustCompile(d);
    EXPECT_EQ(Crowd::create(model, {.count = 0}).error().text(),
              "count: is 0; a crowd is of 1 to 1000000 characters");
    EXPECT_EQ(Crowd::create(model, {.count = 1'000'000'000}).error().text(),
              "count: is 1000000000; a crowd is of 1 to 1000000 characters");
    EXPECT_FALSE(Crowd::create(model, {.step = 0}));
    d.joints[1].coulomb = 1;
    EXPECT_EQ(Crowd::create(mustCompile(d), {}).error().text(),
              "a crowd does not support dry friction of joint 'joint2'");
}

TEST(Logarithm, agrees_with_logRotation_up_to_half_a_turn)
{
    Random random(4);
    for (int t = 0; t < 5000; ++t) {
        const double angle = t % 2 ? random.uniform(0, 3.1415926) : std::exp(random.uniform(-30, 1));
        const Quat q = expRotation(angle * randomVector(random).normalized());
        const auto found = recursion::logarithm(small(q));
        const Vec3 phi = large(found.factor * found.v), truth = logRotation(q);
        EXPECT_LT((phi - truth).norm(), 4e-15 * truth.norm()) << angle;
        const double half = truth.norm() / 2;
        EXPECT_NEAR(found.kappa, half < 1e-8 ? 1 : half / std::tan(half), 4e-15) << angle;
    }
}

}  // namespace
}  // namespace sinew::test::crowd_test
