// Runs with hands on them.
#pragma once

#include <gtest/gtest.h>

#include "sinew/simulation/live.h"

namespace sinew::test {

inline LiveSimulation opened(const Description& scene)
{
    Result<LiveSimulation> live = LiveSimulation::create(scene, {});
    EXPECT_TRUE(live) << (live ? "" : live.error().text());
    return std::move(live.value());
}
inline double angle(const LiveSimulation& live, const char* joint)
{
    return live.simulation().jointPosition(joint).value()[0];
}
inline void run(LiveSimulation& live, int steps)
{
    for (int i = 0; i < steps; ++i) {
        const StepReport report = live.step();
        ASSERT_TRUE(report.ok) << report.message;
    }
}

}  // namespace sinew::test
