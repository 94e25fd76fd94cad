// Large piles with exact contacts: what a step may cost, and what it must keep where that was not enough
// (integrate/pile_step.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/integrate/step_work.h"
#include "sinew/measure/energy.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/contacts.h"

namespace sinew {
namespace {

constexpr double pileFrame = 1. / 60;

// Boxes of 0.2 m that fall onto the ground and each other, askew.
Description fallingBoxes(int perEdge, int layers, int seed)
{
    Random random(seed);
    Description d;
    d.contact.emplace();
    d.contact->friction = 0.6;
    d.obstacles.resize(1);
    for (int k = 0; k < perEdge * perEdge * layers; ++k) {
        BodyDescription box;
        box.name = "b" + std::to_string(k);
        const Vec3 cell(k % perEdge, k / (perEdge * perEdge), k / perEdge % perEdge);
        const auto askew = [&](double most) {
            const double x = random.uniform(-most, most), y = random.uniform(-most, most);
            return Vec3(x, y, random.uniform(-most, most));
        };
        box.pose.position = 0.25 * cell + Vec3(0, 0.2, 0) + askew(0.01);
        const Vec3 turn = askew(0.1);
        box.pose.orientation = Quat(1, turn.x(), turn.y(), turn.z()).normalized();
        box.velocity = Vec3(0, -2, 0);
        box.shapes.emplace_back().shape = Box{Vec3::Constant(0.2)};
        d.bodies.push_back(std::move(box));
    }
    return d;
}

Simulation startedPile(const Description& d)
{
    Settings settings;
    settings.integrator = "implicit";
    settings.step = pileFrame;
    Result<Simulation> made = Simulation::create(d, settings);
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    return std::move(made.value());
}

double deepestPlace(const Simulation& s)
{
    double depth = 0;
    for (const Contact& c : s.state.contacts) depth = std::max(depth, -contactGap(c, s.state));
    return depth;
}

// Of what a step of a falling heap does, and of its energy.
void checkImpact(int perEdge, int layers)
{
    Simulation s = startedPile(fallingBoxes(perEdge, layers, 1));
    const Model& model = s.model();
    const double weight = model.mass() * model.gravity.norm();
    double before = energy(model, s.state).total(), most = 0;
    bool wasCut = false;
    for (int step = 0; step < 60; ++step) {
        const StepReport report = s.step();
        ASSERT_TRUE(report.ok) << report.message;
        const Energy now = energy(model, s.state);
        // What is inside may be lifted out, by as much as a step takes back.
        const double lifted = weight * 0.3 * model.gravity.norm() * pileFrame * pileFrame;
        EXPECT_LE(now.total(), before + lifted) << step;
        before = now.total();
        most = std::max(most, s.work->constraints.solver.effort.work);
        wasCut |= report.statistics.contactCaps > 0;
        EXPECT_LT(deepestPlace(s), 0.02) << step;
    }
    std::printf("%zu contacts, at most %.1e operations a step\n", s.state.contacts.size(), most);
    EXPECT_TRUE(wasCut);  // and is said to be
    // What is asked between iterations may be passed by one of them.
    EXPECT_LT(most, 2e8);
}

TEST(PileStep, an_impact_has_a_bound_on_work_and_brings_no_energy)
{
    checkImpact(5, 4);
    checkImpact(8, 5);
}

TEST(PileStep, the_number_of_threads_does_not_change_a_bit)
{
    const auto endOf = [](int threads) {
        const ThreadScope scope(threads);
        Simulation s = startedPile(fallingBoxes(8, 4, 2));
        for (int step = 0; step < 25; ++step) EXPECT_TRUE(s.step().ok);
        return s.state.q;
    };
    const VecX one = endOf(1), three = endOf(3);
    ASSERT_EQ(one.size(), three.size());
    for (int k = 0; k < one.size(); ++k) ASSERT_EQ(one[k], three[k]) << k;
}

// What rests is solved to the tolerance, and does not move.
TEST(PileStep, a_large_pile_at_rest_is_exact)
{
    Random random(3);
    Description d;
    d.contact.emplace();
    d.contact->friction = 0.6;
    d.obstacles.resize(1);
    for (int column = 0; column < 64; ++column)
        for (int layer = 0; layer < 8; ++layer) {
            BodyDescription box;
            box.name = "b" + std::to_string(8 * column + layer);
            const double by = random.uniform(-0.02, 0.02);
            box.pose.position = Vec3(0.3 * (column % 8) + by, 0.2 * layer + 0.1, 0.3 * (column / 8));
            box.shapes.emplace_back().shape = Box{Vec3::Constant(0.2)};
            d.bodies.push_back(std::move(box));
        }
    Simulation s = startedPile(d);
    const State start = s.state;
    for (int step = 0; step < 20; ++step) {
        const StepReport report = s.step();
        ASSERT_TRUE(report.ok) << report.message;
        EXPECT_EQ(report.statistics.contactCaps, 0) << step;
        EXPECT_LE(report.statistics.newtonIterations, 4) << step;
    }
    EXPECT_GT(s.state.contacts.size(), 2000u);
    double moved = 0;
    for (std::size_t i = 0; i < start.bodies.size(); ++i)
        moved = std::max(moved, (s.state.bodies[i].position - start.bodies[i].position).norm());
    std::printf("moved by %.1e m\n", moved);
    EXPECT_LT(moved, 1e-6);
    EXPECT_LT(deepestPlace(s), 1e-7);
}

}  // namespace
}  // namespace sinew
