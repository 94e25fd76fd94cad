// What nearly every file of the core includes, read and instantiated once for all of them
// (cmake/engine.cmake).
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "sinew/state/kinematics.h"
#include "sinew/state/state.h"
