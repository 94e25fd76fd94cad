// What changes of a particle system.
#pragma once

#include <cstdint>

namespace sinew {

struct ParticleState {
    std::uint64_t born = 0;  // particles so far
};

}  // namespace sinew
