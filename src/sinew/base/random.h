// A small seeded generator (splitmix64) that gives the same numbers on every platform, which the
// distributions of the standard library do not promise.
#pragma once

#include <cmath>
#include <cstdint>

namespace sinew {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits()
    {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    // In [0, 1).
    double unit() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
    double uniform(double low, double high) { return low + (high - low) * unit(); }
    // One of 0 … count − 1.
    int below(int count) { return static_cast<int>(bits() % static_cast<std::uint64_t>(count)); }
    // Mean 0, standard deviation 1 (Box-Muller).
    double normal()
    {
        const double u = 1 - unit(), v = unit();
        return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
    }

private:
    std::uint64_t state_;
};

}  // namespace sinew
