// Closed triangle meshes, dented ones too, and whether two of them meet: bounding volumes, then vertices
// inside, then edges through faces. Also the volume that one sweeps when it is moved along a line.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/math/types.h"

namespace sinew {

struct Polyhedron {
    std::vector<Vec3> vertices;
    std::vector<std::array<int, 3>> faces;   // counter-clockwise from outside
    std::vector<std::pair<int, int>> edges;  // each once
    bool isConvex = false;
};

// What the tests need of a mesh, or what keeps it from being a closed surface (the pointer names the
// /vertices/i or /faces/i). Surfaces that run through themselves are not looked for.
Result<Polyhedron> makePolyhedron(std::vector<Vec3> vertices, std::vector<std::array<int, 3>> faces);

// Is the point inside? Convex: on the inner side of all faces. Otherwise: a ray along x from the point
// meets an odd number of faces. A point on the surface may count as either.
bool isInside(const Polyhedron& polyhedron, const Vec3& point);

enum class PolyhedronTest { boundingVolumes, vertexInside, edgeThroughFace };

struct PolyhedronVerdict {
    bool meet = false;
    PolyhedronTest decidedBy = PolyhedronTest::boundingVolumes;  // the first test that knew
};

// Memory for the tests: one of the meshes in the other's axes.
struct PolyhedronWork {
    Polyhedron moved;
};

// Do they share a point? Surfaces that touch within rounding, 1e-12 of the extent, may count as either.
PolyhedronVerdict polyhedraMeet(const Polyhedron& a, const Pose& poseA, const Polyhedron& b,
                                const Pose& poseB, PolyhedronWork& work);

// All that a convex polyhedron passes through when it is moved by `travel`: its back faces, its front faces
// moved, and between them faces drawn along the edges where the two meet. Whatever meets it was hit.
Polyhedron sweptVolume(const Polyhedron& polyhedron, const Vec3& travel);

}  // namespace sinew
