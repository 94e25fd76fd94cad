#include "sinew/collision/terrain_triangles.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/assert.h"

namespace sinew {
namespace {

// Which node of a row or column a place is in or beyond, between 0 and `most`.
int nodeAt(double place, int most)
{
    return static_cast<int>(std::clamp(std::floor(place), 0., static_cast<double>(most)));
}

}  // namespace

TerrainTriangles::TerrainTriangles(const Terrain& terrain)
    : field_(std::get_if<HeightField>(&terrain)), mesh_(std::get_if<TriangleMesh>(&terrain))
{
    SINEW_ASSERT(field_ || mesh_);
    if (mesh_) buildMesh();
}

void TerrainTriangles::buildMesh()
{
    struct Edge {
        int from, to, face, far;
        bool operator<(const Edge& o) const { return from != o.from ? from < o.from : to < o.to; }
    };
    std::vector<Edge> edges;
    for (int f = 0; f < static_cast<int>(mesh_->faces.size()); ++f) {
        const auto& face = mesh_->faces[f];
        BoundingBox box{mesh_->vertices[face[0]], mesh_->vertices[face[0]]};
        for (int k = 0; k < 3; ++k) {
            const Vec3& x = mesh_->vertices[face[k]];
            box = joined(box, {x, x});
            edges.push_back({face[k], face[(k + 1) % 3], f, face[(k + 2) % 3]});
        }
        tree_.insert(box);
    }
    std::stable_sort(edges.begin(), edges.end());
    neighbours_.assign(mesh_->faces.size(), {-1, -1, -1});
    for (std::size_t f = 0; f < mesh_->faces.size(); ++f)
        for (int k = 0; k < 3; ++k) {
            const int from = mesh_->faces[f][k], to = mesh_->faces[f][(k + 1) % 3];
            const auto found = std::lower_bound(edges.begin(), edges.end(), Edge{to, from, 0, 0});
            if (found != edges.end() && found->from == to && found->to == from)
                neighbours_[f][k] = found->far;
        }
}

void TerrainTriangles::query(const BoundingBox& box, std::vector<int>& found)
{
    if (mesh_) {
        tree_.query(box, found);
        return;
    }
    found.clear();
    const HeightField& field = *field_;
    const Vec3 low = box.low / field.spacing, high = box.high / field.spacing;
    if (high.x() < 0 || high.z() < 0 || low.x() > field.columns - 1 || low.z() > field.rows - 1) return;
    const int lastI = nodeAt(high.x(), field.columns - 2), lastK = nodeAt(high.z(), field.rows - 2);
    for (int k = nodeAt(low.z(), field.rows - 2); k <= lastK; ++k)
        for (int i = nodeAt(low.x(), field.columns - 2); i <= lastI; ++i) {
            const double* node = field.heights.data() + k * field.columns + i;
            if (std::max({node[0], node[1], node[field.columns], node[field.columns + 1]}) < box.low.y())
                continue;
            const int square = k * (field.columns - 1) + i;
            found.push_back(2 * square);
            found.push_back(2 * square + 1);
        }
}

// A square is cut from node (i + 1, k) to node (i, k + 1).
TerrainTriangle TerrainTriangles::fieldTriangle(int index) const
{
    const int square = index / 2, i = square % (field_->columns - 1), k = square / (field_->columns - 1);
    TerrainTriangle t;
    t.isColumn = true;
    const auto node = [&](int column, int row) {
        return Vec3(column * field_->spacing, field_->heights[row * field_->columns + column],
                    row * field_->spacing);
    };
    const auto setBeyond = [&](int edge, int column, int row) {
        t.hasNeighbour[edge] = column >= 0 && row >= 0 && column < field_->columns && row < field_->rows;
        t.beyond[edge] = t.hasNeighbour[edge] ? node(column, row) : Vec3(Vec3::Zero());
    };
    if (index % 2 == 0) {
        t.corners = {node(i, k), node(i, k + 1), node(i + 1, k)};
        setBeyond(0, i - 1, k + 1);
        setBeyond(1, i + 1, k + 1);
        setBeyond(2, i + 1, k - 1);
    } else {
        t.corners = {node(i + 1, k), node(i, k + 1), node(i + 1, k + 1)};
        setBeyond(0, i, k);
        setBeyond(1, i, k + 2);
        setBeyond(2, i + 2, k);
    }
    return t;
}

TerrainTriangle TerrainTriangles::triangle(int index) const
{
    TerrainTriangle t;
    if (field_) {
        t = fieldTriangle(index);
    } else {
        for (int k = 0; k < 3; ++k) {
            t.corners[k] = mesh_->vertices[mesh_->faces[index][k]];
            const int far = neighbours_[index][k];
            t.hasNeighbour[k] = far >= 0;
            t.beyond[k] = far >= 0 ? mesh_->vertices[far] : Vec3(Vec3::Zero());
        }
    }
    t.normal = (t.corners[1] - t.corners[0]).cross(t.corners[2] - t.corners[0]).normalized();
    if (!t.isColumn) t.solid = -t.normal;
    return t;
}

}  // namespace sinew
