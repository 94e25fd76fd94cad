// The colours of bodies in files for others to look at, as the project's own page has them.
#pragma once

#include "sinew/rig/run_rig.h"

namespace sinew {

// Red, green and blue from 0 to 1, linear (not as on a screen, which bends them). One figure alone is of
// clay, its left side cool and its right side warm, by the words in the names; several have a colour each.
// A body to which the scene gives a colour has that.
Vec3 toneOf(const RunRig& figure, std::size_t bone);
Vec3 obstacleTone();

}  // namespace sinew
