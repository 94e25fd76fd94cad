// Particle systems, as a scene says them and as compiled: dust, sparks, fountains.
#pragma once

#include <string>

#include "sinew/math/types.h"

namespace sinew {

struct ParticlesDescription {
    std::string name;
};

struct ParticleSystem {
    std::string name;
};

}  // namespace sinew
