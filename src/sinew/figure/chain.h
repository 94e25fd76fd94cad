// The chain that every benchmark and half the tests use, as a description.
#pragma once

#include "sinew/model/description.h"

namespace sinew {

struct ChainOptions {
    int links = 10;
    double length = 0.1;  // m, of each link, along its capsule
    double mass = 0.1;    // kg
    double radius = 0.02;
    JointType joint = JointType::spherical;  // or hinge, with alternating axes (z, x, z, …)
    double stiffness = 0;                    // of every joint, a pinned root's too
    double damping = 0;
    double tipRatio = 1;      // mass of the last link over the others'
    bool horizontal = false;  // from the root along +x; otherwise hanging along −y
    bool pinned = true;       // to the world; otherwise the chain floats
};

// Links are "link1" … "linkN", joints "joint1" …; inertia is a solid cylinder's.
Description makeChain(const ChainOptions& options);

}  // namespace sinew
