// Particles as they are to be seen: places, and size, colour and opacity after the curves over their lives.
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/model/particles.h"
#include "sinew/state/particle_state.h"

namespace sinew {

// Of one system, one behind the other in the order of the state. Keeps its memory.
struct ParticleLook {
    std::vector<float> places;          // x y z
    std::vector<float> velocities;      // x y z, where they are asked for
    std::vector<float> sizes;           // radius, m
    std::vector<std::uint32_t> colors;  // red in the lowest byte, green, blue, opacity
    std::vector<std::uint32_t> ids;     // numbers of birth, modulo 2³²

    int count() const { return static_cast<int>(sizes.size()); }
};

// `ago` seconds before the state, for frames within a step: along their velocities.
void lookAt(const ParticleSystem& system, const ParticleState& state, bool velocities, ParticleLook& look,
            double ago = 0);

// A particle's place so many writings ago, of those that its trail has.
struct TrailPoint {
    float x, y, z;
};
TrailPoint trailPoint(const ParticleSystem& system, const ParticleState& state, int particle, int back);

}  // namespace sinew
