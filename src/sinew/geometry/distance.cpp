// Sources: Gilbert, Johnson, Keerthi, "A fast procedure for computing the distance between complex objects
// in three-dimensional space" (1988); Cameron, "Enhancing GJK" (1997); van den Bergen, Collision Detection
// in Interactive 3D Environments (2003), sections 4.3.2–4.3.8; Ericson, Real-Time Collision Detection
// (2004), section 9.5.
//
//     v_k       the nearest point to the origin of a simplex in A − B
//     w_k       the support point of A − B in the direction −v_k
//     |v_k| ≥ distance ≥ v_k·w_k / |v_k|          both bounds are kept; their difference is the gap
//
// The lengths |v_k| fall strictly: a step that does not shorten v is undone and ends the iteration, so it
// ends whatever rounding does. Polyhedra take a few steps and end when no vertex lies farther out.
//
// Margins: the difference of two shapes is that of their cores with a ball of both radii rolled around it,
// so that the distance, and the depth as well, is that of the cores less the radii. Spheres and capsules
// get into the expanding polytope only when a core has something inside it.
#include "sinew/geometry/distance.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

// All in units of the largest coordinate of A − B that was seen.
constexpr double enough = 1e-14;    // a gap that rounding alone explains
constexpr double touching = 1e-13;  // nearer than this the direction is unknown: the polytope finds it
constexpr int mostIterations = 200;

struct CoreProximity {
    Simplex simplex;
    double gap = 0;
    bool isApart = false;
};

CoreProximity iterate(const CoreDifference& difference)
{
    CoreProximity result;
    Simplex& simplex = result.simplex;
    addPoint(simplex, difference.support(Vec3::UnitX()));
    double scale = simplex.nearest.cwiseAbs().maxCoeff();
    for (int i = 0; i < mostIterations; ++i) {
        const Vec3 v = simplex.nearest;
        const double length = v.norm();
        if (length <= touching * scale) return result;
        const DifferencePoint point = difference.support(-v);
        const Vec3 w = point.value();
        scale = std::max(scale, w.cwiseAbs().maxCoeff());
        result.gap = std::max(0., length - v.dot(w) / length);
        if (result.gap <= enough * scale) break;
        const Simplex before = simplex;
        addPoint(simplex, point);
        if (simplex.holdsOrigin) return result;
        if (!(simplex.nearest.squaredNorm() < v.squaredNorm())) {
            simplex = before;
            break;
        }
    }
    result.isApart = true;
    return result;
}

}  // namespace

Proximity distance(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB, DistanceWork& work)
{
    const CoreDifference difference(a, poseA, b, poseB);
    const CoreProximity cores = iterate(difference);
    Proximity result;
    DifferencePoint points;
    const double length = cores.simplex.nearest.norm();
    if (cores.isApart) {
        result.distance = length;
        result.normal = -cores.simplex.nearest / length;
        result.gap = cores.gap;
        points = cores.simplex.nearestPair();
    }
    // A gap as wide as the distance: rounding ended the iteration before anything was proved.
    if (!cores.isApart || cores.gap >= length) {
        const Penetration inside = work.polytope.depth(difference, cores.simplex);
        if (!cores.isApart || inside.depth >= 0) {
            result.distance = -inside.depth;
            result.normal = inside.normal;
            result.gap = inside.gap;
            // Triangles that stand for curved sides have their points slightly apart across the normal.
            const Vec3 middle = 0.5 * (inside.points.a + inside.points.b);
            points = {middle + 0.5 * inside.depth * inside.normal,
                      middle - 0.5 * inside.depth * inside.normal};
        } else {
            result.gap = length + inside.depth;  // apart after all, by at least −depth
        }
    }
    const double marginA = coreMargin(a), marginB = coreMargin(b);
    result.distance -= marginA + marginB;
    result.pointA = poseA.position + points.a + marginA * result.normal;
    result.pointB = poseA.position + points.b - marginB * result.normal;
    return result;
}

}  // namespace sinew
