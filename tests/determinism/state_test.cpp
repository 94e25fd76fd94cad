// A step depends on State alone: the promise that checkpoints rest on.
#include <gtest/gtest.h>

#include "sinew/figure/chain.h"
#include "sinew/simulation/simulation.h"

namespace sinew {

namespace {

Description swingingChain()
{
    ChainOptions options;
    options.links = 8;
    options.stiffness = 0.5;
    options.horizontal = true;
    Description chain = makeChain(options);
    chain.joints[3].velocity = {1, -2, 0.5};
    return chain;
}

Simulation created(const Method& method, const Integrator& integrator)
{
    Result<Simulation> simulation =
        Simulation::create(swingingChain(), {method.name, integrator.name, 1e-3});
    EXPECT_TRUE(simulation);
    return std::move(simulation.value());
}

// Calls `check` for every legal pair.
template <class Function>
void forEachPair(Function check)
{
    for (const Method& method : methods()) {
        for (const Integrator& integrator : integrators()) {
            // A chain has forces that depend on velocity.
            if (!integrator.stepFor(method) || integrator.placesOnly) continue;
            SCOPED_TRACE(std::string(method.name) + " with " + integrator.name);
            check(method, integrator);
        }
    }
}

TEST(Determinism, two_runs_end_with_the_same_bits)
{
    forEachPair([](const Method& method, const Integrator& integrator) {
        Simulation a = created(method, integrator), b = created(method, integrator);
        const std::uint64_t start = stateHash(a.state);
        for (int i = 0; i < 50; ++i) EXPECT_TRUE(a.step().ok);
        for (int i = 0; i < 50; ++i) EXPECT_TRUE(b.step().ok);
        EXPECT_EQ(stateHash(a.state), stateHash(b.state));
        EXPECT_NE(stateHash(a.state), start);
    });
}

TEST(Determinism, a_fresh_simulation_goes_on_from_a_copied_state_to_the_same_bits)
{
    forEachPair([](const Method& method, const Integrator& integrator) {
        Simulation a = created(method, integrator);
        for (int i = 0; i < 25; ++i) EXPECT_TRUE(a.step().ok);
        Simulation b = created(method, integrator);
        b.state = a.state;
        for (int i = 0; i < 25; ++i) {
            EXPECT_TRUE(a.step().ok);
            EXPECT_TRUE(b.step().ok);
        }
        EXPECT_EQ(stateHash(a.state), stateHash(b.state));
        EXPECT_EQ(a.state.q, b.state.q);
        EXPECT_EQ(a.state.u, b.state.u);
        EXPECT_EQ(a.state.time, b.state.time);
    });
}

TEST(Determinism, looking_at_accelerations_changes_nothing)
{
    forEachPair([](const Method& method, const Integrator& integrator) {
        Simulation a = created(method, integrator), b = created(method, integrator);
        for (int i = 0; i < 25; ++i) {
            EXPECT_TRUE(a.step().ok);
            b.accelerate();
            EXPECT_TRUE(b.step().ok);
        }
        EXPECT_EQ(stateHash(a.state), stateHash(b.state));
    });
}

}  // namespace

}  // namespace sinew
