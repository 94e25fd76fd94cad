// A run as a rig: the bodies of a scene as bones, their recorded motion as a clip. It is the way from a
// simulation into the formats of animators: BVH, the armature of a GLB, the skeleton of USD.
//
// Lengths are metres; a clip begins at zero, whenever the run's first frame is.
#pragma once

#include <vector>

#include "sinew/model/description.h"
#include "sinew/rig/rig.h"
#include "sinew/state/trajectory.h"

namespace sinew {

struct RunRig {
    std::vector<Bone> bones;                  // named as the bodies are
    std::vector<int> bodies;                  // of each bone: which body of the description it moves with
    std::vector<Pose> inBody;                 // and where it is in that body's frame
    std::vector<int> skeletons;               // and which figure it belongs to, counted from zero
    std::vector<std::optional<Vec3>> colors;  // and what the scene wants it to look like, in sRGB
};

// A bone for each body, along the tree of the scene's joints. It starts where the joint to its parent is (a
// floating root: at the body's frame), and has the axes of the world in the rest pose, as BVH wants it.
// Each figure has a root of its own. A joint that closes a loop is none of the tree; the motion keeps it
// closed.
Result<RunRig> figureOf(const Description& description);

// The same with every bone in the world: the frames of the bodies themselves, in the scene's order.
Result<RunRig> bodiesOf(const Description& description);

// How one bone moves in its parent's frame, a key for each frame of the motion; neighbouring quaternions
// have the same sign. What stays within `stillness` of the rest pose all the time has no track, except for
// roots.
inline constexpr double stillness = 1e-6;  // m and rad
std::vector<Track> tracksOf(const RunRig& figure, const Trajectory& motion, std::size_t bone);

// The figure with all its tracks as a clip, named after the scene.
Result<Rig> rigOf(const Description& description, const Trajectory& motion);

// In another unit: every length times this. Angles and scales stay.
Rig inUnit(Rig rig, double lengthsTimes);

}  // namespace sinew
