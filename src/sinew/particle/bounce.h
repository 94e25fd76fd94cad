// Particles off obstacles and bodies, not off each other: the slides' kinematic response, or by penalty.
//
// Kinematic: the normal part of the velocity relative to the surface comes back times −k, and friction
// takes μ(1 + k)|v_n| of the tangential one, at most all of it. At the fraction of the step this happens at
// the moment of impact, and the rest of the step is flown after it; at the step, at its end, and the
// particle is put on the surface. What would rebound for less than a fortieth of a step lies still.
// Penalty: a one-sided spring and damper along the normal, in parts of the step as short as the spring
// needs.
#pragma once

#include "sinew/particle/flight.h"
#include "sinew/particle/surfaces.h"

namespace sinew::particle {

class Bounces {
public:
    Bounces(const ParticleSystem& system, const StepMotion& motion);

    // Where the lanes were before they flew.
    struct Before {
        float x[mostLanes], y[mostLanes], z[mostLanes], vx[mostLanes], vy[mostLanes], vz[mostLanes];
    };
    static void keep(const Lanes& lanes, Before& before);
    // Corrects the end of a flight. `dead[i]` becomes 1 where the touch is the end.
    void apply(const Before& before, const Lanes& lanes, unsigned char* dead) const;

private:
    bool findNear(const Before& before, const Lanes& lanes, int* near) const;
    bool isFar(const ParticleSurface& surface, const Vec3& x, double path) const;
    bool bounce(Way& way, double h, double radius) const;  // the way becomes the end of the step
    bool bounceAtStep(Way& way, double h, double radius) const;
    bool push(Way& way, double h, double radius, double size) const;

    const ParticleSystem& system_;
    const BounceDescription& rule_;
    const StepMotion& motion_;
};

}  // namespace sinew::particle
