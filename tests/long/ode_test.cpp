// Symplectic steps over a hundred thousand periods of orbits and pendulums: `make long`.
#include <gtest/gtest.h>

#include <cstdio>

#include "support/ode_systems.h"

namespace sinew::test {
namespace {

TEST(OdeSchemes, symplectic_ones_keep_the_energy_of_orbits_and_pendulums_bounded)
{
    for (const ode::Scheme& scheme : ode::schemes()) {
        if (!scheme.isSymplectic) continue;
        const EnergyRange orbit = energyRange<Kepler>(scheme, Kepler::period, 200, 100000);
        const EnergyRange swing = energyRange<Pendulum>(scheme, Pendulum::period(), 40, 100000);
        std::printf("  %-20s orbit %.2e after 1e3 periods, %.2e after 1e5; pendulum %.2e, %.2e\n",
                    scheme.name, orbit.early, orbit.late, swing.early, swing.late);
        EXPECT_LT(orbit.late, 1.05 * orbit.early) << scheme.name;
        EXPECT_LT(swing.late, 1.05 * swing.early) << scheme.name;
    }
    const EnergyRange orbit = energyRange<Kepler>(*ode::findScheme("rk4"), Kepler::period, 200, 100000);
    std::printf("  rk4                  orbit %.2e after 1e3 periods, %.2e after 1e5\n", orbit.early,
                orbit.late);
    EXPECT_GT(orbit.late, 50 * orbit.early);
}

}  // namespace
}  // namespace sinew::test
