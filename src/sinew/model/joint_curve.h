// A joint's coordinates as given functions of time, and what they make of q, u and u̇: what controllers
// track and prescribed joints do.
#pragma once

#include <vector>

#include "sinew/model/joint.h"
#include "sinew/model/path.h"
#include "sinew/model/signal.h"

namespace sinew {

struct JointMotion {
    double q[7] = {};
    double u[6] = {};
    double acceleration[6] = {};  // u̇
};

// The coordinates as in the description, one signal per freedom; a ball joint's are a rotation vector.
// No signals at all: the rest pose. Not for free joints.
JointMotion jointMotionAt(const Joint& joint, const std::vector<Signal>& coordinates, double time);

// Of a free joint to the world whose child follows a path with one of its points (in its axes, from its
// centre of mass).
JointMotion freeMotionAt(const Joint& joint, const Vec3& point, const PathPoint& path);

}  // namespace sinew
