// Armstrong & Green's two bands, for the method (dynamics/armstrong_green.cpp) and for the integrator that
// computes the slow one every few steps only (integrate/bands.cpp).
#pragma once

#include "sinew/dynamics/work.h"

namespace sinew {

// Proximal hinge → centre of mass, link axes. The hinge of a link that floats is its centre of mass.
inline Vec3 hingeToCenter(const Joint& joint)
{
    return joint.isBall() ? Vec3(-joint.anchorChild) : Vec3::Zero();
}

// (15)–(22), (36), without outer forces: of all links whose age is zero, at the bodies' present poses and
// velocities. The others keep what they have.
void armstrongGreenSlowBand(const Model& model, const State& state, LargeVector<SlowLink>& slow,
                            LargeVector<SlowSons>& sons);

// (23)–(30) and the outer forces: everything in FastLink.
void armstrongGreenFastBand(const Model& model, const State& state, const Forces& forces,
                            const LargeVector<SlowLink>& slow, LargeVector<FastLink>& fast);

}  // namespace sinew
