#include "sinew/geometry/terrain.h"

#include <cmath>

namespace sinew {
namespace {

constexpr double largest = 1e6;   // m: beyond it a double no longer resolves what a foot does
constexpr double closest = 1e-9;  // m: so that numbers of cells stay whole

Result<Terrain> checked(HalfSpace plane)
{
    const double length = plane.normal.norm();
    if (!(std::isfinite(length) && length > 1e-9)) return faultAt("/normal", "is zero or not finite");
    return Terrain(HalfSpace{plane.normal / length, plane.offset / length});
}

Result<Terrain> checked(HeightField field)
{
    if (field.columns < 2) return faultAt("/columns", "is less than 2");
    if (field.rows < 2) return faultAt("/rows", "is less than 2");
    if (!(field.spacing >= closest && field.spacing <= largest))
        return faultAt("/spacing", "must be positive, from 1e-9 to 1e6 m");
    const std::size_t nodes =
        static_cast<std::size_t>(field.columns) * static_cast<std::size_t>(field.rows);
    if (field.heights.size() != nodes)
        return faultAt("/heights", "has " + std::to_string(field.heights.size()) +
                                       " numbers, not columns × rows = " + std::to_string(nodes));
    for (std::size_t i = 0; i < nodes; ++i)
        if (!(std::abs(field.heights[i]) <= largest))
            return faultAt("/heights/" + std::to_string(i), "is not finite, or beyond 1e6 m");
    return Terrain(std::move(field));
}

Result<Terrain> checked(TriangleMesh mesh)
{
    if (mesh.vertices.empty()) return faultAt("/vertices", "is empty");
    if (mesh.faces.empty()) return faultAt("/faces", "is empty");
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
        if (!(mesh.vertices[i].cwiseAbs().maxCoeff() <= largest) || !mesh.vertices[i].allFinite())
            return faultAt("/vertices/" + std::to_string(i),
                           "has a number that is not finite, or beyond 1e6 m");
    const int count = static_cast<int>(mesh.vertices.size());
    for (std::size_t i = 0; i < mesh.faces.size(); ++i) {
        const std::string pointer = "/faces/" + std::to_string(i);
        for (int corner : mesh.faces[i])
            if (corner < 0 || corner >= count)
                return faultAt(pointer, "names vertex " + std::to_string(corner) + "; there are " +
                                            std::to_string(count));
        const auto& [a, b, c] = mesh.faces[i];
        const Vec3 u = mesh.vertices[b] - mesh.vertices[a], v = mesh.vertices[c] - mesh.vertices[a];
        if (!(u.cross(v).norm() > 1e-12 * (u.squaredNorm() + v.squaredNorm())))
            return faultAt(pointer, "has no area");
    }
    return Terrain(std::move(mesh));
}

}  // namespace

Result<Terrain> checkedTerrain(Terrain terrain)
{
    return std::visit([](auto& form) { return checked(std::move(form)); }, terrain);
}

}  // namespace sinew
