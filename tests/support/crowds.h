// Crowds, and what is compared of their characters.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "sinew/crowd/crowd.h"
#include "sinew/state/state.h"

namespace sinew::test {

// Coordinates, velocities and bodies, all in a row.
inline std::vector<double> numbersOf(const State& state)
{
    std::vector<double> all(state.q.data(), state.q.data() + state.q.size());
    all.insert(all.end(), state.u.data(), state.u.data() + state.u.size());
    for (const BodyState& b : state.bodies) {
        for (const Vec3& v : {b.position, b.velocity, b.angularVelocity})
            for (int k = 0; k < 3; ++k) all.push_back(v[k]);
        for (int k = 0; k < 4; ++k) all.push_back(b.orientation.coeffs()[k]);
    }
    return all;
}

inline Crowd mustCrowd(const Model& model, const CrowdSettings& settings)
{
    Result<Crowd> crowd = Crowd::create(model, settings);
    EXPECT_TRUE(crowd) << (crowd ? "" : crowd.error().text());
    return std::move(crowd.value());
}

}  // namespace sinew::test
