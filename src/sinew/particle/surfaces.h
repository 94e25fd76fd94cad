// How far particles are from what they bounce off, and when they get there.
#pragma once

#include "sinew/model/particles.h"
#include "sinew/particle/emitter.h"

namespace sinew::particle {

// Of a step: a rebound that takes less time is none.
constexpr double shortestFlight = 0.025;

// A surface at a moment.
struct Placed {
    const ParticleSurface* surface = nullptr;
    Pose pose;                                          // of the form, world
    Vec3 center = Vec3::Zero();                         // of the body
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();  // of the body, world axes

    Vec3 velocityAt(const Vec3& point) const { return velocity + spin.cross(point - center); }
};
Placed placedAt(const ParticleSurface& surface, const StepMotion& motion, double part);

// Negative inside. Outside it may be less than the distance, by a factor that does not go to zero, so that
// a march by it never passes the surface. The normal is that of the nearest part, outward.
struct Clearance {
    double distance = 0;
    Vec3 normal = Vec3::UnitY();
};
// Of all forms but triangles, which have no inside.
Clearance clearance(const Placed& placed, const Vec3& point);
bool isSolid(const ParticleSurface& surface);

// The way of a particle: x + v t + ½ a t².
struct Way {
    Vec3 x = Vec3::Zero(), v = Vec3::Zero(), a = Vec3::Zero();
    Vec3 at(double t) const { return x + t * (v + 0.5 * t * a); }
    Vec3 velocityAt(double t) const { return v + t * a; }
};

struct Impact {
    double time = 0;  // along the way
    Vec3 normal = Vec3::UnitY();
    Vec3 surfaceVelocity = Vec3::Zero();
    double inside = 0;  // how deep, where the way began in there
};
// The first moment in [0, span] in which a ball that goes along the way touches the surface and goes into
// it. The step began `late` before the way, and is `motion.h` long.
bool firstImpact(const ParticleSurface& surface, const StepMotion& motion, double late, const Way& way,
                 double span, double radius, Impact& impact);

}  // namespace sinew::particle
