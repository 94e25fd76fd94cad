// BVH ↔ Rig.
//
// Reading. A joint becomes a bone that rests at its OFFSET, unturned; an End Site one of the bone's `ends`.
// Rotation channels multiply in the order of the file, the first one outermost:
//     CHANNELS 3 Zrotation Xrotation Yrotation   means   R = R_z R_x R_y.
// Position channels replace the OFFSET, axis by axis: so do Blender, and the exporters of Blender,
// MotionBuilder and most capture systems, whose channels repeat the offset. (three.js adds the two; for
// roots with a zero OFFSET, the usual ones, it is the same.) Lengths stay in the file's unit.
//
// Writing. BVH has neither turned nor scaled joints at rest. Let Q be a bone's rotation in the world, Q°
// the one at rest, p and p° its places. Then the joint gets
//     world rotation  W = Q Q°⁻¹,   channels of rotation  W_parent⁻¹ W,
//     OFFSET  p° − p°_parent,       position  W_parent⁻¹ (p − p_parent),
// which puts every joint where the rig has it: p = p_parent + W_parent · position. Where that is the OFFSET
// in all frames there are no position channels; roots always have them, and a zero OFFSET, so that readers
// that add and readers that replace see the same. Bones that are no joints (Bone::joint) are left out, what
// they do is seen in the positions of those below them; if no bone is a joint, all are written.
#pragma once

#include "sinew/io/bvh/bvh.h"
#include "sinew/rig/rig.h"

namespace sinew::bvh {

// One clip with a key per frame, linear between; none where there are no frames.
Rig toRig(const Document& document, const std::string& clipName);

// The clip is named after the file, without folder and ".bvh".
Result<Rig> readRig(const std::string& path);

struct WriteOptions {
    double framesPerSecond = 0;  // 0: as `like` has it, otherwise 30
    // Order of rotation channels, outermost first; joints that `like` has keep theirs.
    std::string order = "ZXY";
    // The file that the rig was read from: its joints keep their order of channels, and have more only if
    // their motion needs it. Where they turn as in the file, at its own frames per second, they keep its
    // very angles.
    const Document* like = nullptr;
};

// The clip in frames, from 0 to its end or just past it. Angles go on from frame to frame without jumps of
// 360°, by the shorter of the two ways that there are; they are rounded to 1e-6°, lengths to 1e-8 of the
// largest. An empty clip gives one frame at rest. Refuses rigs that are scaled unevenly.
Result<Document> fromRig(const Rig& rig, const Clip& clip, const WriteOptions& options = {});

}  // namespace sinew::bvh
