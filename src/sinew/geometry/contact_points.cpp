#include "sinew/geometry/contact_points.h"

#include <cmath>

#include "sinew/math/trigonometry.h"

namespace sinew {
namespace {

constexpr int rimPoints = 8;

std::vector<Ball> ballsOf(const Sphere& s)
{
    return {{Vec3::Zero(), s.radius}};
}

// The eight corners of a box with these half edges.
std::vector<Ball> corners(const Vec3& half)
{
    std::vector<Ball> balls;
    for (int i = 0; i < 8; ++i) {
        const Vec3 signs(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
        balls.push_back({half.cwiseProduct(signs), 0});
    }
    return balls;
}

std::vector<Ball> ballsOf(const Box& s)
{
    return corners(0.5 * s.size);
}

std::vector<Ball> ballsOf(const Capsule& s)
{
    if (s.length == 0) return ballsOf(Sphere{s.radius});
    return {{Vec3(0, -0.5 * s.length, 0), s.radius}, {Vec3(0, 0.5 * s.length, 0), s.radius}};
}

std::vector<Ball> ballsOf(const Cylinder& s)
{
    std::vector<Ball> balls;
    for (double end : {-0.5, 0.5})
        for (int i = 0; i < rimPoints; ++i) {
            const double angle = 2 * pi * i / rimPoints;
            balls.push_back({{s.radius * cosine(angle), end * s.length, s.radius * sine(angle)}, 0});
        }
    return balls;
}

std::vector<Ball> ballsOf(const Ellipsoid& s)
{
    if (s.radii.x() == s.radii.y() && s.radii.y() == s.radii.z()) return ballsOf(Sphere{s.radii.x()});
    std::vector<Ball> balls = corners(s.radii / std::sqrt(3.));
    for (int i = 0; i < 3; ++i)
        for (double sign : {-1., 1.}) balls.push_back({sign * s.radii[i] * Vec3::Unit(i), 0});
    return balls;
}

// Only the vertices that a face has: the others lie inside.
std::vector<Ball> ballsOf(const ConvexMesh& s)
{
    std::vector<char> used(s.vertices.size(), 0);
    for (const auto& face : s.faces)
        for (int i : face) used[static_cast<std::size_t>(i)] = 1;
    std::vector<Ball> balls;
    for (std::size_t i = 0; i < used.size(); ++i)
        if (used[i]) balls.push_back({s.vertices[i], 0});
    return balls;
}

}  // namespace

std::vector<Ball> contactBalls(const Shape& shape)
{
    return std::visit([](const auto& s) { return ballsOf(s); }, shape);
}

}  // namespace sinew
