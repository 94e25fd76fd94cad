// When moving shapes touch: in closed form where points and spheres move along lines, and by conservative
// advancement where convex shapes move and turn.
#pragma once

#include <optional>

#include "sinew/geometry/distance.h"
#include "sinew/geometry/terrain.h"

namespace sinew {

// The first time ≥ 0 of touch at constant velocities, or nothing. What is already in touch, or behind the
// plane, touches at 0. A graze counts.
std::optional<double> pointPlaneImpact(const Vec3& point, const Vec3& velocity, const HalfSpace& plane);
std::optional<double> spherePlaneImpact(const Vec3& center, double radius, const Vec3& velocity,
                                        const HalfSpace& plane);
std::optional<double> sphereSphereImpact(const Vec3& centerA, double radiusA, const Vec3& velocityA,
                                         const Vec3& centerB, double radiusB, const Vec3& velocityB);

// A shape's frame that moves at constant velocity, and turns about its own origin at a constant one.
struct SteadyMotion {
    Pose start;
    Vec3 velocity = Vec3::Zero(), angularVelocity = Vec3::Zero();  // world axes

    Pose at(double time) const;
};

struct Impact {
    enum class Outcome {
        none,       // they do not touch before the end
        touch,      // at `time` the distance is within the tolerance
        unfinished  // at `time` they are still apart, and the bound on iterations was reached
    };
    Outcome outcome = Outcome::none;
    double time = 0;      // never later than the first touch
    Proximity proximity;  // at that time
    int iterations = 0;
};

// The first touch of two checked shapes within [0, duration]: at the time returned their distance is at
// most the tolerance (in metres, positive), and at no time before it were they in touch. Shapes that touch
// at the start do so at 0.
Impact firstImpact(const Shape& a, const SteadyMotion& motionA, const Shape& b, const SteadyMotion& motionB,
                   double duration, double tolerance, DistanceWork& work);

}  // namespace sinew
