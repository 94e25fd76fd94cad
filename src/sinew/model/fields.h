// What fills the space around bodies, meshes and particles: winds, vortices, attractors.
#pragma once

#include <string>

#include "sinew/math/types.h"

namespace sinew {

struct FieldDescription {
    std::string name;
};

}  // namespace sinew
