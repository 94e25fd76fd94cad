// Is a triangle mesh a closed convex surface? Edges must pair up, every vertex must lie below every
// face, and the surface must go round its middle once: that also excludes two surfaces in one mesh and
// a surface that winds twice.
#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/geometry/farthest.h"
#include "sinew/geometry/mass.h"
#include "sinew/geometry/scaled_points.h"
#include "sinew/math/trigonometry.h"

namespace sinew {
namespace {

using Face = std::array<int, 3>;
using Fault = std::optional<Diagnostic>;

// A triangle lower than this part of the mesh's extent has no usable normal.
constexpr double smallestHeight = 1e-12;

constexpr const char* leaveOut = "; leave the faces out to have the hull taken";

Fault faceFault(int face, const std::string& message)
{
    return Diagnostic{message, "/faces/" + std::to_string(face), {}};
}

std::string edgeName(int a, int b)
{
    return "edge " + std::to_string(a) + "-" + std::to_string(b);
}

Fault vertexFault(const std::vector<Vec3>& vertices)
{
    for (std::size_t i = 0; i < vertices.size(); ++i)
        if (!vertices[i].allFinite())
            return Diagnostic{
                "vertex is not finite, it must be three numbers", "/vertices/" + std::to_string(i), {}};
    if (vertices.size() < 4)
        return Diagnostic{
            "a convex mesh needs at least 4 vertices, there are " + std::to_string(vertices.size()),
            "/vertices",
            {}};
    return {};
}

Fault indexFault(int vertexCount, const std::vector<Face>& faces)
{
    for (std::size_t f = 0; f < faces.size(); ++f) {
        const Face& v = faces[f];
        for (int index : v)
            if (index < 0 || index >= vertexCount)
                return faceFault(static_cast<int>(f), "vertex " + std::to_string(index) +
                                                          " does not exist, indices run from 0 to " +
                                                          std::to_string(vertexCount - 1));
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
            return faceFault(static_cast<int>(f), "a face needs three different vertices, this one has " +
                                                      std::to_string(v[0]) + ", " + std::to_string(v[1]) +
                                                      ", " + std::to_string(v[2]));
    }
    return {};
}

// In a closed surface each edge is walked once in each direction.
Fault edgeFault(const std::vector<Face>& faces)
{
    std::map<std::pair<int, int>, int> owner;
    for (int f = 0; f < static_cast<int>(faces.size()); ++f)
        for (int k = 0; k < 3; ++k) {
            const int a = faces[f][k], b = faces[f][(k + 1) % 3];
            const auto [other, isNew] = owner.emplace(std::pair(a, b), f);
            if (!isNew)
                return faceFault(f, "faces " + std::to_string(other->second) + " and " + std::to_string(f) +
                                        " both run along " + edgeName(a, b) +
                                        ", two neighbours must run along it in opposite directions");
        }
    for (const auto& [edge, f] : owner)
        if (!owner.contains({edge.second, edge.first}))
            return faceFault(f, "the mesh is not closed: " + edgeName(edge.first, edge.second) +
                                    " has a face on one side only");
    return {};
}

Vec3 normalOf(const std::vector<Vec3>& p, const Face& f)
{
    return (p[f[1]] - p[f[0]]).cross(p[f[2]] - p[f[0]]).normalized();
}

double heightOf(const std::vector<Vec3>& p, const Face& f)
{
    const Vec3 u = p[f[1]] - p[f[0]], v = p[f[2]] - p[f[0]];
    const double longest = std::sqrt(std::max({u.squaredNorm(), v.squaredNorm(), (u - v).squaredNorm()}));
    return longest > 0 ? u.cross(v).norm() / longest : 0;
}

double volumeOf(const std::vector<Vec3>& p, const std::vector<Face>& faces)
{
    double volume = 0;
    for (const Face& f : faces) volume += p[f[0]].dot(p[f[1]].cross(p[f[2]])) / 6;
    return volume;
}

// The solid angle of a triangle seen from the origin (van Oosterom and Strackee 1983).
double solidAngle(const Vec3& a, const Vec3& b, const Vec3& c)
{
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    return 2 * angleOf(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
}

long windingNumber(const std::vector<Vec3>& p, const std::vector<Face>& faces)
{
    Vec3 middle = Vec3::Zero();
    for (const Face& f : faces) middle += p[f[0]] + p[f[1]] + p[f[2]];
    middle /= 3 * static_cast<double>(faces.size());
    double sum = 0;
    for (const Face& f : faces) sum += solidAngle(p[f[0]] - middle, p[f[1]] - middle, p[f[2]] - middle);
    return std::lround(sum / (4 * pi));
}

Fault convexityFault(const std::vector<Vec3>& p, const std::vector<Face>& faces, double tolerance)
{
    for (int f = 0; f < static_cast<int>(faces.size()); ++f)
        if (heightOf(p, faces[f]) < smallestHeight) return faceFault(f, "the face has no area");
    if (volumeOf(p, faces) < 0)
        return Diagnostic{
            "the faces run clockwise seen from outside, swap two vertices of each", "/faces", {}};
    std::vector<Vec3> normals;
    for (const Face& f : faces) normals.push_back(normalOf(p, f));
    const std::vector<int> highest = farthestPoints(p, normals);
    for (int f = 0; f < static_cast<int>(faces.size()); ++f)
        if (normals[f].dot(p[highest[f]] - p[faces[f][0]]) > tolerance)
            return faceFault(f, "the mesh is not convex: vertex " + std::to_string(highest[f]) +
                                    " lies outside of this face");
    if (const long turns = windingNumber(p, faces); turns != 1)
        return Diagnostic{"the faces go round the middle " + std::to_string(turns) +
                              " times, they must form one surface that goes round it once",
                          "/faces",
                          {}};
    return {};
}

}  // namespace

Fault closedMeshFault(const std::vector<Vec3>& vertices, const std::vector<Face>& faces)
{
    if (Fault f = vertexFault(vertices)) return f;
    if (faces.size() < 4)
        return Diagnostic{"a closed mesh needs at least 4 faces, there are " + std::to_string(faces.size()),
                          "/faces",
                          {}};
    if (Fault f = indexFault(static_cast<int>(vertices.size()), faces)) return f;
    return edgeFault(faces);
}

Fault convexMeshFault(const std::vector<Vec3>& vertices, const std::vector<Face>& faces, double tolerance)
{
    Fault f = closedMeshFault(vertices, faces);
    if (!f) f = convexityFault(scaledPoints(vertices), faces, tolerance);
    if (f && f->pointer.starts_with("/faces/")) f->message += leaveOut;
    return f;
}

}  // namespace sinew
