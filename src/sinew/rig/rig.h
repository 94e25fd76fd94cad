// A character as animators have it: bones in a tree, each placed in its parent's frame, and clips of key
// frames that move them. It knows no masses and no forces; figure.h makes bodies out of it. Readers of glTF
// and BVH give rigs, their writers take them.
//
// Lengths are in the file's own unit, y is up (readers turn files that have it otherwise), angles in
// radians.
#pragma once

#include <string>
#include <vector>

#include "sinew/math/types.h"

namespace sinew {

// Where something is in its parent's frame: scaled first, then turned, then shifted. Scale is of the axes.
struct BoneTransform {
    Vec3 translation = Vec3::Zero();
    Quat rotation = Quat::Identity();
    Vec3 scale = Vec3::Ones();
};

struct Bone {
    std::string name;    // own to each bone of the rig; never empty
    int parent = -1;     // an earlier one in the list, or -1
    BoneTransform rest;  // in the bind pose
    bool joint = true;   // deforms a skin, or is a joint of a BVH; false for nodes that only place others
    // Where a bone without children ends, in its own frame; of others their children tell it.
    std::vector<Vec3> ends;
    // Points of the skin that follow this bone more than any other, in its own frame at rest.
    std::vector<Vec3> flesh;
};

// The keys of one quantity of one bone. Between keys: held, straight (rotations turn evenly), or cubic by
// Hermite's formula with the tangents of the file. Before the first and after the last it stands still.
struct Track {
    enum class Quantity { translation, rotation, scale };
    enum class Between { step, linear, cubic };
    int bone = 0;
    Quantity quantity = Quantity::rotation;
    Between between = Between::linear;
    std::vector<double> times;  // s, rising
    // Per key a vector of three with w = 0, or a quaternion x, y, z, w. Cubic: per key the tangent into it,
    // the value, the tangent out of it.
    std::vector<Vec4> values;
};

// The value at a time. Rotations between cubic keys are not of length 1.
Vec4 valueAt(const Track& track, double time);

struct Clip {
    std::string name;
    std::vector<Track> tracks;  // what has none stays at rest
    double duration() const;    // the last key's time
};

struct Rig {
    std::vector<Bone> bones;
    std::vector<Clip> clips;

    int find(const std::string& name) const;  // -1: there is none
};

// The transforms of all bones in their parents' frames, as the clip has them at a time.
std::vector<BoneTransform> localPose(const Rig& rig, const Clip& clip, double time);
std::vector<BoneTransform> restPose(const Rig& rig);

// A frame in the world with one scale for all directions.
struct WorldFrame {
    Pose pose;
    double scale = 1;

    Vec3 operator*(const Vec3& point) const { return pose * Vec3(scale * point); }
};

// Frames of all bones in the world. The scale of a bone is the largest of its axes where they differ; bones
// for which that is not the truth are told by unevenlyScaled.
std::vector<WorldFrame> worldFrames(const Rig& rig, const std::vector<BoneTransform>& local);

// By one factor along all axes, to a ten-thousandth, and not mirrored.
bool isEvenlyScaled(const BoneTransform& bone);

// The first bone that is scaled differently along its axes, is mirrored, or hangs from one that is; -1:
// none.
int unevenlyScaled(const Rig& rig, const std::vector<BoneTransform>& local);

}  // namespace sinew
