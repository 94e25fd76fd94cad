// Bounding spheres.
//
// The smallest sphere: points are taken one by one in shuffled order; the sphere of those so far stays if
// it holds the next one, otherwise that point is on the boundary of the new sphere, which is found the same
// way among the points so far. No more than four points are ever held on the boundary.
//
// In exact arithmetic the points on the boundary never lie in one line or one circle too many. With
// rounding they can, where points nearly coincide or share a sphere. A point that is then left outside goes
// to the front of the order and all is done again; at last the sphere is made to hold every point whatever
// happened before.
//
//     Ritter, "An efficient bounding sphere", Graphics Gems, 1990
//     Welzl, "Smallest enclosing disks (balls and ellipsoids)", 1991
#include <algorithm>
#include <optional>

#include "sinew/base/random.h"
#include "sinew/geometry/bounding_volume.h"
#include "sinew/geometry/point_faults.h"

namespace sinew {
namespace {

using Points = std::vector<Vec3>;

// A point counts as outside from this part of the radius on (of its square): some dozens of roundings.
constexpr double outsideBy = 1e-13;
// A triangle or tetrahedron thinner than this part of its edges has no usable circumsphere.
constexpr double thinnestSimplex = 1e-13;
// A point left outside by more than this part of the radius (of its square) is worth another attempt.
constexpr double missedBy = 1e-10;
constexpr int mostAttempts = 10;
constexpr std::uint64_t shuffleSeed = 1991;

struct SquaredBall {
    Vec3 center = Vec3::Zero();
    double square = -1;  // of the radius; negative: holds nothing

    bool holds(const Vec3& p) const { return (p - center).squaredNorm() <= square * (1 + outsideBy); }
};

// The sphere through up to four points whose centre is in their plane, line or point.
std::optional<SquaredBall> circumscribed(const std::array<Vec3, 4>& p, int count)
{
    if (count == 0) return SquaredBall{};
    if (count == 1) return SquaredBall{p[0], 0};
    const Vec3 a = p[1] - p[0];
    Vec3 center = 0.5 * a;
    if (count == 3) {
        const Vec3 b = p[2] - p[0], across = a.cross(b);
        if (across.norm() <= thinnestSimplex * a.norm() * b.norm()) return {};
        center = (a.squaredNorm() * b - b.squaredNorm() * a).cross(across) * (0.5 / across.squaredNorm());
    } else if (count == 4) {
        const Vec3 b = p[2] - p[0], c = p[3] - p[0];
        const double six = a.dot(b.cross(c));
        if (std::abs(six) <= thinnestSimplex * a.norm() * b.norm() * c.norm()) return {};
        center =
            (a.squaredNorm() * b.cross(c) + b.squaredNorm() * c.cross(a) + c.squaredNorm() * a.cross(b)) *
            (0.5 / six);
    }
    return SquaredBall{p[0] + center, center.squaredNorm()};
}

// The smallest ball about the first `count` points that has `held` points on its boundary. Goes four deep.
std::optional<SquaredBall> smallestBall(const Points& points, std::size_t count,
                                        std::array<Vec3, 4> boundary, int held)
{
    std::optional<SquaredBall> ball = circumscribed(boundary, held);
    if (!ball || held == 4) return ball;
    for (std::size_t i = 0; i < count; ++i) {
        if (ball->holds(points[i])) continue;
        boundary[static_cast<std::size_t>(held)] = points[i];
        if (const auto larger = smallestBall(points, i, boundary, held + 1)) ball = larger;
    }
    return ball;
}

Vec3 middleOf(const Points& points)
{
    Vec3 low = points[0], high = points[0];
    for (const Vec3& p : points) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    return 0.5 * low + 0.5 * high;
}

// The sphere about this centre that holds all points, measured as `contains` measures.
BoundingSphere about(const Vec3& center, const Points& points)
{
    BoundingSphere sphere{center, 0};
    for (const Vec3& p : points) sphere.radius = std::max(sphere.radius, (p - center).norm());
    return sphere;
}

}  // namespace

Result<BoundingSphere> quickSphere(const Points& points)
{
    if (const auto fault = nothingToBound(points)) return *fault;
    // 1. The pair of extreme points in each dimension; 2. the pair farthest apart is a diameter.
    BoundingSphere sphere{points[0], 0};
    for (int axis = 0; axis < 3; ++axis) {
        const auto [low, high] = std::minmax_element(
            points.begin(), points.end(), [&](const Vec3& p, const Vec3& q) { return p[axis] < q[axis]; });
        const double radius = 0.5 * (*high - *low).norm();
        if (radius > sphere.radius) sphere = {0.5 * *low + 0.5 * *high, radius};
    }
    // 3. Grow to each point outside: the far side of the sphere stays where it is.
    for (const Vec3& p : points) {
        const double distance = (p - sphere.center).norm();
        if (distance <= sphere.radius) continue;
        const double radius = 0.5 * (sphere.radius + distance);
        sphere.center += (distance - radius) / distance * (p - sphere.center);
        sphere.radius = radius;
    }
    // Rounding may have left a point outside by a last place.
    sphere.radius = std::max(sphere.radius, about(sphere.center, points).radius);
    return sphere;
}

Result<BoundingSphere> smallestSphere(const Points& points)
{
    Result<BoundingSphere> quick = quickSphere(points);
    if (!quick) return quick;
    // Small numbers about the middle: far from the origin squares would lose the digits that count.
    const Vec3 middle = middleOf(points);
    Points shuffled;
    shuffled.reserve(points.size());
    for (const Vec3& p : points) shuffled.push_back(p - middle);
    Random random(shuffleSeed);
    for (std::size_t i = shuffled.size(); i > 1; --i)
        std::swap(shuffled[i - 1], shuffled[random.bits() % i]);
    std::array<Vec3, 4> boundary;
    boundary.fill(Vec3::Zero());
    BoundingSphere best = quick.value();
    for (int attempt = 0; attempt < mostAttempts; ++attempt) {
        const auto ball = smallestBall(shuffled, shuffled.size(), boundary, 0);
        if (!ball) break;
        const BoundingSphere sphere = about(middle + ball->center, points);
        if (sphere.radius < best.radius) best = sphere;
        const auto nearer = [&](const Vec3& p, const Vec3& q) {
            return (p - ball->center).squaredNorm() < (q - ball->center).squaredNorm();
        };
        const auto farthest = std::max_element(shuffled.begin(), shuffled.end(), nearer);
        if ((*farthest - ball->center).squaredNorm() <= ball->square * (1 + missedBy)) break;
        std::rotate(shuffled.begin(), farthest, farthest + 1);
    }
    return best;
}

bool contains(const BoundingSphere& sphere, const Vec3& point)
{
    return (point - sphere.center).norm() <= sphere.radius;
}

bool overlaps(const BoundingSphere& a, const BoundingSphere& b)
{
    const double reach = a.radius + b.radius;
    return (a.center - b.center).squaredNorm() <= reach * reach;
}

double volume(const BoundingSphere& sphere)
{
    return 4 * pi / 3 * sphere.radius * sphere.radius * sphere.radius;
}

BoundingSphere moved(const Pose& pose, const BoundingSphere& sphere)
{
    return {pose * sphere.center, sphere.radius};
}

}  // namespace sinew
