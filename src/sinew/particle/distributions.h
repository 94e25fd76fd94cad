// Random numbers of particles: a function of seed, the number of the birth and the attribute, so that no
// particle's depend on another's. By IEEE 754's exact operations alone, so that they are the same
// everywhere.
#pragma once

#include <cstdint>

#include "sinew/model/particles.h"

namespace sinew::particle {

// What a number is for; each has its own.
enum class Draw : std::uint32_t {
    life,
    size,
    opacity,
    color,
    moment,
    place,
    place2,
    place3,
    speed,
    turn,
    tilt,
    outward,
    velocityX,
    velocityY,
    velocityZ,
    births,
    births2
};

// 64 bits (splitmix64's finaliser, twice).
inline std::uint64_t drawnBits(std::uint64_t seed, std::uint64_t number, Draw what)
{
    const auto mixed = [](std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    };
    const std::uint64_t once = mixed(seed + number * 0x9e3779b97f4a7c15ull);
    return mixed(once + (static_cast<std::uint64_t>(what) + 1) * 0xd1342543de82ef95ull);
}

// In [0, 1).
inline double drawnUnit(std::uint64_t seed, std::uint64_t number, Draw what)
{
    return static_cast<double>(drawnBits(seed, number, what) >> 11) * 0x1.0p-53;
}

// Natural logarithm of a positive normal number and exponential of one in [−700, 700], to some 1e-15.
double logarithm(double x);
double exponential(double x);

// The normal number below which the part u of all lies, 0 ≤ u < 1, by Acklam's rational approximation
// (relative error 1.2e-9); cut at ±Spread::cut.
double normalAt(double u);

double drawn(const Spread& spread, std::uint64_t seed, std::uint64_t number, Draw what);

// How many events there are where `mean` are expected (Poisson). Above 64 it is a rounded normal number.
// The draws are those of `number`, and of numbers made from it.
int poisson(double mean, std::uint64_t seed, std::uint64_t number);

}  // namespace sinew::particle
