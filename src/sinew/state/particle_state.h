// What changes of a particle system.
//
// Particles lie in arrays, those that live in the first `alive` places. A dead one's place is taken by the
// next that is born, or by the last one. Memory is taken once, for as many as may live at a time.
#pragma once

#include <cstdint>

#include "sinew/base/large_vector.h"

namespace sinew {

struct ParticleState {
    std::uint64_t born = 0, died = 0;  // so far
    std::uint64_t turnedAway = 0;      // births for which there was no room
    std::uint64_t steps = 0;           // made; births are drawn by it
    int alive = 0;

    LargeVector<float> x, y, z;        // m, world
    LargeVector<float> vx, vy, vz;     // m/s
    LargeVector<float> age, life;      // s
    LargeVector<float> size;           // radius at birth, m
    LargeVector<std::uint32_t> color;  // at birth: red in the lowest byte, green, blue, opacity
    LargeVector<std::uint32_t> id;     // the number of its birth, modulo 2³²

    // The last places of each, x y z, a row of a few places per particle. The place that was written k
    // times ago is at (trailCount − 1 − k) modulo the number of places.
    LargeVector<float> trail;
    std::uint64_t trailCount = 0, trailTime = 0;

    // Bytes that a particle takes, beside 12 for each place of its trail.
    static constexpr int bytesEach = 9 * sizeof(float) + 2 * sizeof(std::uint32_t);

    int room() const { return static_cast<int>(x.size()); }
    // Memory for so many, not fewer than there are, with trails of so many places.
    void reserve(int most, int trailPlaces) { setRoom(most, 3 * static_cast<std::size_t>(trailPlaces)); }
    void setRoom(int count, std::size_t trailNumbers);  // numbers of each one's trail
};

}  // namespace sinew
