// The triangles of a height field or of a triangle mesh, found by the boxes that they touch.
#pragma once

#include <array>
#include <vector>

#include "sinew/collision/box_tree.h"
#include "sinew/geometry/terrain.h"

namespace sinew {

// In the terrain's axes.
struct TerrainTriangle {
    std::array<Vec3, 3> corners;  // counter-clockwise from outside
    Vec3 normal = Vec3::UnitY();  // outwards, of length one
    Vec3 solid = -Vec3::UnitY();  // the way into the ground: against the normal, of a height field down
    bool isColumn = false;        // of a height field: solid however deep
    // The far corner of the triangle beyond the edge from corner k to k + 1.
    std::array<bool, 3> hasNeighbour{};
    std::array<Vec3, 3> beyond;
};

class TerrainTriangles {
public:
    // The terrain must be a checked height field or mesh; it is the caller's, who keeps it.
    explicit TerrainTriangles(const Terrain& terrain);

    // Replaces `found` by the triangles whose boxes touch this one, in ascending order; of a height field
    // also those that it is below.
    void query(const BoundingBox& box, std::vector<int>& found);
    TerrainTriangle triangle(int index) const;

private:
    void buildMesh();
    TerrainTriangle fieldTriangle(int index) const;

    const HeightField* field_ = nullptr;
    const TriangleMesh* mesh_ = nullptr;
    BoxTree tree_{0};                             // of a mesh
    std::vector<std::array<int, 3>> neighbours_;  // of a mesh: the far vertices, or −1
};

}  // namespace sinew
