// What only the world is made of: surfaces without an inside of their own, that bodies stand on.
#pragma once

#include <array>
#include <variant>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/math/types.h"

namespace sinew {

// All that is on and behind a plane: normal·x ≤ offset, with a normal of length one.
struct HalfSpace {
    Vec3 normal = Vec3::UnitY();
    double offset = 0;
};

// Heights over a grid in the xz plane, two triangles to a square, solid below. Node (i, k) stands at
// (i · spacing, heights[k · columns + i], k · spacing).
struct HeightField {
    int columns = 0, rows = 0;  // along x and along z, 2 or more
    double spacing = 0;         // m
    std::vector<double> heights;
};

// Triangles, counter-clockwise from outside; only that side holds bodies back. Open and dented ones too.
struct TriangleMesh {
    std::vector<Vec3> vertices;
    std::vector<std::array<int, 3>> faces;
};

using Terrain = std::variant<HalfSpace, HeightField, TriangleMesh>;

// The terrain, or what is wrong with it: too few nodes, a number that is not finite, a face without area,
// an index that leads nowhere. The diagnostic's pointer names the part, such as /heights/7 or /faces/3.
Result<Terrain> checkedTerrain(Terrain terrain);

}  // namespace sinew
