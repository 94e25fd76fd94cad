// Fewer keys for the same motion: drops those that the ones around them tell already.
//
// From each key that is kept the next one is the farthest for which the straight line (of rotations: the
// even turn) passes every key between them within the bound. It is looked for by doubling, then by halving,
// which takes O(n log n) for n keys in the worst case. Kept keys keep their bits; the first and the last
// are always kept, so that the clip does not get shorter.
//
// Between the original keys a straight track is as close as at them; a rotation is, up to how far two turns
// about different axes bend apart between two neighbouring keys.
#pragma once

#include "sinew/rig/rig.h"

namespace sinew {

// How far the reduced motion may be from the original at any of its keys.
struct KeyBounds {
    double length = 0;  // of translations, in the rig's unit
    double angle = 0;   // of rotations, rad
    double scale = 0;   // of scales, the length of the difference
};

// Straight tracks as above. Of held ones those keys go that repeat the value before them to the bit; cubic
// ones stay as they are.
Track reduceKeys(const Track& track, const KeyBounds& bounds);
Clip reduceKeys(const Clip& clip, const KeyBounds& bounds);

}  // namespace sinew
