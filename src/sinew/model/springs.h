// Springs between points of any two bodies, as a scene says them and as compiled.
#pragma once

#include <string>

#include "sinew/math/types.h"

namespace sinew {

struct SpringDescription {
    std::string name;
};

struct Spring {
    std::string name;
};

}  // namespace sinew
