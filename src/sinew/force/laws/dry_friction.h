// Dry friction of joints:  Q = −c u / √(u² + ε²), a small ε, so that it creeps where it would stick.
#pragma once

#include "sinew/model/model.h"

namespace sinew {

// √(u² + ε²).
double drySpeed(const Model& model, const Joint& joint, const Vec3& u);

}  // namespace sinew
