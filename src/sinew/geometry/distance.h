// The distance of two convex shapes, or how deep they are in each other: Gilbert, Johnson and Keerthi's
// iteration and the expanding polytope.
#pragma once

#include "sinew/geometry/expanding_polytope.h"
#include "sinew/geometry/shape.h"

namespace sinew {

// In world axes. pointB − pointA = distance · normal to 1e-9 of the extent. The points lie on planes across
// the normal that touch the shapes; in these planes they are off by up to 1e-3 of the extent where curved
// shapes are in each other, and by rounding otherwise.
struct Proximity {
    double distance = 0;          // negative: how deep they are in each other
    Vec3 normal = Vec3::UnitX();  // from A to B; B moved along it by −distance just touches A
    Vec3 pointA = Vec3::Zero();   // on A's surface: the nearest to B, or the deepest in it
    Vec3 pointB = Vec3::Zero();
    double gap = 0;  // bound on the error of the distance: distance − gap ≤ truth ≤ distance if apart,
                     // distance ≤ truth ≤ distance + gap if not
};

// Memory for queries; a query takes none from the heap once it has seen the like.
struct DistanceWork {
    ExpandingPolytope polytope;
};

// Of checked shapes (checkedShape). The same input gives the same bits. The gap of polyhedra, spheres and
// capsules is rounding, 1e-13 of the extent of the pair. Shapes with curved sides (cylinder, ellipsoid) end
// at 1e-11 of it or at a bound on iterations: then the gap says how well.
Proximity distance(const Shape& a, const Pose& poseA, const Shape& b, const Pose& poseB,
                   DistanceWork& work);

}  // namespace sinew
