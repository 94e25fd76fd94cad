// Spring bones of VRM avatars (VRM 0.x: VRM.secondaryAnimation, 1.0: VRMC_springBone), as joints have them.
//
// VRM moves the end of a bone of length l once a frame, after Verlet, with its velocity times 1 − drag and
// a force of `stiffness` times the frame's length toward where the bone points at rest. At VRM's 60 frames
// a second that is, for small angles, the oscillator
//
//     θ″ + r θ′ + ω² θ = 0      ω² = 60 stiffness / l      r = −60 ln(1 − drag)
//
// of which a joint takes the frequency ω / 2π and the damping ratio r / 2ω. Gravity in VRM is a choice of
// its author (`gravityPower`); here it is that of the scene. Colliders are left to the character's own
// body.
#pragma once

#include <vector>

#include "sinew/io/gltf/character.h"

namespace sinew {

struct SpringBone {
    int bone = -1;         // of the rig
    double frequency = 0;  // Hz
    double damping = 0;    // part of critical
    double radius = 0;     // of what touches, in the unit of the file; 0: not said
};

// In the order of the file, each bone once; none where the file is no avatar of VRM. An error tells where
// the file contradicts itself: bones that are not there, drags that are not from 0 to 1, negative numbers.
Result<std::vector<SpringBone>> springBones(const GltfFile& file, const GltfCharacter& character);

}  // namespace sinew
