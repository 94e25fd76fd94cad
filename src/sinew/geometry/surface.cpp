#include "sinew/geometry/surface.h"

#include <cmath>
#include <utility>

#include "sinew/math/trigonometry.h"

namespace sinew {
namespace {

constexpr int turnCorners = 24;  // to a turn
constexpr int quarterCorners = turnCorners / 4;

// A point of the line that is turned about the y axis, and the normal there.
struct ProfilePoint {
    double radius, height, normalOut, normalUp;
};

// The profile rises. At a sharp edge a point stands twice, with two normals; there, and where its ends lie
// on the axis, triangles would have no area and are left out.
Surface turned(const std::vector<ProfilePoint>& profile)
{
    Surface surface;
    const int rings = static_cast<int>(profile.size());
    for (const ProfilePoint& p : profile) {
        for (int c = 0; c <= turnCorners; ++c) {
            const double angle = 2 * pi * (c % turnCorners) / turnCorners, x = cosine(angle),
                         z = sine(angle);
            surface.points.emplace_back(p.radius * x, p.height, p.radius * z);
            surface.normals.emplace_back(p.normalOut * x, p.normalUp, p.normalOut * z);
        }
    }
    for (int r = 0; r + 1 < rings; ++r) {
        if (profile[r].radius == profile[r + 1].radius && profile[r].height == profile[r + 1].height)
            continue;
        for (int c = 0; c < turnCorners; ++c) {
            const int below = r * (turnCorners + 1) + c, above = below + turnCorners + 1;
            if (profile[r].radius > 0) surface.faces.push_back({below, above, below + 1});
            if (profile[r + 1].radius > 0) surface.faces.push_back({below + 1, above, above + 1});
        }
    }
    return surface;
}

// A quarterCorners turn from pole to rim (or back), with its middle at a height.
void addCap(std::vector<ProfilePoint>& profile, double radius, double height, bool top)
{
    for (int k = 0; k <= quarterCorners; ++k) {
        const double angle = pi / 2 * (top ? k : k - quarterCorners) / quarterCorners;
        const bool pole = k == (top ? quarterCorners : 0);
        const double out = pole ? 0 : cosine(angle), up = sine(angle);
        profile.push_back({radius * out, height + radius * up, out, up});
    }
}

Surface ball(const Vec3& radii)
{
    std::vector<ProfilePoint> profile;
    addCap(profile, 1, 0, false);
    profile.pop_back();  // the rim, which the upper half has as well
    addCap(profile, 1, 0, true);
    Surface surface = turned(profile);
    for (Vec3& point : surface.points) point = point.cwiseProduct(radii);
    for (Vec3& normal : surface.normals) normal = normal.cwiseQuotient(radii).normalized();
    return surface;
}

// Triangles with sharp edges: every face has points of its own.
Surface faceted(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& faces)
{
    Surface surface;
    for (const auto& [a, b, c] : faces) {
        const Vec3 normal = (vertices[b] - vertices[a]).cross(vertices[c] - vertices[a]).normalized();
        const int first = static_cast<int>(surface.points.size());
        for (int corner : {a, b, c}) {
            surface.points.push_back(vertices[corner]);
            surface.normals.push_back(normal);
        }
        surface.faces.push_back({first, first + 1, first + 2});
    }
    return surface;
}

// A face of a box or the part of a plane that is shown: four corners around a middle.
void addSquare(Surface& surface, const Vec3& middle, const Vec3& u, const Vec3& v)
{
    const int first = static_cast<int>(surface.points.size());
    for (const auto& [s, t] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
        surface.points.push_back(middle + s * u + t * v);
        surface.normals.push_back(u.cross(v).normalized());
    }
    surface.faces.push_back({first, first + 1, first + 2});
    surface.faces.push_back({first, first + 2, first + 3});
}

struct Tessellate {
    Surface operator()(const Sphere& s) const { return ball(Vec3::Constant(s.radius)); }
    Surface operator()(const Ellipsoid& e) const { return ball(e.radii); }
    Surface operator()(const Box& box) const
    {
        Surface surface;
        for (int axis = 0; axis < 3; ++axis) {
            const Vec3 u = Vec3::Unit((axis + 1) % 3).cwiseProduct(box.size) / 2;
            const Vec3 v = Vec3::Unit((axis + 2) % 3).cwiseProduct(box.size) / 2;
            const Vec3 out = Vec3::Unit(axis).cwiseProduct(box.size) / 2;
            addSquare(surface, out, u, v);
            addSquare(surface, -out, v, u);
        }
        return surface;
    }
    Surface operator()(const Capsule& c) const
    {
        std::vector<ProfilePoint> profile;
        addCap(profile, c.radius, -c.length / 2, false);
        addCap(profile, c.radius, c.length / 2, true);
        return turned(profile);
    }
    Surface operator()(const Cylinder& c) const
    {
        const double r = c.radius, h = c.length / 2;
        return turned(
            {{0, -h, 0, -1}, {r, -h, 0, -1}, {r, -h, 1, 0}, {r, h, 1, 0}, {r, h, 0, 1}, {0, h, 0, 1}});
    }
    Surface operator()(const ConvexMesh& mesh) const
    {
        if (!mesh.faces.empty()) return faceted(mesh.vertices, mesh.faces);
        const Result<Shape> hull = checkedShape(mesh);
        if (!hull) return {};  // compile() has refused it long before
        const auto& whole = std::get<ConvexMesh>(hull.value());
        return faceted(whole.vertices, whole.faces);
    }
};

// Squares are cut as the collision tests cut them: from node (i + 1, k) to node (i, k + 1).
Surface heights(const HeightField& field)
{
    std::vector<Vec3> vertices;
    for (int k = 0; k < field.rows; ++k)
        for (int i = 0; i < field.columns; ++i)
            vertices.emplace_back(i * field.spacing, field.heights[k * field.columns + i],
                                  k * field.spacing);
    std::vector<std::array<int, 3>> faces;
    for (int k = 0; k + 1 < field.rows; ++k) {
        for (int i = 0; i + 1 < field.columns; ++i) {
            const int a = k * field.columns + i, b = a + 1, c = a + field.columns, d = c + 1;
            faces.push_back({a, c, b});
            faces.push_back({b, c, d});
        }
    }
    return faceted(vertices, faces);
}

}  // namespace

void append(Surface& to, const Surface& part, const Pose& pose)
{
    const int first = static_cast<int>(to.points.size());
    for (const Vec3& point : part.points) to.points.push_back(pose * point);
    for (const Vec3& normal : part.normals) to.normals.push_back(pose.orientation * normal);
    for (const auto& [a, b, c] : part.faces) to.faces.push_back({first + a, first + b, first + c});
}

Surface surfaceOf(const Shape& shape)
{
    return std::visit(Tessellate{}, shape);
}

Surface squareSurface(double reach)
{
    Surface surface;
    addSquare(surface, Vec3::Zero(), reach * Vec3::UnitZ(), reach * Vec3::UnitX());
    return surface;
}

Surface surfaceOf(const Terrain& terrain, double planeReach)
{
    if (const auto* field = std::get_if<HeightField>(&terrain)) return heights(*field);
    if (const auto* mesh = std::get_if<TriangleMesh>(&terrain)) return faceted(mesh->vertices, mesh->faces);
    return squareSurface(planeReach);
}

}  // namespace sinew
