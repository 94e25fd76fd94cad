// A clip of one skeleton, for another: captured motion onto a character of other proportions, other rest
// pose and other axes of its bones.
//
// Symbols. s, t: a bone of the source and the one of the target that it leads; W(τ), W°: rotations in the
// world at the time τ and at rest; p, p°: places; k: the scale of lengths; H: the turn about the vertical
// from the way that the source faces at rest to the way that the target does.
//
//   rotation     W_t(τ) = H W_s(τ) W°_sᵀ Hᵀ A_t W°_t
//   hips         p_t(τ) = H k p_s(τ) + c
//   other bones  what they shift in their parent's frame against rest, turned the same way and times k
//
// World rotations against rest know nothing of the axes of bones. A_t is the turn by which the target's
// rest pose differs from the source's: the least one that brings a limb's direction (to the next led bone
// below) into that of the source, so that arms in an A and arms in a T end up the same way. Hands and
// fingers have their forearm's, toes their foot's, feet only the part about the vertical: soles stay flat.
// Trunk, head and collar bones keep their own rest: A = 1.
//
// Feet. k is the ratio of the lengths of thigh and shin, and c lifts the hips by the difference of what is
// below the ankles and between hips and thighs. So the ankles of the target could be just where those of
// the source are, times k; with other hips they are not, and thigh and shin are bent and swung until they
// are (the law of cosines), the foot's own rotation staying. What stands in the source then stands in the
// target, at every frame and without a threshold. Out of a leg's reach the foot is left as near as it
// comes.
//
// Invariants: onto the same skeleton the motion is the same to rounding, onto a scaled one scaled; axes of
// bones do not matter. Scales of bones do not travel. Cost: frames times bones.
#pragma once

#include <string>
#include <vector>

#include "sinew/rig/bone_match.h"

namespace sinew {

struct RetargetOptions {
    double fps =
        0;  // keys of the new clip; 0: at the times of the source's keys, or 60 where these are curved
    bool feet = true;
    std::string name;  // of the new clip; empty: the source's
};

struct Retargeted {
    Clip clip;
    double scale = 1;      // k
    int legs = 0;          // whose feet are kept
    double shortfall = 0;  // how far a foot was out of reach at most, in the target's unit
};

Retargeted retarget(const Rig& source, const Clip& clip, const Rig& target, const BoneMatch& match,
                    const RetargetOptions& options = {});

}  // namespace sinew
