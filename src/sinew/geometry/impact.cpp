// Sources: Parent's slides, chapter 4, "Collision detection: time of impact" (closed forms); Mirtich,
// Impulse- based Dynamic Simulation of Rigid Body Systems (1996), section 2.3; Ericson, Real-Time Collision
// Detection (2004), section 5.5.
//
// Conservative advancement. At distance d along the normal n, no point of B comes nearer to A's side of a
// slab across n faster than
//     μ = −(v_B − v_A)·n + r_A |ω_A × n| + r_B |ω_B × n|,        r: how far a shape reaches from its origin
// because a point x of a body moves along n by (ω × x)·n = x·(n × ω). Velocities are constant, so this
// holds for all later times, and for d/μ nothing can happen. Steps lead to a distance of half the tolerance
// instead of zero: then each is at least tolerance/2μ long, and the last one does not creep.
#include "sinew/geometry/impact.h"

#include <cmath>

#include "sinew/math/rotation.h"

namespace sinew {
namespace {

constexpr int mostAdvances = 10000;

}  // namespace

std::optional<double> pointPlaneImpact(const Vec3& point, const Vec3& velocity, const HalfSpace& plane)
{
    return spherePlaneImpact(point, 0, velocity, plane);
}

std::optional<double> spherePlaneImpact(const Vec3& center, double radius, const Vec3& velocity,
                                        const HalfSpace& plane)
{
    const double height = plane.normal.dot(center) - plane.offset - radius;
    if (height <= 0) return 0.;
    const double approach = -plane.normal.dot(velocity);
    if (!(approach > 0)) return {};
    return height / approach;
}

std::optional<double> sphereSphereImpact(const Vec3& centerA, double radiusA, const Vec3& velocityA,
                                         const Vec3& centerB, double radiusB, const Vec3& velocityB)
{
    // |s + v t| = r, that is v² t² − 2 b t + c = 0 with b = −s·v > 0: the smaller root, in the form without
    // a difference of nearly equal numbers.
    const Vec3 s = centerB - centerA, v = velocityB - velocityA;
    const double r = radiusA + radiusB;
    const double c = (s.norm() - r) * (s.norm() + r);
    if (c <= 0) return 0.;
    const double b = -s.dot(v);
    if (!(b > 0)) return {};
    // b² − v² c = v² r² − |s × v|²: the way past compared with the radii.
    const double square = v.squaredNorm() * r * r - s.cross(v).squaredNorm();
    if (square < 0) return {};
    return c / (b + std::sqrt(square));
}

Pose SteadyMotion::at(double time) const
{
    return {start.position + time * velocity,
            (expRotation(time * angularVelocity) * start.orientation).normalized()};
}

Impact firstImpact(const Shape& a, const SteadyMotion& motionA, const Shape& b, const SteadyMotion& motionB,
                   double duration, double tolerance, DistanceWork& work)
{
    SINEW_ASSERT(tolerance > 0);
    const double reachA = reachOf(a), reachB = reachOf(b);
    Impact impact;
    for (;; ++impact.iterations) {
        impact.proximity = distance(a, motionA.at(impact.time), b, motionB.at(impact.time), work);
        const Vec3& n = impact.proximity.normal;
        if (impact.proximity.distance <= tolerance) {
            impact.outcome = Impact::Outcome::touch;
            return impact;
        }
        const double approach = (motionA.velocity - motionB.velocity).dot(n) +
                                reachA * motionA.angularVelocity.cross(n).norm() +
                                reachB * motionB.angularVelocity.cross(n).norm();
        const double way = impact.proximity.distance - impact.proximity.gap - 0.5 * tolerance;
        if (!(way < approach * (duration - impact.time))) return impact;
        if (impact.iterations == mostAdvances || !(way > 0)) {
            impact.outcome = Impact::Outcome::unfinished;
            return impact;
        }
        impact.time += way / approach;
    }
}

}  // namespace sinew
