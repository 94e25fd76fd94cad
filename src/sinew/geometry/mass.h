// Mass properties of triangle meshes and point collections, and the checks every inertia must pass.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/math/spatial.h"

namespace sinew {

// A closed, outward-oriented triangle mesh of density 1 (exact integrals over signed tetrahedra).
Inertia meshInertia(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& faces);

// Point masses: one number for all of them, or one each.
Inertia pointsInertia(const std::vector<Vec3>& points, const std::vector<double>& masses);

// The same shape scaled to another mass.
Inertia withMass(const Inertia& inertia, double mass);

// Why this rotational inertia cannot belong to a solid body (not finite, not symmetric, not positive
// definite, breaks the triangle inequality of the principal moments), or an empty string.
std::string inertiaFault(const Mat3& rotational);

// What keeps these triangles from being a closed surface: too few, indices of no vertex, edges that have
// not two faces running along them in opposite directions. The pointer is as below.
std::optional<Diagnostic> closedMeshFault(const std::vector<Vec3>& vertices,
                                          const std::vector<std::array<int, 3>>& faces);

// What keeps these triangles from being a closed convex surface, counter-clockwise from outside, that
// holds all the vertices; the pointer names the /vertices/i or /faces/i. A vertex may stick out of a
// face by `tolerance` times the extent of the mesh.
std::optional<Diagnostic> convexMeshFault(const std::vector<Vec3>& vertices,
                                          const std::vector<std::array<int, 3>>& faces, double tolerance);

// The convex hull of points as outward triangles over the same points, or why there is none (fewer
// than four points, all in one plane, not finite). Points on faces and edges of the hull, and doubles,
// are left out. About n log n; noise that makes it far more is refused as too close to a plane.
Result<std::vector<std::array<int, 3>>> convexHull(const std::vector<Vec3>& points);

}  // namespace sinew
