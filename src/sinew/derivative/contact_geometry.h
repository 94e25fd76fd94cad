// How normal and anchors of a contact change as its bodies move, at the poses that they were found at. Not
// a public header.
#pragma once

#include "sinew/collision/follow.h"

namespace sinew::stepping {

// By the place and turn of A and of B, world axes.
struct ContactMotion {
    Matrix<3, 6> normal[2];
    Matrix<3, 6>
        anchor[2][2];    // [of A, of B][by A, by B]: how the anchor moves in its own body, in world axes
    bool moves = false;  // false: all of them are zero
};

// What of this is not known is zero, as if it stayed where it is in its body: places of meshes, terrain and
// of pairs of faces.
ContactMotion contactMotion(const Model& model, const Contact& contact, const FollowedContact& followed,
                            const LargeVector<BodyState>& bodies);

}  // namespace sinew::stepping
