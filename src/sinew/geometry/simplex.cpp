#include "sinew/geometry/simplex.h"

#include <cmath>

namespace sinew {
namespace {

// Squared sine of the angle between two edges below which a triangle counts as a line.
constexpr double flatTriangle = 1e-20;
// From here on the normal of a triangle has ten good digits, and the direction to the plane is taken along
// it: near the origin the weighted mean, a difference of large numbers, has lost its direction.
constexpr double goodTriangle = 1e-12;
// The volume over the product of three edges below which a tetrahedron has no inside.
constexpr double flatTetrahedron = 1e-14;

struct Part {
    std::array<int, 4> corners{};
    std::array<double, 4> weights{};
    int count = 0;
    Vec3 nearest = Vec3::Zero();
    double square = 0;
};

void takeIfNearer(Part& best, const Part& part)
{
    if (part.square < best.square) best = part;
}

void tryEdge(const std::array<Vec3, 4>& w, int last, int i, Part& best)
{
    const Vec3 edge = w[i] - w[last];
    const double square = edge.squaredNorm();
    if (!(square > 0)) return;
    const double t = -w[last].dot(edge) / square;
    if (!(t > 0 && t < 1)) return;
    Part part{{i, last}, {t, 1 - t}, 2, w[last] + t * edge, 0};
    part.square = part.nearest.squaredNorm();
    takeIfNearer(best, part);
}

void tryTriangle(const std::array<Vec3, 4>& w, int last, int i, int j, Part& best)
{
    const Vec3 u = w[i] - w[last], v = w[j] - w[last];
    const Vec3 normal = u.cross(v);
    const double square = normal.squaredNorm(), sides = u.squaredNorm() * v.squaredNorm();
    if (!(square > flatTriangle * sides)) return;
    const Vec3 toOrigin = -w[last];
    const double s = toOrigin.cross(v).dot(normal) / square, t = u.cross(toOrigin).dot(normal) / square;
    const double rest = 1 - s - t;
    if (!(s > 0 && t > 0 && rest > 0)) return;
    Part part{{i, j, last}, {s, t, rest}, 3, w[last] + s * u + t * v, 0};
    part.square = part.nearest.squaredNorm();
    if (square > goodTriangle * sides) part.nearest = normal * (normal.dot(w[last]) / square);
    takeIfNearer(best, part);
}

// The weights of the origin in the tetrahedron of all four points, if it is inside.
bool holdsOrigin(const std::array<Vec3, 4>& w, std::array<double, 4>& weights)
{
    const Vec3 u = w[0] - w[3], v = w[1] - w[3], x = w[2] - w[3], p = -w[3];
    const double volume = u.dot(v.cross(x));
    if (!(std::abs(volume) > flatTetrahedron * u.norm() * v.norm() * x.norm())) return false;
    weights[0] = p.dot(v.cross(x)) / volume;
    weights[1] = u.dot(p.cross(x)) / volume;
    weights[2] = u.dot(v.cross(p)) / volume;
    weights[3] = 1 - weights[0] - weights[1] - weights[2];
    return weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0 && weights[3] >= 0;
}

}  // namespace

DifferencePoint Simplex::nearestPair() const
{
    DifferencePoint mean;
    for (int i = 0; i < count; ++i) {
        mean.a += weights[i] * points[i].a;
        mean.b += weights[i] * points[i].b;
    }
    return mean;
}

void addPoint(Simplex& simplex, const DifferencePoint& point)
{
    const int last = simplex.count++;
    simplex.points[last] = point;
    std::array<Vec3, 4> w;
    for (int i = 0; i <= last; ++i) w[i] = simplex.points[i].value();
    if (last == 3 && holdsOrigin(w, simplex.weights)) {
        simplex.holdsOrigin = true;
        simplex.nearest = Vec3::Zero();
        return;
    }
    Part best{{last}, {1}, 1, w[last], w[last].squaredNorm()};
    for (int i = 0; i < last; ++i) tryEdge(w, last, i, best);
    for (int i = 0; i < last; ++i)
        for (int j = i + 1; j < last; ++j) tryTriangle(w, last, i, j, best);
    for (int k = 0; k < best.count; ++k) {
        simplex.points[k] = simplex.points[best.corners[k]];  // corners rise, so nothing is overwritten
        simplex.weights[k] = best.weights[k];
    }
    simplex.count = best.count;
    simplex.nearest = best.nearest;
}

}  // namespace sinew
