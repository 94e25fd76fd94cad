// What changes of a spring mesh.
#pragma once

#include <vector>

#include "sinew/math/types.h"

namespace sinew {

struct MeshState {
    VecX x;  // positions of the vertices, world, three numbers each, m
    VecX v;  // velocities, m/s
    VecX a;  // what they changed by in the last step, m/s²: where the next one begins to look
    // Of vertices that touch: the collider (−1: none), and the place on it, in its body's axes, that
    // friction holds them to.
    std::vector<int> touched;
    VecX anchor;
    VecX pressed;  // N, by which they leaned on it
};

}  // namespace sinew
