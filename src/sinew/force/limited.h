// Springs and dampers that give no more than they can. Not a public header.
#pragma once

#include "sinew/math/types.h"

namespace sinew {

// A force with minus its derivatives by place and by velocity.
struct SpringForce {
    Vec3 force;
    Mat3 stiffness, damping;

    // No longer than this: beyond it only the direction is left to change.
    void limit(double longest)
    {
        const double size = force.norm();
        if (!(size > longest)) return;
        const Vec3 direction = force / size;
        const Mat3 across = longest / size * (Mat3::Identity() - direction * direction.transpose());
        force = longest * direction;
        stiffness = across * stiffness;
        damping = across * damping;
    }
};

}  // namespace sinew
