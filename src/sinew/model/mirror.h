// The mirror image of bodies, joints, springs and fields at the plane through the origin across an axis (0,
// 1, 2: x, y, z).
//
// With S the reflection, places and velocities become S p. What turns is a pseudo-vector: a turn by the
// rotation vector φ looks in the mirror like one by −S φ. A mirrored body's frame is S R S, a proper frame
// again: what lay at p in the frame lies at S p in the new one. So a hinge about a becomes one about −S a
// and a slide along a one along S a, with the same coordinates, velocities, motors and limits; the rotation
// vectors of ball joints, in the second body's axes, become −S φ. The axis of a ball joint's twist becomes
// −S a, and its limits stay. So does the axis of a vortex; gusts are made in a mirrored frame.
#pragma once

#include "sinew/model/description.h"

namespace sinew {

Vec3 mirrored(const Vec3& place, int axis);
Vec3 mirroredTurn(const Vec3& turn, int axis);
Pose mirrored(const Pose& pose, int axis);

// Names stay as they are.
BodyDescription mirrored(BodyDescription body, int axis);
JointDescription mirrored(JointDescription joint, int axis);
SpringDescription mirrored(SpringDescription spring, int axis);
FieldDescription mirrored(FieldDescription field, int axis);

}  // namespace sinew
